"""What every game tells of a score: its lines, its pad and what was entered from it."""

import pytest

from scorer.game import TOTAL
from scorer.games import GAMES
from scorer.setup import started as begun

SEATS = {"seasons": ("spring", "winter"), "time": ("spring", "winter")}
BOARD = {"name": "set", "rows": [1, 5], "cols": [1, 5]}


def started(kind, names=("Ann", "Ben")):
    players = [
        {"name": name, "colour": colour}
        for name, colour in zip(names, SEATS.get(kind, ("red", "green")), strict=False)
    ]
    return begun(GAMES[kind], {"players": players, "options": {"board": BOARD}})[1]


@pytest.mark.parametrize("kind", GAMES)
def test_the_lines_of_a_score_end_with_the_total_of_the_result(kind):
    state = started(kind)
    lines = GAMES[kind].score_lines(state)
    totals = [(line.player, line.points) for line in lines if line.item == TOTAL]
    assert totals == [(row["player"], row["score"]) for row in GAMES[kind].result(state)]


@pytest.mark.parametrize("kind", GAMES)
def test_every_figure_of_the_pad_can_be_entered_and_is_checked(kind):
    game = GAMES[kind]
    state = started(kind)
    asked = 0
    for column in game.pad(state):
        lines = dict.fromkeys(column.items, 77)
        state = game.act(
            state,
            {"type": "claim", "seat": column.seat, "lines": lines},
            {"role": "host", "seat": 0},
        )
        asked += len(lines)
    found = game.audit(state)
    assert len(found) == asked
    assert not any(one.agrees or not one.why for one in found)


def test_alone_with_time_the_pad_is_that_of_the_table():
    state = started("time", ("Ann",))
    assert [column.seat for column in GAMES["time"].pad(state)] == [None]


def test_one_card_is_not_many():
    state = started("time") | {"grid": "spring/summer summer/spring summer/winter"}
    told = {line.item: line.why for line in GAMES["time"].score_lines(state) if line.why}
    assert told["spring"] == "1 card, largest group 1"
    assert told["summer"] == "2 cards, largest group 2"


def test_nobody_wins_alone_unless_the_game_says_so():
    state = started("villagers", ("Ann",))
    state = GAMES["villagers"].act(state, {"type": "supply", "seat": 0, "gold": 90}, {"seat": 0})
    assert state["monastery"] is None
    assert not GAMES["villagers"].result(state)[0]["winner"]


HOST = {"role": "host", "seat": 0}
STONES = "sun horse bird / tree seed seed / horse bird boat"
FIRST_TURN = [{"type": "board", "seat": None, "text": STONES}, {"type": "skip"}]
PIECE = {"type": "board", "seat": 0, "text": "cow ."}


@pytest.mark.parametrize(
    ("kind", "actions", "won"),
    [
        ("stones", FIRST_TURN[:1], []),
        ("stones", FIRST_TURN, ["Ann", "Ben"]),
        ("seasons", [], []),
        ("seasons", [{"type": "cell", "seat": 0, "row": 0, "col": 0, "label": "su*"}], ["Ann"]),
        ("custom", [{"type": "worth", "label": "hen", "points": 3}], []),
        ("custom", [PIECE], []),  # no piece has points
        ("custom", [PIECE, {"type": "worth", "label": "hen", "points": 3}], ["Ann", "Ben"]),
        ("custom", [{"type": "extra", "seat": 0, "points": 0}], ["Ann", "Ben"]),
    ],
)
def test_a_game_without_points_is_won_once_it_has_begun(kind, actions, won):
    game, state = GAMES[kind], started(kind)
    if kind == "seasons":
        state["cards"] = ["six-columns"]
    for action in actions:
        state = game.act(state, action, HOST)
    rows = game.result(state)
    assert not any(row["score"] for row in rows)
    assert [row["player"] for row in rows if row["winner"]] == won


def test_cards_whose_season_is_unknown_leave_only_the_totals():
    game = GAMES["time"]
    state = started("time") | {"grid": "?/spring summer"}
    assert {line.item for line in game.score_lines(state)} == {TOTAL}
    assert game.audit(state | {"claims": {"0": {"spring": 4}}}) == []

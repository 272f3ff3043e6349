"""Turn of Time at the table: legal cells, flips, known backs, ranking, solo goals."""

import copy
import json
from itertools import permutations
from typing import Any

import pytest
from table_documents import documents_of

from scorer.documents import answer_lines
from scorer.game import ActionError, conflict
from scorer.games import GAMES
from scorer.season import SEASONS
from scorer.setup import started
from scorer.time import view
from scorer.time.board import TimeGrid
from scorer.time.cards import SeasonCard
from scorer.time.turn import outcomes

GAME = GAMES["time"]
ANN = {"role": "host", "seat": 0}
CAT = {"role": "viewer", "seat": None}
GRIDS = [
    "spring/autumn",
    "spring/winter summer/autumn",
    "spring/autumn . winter/summer / summer/winter autumn/autumn spring/summer / . winter/autumn .",
    "spring/spring summer/spring autumn/winter winter/summer",
    (
        "spring/winter . summer/spring / autumn/summer spring/autumn winter/winter / "
        "summer/summer . autumn/spring"
    ),
]
FULL = (
    "autumn autumn spring summer / autumn winter spring summer"
    " / autumn winter spring summer / autumn spring spring winter"
)


def start(players: int = 4, **options: Any) -> dict[str, Any]:
    names = ["Ann", "Bob", "Cat", "Dan"][:players]
    seats = zip(names, SEASONS, strict=False)
    seated = [{"name": name, "colour": season.value} for name, season in seats]
    return started(GAME, {"players": seated, "options": options})[1]


def play(state: dict[str, Any], *actions: dict[str, Any]) -> dict[str, Any]:
    for action in actions:
        before = copy.deepcopy(state)
        after = GAME.act(state, action, ANN)
        assert state == before, "an action changed the old state"
        state = json.loads(json.dumps(after))
    return state


def refused(state: dict[str, Any], action: dict[str, Any], by: dict[str, Any] = ANN) -> str:
    with pytest.raises(ActionError) as caught:
        GAME.act(state, action, by)
    assert caught.value.message.endswith(".")
    return caught.value.code


def board(text: str, photo: int | None = None) -> dict[str, Any]:
    return {"type": "board", "seat": None, "text": text, "photo": photo, "corrections": []}


def place(card: str, cell: tuple[int, int], *order: tuple[int, int]) -> dict[str, Any]:
    return {
        "type": "place",
        "card": card,
        "row": cell[0],
        "col": cell[1],
        "order": [list(other) for other in order],
    }


@pytest.mark.parametrize("grid", GRIDS)
def test_placements_are_those_of_the_command(grid: str) -> None:
    state = play(start(), board(grid))
    view = GAME.view(state, ANN)
    legal, meetings = view["legal"], view["meetings"]
    for card in ("spring/spring", "autumn/spring", "winter/summer"):
        (answer,) = answer_lines(
            "moves", [json.dumps({"game": "time", "grid": grid, "card": card})]
        )
        for placement in answer["placements"]:
            up = placement["up"]
            oriented = card if card.startswith(up) else "/".join(reversed(card.split("/")))
            (cell,) = [entry for entry in legal if entry["cell"] == placement["cell"]]
            reached = set()
            for end in cell["ends"][oriented]:
                order = [tuple(cell["near"][at]) for at in end["order"]]
                after = play(state, place(oriented, tuple(cell["cell"]), *order))
                reached.add(after["grid"])
                shown = [card.up for _, card in TimeGrid.parse(after["grid"]).cards]
                assert [shown.count(season) for season in SEASONS] == end["counts"]
                assert shown.count(None) == end["unknown"]
                for step in after["last"]["steps"]:
                    told = meetings[f"{step['placed']}/{step['lying']}"]
                    assert told["flips"] == [step["flips_placed"], step["flips_lying"]]
            assert reached == set(placement["grids"])
        assert {tuple(entry["cell"]) for entry in legal} == {
            tuple(placement["cell"]) for placement in answer["placements"]
        }


def test_every_order_of_meetings_may_be_played() -> None:
    grid = TimeGrid.parse(GRIDS[4])
    state = play(start(), board(GRIDS[4]))
    near = ((0, 0), (1, 1), (0, 2))
    card = SeasonCard.parse("winter/autumn")
    reached = {
        play(state, place(str(card), (0, 1), *order))["grid"] for order in permutations(near)
    }
    assert reached == {str(after) for after in outcomes(grid, (0, 1), card)}
    assert len(reached) > 1


def test_the_example_of_the_rulebook() -> None:
    state = play(start(), board(". summer/winter / spring/winter ."))
    after = play(state, place("autumn/spring", (0, 0), (1, 0), (0, 1)))
    steps = after["last"]["steps"]
    assert [(step["placed"], step["lying"]) for step in steps] == [
        ("autumn", "spring"),
        ("spring", "summer"),
    ]
    assert [(step["flips_placed"], step["flips_lying"]) for step in steps] == [
        (True, True),
        (True, False),
    ]
    assert after["grid"] == "autumn/spring summer/winter / winter/spring ."


def test_cards_go_beside_cards_within_four_by_four() -> None:
    state = start()
    assert [entry["cell"] for entry in GAME.view(state, ANN)["legal"]] == [[0, 0]]
    state = play(state, place("spring/autumn", (0, 0)), place("spring/winter", (-1, 0), (0, 0)))
    assert state["grid"] == "spring/winter / spring/autumn"
    assert state["last"]["cell"] == [0, 0]
    assert refused(state, place("summer/winter", (3, 0))) == "cell"
    assert refused(state, place("summer/winter", (2, 0))) == "order"
    assert refused(state, place("winter", (2, 0), (1, 0))) == "card"  # flipped, to which side?
    assert refused(state, place("summer/winter", (2, 0), (1, 0)), CAT) == "viewer"
    line = play(state, board("spring summer autumn winter"))
    assert refused(line, place("summer/winter", (0, 4), (0, 3))) == "cell"


def test_a_card_with_both_sides_is_placed_before_the_end() -> None:
    state = play(start(), board("spring/autumn"))
    with pytest.raises(ActionError, match="both sides"):
        play(state, place("?/winter", (0, 1), (0, 0)))
    assert (
        refused(play(state, {"type": "finish"}), place("summer/winter", (0, 1), (0, 0))) == "over"
    )


def test_a_card_flipped_to_an_unknown_side_is_asked_for() -> None:
    legal = GAME.view(play(start(), board("spring")), ANN)["legal"]
    (end,) = next(entry for entry in legal if entry["cell"] == [0, 1])["ends"]["summer/winter"]
    assert (end["counts"], end["unknown"]) == ([0, 1, 0, 0], 1)
    state = play(start(), board("spring"), place("summer/winter", (0, 1), (0, 0)))
    view = GAME.view(state, ANN)
    assert view["grid"]["unknown"] == [[0, 0]]
    blocked = next(entry for entry in view["legal"] if entry["cell"] == [1, 0])
    assert (blocked["unknown"], blocked["ends"]) == ([[0, 0]], {})
    assert refused(state, place("autumn/winter", (1, 0), (0, 0))) == "unknown_side"
    settled = play(state, {"type": "cell", "row": 0, "col": 0, "label": "autumn"})
    assert settled["grid"] == "autumn/spring summer/winter"
    assert GAME.view(settled, ANN)["grid"]["unknown"] == []


@pytest.mark.parametrize(
    ("before", "seen", "after"),
    [
        ("spring/autumn summer/winter", "spring summer", "spring/autumn summer/winter"),
        (
            "spring/autumn summer/winter",
            "summer autumn summer",
            "summer autumn/spring summer/winter",
        ),
        ("spring/? summer/winter", "winter summer", "winter/spring summer/winter"),
        (
            "spring/autumn summer/winter . / . winter/winter spring/summer",
            "summer winter . / . summer spring",
            "spring/autumn summer/winter . / . winter/winter summer/spring",
        ),
        (
            "spring/autumn summer/winter autumn/autumn",
            "spring summer winter",
            "spring/autumn summer/winter winter",
        ),
        ("spring/autumn summer/winter", "winter winter", "winter winter"),
        ("spring/autumn", "spring", "spring/autumn"),
    ],
    ids=[
        "same",
        "flipped and a new card",
        "back learnt",
        "turned photo",
        "one misread",
        "another table",
        "one",
    ],
)
def test_a_new_photo_keeps_what_is_known_of_the_backs(before: str, seen: str, after: str) -> None:
    state = play(start(), board(before), board(seen, 12))
    assert state["grid"] == after
    assert GAME.view(state, ANN)["grid"]["photo"] == 12


def test_a_photo_can_be_looked_at_until_a_card_is_placed() -> None:
    state = play(
        start(),
        board("spring/autumn", 12),
        {"type": "cell", "row": 0, "col": 0, "label": "spring/summer"},
    )
    assert GAME.view(state, ANN)["grid"]["photo"] == 12
    state = play(state, place("autumn/winter", (0, 1), (0, 0)))
    assert GAME.view(state, ANN)["grid"]["photo"] is None
    assert state["photo"] == 12  # the evidence stays


def test_the_ranking_says_what_decides_and_where() -> None:
    grid = (
        "autumn autumn spring summer / autumn winter spring summer / autumn spring . winter / "
        ". spring winter summer"
    )
    state = play(start(), board(grid))
    (answer,) = answer_lines("score", [json.dumps(documents_of("time", state)[0])])
    view = GAME.view(state, ANN)
    assert [(row["season"], row["points"]) for row in view["ranking"]] == [
        (row["season"], row["points"]) for row in answer["ranking"]
    ]
    for row in view["ranking"]:
        assert len(row["cells"]) == row["cards"]
        assert len(row["group_cells"]) == row["group"]
        assert all(cell in row["cells"] for cell in row["group_cells"])
    for row, below in zip(view["ranking"], view["ranking"][1:], strict=False):
        assert below["season"] in row["says"]
        assert ("is ahead" in row["says"]) == (row["cards"] > below["cards"])
        assert ("group is larger" in row["says"]) == (
            row["cards"] == below["cards"] and row["group"] > below["group"]
        )
    assert any("is ahead" in row["says"] for row in view["ranking"][:3])


def test_ties_are_settled_by_the_turn_order() -> None:
    state = play(start(), board("spring . winter / spring summer winter"))
    view = GAME.view(state, ANN)
    assert [row["season"] for row in view["ranking"]] == ["spring", "winter", "summer", "autumn"]
    assert view["ranking"][0]["says"].endswith("so the turn order decides.")
    state = play(
        start(), {"type": "first", "seat": 3}, board("spring . winter / spring summer winter")
    )
    assert GAME.view(state, ANN)["ranking"][0]["season"] == "winter"
    assert refused(state, {"type": "first", "seat": 0}) == "begun"


def test_four_players_have_a_season_each() -> None:
    names, seasons = ("Ann", "Bob", "Cat", "Dan"), ("winter", "spring", "summer", "autumn")
    seats = zip(names, seasons, strict=True)
    _, state = started(GAME, {"players": [{"name": n, "colour": c} for n, c in seats]})
    assert state["seasons"] == [["winter"], ["spring"], ["summer"], ["autumn"]]
    assert GAME.view(state, ANN)["turn"] == {
        "seat": 0,
        "order": [0, 1, 2, 3],
        "played": 0,
        "left": 16,
    }
    state = play(state, {"type": "seasons", "seat": 0, "seasons": ["spring"]})
    assert state["seasons"] == [["spring"], ["winter"], ["summer"], ["autumn"]]


def test_with_three_players_the_unplayed_single_lies_first() -> None:
    state = start(3)
    assert state["grid"] == "winter/winter"
    assert GAME.view(state, ANN)["turn"] == {"seat": 0, "order": [0, 1, 2], "played": 0, "left": 15}
    state = play(state, {"type": "seasons", "seat": 0, "seasons": ["winter"]})
    assert state["grid"] == "spring/spring"
    state = play(state, place("winter/summer", (0, 1), (0, 0)))
    view = GAME.view(state, ANN)
    assert view["turn"]["seat"] == 1
    assert view["ranking"][1]["season"] == "spring" or view["ranking"][0]["season"] == "spring"
    assert next(row for row in view["ranking"] if row["season"] == "spring")["seat"] is None
    assert sum(player["total"] for player in view["players"]) < 10


def test_two_players_add_the_points_of_their_seasons_and_share_a_tie() -> None:
    state = start(2)
    assert state["seasons"] == [["spring", "autumn"], ["summer", "winter"]]
    state = play(
        state,
        {"type": "seasons", "seat": 0, "seasons": ["spring", "winter"]},
        board("spring spring spring summer / summer autumn winter ."),
    )
    assert state["seasons"] == [["spring", "winter"], ["summer", "autumn"]]
    view = GAME.view(state, ANN)
    assert [player["total"] for player in view["players"]] == [6, 4]
    (answer,) = answer_lines("score", [json.dumps(documents_of("time", state)[0])])
    assert {row["name"]: row["points"] for row in answer["players"]} == {
        player["name"]: player["total"] for player in view["players"]
    }
    assert answer["winners"] == [row["player"] for row in view["result"] if row["winner"]]
    assert refused(state, {"type": "seasons", "seat": 0, "seasons": ["mud"]}) == "season"
    assert (
        refused(state, {"type": "seasons", "seat": 0, "seasons": ["spring", "autumn", "winter"]})
        == "season"
    )


def test_everybody_keeps_a_season_so_that_others_can_join() -> None:
    assert refused(start(3), {"type": "seasons", "seat": 0, "seasons": []}) == "season"
    one, other, both = (
        {"type": "seasons", "seat": seat, "seasons": seasons}
        for seat, seasons in ((0, ["spring"]), (1, ["summer"]), (0, ["spring", "summer"]))
    )
    assert play(start(2), one, other, both)["seasons"] == [["spring", "summer"], ["autumn"]]
    back = {"type": "seasons", "seat": 0, "seasons": ["spring", "winter"]}
    assert play(start(2), one, back)["seasons"] == [["spring", "winter"], ["summer", "autumn"]]
    kept = start(3)
    kept["seasons"][0] = []  # as earlier versions let a player be
    assert GAME.view(kept, ANN)["players"][0]["seasons"] == []
    assert play(kept, one)["seasons"] == start(3)["seasons"]


BALANCED = " / ".join(["spring summer autumn winter"] * 4)
DOMINANT = (
    "spring spring spring spring / spring spring spring summer / summer autumn winter "
    "summer / autumn winter autumn winter"
)


@pytest.mark.parametrize(
    ("goal", "grid", "won"),
    [
        ("either", BALANCED, True),
        ("either", DOMINANT, True),
        ("dominance", BALANCED, False),
        ("balance", BALANCED, True),
        ("balance", DOMINANT, False),
        ("dominance", "spring spring spring spring / spring spring spring .", False),
    ],
)
def test_solo_goals(goal: str, grid: str, won: bool) -> None:
    state = play(start(1, goal=goal), board(grid))
    assert GAME.result(state)[0]["winner"] is won
    assert "players" not in documents_of("time", state)[0]


def test_alone_the_score_is_the_largest_group() -> None:
    state = play(start(1, goal="dominance"), board("spring spring spring / summer winter winter"))
    assert GAME.result(state)[0]["score"] == 3


@pytest.mark.parametrize(
    ("goal", "grid", "lines"),
    [
        ("dominance", "spring spring summer / winter spring winter", [("spring", 3)]),
        ("either", "spring spring summer / winter spring winter", [("spring", 3)]),
        ("balance", DOMINANT, []),
        ("balance", BALANCED, [(season.value, 1) for season in SEASONS]),
    ],
)
def test_alone_the_lines_are_what_the_score_counts(
    goal: str, grid: str, lines: list[tuple[str, int]]
) -> None:
    state = play(start(1, goal=goal), board(grid))
    *told, total = GAME.score_lines(state)
    assert sorted((line.item, line.points) for line in told) == sorted(lines)
    assert total.points == sum(line.points for line in told)


def test_two_players_hear_of_a_season_that_nobody_has() -> None:
    state = start(2)
    assert GAME.view(state, ANN)["seats_say"].endswith("add their points.")
    state = play(state, {"type": "seasons", "seat": 0, "seasons": ["spring"]})
    assert GAME.view(state, ANN)["seats_say"].endswith("To nobody belongs now: Autumn.")


def test_impossible_grids_are_shown_with_what_is_wrong() -> None:
    state = play(start(), board("spring/spring . spring/spring"))
    problems = GAME.view(state, ANN)["grid"]["problems"]
    assert [problem["code"] for problem in problems] == ["too_many_cards", "not_connected"]
    assert problems[0]["message"] == "Please check: the box holds 1 of spring, here are 2."
    kinds = {kind["card"]: kind["left"] for kind in GAME.view(state, ANN)["kinds"]}
    assert kinds["spring/spring"] == 0
    assert kinds["spring/summer"] == 2


def test_a_full_table_has_no_legal_cells_and_nobodys_turn() -> None:
    view = GAME.view(play(start(), board(FULL)), ANN)
    assert view["full"]
    assert view["legal"] == []
    assert view["turn"]["seat"] is None


def test_nobody_wins_while_a_card_shows_an_unknown_side() -> None:
    almost = "spring spring spring spring / autumn autumn autumn autumn / summer summer summer"
    state = play(
        start(),
        board(f"{almost} winter / winter winter winter ."),
        place("spring/winter", (3, 3), (2, 3), (3, 2)),
    )
    view = GAME.view(state, ANN)
    assert len(view["grid"]["unknown"]) == 2
    assert view["unfinished"].startswith("2 cards show an unknown side")
    assert not GAME.over(state)
    assert not any(row["winner"] for row in GAME.result(play(state, {"type": "finish"})))
    for row, col in view["grid"]["unknown"]:
        state = play(state, {"type": "cell", "row": row, "col": col, "label": "autumn"})
    assert GAME.over(state)
    assert not GAME.view(state, ANN)["unfinished"]
    assert [row["player"] for row in GAME.result(state) if row["winner"]] == ["Cat"]


def test_nobody_wins_before_the_first_card() -> None:
    assert not any(row["winner"] for row in GAME.result(start(3)))


def test_cells_are_set_and_taken_away_by_hand() -> None:
    state = play(start(), {"type": "cell", "row": 0, "col": 0, "label": "fall"})
    state = play(state, {"type": "cell", "row": -1, "col": 0, "label": "spring/summer"})
    assert state["grid"] == "spring/summer / autumn"
    state = play(state, {"type": "cell", "row": 0, "col": 0, "label": "."})
    assert state["grid"] == "autumn"
    assert refused(state, {"type": "cell", "row": 4, "col": 0, "label": "spring"}) == "box"
    assert refused(state, {"type": "cell", "row": 0, "col": 0, "label": "mud"}) == "card"


def test_claims_become_a_document_that_can_be_audited() -> None:
    state = play(
        start(),
        board(FULL),
        {"type": "claim", "seat": 0, "lines": {"spring": 4}},
        {"type": "claim", "seat": 3, "lines": {"winter": 1}},
    )
    (answer,) = answer_lines("audit", [json.dumps(documents_of("time", state)[0])])
    assert [line["item"] for line in answer["lines"]] == ["spring", "winter"]
    assert refused(state, {"type": "claim", "seat": 0, "lines": {"mud": 3}}) == "claim"


def test_what_a_player_claimed_of_a_season_counts_only_while_it_is_theirs() -> None:
    state = play(
        start(2),
        board(FULL),
        {"type": "claim", "seat": 1, "lines": {"summer": 3, "winter": 1}},
        {"type": "seasons", "seat": 0, "seasons": ["spring", "winter"]},
        {"type": "claim", "seat": 0, "lines": {"winter": 4}},
    )
    assert [(one.item, one.claimed) for one in GAME.audit(state)] == [("winter", 4), ("summer", 3)]


def test_any_two_changes_of_the_grid_are_a_conflict() -> None:
    one, other = place("spring/spring", (0, 0)), {"type": "cell", "row": 3, "col": 3, "label": "."}
    assert conflict(GAME.touches(one), GAME.touches(other))
    assert not conflict(GAME.touches(one), GAME.touches({"type": "claim", "seat": 0}))


@pytest.mark.parametrize(
    "action",
    [
        {"type": "place"},
        {"type": "place", "card": "spring/summer", "row": 0, "col": 0, "order": [5]},
        {"type": "place", "card": 5, "row": 0, "col": 0, "order": []},
        {"type": "place", "card": "spring/summer", "row": 0, "col": 0, "order": [[[1], 2]]},
        {"type": "cell", "row": "0", "col": 0, "label": "spring"},
        {"type": "board", "text": "sun moon"},
        {"type": "seasons", "seat": 0, "seasons": [5]},
        {"type": "claim", "seat": 0, "lines": {"spring": True}},
        {"type": "first", "seat": 12},
        {"type": "dance"},
        {},
    ],
)
def test_malformed_changes_are_refused_with_a_sentence(action: dict[str, Any]) -> None:
    GAME.touches(action)
    assert refused(start(), action)


def test_a_setup_names_a_known_goal_and_at_most_four_players() -> None:
    with pytest.raises(ActionError):
        start(1, goal="luck")
    with pytest.raises(ActionError):
        started(GAME, {"players": [{"name": name, "colour": "spring"} for name in "abcde"]})


def test_the_sides_that_meet_are_told_one_after_the_other() -> None:
    """Each meeting goes on with the side that the one before left on top."""
    for legal in view.legal("spring/summer winter/autumn / autumn/spring ."):
        for card, ends in legal["ends"].items():
            for end in ends:
                up, back = card.split("/")
                for meets in end["meets"]:
                    assert meets.split("/")[0] == up
                    if view.MEETINGS[meets]["flips"][0]:
                        up, back = back, up
                assert (up, len(end["meets"])) == (end["up"], len(end["order"]))

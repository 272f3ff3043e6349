"""What a new photo changes: random legal play is explained with no more moves than it had."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from scorer.game import ActionError
from scorer.games import GAMES
from scorer.notation import EMPTY, NotationError, join_rows
from scorer.record import played
from scorer.season import SEASONS
from scorer.seasons.board import SeasonBoard, Tile, as_cells, beside
from scorer.seasons.state import board_in
from scorer.setup import started as begun
from scorer.stones.board import BOX, StoneGrid
from scorer.stones.change import moves_between
from scorer.stones.turn import ACTIONS, apply
from scorer.time.board import TimeGrid
from scorer.time.board import beside as next_to
from scorer.time.cards import KINDS
from scorer.time.turn import legal_cells

HOST = {"role": "host", "seat": 0, "held": [0]}
BEN = {"role": "player", "seat": 1, "held": [0, 1]}
STONES = "sun horse bird / tree seed seed / horse bird boat"
PRINT = ". 1 . . . . / . . . . . 2 / . . . . . . / . . . . . . / 4 . . . . . / . . . . 3 ."
TILE = PRINT.replace(". 1 .", "sp 1 .", 1)
FRAMED = TILE.replace("2", "2!")
Json = dict[str, Any]


def started(kind: str, players: int = 2, **options: Any) -> Json:
    seats = [choice.value for choice in GAMES[kind].setup_form().seats]
    named = zip("Ann Ben Cem Dan".split()[:players], seats, strict=False)
    people = [{"name": name, "colour": colour} for name, colour in named]
    return begun(GAMES[kind], {"players": people, "options": options})[1]


def laid(kind: str, text: str) -> Json:
    """A game that begins with a board."""
    seat = 0 if kind == "seasons" else None
    return GAMES[kind].act(started(kind), {"type": "board", "seat": seat, "text": text}, HOST)


def asked(kind: str, state: Json, text: str, seat: int | None = None) -> Json:
    """What the game says of a photo."""
    action = {"type": "board", "seat": seat, "text": text}
    return GAMES[kind].ask(state, {"type": "change", "action": action}, HOST)


def kept(kind: str, state: Json, text: str, change: Json, seat: int | None = None) -> Json:
    """The game after the photo with its moves was confirmed."""
    action = {"type": "board", "seat": seat, "text": text, "photo": None, "moves": change["moves"]}
    return GAMES[kind].act(state, action, HOST)


def a_grid(rng: random.Random) -> StoneGrid:
    stones = [rng.choice(kind.value) for kind, count in BOX.items() for _ in range(count)]
    rng.shuffle(stones)
    return StoneGrid(tuple(stones))


@pytest.mark.parametrize("seed", range(60))
def test_discards_explain_the_stones_after_legal_moves(seed: int) -> None:
    rng = random.Random(seed)
    before = after = a_grid(rng)
    count = rng.randint(1, 6)
    for _ in range(count):
        after = apply(after, rng.choice(ACTIONS))
    moves = moves_between(before, after)
    assert moves is not None
    assert len(moves) <= count
    for move in moves:
        before = apply(before, move)
    assert before == after


def test_one_swap_is_never_told_as_two_flips() -> None:
    before = StoneGrid.parse(STONES)
    for action in ACTIONS:
        moves = moves_between(before, apply(before, action))
        assert moves is not None
        assert len(moves) <= 1


def test_confirmed_moves_are_paid_and_the_deck_stays_counted() -> None:
    state = started("stones")
    state = GAMES["stones"].act(state, {"type": "board", "seat": None, "text": STONES}, HOST)
    state = GAMES["stones"].act(state, {"type": "move", "flip": [0, 0]}, HOST)
    grid = StoneGrid.parse(state["board"]["text"])
    text = str(grid.shifted((0, 0), (0, 1)).flipped((2, 2)))
    change = asked("stones", state, text)
    assert change["says"] == "3 stones have changed. 2 discards of Ann explain it."
    assert change["possible"]
    assert sorted(change["cells"]) == [[0, 0], [0, 1], [2, 2]]
    after = kept("stones", state, text, change)
    assert after["board"]["text"] == text
    assert after["seats"][0]["count"] == state["seats"][0]["count"] - 2
    assert after["discards"] == 3
    assert after["counted"]


def test_a_record_writes_the_moves_that_a_photo_told() -> None:
    players = [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "green"}]
    setup = {"players": players, "options": {}}
    text = str(StoneGrid.parse(STONES).flipped((1, 1)))
    actions = [
        {"type": "board", "seat": None, "text": STONES},
        {"type": "board", "seat": None, "text": text, "moves": [{"type": "move", "flip": [1, 1]}]},
    ]
    record = played("stones", setup, actions)
    assert [step.action["type"] for step in record.steps] == ["board", "move", "board"]
    assert record.state["board"]["text"] == text


def test_more_moves_than_cards_say_that_a_turn_was_missed() -> None:
    state = started("stones")
    state = GAMES["stones"].act(state, {"type": "board", "seat": None, "text": STONES}, HOST)
    state["seats"][0]["count"] = 1
    text = str(StoneGrid.parse(STONES).flipped((0, 0)).flipped((2, 2)))
    change = asked("stones", state, text)
    assert not change["possible"]
    assert change["moves"] == []
    assert change["why"] == (
        "Ann holds 1 card to pay with: a turn was missed, or a stone was misread."
    )


def test_moves_after_the_end_of_a_turn_are_noted_for_whoever_photographs_in_the_own() -> None:
    """Ann may have made them before she ended her turn: only the phone of Ben takes them as his."""
    game, state = GAMES["stones"], laid("stones", STONES)
    text = str(StoneGrid.parse(STONES).flipped((0, 0)))
    question = {"type": "change", "action": {"type": "board", "seat": None, "text": text}}
    assert game.ask(state, question, BEN)["noted"]
    state = game.act(state, {"type": "end_turn", "turn": 0}, HOST)
    told = {by["seat"]: game.ask(state, question, by) for by in (HOST, BEN)}
    assert told[0]["says"] == "1 stone has changed. One discard of Ben explains it."
    assert [told[seat]["noted"] for seat in (0, 1)] == [False, True]
    late = kept("stones", state, text, told[1])
    assert late["seats"][1]["count"] == state["seats"][1]["count"] - 1
    state = game.act(state, {"type": "end_turn", "turn": 1}, HOST)
    with pytest.raises(ActionError, match="ended already"):
        kept("stones", state, text, told[1])
    assert asked("stones", state, text)["noted"]
    state = game.act(state, {"type": "move", "flip": [2, 2]}, HOST)
    assert game.ask(state, question, BEN)["noted"]


def test_a_stone_of_another_kind_cannot_have_come() -> None:
    state = started("stones")
    state = GAMES["stones"].act(state, {"type": "board", "seat": None, "text": STONES}, HOST)
    change = asked("stones", state, STONES.replace("sun", "horse"))
    assert not change["possible"]
    assert change["cells"] == [[0, 0]]
    assert change["why"].startswith("These are not the same nine stones")


def test_a_photo_that_leaves_a_stone_out_is_compared_where_both_are_known() -> None:
    seen = STONES.replace("sun horse", ". moon")
    change = asked("stones", laid("stones", STONES), seen)
    assert (change["says"], change["cells"]) == ("1 stone has changed.", [[0, 1]])


def test_nobody_moves_a_stone_after_the_end() -> None:
    game, state = GAMES["stones"], laid("stones", STONES)
    state = game.act(state, {"type": "award", "seat": 0, "cards": list(range(1, 11))}, HOST)
    for _ in range(2):
        state = game.act(state, {"type": "end_turn"}, HOST)
    change = asked("stones", state, STONES.replace("sun", "moon"))
    assert change["why"].startswith("The game is over")
    assert change["says"] == "1 stone has changed."
    assert not change["moves"]


def test_moves_that_no_photo_tells_are_refused() -> None:
    state = started("stones")
    for moves in ([{"type": "award", "seat": 0, "cards": [1]}], "flip", [3]):
        action = {"type": "board", "seat": None, "text": STONES, "moves": moves}
        with pytest.raises(ValueError, match="did not arrive well"):
            GAMES["stones"].act(state, action, HOST)


def random_season_steps(rng: random.Random, board: SeasonBoard, count: int) -> SeasonBoard:
    """A board after legal steps: tiles placed, and at most one moved by the first token."""
    has_token = True
    for _ in range(count):
        plan = board.layout.plan
        if has_token and board.tiles and rng.random() < 0.3:
            source = rng.choice([c for c, one in board.items() if isinstance(one, Tile)])
            target = rng.choice([c for c, one in board.items() if one is None])
            tile = board[source]
            assert isinstance(tile, Tile)
            board = board.with_tile(source, None).with_tile(target, tile)
            has_token = False
            continue
        free = [
            cell
            for cell, one in board.items()
            if one is None
            for number, area in zip(board.layout.numbers, plan.areas, strict=True)
            if area & as_cells([cell])
            and beside(as_cells([cell])) & (area & board.tiles | as_cells([number]))
        ]
        tile = Tile(rng.choice(SEASONS), rng.random() < 0.5)
        board = board.with_tile(rng.choice(free), tile)
    return board


@pytest.mark.parametrize("seed", range(60))
def test_tiles_explain_a_season_board_after_legal_steps(seed: int) -> None:
    rng = random.Random(seed)
    state = started("seasons")
    first = random_season_steps(rng, board_in(state["boards"][0]["text"]), rng.randint(0, 9))
    state["boards"][0]["text"] = str(first)
    count = rng.randint(1, 5)
    text = str(random_season_steps(rng, first, count))
    change = asked("seasons", state, text, 0)
    assert change["possible"], change
    assert len(change["moves"]) <= count
    if not first.tiles:
        assert change["says"] == "", "no board lay there before"
    else:
        replayed = kept("seasons", state, text, change | {"moves": change["moves"]}, 0)
        assert replayed["boards"][0]["text"] == text
        untold = state
        for move in change["moves"]:
            untold = GAMES["seasons"].act(untold, move, HOST)
        assert untold["boards"][0]["text"] == text


def test_a_tile_that_turned_into_another_is_doubted() -> None:
    state = started("seasons")
    board = board_in(state["boards"][0]["text"]).with_tile((0, 0), Tile(SEASONS[0]))
    state["boards"][0]["text"] = str(board)
    change = asked("seasons", state, str(board.with_tile((0, 0), Tile(SEASONS[1]))), 0)
    assert not change["possible"]
    assert change["cells"] == [[0, 0]]
    assert change["why"].startswith("Tiles stay on a board")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (TILE, TILE.replace("sp 1 .", ". 1 sp"), "1 tile was moved."),
        (PRINT.replace("2", "2!"), FRAMED, "1 tile was added."),
    ],
)
def test_it_is_said_whether_tiles_were_moved_or_added(old: str, new: str, says: str) -> None:
    change = asked("seasons", laid("seasons", old), new, 0)
    assert change["says"] == says
    assert change["possible"]


def test_a_frame_that_was_laid_is_told() -> None:
    change = asked("seasons", laid("seasons", TILE), FRAMED, 0)
    assert change["says"] == "Only frames have changed since the board before."
    assert change["told"] == ["the number 2 has a frame now"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (FRAMED, TILE, "A frame stays"),
        (
            "sp 1 sp* su su* . / au" + PRINT[len(". 1 . . . . / .") :],
            PRINT.replace("4 . . . . . / .", "4 sp sp* su su* . / au"),
            "Only a bonus token",
        ),
        (TILE, TILE.translate({ord("3"): "4", ord("4"): "3"}), "The printed numbers"),
    ],
)
def test_what_no_turn_does_to_a_season_board_is_doubted(old: str, new: str, why: str) -> None:
    change = asked("seasons", laid("seasons", old), new, 0)
    assert not change["possible"]
    assert change["why"].startswith(why)


def test_two_tiles_that_changed_places_go_by_way_of_a_free_space() -> None:
    old = FRAMED.replace("sp 1 .", "sp 1 su")
    state = laid("seasons", old)
    moves = asked("seasons", state, old.replace("sp 1 su", "su 1 sp"), 0)["moves"]
    for move in moves:
        state = GAMES["seasons"].act(state, move, HOST)
    assert len(moves) == 3
    assert state["boards"][0]["text"].startswith("summer 1 spring ")


def test_the_board_of_another_player_is_recognised() -> None:
    state = started("seasons")
    boards = [board_in(board["text"]) for board in state["boards"]]
    state["boards"][0]["text"] = str(boards[0].with_tile((0, 0), Tile(SEASONS[0])))
    theirs = boards[1].with_tile((0, 2), Tile(SEASONS[1]))
    state["boards"][1]["text"] = str(theirs)
    change = asked("seasons", state, str(theirs.with_tile((1, 1), Tile(SEASONS[2]))), 0)
    assert change["why"] == "This looks like the board of Ben."


def placed_at_random(rng: random.Random, state: Json, count: int) -> tuple[Json, str]:
    """A state after cards were placed by the rules, and what a photo then shows."""
    for _ in range(count):
        grid = TimeGrid.parse(state["grid"])
        cell = rng.choice(legal_cells(grid))
        near = [other for other in next_to(cell) if other in dict(grid.cards)]
        rng.shuffle(near)
        card = rng.choice(KINDS)
        card = card if rng.random() < 0.5 else card.flipped()
        action = {
            "type": "place",
            "card": str(card),
            "row": cell[0],
            "col": cell[1],
            "order": [list(one) for one in near],
        }
        state = GAMES["time"].act(state, action, HOST)
    return state, upper_sides(state["grid"])


def upper_sides(text: str) -> str:
    return join_rows([word.split("/")[0] for word in row] for row in rows_of(text))


def rows_of(text: str) -> Iterator[list[str]]:
    return (row.split() for row in text.split(" / "))


@pytest.mark.parametrize("seed", range(60))
def test_placed_cards_explain_a_grid_of_time(seed: int) -> None:
    rng = random.Random(seed)
    state, _ = placed_at_random(rng, started("time"), rng.randint(3, 7))
    if rng.random() < 0.5:  # only photos were taken so far: no back is known
        state["grid"] = upper_sides(state["grid"])
    count = rng.randint(1, 3)
    try:
        _, text = placed_at_random(rng, state, count)
    except ValueError:  # a card beside it shows a side that nobody knows
        return
    if "?" in text:
        return
    change = asked("time", state, text)
    assert change["possible"], (state["grid"], text, change)
    assert len(change["moves"]) <= count
    result = kept("time", state, text, change)
    assert upper_sides(result["grid"]) == text


def test_a_certain_placement_is_told_with_its_card() -> None:
    state = started("time") | {"grid": "spring/autumn"}
    change = asked("time", state, "spring summer")
    assert change["says"] == "1 card was placed."
    assert [move["card"] for move in change["moves"]] == ["winter/summer"], "or spring had flipped"
    change = asked("time", state, "autumn summer")
    assert not change["moves"], "summer with any back, or autumn/summer: both fit"
    assert change["says"] == "1 card was placed. 1 card was flipped."
    assert change["told"] == [
        "summer is new at row 1 column 2",
        "spring is flipped to autumn at row 1 column 1",
    ]


def test_a_flip_without_a_card_is_doubted() -> None:
    state = started("time") | {"grid": "spring/autumn summer/winter autumn/spring"}
    change = asked("time", state, "spring winter autumn")
    assert not change["possible"]
    assert change["cells"] == [[0, 1]]
    assert change["why"].startswith("Only a card that is placed flips others")


def test_a_grid_that_lost_a_card_is_another_grid() -> None:
    change = asked("time", laid("time", "spring/autumn summer/winter"), "autumn")
    assert change["says"] == "The photo shows another grid than before."
    assert not change["possible"]


@pytest.mark.parametrize("quarters", range(4))
def test_a_photo_from_any_side_is_explained_with_the_right_backs(quarters: int) -> None:
    state = started("time") | {"grid": "winter/autumn / autumn/autumn / spring/summer"}
    seen = [*rows_of("winter winter / . autumn / . spring")]
    for _ in range(quarters):
        seen = [list(row) for row in zip(*seen[::-1], strict=True)]
    text = join_rows(seen)
    change = asked("time", state, text)
    assert (change["possible"], change["says"]) == (True, "1 card was placed.")
    assert kept("time", state, text, change)["grid"] == (
        "winter winter/autumn / . autumn/autumn / . spring/summer"
    )


def test_backs_are_left_open_where_a_photo_fits_in_two_ways() -> None:
    state = started("time") | {"grid": "winter"}
    change = asked("time", state, "spring / summer")
    assert change["possible"]
    assert not change["moves"]
    assert kept("time", state, "spring / summer", change)["grid"] == "spring / summer"


def test_cells_are_those_of_the_photo_that_was_taken_from_another_side() -> None:
    state = started("time") | {"grid": "spring summer summer / autumn . ."}
    change = asked("time", state, "autumn spring / . summer / winter summer")
    assert change["cells"] == [[2, 0]]


def test_other_games_say_which_cells_changed() -> None:
    board = {"name": "meadow", "rows": [2, 3], "cols": [2, 3], "empty": True}
    state = started("custom", board=board)
    state = GAMES["custom"].act(
        state, {"type": "board", "seat": 0, "text": "cow cow / pig ."}, HOST
    )
    change = asked("custom", state, "cow cow / . hen", 0)
    assert change["says"] == "2 cells have changed since the board before."
    assert change["told"] == ["row 2, column 1: pig is gone", "row 2, column 2: hen is new"]


def test_nothing_changed_is_said() -> None:
    state = started("stones")
    state = GAMES["stones"].act(state, {"type": "board", "seat": None, "text": STONES}, HOST)
    assert asked("stones", state, STONES)["says"] == "Nothing has changed since the board before."


def test_what_is_no_board_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="not a board of this game"):
        asked("stones", started("stones"), "sun moon")


def test_empty_cells_of_the_first_board_count_for_nothing() -> None:
    assert asked("stones", started("stones"), STONES)["cells"] == []
    assert EMPTY not in STONES
    assert issubclass(NotationError, ValueError)

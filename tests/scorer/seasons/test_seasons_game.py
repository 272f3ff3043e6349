"""Shifting Seasons at the table: actions on boards, and the cells that earn the points."""

import copy
import json
from typing import Any

import pytest
from table_documents import documents_of

from scorer.documents import answer_lines
from scorer.game import ActionError, Game, conflict
from scorer.games import GAMES
from scorer.setup import started as begun

GAME = GAMES["seasons"]

EXAMPLE = (
    "au 1 sp* sp* sp* su* / . su su su sp 2 / . au au* su* sp sp / "
    ". su* wi sp su . / 4 wi . . su* sp / wi . . sp 3 sp*"
)
"""The board of the rulebook's example: 20 + 14 + 21 + 15 = 70 for spring."""

EMPTY_A = ". 1 . . . . / . . . . . 2 / . . . . . . / . . . . . . / 4 . . . . . / . . . . 3 ."
EMPTY_B = ". . . . 2 . / 1 . . . . . / . . . . . . / . . . . . . / . . . . . 3 / . 4 . . . ."

HOST = {"role": "host", "seat": 0}
Json = dict[str, Any]


def started(*players: tuple[str, str], **options: Any) -> Json:
    named = players or (("Ann", "spring"), ("Ben", "winter"))
    seated = [{"name": name, "colour": season} for name, season in named]
    return begun(GAME, {"players": seated, "options": options})[1]


def done(state: Json, *actions: Json) -> Json:
    """The state after the actions; none may change the state it starts from."""
    for action in actions:
        before = copy.deepcopy(state)
        new = GAME.act(state, action, HOST)
        assert state == before
        json.dumps(new)
        state = new
    return state


def board(seat: int, text: str, **fields: Any) -> Json:
    return {"type": "board", "seat": seat, "text": text, **fields}


def cell(seat: int, row: int, col: int, label: str) -> Json:
    return {"type": "cell", "seat": seat, "row": row, "col": col, "label": label}


def test_is_a_game_of_the_table() -> None:
    assert isinstance(GAME, Game)
    form = GAME.setup_form()
    cards = next(option for option in form.options if option.name == "cards")
    assert len(cards.choices) == 14
    assert all(choice.symbol for choice in cards.choices)
    assert cards.default == ["six-diagonals", "connections", "area-colour", "largest-group"]


def test_the_published_example_is_explained_by_its_cells() -> None:
    state = done(started(), board(0, EXAMPLE, photo=7, corrections=[[0, 0, "sp", "au"]]))
    ann = GAME.view(state, HOST)["players"][0]
    assert [card["points"] for card in ann["cards"]] == [20, 14, 21, 15]
    assert (ann["total"], ann["precious"], ann["tiles"]) == (70, 9, 24)
    assert (ann["photo"], ann["corrections"]) == (7, 1)
    diagonals, connections, areas, largest = ann["cards"]
    assert [group["points"] for group in diagonals["groups"]] == [11, 9]
    assert {tuple(c) for group in diagonals["groups"] for c in group["cells"]} == {
        (i, j) for i in range(6) for j in (i, 5 - i)
    }
    assert [group["says"].split(":")[0] for group in areas["groups"]] == [
        "Autumn in area 1",
        "Summer in area 2",
        "Spring in area 3",
        "Winter in area 4",
    ]
    assert largest["groups"][0]["says"].startswith("The largest group, spring: ")
    assert (
        connections["twice"]
        == sum(g["points"] for g in connections["groups"]) - connections["points"]
    )
    assert {len(place["missing"]) for place in connections["open"]} == {2}


def test_every_group_adds_up_to_the_field_of_the_pad() -> None:
    state = done(started(cards=list(GAME_CARDS)), board(0, EXAMPLE))
    for card in GAME.view(state, HOST)["players"][0]["cards"]:
        assert sum(group["points"] for group in card["groups"]) - card["twice"] == card["points"]
        assert bool(card["twice"]) != card["shared_says"].startswith("0 tiles")
        assert sum(points for _, _, points in card["cells"]) == card["points"]


GAME_CARDS = [choice.value for choice in GAME.setup_form().options[0].choices]


def test_the_documents_say_the_same_as_the_page() -> None:
    claim = {"type": "claim", "seat": 0, "lines": {"total": 71, "connections": 14}}
    state = done(started(), board(0, EXAMPLE), claim)
    (document,) = documents_of("seasons", state)
    (score,) = answer_lines("score", [json.dumps(document)])
    assert [player["total"] for player in score["players"]] == [
        player["total"] for player in GAME.view(state, HOST)["players"]
    ]
    (audit,) = answer_lines("audit", [json.dumps(document)])
    assert [(line["item"], line["agrees"]) for line in audit["lines"]] == [
        ("connections", True),
        ("total", False),
    ]


def test_a_tap_changes_one_cell() -> None:
    state = done(started(), cell(0, 0, 0, "summer*"), cell(0, 0, 1, "1!"))
    ann = GAME.view(state, HOST)["players"][0]
    assert ann["cells"][0][:2] == ["summer*", "1!"]
    assert ann["areas"][0] == {"cell": [0, 1], "free": "3 free spaces in area 1"}
    assert done(state, cell(0, 0, 0, "."))["boards"][0]["text"] == EMPTY_A.replace("1", "1!", 1)


def test_a_field_of_the_pad_says_how_its_points_come_about() -> None:
    row = [cell(0, 1, col, "spring*" if col == 1 else "winter") for col in range(1, 5)]
    state = done(started(), {"type": "cards", "cards": ["connections"]}, *row)
    ann = GAME.view(state, HOST)["players"][0]
    (field,) = ann["cards"]
    own = "" if ann["season"] == "autumn" else " + 1 of spring"
    assert field["groups"][0]["says"] == f"Row 2: 4 tiles + 1 precious{own}"
    assert field["says"].startswith("4 tiles + 1 precious")
    assert field["says"].endswith(f" = {field['points']} points")
    assert field["open"][0]["says"] == "Column 5: 3 spaces are empty"
    assert GAME.view(state, HOST)["unfinished"].startswith("Ann has only 4 of")


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (cell(0, 0, 1, "summer"), "cell"),  # a number is printed there
        (cell(0, 0, 1, "2"), "cell"),
        (cell(0, 0, 0, "1"), "cell"),
        (cell(0, 6, 0, "summer"), "cell"),
        (cell(0, 0, 0, "monsoon"), "cell"),
        (cell(2, 0, 0, "summer"), "seat"),
        (cell(0, True, 0, "summer"), "action"),  # type: ignore[arg-type]
        (board(0, "sun moon"), "notation"),
        (board(0, EMPTY_A.replace(". 1", "1 .")), "notation"),
        (board(0, EMPTY_A, corrections=3), "action"),
        (board(0, EMPTY_A, corrections=[[9, 0, "a", "b"]]), "action"),
        ({"type": "move", "seat": 0, "origin": [0, 0], "target": [0, 2]}, "cell"),
        ({"type": "move", "seat": 0, "origin": [0], "target": [0, 2]}, "cell"),
        ({"type": "cards", "cards": []}, "cards"),
        ({"type": "cards", "cards": ["nine-lives"]}, "cards"),
        ({"type": "season", "seat": 0, "season": "monsoon"}, "season"),
        ({"type": "layout", "hand": "C", "clockwise": True}, "layout"),
        (
            {"type": "short_diagonals", "diagonals": [[[0, 1], [1, 1], [2, 2]]] * 4},
            "short_diagonals",
        ),
        ({"type": "short_diagonals", "diagonals": "x"}, "short_diagonals"),
        ({"type": "claim", "seat": 0, "lines": {"centre": 4}}, "claim"),  # not in play
        ({"type": "claim", "seat": 0, "lines": {"total": "4"}}, "claim"),
        ({"type": "dance"}, "action"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(action: Json, code: str) -> None:
    with pytest.raises(ActionError) as refused:
        GAME.act(started(), action, HOST)
    assert refused.value.code == code
    assert refused.value.message.endswith(".")


@pytest.mark.parametrize(
    "setup",
    [
        {"players": []},
        {"players": [{"name": "Ann", "colour": "spring"}, {"name": "Ben", "colour": "spring"}]},
        {"players": [{"name": "Ann", "colour": "purple"}]},
        {"players": [{"name": "Ann", "colour": "spring"}], "options": {"cards": ["x"]}},
        {"players": [{"name": "Ann", "colour": "spring"}], "options": {"hand": "C"}},
        {"players": [{"name": f"P{n}", "colour": "spring"} for n in range(5)]},
    ],
)
def test_a_game_that_cannot_be_played_does_not_start(setup: Json) -> None:
    with pytest.raises(ActionError):
        begun(GAME, setup)


def test_a_photo_says_how_the_copy_is_printed() -> None:
    state = done(started(), board(0, EMPTY_B.replace(".", "su", 1), photo=1))
    view = GAME.view(state, HOST)
    assert view["layout"] == {"hand": "B", "order": [1, 2, 3, 4]}
    assert view["players"][1]["text"] == EMPTY_B
    assert not view["layouts_differ"]


def test_boards_with_other_numbers_are_pointed_out_and_can_be_laid_alike() -> None:
    state = done(started(), cell(0, 2, 2, "summer"), board(1, EMPTY_B.replace(".", "su", 1)))
    assert GAME.view(state, HOST)["layouts_differ"]
    state = done(state, {"type": "layout", "hand": "B", "clockwise": True})
    view = GAME.view(state, HOST)
    assert not view["layouts_differ"]
    assert view["players"][0]["cells"][2][2] == "summer"
    with pytest.raises(ActionError, match="Ann has a tile"):
        done(state, cell(0, 0, 1, "autumn"), {"type": "layout", "hand": "A", "clockwise": True})


def test_numbers_that_no_copy_has_are_set_as_on_the_table_and_told() -> None:
    misread = EXAMPLE.replace("au 1 ", "au 4! ").replace("/ 4 wi", "/ . wi")
    state = done(started(), board(0, misread, photo=1, corrections=[[0, 0, "sp", "au"]]))
    ann = GAME.view(state, HOST)["players"][0]
    assert (ann["total"], ann["numbered"]) == (70, 2)
    assert ann["cells"][0][1] == "1!"
    assert state["boards"][0]["corrections"] == [
        [0, 0, "sp", "au"],
        [0, 1, "4!", "1!"],
        [4, 0, ".", "4"],
    ]
    assert GAME.view(done(state, board(0, EXAMPLE)), HOST)["players"][0]["numbered"] == 0


def test_numbers_in_any_order_are_the_numbering_of_the_copy() -> None:
    """2, 3, 4, 1 clockwise from the top left, as some copy may print them."""
    printed = EXAMPLE.replace("1", "x").replace("4", "1").replace("3", "4").replace("2", "3")
    printed = printed.replace("x", "2")
    state = done(started(), board(0, printed, photo=1), cell(1, 0, 1, "2!"))
    view = GAME.view(state, HOST)
    ann = view["players"][0]
    assert (ann["numbered"], ann["corrections"]) == (0, 0)
    assert view["layout"] == {"hand": "A", "order": [2, 3, 4, 1]}
    assert not view["layouts_differ"]
    colour = next(line for line in ann["cards"] if line["card"] == "area-colour")
    assert [(group["says"].split(":")[0], group["cells"]) for group in colour["groups"]] == [
        ("Summer in area 2", [[1, 1], [1, 2]]),
        ("Spring in area 3", [[0, 3], [0, 4], [1, 4], [2, 4], [2, 5]]),
    ]
    assert ann["areas"][0]["cell"] == [4, 0]


def test_numbers_that_were_completed_are_confirmed_once() -> None:
    state = done(started(), board(0, EXAMPLE.replace("/ 4 wi", "/ . wi"), photo=1))
    assert GAME.view(state, HOST)["players"][0]["numbered"] == 1
    state = done(state, {"type": "numbers", "seat": 0})
    assert GAME.view(state, HOST)["players"][0]["numbered"] == 0


def test_three_numbers_of_another_copy_give_the_fourth() -> None:
    words = {"1": "2", "2": "3", "3": "4", "4": "."}
    misread = "".join(words.get(letter, letter) for letter in EXAMPLE)
    ann = GAME.view(done(started(), board(0, misread, photo=1)), HOST)["players"][0]
    assert (ann["cells"][4][0], ann["numbered"]) == ("1", 1)


def test_a_layout_of_an_older_game_still_opens() -> None:
    state = started()
    state["layout"] = {"hand": "A", "clockwise": True}
    assert GAME.view(state, HOST)["layout"] == {"hand": "A", "order": [1, 2, 3, 4]}


def test_what_is_changed_on_a_photographed_board_is_a_correction() -> None:
    state = done(
        started(),
        board(0, EXAMPLE, photo=1, corrections=[[0, 0, "spring", "autumn"]], turns=1),
        cell(0, 0, 0, "winter"),
        cell(0, 0, 2, "spring"),
        {"type": "move", "seat": 0, "origin": [0, 2], "target": [1, 0]},
    )
    assert state["boards"][0]["corrections"] == [
        [0, 0, "spring", "winter"],
        [0, 2, "spring*", "."],
        [1, 0, ".", "spring"],
    ]
    assert state["boards"][0]["turns"] == 1
    undone = done(state, cell(0, 0, 0, "spring"))
    assert len(undone["boards"][0]["corrections"]) == 2
    assert done(started(), cell(0, 0, 0, "winter"))["boards"][0]["corrections"] == []


def test_a_tile_read_where_a_number_is_printed_is_never_dropped() -> None:
    with pytest.raises(ActionError):
        done(started(), board(0, EXAMPLE.replace("/ 4 wi", "/ su wi")))


def test_frames_stay_on_their_numbers_in_another_print() -> None:
    state = done(
        started(), cell(0, 5, 4, "3!"), {"type": "layout", "hand": "A", "clockwise": False}
    )
    assert state["boards"][0]["text"].endswith("3! . . . . . / . . . . 4 .")


def test_legal_placements_of_each_number() -> None:
    state = done(started(), cell(0, 0, 0, "summer"))
    legal = GAME.view(state, HOST)["players"][0]["legal"]
    assert legal["1"] == [[0, 2], [1, 0], [1, 1]]
    full = EMPTY_A.split(" / ")
    full[:3] = ["su 1 su . . .", "su su su . . 2", "su su su . . ."]
    assert (
        GAME.view(done(state, board(0, " / ".join(full))), HOST)["players"][0]["legal"]["1"] == []
    )


def test_a_bonus_token_moves_a_tile() -> None:
    move = {"type": "move", "seat": 0, "origin": [0, 0], "target": [5, 5]}
    cells = GAME.view(done(started(), cell(0, 0, 0, "winter*"), move), HOST)["players"][0]["cells"]
    assert (cells[0][0], cells[5][5]) == (".", "winter*")


@pytest.mark.parametrize("target", [[0, 2], [0, 1]], ids=["tile", "number"])
def test_a_tile_moves_to_a_free_space_only(target: list[int]) -> None:
    state = done(started(), board(0, EMPTY_A.replace(". 1 .", "sp 1 su", 1)))
    with pytest.raises(ActionError, match="free space"):
        done(state, {"type": "move", "seat": 0, "origin": [0, 0], "target": target})


def test_what_if_scores_a_copy_and_keeps_nothing() -> None:
    state = done(started(), board(0, EXAMPLE))
    asked = {"type": "what_if", "seat": 0, "text": EXAMPLE.replace("au 1", "sp* 1", 1)}
    before = copy.deepcopy(state)
    answer = GAME.ask(state, asked, HOST)
    assert answer["players"][0]["cards"][0]["points"] == 22  # precious and of the own season
    assert state == before
    with pytest.raises(ActionError):
        GAME.ask(state, {"type": "oracle"}, HOST)


def test_precious_tiles_break_a_tie_without_points() -> None:
    state = done(started(cards=["six-columns"]), board(0, EMPTY_A.replace(".", "su*", 1)))
    told = "A tie at 0 points: Ann has the most precious tiles (Ann 1, Ben 0)."
    assert GAME.view(state, HOST)["tie"] == told


def test_nobody_is_first_alone_or_before_the_first_tile() -> None:
    fresh = started()
    alone = done(started(("Ann", "spring")), board(0, EXAMPLE))
    for state in (fresh, alone):
        assert not any(player["winner"] for player in GAME.view(state, HOST)["players"])
    laid = GAME.view(done(fresh, board(1, EXAMPLE)), HOST)["players"]
    assert [(player["rank"], player["winner"]) for player in laid] == [(2, False), (1, True)]


def test_a_glance_prefers_no_season() -> None:
    text = (
        "sp 1 . su* su* . / sp . . su* su 2 / sp . . . . . / "
        "sp . . . . . / 4 . . . . . / . . . . 3 ."
    )
    points = {line.item: line.points for line in GAME.glance(text)}
    assert points["Largest group"] == 7  # four of summer, three of them precious


def test_precious_tiles_break_a_tie_and_an_equal_tie_is_shared() -> None:
    cards = ["largest-group"]
    one = EMPTY_A.replace(".", "su", 1)
    state = done(started(cards=cards), board(0, one), board(1, one))
    assert GAME.view(state, HOST)["tie"] == (
        "A tie at 1 point, and as many precious tiles (Ann 0, Ben 0): Ann and Ben win together."
    )
    assert GAME.score_lines(state)[0].why == "1 tile, 0 precious, 0 of the own season"
    assert [line.why for line in GAME.glance(one) if line.points] == ["1 tile, 0 precious"]
    assert [row["rank"] for row in GAME.result(state)] == [1, 1]
    # Two tiles against one precious tile: 2 points each, and only the precious tile decides.
    two = EMPTY_A.replace(". 1 .", "su 1 .").replace(". . . . . 2", "su . . . . 2")
    state = done(state, board(0, two), board(1, EMPTY_A.replace(".", "su*", 1)))
    tie = GAME.view(state, HOST)["tie"]
    assert tie == "A tie at 2 points: Ben has the most precious tiles (Ann 0, Ben 1)."
    assert [(row["player"], row["rank"], row["winner"]) for row in GAME.result(state)] == [
        ("Ann", 2, False),
        ("Ben", 1, True),
    ]


def test_too_many_tiles_are_told_with_the_board() -> None:
    rows = [["su"] * 6 for _ in range(6)]
    for at, (row, col) in enumerate([(0, 1), (1, 5), (5, 4), (4, 0)], 1):
        rows[row][col] = str(at)
    full = " / ".join(map(" ".join, rows))
    problems = GAME.view(done(started(), board(1, full)), HOST)["problems"]
    assert {(p["code"], p["seat"]) for p in problems} == {
        ("too_many_tiles", 1),
        ("too_many_of_a_season", 1),
    }


def test_seasons_are_exchanged_and_cards_replaced() -> None:
    state = done(
        started(),
        {"type": "claim", "seat": 0, "lines": {"connections": 3, "total": 9}},
        {"type": "season", "seat": 0, "season": "winter"},
        {"type": "cards", "cards": ["colour-sets", "centre"]},
    )
    assert [player["season"] for player in state["players"]] == ["winter", "spring"]
    assert state["cards"] == ["centre", "colour-sets"]
    assert state["claims"] == {"0": {"total": 9}}


def test_the_own_print_of_the_short_diagonals_scores() -> None:
    own = [
        [[0, 0], [1, 1], [2, 2]],
        [[0, 3], [1, 4], [2, 5]],
        [[3, 0], [4, 1], [5, 2]],
        [[3, 3], [4, 4], [5, 5]],
    ]
    state = done(
        started(cards=["short-diagonals"]),
        board(0, EXAMPLE),
        {"type": "short_diagonals", "diagonals": own},
    )
    card = GAME.view(state, HOST)["players"][0]["cards"][0]
    assert [[0, 0], [1, 1], [2, 2]] in [group["cells"] for group in card["groups"]]
    assert documents_of("seasons", state)[0]["short_diagonals"] == own
    assert done(state, {"type": "short_diagonals", "diagonals": None})["short_diagonals"] is None


def test_no_number_is_printed_on_a_diagonal_of_the_own_card() -> None:
    own = [[[1, 0], [2, 1], [3, 2]]] * 4
    state = done(started(), {"type": "short_diagonals", "diagonals": own})
    with pytest.raises(ActionError, match="short diagonals card"):
        done(state, {"type": "layout", "hand": "B", "order": [1, 2, 3, 4]})


def test_two_people_may_change_different_cells() -> None:
    one, other = GAME.touches(cell(0, 0, 0, "su")), GAME.touches(cell(0, 0, 2, "su"))
    assert not conflict(one, other)
    assert conflict(one, GAME.touches(board(0, EMPTY_A)))
    assert conflict(one, GAME.touches({"type": "layout", "hand": "A", "clockwise": True}))
    assert conflict(
        other, GAME.touches({"type": "move", "seat": 0, "origin": [1, 1], "target": [0, 2]})
    )


def test_finish_and_resume() -> None:
    state = done(started(), {"type": "finish"})
    assert state["finished"]
    assert not done(state, {"type": "resume"})["finished"]

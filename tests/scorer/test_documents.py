"""The JSON Lines of ``score``, ``moves`` and ``audit``."""

import json
import random

import oracle
import pytest

from scorer.documents import answer_lines
from scorer.report import render

BOARD = (
    "au 1 sp* sp* sp* su* / . su su su sp 2 / . au au* su* sp sp /"
    " . su* wi sp su . / 4 wi . . su* sp / wi . . sp 3 sp*"
)
EMPTY = ". 1 . . . . / . . . . . 2 / . . . . . . / . . . . . . / 4 . . . . . / . . . . 3 ."
GRID = "bird horse boat / seed sun tree / seed bird horse"
SEASONS = {
    "game": "seasons",
    "cards": ["Six-Diagonals", "connections", "area-colour", "largest-group"],
    "players": [{"name": "Ann", "season": "Spring", "board": BOARD}],
}
STONES = {
    "game": "stones",
    "players": [{"name": "A", "cards": [1, 2, 72]}, {"name": "B", "cards": [3, 68]}],
}
TIME = {
    "game": "time",
    "grid": "autumn/spring summer / spring winter/?",
    "order": ["spring", "Fall"],
}
VILLAGE = {
    "game": "villagers",
    "market": 2,
    "village": {
        "chains": [
            ["hayer", ["Grazier", "milk maid", "Fromager"], ["Thatcher"]],
            ["Chandler"],
            ["Lumberjack", "Cooper"],
        ],
        "coins": {"Cooper": [4], "Chandler": 2},
    },
    "supply": 12,
    "hand": ["Grocer", "Cartwright"],
}
NO_MARKET = {key: value for key, value in VILLAGE.items() if key != "market"}


def answer(command, document):
    (found,) = answer_lines(
        command, [document if isinstance(document, str) else json.dumps(document)]
    )
    assert render(found)
    return json.loads(json.dumps(found))


def error(command, document):
    return answer(command, document)["error"]


def test_seasons_score():
    found = answer("score", SEASONS | {"id": [1]})
    assert found["id"] == [1]
    assert found["winners"] == ["Ann"]
    (ann,) = found["players"]
    assert (ann["name"], ann["total"], ann["precious"]) == ("Ann", 70, 9)
    assert [card["card"] for card in ann["cards"]] == [name.lower() for name in SEASONS["cards"]]
    assert ann["cards"][3] == {
        "card": "largest-group",
        "points": 15,
        "tiles": 6,
        "precious": 3,
        "own": 6,
        "groups": [[[0, 2], [0, 3], [0, 4], [1, 4], [2, 4], [2, 5]]],
    }
    assert "problems" not in found
    empty = answer(
        "score", SEASONS | {"players": [{"name": "A", "season": "winter", "board": EMPTY}]}
    )
    assert all(
        card["points"] == 0 and card["groups"] == [] for card in empty["players"][0]["cards"]
    )
    assert empty["notes"]


def test_seasons_problems_and_print():
    full = SEASONS | {
        "players": [{"name": "A", "season": "winter", "board": EMPTY.replace(".", "wi")}]
    }
    assert {problem["code"] for problem in answer("score", full)["problems"]} == {
        "too_many_tiles",
        "too_many_of_a_season",
    }
    diagonals = [[[0, 0], [1, 1], [2, 2]]] * 4
    one = SEASONS | {"cards": ["short-diagonals"], "short_diagonals": diagonals}
    assert answer("score", one)["players"][0]["cards"][0]["tiles"] == 3
    assert answer("score", one | {"short_diagonals": None})["players"][0]["total"] > 0


def test_seasons_of_more_players_than_there_are():
    rows = [{"name": name, "season": "winter", "board": EMPTY} for name in "ABCDE"]
    found = answer("score", SEASONS | {"players": rows})
    assert [one["code"] for one in found["problems"]] == ["shared_season", "too_many_players"]


def test_seasons_moves():
    assert answer("moves", {"game": "seasons", "board": EMPTY, "number": 2}) == {
        "cells": [[0, 5], [1, 4], [2, 5]]
    }


def test_stones_score():
    assert answer("score", STONES) == {
        "players": [
            {"name": "A", "points": 7, "ones": 2, "bonus": 3, "total": 10},
            {"name": "B", "points": 6, "ones": 1, "bonus": 0, "total": 6},
        ],
        "winners": ["A"],
    }
    twice = STONES | {"players": [{"name": "A", "cards": [1, 1]}]}
    assert answer("score", twice)["problems"][0]["code"] == "card_held_twice"


def test_stones_moves():
    found = answer("moves", {"game": "stones", "grid": GRID, "hand": [1, 68, 70, 5]})
    assert found["matches"] == [1, 5]
    assert (found["best"]["points"], found["best"]["discards"]) == (5, 3)
    assert found["best"]["steps"][-1] == {"score": 68}
    assert found["distance"] == {"1": 0, "68": 3, "70": 6, "5": 0}
    impossible = "bird horse boat / fish sun boat / tree seed horse"
    found = answer("moves", {"game": "stones", "grid": impossible, "hand": []})
    assert found["best"] == {"points": 0, "discards": 0, "steps": []}
    assert found["problems"][0]["cells"] == [[0, 1], [0, 2], [1, 2], [2, 2]]


def test_time_score_and_moves():
    found = answer("score", TIME | {"players": {"Ann": ["spring", "summer"], "Bob": ["fall"]}})
    assert [rank["season"] for rank in found["ranking"]] == ["spring", "autumn", "summer", "winter"]
    assert found["players"] == [{"name": "Ann", "points": 6}, {"name": "Bob", "points": 3}]
    assert found["winners"] == ["Ann"]
    shared = answer("score", TIME | {"players": {"Ann": ["spring"], "Bob": ["spring"]}})
    assert shared["problems"][0]["code"] == "shared_season"
    moves = answer("moves", {"game": "time", "grid": "spring", "card": "summer/winter"})
    assert len(moves["placements"]) == 8
    assert {"cell": [0, 1], "up": "summer", "grids": ["?/spring summer/winter"]} in moves[
        "placements"
    ]
    assert answer("moves", {"game": "time", "grid": ".", "card": "fall/fall"}) == {
        "placements": [{"cell": [0, 0], "up": "autumn", "grids": ["autumn/autumn"]}]
    }
    third = {"game": "time", "grid": "spring/summer summer/spring", "card": "spring/summer"}
    assert answer("moves", third)["problems"][0]["code"] == "too_many_cards"


def test_villagers_score():
    found = answer("score", VILLAGE)
    assert {
        key: found[key] for key in ("gold", "silver", "coins", "market", "supply", "total")
    } == {"gold": 24, "silver": 0, "coins": 6, "market": 30, "supply": 12, "total": 42}
    assert found["villagers"][0]["name"] == "Hayer"
    assert all(line["why"] for line in found["villagers"])
    assert answer("score", NO_MARKET | {"event": "Envoys"})["gold"] == 5
    assert answer("score", NO_MARKET | {"event": "envoys", "villager": "Fisher"})["problems"]
    assert answer("score", NO_MARKET | {"event": "developments"})["gold"] == 4
    assert answer("score", NO_MARKET | {"event": "merchants", "chain": 2})["gold"] == 8
    assert answer("score", NO_MARKET | {"event": "merchants", "chain": 1})["problems"]
    assert answer("score", NO_MARKET | {"inventor": {"chain": 0, "branch": 0}})["gold"] == 20
    assert answer("score", NO_MARKET | {"inventor": {"chain": 0}})["gold"] == 20
    assert answer("score", NO_MARKET | {"bronze": True})["gold"] == 0
    assert answer("score", NO_MARKET | {"bronze": "Captain"})["problems"]


def test_villagers_copies_coins_and_custom_cards():
    village = {
        "chains": [["Lumberjack", "Cooper"], ["Lumberjack", "Cooper"], ["Zoe"]],
        "coins": {"cooper": [4, 2]},
    }
    custom = [
        {
            "name": "Zoe",
            "suit": "clay",
            "gold": 3,
            "silver": "1 per card in hand",
            "note": None,
            "mood": 1,
        }
    ]
    found = answer("score", VILLAGE | {"village": village, "custom": custom})
    assert [line["coins"] for line in found["villagers"]] == [0, 4, 0, 2, 0]
    assert (found["gold"], found["silver"]) == (11, 2)
    missing = answer("score", VILLAGE | {"village": {"chains": [], "coins": {"Cooper": [4]}}})
    assert missing["problems"][0]["code"] == "coins_without_villager"
    assert missing["coins"] == 0


def test_a_number_of_thousands_of_digits_is_refused_in_our_words() -> None:
    message = answer("score", '{"id":' + "9" * 5000 + "}")["error"]["message"]
    assert message.endswith("expected a number of up to 4300 digits, got 5000")


def test_a_command_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one of score moves audit, got 'play'"):
        list(answer_lines("play", []))  # type: ignore[arg-type]


def test_what_is_no_json_is_told_by_its_column_beside_the_line_of_the_answer() -> None:
    (error,) = (found["error"] for found in answer_lines("score", ["", "", '{"game": time}']))
    assert error["where"] == "line 3"
    assert error["message"].endswith("Expecting value at column 10")


@pytest.mark.parametrize(
    ("command", "document", "code", "where"),
    [
        ("score", "{", "not_json", "line 1"),
        ("score", "[]", "not_an_object", "line 1"),
        ("score", '{"game":NaN}', "not_json", "line 1"),
        ("score", '{"game":1e999}', "not_json", "line 1"),
        ("score", '{"game":"time","game":"time"}', "duplicate", "line 1"),
        ("score", '{"game":"time","id":"\\ud800"}', "not_text", "line 1"),
        ("score", '{"id":' + "[" * 5000 + "]" * 5000 + "}", "too_nested", "line 1"),
        ("score", '{"id":' + "[" * 90 + "]" * 90 + "}", "too_nested", "line 1"),
        ("score", '{"id":' + "9" * 5000 + "}", "not_json", "line 1"),
        ("score", {}, "missing", "line 1: game"),
        ("score", {"game": "chess"}, "unknown_game", "line 1: game"),
        ("score", {"game": 7}, "wrong_type", "line 1: game"),
        ("moves", VILLAGE, "no_moves", "line 1: game"),
        # Seasons
        ("score", SEASONS | {"cards": []}, "wrong_shape", "line 1: cards"),
        ("score", SEASONS | {"cards": ["centre", "Centre"]}, "duplicate", "line 1: cards[1]"),
        ("score", SEASONS | {"cards": ["corners"]}, "unknown_card", "line 1: cards[0]"),
        ("score", SEASONS | {"players": []}, "wrong_shape", "line 1: players"),
        (
            "score",
            SEASONS | {"players": SEASONS["players"] * 2},
            "duplicate",
            "line 1: players[1].name",
        ),
        ("score", SEASONS | {"players": [{}]}, "missing", "line 1: players[0].name"),
        (
            "score",
            SEASONS | {"players": [{"name": "A", "season": "may", "board": BOARD}]},
            "unknown_season",
            "line 1: players[0].season",
        ),
        (
            "score",
            SEASONS
            | {"players": [{"name": "A", "season": "fall", "board": BOARD.replace("4", ".")}]},
            "bad_notation",
            "line 1: players[0].board",
        ),
        ("score", SEASONS | {"short_diagonals": []}, "wrong_shape", "line 1: short_diagonals"),
        (
            "score",
            SEASONS | {"short_diagonals": [[[0, 1], [1, 1], [2, 2]]] * 4},
            "number_cell",
            "line 1: short_diagonals[0][0]",
        ),
        (
            "score",
            SEASONS | {"short_diagonals": [[[1, 1], [1, 1], [2, 2]]] * 4},
            "duplicate",
            "line 1: short_diagonals[0][1]",
        ),
        (
            "score",
            SEASONS | {"short_diagonals": [[[1, 6], [1, 1], [2, 2]]] * 4},
            "out_of_range",
            "line 1: short_diagonals[0][0][1]",
        ),
        (
            "moves",
            {"game": "seasons", "board": BOARD, "number": 5},
            "out_of_range",
            "line 1: number",
        ),
        (
            "moves",
            {"game": "seasons", "board": BOARD, "number": True},
            "wrong_type",
            "line 1: number",
        ),
        ("audit", SEASONS, "missing", "line 1: claimed"),
        ("audit", SEASONS | {"claimed": {"Bob": {}}}, "unknown_player", "line 1: claimed.Bob"),
        (
            "audit",
            SEASONS | {"claimed": {"Ann": {"centre": 1}}},
            "unknown_item",
            "line 1: claimed.Ann.centre",
        ),
        (
            "audit",
            SEASONS | {"claimed": {"Ann": {"total": 1.5}}},
            "wrong_type",
            "line 1: claimed.Ann.total",
        ),
        # Stones
        (
            "score",
            {"game": "stones", "players": [{"name": "A", "cards": [73]}]},
            "unknown_card",
            "line 1: players[0].cards[0]",
        ),
        (
            "score",
            {"game": "stones", "players": [{"name": 1, "cards": []}]},
            "wrong_type",
            "line 1: players[0].name",
        ),
        (
            "moves",
            {"game": "stones", "grid": GRID.replace("sun", "."), "hand": []},
            "bad_notation",
            "line 1: grid",
        ),
        ("moves", {"game": "stones", "grid": GRID, "hand": [1, 1]}, "duplicate", "line 1: hand[1]"),
        (
            "moves",
            {"game": "stones", "grid": GRID, "hand": list(range(1, 8))},
            "wrong_shape",
            "line 1: hand",
        ),
        # Time
        ("score", TIME | {"order": ["spring", "spring"]}, "duplicate", "line 1: order[1]"),
        ("score", TIME | {"grid": "sp su / au"}, "bad_notation", "line 1: grid"),
        ("score", TIME | {"grid": "sp " * 5}, "bad_notation", "line 1: grid"),
        ("score", TIME | {"grid": "?/spring"}, "unknown_side", "line 1: grid"),
        ("score", TIME | {"players": ["Ann"]}, "wrong_type", "line 1: players"),
        ("moves", {"game": "time", "grid": ".", "card": "spring"}, "unknown_side", "line 1: card"),
        (
            "moves",
            {"game": "time", "grid": ".", "card": "may/spring"},
            "bad_notation",
            "line 1: card",
        ),
        (
            "audit",
            TIME | {"claimed": {"fall": 1, "autumn": 1}},
            "duplicate",
            "line 1: claimed.autumn",
        ),
        # Villagers
        ("score", NO_MARKET, "missing", "line 1: market"),
        ("score", VILLAGE | {"bronze": True}, "wrong_shape", "line 1: bronze"),
        ("score", VILLAGE | {"market": 3}, "out_of_range", "line 1: market"),
        ("score", VILLAGE | {"supply": -1}, "out_of_range", "line 1: supply"),
        ("score", VILLAGE | {"hand": ["Nobody"]}, "unknown_villager", "line 1: hand[0]"),
        ("score", NO_MARKET | {"event": "nobles"}, "unknown_event", "line 1: event"),
        ("score", NO_MARKET | {"event": "merchants", "chain": 3}, "out_of_range", "line 1: chain"),
        (
            "score",
            NO_MARKET | {"inventor": {"chain": 0, "branch": 2}},
            "out_of_range",
            "line 1: inventor.branch",
        ),
        ("score", NO_MARKET | {"inventor": {}}, "missing", "line 1: inventor.chain"),
        (
            "score",
            VILLAGE | {"village": {"chains": [[]]}},
            "wrong_shape",
            "line 1: village.chains[0]",
        ),
        (
            "score",
            VILLAGE | {"village": {"chains": [[["Hayer"]]]}},
            "wrong_shape",
            "line 1: village.chains[0][0]",
        ),
        (
            "score",
            VILLAGE | {"village": {"chains": [["Hayer", ["Grazier"], "Thatcher"]]}},
            "wrong_shape",
            "line 1: village.chains[0][2]",
        ),
        (
            "score",
            VILLAGE | {"village": {"chains": [["Cooper"]], "coins": {"Cooper": -1}}},
            "out_of_range",
            "line 1: village.coins.Cooper",
        ),
        (
            "score",
            VILLAGE | {"village": {"chains": [["Cooper"], ["Cooper"]], "coins": {"Cooper": 1}}},
            "wrong_type",
            "line 1: village.coins.Cooper",
        ),
        (
            "score",
            VILLAGE | {"village": {"chains": [["Cooper"], ["Cooper"]], "coins": {"Cooper": [4]}}},
            "wrong_shape",
            "line 1: village.coins.Cooper",
        ),
        (
            "score",
            VILLAGE
            | {"village": {"chains": [["Cooper"], ["Cooper"]], "coins": {"Cooper": [4, 2, 1]}}},
            "wrong_shape",
            "line 1: village.coins.Cooper",
        ),
        (
            "score",
            VILLAGE | {"village": {"chains": [["Cooper"]], "coins": {"Cooper": []}}},
            "wrong_shape",
            "line 1: village.coins.Cooper",
        ),
        (
            "score",
            VILLAGE | {"village": {"chains": [["Cooper"]], "coins": {"Cooper": 1, "cooper": 1}}},
            "duplicate",
            "line 1: village.coins.cooper",
        ),
        (
            "score",
            VILLAGE | {"custom": [{"name": "A", "gold": "much"}]},
            "bad_card",
            "line 1: custom[0].gold",
        ),
        (
            "score",
            VILLAGE | {"custom": [{"name": "A", "gold": True}]},
            "wrong_type",
            "line 1: custom[0].gold",
        ),
        ("score", VILLAGE | {"custom": [{}]}, "bad_card", "line 1: custom[0].name"),
    ],
)
def test_an_unreadable_document_is_an_error_in_its_place(command, document, code, where):
    found = error(command, document)
    assert (found["code"], found["where"]) == (code, where)
    assert found["message"].startswith("expected")


def test_the_other_documents_go_on_and_blank_lines_are_skipped():
    answers = list(
        answer_lines(
            "score", ["\ufeff" + json.dumps(STONES), "  \n", "{", json.dumps(STONES | {"id": 3})]
        )
    )
    assert [("error" in found, found.get("id")) for found in answers] == [
        (False, None),
        (True, None),
        (False, 3),
    ]
    assert answers[1]["error"]["where"] == "line 3"


def lines(document, claimed):
    return answer("audit", document | {"claimed": claimed})["lines"]


@pytest.mark.parametrize(
    ("item", "claimed", "words", "cells"),
    [
        ("six-diagonals", 20, "", None),
        (
            "six-diagonals",
            15,
            "5 precious tiles were not counted",
            [[0, 5], [2, 2], [2, 3], [4, 4], [5, 5]],
        ),
        ("six-diagonals", 17, "3 tiles of the own season were not counted", None),
        ("six-diagonals", 12, "neither precious tiles nor the own season", None),
        ("connections", 15, "two groups share was counted twice: row 2 column 2", [[1, 1]]),
        ("connections", 9, "the column 5 was not counted", [[2, 4], [3, 4], [4, 4]]),
        ("area-colour", 19, "an autumn tile of its area was missed: row 3 column 3", [[2, 2]]),
        ("area-colour", 22, "that is not", None),
        (
            "largest-group",
            17,
            "a spring tile was counted that touches the group diagonally",
            [[3, 3]],
        ),
        ("largest-group", 99, "6 tiles + 3 precious + 6 of the own season = 15", None),
        ("total", 50, "20 points of six-diagonals were not added", None),
        ("total", 84, "14 points of connections were added twice", None),
        ("total", 1, "20 + 14 + 21 + 15 = 70", None),
    ],
)
def test_seasons_audit_names_the_slip(item, claimed, words, cells):
    (line,) = lines(SEASONS, {"Ann": {item: claimed}})
    assert line["agrees"] is (line["difference"] == 0)
    assert line["difference"] == line["claimed"] - line["points"]
    assert words in line["why"]
    assert cells is None or line["cells"] == cells


def seasons_why(card, board, claimed=0):
    ann = {"name": "Ann", "season": "winter", "board": board}
    document = {"game": "seasons", "cards": [card], "players": [ann]}
    return lines(document, {"Ann": {card: claimed}})[0]["why"]


def test_a_pair_of_tiles_is_no_row():
    board = EMPTY.replace(". 1 . .", ". 1 sp sp", 1)
    told = "the spring group of 2 at row 1 column 3, row 1 column 4 was not counted"
    assert told in seasons_why("colour-pairs", board)


@pytest.mark.parametrize(
    ("card", "rows", "told"),
    [
        (
            "area-colour",
            "au 1 . . . . / . . au . . 2 / . au .",
            "the autumn group of 3 at row 1 column 1, row 2 column 3, row 3 column 2",
        ),
        (
            "colour-sets",
            "au 1 sp . . . / . . . . . 2 / su . wi",
            "the group of 4 at row 1 column 1, row 1 column 3, row 3 column 1, row 3 column 3",
        ),
        (
            "colour-diagonals",
            ". 1 su . . . / . su . . . 2 / su . .",
            "the summer diagonal from row 1 column 3 to row 3 column 1",
        ),
    ],
)
def test_only_what_touches_is_called_a_diagonal_or_a_square(card, rows, told):
    board = f"{rows} . . . / . . . . . . / 4 . . . . . / . . . . 3 ."
    assert f"this would fit: {told} was not counted" in seasons_why(card, board)


def test_two_parts_of_one_row_are_told_apart():
    board = EMPTY.replace("2 / . . . . .", "2 / su su su su su*", 1).replace("su* .", "su* su*")
    told = (
        "the summer line from row 3 column 2 to row 3 column 5 was counted, "
        "the summer line from row 3 column 3 to row 3 column 6 gives more"
    )
    assert told in seasons_why("colour-lines", board, 5)


@pytest.mark.parametrize(
    ("tile", "claimed", "why"),
    [
        ("sp*", 1, "the extra point of the precious tile was not counted"),
        ("wi", 1, "the extra point of the tile of the own season was not counted"),
        ("sp*", 9, "1 tile + 1 precious + 0 of the own season = 2"),
    ],
)
def test_one_tile_is_not_many(tile, claimed, why):
    assert why in seasons_why("largest-group", EMPTY.replace(".", tile, 1), claimed)


def test_seasons_audit_of_the_other_cards():
    """A slip of every kind of card is told by its tiles."""
    board = EMPTY.replace(". . . . . . / . . . . . . /", "wi wi wi wi wi* . / su su . au au . /", 1)
    board = board.replace("4 . . . . .", "4 sp su su . .")
    cards = [
        "colour-lines",
        "colour-squares",
        "colour-pairs",
        "colour-sets",
        "centre",
        "colour-diagonals",
    ]
    document = {
        "game": "seasons",
        "cards": cards,
        "players": [{"name": "Ann", "season": "spring", "board": board}],
    }
    exact = {
        card["card"]: card["points"] for card in answer("score", document)["players"][0]["cards"]
    }
    assert exact["colour-lines"] == 5
    (line,) = lines(document, {"Ann": {"colour-lines": 0}})
    assert "the winter row 3 was not counted" in line["why"]
    (line,) = lines(document, {"Ann": {"colour-lines": 6}})
    longer = "5 tiles that lie together were counted, but winter scores one group of 4 only"
    assert longer in line["why"]
    (line,) = lines(document, {"Ann": {"colour-pairs": exact["colour-pairs"] + 3}})
    assert "lie in the same area" in line["why"]
    (line,) = lines(document, {"Ann": {"centre": 6}})
    assert "the square at row 3 column 3 was counted, but 1 of its spaces is empty" in line["why"]
    assert line["cells"] == [[3, 2]]


def test_a_second_line_of_a_season_was_counted_too():
    beside = EMPTY.replace(". . . . . . / . . . . . . /", "wi wi wi wi . . / . . wi wi wi wi /")
    crossing = "wi 1 . . . . / wi . . . . 2 / wi wi wi wi . . / wi" + EMPTY[43:]
    for board, claimed in ((beside, 8), (crossing, 7)):
        player = {"name": "Ann", "season": "spring", "board": board}
        document = {"game": "seasons", "cards": ["colour-lines"], "players": [player]}
        (line,) = lines(document, {"Ann": {"colour-lines": claimed}})
        assert "was counted too, but winter scores one group only" in line["why"]


def test_every_wrong_claim_gets_a_sentence_and_cells_of_the_board():
    rng = random.Random(2)
    for _ in range(15):
        document = {
            "game": "seasons",
            "cards": oracle.CARDS,
            "players": [{"name": "Ann", "season": "summer", "board": oracle.random_board(rng)}],
        }
        for claimed in range(0, 20, 3):
            for line in lines(document, {"Ann": dict.fromkeys(oracle.CARDS, claimed)}):
                assert bool(line["why"]) is not line["agrees"]
                assert all(0 <= row < 6 and 0 <= col < 6 for row, col in line["cells"])


def test_a_total_that_follows_from_the_claimed_cards_says_so():
    found = lines(SEASONS, {"Ann": {"six-diagonals": 19, "total": 69}})
    assert "follows from the figures as claimed: 19 + 14 + 21 + 15 = 69" in found[1]["why"]


def test_stones_audit():
    found = lines(
        STONES,
        {"A": {"points": 6, "ones": 1, "bonus": 0, "total": 7}, "B": {"total": 9, "bonus": 3}},
    )
    assert [line["agrees"] for line in found] == [False] * 6
    assert "this would fit: a card of 1 point was not counted" in found[0]["why"]
    assert "most cards of 1 point: A with 2" in found[2]["why"]
    assert "the bonus of 3 for the most 1-point cards was not added" in found[3]["why"]
    assert "follows from the figures as claimed: 6 + 3 = 9" in found[4]["why"]
    assert [line["player"] for line in found] == ["A"] * 4 + ["B"] * 2
    (total,) = lines(STONES, {"B": {"total": 9}})
    assert "there is no bonus of 3" in total["why"]
    *_, total = lines(STONES, {"A": {"points": 4, "bonus": 3, "total": 7}})
    assert "follows from the figures as claimed: 4 + 3 = 7" in total["why"]
    (line,) = lines(STONES, {"A": {"points": 12}})
    assert "the card of 5 points (" in line["why"]
    three = {"name": "A", "cards": [1, 2, 60, 72]}
    (line,) = lines(STONES | {"players": [three, STONES["players"][1]]}, {"A": {"points": 13}})
    assert "the bonus of 3 is not part of the points" in line["why"]
    alone = STONES | {"players": STONES["players"][:1]}
    (line,) = lines(alone, {"A": {"bonus": 4}})
    assert "a single player gets no bonus" in line["why"]


@pytest.mark.parametrize(("cards", "points"), [([], "0"), ([50], "2")])
def test_no_figure_is_said_to_be_the_sum_of_itself(cards, points):
    document = STONES | {"players": [{"name": "A", "cards": cards}]}
    (line,) = lines(document, {"A": {"points": 9}})
    assert line["why"].endswith(f"the cards give {points}")


def test_a_part_that_was_written_rightly_is_not_blamed_for_the_sum():
    cards = [STONES["players"][0] | {"name": "Ann", "cards": [1, 2, 50]}]
    stones = STONES | {"players": [*cards, {"name": "Bob", "cards": [4]}]}
    for total in (2, 4, 5, 6, 8, 9, 10, 12):
        *_, line = lines(stones, {"Ann": {"points": 4, "ones": 2, "bonus": 3, "total": total}})
        assert "card of" not in line["why"], total
    (_, line) = lines(stones, {"Bob": {"bonus": 0, "total": 4}})
    assert "there is no bonus" not in line["why"]
    seasons = SEASONS | {"cards": ["six-diagonals", "largest-group"]}
    assert "not counted on any card" in lines(seasons, {"Ann": {"total": 27}})[0]["why"]
    (_, line) = lines(seasons, {"Ann": {"six-diagonals": 20, "total": 27}})
    assert "not counted on any card" not in line["why"]
    exact = answer("score", VILLAGE)
    assert "gold of Cooper" in lines(VILLAGE, {"market": exact["market"] - 4})[0]["why"]
    for part, total in (("gold", "market"), ("market", "total")):
        _, line = lines(VILLAGE, {part: exact[part], total: exact[total] - 4})
        assert "gold of Cooper" not in line["why"]


def test_time_audit():
    found = lines(TIME, {"spring": 3, "Fall": 3, "winter": 4})
    assert [(line["item"], line["player"]) for line in found] == [
        ("spring", None),
        ("autumn", None),
        ("winter", None),
    ]
    assert "wins by turn order" in found[0]["why"]
    assert found[0]["cells"] == [[1, 0]]
    assert found[1]["agrees"]
    assert found[1]["why"] == ""
    grid = "spring spring winter / summer winter spring / winter summer autumn"
    order = ["winter", "spring", "summer", "autumn"]
    (line,) = lines({"game": "time", "grid": grid, "order": order}, {"winter": 4})
    assert "the larger connected group decides: spring 2, winter 1" in line["why"]


def test_villagers_audit():
    found = lines(VILLAGE, {"total": 30, "gold": 20, "coins": 6, "supply": 0})
    assert "the supply of 12 was not added" in found[0]["why"]
    assert "4 gold of Cooper was not counted" in found[1]["why"]
    assert found[2]["agrees"]
    assert "the supply is given as 12" in found[3]["why"]
    *_, total = lines(VILLAGE, {"market": 5, "supply": 28, "total": 33})
    assert "follows from the figures as claimed: 5 + 28 = 33" in total["why"]
    mine = VILLAGE | {
        "village": {"chains": [["Miner", ["Seeker", "Spelunker", "Jeweler"], ["Locksmith"]]]}
    }
    (line,) = lines(mine, {"gold": 30})
    assert "Spelunker was counted, but it is covered" in line["why"]
    (line,) = lines(mine, {"supply": 22})
    assert "covered" not in line["why"]
    (line,) = lines(mine | {"market": 1}, {"total": 38})
    assert "the first market counts no silver" in line["why"]
    (line,) = lines(mine | {"market": 1}, {"silver": 99})
    assert line["why"].endswith("silver of the villagers: 0")
    (line,) = lines(VILLAGE, {"coins": 4})
    assert "the 2 coins of Chandler were not counted" in line["why"]
    (line,) = lines(NO_MARKET | {"event": "developments"}, {"gold": 5})
    assert "2 villagers in hand at 2 gold" in line["why"]


def test_free_cells_beside_the_cards_are_told_by_the_side_on_which_they_lie() -> None:
    moves = {"game": "time", "grid": "spring/autumn", "card": "summer/summer"}
    told = render(answer("moves", moves)).splitlines()
    assert told[::2] == [
        "summer above the cards, column 1",
        "summer left of the cards, row 1",
        "summer on row 1 column 2",
        "summer on row 2 column 1",
    ]


def test_one_of_a_thing_is_told_in_the_singular() -> None:
    best = {"points": 1, "discards": 1, "steps": []}
    told = render({"matches": [], "best": best, "distance": {"3": 1}}).splitlines()
    assert told[1:] == ["best turn: 1 point for 1 discard", "card 3: 1 discard away"]
    one = STONES | {"players": [{"name": "A", "cards": [1]}]}
    ones, total = lines(one, {"A": {"ones": 9, "total": 9}})
    assert ones["why"].endswith("1 of the cards has 1 point")
    assert total["why"].endswith("1 point + 0 bonus = 1")
    agent = {"game": "villagers", "village": {"chains": [["Miner"]], "coins": {"Miner": 1}}}
    tally = answer("score", agent | {"market": 1, "hand": ["Grocer"]})
    assert tally["villagers"][0]["why"] == "1 coin on it"
    assert render(tally).endswith("1 coin = 1, with the supply of 0: 1")
    (line,) = lines(agent | {"market": 1}, {"market": 9})
    assert line["why"].endswith("0 silver + 1 coin on villagers")
    for question, why in (
        ({"event": "merchants"}, "Miner: 1 coin"),
        ({"event": "developments", "hand": ["Grocer"]}, "1 villager in hand at 2 gold"),
        ({"inventor": {"chain": 0}}, "1 villager below at 5 gold: Miner"),
    ):
        assert answer("score", agent | question)["why"][-1] == why

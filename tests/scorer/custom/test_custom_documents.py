"""`tallystone score` and `audit` of games that the players describe."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from table_documents import documents_of

from scorer.custom.game import Custom
from scorer.documents import answer_lines
from scorer.report import render
from scorer.setup import started

FOLDER = Path(__file__).parents[3] / "fixtures" / "own_games"
LIES = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
MEADOWS = tomllib.loads((FOLDER / "meadows.toml").read_text(encoding="utf-8"))
BY = {"name": "Ann", "role": "host"}
Json = dict[str, Any]


def document(**more: Any) -> Json:
    players = [{"name": "Ann", "board": LIES["meadows_game"]}, {"name": "Ben", "extra": 4}]
    return {"game": "custom", "description": MEADOWS, "players": players} | more


def answer(command: Any, asked: Json) -> Json:
    (found,) = answer_lines(command, [json.dumps(asked)])
    return found


def test_each_rule_names_what_earned_its_points() -> None:
    found = answer("score", document(id=3))
    ann, ben = found["players"]
    assert (found["id"], found["winners"]) == (3, ["Ann"])
    assert [(rule["rule"], rule["points"]) for rule in ann["rules"]] == [
        ("lands", 38),
        ("middle", 10),
        ("harmony", 5),
    ]
    assert (ann["total"], ben["total"], ben["extra"]) == (53, 4, 4)
    lake = next(one for one in ann["rules"][0]["groups"] if one["why"].startswith("lake"))
    assert (lake["points"], lake["cells"]) == (5, [[0, 4], [1, 4], [2, 3], [2, 4], [3, 4]])
    assert "Ann: 53" in render(found)
    assert "lake: 5 pieces with 1 mark" in render(found)


def test_the_cells_of_a_pattern_are_told_once() -> None:
    rule = {"rule": "pattern", "pattern": "sun moon", "points": 4}
    board = {"name": "pairs", "rows": 1, "cols": 2, "score": [rule]}
    players = [{"name": "Ann", "board": "sun moon"}]
    told = render(answer("score", {"game": "custom", "description": board, "players": players}))
    assert told.count("row 1 column 2") == 1


def test_pieces_may_have_points_besides_the_rules() -> None:
    ann = answer("score", document(worth={"castle": 7, "wood": 0}))["players"][0]
    assert ann["rules"][-1] == {
        "rule": "pieces",
        "points": 7,
        "groups": [{"cells": [[2, 2]], "points": 7, "why": "1 × castle at 7"}],
    }


def test_a_claim_is_explained_by_what_was_missed() -> None:
    claimed = {"Ann": {"lands": 33, "Middle": 10, "total": 43}, "Ben": {"extra": 3}}
    lines = answer("audit", document(claimed=claimed))["lines"]
    assert [(line["item"], line["difference"], line["agrees"]) for line in lines] == [
        ("lands", -5, False),
        ("middle", 0, True),
        ("total", -10, False),
        ("extra", -1, False),
    ]
    assert lines[3]["why"].endswith("; 4 points were noted by hand")
    assert "lake: 5 pieces with 1 mark) was missed" in lines[0]["why"]
    assert lines[0]["cells"] == [[0, 4], [1, 4], [2, 3], [2, 4], [3, 4]]
    assert "the 10 points of middle were not added" in lines[2]["why"]
    one = document(players=[{"name": "Ben", "extra": 1}], claimed={"Ben": {"extra": 3}})
    assert answer("audit", one)["lines"][0]["why"].endswith("; 1 point was noted by hand")
    (line,) = answer("audit", document(claimed={"Ben": {"total": 0}}))["lines"]
    assert "noted by hand were not added" in line["why"]


def test_a_total_that_follows_from_the_claimed_lines_says_so() -> None:
    claimed = {"Ann": {"lands": 48, "total": 63}}
    *_, total = answer("audit", document(claimed=claimed))["lines"]
    assert "follows from the figures as claimed: 48 + 10 + 5 = 63" in total["why"]


def test_boards_that_the_box_cannot_give_are_answered_with_their_problems() -> None:
    full = MEADOWS | {"counts": {"wheat": 2}, "empty": False}
    board = LIES["meadows_game"].replace("castle", ".")
    found = answer("score", document(description=full, players=[{"name": "Ann", "board": board}]))
    assert [problem["code"] for problem in found["problems"]] == ["too_many", "bare"]
    players = [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "blue"}]
    for shared, seat in ((False, 0), (True, None)):
        options = {"board": full, "shared": shared}
        _, state = started(Custom(), {"players": players, "options": options})
        state = Custom().act(state, {"type": "board", "seat": seat, "text": board}, BY)
        assert Custom().view(state, BY)["problems"] == found["problems"]


def test_what_cannot_be_read_is_named_with_its_path() -> None:
    wrong = [
        (document(description={"name": "x"}), "bad_description", "description"),
        (document(players=[]), "wrong_shape", "players"),
        (document(players=[{"board": "a"}]), "missing", "players[0].name"),
        (document(players=[{"name": "A", "board": "a"}]), "bad_notation", "players[0].board"),
        (document(players=[{"name": "A", "extra": 1.5}]), "wrong_type", "players[0].extra"),
        (document(players=[{"name": "A"}] * 2), "duplicate", "players[1].name"),
        (document(worth={"a": "3"}), "wrong_type", "worth.a"),
        (document(worth=[3]), "wrong_type", "worth"),
    ]
    for asked, code, where in wrong:
        error = answer("score", asked)["error"]
        assert (error["code"], error["where"]) == (code, f"line 1: {where}")
    assert answer("moves", document())["error"]["code"] == "no_moves"


@pytest.mark.parametrize(
    "rule",
    [
        {"rule": "line", "cells": [[3, 6]]},
        {"rule": "pattern", "pattern": "a b c d e f"},
        {"rule": "run", "bonus": 3},
    ],
)
def test_a_rule_that_can_earn_nothing_is_refused_as_in_a_file(rule: Json) -> None:
    small = {"name": "small", "rows": 5, "cols": 5, "score": [rule]}
    for command in ("score", "audit"):
        error = answer(command, document(description=small))["error"]
        assert (error["code"], error["message"][:13]) == ("bad_description", "score rule 1,")


def test_a_game_at_the_table_gives_its_document() -> None:
    game = Custom()
    players = [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "blue"}]
    _, state = started(game, {"players": players, "options": {"board": MEADOWS}})
    for action in (
        {"type": "board", "seat": 0, "text": LIES["meadows_game"]},
        {"type": "extra", "seat": 1, "points": 4},
        {"type": "claim", "seat": 0, "lines": {"lands": 45, "total": 53}},
    ):
        state = game.act(state, action, BY)
    (asked,) = documents_of("custom", state)
    found = answer("score", asked)
    assert [row["total"] for row in found["players"]] == [53, 4]
    assert [row["score"] for row in game.result(state)] == [53, 4]
    lines = answer("audit", asked)["lines"]
    assert [(line["item"], line["agrees"]) for line in lines] == [("lands", False), ("total", True)]
    assert [found.item for found in game.audit(state)] == ["lands", "total"]
    assert ("Ann", "lands", 38) in {
        (line.player, line.item, line.points) for line in game.score_lines(state)
    }
    assert game.pad(state)[0].items == ("lands", "middle", "harmony", "extra", "total")


def test_the_points_of_the_pieces_are_on_the_pad_once_a_piece_has_any() -> None:
    game = Custom()
    for table, names in ((MEADOWS, ("lands", "middle", "harmony")), (MEADOWS | {"score": []}, ())):
        setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {"board": table}}
        _, state = started(game, setup)
        state = game.act(state, {"type": "worth", "label": "castle", "points": 7}, BY)
        assert game.pad(state)[0].items == (*names, "pieces", "extra", "total")
        state = game.act(state, {"type": "board", "seat": 0, "text": LIES["meadows_game"]}, BY)
        state = game.act(state, {"type": "claim", "seat": 0, "lines": {"pieces": 6}}, BY)
        (found,) = game.audit(state)
        assert (found.claimed, found.points) == (6, 7)
        state = game.act(state, {"type": "worth", "label": "castle", "points": 0}, BY)
        assert "pieces" not in game.pad(state)[0].items


def test_a_total_names_the_points_of_the_pieces_as_the_pad_does() -> None:
    def why(total: int) -> str:
        asked = document(worth={"castle": 7}, claimed={"Ann": {"total": total}})
        (line,) = answer("audit", asked)["lines"]
        return str(line["why"])

    assert why(1).endswith("lands 38 + middle 10 + harmony 5 + Points of the pieces 7")
    assert why(53).endswith("this would fit: the points of the pieces were not added")

"""Tallies with one wrong figure or none: the audit finds it and raises no false alarm.

TALLYSTONE_TALLIES asks for more than the few of every day.
"""

import copy
import itertools
import json
import os
import random
from collections.abc import Iterator
from typing import Any

from tallies import others, seasons

from scorer.documents import answer_lines

COUNT = int(os.environ.get("TALLYSTONE_TALLIES", "60"))


def audit(document: dict[str, Any]) -> list[dict[str, Any]]:
    (answer,) = answer_lines("audit", [json.dumps(document)])
    return list(answer["lines"])


def claims(document: dict[str, Any], player: str | None) -> dict[str, int]:
    """Where the figures of a player stand: a table of seasons and a village have no players."""
    claimed = document["claimed"]
    return claimed[player] if player and isinstance(claimed.get(player), dict) else claimed


def exact_tallies() -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Documents whose every figure is right, with their lines."""
    for document in itertools.chain(seasons(), others()):
        right = copy.deepcopy(document)
        for line in audit(document):
            claims(right, line["player"])[line["item"]] = line["points"]
        yield right, audit(right)


def test_one_wrong_figure_is_found_and_a_right_one_is_not_doubted() -> None:
    chance = random.Random(9)
    tallies = list(exact_tallies())
    for _, lines in tallies:
        assert [line for line in lines if line["claimed"] != line["points"] or line["why"]] == []
    for _ in range(COUNT):
        document, lines = chance.choice(tallies)
        line = chance.choice(lines)
        wrong = copy.deepcopy(document)
        claims(wrong, line["player"])[line["item"]] = line["points"] + chance.choice(
            [-3, -2, -1, 1, 2, 3, 10]
        )
        found = [one for one in audit(wrong) if one["claimed"] != one["points"]]
        assert [(one["player"], one["item"]) for one in found] == [(line["player"], line["item"])]
        assert found[0]["why"]

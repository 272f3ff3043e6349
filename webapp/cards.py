"""The pattern cards that match nine stones, as JSON for the page, the API and the command line."""

from typing import Any

from scorer.fields import cells_document, problem_document
from scorer.notation import EMPTY, by_cell, join_rows, split_grid
from scorer.stones.board import SIDE, StoneGrid
from scorer.stones.cards import CARDS, PatternCard, matches
from webapp.i18n import gettext, ngettext

DECK_SIZE = len(CARDS)


def all_cards() -> list[dict[str, Any]]:
    """The deck, in the order of the ids."""
    return [_card_document(card) for card in CARDS]


def match_grid(text: str) -> dict[str, Any]:
    """Which cards match the grid and where, and what cannot be so.

    Raises NotationError if *text* is not a grid.
    """
    rows = split_grid(text, (SIDE, SIDE), (SIDE, SIDE))
    empty = [list(cell) for cell, word in by_cell(rows) if word == EMPTY]
    if empty:
        message = ngettext(
            "A cell is empty: tap it and say which stone lies there.",
            "%(num)s cells are empty: tap them and say which stones lie there.",
            len(empty),
        )
        problem = {"code": "missing_stones", "message": message, "cells": empty}
        return {"text": join_rows(rows), "matches": [], "problems": [problem]}
    grid = StoneGrid.parse(text)
    found = [
        _card_document(card) | {"places": [cells_document(cells) for cells in places]}
        for card, places in matches(grid).items()
    ]
    return {
        "text": str(grid),
        "matches": found,
        "problems": [problem_document(problem) for problem in grid.problems()],
    }


def with_matches(document: dict[str, Any]) -> dict[str, Any]:
    """A reading of stones with the matching cards; what is wrong with the photo comes first."""
    answer = match_grid(document["text"])
    impossible = {problem.message for problem in StoneGrid.parse(document["text"]).problems()}
    of_photo = [
        {"code": "photo", "message": gettext(sentence), "cells": []}
        for sentence in document["problems"]
        if sentence not in impossible
    ]
    return document | {"matches": answer["matches"], "problems": [*of_photo, *answer["problems"]]}


def _card_document(card: PatternCard) -> dict[str, Any]:
    return {"id": card.id, "points": card.points, "pattern": str(card.pattern)}

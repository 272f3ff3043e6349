"""What a report says of a photo's board: as it was read, corrected, and played on."""

from datetime import UTC, datetime
from typing import Any

import pytest

from scorer.games import GAMES
from scorer.notation import by_cell, split_rows
from webapp.after import evidence
from webapp.after.games import EventRecord, GameRecord, PhotoRecord

NOW = datetime(2026, 11, 21, 19, tzinfo=UTC)
READ = "fish sun / . moon"
BOARD = {"name": "field", "rows": [1, 5], "cols": [1, 5], "empty": True}


SETUPS = {
    "custom": {"players": [{"name": "Ann"}], "options": {"board": BOARD, "shared": True}},
    "time": {"players": [{"name": "Ann", "colour": "spring"}], "options": {"goal": "either"}},
}


def game_of(*actions: dict[str, Any], read: str = READ, kind: str = "custom") -> GameRecord:
    """A game in which Ann did these things; photo 1 was read as *read*."""
    rules, setup = GAMES[kind], SETUPS[kind]
    state = rules.start(setup)
    by = {"name": "Ann", "role": "host", "seat": 0}
    events = []
    for seq, action in enumerate(actions, 1):
        state = rules.act(state, action, by)
        events.append(EventRecord(seq, NOW, by, action, state))
    cells = [
        {"row": row, "col": col, "label": label} for (row, col), label in by_cell(split_rows(read))
    ]
    photo = PhotoRecord(1, 0, kind, "", {"cells": cells}, NOW, 8, 8, 9)
    return GameRecord("ABCDEF", kind, setup, state, NOW, events=tuple(events), photos=(photo,))


def used(text: str, turns: int = 0) -> dict[str, Any]:
    return {"type": "board", "text": text, "photo": 1, "turns": turns}


def cell(row: int, col: int, label: str) -> dict[str, Any]:
    return {"type": "cell", "row": row, "col": col, "label": label}


def told(game: GameRecord) -> tuple[str, list[tuple[int, int, str, str]]]:
    """The board as it was read, and its corrections."""
    (board,) = evidence.boards(game)
    return board.read, [(one.row, one.col, one.read, one.now) for one in board.corrections]


@pytest.mark.parametrize(
    ("actions", "read", "corrections"),
    [
        ([used(READ)], READ, []),
        ([used(". fish / moon sun", 1)], ". fish / moon sun", []),
        ([used("bird fish / moon sun", 1)], ". fish / moon sun", [(1, 1, ".", "bird")]),
        ([used("moon . / sun pig", 6)], "moon . / sun fish", [(2, 2, "fish", "pig")]),
        (
            [used(". pig . / . fish sun / . . moon")],
            ". . . / . fish sun / . . moon",
            [(1, 2, ".", "pig")],
        ),
        ([used("sun / moon")], READ, [(1, 1, "fish", ".")]),
        ([used(READ), cell(0, 0, "pig")], READ, [(1, 1, "fish", "pig")]),
        ([used(READ), cell(0, 0, "pig"), cell(0, 0, "fish")], READ, []),
        ([used(READ), cell(0, 0, "pig"), cell(0, 0, "cow")], READ, [(1, 1, "fish", "cow")]),
        (
            [used("sun / moon"), cell(0, 0, "pig")],
            READ,
            [(1, 1, "fish", "."), (1, 2, "sun", "pig")],
        ),
        ([used(READ), cell(1, 0, "pig")], READ, []),
        ([used(READ), {"type": "board", "text": "pig"}], "", []),
    ],
    ids=(
        "as read|turned|turned and corrected|more turns|grown|trimmed|set|set and set back|"
        "set twice|trimmed and set|laid|by hand"
    ).split("|"),
)
def test_corrections_are_what_differs_from_the_reading_as_it_was_used(
    actions: list[dict[str, Any]], read: str, corrections: list[tuple[int, int, str, str]]
) -> None:
    assert told(game_of(*actions)) == (read, corrections)


def place(card: str, col: int, *near: int) -> dict[str, Any]:
    """A card that is laid in the only row of the table and meets the cards of these columns."""
    order = [[0, other] for other in near]
    return {"type": "place", "card": card, "row": 0, "col": col, "order": order}


@pytest.mark.parametrize(
    ("actions", "corrections"),
    [
        ([used("spring summer"), cell(0, 1, "winter")], [(1, 2, "summer", "winter")]),
        (
            [used("spring summer"), cell(0, 0, "."), cell(0, 0, "winter"), cell(0, -1, "winter")],
            [(1, 2, "summer", "winter"), (1, 1, "spring", "winter")],
        ),
        ([used("spring summer"), place("autumn/winter", 2, 1), cell(0, 1, "winter")], []),
        ([used("spring summer"), place("winter/autumn", -1, 0), cell(0, 0, "autumn/winter")], []),
        (
            [
                cell(0, 0, "summer/autumn"),
                cell(0, 1, "spring/autumn"),
                used("spring summer"),
                cell(0, 0, "summer/winter"),
            ],
            [],
        ),
    ],
    ids="corrected|edge removed|flipped by play|moved by play|from the other side".split("|"),
)
def test_what_is_told_after_play_or_of_a_board_that_lies_otherwise_corrects_no_reading(
    actions: list[dict[str, Any]], corrections: list[tuple[int, int, str, str]]
) -> None:
    game = game_of(*actions, read="spring summer", kind="time")
    assert told(game)[1] == corrections


def test_the_log_tells_a_correction_from_a_piece_that_is_laid() -> None:
    game = game_of(used(READ), cell(1, 0, "pig"), cell(0, 0, "pig"))
    said = [line.what for line in evidence.log(game)]
    assert said[1:] == ["A cell was set.", "A cell was corrected."]


def test_the_log_tells_points_that_people_give_and_who_came_later() -> None:
    game = game_of(
        {"type": "worth", "label": "pig", "points": 7},
        {"type": "extra", "seat": 0, "points": 50},
        {"type": "player", "name": "Cy", "colour": "green"},
    )
    assert [line.what for line in evidence.log(game)] == [
        "Points for each pig: 7.",
        "Other points of Ann: 50.",
        "Cy plays, too.",
    ]

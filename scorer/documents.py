"""The JSON Lines of ``tallystone score``, ``moves`` and ``audit``: documents in, answers out.

A document that cannot be read is answered with an error in its place and the others go on. Here is
only shape: what is in a document and how an answer is written. The rules are in the other modules
of ``scorer``.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, get_args

from scorer.custom import documents as custom
from scorer.fields import Json, UnreadableError, read_json, short, text_of
from scorer.seasons import documents as seasons
from scorer.stones import documents as stones
from scorer.text import NO_UTF8
from scorer.time import documents as turn_of_time
from scorer.villagers import documents as villagers

Command = Literal["score", "moves", "audit"]

_ANSWERS: dict[str, dict[str, Callable[[Json], Json]]] = {
    "stones": {"score": stones.score, "moves": stones.moves, "audit": stones.audit},
    "seasons": {"score": seasons.score, "moves": seasons.moves, "audit": seasons.audit},
    "time": {"score": turn_of_time.score, "moves": turn_of_time.moves, "audit": turn_of_time.audit},
    "villagers": {"score": villagers.score, "audit": villagers.audit},
    "custom": {"score": custom.score, "audit": custom.audit},
}

MOST_NESTED = 64
"""Lists within lists in a document. Real ones have six; hostile ones must not exhaust the stack."""


def answer_lines(command: Command, lines: Iterable[str]) -> Iterator[Json]:
    """One answer for every line that is not blank, in the same order.

    >>> document = '{"id": 7, "game": "seasons", "board": "%s", "number": 1}'
    >>> board = ". 1 . . . . / . . . . . 2 / . . . . . . / . . . . . . / 4 . . . . . / . . . . 3 ."
    >>> list(answer_lines("moves", [document % board, "", "{}"]))  # doctest: +NORMALIZE_WHITESPACE
    [{'id': 7, 'cells': [[0, 0], [0, 2], [1, 1]]},
     {'error': {'code': 'missing', 'message': "expected a field 'game', got none", 'where': 'line 3:
     game'}}]

    Raises ValueError for a command that is none.
    """
    if command not in get_args(Command):
        raise ValueError(f"expected one of {' '.join(get_args(Command))}, got {command!r}")
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _answer(command, number, line)


def _answer(command: Command, number: int, line: str) -> Json:
    head: Json = {}
    try:
        document = _parse(line)
        if "id" in document:
            head = {"id": document["id"]}
        return head | _answerer(command, document)(document)
    except UnreadableError as error:
        where = f"line {number}: {error.path}" if error.path else f"line {number}"
        return head | {"error": {"code": error.code, "message": error.message, "where": where}}


def _answerer(command: Command, document: Json) -> Callable[[Json], Json]:
    if "game" not in document:
        raise UnreadableError("missing", "expected a field 'game', got none", "game")
    game = text_of(document["game"], "game").lower()
    if game not in _ANSWERS:
        raise UnreadableError(
            "unknown_game", f"expected one of {' '.join(_ANSWERS)}, got {short(game)}", "game"
        )
    if command not in _ANSWERS[game]:
        raise UnreadableError(
            "no_moves", f"expected a game with moves to find, got {game!r}", "game"
        )
    return _ANSWERS[game][command]


def _parse(line: str) -> Json:
    if "\0" in line:
        raise UnreadableError("not_text", NO_UTF8)
    try:
        document = read_json(line.removeprefix("\ufeff"))
    except RecursionError:
        raise _too_nested() from None
    except ValueError as error:
        # ``where`` tells the line
        why = (
            f"{error.msg} at column {error.colno}"
            if isinstance(error, json.JSONDecodeError)
            else error
        )
        raise UnreadableError(
            "not_json", f"expected a JSON document, got {short(line.strip())}: {why}"
        ) from None
    if not isinstance(document, dict):
        raise UnreadableError("not_an_object", f"expected a JSON object, got {short(document)}")
    if line.count("[") + line.count("{") > MOST_NESTED and _depth(document) > MOST_NESTED:
        raise _too_nested()
    if "\\u" in line:
        _expect_characters(document)
    return document


def _expect_characters(document: Json) -> None:
    """Half of a surrogate pair is legal JSON, but no text that an answer could repeat."""
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise UnreadableError(
            "not_text", f"expected characters, got half of a pair at {error.object[error.start]!a}"
        ) from None


def _too_nested() -> UnreadableError:
    return UnreadableError(
        "too_nested", f"expected up to {MOST_NESTED} lists or objects within each other, got more"
    )


def _depth(document: Json) -> int:
    """How many lists and objects lie within each other.

    It goes level by level, so that depth costs no stack.
    """
    depth = 0
    level: list[Any] = [document]
    while level:
        depth += 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return depth

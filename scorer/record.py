"""The record of a game: who played, then one line a turn, then the result; see docs/records.md.

A record is text that can be read and played again. Each room of a game has the words for its own
actions (``scorer.stones.record``); this module knows the lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.forms import AS_JSON, COMMON, DIVIDER, Form, to_json
from scorer.game import ActionError, Game, Json
from scorer.games import GAMES
from scorer.setup import started
from scorer.text import NO_UTF8, Told

FORMAT = "tallystone record 1"
"""The first line of every record."""

_PACKED = "PK"
"""First letters of a ZIP file, such as an export of games."""

_ANY_FORMAT = re.compile(r"tallystone record [1-9]\d*")

TABLE = "table"
"""Who acts in a line that is up to no single player."""

RESULT = "result"
"""The first word of the lines at the end."""

_WON = ", won"
"""The end of a winner's line."""

MOST_LETTERS = 4_000_000
"""Most letters of a record; a long game has some ten thousand."""

_PLAIN_NAME = re.compile(r"[^\W\d_](?:[^\"':;#]*[^\s\"':;#])?")
_LINE = re.compile(r"(?:(?P<number>\d+) )?(?P<who>\"(?:[^\"\\]|\\.)*\"|[^\":]+): (?P<what>.+)")
_PLAYER = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|[^\":]+)(?:: (\S+))?")


class RecordError(Told, ValueError):
    """A text is no record, or its game cannot be played so."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action: who did it in which turn, how it is written, and the states around it."""

    number: int | None
    """The turn it belongs to, from 1; None outside of turns."""
    who: str
    words: str
    action: Json
    before: Json
    after: Json


@dataclass(frozen=True, slots=True)
class Record:
    """A game that was played: ``played`` and ``place`` are what its head says of it."""

    kind: str
    setup: Json
    start: Json
    steps: tuple[Step, ...]
    played: str = ""
    place: str = ""

    @property
    def state(self) -> Json:
        """The state at the end."""
        return self.steps[-1].after if self.steps else self.start

    @property
    def result(self) -> list[Json]:
        return GAMES[self.kind].result(self.state)

    def lines(self) -> Iterator[tuple[Step, ...]]:
        """The steps that stand on one line: those of a player in a turn, or a single one."""
        line: list[Step] = []
        for step in self.steps:
            if line and (step.number is None or _head(step) != _head(line[-1])):
                yield tuple(line)
                line = []
            line.append(step)
        if line:
            yield tuple(line)


def _head(step: Step) -> tuple[int | None, str]:
    return step.number, step.who


def played(
    kind: str, setup: Json, actions: Iterable[Json], played: str = "", place: str = ""
) -> Record:
    """The record of a game from its log. Raises ActionError if an action is not allowed."""
    game = GAMES[kind]
    setup, start = started(game, setup)
    state = start
    steps = []
    for action in (step for one in actions for step in game.steps_of(one)):
        step = _step(game, state, game.notation.plain(action))
        steps.append(step)
        state = step.after
    return Record(kind, setup, start, tuple(steps), played, place)


def _step(game: Game, state: Json, action: Json) -> Step:
    """The step of a plain action."""
    words, form = game.notation.write(action)
    turn = game.turn_of(state)
    seat = action.get("seat")
    if form is None:
        seat = None
    elif form.of_turn and turn is not None:
        seat = turn[1]
    if seat is not None and not (type(seat) is int and 0 <= seat < len(state["players"])):
        words, form, seat = AS_JSON + to_json(action), None, None
    is_in_turn = turn is not None and seat == turn[1] and form not in (None, *COMMON)
    return Step(
        turn[0] if is_in_turn and turn else None,
        TABLE if seat is None else label_of(state["players"][seat]["name"]),
        words,
        action,
        state,
        act(game, state, action),
    )


def act(game: Game, state: Json, action: Json) -> Json:
    """The state after an action of a record, whoever did it. Raises ActionError."""
    turn = game.turn_of(state)
    seat = action.get("seat", turn[1] if turn else None)
    return game.act(state, action, {"role": "host", "seat": seat, "held": []})


def label_of(name: str) -> str:
    """A player's name as records have it: in quotes if it could be taken for something else.

    >>> label_of("Ann"), label_of("table"), label_of('1: "x"')
    ('Ann', '"table"', '"1: \\\\"x\\\\""')
    """
    is_plain = name.isprintable() and _PLAIN_NAME.fullmatch(name)
    if is_plain and name.split()[0] not in (TABLE, RESULT):
        return name
    return json.dumps(name)


def _name_of(label: str) -> str:
    if not label.startswith('"'):
        return label
    name = _from_json(label)
    assert isinstance(name, str)
    return name


def write(record: Record) -> str:
    """The record as text."""
    lines = [FORMAT, f"game {record.kind}"]
    lines += [
        f"{key} {' '.join(value.split())}"
        for key, value in (("played", record.played), ("place", record.place))
        if value.strip()
    ]
    for player in record.setup["players"]:
        colour = player.get("colour")
        lines.append(f"player {label_of(player['name'])}" + (f": {colour}" if colour else ""))
    for name, value in record.setup["options"].items():
        lines.append(f"option {name}: {json.dumps(value, ensure_ascii=False)}")
    lines.append("")
    lines += [line_of(line) for line in record.lines()]
    lines += ["", *_result_lines(record)]
    return "\n".join(lines) + "\n"


def line_of(steps: tuple[Step, ...]) -> str:
    """One line of a record."""
    number, who = _head(steps[0])
    head = who if number is None else f"{number} {who}"
    return f"{head}: {DIVIDER.join(step.words for step in steps)}"


def _result_lines(record: Record) -> Iterator[str]:
    for row in record.result:
        won = _WON if row["winner"] else ""
        yield f"{RESULT} {label_of(row['player'])}: {row['score']}, place {row['rank']}{won}"


def read(text: str) -> Record:
    """Read a record and play its game again. Raises RecordError with the line that is wrong."""
    if len(text) > MOST_LETTERS:
        raise RecordError("expected a record of at most %(most)s letters", most=MOST_LETTERS)
    if text.startswith(_PACKED):
        raise _other_format(text)
    if "\0" in text:
        raise RecordError(NO_UTF8)
    reading = _Reading()
    lines = text.removeprefix("\ufeff").split("\n")
    for number, line in enumerate([*lines, ""], 1):  # a head may be all there is
        line = line.strip()
        if line.startswith("#"):
            continue
        try:
            reading.take(line)
        except (RecordError, ActionError) as error:
            raise RecordError(
                "line %(number)s: %(reason)s", number=number, reason=error.message
            ) from None
    return reading.record()


class _Reading:
    """A record of which the lines are taken in one after the other."""

    def __init__(self) -> None:
        self._head: dict[str, str] = {}
        self._players: list[Json] = []
        self._options: Json = {}
        self._steps: list[Step] = []
        self._start: Json | None = None
        self._setup: Json = {}
        self._result: list[str] = []

    def take(self, line: str) -> None:
        if not self._head:
            if line != FORMAT:
                raise _other_format(line)
            self._head["format"] = line
        elif self._start is None:
            if line:
                self._take_head(line)
            else:
                self._begin()
        elif not line:
            return
        elif line.startswith(f"{RESULT} "):
            self._take_result(line)
        elif self._result:
            raise RecordError("expected the result at the end, got %(text)s", text=repr(line[:80]))
        else:
            self._take_turn(line)

    def _take_head(self, line: str) -> None:
        key, _, rest = line.partition(" ")
        match key:
            case "player":
                found = _PLAYER.fullmatch(rest)
                if found is None:
                    raise RecordError(
                        "expected a player and a colour, got %(text)s", text=repr(rest)
                    )
                self._players.append({"name": _name_of(found[1]), "colour": found[2]})
            case "option":
                self._take_option(rest)
            case "game" if rest not in GAMES:
                raise RecordError(
                    "expected one of the games %(known)s, got %(kind)s",
                    known=", ".join(GAMES),
                    kind=repr(rest),
                )
            case "game" | "played" | "place":
                _expect_once(key, self._head)
                self._head[key] = rest
            case _:
                raise RecordError(
                    "expected game, played, place, player or option, got %(text)s", text=repr(key)
                )

    def _take_option(self, text: str) -> None:
        name, is_divided, value = text.partition(": ")
        if not is_divided:
            raise RecordError(
                "expected an option and its value, such as %(example)s, got %(text)s",
                example=repr("option advice: true"),
                text=repr(text[:80]),
            )
        _expect_once(name, self._options)
        try:
            self._options[name] = _from_json(value)
        except RecordError:
            raise RecordError(
                "expected JSON, got %(text)s: write true, false, a number or a text in quotes",
                text=repr(value[:80]),
            ) from None

    def _begin(self) -> None:
        kind = self._head.get("game")
        if kind is None:
            raise RecordError("expected the game and its players in the head of the record")
        self._setup, self._start = started(
            GAMES[kind], {"players": self._players, "options": self._options}
        )
        for name in self._options.keys() - self._setup["options"].keys():
            raise RecordError(
                "expected the options %(known)s, got %(name)s",
                known=", ".join(self._setup["options"]),
                name=repr(name),
            )

    @property
    def _state(self) -> Json:
        assert self._start is not None
        return self._steps[-1].after if self._steps else self._start

    def _take_turn(self, line: str) -> None:
        game = GAMES[self._head["game"]]
        match = _LINE.fullmatch(line)
        if match is None:
            raise RecordError("expected a player, a colon and what happened")
        for words in match["what"].split(DIVIDER):
            action, form = self._action(game, words)
            if match["who"] != TABLE:
                action |= self._seat(match["who"], form)
            step = _step(game, self._state, action)
            if match["number"] and step.number not in (None, int(match["number"])):
                raise RecordError(
                    "expected turn %(expected)s, got %(number)s",
                    expected=step.number,
                    number=match["number"],
                )
            self._steps.append(step)

    def _action(self, game: Game, words: str) -> tuple[Json, Form | None]:
        if words.startswith(AS_JSON):
            action = _from_json(words.removeprefix(AS_JSON))
            if not isinstance(action, dict):
                raise RecordError("expected an action as a JSON object")
            return game.notation.plain(action), None
        found = game.notation.read(words)
        if found is None:
            raise RecordError("this game has no such action: %(text)s", text=repr(words[:80]))
        return found

    def _seat(self, label: str, form: Form | None) -> Json:
        """The seat of the one who acts; nothing where it follows from the turn."""
        name = _name_of(label)
        names = [player["name"] for player in self._state["players"]]
        if name not in names:
            raise RecordError("nobody in this game is called %(name)s", name=repr(name))
        seat = names.index(name)
        turn = GAMES[self._head["game"]].turn_of(self._state)
        if form is None or not form.of_turn:
            return {"seat": seat}
        if turn is not None and turn[1] != seat:
            raise RecordError("it is the turn of %(name)s", name=names[turn[1]])
        return {}

    def _take_result(self, line: str) -> None:
        record = self._played()
        known = list(_result_lines(record))
        # Earlier versions named no winner of a game in which nobody had a point.
        if line + _WON in known and not any(row["score"] for row in record.result):
            line += _WON
        if line not in known or line in self._result:
            raise _other_result(known)
        self._result.append(line)

    def record(self) -> Record:
        """The record of all lines. Raises RecordError if one is missing."""
        record = self._played()
        known = list(_result_lines(record))
        if self._result and len(self._result) < len(known):
            raise _other_result(known)
        return record

    def _played(self) -> Record:
        assert self._start is not None
        return Record(
            self._head["game"],
            self._setup,
            self._start,
            tuple(self._steps),
            self._head.get("played", ""),
            self._head.get("place", ""),
        )


def _other_format(line: str) -> RecordError:
    """What is said of a text that does not begin as a record of this version."""
    if _ANY_FORMAT.fullmatch(line):
        return RecordError("the record was written by a newer Tallystone: please update this one")
    return RecordError(
        "expected %(first)s at the top of a record: take the text that a finished game offers",
        first=repr(FORMAT),
    )


def _expect_once(key: str, known: Json) -> None:
    if key in known:
        raise RecordError("expected %(key)s once", key=repr(key))


def _other_result(known: Sequence[str]) -> RecordError:
    return RecordError(
        "the game comes to another result: %(result)s. "
        "Let these lines end the record, or no result",
        result="; ".join(known),
    )


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError("expected JSON, got %(text)s", text=repr(text[:80])) from None

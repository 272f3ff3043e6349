"""The protocol of a game: its setup, its actions, and what each viewer may know.

The methods of a game are pure functions from JSON to JSON. Whoever plays it keeps the states, the
log and the photos; the game knows what an action means.

``setup`` is ``{"players": [{"name", "colour"}], "options": {...}}``; ``colour`` is the chosen value
of the form's seats (a colour or a season). ``by`` and ``viewer`` have a ``role`` (host, player or
viewer), a ``seat`` (a number or None) and ``held``, the seats of everybody who has a device: the
host acts for the others.

Every game takes these actions, besides its own:

- ``{"type": "board", "seat": n|null, "text": "...", "photo": id|null, "corrections": [...]}``.
  A correction is ``[row, col, from, to]``. ``answers`` may hold what people were asked about the
  photo, for the log alone. ``moves`` may hold the game's own actions that the photo shows: they are
  done one after the other before the board is kept.
- ``{"type": "claim", "seat": n, "lines": {...}}``: what the pad says, for the audit
- ``{"type": "finish"}`` and ``{"type": "resume"}``
- ``{"type": "player", "name": "...", "colour": "..."}``: one more plays from now on, on the next
  seat

A state is a JSON object; ``"finished": true`` in it closes the game in the history.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from scorer.audit import Finding
from scorer.change import Change, cells_change
from scorer.forms import Notation
from scorer.labels import label_of
from scorer.notation import Cell, NotationError, Problem
from scorer.text import NOTHING, Refused, Text

Json = dict[str, Any]

OptionKind = Literal["choice", "many", "switch"]

TOTAL = "total"
"""The figure at the end of every pad."""

MOST_MOVES = 48
"""Moves that one photo may tell; a season board takes half as many tiles."""


class ActionError(Refused, ValueError):
    """An action or a setup cannot be.

    ``message`` is one sentence for the person, ``code`` a stable word.
    """


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose.

    ``symbol`` names an SVG symbol of the page (``stone-sun``) that pictures it.
    """

    value: str
    label: str
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One question asked when a game is started; the answer is ``setup["options"][name]``.

    ``choice`` gives a value of ``choices``, ``many`` a list of them, ``switch`` a bool. ``alone``
    is one that concerns only somebody who plays alone.
    """

    name: str
    label: str
    kind: OptionKind
    choices: tuple[Choice, ...] = ()
    default: Any = None
    help: str = ""
    alone: bool = False


@dataclass(frozen=True, slots=True)
class SetupForm:
    """What the start page asks for. Texts are English; the page translates them.

    ``seats`` are what a player may be (colours, seasons); with ``distinct`` no two players may take
    the same. ``board`` is the board that is photographed in this game, if there is one.
    """

    title: str
    summary: str
    most_players: int = 4
    seat_label: str = "Colour"
    seats: tuple[Choice, ...] = ()
    distinct: bool = True
    options: tuple[Option, ...] = ()
    board: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a score.

    ``item`` is a figure of the pad, or the name of the card that earns the points.
    """

    player: str
    """Empty where the line belongs to the whole table."""
    item: str
    points: int
    why: Text = NOTHING
    cells: tuple[Cell, ...] = ()
    """The cells that earn it, on the board of the player or of the table."""
    cards: tuple[int, ...] = ()
    """The pattern cards that earn it."""


MOST_FIGURE = 1_000_000
"""Larger than any score; keeps sums within what JSON numbers hold exactly."""


@dataclass(frozen=True, slots=True)
class PadColumn:
    """The figures on the score pad of one seat, or of the whole table, from the top."""

    seat: int | None
    items: tuple[str, ...]


def column_key(seat: int | None) -> str:
    """What a column of the pad, or the board of a seat, is kept under in a state."""
    return "shared" if seat is None else str(seat)


def totals(result: Sequence[Json]) -> list[ScoreLine]:
    """The total of every player and nothing else."""
    return [ScoreLine(row["player"], TOTAL, row["score"]) for row in result]


def placed(rows: Sequence[tuple[str, int, Any]], *, is_begun: bool = True) -> list[Json]:
    """The results of players, in the order of the rows.

    Nobody wins alone, or a game that has not begun. Each row is a player's name, the score, and a
    standing: whoever has a greater one ranks before.

    >>> [row["rank"] for row in placed([("Ann", 3, 3), ("Ben", 5, 5), ("Cem", 3, 3)])]
    [2, 1, 2]
    """
    found = []
    for name, score, standing in rows:
        rank = 1 + sum(other > standing for *_, other in rows)
        won = rank == 1 and is_begun and len(rows) > 1
        found.append({"player": name, "score": score, "rank": rank, "winner": won})
    return found


def paths(kind: str, cells: Iterable[Any]) -> tuple[str, ...]:
    """The paths of the cells that an action names; what is no cell is left out.

    >>> paths("board", [[0, 2], None])
    ('board/0/2',)
    """
    pairs = (cell for cell in cells if isinstance(cell, list) and len(cell) == 2)
    return tuple(f"{kind}/{row}/{col}" for row, col in pairs)


class Game(ABC):
    """One kind of game."""

    code: str
    notation: Notation
    """How a record writes its actions."""
    told_by_photos: frozenset[str] = frozenset()
    """Types of actions that a ``board`` action may hold as ``moves``."""
    alone_on_points: bool = True
    """Whether points of somebody alone compare with those of several players."""

    def glance(self, text: str) -> list[ScoreLine] | None:
        """What a board scores by itself, without a game; None where only a game has points.

        Raises NotationError.
        """
        return None

    def glance_problems(self, text: str) -> Sequence[Problem]:
        """Why no table can show a board that ``glance`` scores. Raises NotationError."""
        return ()

    @abstractmethod
    def setup_form(self) -> SetupForm:
        """What to ask before it starts."""

    @abstractmethod
    def start(self, setup: Json) -> Json:
        """The first state, from what ``scorer.setup.checked_setup`` gives.

        Raises ActionError for what no form can hold it to.
        """

    def expect_new(self, setup: Json) -> None:
        """Raise ActionError for a setup that is none for a new game; kept games may have it."""
        return

    def act(self, state: Json, action: Json, by: Json) -> Json:
        """A new state; *state* is never changed. Raises ActionError."""
        if by.get("role") == "viewer":
            raise ActionError("viewer", "You are watching: ask the host to let you play.")
        new = copy.deepcopy(state)
        match action.get("type"):
            case "claim":
                self._claim(new, action)
            case "finish" | "resume" as kind:
                new["finished"] = kind == "finish"
            case _:
                for step in self.steps_of(action):
                    self.change(new, step, by)
        return new

    def steps_of(self, action: Json) -> list[Json]:
        """The actions that an action stands for: the moves that a photo showed, then its board.

        Raises ActionError for what no photo can tell.
        """
        moves = action.get("moves") if action.get("type") == "board" else None
        if not moves:
            return [action]
        if (
            not isinstance(moves, list)
            or len(moves) > MOST_MOVES
            or not all(isinstance(move, dict) for move in moves)
            or not all(move.get("type") in self.told_by_photos for move in moves)
        ):
            raise ActionError(
                "moves", "The moves of the photo did not arrive well; please reload the page."
            )
        return [*moves, {name: value for name, value in action.items() if name != "moves"}]

    def difference(self, state: Json, action: Json) -> Change:
        """What the ``board`` *action* of a new photo would change, and which moves explain it.

        Raises ActionError or NotationError for what is no board of this game.
        """
        seat = action.get("seat")
        before = next((board["text"] for one, board in self.boards(state) if one == seat), None)
        return cells_change(before, str(action.get("text")))

    @abstractmethod
    def change(self, new: Json, action: Json, by: Json) -> None:
        """Do one of the game's own actions in the state *new*. Raises ActionError."""

    @abstractmethod
    def view(self, state: Json, viewer: Json) -> Json:
        """All that a page shows: scores, lines with reasons, matches, warnings."""

    def turn(self, state: Json) -> int | None:
        """The seat whose turn it is; None where nobody's is, or the game does not follow turns."""
        turn = None if self.over(state) else self.turn_of(state)
        return turn[1] if turn else None

    def over(self, state: Json) -> bool:
        """Whether nothing is left to play, even if nobody has finished the game yet."""
        return bool(state["finished"])

    def told(self, before: Json, action: Json, after: Json) -> Text:
        """What an action did, for everybody at the table.

        Empty where it is nobody else's business, or where the points say it all.
        """
        match action.get("type"):
            case "board" if action.get("seat") is None:
                return Text("There is a new board on the table.")
            case "board":
                name = after["players"][action["seat"]]["name"]
                return Text("There is a new board of %(name)s.", name=name)
            case "player":
                return Text("%(name)s plays, too.", name=after["players"][-1]["name"])
            case "finish":
                return Text("The game is finished.")
            case "resume":
                return Text("The game goes on.")
        return NOTHING

    def alone(self, state: Json) -> Text:
        """How a game of a single player stands, where points do not tell it."""
        return NOTHING

    def decisive(self, state: Json) -> Text:
        """What decided the game, where the lines of the score do not tell it."""
        return NOTHING

    @abstractmethod
    def is_begun(self, state: Json) -> bool:
        """Whether anything was played or laid: nobody wins before, whatever the points are."""

    @abstractmethod
    def result(self, state: Json) -> list[Json]:
        """``{"player", "score", "rank", "winner"}`` of every player, for the history."""

    @abstractmethod
    def boards(self, state: Json) -> list[tuple[int | None, Json]]:
        """Seat and ``{"text", "photo"}`` of every board; the seat of a shared board is None."""

    def on_photo(self, text: str) -> str:
        """A board of ``boards`` as a photo shows it, without what lies hidden."""
        return text

    @abstractmethod
    def score_lines(self, state: Json) -> list[ScoreLine]:
        """Every player's points, line by line."""

    def label(self, item: str) -> Text:
        """The name for people of a figure of the pad, or of a line of a score."""
        return label_of(item)

    @abstractmethod
    def pad(self, state: Json) -> list[PadColumn]:
        """The figures that a score pad of this game has."""

    def _claim(self, new: Json, action: Json) -> None:
        """Note what a column of the pad says."""
        seat, lines = action.get("seat"), action.get("lines")
        items = next((column.items for column in self.pad(new) if column.seat == seat), None)
        if items is None or isinstance(seat, bool):
            raise ActionError("seat", "There is no such player in this game.")
        if not isinstance(lines, dict) or any(
            item not in items or type(figure) is not int or abs(figure) > MOST_FIGURE
            for item, figure in lines.items()
        ):
            raise ActionError("claim", "The pad has whole numbers only.")
        new["claims"][column_key(seat)] = {item: lines[item] for item in items if item in lines}

    @abstractmethod
    def audit(self, state: Json) -> list[Finding]:
        """Every figure that was entered from the pad, checked."""

    def turn_of(self, state: Json) -> tuple[int, int] | None:
        """The number, from 1, and the seat of the turn that goes on; None where nobody has one."""
        return None

    def touches(self, action: Json) -> Sequence[str]:
        """What an action overwrites, as paths such as ``board/0`` or ``board/0/2/3``.

        Two people who overwrite the same thing without having seen the other's change are told so;
        a path touches all below it. Actions that only add something touch nothing: they are applied
        to the newest state.
        """
        seat = action.get("seat")
        match action.get("type"):
            case "board" | "claim" as kind:
                return (f"{kind}/{seat}",)
            case "cell":
                return (f"board/{seat}/{action.get('row')}/{action.get('col')}",)
        return ()

    def public(self, state: Json, viewer: Json) -> Json:
        """The state as that viewer may have it."""
        return state

    def public_action(self, action: Json, viewer: Json, *, undone: bool = False) -> Json:
        """An action of the log as that viewer may have it.

        A card that an *undone* one laid open is in the hand again.
        """
        return action

    def _answerable(self, state: Json, action: Json, viewer: Json) -> Change:
        """The difference, without moves that the game would refuse."""
        change = self.difference(state, action)
        try:
            if change.moves:
                self.act(state, action | {"type": "board", "moves": [*change.moves]}, viewer)
        except ActionError:
            return replace(change, moves=())
        return change

    def ask(self, state: Json, question: Json, viewer: Json) -> Json:
        """Answer a question without a change of the state. Raises ActionError.

        Every game answers ``{"type": "change", "action": {...}}`` with ``difference``.
        """
        if question.get("type") == "change" and isinstance(question.get("action"), dict):
            try:
                change = self._answerable(state, question["action"], viewer)
                return change.to_document(viewer.get("seat"))
            except NotationError as error:
                raise ActionError(
                    "notation", "That is not a board of this game: %(error)s.", error=error.message
                ) from None
        raise ActionError("question", "This game knows no such question; please reload the page.")


def conflict(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two sets of paths overwrite the same thing.

    >>> conflict(["board/0/2/3"], ["board/0"])
    True
    >>> conflict(["board/0/2/3"], ["board/0/2/4", "board/1"])
    False
    """
    pairs = ((a.split("/"), b.split("/")) for a in one for b in other)
    return any(a[: len(b)] == b or b[: len(a)] == a for a, b in pairs)

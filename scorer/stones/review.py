"""Shifting Stones: each turn beside the best one that the hand allowed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean

from scorer.game import Json
from scorer.notation import Cell, in_words
from scorer.record import Step
from scorer.review.moments import Chapter, Figures, Insight, Moment, Picture
from scorer.stones.board import StoneGrid
from scorer.stones.cards import CARDS
from scorer.stones.state import deck_card, excess_of, grid_of, turn_seat
from scorer.stones.turn import MOST_CARDS, Flip, Score, Shift, Turn, best_turn
from scorer.stones.turn import Step as TurnStep
from scorer.text import Text, listed

ACTS = frozenset({"move", "score", "end_turn", "skip"})
"""What somebody does in a turn."""

BY_HAND = frozenset({"board", "cell", "award", "unscore", "turn"})
"""Actions that tell afterwards what was done; a turn with one is not known move by move."""

DEALS = 12
"""Hands dealt at random beside each known one. Their mean best turn is off by half a point, that
of the ten turns of a game by a sixth."""


@dataclass(frozen=True, slots=True)
class Played:
    """A turn that was played, and the best one with the cards that are known.

    ``held`` counts the cards at its start, ``known`` are those of which anybody has told. ``usual``
    is what hands dealt at random gave in the mean, for a hand known in full.
    """

    number: int
    seat: int
    moment: int
    grid: StoneGrid
    points: int
    discards: int
    skipped: bool
    followed: bool
    """Whether everything in it was told move by move."""
    held: int
    known: tuple[int, ...]
    best: Turn
    usual: float

    @property
    def is_known(self) -> bool:
        """Whether the best turn is that of the whole hand."""
        return self.followed and len(self.known) == self.held

    @property
    def left(self) -> int:
        """Points left on the table: at least so many, of a hand that is known in part."""
        return max(0, self.best.points - self.points) if self.followed else 0


def played(found: Sequence[tuple[Moment, tuple[Step, ...]]]) -> Iterator[Played]:
    """The turns of a game in which somebody did something on a full grid."""
    steps = [(at, step) for at, (_, steps) in enumerate(found) for step in steps]
    for _, group in groupby(steps, key=lambda entry: int(entry[1].before["turn"])):
        turn = list(group)
        first = next((n for n, (_, step) in enumerate(turn) if _type(step) in ACTS), len(turn))
        grid = grid_of(turn[first][1].before) if first < len(turn) else None
        if grid is not None:
            yield _played(turn[-1][0], grid, [step for _, step in turn[first:]])


def _played(moment: int, grid: StoneGrid, steps: list[Step]) -> Played:
    before = steps[0].before
    seat = turn_seat(before)
    held = before["seats"][seat]
    points = [deck_card(step.action["card"]).points for step in steps if _type(step) == "score"]
    known = _known(before, seat, steps)
    cards = [deck_card(card) for card in known]
    gone = {card for one in before["seats"] for card in one["scored"]}
    followed = not any(_type(step) in BY_HAND for step in steps) and len(known) <= held["count"]
    is_whole = followed and len(known) == held["count"]
    return Played(
        before["turn"] + 1,
        seat,
        moment,
        grid,
        sum(points),
        sum(_type(step) == "move" for step in steps),
        any(_type(step) == "skip" for step in steps),
        followed,
        held["count"],
        known,
        best_turn(grid, cards[:MOST_CARDS]),
        _usual(grid, held["count"], gone, before["turn"]) if is_whole else 0.0,
    )


def _type(step: Step) -> str:
    return str(step.action.get("type"))


def _known(before: Json, seat: int, steps: list[Step]) -> tuple[int, ...]:
    """The cards that a hand held at the start of a turn, as far as they were told by its end.

    Nothing is drawn within a turn, so whatever is told of the hand in it was there from the start,
    unless cards of an earlier turn are still among it.
    """
    is_mixed = excess_of(before, seat) > 0
    told = [] if is_mixed else list(before["seats"][seat]["hand"])
    for step in steps:
        match _type(step):
            case "move":
                told.append(step.action.get("discard"))
            case "score":
                told.append(step.action["card"])
            case "hand" if step.action.get("seat") == seat:
                if not (is_mixed and excess_of(step.after, seat)):
                    told += step.after["seats"][seat]["hand"]
    gone = {card for one in before["seats"] for card in one["scored"]}
    return tuple(dict.fromkeys(card for card in told if card is not None and card not in gone))


def _usual(grid: StoneGrid, count: int, gone: set[int], turn: int) -> float:
    """What hands of so many cards, dealt at random from those that nobody scored, give."""
    rng = random.Random(f"{grid} {turn}")
    deck = [card for card in CARDS if card.id not in gone]
    return mean(best_turn(grid, rng.sample(deck, count)).points for _ in range(DEALS))


def chapter(found: Sequence[tuple[Moment, tuple[Step, ...]]]) -> Chapter:
    """The turns, the points left on the table, and who had luck with the cards."""
    turns = list(played(found))
    players = found[-1][0].state["players"]
    unknown = sum(not turn.is_known for turn in turns)
    notes = []
    if unknown:
        notes.append(
            Text(
                "In %(unknown)s of %(turns)s turns the hand or a move was not told in full: what "
                "was possible there is a lower bound, and luck is not judged.",
                unknown=unknown,
                turns=len(turns),
            )
        )
    if unknown < len(turns):
        notes.append(
            Text(
                "Luck is what the best turn of a hand gave more than that of hands dealt at random."
            )
        )
    if turns:
        notes.append(
            Text(
                "The best turn is the one with the most points at once, then the fewest discards. "
                "It does not know what keeping a card would have been worth later."
            )
        )
    return Chapter(
        figures=(_figures(turns, players),) if turns else (),
        insights=tuple(_insight(turn, str(players[turn.seat]["name"])) for turn in turns),
        notes=tuple(notes),
    )


def _figures(turns: Sequence[Played], players: Sequence[Json]) -> Figures:
    rows = []
    for seat, player in enumerate(players):
        own = [turn for turn in turns if turn.seat == seat]
        known = [turn for turn in own if turn.is_known]
        luck = mean(turn.best.points - turn.usual for turn in known) if known else None
        rows.append(
            (
                listed([player["name"]]),
                (
                    f"{len(known)} / {len(own)}",
                    str(sum(turn.left for turn in known)) if known else "?",
                    "?" if luck is None else luck,
                ),
            )
        )
    return Figures(
        Text("Turns, points left and luck"),
        (
            Text("Turns known in full"),
            Text("Points left on the table"),
            Text("Luck with cards, points a turn"),
        ),
        tuple(rows),
    )


def _insight(turn: Played, name: str) -> Insight:
    cells, scored = _cells(turn.best), _scored(turn.best)
    says = [_done(turn)]
    if turn.left:
        says += [_possible(turn), listed(map(_step_says, turn.best.steps), "; ")]
    elif turn.is_known:
        says.append(Text("No turn with this hand gave more."))
    elif not turn.followed:
        says.append(Text("Not all of it was told, so it is not compared."))
    else:
        says.append(
            Text(
                "%(known)s of %(held)s cards are known: none of those gave more.",
                known=len(turn.known),
                held=turn.held,
            )
        )
    return Insight(
        turn.seat,
        Text("Turn %(number)s: %(name)s", number=turn.number, name=name),
        tuple(says),
        turn.left,
        turn.moment,
        (Picture(str(turn.grid), cells if turn.left else ()),),
        scored if turn.left else (),
    )


def _done(turn: Played) -> Text:
    if turn.skipped:
        return Text("Skipped the turn.")
    return Text(
        "Points: %(points)s, cards discarded: %(discards)s.",
        points=turn.points,
        discards=turn.discards,
    )


def _possible(turn: Played) -> Text:
    values = {"points": turn.best.points, "discards": turn.best.discards, "left": turn.left}
    if turn.is_known:
        return Text(
            "Possible: %(points)s, cards discarded: %(discards)s. Left on the table: %(left)s.",
            **values,
        )
    return Text(
        "Possible with the cards that are known: %(points)s, cards discarded: %(discards)s. "
        "Left on the table: at least %(left)s.",
        **values,
    )


def _step_says(step: TurnStep) -> Text:
    match step:
        case Flip(cell):
            return Text("flip %(cell)s", cell=in_words(cell))
        case Shift(first, second):
            return Text("swap %(one)s and %(other)s", one=in_words(first), other=in_words(second))
        case Score(card):
            return Text("score card %(card)s for %(points)s", card=card.id, points=card.points)


def _cells(best: Turn) -> tuple[Cell, ...]:
    """The cells of the first action of a turn."""
    for step in best.steps:
        if isinstance(step, Flip):
            return (step.cell,)
        if isinstance(step, Shift):
            return (step.first, step.second)
    return ()


def _scored(best: Turn) -> tuple[int, ...]:
    return tuple(step.card.id for step in best.steps if isinstance(step, Score))

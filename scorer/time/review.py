"""Turn of Time: the turning points, and what else the same card could have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.game import Json
from scorer.labels import label_of
from scorer.notation import Cell
from scorer.record import Step
from scorer.review.moments import Chapter, Insight, Moment, Picture, course
from scorer.season import SEASONS, Season
from scorer.text import Text, both, plural
from scorer.time.board import TimeGrid
from scorer.time.cards import SeasonCard
from scorer.time.score import player_points, ranking
from scorer.time.state import is_known, played_in, season_order
from scorer.time.turn import placements


@dataclass(frozen=True, slots=True)
class Option:
    """A table that one card leads to, and how far ahead of the best other its player is then.

    ``cell`` is where the card was laid on the table before; a lead is negative for who is behind.
    """

    lead: int
    cell: Cell
    grid: TimeGrid


@dataclass(frozen=True, slots=True)
class Placed:
    """A card that a player laid among others: who led before and after, and the best that the same
    card could have given. ``best`` is None where its back is not known."""

    seat: int
    moment: int
    card: SeasonCard
    before: TimeGrid
    done: Option
    best: Option | None
    led: tuple[int, ...]
    leads: tuple[int, ...]

    @property
    def is_turning_point(self) -> bool:
        """Whether others lead after it than before."""
        return bool(self.led) and self.led != self.leads

    @property
    def cost(self) -> int:
        """The lead that was given away."""
        return self.best.lead - self.done.lead if self.best else 0


def placed(found: Sequence[tuple[Moment, tuple[Step, ...]]]) -> list[Placed]:
    """Every card that a player laid among others while all seasons were known."""
    return [
        _placed(at, step)
        for at, (_, steps) in enumerate(found)
        for step in steps
        if step.action.get("type") == "place"
        and step.after["last"]["seat"] is not None
        and len(step.after["players"]) > 1
        and is_known(step.before)
        and is_known(step.after)
    ]


def _placed(moment: int, step: Step) -> Placed:
    state, seat = step.after, step.after["last"]["seat"]
    card = SeasonCard.parse(step.action["card"])
    before, after = TimeGrid.parse(step.before["grid"]), TimeGrid.parse(state["grid"])
    cell = (step.action["row"], step.action["col"])
    return Placed(
        seat,
        moment,
        card,
        before,
        Option(lead_of(state, after, seat), cell, after),
        max(options(state, before, card, seat), key=lambda one: one.lead, default=None),
        leaders(step.before),
        leaders(state),
    )


def options(state: Json, grid: TimeGrid, card: SeasonCard, seat: int) -> list[Option]:
    """Every end of every legal placement of a card; none where a side is not known."""
    sides = [side for _, lying in (*grid.cards, (None, card)) for side in (lying.up, lying.back)]
    if None in sides:
        return []
    return [
        Option(lead_of(state, after, seat), placement.cell, after)
        for placement in placements(grid, card)
        for after in placement.grids
    ]


def lead_of(state: Json, grid: TimeGrid, seat: int) -> int:
    """How far a player is ahead of the best other one."""
    points = _points(state, grid)
    return points[seat] - max(own for at, own in enumerate(points) if at != seat)


def leaders(state: Json) -> tuple[int, ...]:
    """Who has the most points; nobody before the first card."""
    points = _points(state, TimeGrid.parse(state["grid"])) if played_in(state) else []
    return tuple(seat for seat, own in enumerate(points) if own == max(points))


def _points(state: Json, grid: TimeGrid) -> list[int]:
    ranks = ranking(grid, season_order(state))
    return [player_points(ranks, map(Season, own)) for own in state["seasons"]]


def chapter(found: Sequence[tuple[Moment, tuple[Step, ...]]]) -> Chapter:
    """The seasons in the course of the game, and each card with what it changed."""
    state = found[-1][0].state
    names = [str(player["name"]) for player in state["players"]]
    cards = placed(found)
    notes = []
    if len(names) > 1:
        notes.append(
            Text(
                "A lead is what the ranking would give if the game ended then; the best place of a "
                "card looks no further ahead."
            )
        )
    if any(one.best is None for one in cards):
        notes.append(
            Text("Where the back of a card was not told, other places cannot be compared.")
        )
    seasons = [[_visible(moment.state, season) for season in SEASONS] for moment, _ in found]
    return Chapter(
        charts=(course(Text("Visible cards"), [label_of(one.value) for one in SEASONS], seasons),),
        insights=tuple(_insight(one, names) for one in cards),
        notes=tuple(notes),
    )


def _visible(state: Json, season: Season) -> int:
    return sum(card.up is season for _, card in TimeGrid.parse(state["grid"]).cards)


def _insight(one: Placed, names: Sequence[str]) -> Insight:
    assert one.card.up is not None
    says = [_leads(one.leads, names)]
    if one.is_turning_point:
        says.insert(0, Text("A turning point."))
    pictures = [_picture(one.done, Text("As it was laid"))]
    if one.best and one.cost > 0:
        says.append(
            plural(
                "Laid otherwise, the same card could have brought %(name)s 1 point more over the "
                "best other player.",
                "Laid otherwise, the same card could have brought %(name)s %(n)s points more over "
                "the best other player.",
                n=one.cost,
                name=names[one.seat],
            )
        )
        pictures.append(_picture(one.best, Text("Better")))
    return Insight(
        one.seat,
        Text(
            "%(name)s plays %(season)s",
            name=names[one.seat],
            season=one.card.up.value,
        ),
        tuple(says),
        one.cost,
        one.moment,
        tuple(pictures),
    )


def _picture(option: Option, says: Text) -> Picture:
    """The table with the card that was laid. A card above or to the left moves the first cell."""
    row, col = option.cell
    return Picture(str(option.grid), ((max(row, 0), max(col, 0)),), says)


def _leads(leads: tuple[int, ...], names: Sequence[str]) -> Text:
    if len(leads) == len(names):
        return Text("All are level then.")
    who = both([names[seat] for seat in leads])
    return Text("%(who)s is ahead then." if len(leads) == 1 else "%(who)s are ahead then.", who=who)

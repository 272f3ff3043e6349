"""Turn of Time: claimed points of the seasons, explained by what decides the ranking."""

from collections.abc import Iterable, Iterator, Sequence

from scorer.audit import Finding, Mistake, check
from scorer.season import Season
from scorer.text import Text, listed, plural
from scorer.time.board import TimeGrid
from scorer.time.score import POINTS, Rank, ranking


def audit(
    grid: TimeGrid, order: Sequence[Season], claims: Iterable[tuple[Season, int]]
) -> Iterator[Finding]:
    """Check the claimed points of seasons."""
    ranks = ranking(grid, order)
    by_season = {rank.season: rank for rank in ranks}
    for season, claimed in claims:
        rank = by_season[season]
        cells = tuple(cell for cell, card in grid.cards if card.up is season)
        mistakes = _mistakes(rank, ranks)
        yield check(None, season.value, claimed, rank.points, mistakes, _reason(rank, ranks), cells)


def _mistakes(rank: Rank, ranks: Sequence[Rank]) -> Iterator[Mistake]:
    """Ties settled wrongly: taken for a shared place, or decided the other way round."""
    tied = [other for other in ranks if other is not rank and other.cards == rank.cards]
    for other in tied:
        yield Mistake(other.points, _tie(rank, other))
    why = Text("the cards were counted, but the place gives the points")
    yield Mistake(rank.cards, why)


def _reason(rank: Rank, ranks: Sequence[Rank]) -> Text:
    values = {
        "season": rank.season.value,
        "points": rank.points,
        "counts": listed(
            Text("%(season)s %(count)s", season=other.season.value, count=other.cards)
            for other in ranks
        ),
    }
    return (
        Text("%(season)s comes first with %(points)s; visible cards: %(counts)s", **values),
        Text("%(season)s comes second with %(points)s; visible cards: %(counts)s", **values),
        Text("%(season)s comes third with %(points)s; visible cards: %(counts)s", **values),
        Text("%(season)s comes fourth with %(points)s; visible cards: %(counts)s", **values),
    )[POINTS.index(rank.points)]


def _tie(rank: Rank, other: Rank) -> Text:
    head = plural(
        "%(one)s and %(other)s both show 1 card",
        "%(one)s and %(other)s both show %(cards)s cards",
        cards=rank.cards,
        one=rank.season.value,
        other=other.season.value,
    )
    larger, smaller = (rank, other) if rank.group > other.group else (other, rank)
    earlier = rank if rank.points > other.points else other
    why = (
        Text(
            "the larger connected group decides: %(one)s %(first)s, %(other)s %(second)s",
            one=larger.season.value,
            first=larger.group,
            other=smaller.season.value,
            second=smaller.group,
        )
        if rank.group != other.group
        else Text(
            "their largest groups are equal too, so %(season)s wins by turn order",
            season=earlier.season.value,
        )
    )
    return listed([head, why], "; ")

"""Turn of Time: claimed points of the seasons, explained by what decides the ranking."""

from collections.abc import Iterable, Iterator, Sequence

from scorer.audit import Finding, Mistake, check
from scorer.season import Season
from scorer.time.board import TimeGrid
from scorer.time.score import POINTS, Rank, ranking

_PLACES = ("first", "second", "third", "fourth")


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
    yield Mistake(rank.cards, "the cards were counted, but the place gives the points")


def _reason(rank: Rank, ranks: Sequence[Rank]) -> str:
    place = _PLACES[POINTS.index(rank.points)]
    counts = ", ".join(f"{other.season.value} {other.cards}" for other in ranks)
    return f"{rank.season.value} comes {place} with {rank.points}; visible cards: {counts}"


def _tie(rank: Rank, other: Rank) -> str:
    head = f"{rank.season.value} and {other.season.value} both show {rank.cards} cards; "
    if rank.group != other.group:
        larger, smaller = (rank, other) if rank.group > other.group else (other, rank)
        return (
            head + f"the larger connected group decides: {larger.season.value} {larger.group},"
            f" {smaller.season.value} {smaller.group}"
        )
    earlier = rank if rank.points > other.points else other
    return (
        head + f"their largest groups are equal too, so {earlier.season.value} wins by turn order"
    )

"""Shifting Stones: claimed final scores, explained."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scorer.audit import Finding, Mistake, check
from scorer.stones.cards import PatternCard
from scorer.stones.score import BONUS, FinalScore


def audit(
    scores: Mapping[str, FinalScore],
    cards: Sequence[PatternCard],
    name: str,
    claims: Iterable[tuple[str, int]],
) -> Iterator[Finding]:
    """Check the claimed ``points``, ``ones``, ``bonus`` and ``total`` of one player."""
    row = scores[name]
    claimed_items = dict(claims)
    for item, claimed in claimed_items.items():
        match item:
            case "points":
                yield check(
                    name,
                    item,
                    claimed,
                    row.points,
                    _points_mistakes(row, cards),
                    _points_sum(row, cards),
                )
            case "ones":
                yield check(
                    name, item, claimed, row.ones, (), f"{row.ones} of the cards have 1 point"
                )
            case "bonus":
                yield check(name, item, claimed, row.bonus, (), _bonus_rule(scores, row))
            case _:
                mistakes = _total_mistakes(row, cards, claimed_items)
                yield check(
                    name,
                    item,
                    claimed,
                    row.total,
                    mistakes,
                    f"{row.points} points + {row.bonus} bonus = {row.total}",
                )


def _points_mistakes(row: FinalScore, cards: Sequence[PatternCard]) -> Iterator[Mistake]:
    for card in cards:
        yield Mistake(
            row.points - card.points, f"card {card.id} with {_points(card.points)} was not counted"
        )
    for card in cards:
        yield Mistake(
            row.points + card.points,
            f"card {card.id} with {_points(card.points)} was counted twice",
        )
    yield Mistake(len(cards), "the cards were counted, not their points")
    if row.bonus:
        yield Mistake(row.total, f"the bonus of {BONUS} is not part of the points of the cards")


def _total_mistakes(
    row: FinalScore, cards: Sequence[PatternCard], claims: Mapping[str, int]
) -> Iterator[Mistake]:
    if row.bonus:
        yield Mistake(row.points, f"the bonus of {BONUS} for the most 1-point cards was not added")
    else:
        yield Mistake(row.points + BONUS, f"there is no bonus of {BONUS} for this player")
    if "points" in claims or "bonus" in claims:
        points, bonus = claims.get("points", row.points), claims.get("bonus", row.bonus)
        yield Mistake(
            points + bonus, f"it follows from the claimed {points} points + {bonus} bonus"
        )
    for mistake in _points_mistakes(row, cards):
        yield Mistake(mistake.points + row.bonus, mistake.why)


def _points_sum(row: FinalScore, cards: Sequence[PatternCard]) -> str:
    parts = " + ".join(str(card.points) for card in cards) or "no cards"
    return f"the cards give {parts} = {row.points}"


def _bonus_rule(scores: Mapping[str, FinalScore], row: FinalScore) -> str:
    most = max(other.ones for other in scores.values())
    if len(scores) < 2:
        return "a single player gets no bonus"
    if not most:
        return "nobody has a card of 1 point, so nobody gets the bonus"
    holders = " and ".join(other.name for other in scores.values() if other.ones == most)
    return f"most cards of 1 point: {holders} with {most}; {row.name} has {row.ones}"


def _points(count: int) -> str:
    return f"{count} point{'s' * (count != 1)}"

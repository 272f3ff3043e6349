"""Shifting Stones: claimed final scores, explained."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from scorer.audit import Finding, Mistake, added, check, slip_of_claims
from scorer.stones.cards import PatternCard
from scorer.stones.score import BONUS, FinalScore
from scorer.text import Text, both, listed, plural


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
        mistakes: Iterable[Mistake] = ()
        match item:
            case "points":
                mistakes, why = _points_mistakes(row, cards), _points_sum(cards)
            case "ones":
                why = plural(
                    "1 of the cards has 1 point",
                    "%(count)s of the cards have 1 point",
                    count=row.ones,
                )
            case "bonus":
                why = _bonus_rule(scores, row)
            case _:
                mistakes = _total_mistakes(row, cards, claimed_items)
                why = plural(
                    "1 point + %(bonus)s bonus = %(total)s",
                    "%(points)s points + %(bonus)s bonus = %(total)s",
                    points=row.points,
                    bonus=row.bonus,
                    total=row.total,
                )
        yield check(name, item, claimed, getattr(row, item), mistakes, why)


def _points_mistakes(row: FinalScore, cards: Sequence[PatternCard]) -> Iterator[Mistake]:
    if row.bonus:
        why = Text("the bonus of %(bonus)s is not part of the points of the cards", bonus=BONUS)
        yield Mistake(row.total, why)
    values = dict.fromkeys(card.points for card in cards)
    for sign in (-1, 1):
        for value in values:
            alike = [card for card in cards if card.points == value]
            why = Text(
                "%(card)s was not counted" if sign < 0 else "%(card)s was counted twice",
                card=_one_of(alike),
            )
            yield Mistake(row.points + sign * value, why, cards=tuple(card.id for card in alike))
    yield Mistake(len(cards), Text("the cards were counted, not their points"))


def _total_mistakes(
    row: FinalScore, cards: Sequence[PatternCard], claims: Mapping[str, int]
) -> Iterator[Mistake]:
    """A slip of adding; one within a part only where that part is not claimed for itself."""
    yield slip_of_claims(claims, {"points": row.points, "bonus": row.bonus})
    if row.bonus:
        why = Text("the bonus of %(bonus)s for the most 1-point cards was not added", bonus=BONUS)
        yield Mistake(row.points, why)
    elif "bonus" not in claims:
        why = Text("there is no bonus of %(bonus)s for this player", bonus=BONUS)
        yield Mistake(row.points + BONUS, why)
    if "points" not in claims:
        for mistake in _points_mistakes(row, cards):
            yield replace(mistake, points=mistake.points + row.bonus)


def _one_of(alike: Sequence[PatternCard]) -> Text:
    """A card as players know it: by its points, and by its pattern if no other has as many."""
    points = _points(alike[0].points)
    if len(alike) > 1:
        return Text("a card of %(points)s", points=points)
    rows = [row.split() for row in str(alike[0].pattern).split(" / ")]
    words = [listed([Text(word) for word in row], " ") for row in rows]
    return Text("the card of %(points)s (%(pattern)s)", points=points, pattern=listed(words, " / "))


def _points_sum(cards: Sequence[PatternCard]) -> Text:
    return Text("the cards give %(sum)s", sum=added([card.points for card in cards]))


def _bonus_rule(scores: Mapping[str, FinalScore], row: FinalScore) -> Text:
    most = max(other.ones for other in scores.values())
    if len(scores) < 2:
        return Text("a single player gets no bonus")
    if not most:
        return Text("nobody has a card of 1 point, so nobody gets the bonus")
    return Text(
        "most cards of 1 point: %(holders)s with %(most)s; %(name)s has %(ones)s",
        holders=both([other.name for other in scores.values() if other.ones == most]),
        most=most,
        name=row.name,
        ones=row.ones,
    )


def _points(count: int) -> Text:
    return plural("1 point", "%(count)s points", count=count)

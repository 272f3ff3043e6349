"""Villagers: claimed gold, explained villager by villager."""

from collections.abc import Callable, Iterable, Iterator

from scorer.audit import Finding, Mistake, check
from scorer.villagers.board import Village
from scorer.villagers.score import Income, Line, Market, Tally, tally

_AMOUNTS: dict[str, Callable[[Line], int]] = {
    "gold": lambda line: line.gold,
    "silver": lambda line: line.silver,
    "coins": lambda line: line.coins,
}


def audit_market(
    answer: Tally, village: Village, claims: Iterable[tuple[str, int]]
) -> Iterator[Finding]:
    """Check claimed ``gold``, ``silver``, ``coins``, ``market``, ``supply`` and ``total``."""
    points = answer.figures
    for item, claimed in claims:
        yield check(
            None, item, claimed, points[item], _mistakes(item, answer, village), _sum(item, answer)
        )


def audit_income(answer: Income, claims: Iterable[tuple[str, int]]) -> Iterator[Finding]:
    """Check the claimed gold of an event, an Inventor or a bronze villager."""
    for item, claimed in claims:
        yield check(None, item, claimed, answer.gold, (), "; ".join(answer.why) or "nothing scores")


def _mistakes(item: str, answer: Tally, village: Village) -> Iterator[Mistake]:
    if item == "total":
        yield Mistake(answer.market, f"the supply of {answer.supply} was not added")
    if item in ("total", "market"):
        base = answer.total if item == "total" else answer.market
        yield Mistake(
            base - answer.coins, f"the {answer.coins} coins on villagers were not counted"
        )
        yield Mistake(base - answer.silver, f"the {answer.silver} silver was not counted")
        silver = tally(village, Market.SECOND).silver
        if not answer.silver and silver:
            yield Mistake(
                base + silver,
                f"the first market counts no silver, {silver} would be that of the second",
            )
    elif item == "silver":
        silver = tally(village, Market.SECOND).silver
        if not answer.silver and silver:
            yield Mistake(silver, "the first market counts no silver")
    yield from _line_mistakes(item, answer)


def _line_mistakes(item: str, answer: Tally) -> Iterator[Mistake]:
    """One villager forgotten, or counted although it is covered."""
    points = {
        "gold": answer.gold,
        "silver": answer.silver,
        "coins": answer.coins,
        "market": answer.market,
    }
    total = points.get(item, answer.total)
    for what in (item,) if item in _AMOUNTS else tuple(_AMOUNTS):
        for line in answer.lines:
            amount = _AMOUNTS[what](line)
            if amount and item != "supply":
                yield Mistake(
                    total - amount, f"the {amount} {what} of {line.villager.card} was not counted"
                )
    if item in ("gold", "market", "total"):
        for line in answer.lines:
            hidden = line.villager.card.printed_gold
            if hidden and not line.villager.counts:
                yield Mistake(
                    total + hidden,
                    f"{line.villager.card} was counted, but it is covered and shows no gold",
                )


def _sum(item: str, answer: Tally) -> str:
    if item in _AMOUNTS:
        parts = [
            f"{line.villager.card} {amount}"
            for line in answer.lines
            if (amount := _AMOUNTS[item](line))
        ]
        return f"{item} of the villagers: {', '.join(parts) or 'none'}"
    if item == "supply":
        return f"the supply is given as {answer.supply}"
    parts = [f"{answer.gold} gold", f"{answer.silver} silver", f"{answer.coins} coins on villagers"]
    if item == "total":
        parts.insert(0, f"{answer.supply} in the supply")
    return " + ".join(parts)

"""Villagers: claimed gold, explained villager by villager."""

from collections.abc import Iterable, Iterator, Mapping

from scorer.audit import Finding, Mistake, check, slip_of_claims
from scorer.text import Text, listed, plural
from scorer.villagers.board import Village
from scorer.villagers.score import Income, Line, Market, Tally, tally

_AMOUNTS = ("gold", "silver", "coins")
"""The figures to which each villager adds."""


def audit_market(
    answer: Tally, village: Village, claims: Iterable[tuple[str, int]]
) -> Iterator[Finding]:
    """Check claimed ``gold``, ``silver``, ``coins``, ``market``, ``supply`` and ``total``."""
    points, claimed_items = answer.figures, dict(claims)
    for item, claimed in claimed_items.items():
        mistakes = _mistakes(item, answer, village, claimed_items)
        yield check(None, item, claimed, points[item], mistakes, _sum(item, answer))


def audit_income(answer: Income, claims: Iterable[tuple[str, int]]) -> Iterator[Finding]:
    """Check the claimed gold of an event, an Inventor or a bronze villager."""
    for item, claimed in claims:
        why = listed(answer.why, "; ") or Text("nothing scores")
        yield check(None, item, claimed, answer.gold, (), why)


def _mistakes(
    item: str, answer: Tally, village: Village, claims: Mapping[str, int]
) -> Iterator[Mistake]:
    if item in ("total", "market"):
        of_market = ("market",) if item == "total" and "market" in claims else _AMOUNTS
        parts = (*of_market, "supply") if item == "total" else of_market
        yield slip_of_claims(claims, {part: answer.figures[part] for part in parts})
    of_second = 0 if answer.silver else tally(village, Market.SECOND).silver
    if item == "total":
        why = Text("the supply of %(gold)s was not added", gold=answer.supply)
        yield Mistake(answer.market, why)
    if item == "market" or (item == "total" and "market" not in claims):
        base = answer.total if item == "total" else answer.market
        why = plural(
            "the coin on a villager was not counted",
            "the %(gold)s coins on villagers were not counted",
            gold=answer.coins,
        )
        yield Mistake(base - answer.coins, why)
        why = Text("the %(gold)s silver was not counted", gold=answer.silver)
        yield Mistake(base - answer.silver, why)
        if of_second and "silver" not in claims:
            why = Text(
                "the first market counts no silver, %(gold)s would be that of the second",
                gold=of_second,
            )
            yield Mistake(base + of_second, why)
    elif item == "silver" and of_second:
        yield Mistake(of_second, Text("the first market counts no silver"))
    yield from _line_mistakes(answer.figures[item], _open_amounts(item, claims), answer)


def _open_amounts(item: str, claims: Mapping[str, int]) -> tuple[str, ...]:
    """The amounts in which a slip of *item* may lie: none that is claimed for itself."""
    if item in _AMOUNTS:
        return (item,)
    if item == "supply" or (item == "total" and "market" in claims):
        return ()
    return tuple(amount for amount in _AMOUNTS if amount not in claims)


def _line_mistakes(total: int, amounts: tuple[str, ...], answer: Tally) -> Iterator[Mistake]:
    """One villager forgotten, or counted although it is covered."""
    for what in amounts:
        for line in answer.lines:
            amount = getattr(line, what)
            if amount:
                yield Mistake(total - amount, _not_counted(what, amount, line))
    if "gold" in amounts:
        for line in answer.lines:
            hidden = line.villager.card.printed_gold
            if hidden and not line.villager.counts:
                why = Text(
                    "%(villager)s was counted, but it is covered and shows no gold",
                    villager=str(line.villager.card),
                )
                yield Mistake(total + hidden, why)


def _not_counted(what: str, amount: int, line: Line) -> Text:
    values = {"gold": amount, "villager": str(line.villager.card)}
    return {
        "gold": Text("the %(gold)s gold of %(villager)s was not counted", **values),
        "silver": Text("the %(gold)s silver of %(villager)s was not counted", **values),
        "coins": plural(
            "the coin of %(villager)s was not counted",
            "the %(gold)s coins of %(villager)s were not counted",
            **values,
        ),
    }[what]


def _sum(item: str, answer: Tally) -> Text:
    if item in _AMOUNTS:
        amounts = [(line.villager.card, getattr(line, item)) for line in answer.lines]
        parts = listed(f"{card} {amount}" for card, amount in amounts if amount)
        of = {"list": parts or "0"}
        return {
            "gold": Text("gold of the villagers: %(list)s", **of),
            "silver": Text("silver of the villagers: %(list)s", **of),
            "coins": Text("coins of the villagers: %(list)s", **of),
        }[item]
    if item == "supply":
        return Text("the supply is given as %(gold)s", gold=answer.supply)
    coins = plural("1 coin on villagers", "%(n)s coins on villagers", n=answer.coins)
    return Text(
        "%(supply)s in the supply + %(gold)s gold + %(silver)s silver + %(coins)s"
        if item == "total"
        else "%(gold)s gold + %(silver)s silver + %(coins)s",
        **(answer.figures | {"coins": coins}),
    )

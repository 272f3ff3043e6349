"""Villagers: markets, bronze villagers and scoring events, each figure with its reasons.

Only uncovered cards show their gold, silver and bronze; an Engineer brings back what lies below it
on its branch. Where a card or an event lets the player choose, the best choice is taken.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from scorer.text import Text, counted, listed, plural
from scorer.villagers.board import INVENTOR, Village, Villager
from scorer.villagers.cards import Counts, VillagerCard

GOLD_A_CARD_IN_HAND = 2
"""Developments (expansion, events)."""

GOLD_A_KEY_RING = 2
"""Travellers (expansion, events)."""

GOLD_UNDER_AN_INVENTOR = 5
"""Inventor (expansion, new specials)."""


FIGURES = ("gold", "silver", "coins", "market", "supply", "total")
"""The figures of a market, in the order of the pad."""


class Market(Enum):
    """The two markets; silver counts in the second only."""

    FIRST = 1
    SECOND = 2


@dataclass(frozen=True, slots=True)
class Line:
    """What one villager gives in a market, and why."""

    villager: Villager
    gold: int
    silver: int
    coins: int
    why: Text

    @property
    def points(self) -> int:
        """All of it."""
        return self.gold + self.silver + self.coins


@dataclass(frozen=True, slots=True)
class Tally:
    """A market: one line for every villager of the village."""

    lines: tuple[Line, ...]
    supply: int = 0

    @property
    def gold(self) -> int:
        return sum(line.gold for line in self.lines)

    @property
    def silver(self) -> int:
        return sum(line.silver for line in self.lines)

    @property
    def coins(self) -> int:
        return sum(line.coins for line in self.lines)

    @property
    def market(self) -> int:
        return self.gold + self.silver + self.coins

    @property
    def total(self) -> int:
        """What the player owns after the market. Coins on villagers count once."""
        return self.supply + self.market

    @property
    def figures(self) -> dict[str, int]:
        """Every figure by its name."""
        return {item: getattr(self, item) for item in FIGURES}


@dataclass(frozen=True, slots=True)
class Income:
    """Gold from something other than a market, with its reasons."""

    gold: int
    why: tuple[str, ...]


def tally(village: Village, market: Market, supply: int = 0) -> Tally:
    """The market of one player."""
    counts = counts_of(village)
    return Tally(
        tuple(_line(villager, village, counts, market) for villager in village.villagers), supply
    )


def counts_of(village: Village) -> Counts:
    """What formulas count in the village, the silver values included."""
    return replace(village.counts, silver=tuple(value for _, value in silver_values(village)))


def silver_values(village: Village) -> list[tuple[Villager, int]]:
    """The villagers whose silver counts, each with its value."""
    counts = village.counts
    return [
        (villager, villager.card.silver.value(counts))
        for villager in village.villagers
        if villager.counts and villager.card.silver is not None
    ]


def coins_on_it(count: int) -> Text:
    """The coins on a villager, in words."""
    return plural("1 coin on it", "%(n)s coins on it", n=count)


def _line(villager: Villager, village: Village, counts: Counts, market: Market) -> Line:
    card = villager.card
    coins = village.coins.get(villager.index, 0)
    gold = silver = 0
    reasons = []
    if villager.is_covered:
        covering = listed(str(village.villagers[index].card) for index in villager.on_top)
        reasons.append(
            Text(
                "covered by %(card)s, counts again under an Engineer"
                if villager.counts
                else "covered by %(card)s",
                card=covering,
            )
        )
    if villager.counts:
        if card.gold is not None:
            gold = card.gold.value(counts)
            why = card.gold.why(counts)
            reasons.append(Text("%(gold)s gold (%(parts)s)", gold=gold, parts=why))
        if card.silver is not None:
            if market is Market.SECOND:
                silver = card.silver.value(counts)
                why = card.silver.why(counts)
                reasons.append(Text("%(silver)s silver (%(parts)s)", silver=silver, parts=why))
            else:
                reasons.append(Text("silver waits for the second market"))
    if coins:
        reasons.append(coins_on_it(coins))
    if not card.is_valued:
        reasons.append(
            Text(
                "note: %(card)s has no published value that a tally could count, so it gives 0",
                card=card.name,
            )
        )
    if not reasons:
        reasons.append(Text("shows no gold or silver"))
    return Line(villager, gold, silver, coins, listed(reasons, "; "))


def developments(village: Village) -> Income:
    """Summer event: 2 gold for each villager in hand."""
    gold = GOLD_A_CARD_IN_HAND * len(village.hand)
    return Income(
        gold, (f"{counted(len(village.hand), 'villager')} in hand at {GOLD_A_CARD_IN_HAND} gold",)
    )


def travellers(village: Village) -> Income:
    """Autumn event: 2 gold on each own villager with a key ring that is not covered."""
    with_ring = village.with_key_ring()
    if not with_ring:
        return Income(0, ("no uncovered villager with a key ring",))
    return Income(
        GOLD_A_KEY_RING * len(with_ring),
        tuple(f"{one.card}: {GOLD_A_KEY_RING} gold for its key ring" for one in with_ring),
    )


def caravans(village: Village) -> Income:
    """Autumn event: all silver scores now; gold, bronze and coins do not."""
    silver = [
        (line.villager.card, line.silver)
        for line in tally(village, Market.SECOND).lines
        if line.silver
    ]
    return Income(
        sum(amount for _, amount in silver),
        tuple(f"{card}: {amount} silver" for card, amount in silver),
    )


def merchants(village: Village, chain: int | None = None) -> Income:
    """Autumn event: one production chain scores gold, silver, bronze and coins of all its branches.

    Covered cards do not score, and neither do coins on them. Without a *chain* the best one is
    taken.
    """
    if chain is not None:
        return _merchant_chain(village, chain)
    chains = [n for n in range(len(village.chains)) if village.is_production_chain(n)]
    if not chains:
        return Income(0, ("no production chain in the village",))
    return max(
        (_merchant_chain(village, number) for number in chains), key=lambda income: income.gold
    )


def _merchant_chain(village: Village, chain: int) -> Income:
    gold = 0
    why = [f"chain {chain}, which grows from {village.chains[chain].cards[0]}"]
    for villager, shown in merchant_lines(village, chain):
        gold += sum(shown.values())
        amounts = ", ".join(
            counted(amount, "coin") if what == "coins" else f"{amount} {what}"
            for what, amount in shown.items()
            if amount
        )
        why.append(f"{villager.card}: {amounts}")
    return Income(gold, tuple(why))


def merchant_lines(village: Village, chain: int) -> Iterator[tuple[Villager, dict[str, int]]]:
    """The villagers of a chain that pay Merchants, with their gold, silver, bronze and coins."""
    counts = counts_of(village)
    for villager in village.in_chain(chain):
        if villager.counts:
            shown = {what: formula.value(counts) for what, formula in villager.card.formulas}
            shown["coins"] = village.coins.get(villager.index, 0)
            if any(shown.values()):
                yield villager, shown


def envoys(village: Village, card: VillagerCard | None = None) -> Income:
    """Winter event: half the gold of a villager in hand, rounded up; it is then discarded.

    Without a *card* the best one is taken.
    """
    if card is None:
        card = max(village.hand, key=lambda held: held.printed_gold, default=None)
    if card is None or not card.printed_gold:
        return Income(
            0, ("no villager with gold in hand" if card is None else f"{card} shows no gold",)
        )
    gold = (card.printed_gold + 1) // 2
    return Income(
        gold, (f"{card}: half of {card.printed_gold} gold, rounded up; then it is discarded",)
    )


def inventor(village: Village, chain: int, branch: int | None = None) -> Income:
    """New special: at once 5 gold for each villager below him, shared bottom cards included.

    An Inventor who already lies there does not count himself, nor what lies on him. Without a
    *branch* it is the one with an Inventor, or else the longest. Raises IndexError for one that is
    not there.
    """
    tops = village.tops(chain)
    ways = [(*top.below, top.index) for top in (tops if branch is None else (tops[branch],))]
    paid = max(
        (_below_inventor(village, way) for way in ways), key=lambda found: (found[0], len(found[1]))
    )[1]
    names = ", ".join(str(village.villagers[index].card) for index in paid)
    gold = GOLD_UNDER_AN_INVENTOR * len(paid)
    below = counted(len(paid), "villager")
    return Income(gold, (f"{below} below at {GOLD_UNDER_AN_INVENTOR} gold: {names or 'none'}",))


def _below_inventor(village: Village, way: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
    """Whether an Inventor lies on this branch, and the villagers below him, or else all of them."""
    for position in reversed(range(len(way))):
        if village.villagers[way[position]].card.name == INVENTOR:
            return True, way[:position]
    return False, way


def bronze(village: Village, name: str | None = None) -> Income:
    """The one bronze villager that may score in a build phase; without a *name* the best one."""
    counts = counts_of(village)
    shown = [
        (villager.card.bronze.value(counts), f"{villager.card}: {villager.card.bronze.why(counts)}")
        for villager in village.villagers
        if villager.counts
        and villager.card.bronze is not None
        and name in (None, villager.card.name)
    ]
    if not shown:
        return Income(
            0, (f"no uncovered bronze villager {name or ''}".rstrip() + " in the village",)
        )
    gold, why = max(shown)
    return Income(gold, (why,))


EVENTS = {"developments": developments, "travellers": travellers, "caravans": caravans}
"""The scoring events without a choice; *Merchants* and *Envoys* have one."""


class PadlockFee(Enum):
    """Where the 2 gold for unlocking a padlock come from and go to."""

    FROM_BANK = Text("from the bank onto the player's own unlocking villager")
    TO_OPPONENT = Text("from the player onto an opponent's unlocking villager")
    TO_BANK = Text("from the player to the bank")


def padlock_fee(card: VillagerCard, own: Village, others: Iterable[Village]) -> PadlockFee | None:
    """What happens with the gold when *card* is built; None for a card without a padlock.

    A player with an unlocking villager uses it, whoever else has one.
    """
    if not card.lock:
        return None
    if _has(own, card.lock):
        return PadlockFee.FROM_BANK
    return (
        PadlockFee.TO_OPPONENT
        if any(_has(other, card.lock) for other in others)
        else PadlockFee.TO_BANK
    )


def _has(village: Village, name: str) -> bool:
    return any(villager.card.name.casefold() == name.casefold() for villager in village.villagers)

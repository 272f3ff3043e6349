"""Villagers: a village of production chains, what is covered in it and what cannot lie so."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scorer.notation import Problem
from scorer.text import Text, both, plural
from scorer.villagers.cards import Counts, Place, VillagerCard, suits_of

ENGINEER = "Engineer"
INVENTOR = "Inventor"

JOKERS = (Place.CHAIN_INSIDE, Place.CHAIN_ANYWHERE)
"""Cards that take the place of another one in a chain, so that anything may lie on them."""

LONG_CHAIN = 3
"""Villagers of a production chain that a Carter counts, at least."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Cards from the bottom to the top, and the branches that lie on the last of them."""

    cards: tuple[VillagerCard, ...]
    branches: tuple["Chain", ...] = ()

    def __post_init__(self) -> None:
        if not self.cards:
            raise ValueError("expected a chain of at least one villager, got none")


@dataclass(frozen=True, slots=True)
class Villager:
    """One card at its place in the village. Its number is its turn in a document, depth first."""

    index: int
    card: VillagerCard
    chain: int
    below: tuple[int, ...]
    """The villagers under this one on its branch, from the bottom."""
    on_top: tuple[int, ...]
    """The villagers that lie directly on this one."""
    is_engineered: bool
    """An Engineer lies above it on a branch, so that its symbols count although it is covered."""

    @property
    def is_covered(self) -> bool:
        return bool(self.on_top)

    @property
    def counts(self) -> bool:
        """Whether its gold, silver, bronze, food and builder symbols count."""
        return not self.is_covered or self.is_engineered


@dataclass(frozen=True, slots=True)
class Village:
    """A player's village with the coins on it and the cards in hand."""

    chains: tuple[Chain, ...]
    coins: Mapping[int, int] = field(default_factory=dict)
    """Coins by the index of the villager that they lie on."""
    hand: tuple[VillagerCard, ...] = ()
    villagers: tuple[Villager, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "villagers", _villagers(self.chains))

    def is_production_chain(self, number: int) -> bool:
        """Whether it grows from a card that starts chains, however short it still is."""
        chain = self.chains[number]
        return (
            len(chain.cards) > 1 or bool(chain.branches) or chain.cards[0].place is not Place.ALONE
        )

    def with_key_ring(self) -> list[Villager]:
        """The villagers whose key ring counts."""
        return [one for one in self.villagers if one.counts and one.card.key_ring]

    def in_chain(self, number: int) -> tuple[Villager, ...]:
        """The villagers of one chain, all its branches included."""
        return tuple(villager for villager in self.villagers if villager.chain == number)

    def tops(self, number: int) -> tuple[Villager, ...]:
        """The top cards of a chain, one a branch, in the order of the branches."""
        return tuple(villager for villager in self.in_chain(number) if not villager.is_covered)

    @property
    def counts(self) -> Counts:
        """What the formulas of silver villagers count."""
        return self.counted(self.villagers, len(self.hand))

    def counted(self, villagers: Sequence[Villager], hand: int = 0) -> Counts:
        """What formulas count of these villagers, and of so many cards in hand."""
        counting = [villager.card for villager in villagers if villager.counts]
        printed: Counter[str] = Counter()
        for card in counting:
            printed[card.suit] += card.printed_gold
        return Counts(
            suits=suits_of(villager.card for villager in villagers),
            padlocks=sum(bool(villager.card.lock) for villager in villagers),
            gold_symbols=sum(card.gold is not None for card in counting),
            food=sum(card.food for card in counting),
            builders=sum(card.builder for card in counting),
            printed_gold=printed,
            coins=tuple(self.coins.get(villager.index, 0) for villager in villagers),
            hand=hand,
            long_chains=sum(
                len(self.in_chain(number)) >= LONG_CHAIN
                for number in {villager.chain for villager in villagers}
            ),
        )

    def problems(self) -> tuple[Problem, ...]:
        """What cannot be: cards against their ``on`` column, forbidden branches, a second team."""
        return (*self._misplaced(), *self._branches(), *self._teams())

    def _misplaced(self) -> Iterator[Problem]:
        for villager in self.villagers:
            card, below = villager.card, villager.below
            under = self.villagers[below[-1]].card if below else None
            match card.place:
                case Place.BOTTOM:
                    fits = under is None
                case Place.ALONE:
                    fits = under is None and not villager.is_covered
                case Place.ON:
                    fits = under is not None and (
                        under.place in JOKERS or under.name.casefold() == card.on.casefold()
                    )
                case Place.CHAIN_TOP:
                    fits = under is not None
                case Place.CHAIN_INSIDE:
                    fits = villager.is_covered
                case Place.CHAIN_ANYWHERE:
                    fits = True
                case Place.NOWHERE:
                    fits = False
            if not fits:
                where = Text("on %(card)s", card=card.on)
                got = Text("at the bottom") if under is None else Text("on %(card)s", card=under)
                if not villager.is_covered:
                    got = Text("%(place)s, with nothing on it", place=got)
                yield Problem(
                    "misplaced_villager",
                    Text(
                        "%(card)s must lie %(where)s, but lies %(got)s.",
                        card=card,
                        where=where if card.place is Place.ON else card.place.value,
                        got=got,
                    ),
                )

    def _branches(self) -> Iterator[Problem]:
        for villager in self.villagers:
            if len(villager.on_top) > villager.card.branches:
                yield Problem(
                    "branch_not_allowed",
                    plural(
                        "1 card may lie on %(card)s, here are %(count)s.",
                        "Up to %(most)s cards may lie on %(card)s, here are %(count)s.",
                        most=villager.card.branches,
                        card=villager.card,
                        count=len(villager.on_top),
                    ),
                )

    def _teams(self) -> Iterator[Problem]:
        teams = [str(villager.card) for villager in self.villagers if villager.card.is_team]
        if len(teams) > 1:
            yield Problem(
                "too_many_teams",
                Text("A village has one team at most, here are %(teams)s.", teams=both(teams)),
            )


def _named(
    chain: Chain, below: tuple[int, ...], first: int
) -> Iterator[tuple[VillagerCard, tuple[int, ...]]]:
    """The cards of a chain, depth first, each with the numbers of the cards under it."""
    index = first
    for card in chain.cards:
        yield card, below
        below += (index,)
        index += 1
    for branch in chain.branches:
        for entry in _named(branch, below, index):
            yield entry
            index += 1


def _villagers(chains: Sequence[Chain]) -> tuple[Villager, ...]:
    named: list[tuple[VillagerCard, int, tuple[int, ...]]] = []
    for number, chain in enumerate(chains):
        named += [(card, number, below) for card, below in _named(chain, (), len(named))]
    on_top: dict[int, tuple[int, ...]] = {}
    engineered: set[int] = set()
    for index, (card, _, below) in enumerate(named):
        if below:
            on_top[below[-1]] = (*on_top.get(below[-1], ()), index)
        if card.name == ENGINEER:
            engineered.update(below)
    return tuple(
        Villager(index, card, number, below, on_top.get(index, ()), index in engineered)
        for index, (card, number, below) in enumerate(named)
    )

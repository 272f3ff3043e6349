"""Villagers: what the state of a game means in terms of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.actions import is_own
from scorer.game import ActionError, Json, placed
from scorer.villagers.board import Chain, Village, Villager
from scorer.villagers.cards import Deck, VillagerCard, published_deck
from scorer.villagers.score import Income, Market, Tally, inventor, tally
from scorer.villagers.solo import Monastery, rank

START_GOLD = 8
"""Gold of each player at the start (rulebook, set-up)."""


@dataclass(frozen=True, slots=True)
class Table:
    """One player's village as the scorer sees it, and the ids of its cards in the same order."""

    seat: int
    name: str
    village: Village
    ids: tuple[int, ...]
    supply: int

    @classmethod
    def of(cls, state: Json, seat: int, deck: Deck) -> Table:
        kept = state["villages"][seat]
        above: dict[int | None, list[Json]] = {}
        for card in kept["cards"]:
            above.setdefault(card["on"], []).append(card)
        ids: list[int] = []
        chains = tuple(_chain(root, above, deck, ids) for root in above.get(None, ()))
        coins = {card["id"]: card["coins"] for card in kept["cards"]}
        village = Village(
            chains,
            {index: coins[number] for index, number in enumerate(ids) if coins[number]},
            tuple(find_card(deck, name) for name in kept["hand"]),
        )
        return cls(seat, state["players"][seat]["name"], village, tuple(ids), kept["supply"])

    @property
    def second_market(self) -> Tally:
        """The second market, were it now."""
        return tally(self.village, Market.SECOND, self.supply)

    @property
    def final(self) -> int:
        """The gold after the second market."""
        return self.second_market.total

    @property
    def standing(self) -> tuple[int, int]:
        """More is better: gold, then fewer villagers."""
        return self.final, -len(self.ids)

    @property
    def is_begun(self) -> bool:
        """Whether anything was done: somebody lives there, or the supply is another."""
        return bool(self.ids) or self.supply != START_GOLD

    def id_of(self, villager: Villager) -> int:
        return self.ids[villager.index]

    def villager(self, number: int) -> Villager:
        """The villager with that id. Raises ActionError if somebody has taken it away."""
        if number not in self.ids:
            raise gone()
        return self.village.villagers[self.ids.index(number)]

    def roots(self) -> tuple[int, ...]:
        """The id of the lowest card of each chain."""
        return tuple(
            self.id_of(self.village.in_chain(at)[0]) for at in range(len(self.village.chains))
        )


def tables_of(state: Json) -> list[Table]:
    """The villages of all players."""
    deck = deck_of(state)
    return [Table.of(state, seat, deck) for seat in range(len(state["players"]))]


def gone() -> ActionError:
    return ActionError("gone", "That card is no longer in the village.")


def _chain(root: Json, above: Mapping[int | None, list[Json]], deck: Deck, ids: list[int]) -> Chain:
    """The chain from *root* up.

    The ids are appended depth first, in the order of `Village.villagers`.
    """
    cards = []
    on_top = [root]
    while len(on_top) == 1:
        (card,) = on_top
        cards.append(find_card(deck, card["name"]))
        ids.append(card["id"])
        on_top = above.get(card["id"], [])
    return Chain(tuple(cards), tuple(_chain(branch, above, deck, ids) for branch in on_top))


def deck_of(state: Json) -> Deck:
    return published_deck().with_cards(map(VillagerCard.from_row, state["custom"]))


def find_card(deck: Deck, name: str) -> VillagerCard:
    card = deck.find(name)
    if card is None:
        raise ActionError(
            "card",
            "There is no villager called %(name)s: add the card first.",
            name=repr(name[:40]),
        )
    return card


def kept_card(state: Json, seat: int, number: Any) -> Json:
    """The card with that id. Raises ActionError if somebody has taken it away."""
    for card in state["villages"][seat]["cards"]:
        if card["id"] == number and type(number) is int:
            found: Json = card
            return found
    raise gone()


def inventor_income(table: Table, villager: Villager) -> Income:
    """What the Inventor earned: the gold of the branch that he lies on."""
    tops = table.village.tops(villager.chain)
    branch = next(at for at, top in enumerate(tops) if villager.index in (top.index, *top.below))
    return inventor(table.village, villager.chain, branch)


def holders_of(state: Json, lock: str, deck: Deck) -> dict[int, int]:
    """Who has the unlocking villager: seat and id of the card."""
    found: dict[int, int] = {}
    for seat, village in enumerate(state["villages"]):
        for card in village["cards"]:
            if find_card(deck, card["name"]).name.casefold() == lock.casefold():
                found.setdefault(seat, card["id"])
    return found


def monastery_of(state: Json) -> Monastery:
    solo = state["monastery"]
    return Monastery(state["expansion"], solo["finished_rounds"], solo["stacks_are_empty"])


def may_see_hand(state: Json, seat: int, viewer: Json) -> bool:
    return bool(keeps_hand(seat, viewer) or state["finished"])


def keeps_hand(seat: Any, viewer: Json) -> bool:
    """Whether a hand is up to the viewer.

    It is to the player, and to the host where the player has no device.
    """
    if viewer.get("role") == "host" and seat not in viewer.get("held", ()):
        return True
    return is_own(seat, viewer)


def is_begun(tables: Sequence[Table]) -> bool:
    """Whether anything was done on any of the tables."""
    return any(table.is_begun for table in tables)


def result_of(state: Json) -> list[Json]:
    """Points, rank and victory of every player."""
    tables = tables_of(state)
    if state["monastery"] is not None:
        gold = tables[0].final
        reached = rank(gold)
        return [{"player": tables[0].name, "score": gold, "rank": 1, "winner": reached is not None}]
    rows = [(table.name, table.final, table.standing) for table in tables]
    return placed(rows, is_begun=is_begun(tables))

"""Villagers at the table: villages laid out card by card, and every figure of the tally with its reasons.

A village is kept as a list of cards that name the card they lie on, so that two people can add to it at once.
The reasons of a figure are small objects (``{"kind": "covered", "by": [...]}``): the page puts them into words.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.villagers.board import ENGINEER, INVENTOR, LONG_CHAIN, Chain, Village, Villager
from scorer.villagers.cards import (
    COLUMNS,
    CardError,
    Counts,
    Deck,
    Formula,
    HalfSilver,
    Place,
    Printed,
    Rate,
    VillagerCard,
    published_deck,
    suits_of,
)
from scorer.villagers.documents import MARKET_ITEMS
from scorer.villagers.score import (
    GOLD_A_KEY_RING,
    Income,
    Line,
    Market,
    PadlockFee,
    Tally,
    bronze,
    caravans,
    counts_of,
    developments,
    envoys,
    inventor,
    merchants,
    padlock_fee,
    tally,
    travellers,
)
from scorer.villagers.solo import Monastery, Rank, discards, is_compatible, rank
from webapp.play import ActionError, Choice, Json, Option, SetupForm
from webapp.play.common import dict_in, int_in, list_in, players_of, seat_of, text_in, unknown_action

MOST_PLAYERS = 5
START_GOLD = 8
"""Gold of each player at the start (rulebook, set-up)."""

PADLOCK_GOLD = 2
"""What opening a padlock costs (rulebook, padlocks)."""

MOST_GOLD = 9999
"""More than any village earns; a larger number is a slip of the finger."""

MOST_CARDS = 120
"""More than a village of any game has."""

MOST_CUSTOM = 60
"""Cards of a game that are not published."""

MOST_TEXT = 120
"""Letters in a field of a card that somebody types in."""

BOXES = {
    "base": "Villagers",
    "seasons": "Shifting Seasons",
    "profiteers": "Profiteers",
    "saints": "Saints",
    "scoundrels": "Scoundrels",
    "promo": "Promo cards",
    "stretch": "Stretch goal cards",
}

SUITS = ("grains", "wood", "hay", "ore", "grapes", "wool", "leather", "solitary", "special")

_JOKERS = (Place.CHAIN_INSIDE, Place.CHAIN_ANYWHERE)
"""Cards that take the place of another one in a chain, so that anything may lie on them."""


class Villagers:
    """The game ``villagers``. Besides the actions of all games it takes

    - ``add`` (seat, name, on or null, between, from_hand): a card into the village, with what must lie below it;
    - ``replace`` (seat, id, name), ``remove`` (seat, id, above), ``shift`` (seat, id, on or null);
    - ``coins`` (seat, id, coins), ``supply`` (seat, gold), ``hand_add`` and ``hand_drop`` (seat, name);
    - ``take`` (seat, what, id or name): the gold of a market, an event, a bronze villager or an Inventor;
    - ``unlock`` (seat, name, holder): the gold for a padlock;
    - ``custom_card`` (row): a card that is not published;
    - ``next_round``, ``stacks`` (empty), ``priority`` (suits), ``road`` (cards): the Monastery.
    """

    code = "villagers"

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Villagers",
            "Tap the cards into their chains; gold, silver, coins and events are counted and explained.",
            most_players=MOST_PLAYERS,
            options=(
                Option(
                    "expansion",
                    "With the Shifting Seasons expansion",
                    "switch",
                    default=True,
                    help="Its events are offered, and the Monastery has a sixth round.",
                ),
                Option(
                    "boxes",
                    "Cards in play",
                    "many",
                    tuple(Choice(box, label) for box, label in BOXES.items()),
                    default=["base", "seasons"],
                    help="Only decides which cards are shown first; all can be found.",
                ),
                Option(
                    "monastery",
                    "Alone: the Monastery",
                    "switch",
                    default=False,
                    help="The solo game, with its rounds and its ranks.",
                ),
            ),
        )

    def start(self, setup: Json) -> Json:
        options = setup.get("options") or {}
        players = players_of(setup)
        if len(players) > MOST_PLAYERS:
            raise ActionError("players", f"Up to {MOST_PLAYERS} people can play Villagers.")
        solo = options.get("monastery") is True
        if solo and len(players) != 1:
            raise ActionError("players", "The Monastery is played alone; please enter one player.")
        boxes = options.get("boxes") or ["base", "seasons"]
        if not isinstance(boxes, list) or not all(isinstance(box, str) and box in BOXES for box in boxes):
            raise ActionError("boxes", "One of the chosen boxes is not known; please choose again.")
        return {
            "players": [
                {"name": player["name"].strip(), "colour": player.get("colour")} for player in players
            ],
            "expansion": options.get("expansion", True) is True,
            "boxes": [box for box in BOXES if box in boxes],
            "monastery": {"finished_rounds": 0, "stacks_are_empty": False, "priority": [], "road": []}
            if solo
            else None,
            "villages": [{"cards": [], "hand": [], "supply": START_GOLD, "taken": []} for _ in players],
            "next_id": 1,
            "custom": [],
            "claims": {},
            "finished": False,
        }

    def act(self, state: Json, action: Json, by: Json) -> Json:
        new = copy.deepcopy(state)
        kind = action.get("type")
        if isinstance(kind, str) and kind in _VILLAGE_ACTIONS:
            seat = seat_of(action, state)
            assert seat is not None  # only an optional seat can be None
            if _touches_hand(action) and not _keeps_hand(seat, by):
                raise ActionError("not_yours", "Only the player may use the cards of a hand.")
            _VILLAGE_ACTIONS[kind](new, seat, action)
            return new
        match kind:
            case "custom_card":
                _add_custom(new, dict_in(action, "row"))
            case "next_round" | "stacks" | "priority" | "road" as step:
                _track(new, step, action)
            case "finish" | "resume":
                new["finished"] = kind == "finish"
            case "board":
                raise ActionError("board", "Villagers has no board to photograph: tap its cards.")
            case _:
                raise unknown_action(action)
        return new

    def touches(self, action: Json) -> Sequence[str]:
        """What an action overwrites. Adding a card, or gold, overwrites nothing."""
        seat = action.get("seat")
        match action.get("type"):
            case "coins" | "replace" | "remove" | "shift":
                return (f"village/{seat}/{action.get('id')}",)
            case "supply" | "claim" as kind:
                return (f"{kind}/{seat}",)
            case "next_round" | "stacks" | "priority" | "road" as kind:
                return (kind,)
        return ()

    def view(self, state: Json, viewer: Json) -> Json:
        deck = _deck(state)
        tables = [_Table.of(state, seat, deck) for seat in range(len(state["players"]))]
        rows = self.result(state)
        return {
            "players": [
                _player_view(state, table, tables, viewer) | {"rank": row["rank"], "winner": row["winner"]}
                for table, row in zip(tables, rows, strict=True)
            ],
            "deck": [_card_view(card, state) for card in deck.cards.values()],
            "boxes": state["boxes"],
            "expansion": state["expansion"],
            "tie": _tie(tables),
            "monastery": _monastery_view(state, tables[0], deck),
            "claims": state["claims"],
            "finished": state["finished"],
            "may_edit": viewer.get("role") != "viewer",
        }

    def public(self, state: Json, viewer: Json) -> Json:
        """The state as that viewer may have it: without the hands of others until the game is over."""
        villages = [
            village if _sees_hand(state, seat, viewer) else village | {"hand": []}
            for seat, village in enumerate(state["villages"])
        ]
        return state | {"villages": villages}

    def public_action(self, action: Json, viewer: Json) -> Json:
        """An action of the log as that viewer may have it: without the cards that others took into their hands."""
        if action.get("type") in _HAND_ACTIONS and not _keeps_hand(action.get("seat"), viewer):
            return {key: value for key, value in action.items() if key != "name"}
        return action

    def result(self, state: Json) -> list[Json]:
        deck = _deck(state)
        tables = [_Table.of(state, seat, deck) for seat in range(len(state["players"]))]
        if state["monastery"] is not None:
            gold = tables[0].final
            reached = rank(gold)
            return [
                {"player": tables[0].name, "score": gold, "rank": 1, "winner": reached is not None},
            ]
        rows = []
        for table in tables:
            place = 1 + sum(other.standing > table.standing for other in tables)
            rows.append({"player": table.name, "score": table.final, "rank": place, "winner": place == 1})
        return rows

    def documents(self, state: Json) -> list[Json]:
        """One document a player, for the second market; ``id`` is the player."""
        deck = _deck(state)
        return [_document(state, _Table.of(state, seat, deck)) for seat in range(len(state["players"]))]


@dataclass(frozen=True, slots=True)
class _Table:
    """One player's village as the scorer sees it, and the ids of its cards in the same order."""

    seat: int
    name: str
    village: Village
    ids: tuple[int, ...]
    supply: int

    @classmethod
    def of(cls, state: Json, seat: int, deck: Deck) -> _Table:
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
            tuple(_find(deck, name) for name in kept["hand"]),
        )
        return cls(seat, state["players"][seat]["name"], village, tuple(ids), kept["supply"])

    @property
    def final(self) -> int:
        """The gold after the second market, were it now."""
        return tally(self.village, Market.SECOND, self.supply).total

    @property
    def standing(self) -> tuple[int, int]:
        """More is better: gold, then fewer villagers."""
        return self.final, -len(self.ids)

    def id_of(self, villager: Villager) -> int:
        return self.ids[villager.index]

    def villager(self, number: int) -> Villager:
        """The villager with that id. Raises ActionError if somebody has taken it away."""
        if number not in self.ids:
            raise _gone()
        return self.village.villagers[self.ids.index(number)]

    def roots(self) -> tuple[int, ...]:
        """The id of the lowest card of each chain."""
        return tuple(self.id_of(self.village.in_chain(at)[0]) for at in range(len(self.village.chains)))


def _gone() -> ActionError:
    return ActionError("gone", "That card is no longer in the village.")


def _chain(root: Json, above: Mapping[int | None, list[Json]], deck: Deck, ids: list[int]) -> Chain:
    """The chain from *root* up; the ids are appended depth first, as the scorer numbers its villagers."""
    cards = []
    card = root
    while True:
        cards.append(_find(deck, card["name"]))
        ids.append(card["id"])
        on_top = above.get(card["id"], [])
        if len(on_top) != 1:
            return Chain(tuple(cards), tuple(_chain(branch, above, deck, ids) for branch in on_top))
        card = on_top[0]


def _deck(state: Json) -> Deck:
    rows = state["custom"]
    return (
        published_deck().with_cards([VillagerCard.from_row(row) for row in rows])
        if rows
        else published_deck()
    )


def _find(deck: Deck, name: str) -> VillagerCard:
    card = deck.find(name)
    if card is None:
        raise ActionError("card", f"There is no villager called {name[:40]!r}: add the card first.")
    return card


def _named(state: Json, action: Json) -> VillagerCard:
    return _find(_deck(state), text_in(action, "name"))


def _kept(state: Json, seat: int, number: Any) -> Json:
    """The card with that id. Raises ActionError if somebody has taken it away."""
    for card in state["villages"][seat]["cards"]:
        if card["id"] == number and type(number) is int:
            found: Json = card
            return found
    raise _gone()


def _gold_in(action: Json, name: str) -> int:
    gold = int_in(action, name)
    if not 0 <= gold <= MOST_GOLD:
        raise ActionError("gold", f"Please enter gold from 0 to {MOST_GOLD}.")
    return gold


# What changes a village


def _add(state: Json, seat: int, action: Json) -> None:
    """Lays a card on another one, or with nothing named where it fits, adding what must lie below it."""
    deck = _deck(state)
    card = _named(state, action)
    village = state["villages"][seat]
    if action.get("from_hand") is True:
        _drop(village, str(card))
    if action.get("on") is not None:
        under = _kept(state, seat, action["on"])
        covered = [c for c in village["cards"] if c["on"] == under["id"]] if action.get("between") else []
        added = _append(state, seat, card, under["id"])
        for other in covered:
            other["on"] = added
        return
    missing = [card]
    spot = None
    while missing[-1].place is Place.ON and action.get("alone") is not True:
        spot = _free_spot(state, seat, missing[-1], deck)
        below = deck.find(missing[-1].on)
        if spot is not None or below is None or below in missing:
            break
        missing.append(below)
    for lower in reversed(missing):
        spot = _append(state, seat, lower, spot)


def _append(state: Json, seat: int, card: VillagerCard, on: int | None) -> int:
    """Lays *card* there and gives its id."""
    cards = state["villages"][seat]["cards"]
    if len(cards) >= MOST_CARDS:
        raise ActionError("full", f"A village has at most {MOST_CARDS} cards here.")
    number: int = state["next_id"]
    state["next_id"] += 1
    cards.append({"id": number, "name": str(card), "on": on, "coins": 0})
    return number


def _free_spot(state: Json, seat: int, card: VillagerCard, deck: Deck) -> int | None:
    """The first card that *card* may lie on; one that nothing lies on is taken before a second branch."""
    table = _Table.of(state, seat, deck)
    fitting = [
        villager
        for villager in table.village.villagers
        if len(villager.on_top) < villager.card.branches
        and villager.card.name.casefold() == card.on.casefold()
    ]
    best = min(fitting, key=lambda villager: len(villager.on_top), default=None)
    return None if best is None else table.id_of(best)


def _replace(state: Json, seat: int, action: Json) -> None:
    _kept(state, seat, action.get("id"))["name"] = str(_named(state, action))


def _remove(state: Json, seat: int, action: Json) -> None:
    """Takes a card away. What lies on it goes too, or else comes down to where the card lay."""
    village = state["villages"][seat]
    card = _kept(state, seat, action.get("id"))
    if action.get("above") is True:
        gone = {card["id"], *_above(village, card["id"])}
    else:
        gone = {card["id"]}
        for other in village["cards"]:
            if other["on"] == card["id"]:
                other["on"] = card["on"]
    village["cards"] = [other for other in village["cards"] if other["id"] not in gone]


def _above(village: Json, number: int) -> Iterator[int]:
    for card in village["cards"]:
        if card["on"] == number:
            yield card["id"]
            yield from _above(village, card["id"])


def _shift(state: Json, seat: int, action: Json) -> None:
    """Lays a card, with all that lies on it, on another one or down by itself."""
    village = state["villages"][seat]
    card = _kept(state, seat, action.get("id"))
    on = action.get("on")
    if on is not None:
        _kept(state, seat, on)
        if on == card["id"] or on in _above(village, card["id"]):
            raise ActionError("place", "A card cannot lie on itself or on what lies on it.")
    card["on"] = on


def _set_coins(state: Json, seat: int, action: Json) -> None:
    _kept(state, seat, action.get("id"))["coins"] = _gold_in(action, "coins")


def _set_supply(state: Json, seat: int, action: Json) -> None:
    state["villages"][seat]["supply"] = _gold_in(action, "gold")


def _hand_add(state: Json, seat: int, action: Json) -> None:
    hand = state["villages"][seat]["hand"]
    if len(hand) >= MOST_CARDS:
        raise ActionError("full", f"A hand has at most {MOST_CARDS} cards here.")
    hand.append(str(_named(state, action)))


def _hand_drop(state: Json, seat: int, action: Json) -> None:
    _drop(state["villages"][seat], str(_named(state, action)))


def _drop(village: Json, name: str) -> None:
    if name not in village["hand"]:
        raise ActionError("hand", f"{name} is not in the hand.")
    village["hand"].remove(name)


def _claim(state: Json, seat: int, action: Json) -> None:
    lines = dict_in(action, "lines")
    for item, figure in lines.items():
        if item not in MARKET_ITEMS or type(figure) is not int or not 0 <= figure <= MOST_GOLD:
            raise ActionError(
                "claim", "The pad has whole numbers for gold, silver, coins, supply and the total."
            )
    state["claims"][str(seat)] = {item: lines[item] for item in MARKET_ITEMS if item in lines}


# Gold that is taken during the game


def _take(state: Json, seat: int, action: Json) -> None:
    """Pays out a market, an event, a bronze villager or an Inventor, and notes it."""
    table = _Table.of(state, seat, _deck(state))
    village = state["villages"][seat]
    what = text_in(action, "what")
    entry: Json = {"what": what}
    match what:
        case "market":
            gold = tally(table.village, Market.FIRST).market
        case "developments":
            gold = developments(table.village).gold
        case "caravans":
            gold = caravans(table.village).gold
        case "travellers":
            gold = 0
            for villager in _with_key_ring(table.village):
                _kept(state, seat, table.id_of(villager))["coins"] += GOLD_A_KEY_RING
                gold += GOLD_A_KEY_RING
            village["taken"].append(entry | {"gold": gold})
            return
        case "merchants":
            villager = table.villager(int_in(action, "id"))
            gold = merchants(table.village, villager.chain).gold
            entry["name"] = str(table.village.chains[villager.chain].cards[0])
        case "envoys":
            card = _named(state, action)
            _drop(village, str(card))
            gold = envoys(table.village, card).gold
            entry["name"] = str(card)
        case "bronze":
            villager = table.villager(int_in(action, "id"))
            gold = bronze(table.village, villager.card.name).gold
            entry["name"] = str(villager.card)
        case "inventor":
            villager = table.villager(int_in(action, "id"))
            gold = _inventor_income(table, villager).gold
            entry["name"] = str(villager.card)
            for index in villager.below:
                card_below = _kept(state, seat, table.ids[index])
                village["supply"] += card_below["coins"]
                card_below["coins"] = 0
        case _:
            raise ActionError("what", "There is no such gold to take; please reload the page.")
    village["supply"] += gold
    village["taken"].append(entry | {"gold": gold})


def _with_key_ring(village: Village) -> list[Villager]:
    return [villager for villager in village.villagers if villager.counts and villager.card.key_ring]


def _inventor_income(table: _Table, villager: Villager) -> Income:
    """What the Inventor earned: the gold of the branch that he lies on."""
    tops = table.village.tops(villager.chain)
    branch = next(at for at, top in enumerate(tops) if villager.index in (top.index, *top.below))
    return inventor(table.village, villager.chain, branch)


def _unlock(state: Json, seat: int, action: Json) -> None:
    """Pays 2 gold for a padlock: onto an own villager from the bank, or else from the own supply."""
    deck = _deck(state)
    own = _Table.of(state, seat, deck)
    others = [_Table.of(state, at, deck).village for at in range(len(state["players"])) if at != seat]
    card = _find(deck, text_in(action, "name"))
    fee = padlock_fee(card, own.village, others)
    if fee is None:
        raise ActionError("lock", f"{card} has no padlock.")
    holder = action.get("holder")
    holders = _holders(state, card.lock, deck)
    wanted: dict[PadlockFee, list[int | None]] = {
        PadlockFee.FROM_BANK: [seat],
        PadlockFee.TO_OPPONENT: [at for at in holders if at != seat],
        PadlockFee.TO_BANK: [None],
    }
    if holder not in wanted[fee]:
        raise ActionError("lock", f"The gold for this padlock goes elsewhere: {fee.value}.")
    if fee is not PadlockFee.FROM_BANK:
        if state["villages"][seat]["supply"] < PADLOCK_GOLD:
            raise ActionError("gold", f"That costs {PADLOCK_GOLD} gold, and the supply has less.")
        state["villages"][seat]["supply"] -= PADLOCK_GOLD
    if holder is not None:
        _kept(state, holder, holders[holder])["coins"] += PADLOCK_GOLD
    state["villages"][seat]["taken"].append(
        {
            "what": "unlock",
            "name": str(card),
            "gold": 0 if fee is PadlockFee.FROM_BANK else -PADLOCK_GOLD,
            "holder": None if holder is None else state["players"][holder]["name"],
        }
    )


def _holders(state: Json, lock: str, deck: Deck) -> dict[int, int]:
    """Who has the unlocking villager: seat and id of the card."""
    found: dict[int, int] = {}
    for seat, village in enumerate(state["villages"]):
        for card in village["cards"]:
            if _find(deck, card["name"]).name.casefold() == lock.casefold():
                found.setdefault(seat, card["id"])
    return found


_HAND_ACTIONS = frozenset({"hand_add", "hand_drop"})

_VILLAGE_ACTIONS: dict[str, Callable[[Json, int, Json], None]] = {
    "add": _add,
    "replace": _replace,
    "remove": _remove,
    "shift": _shift,
    "coins": _set_coins,
    "supply": _set_supply,
    "hand_add": _hand_add,
    "hand_drop": _hand_drop,
    "claim": _claim,
    "take": _take,
    "unlock": _unlock,
}


def _add_custom(state: Json, row: Json) -> None:
    """Adds a card that is not published, or one that is known with other values."""
    cells: dict[str, str] = {}
    for column, value in row.items():
        if column not in COLUMNS or not isinstance(value, str) or len(value) > MOST_TEXT:
            raise ActionError("custom", f"A card is described by texts of up to {MOST_TEXT} letters.")
        cells[column] = " ".join(value.split())
    try:
        card = VillagerCard.from_row(cells)
    except CardError as error:
        raise ActionError(f"custom_{error.column}", f"This card cannot be used: {error}.") from None
    others = [known for known in state["custom"] if known["name"].casefold() != card.name.casefold()]
    if len(others) >= MOST_CUSTOM:
        raise ActionError("full", f"A game has at most {MOST_CUSTOM} cards of its own.")
    state["custom"] = [*others, cells]


def _track(state: Json, kind: str, action: Json) -> None:
    """Follows the solo game."""
    solo = state["monastery"]
    if solo is None:
        raise ActionError("monastery", "This is no game of the Monastery.")
    match kind:
        case "next_round":
            if _monastery(state).is_over:
                raise ActionError("monastery", "The last round is played: count the second market.")
            solo["finished_rounds"] += 1
        case "stacks":
            if not isinstance(action.get("empty"), bool):
                raise ActionError("action", "The change lacks 'empty'; please reload the page.")
            solo["stacks_are_empty"] = action["empty"]
        case "priority":
            suits = list_in(action, "suits")
            if len(suits) > len(SUITS) or not all(suit in SUITS for suit in suits):
                raise ActionError("suit", "A priority card shows suits; please choose them again.")
            solo["priority"] = list(suits)
        case _:
            names = list_in(action, "cards")
            if len(names) > MOST_CARDS or not all(isinstance(name, str) for name in names):
                raise ActionError("card", "The road holds villagers; please choose them again.")
            deck = _deck(state)
            solo["road"] = [str(_find(deck, name)) for name in names]


def _monastery(state: Json) -> Monastery:
    solo = state["monastery"]
    return Monastery(state["expansion"], solo["finished_rounds"], solo["stacks_are_empty"])


# What the page shows


def _sees_hand(state: Json, seat: int, viewer: Json) -> bool:
    return bool(_keeps_hand(seat, viewer) or state["finished"])


def _keeps_hand(seat: Any, viewer: Json) -> bool:
    """Whether a hand is up to the viewer: the player's own, and the host's where the player has no device."""
    if viewer.get("role") == "host" and seat not in viewer.get("held", ()):
        return True
    return bool(viewer.get("role") != "viewer" and seat is not None and viewer.get("seat") == seat)


def _touches_hand(action: Json) -> bool:
    """Whether an action uses the cards of a hand: a refusal would tell which ones lie in it."""
    return (
        action.get("type") in _HAND_ACTIONS
        or action.get("from_hand") is True
        or action.get("what") == "envoys"
    )


def _player_view(state: Json, table: _Table, tables: Sequence[_Table], viewer: Json) -> Json:
    village, kept = table.village, state["villages"][table.seat]
    counts = counts_of(village)
    first, second = (tally(village, market, table.supply) for market in Market)
    sees_hand = _sees_hand(state, table.seat, viewer)
    below = {card["id"]: card["on"] for card in kept["cards"]}
    return {
        "seat": table.seat,
        "name": table.name,
        "supply": table.supply,
        "hand": list(kept["hand"]) if sees_hand else None,
        "hand_count": len(kept["hand"]),
        "total": second.total,
        "villagers": len(table.ids),
        "cards": [
            _villager_view(table, villager, counts, first.lines[at], second.lines[at])
            | {"on": below[table.ids[at]]}
            for at, villager in enumerate(village.villagers)
        ],
        "chains": [
            {"root": root, "production": village.is_production_chain(at)}
            for at, root in enumerate(table.roots())
        ],
        "markets": {"1": _market_view(first), "2": _market_view(second)},
        "counts": {
            "food": counts.food,
            "builders": counts.builders,
            "padlocks": counts.padlocks,
            "gold_symbols": counts.gold_symbols,
            "suits": {suit: number for suit, number in counts.suits.items() if number},
        },
        "events": _events_view(table, counts, sees_hand) if state["expansion"] else [],
        "bronze": _bronze_view(table, counts),
        "inventors": [
            {
                "id": table.id_of(villager),
                "gold": _inventor_income(table, villager).gold,
                "villagers": [table.ids[index] for index in villager.below],
            }
            for villager in village.villagers
            if villager.card.name == INVENTOR
        ],
        "spots": _spots(table),
        "fees": _fees(state, table, tables),
        "taken": list(kept["taken"]),
        "problems": [{"code": problem.code, "message": problem.message} for problem in village.problems()],
    }


def _villager_view(table: _Table, villager: Villager, counts: Counts, first: Line, second: Line) -> Json:
    card = villager.card
    return {
        "id": table.id_of(villager),
        "name": str(card),
        "suit": card.suit,
        "above": [table.ids[index] for index in villager.on_top],
        "covered": villager.is_covered,
        "engineered": villager.is_engineered,
        "counts": villager.counts,
        "coins": table.village.coins.get(villager.index, 0),
        "gold": second.gold,
        "silver": second.silver,
        "points": {
            "1": first.gold + first.silver + first.coins,
            "2": second.gold + second.silver + second.coins,
        },
        "reasons": list(_reasons(table, villager, counts)),
        "turns": bool(card.turned) or card.is_turned,
    }


def _reasons(table: _Table, villager: Villager, counts: Counts) -> Iterator[Json]:
    """Why a villager gives what it gives, as small objects that the page puts into words."""
    card, village = villager.card, table.village
    if villager.is_covered:
        engineer = next(
            (
                table.id_of(other)
                for other in village.villagers
                if other.card.name == ENGINEER and villager.index in other.below
            ),
            None,
        )
        yield {
            "kind": "engineered" if villager.counts else "covered",
            "by": [str(village.villagers[index].card) for index in villager.on_top],
            "ids": [table.ids[index] for index in villager.on_top] if engineer is None else [engineer],
        }
    for what, formula in (("gold", card.gold), ("silver", card.silver), ("bronze", card.bronze)):
        if formula is not None and villager.counts:
            yield {"kind": what} | _formula_view(formula, counts) | {"ids": _counted(table, formula)}
    if table.village.coins.get(villager.index):
        yield {"kind": "coins", "amount": table.village.coins[villager.index], "ids": []}
    if not card.is_valued:
        yield {"kind": "unvalued", "name": card.name, "ids": []}


def _formula_view(formula: Formula, counts: Counts | None = None) -> Json:
    """A formula in parts; with *counts* also what it gives now."""
    match formula:
        case Printed(amount):
            parts: Json = {"formula": "printed", "each": amount}
        case Rate(amount, per, noun):
            parts = {"formula": "rate", "each": amount, "per": per, "noun": noun}
            if counts is not None:
                parts["counted"] = formula.count(counts)
        case HalfSilver():
            parts = {"formula": "half"}
            if counts is not None:
                parts["counted"] = max(counts.silver, default=0)
        case _:
            raise TypeError(f"expected a known formula, got {formula!r}")
    return parts if counts is None else parts | {"amount": formula.value(counts)}


def _counted(table: _Table, formula: Formula) -> list[int]:
    """The villagers that a formula counts: those of whom it would count something if they stood alone."""
    if not isinstance(formula, Rate):
        return []
    village = table.village
    long = {
        at
        for at in range(len(village.chains))
        if village.is_production_chain(at) and len(village.in_chain(at)) >= LONG_CHAIN
    }
    found = []
    for villager in village.villagers:
        card, shows = villager.card, villager.counts
        if formula.noun.startswith("set of "):  # which nobody has alone
            if card.suit in formula.noun.split():
                found.append(table.id_of(villager))
            continue
        alone = Counts(
            suits=suits_of([card]),
            padlocks=int(bool(card.lock)),
            gold_symbols=int(shows and card.gold is not None),
            food=card.food * shows,
            builders=card.builder * shows,
            printed_gold={card.suit: card.printed_gold * shows},
            coins=(village.coins.get(villager.index, 0),),
            hand=0,
            long_chains=int(villager.chain in long),
        )
        if formula.count(alone):
            found.append(table.id_of(villager))
    return found


def _market_view(answer: Tally) -> Json:
    return {
        "gold": answer.gold,
        "silver": answer.silver,
        "coins": answer.coins,
        "market": answer.market,
        "supply": answer.supply,
        "total": answer.total,
    }


def _events_view(table: _Table, counts: Counts, sees_hand: bool) -> list[Json]:
    """What each scoring event of the expansion would give now."""
    village = table.village
    chains = [
        _merchants_view(table, at, counts)
        for at in range(len(village.chains))
        if village.is_production_chain(at)
    ]
    held = {str(card): card for card in village.hand if card.printed_gold} if sees_hand else {}
    return [
        {"event": "developments", "gold": developments(village).gold, "hand": len(village.hand)},
        {
            "event": "travellers",
            "gold": travellers(village).gold,
            "ids": [table.id_of(villager) for villager in _with_key_ring(village)],
        },
        {
            "event": "caravans",
            "gold": caravans(village).gold,
            "lines": [
                {"id": table.id_of(line.villager), "gold": line.silver}
                for line in tally(village, Market.SECOND).lines
                if line.silver
            ],
        },
        {
            "event": "merchants",
            "gold": merchants(village).gold,
            "chains": sorted(chains, key=lambda chain: -chain["gold"]),
        },
        {
            "event": "envoys",
            "gold": envoys(village).gold if sees_hand else None,
            "cards": sorted(
                (
                    {"name": name, "printed": card.printed_gold, "gold": envoys(village, card).gold}
                    for name, card in held.items()
                ),
                key=lambda choice: -choice["gold"],
            ),
        },
    ]


def _merchants_view(table: _Table, at: int, counts: Counts) -> Json:
    village = table.village
    lines = []
    for villager in village.in_chain(at):
        if not villager.counts:
            continue
        card = villager.card
        shown = {
            what: formula.value(counts)
            for what, formula in (("gold", card.gold), ("silver", card.silver), ("bronze", card.bronze))
            if formula is not None
        }
        shown["coins"] = village.coins.get(villager.index, 0)
        if any(shown.values()):
            lines.append({"id": table.id_of(villager), "name": str(card), **shown})
    return {
        "root": table.roots()[at],
        "name": str(village.chains[at].cards[0]),
        "gold": merchants(village, at).gold,
        "lines": lines,
    }


def _bronze_view(table: _Table, counts: Counts) -> list[Json]:
    """The bronze villagers that could score in a build phase, the best one first."""
    found = [
        {
            "id": table.id_of(villager),
            "name": str(villager.card),
            "gold": villager.card.bronze.value(counts),
            "reason": {"kind": "bronze"} | _formula_view(villager.card.bronze, counts),
            "ids": _counted(table, villager.card.bronze),
        }
        for villager in table.village.villagers
        if villager.counts and villager.card.bronze is not None
    ]
    return sorted(found, key=lambda line: -line["gold"])


def _spots(table: _Table) -> Json:
    """Where a card may be laid: by the name that its ``on`` says, beside jokers, in chains and inside them."""
    village = table.village
    by_name: dict[str, list[int]] = {}
    joker, chain, inside = [], [], []
    for villager in village.villagers:
        number = table.id_of(villager)
        if village.is_production_chain(villager.chain):
            if len(villager.on_top) < villager.card.branches:
                chain.append(number)
            if villager.on_top:
                inside.append(number)
        if len(villager.on_top) < villager.card.branches:
            by_name.setdefault(villager.card.name, []).append(number)
            if villager.card.place in _JOKERS:
                joker.append(number)
    return {"on": by_name, "joker": joker, "chain": chain, "inside": inside}


def _fees(state: Json, table: _Table, tables: Sequence[_Table]) -> Json:
    """For each padlock where its gold would go, and who has the villager that opens it."""
    deck = _deck(state)
    others = [other.village for other in tables if other.seat != table.seat]
    fees: Json = {}
    for card in deck.cards.values():
        fee = None if card.lock in fees else padlock_fee(card, table.village, others)
        if fee is not None:
            fees[card.lock] = {
                "kind": fee.name,
                "seats": [
                    seat
                    for seat in _holders(state, card.lock, deck)
                    if (seat == table.seat) == (fee is PadlockFee.FROM_BANK)
                ],
            }
    return fees


def _card_view(card: VillagerCard, state: Json) -> Json:
    """A card as the picker shows and finds it."""
    turned = card.turned
    return {
        "name": str(card),
        "turned": None if turned is None else str(turned),
        "suit": card.suit,
        "on": card.on if card.place is Place.ON else "",
        "place": card.place.name,
        "gold": None if card.gold is None else _formula_view(card.gold),
        "silver": None if card.silver is None else _formula_view(card.silver),
        "bronze": None if card.bronze is None else _formula_view(card.bronze),
        "food": card.food,
        "builder": card.builder,
        "lock": card.lock,
        "key": card.key_ring,
        "symbols": card.suit_symbols,
        "branches": card.branches,
        "box": card.box,
        "valued": card.is_valued,
        "own": any(row["name"].casefold() == card.name.casefold() for row in state["custom"]),
    }


def _tie(tables: Sequence[_Table]) -> Json | None:
    """Whether the most gold was shared, and what then decided."""
    best = max(table.final for table in tables)
    tied = [table for table in tables if table.final == best]
    if len(tied) < 2:
        return None
    standing = max(table.standing for table in tied)
    won = [table.name for table in tied if table.standing == standing]
    return {
        "gold": best,
        "players": [{"name": table.name, "villagers": len(table.ids)} for table in tied],
        "winners": won,
        "shared": len(won) > 1,
    }


def _monastery_view(state: Json, table: _Table, deck: Deck) -> Json | None:
    """Rounds, rank and the discard of the priority card, in the solo game."""
    solo = state["monastery"]
    if solo is None:
        return None
    game = _monastery(state)
    road = [_find(deck, name) for name in solo["road"]]
    gold = table.final
    reached = rank(gold)
    return {
        "finished_rounds": game.finished_rounds,
        "rounds": game.rounds,
        "is_over": game.is_over,
        "stacks_are_empty": game.stacks_are_empty,
        "gold": gold,
        "rank": None if reached is None else reached.name.lower(),
        "ranks": [{"rank": step.name.lower(), "gold": step.value} for step in Rank],
        "priority": solo["priority"],
        "road": solo["road"],
        "discards": sorted({str(card) for card in discards(road, solo["priority"])}),
        "forbidden": [
            str(villager.card) for villager in table.village.villagers if not is_compatible(villager.card)
        ],
    }


def _document(state: Json, table: _Table) -> Json:
    """The document of ``tallystone score`` and ``audit`` for one player's second market."""
    village = table.village
    coins: dict[str, list[int]] = {}
    for villager in village.villagers:
        coins.setdefault(villager.card.name, []).append(village.coins.get(villager.index, 0))
    document: Json = {
        "game": "villagers",
        "id": table.name,
        "market": Market.SECOND.value,
        "village": {
            "chains": [_chain_document(chain) for chain in village.chains],
            "coins": {
                name: amounts if len(amounts) > 1 else amounts[0]
                for name, amounts in coins.items()
                if any(amounts)
            },
        },
        "supply": table.supply,
        "hand": [str(card) for card in village.hand],
    }
    if state["custom"]:
        document["custom"] = state["custom"]
    claimed = state["claims"].get(str(table.seat))
    if claimed:
        document["claimed"] = claimed
    return document


def _chain_document(chain: Chain) -> list[Any]:
    return [*(str(card) for card in chain.cards), *(_chain_document(branch) for branch in chain.branches)]


GAME = Villagers()

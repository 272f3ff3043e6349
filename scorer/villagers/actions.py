"""Villagers: what each action changes in the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scorer.actions import int_in, list_in, text_in
from scorer.game import ActionError, Json
from scorer.villagers.cards import COLUMNS, SUITS, CardError, Deck, Place, VillagerCard
from scorer.villagers.score import (
    GOLD_A_KEY_RING,
    Market,
    PadlockFee,
    bronze,
    caravans,
    developments,
    envoys,
    merchants,
    padlock_fee,
    tally,
    travellers,
)
from scorer.villagers.state import (
    Table,
    deck_of,
    find_card,
    holders_of,
    inventor_income,
    kept_card,
    monastery_of,
)

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


def _named(state: Json, action: Json) -> VillagerCard:
    return find_card(deck_of(state), text_in(action, "name"))


def _gold_in(action: Json, name: str) -> int:
    gold = int_in(action, name)
    if not 0 <= gold <= MOST_GOLD:
        raise ActionError("gold", "Please enter gold from 0 to %(most)s.", most=MOST_GOLD)
    return gold


def _add(state: Json, seat: int, action: Json) -> None:
    """Lays a card on another one.

    If none is named, it goes where it fits, with all that must lie below it.
    """
    deck = deck_of(state)
    card = _named(state, action)
    village = state["villages"][seat]
    if action.get("from_hand") is True:
        _drop(village, str(card))
    if action.get("on") is not None:
        under = kept_card(state, seat, action["on"])
        covered = (
            [c for c in village["cards"] if c["on"] == under["id"]] if action.get("between") else []
        )
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
        raise ActionError("full", "A village has at most %(most)s cards here.", most=MOST_CARDS)
    number: int = state["next_id"]
    state["next_id"] += 1
    cards.append({"id": number, "name": str(card), "on": on, "coins": 0})
    return number


def _free_spot(state: Json, seat: int, card: VillagerCard, deck: Deck) -> int | None:
    """The first card that *card* may lie on, preferably one that nothing lies on."""
    table = Table.of(state, seat, deck)
    fitting = [
        villager
        for villager in table.village.villagers
        if len(villager.on_top) < villager.card.branches
        and villager.card.name.casefold() == card.on.casefold()
    ]
    best = min(fitting, key=lambda villager: len(villager.on_top), default=None)
    return None if best is None else table.id_of(best)


def _replace(state: Json, seat: int, action: Json) -> None:
    kept_card(state, seat, action.get("id"))["name"] = str(_named(state, action))


def _remove(state: Json, seat: int, action: Json) -> None:
    """Takes a card away. What lies on it goes too, or else comes down to where the card lay."""
    village = state["villages"][seat]
    card = kept_card(state, seat, action.get("id"))
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
    card = kept_card(state, seat, action.get("id"))
    on = action.get("on")
    if on is not None:
        kept_card(state, seat, on)
        if on == card["id"] or on in _above(village, card["id"]):
            raise ActionError("place", "A card cannot lie on itself or on what lies on it.")
    card["on"] = on


def _set_coins(state: Json, seat: int, action: Json) -> None:
    kept_card(state, seat, action.get("id"))["coins"] = _gold_in(action, "coins")


def _set_supply(state: Json, seat: int, action: Json) -> None:
    state["villages"][seat]["supply"] = _gold_in(action, "gold")


def _hand_add(state: Json, seat: int, action: Json) -> None:
    hand = state["villages"][seat]["hand"]
    if len(hand) >= MOST_CARDS:
        raise ActionError("full", "A hand has at most %(most)s cards here.", most=MOST_CARDS)
    hand.append(str(_named(state, action)))


def _hand_drop(state: Json, seat: int, action: Json) -> None:
    _drop(state["villages"][seat], str(_named(state, action)))


def _drop(village: Json, name: str) -> None:
    if name not in village["hand"]:
        raise ActionError("hand", "%(name)s is not in the hand.", name=name)
    village["hand"].remove(name)


def _take(state: Json, seat: int, action: Json) -> None:
    """Pays out a market, an event, a bronze villager or an Inventor, and notes it."""
    table = Table.of(state, seat, deck_of(state))
    village = state["villages"][seat]
    what = text_in(action, "what")
    entry: Json = {"what": what}
    match what:
        case "market":
            if any(entry["what"] == "market" for entry in village["taken"]):
                raise ActionError("taken", "The gold of the first market was taken already.")
            gold = tally(table.village, Market.FIRST).market
        case "developments":
            gold = developments(table.village).gold
        case "caravans":
            gold = caravans(table.village).gold
        case "travellers":
            gold = travellers(table.village).gold
            for villager in table.village.with_key_ring():
                kept_card(state, seat, table.id_of(villager))["coins"] += GOLD_A_KEY_RING
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
            gold = inventor_income(table, villager).gold
            entry["name"] = str(villager.card)
            for index in villager.below:
                card_below = kept_card(state, seat, table.ids[index])
                village["supply"] += card_below["coins"]
                card_below["coins"] = 0
        case _:
            raise ActionError("what", "There is no such gold to take; please reload the page.")
    if what != "travellers":  # whose gold lies on the villagers
        village["supply"] += gold
    village["taken"].append(entry | {"gold": gold})


def _unlock(state: Json, seat: int, action: Json) -> None:
    """Pays 2 gold for a padlock: from the bank onto an own villager, or else from the supply.

    If the id of the villager is told, its padlock is paid once.
    """
    deck = deck_of(state)
    own = Table.of(state, seat, deck)
    others = [
        Table.of(state, at, deck).village for at in range(len(state["players"])) if at != seat
    ]
    card = find_card(deck, text_in(action, "name"))
    fee = padlock_fee(card, own.village, others)
    if fee is None:
        raise ActionError("lock", "%(card)s has no padlock.", card=card)
    entry: Json = {"what": "unlock", "name": str(card)}
    if action.get("id") is not None:
        entry["id"] = kept_card(state, seat, action["id"])["id"]
        if any(entry.items() <= paid.items() for paid in state["villages"][seat]["taken"]):
            raise ActionError("taken", "The padlock of %(card)s was paid already.", card=card)
    holder = action.get("holder")
    holders = holders_of(state, card.lock, deck)
    wanted: dict[PadlockFee, list[int | None]] = {
        PadlockFee.FROM_BANK: [seat],
        PadlockFee.TO_OPPONENT: [at for at in holders if at != seat],
        PadlockFee.TO_BANK: [None],
    }
    if holder not in wanted[fee]:
        raise ActionError(
            "lock", "The gold for this padlock goes elsewhere: %(way)s.", way=fee.value
        )
    if fee is not PadlockFee.FROM_BANK:
        if state["villages"][seat]["supply"] < PADLOCK_GOLD:
            raise ActionError(
                "gold", "That costs %(gold)s gold, and the supply has less.", gold=PADLOCK_GOLD
            )
        state["villages"][seat]["supply"] -= PADLOCK_GOLD
    if holder is not None:
        kept_card(state, holder, holders[holder])["coins"] += PADLOCK_GOLD
    state["villages"][seat]["taken"].append(
        entry
        | {
            "gold": 0 if fee is PadlockFee.FROM_BANK else -PADLOCK_GOLD,
            "holder": None if holder is None else state["players"][holder]["name"],
        }
    )


HAND_ACTIONS = frozenset({"hand_add", "hand_drop"})

VILLAGE_ACTIONS: dict[str, Callable[[Json, int, Json], None]] = {
    "add": _add,
    "replace": _replace,
    "remove": _remove,
    "shift": _shift,
    "coins": _set_coins,
    "supply": _set_supply,
    "hand_add": _hand_add,
    "hand_drop": _hand_drop,
    "take": _take,
    "unlock": _unlock,
}


def add_custom(state: Json, row: Json) -> None:
    """Adds a card that is not published, or one that is known with other values."""
    cells: dict[str, str] = {}
    for column, value in row.items():
        if column not in COLUMNS or not isinstance(value, str) or len(value) > MOST_TEXT:
            raise ActionError(
                "custom", "A card is described by texts of up to %(most)s letters.", most=MOST_TEXT
            )
        cells[column] = " ".join(value.split())
    try:
        card = VillagerCard.from_row(cells)
    except CardError as error:
        raise ActionError(
            f"custom_{error.column}", "This card cannot be used: %(error)s.", error=error.message
        ) from None
    others = [
        known for known in state["custom"] if known["name"].casefold() != card.name.casefold()
    ]
    if len(others) >= MOST_CUSTOM:
        raise ActionError("full", "A game has at most %(most)s cards of its own.", most=MOST_CUSTOM)
    state["custom"] = [*others, cells]


def track(state: Json, kind: str, action: Json) -> None:
    """Follows the solo game."""
    solo = state["monastery"]
    if solo is None:
        raise ActionError("monastery", "This is no game of the Monastery.")
    match kind:
        case "next_round":
            following = solo["finished_rounds"] + 1
            if action.get("round", following) != following:
                raise ActionError("round_over", "That round has ended already.")
            if monastery_of(state).is_over:
                raise ActionError("monastery", "The last round is played: count the second market.")
            solo["finished_rounds"] = following
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
            deck = deck_of(state)
            solo["road"] = [str(find_card(deck, name)) for name in names]


def touches_hand(action: Json) -> bool:
    """Whether an action uses the cards of a hand: a refusal would tell which ones lie in it."""
    return (
        action.get("type") in HAND_ACTIONS
        or action.get("from_hand") is True
        or action.get("what") == "envoys"
    )

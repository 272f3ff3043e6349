"""Villagers: what a page shows of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

from scorer.fields import problem_document
from scorer.game import Json
from scorer.text import NOTHING, Text, both, either, listed
from scorer.villagers.board import ENGINEER, INVENTOR, JOKERS, Villager
from scorer.villagers.cards import (
    MOST_COINS,
    SPECIAL,
    SUITS,
    Counts,
    Deck,
    Formula,
    HalfSilver,
    Place,
    Rate,
    VillagerCard,
)
from scorer.villagers.score import (
    Line,
    Market,
    PadlockFee,
    caravans,
    coins_on_it,
    counts_of,
    developments,
    envoys,
    merchant_lines,
    merchants,
    padlock_fee,
    silver_values,
    tally,
    travellers,
)
from scorer.villagers.solo import Rank, discards, is_compatible, rank
from scorer.villagers.state import (
    Table,
    deck_of,
    find_card,
    holders_of,
    inventor_income,
    is_begun,
    may_see_hand,
    monastery_of,
    result_of,
    tables_of,
)


def shown(state: Json, viewer: Json) -> Json:
    """All that a page shows of the game."""
    deck = deck_of(state)
    tables = tables_of(state)
    rows = result_of(state)
    return {
        "players": [
            player_view(state, table, tables, viewer)
            | {"rank": row["rank"], "winner": row["winner"]}
            for table, row in zip(tables, rows, strict=True)
        ],
        "deck": [card_view(card, state) for card in deck.cards.values()],
        "boxes": state["boxes"],
        "markets_say": {
            "1": Text("Silver waits for the second market; coins stay on their villagers."),
            "2": Text("As the village is now. The second market ends the game."),
        },
        "tie": tie(tables),
        "monastery": monastery_view(state, tables[0], deck),
        "may_edit": viewer.get("role") != "viewer",
    }


def player_view(state: Json, table: Table, tables: Sequence[Table], viewer: Json) -> Json:
    village, kept = table.village, state["villages"][table.seat]
    counts = counts_of(village)
    first, second = (tally(village, market, table.supply) for market in Market)
    sees_hand = may_see_hand(state, table.seat, viewer)
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
        "chains": [{"root": root} for root in table.roots()],
        "markets": {"1": first.figures, "2": second.figures},
        "counts": {
            "food": counts.food,
            "builders": counts.builders,
            "padlocks": counts.padlocks,
            "gold_symbols": counts.gold_symbols,
            "suits": {
                suit: number for suit, number in counts.suits.items() if number and suit != SPECIAL
            },
        },
        "events": _events_view(table, sees_hand) if state["expansion"] else [],
        "bronze": _bronze_view(table, counts),
        "inventors": [
            {
                "id": table.id_of(villager),
                "gold": inventor_income(table, villager).gold,
                "says": Text("5 gold for each villager below; their coins come to the supply."),
                "villagers": [table.ids[index] for index in villager.below],
            }
            for villager in village.villagers
            if villager.card.name == INVENTOR
        ],
        "spots": _spots(table),
        "fees": _fees(state, table, tables),
        "taken": list(kept["taken"]),
        "problems": [problem_document(problem) for problem in village.problems()],
    }


def _villager_view(
    table: Table, villager: Villager, counts: Counts, first: Line, second: Line
) -> Json:
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
        "points": {"1": first.points, "2": second.points},
        "reasons": list(_reasons(table, villager, counts)),
        "turns": bool(card.turned) or card.is_turned,
    }


def _reasons(table: Table, villager: Villager, counts: Counts) -> Iterator[Json]:
    """Why a villager gives what it gives, and the cards that count."""
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
        by = both([str(village.villagers[index].card) for index in villager.on_top])
        yield {
            "kind": "engineered" if villager.counts else "covered",
            "says": Text("Covered by %(by)s, but counts again under an Engineer.", by=by)
            if villager.counts
            else Text(
                "Covered by %(by)s: gold, silver, bronze, food and builders do not count.", by=by
            ),
            "ids": [table.ids[index] for index in villager.on_top]
            if engineer is None
            else [engineer],
        }
    for what, formula in card.formulas if villager.counts else ():
        yield _reason(what, formula, counts) | {"ids": _counted(table, formula)}
    if table.village.coins.get(villager.index):
        coins = table.village.coins[villager.index]
        yield {"kind": "coins", "says": coins_on_it(coins), "amount": coins, "ids": []}
    if not card.is_valued:
        says = Text("No values of this card are published: it counts 0 here.")
        yield {"kind": "unvalued", "says": says, "ids": []}


_METALS = {"gold": Text("Gold"), "silver": Text("Silver"), "bronze": Text("Bronze")}
_LATER = {
    "silver": {"1": Text("waits for the second market")},
    "bronze": dict.fromkeys("12", Text("in a build phase")),
}
"""Until when a metal waits, by the market that is looked at."""


def _reason(metal: str, formula: Formula, counts: Counts) -> Json:
    """What a formula gives now, and why."""
    return {
        "kind": metal,
        "says": Text("%(metal)s: %(why)s", metal=_METALS[metal], why=formula.why(counts)),
        "amount": formula.value(counts),
        "later": _LATER.get(metal, {}),
    }


def _counted(table: Table, formula: Formula) -> list[int]:
    """The villagers that a formula counts: it would count something if they stood alone.

    Of the villagers with coins an Agent counts one alone, and an Alchemist one with silver.
    """
    if isinstance(formula, HalfSilver):
        values = silver_values(table.village)
        return [table.id_of(max(values, key=itemgetter(1))[0])] if values else []
    if not isinstance(formula, Rate):
        return []
    village, words = table.village, formula.noun.split()
    is_set = formula.noun.startswith("set of ")  # which nobody has alone
    found = [
        table.id_of(villager)
        for villager in village.villagers
        if (villager.card.suit in words if is_set else formula.count(village.counted([villager])))
    ]
    if formula.noun == MOST_COINS and found:
        return [max(found, key=lambda number: village.coins[table.ids.index(number)])]
    return found


_EVENTS = {
    "developments": (Text("Developments"), Text("2 gold for each villager in hand.")),
    "travellers": (Text("Travellers"), Text("2 gold on each own villager with a key ring.")),
    "caravans": (Text("Caravans"), Text("All silver scores now.")),
    "merchants": (
        Text("Merchants"),
        Text("One production chain scores gold, silver, bronze and coins."),
    ),
    "envoys": (
        Text("Envoys"),
        Text("Half the gold of a villager in hand, rounded up; it is then discarded."),
    ),
}


def _events_view(table: Table, sees_hand: bool) -> list[Json]:
    """What each scoring event of the expansion would give now."""
    village = table.village
    chains = [
        _merchants_view(table, at)
        for at in range(len(village.chains))
        if village.is_production_chain(at)
    ]
    held = {str(card): card for card in village.hand if card.printed_gold} if sees_hand else {}
    found: list[Json] = [
        {"event": "developments", "gold": developments(village).gold, "hand": len(village.hand)},
        {
            "event": "travellers",
            "gold": travellers(village).gold,
            "ids": [table.id_of(villager) for villager in village.with_key_ring()],
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
                    {
                        "name": name,
                        "says": Text("Half of %(n)s, rounded up", n=card.printed_gold),
                        "gold": envoys(village, card).gold,
                    }
                    for name, card in held.items()
                ),
                key=lambda choice: -choice["gold"],
            ),
        },
    ]
    for event in found:
        event["title"], event["says"] = _EVENTS[event["event"]]
    return found


def _merchants_view(table: Table, at: int) -> Json:
    village = table.village
    return {
        "root": table.roots()[at],
        "name": str(village.chains[at].cards[0]),
        "gold": merchants(village, at).gold,
        "lines": [
            {"id": table.id_of(villager), "name": str(villager.card), **shown}
            for villager, shown in merchant_lines(village, at)
        ],
    }


def _bronze_view(table: Table, counts: Counts) -> list[Json]:
    """The bronze villagers that could score in a build phase, the best one first."""
    found = [
        {
            "id": table.id_of(villager),
            "name": str(villager.card),
            "gold": villager.card.bronze.value(counts),
            "reason": _reason("bronze", villager.card.bronze, counts),
            "ids": _counted(table, villager.card.bronze),
        }
        for villager in table.village.villagers
        if villager.counts and villager.card.bronze is not None
    ]
    return sorted(found, key=lambda line: -line["gold"])


def _spots(table: Table) -> Json:
    """The cards that another one may be laid on, and those above which it may be slid in.

    By the name of the card that it must lie on, or else by where it lies (`Place`).
    """
    village = table.village
    by_name: dict[str, list[int]] = {}
    joker, chain, inside = [], [], []
    for villager in village.villagers:
        number = table.id_of(villager)
        has_room = len(villager.on_top) < villager.card.branches
        if village.is_production_chain(villager.chain):
            if has_room:
                chain.append(number)
            if villager.on_top:
                inside.append(number)
        if has_room:
            by_name.setdefault(villager.card.name, []).append(number)
            if villager.card.place in JOKERS:
                joker.append(number)
    return {
        name: {"on": list(dict.fromkeys(numbers + joker)), "between": []}
        for name, numbers in by_name.items()
    } | {
        Place.ON.name: {"on": joker, "between": []},
        Place.CHAIN_TOP.name: {"on": chain, "between": []},
        Place.CHAIN_INSIDE.name: {"on": [], "between": inside},
        Place.CHAIN_ANYWHERE.name: {"on": chain, "between": inside},
    }


def _fees(state: Json, table: Table, tables: Sequence[Table]) -> Json:
    """For each padlock what is to be paid, and whose villager it may go onto; None is the bank."""
    deck = deck_of(state)
    others = [other.village for other in tables if other.seat != table.seat]
    fees: Json = {}
    for card in deck.cards.values():
        fee = None if card.lock in fees else padlock_fee(card, table.village, others)
        if fee is not None:
            seats = [
                seat
                for seat in holders_of(state, card.lock, deck)
                if (seat == table.seat) == (fee is PadlockFee.FROM_BANK)
            ]
            says = _FEES[fee].template
            owners = either(tables[seat].name for seat in seats) if seats else ""
            fees[card.lock] = {
                "holders": seats if seats else [None],
                "says": Text(says, lock=card.lock, name=owners),
            }
    return fees


_FEES = {
    PadlockFee.FROM_BANK: Text("Padlock: 2 gold from the bank onto your %(lock)s"),
    PadlockFee.TO_OPPONENT: Text("Padlock: pay 2 gold onto the %(lock)s of %(name)s"),
    PadlockFee.TO_BANK: Text("Padlock: pay 2 gold to the bank"),
}


def _formula_view(formula: Formula | None) -> Json | None:
    return {"says": formula.text} if formula else None


def card_view(card: VillagerCard, state: Json) -> Json:
    """A card as the picker shows and finds it."""
    turned = card.turned
    return {
        "name": str(card),
        "turned": None if turned is None else str(turned),
        "suit": card.suit,
        "on": card.on if card.place is Place.ON else "",
        "place": card.place.name,
        "says": Text("on %(card)s", card=card.on) if card.place is Place.ON else card.place.value,
        "gold": _formula_view(card.gold),
        "silver": _formula_view(card.silver),
        "bronze": _formula_view(card.bronze),
        "food": card.food,
        "builder": card.builder,
        "lock": card.lock,
        "key": card.key_ring,
        "box": card.box,
        "valued": card.is_valued,
        "own": any(row["name"].casefold() == card.name.casefold() for row in state["custom"]),
    }


def tie(tables: Sequence[Table]) -> Text | None:
    """What decided where the most gold was shared."""
    best = max(table.final for table in tables)
    tied = [table for table in tables if table.final == best]
    if len(tied) < 2 or not is_begun(tables):
        return None
    standing = max(table.standing for table in tied)
    won = [table.name for table in tied if table.standing == standing]
    each = listed(Text("%(name)s %(n)s", name=table.name, n=len(table.ids)) for table in tied)
    if len(won) == len(tied):
        return Text(
            "A tie at %(n)s gold with as many villagers (%(each)s): %(winners)s share the win.",
            n=best,
            each=each,
            winners=both(won),
        )
    if len(won) > 1:
        return Text(
            "A tie at %(n)s gold: %(winners)s share the win with fewer villagers (%(each)s).",
            n=best,
            winners=both(won),
            each=each,
        )
    return Text(
        "A tie at %(n)s gold: %(winner)s has fewer villagers (%(each)s).",
        n=best,
        winner=won[0],
        each=each,
    )


def monastery_view(state: Json, table: Table, deck: Deck) -> Json | None:
    """Rounds, rank and the discard of the priority card, in the solo game."""
    solo = state["monastery"]
    if solo is None:
        return None
    game = monastery_of(state)
    road = [find_card(deck, name) for name in solo["road"]]
    gold = table.final
    reached = rank(gold)
    forbidden = [
        str(villager.card)
        for villager in table.village.villagers
        if not is_compatible(villager.card)
    ]
    return {
        "finished_rounds": game.finished_rounds,
        "rounds": game.rounds,
        "is_over": game.is_over,
        "stacks_are_empty": game.stacks_are_empty,
        "gold": gold,
        "rank": None if reached is None else reached.name.lower(),
        "ranks": [
            {"rank": step.name.lower(), "title": step.title, "gold": step.value} for step in Rank
        ],
        "suits": [suit for suit in SUITS if suit != SPECIAL],
        "priority": solo["priority"],
        "road": solo["road"],
        "discards": sorted({str(card) for card in discards(road, solo["priority"])}),
        "forbidden": Text(
            "Saints and Scoundrels are not used in the Monastery: %(cards)s.",
            cards=listed(forbidden),
        )
        if forbidden
        else NOTHING,
    }

"""Documents of Villagers."""

from collections.abc import Sequence
from typing import Any

from scorer.audit import audit_document
from scorer.fields import (
    MOST,
    Json,
    UnreadableError,
    claims_of,
    entries_of,
    joined,
    list_of,
    member,
    object_of,
    short,
    text_of,
    whole_of,
    with_remarks,
)
from scorer.notation import Problem
from scorer.text import Text
from scorer.villagers import audit as villagers_audit
from scorer.villagers.board import Chain, Village
from scorer.villagers.cards import COLUMNS, CardError, Deck, VillagerCard, published_deck
from scorer.villagers.score import (
    EVENTS,
    FIGURES,
    Income,
    Line,
    Market,
    Tally,
    bronze,
    envoys,
    inventor,
    merchants,
    tally,
)

QUESTIONS = ("market", "event", "inventor", "bronze")
MARKET_ITEMS = {item: item for item in FIGURES}
INCOME_ITEMS = {item: item for item in ("gold", "total")}

_MARKETS = {market.value: market for market in Market}


def score(document: Json) -> Json:
    village, problems = _village(document)
    answer = _answer(document, village, problems)
    if isinstance(answer, Tally):
        return with_remarks(
            answer.figures | {"villagers": [_line_document(line) for line in answer.lines]},
            problems,
        )
    return with_remarks({"gold": answer.gold, "why": list(answer.why)}, problems)


def audit(document: Json) -> Json:
    village, problems = _village(document)
    answer = _answer(document, village, problems)
    claimed = member(document, "claimed")
    if isinstance(answer, Tally):
        claims = claims_of(claimed, "claimed", MARKET_ITEMS)
        findings = villagers_audit.audit_market(answer, village, claims)
    else:
        findings = villagers_audit.audit_income(answer, claims_of(claimed, "claimed", INCOME_ITEMS))
    return with_remarks(audit_document(findings), problems)


def _answer(document: Json, village: Village, problems: list[Problem]) -> Tally | Income:
    asked = [question for question in QUESTIONS if document.get(question) is not None]
    if len(asked) != 1:
        raise UnreadableError(
            "missing" if not asked else "wrong_shape",
            f"expected one of {' '.join(QUESTIONS)}, got {' '.join(asked) or 'none'}",
            asked[-1] if asked else QUESTIONS[0],
        )
    match asked[0]:
        case "market":
            supply = document.get("supply")
            return tally(
                village,
                _market(document["market"]),
                0 if supply is None else whole_of(supply, "supply", 0),
            )
        case "event":
            return _event(document, village, problems)
        case "inventor":
            return _inventor(document["inventor"], village)
        case _:
            return _bronze(document["bronze"], document, village, problems)


def _market(value: Any) -> Market:
    if whole_of(value, "market") not in _MARKETS:
        raise UnreadableError("out_of_range", f"expected market 1 or 2, got {value!r}", "market")
    return _MARKETS[value]


def _event(document: Json, village: Village, problems: list[Problem]) -> Income:
    name = text_of(document["event"], "event").lower()
    if name in EVENTS:
        return EVENTS[name](village)
    if name == "merchants":
        if document.get("chain") is None:
            return merchants(village)
        chain = whole_of(document["chain"], "chain", 0)
        _expect_there(chain, len(village.chains), "chain", "chain")
        if not village.is_production_chain(chain):
            problems.append(
                Problem(
                    "no_production_chain",
                    Text("expected a production chain, got %(chain)s", chain=repr(chain)),
                )
            )
        return merchants(village, chain)
    if name == "envoys":
        if document.get("villager") is None:
            return envoys(village)
        card = _card(document["villager"], "villager", _deck(document))
        if card not in village.hand:
            problems.append(
                Problem(
                    "not_in_hand",
                    Text("expected a villager of the hand, got %(card)s", card=repr(str(card))),
                )
            )
        return envoys(village, card)
    known = " ".join([*EVENTS, "merchants", "envoys"])
    raise UnreadableError(
        "unknown_event", f"expected one of {known}, got {short(document['event'])}", "event"
    )


def _inventor(value: Any, village: Village) -> Income:
    where = object_of(value, "inventor")
    chain = whole_of(member(where, "chain", "inventor"), "inventor.chain", 0)
    _expect_there(chain, len(village.chains), "chain", "inventor.chain")
    if where.get("branch") is None:
        return inventor(village, chain)
    branch = whole_of(where["branch"], "inventor.branch", 0)
    _expect_there(branch, len(village.tops(chain)), "branch", "inventor.branch")
    return inventor(village, chain, branch)


def _expect_there(number: int, count: int, what: str, path: str) -> None:
    if number >= count:
        raise UnreadableError(
            "out_of_range", f"expected a {what} below {count}, got {number!r}", path
        )


def _bronze(value: Any, document: Json, village: Village, problems: list[Problem]) -> Income:
    if value is True:
        return bronze(village)
    card = _card(value, "bronze", _deck(document))
    if not any(villager.card.name == card.name for villager in village.villagers):
        problems.append(
            Problem(
                "not_in_village",
                Text("expected a villager of the village, got %(card)s", card=repr(str(card))),
            )
        )
    return bronze(village, card.name)


def _deck(document: Json) -> Deck:
    """The published cards and those that the document adds."""
    if document.get("custom") is None:
        return published_deck()
    return published_deck().with_cards(
        [_custom(entry, path) for entry, path in entries_of(document["custom"], "custom")]
    )


def _custom(value: Any, path: str) -> VillagerCard:
    row = {}
    for column, cell in object_of(value, path).items():
        if column in COLUMNS and cell is not None:
            where = joined(path, column)
            row[column] = cell if isinstance(cell, str) else str(whole_of(cell, where, 0))
    try:
        return VillagerCard.from_row(row)
    except CardError as error:
        raise UnreadableError("bad_card", str(error), joined(path, error.column)) from None


def _village(document: Json) -> tuple[Village, list[Problem]]:
    deck = _deck(document)
    village = object_of(member(document, "village"), "village")
    chains = tuple(
        _chain(entry, path, deck)
        for entry, path in entries_of(member(village, "chains", "village"), "village.chains")
    )
    held = () if document.get("hand") is None else entries_of(document["hand"], "hand")
    hand = [_card(entry, path, deck) for entry, path in held]
    bare = Village(chains)
    coins, problems = _coins(village.get("coins"), bare, deck)
    full = Village(chains, coins, tuple(hand))
    return full, [*full.problems(), *problems]


def _chain(value: Any, path: str, deck: Deck) -> Chain:
    """A chain, bottom to top; lists at its end are the branches on its last card."""
    cards: list[VillagerCard] = []
    branches: list[Chain] = []
    for entry, where in entries_of(value, path):
        if isinstance(entry, list):
            if not cards:
                raise UnreadableError(
                    "wrong_shape", "expected a villager before the first branch, got a list", where
                )
            branches.append(_chain(entry, where, deck))
        elif branches:
            raise UnreadableError(
                "wrong_shape", f"expected only branches after a branch, got {short(entry)}", where
            )
        else:
            cards.append(_card(entry, where, deck))
    if not cards:
        raise UnreadableError(
            "wrong_shape", "expected a chain of at least one villager, got none", path
        )
    return Chain(tuple(cards), tuple(branches))


def _card(value: Any, path: str, deck: Deck) -> VillagerCard:
    card = deck.find(text_of(value, path))
    if card is None:
        raise UnreadableError(
            "unknown_villager", f"expected the name of a villager, got {short(value)}", path
        )
    return card


def _coins(value: Any, village: Village, deck: Deck) -> tuple[dict[int, int], list[Problem]]:
    """Coins by villager, one number a copy.

    Coins on a villager who is not there are a problem and count nothing.
    """
    coins: dict[int, int] = {}
    problems: list[Problem] = []
    named: set[str] = set()
    for name, amount in object_of({} if value is None else value, "village.coins").items():
        path = joined("village.coins", name)
        card = _card(name, path, deck)
        if card.name in named:
            raise UnreadableError(
                "duplicate", f"expected each villager once, got {name!r} again", path
            )
        named.add(card.name)
        copies = [
            villager.index for villager in village.villagers if villager.card.name == card.name
        ]
        amounts = _amounts(amount, path, len(copies))
        if copies and len(amounts) != len(copies):
            raise UnreadableError(
                "wrong_shape",
                f"expected {len(copies)} numbers, one a copy of {card.name}, got {len(amounts)}",
                path,
            )
        if len(amounts) > len(copies):
            problems.append(
                Problem(
                    "coins_without_villager",
                    Text(
                        "expected coins on %(expected)s copies of %(card)s, got them on %(count)s",
                        expected=len(copies),
                        card=card.name,
                        count=len(amounts),
                    ),
                )
            )
        coins |= zip(copies, amounts, strict=False)
    return coins, problems


def _amounts(value: Any, path: str, copies: int) -> Sequence[int]:
    if not isinstance(value, list):
        amount = whole_of(value, path, 0)
        if copies > 1:
            raise UnreadableError(
                "wrong_type",
                f"expected a list of coins for {copies} copies of a card, got {amount!r}",
                path,
            )
        return [amount]
    return [
        whole_of(entry, where, 0, MOST) for entry, where in entries_of(list_of(value, path), path)
    ]


def _line_document(line: Line) -> Json:
    return {
        "name": str(line.villager.card),
        "gold": line.gold,
        "silver": line.silver,
        "coins": line.coins,
        "why": line.why,
    }

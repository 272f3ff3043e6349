"""Villagers with the expansion Shifting Seasons. Sources are sections of the rulebooks."""

import pytest

from scorer.villagers.board import Chain, Village
from scorer.villagers.cards import (
    NOUNS,
    CardError,
    Place,
    Rate,
    VillagerCard,
    parse_formula,
    published_deck,
)
from scorer.villagers.score import (
    Market,
    PadlockFee,
    bronze,
    caravans,
    developments,
    envoys,
    inventor,
    merchants,
    padlock_fee,
    tally,
    travellers,
)
from scorer.villagers.solo import (
    Monastery,
    Rank,
    discards,
    is_compatible,
    rank,
)


def card(name):
    found = published_deck().find(name)
    assert found is not None, name
    return found


def chain(*entries):
    cards = tuple(card(entry) for entry in entries if isinstance(entry, str))
    return Chain(cards, tuple(chain(*entry) for entry in entries if not isinstance(entry, str)))


def village(*chains, hand=(), coins=None):
    return Village(
        tuple(chain(*entries) for entries in chains),
        coins or {},
        tuple(card(name) for name in hand),
    )


MINE = ["Miner", ["Seeker", "Spelunker", "Jeweler"], ["Locksmith"]]
ENGINEERED = ["Miner", ["Seeker", "Spelunker", "Jeweler", "Engineer"], ["Locksmith"]]


def test_the_deck():
    """Card table: 75 published cards, the seven new specials and two teams."""
    assert len(published_deck().cards) == 75 + 7 + 2
    assert card("founders!").food == 1
    assert card("founders!").gold is None
    assert published_deck().find("Hayer!") is None
    assert published_deck().find("nobody") is None
    assert published_deck().find("nobody!") is None
    assert all(
        known.place is not Place.ON or published_deck().find(known.on)
        for known in published_deck().cards.values()
    )
    assert all(
        not known.lock or published_deck().find(known.lock)
        for known in published_deck().cards.values()
    )


@pytest.mark.parametrize(
    ("chains", "gold", "silver"),
    [
        # A covered card shows only its strip.
        ([["Graper", "Vintner", "Wine Trader"]], 14, 0),
        # Engineer: gold 5 + 14 both score.
        ([["Graper", "Vintner", "Wine Trader", "Engineer"]], 19, 0),
        # and the Graper's food counts: 3 per food for the Grocer.
        ([["Graper", "Vintner", "Wine Trader", "Engineer"], ["Grocer"]], 19, 3),
        ([["Graper", "Vintner", "Wine Trader"], ["Grocer"]], 14, 0),
        # 3 per 2: 3 x floor(n / 2); covered suit symbols count.
        ([["Hayer", ["Horse Trader"], ["Thatcher"]]], 2, 3),
        ([["Hayer", ["Horse Trader"], ["Bed Builder"]]], 4, 6),
        # Padlocks of covered cards count, and a Locksmith has one itself.
        ([MINE], 20, 6),
        # An Engineer works on its own branch, the shared bottom card included.
        ([ENGINEERED], 30, 6),
        # One gold symbol per uncovered card that shows gold.
        ([["Hayer", "Peddler"], ["Chandler"], ["Fisher"], ["Lumberjack", "Cooper"]], 10, 3),
        ([["Hayer", "Peddler"], ["Lumberjack", "Wheeler", "Cartwright"]], 9, 0),
        # Wood Carver: gold printed on own uncovered wood villagers.
        (
            [["Lumberjack", ["Wood Carver"], ["Wheeler", "Cartwright"]], ["Lumberjack", "Cooper"]],
            13,
            13,
        ),
        ([["Lumberjack", "Log Rafter"]], 0, 3),
        ([["Priest"], ["Chandler"], ["Hunter"]], 3, 6),  # the Chandler has two solitary symbols
        ([["Wholesaler"], ["Miner"], ["Hayer"], ["Lumberjack"], ["Lumberjack"]], 0, 3),
        ([["Freemason"], ["Wattler"], ["Hayer", "Thatcher"]], 2, 6),
        ([["Plower"], ["Founders"]], 2, 2),
        ([["Founders!"], ["Grocer"]], 0, 3),
        ([["Acquisitor"], ["Graper", "Vintner"], ["Tanner"]], 7, 9),
        # Teams are solitary and give a builder or a food.
        ([["Builder Team"], ["Freemason"]], 0, 3),
        ([["Harvest Team"], ["Grocer"], ["Priest"]], 0, 6),
        ([["Nun"], ["Thief"]], 0, 0),
    ],
)
def test_markets(chains, gold, silver):
    """Markets: the first counts gold and coins, the second silver too."""
    found = village(*chains)
    second = tally(found, Market.SECOND, supply=7)
    assert (second.gold, second.silver, second.coins) == (gold, silver, 0)
    assert (second.market, second.total) == (gold + silver, gold + silver + 7)
    first = tally(found, Market.FIRST)
    assert (first.gold, first.silver) == (gold, 0)
    assert len(second.lines) == len(found.villagers)
    assert all(line.why for line in second.lines)


def test_coins_on_villagers_count_in_both_markets():
    """Markets; an Agent doubles the coins of one villager."""
    found = village(["Cooper"], ["Chandler"], ["Agent"], coins={0: 6, 1: 2})
    assert tally(found, Market.FIRST).market == 7 + 8
    assert tally(found, Market.SECOND).market == 7 + 8 + 6


def test_cards_without_published_values_are_noted():
    (line,) = tally(village(["Nun"]), Market.SECOND).lines
    assert "no published value" in line.why


@pytest.mark.parametrize(
    ("chains", "coins", "name", "gold"),
    [
        ([["Captain"], ["Chandler"], ["Fisher"]], {}, None, 2),
        ([["Hayer", "Carter"], ["Graper", "Vintner", "Wine Trader"], MINE], {}, "Carter", 2),
        ([["Lumberjack", "Arkwright"], ["Chandler"], ["Hunter"]], {2: 4, 3: 2}, None, 4),
        ([["Miner", "Alchemist"], ["Grocer"], ["Hunter"], ["Fisher"], ["Harvester"]], {}, None, 4),
        ([["Captain"], ["Chandler"], ["Founders", "Miller"]], {}, "Miller", 2),
        ([["Founders", "Miller", "Baker"]], {}, "Miller", 0),
        ([["Founders", "Miller", "Baker"]], {}, None, 6),
        ([["Chandler"]], {}, None, 0),
    ],
)
def test_bronze(chains, coins, name, gold):
    """Bronze: at most one bronze villager each build phase; a covered one scores nothing."""
    assert bronze(village(*chains, coins=coins), name).gold == gold


@pytest.mark.parametrize(
    ("found", "gold"),
    [
        (developments(village(hand=["Hayer"] * 5)), 10),
        (travellers(village(["Chandler"], ["Lumberjack", "Cooper"], ["Merchant"], ["Hayer"])), 6),
        (travellers(village(["Hayer"])), 0),
        (caravans(village(MINE, ["Chandler"], coins={0: 9})), 6),
        # Merchants: Jeweler 20 + 2 per padlock of the village; with an Engineer the Spelunker's 10
        # too.
        (merchants(village(MINE), 0), 26),
        (merchants(village(ENGINEERED)), 36),
        (
            merchants(village(["Chandler"], MINE, ["Graper", "Vintner"])),
            28,
        ),  # the Vintner's padlock too
        (merchants(village(["Chandler"])), 0),
        # Only coins on uncovered villagers of that chain.
        (merchants(village(["Lumberjack", "Cooper"], ["Chandler"], coins={0: 3, 1: 4, 2: 5})), 8),
        # Envoys: half, rounded up.
        (envoys(village(hand=["Cartwright", "Chandler"])), 5),
        (envoys(village(hand=["Cartwright", "Chandler"]), card("Chandler")), 2),
        (envoys(village(hand=["Grocer"])), 0),
        (envoys(village()), 0),
        (envoys(village(hand=["Hunter"]), card("Hunter")), 0),
    ],
)
def test_events(found, gold):
    """Expansion, events."""
    assert found.gold == gold
    assert found.why or not gold


@pytest.mark.parametrize(
    ("entries", "branch", "gold"),
    [
        (["Hayer", "Grazier", "Milk Maid"], None, 15),
        (["Hayer", "Grazier", "Milk Maid", "Inventor"], None, 15),  # He does not count himself.
        (["Hayer", ["Grazier", "Milk Maid"], ["Thatcher"]], 1, 10),
        (["Hayer", ["Grazier", "Milk Maid"], ["Thatcher"]], None, 15),
        (["Hayer", ["Grazier", "Milk Maid"], ["Thatcher", "Inventor"]], None, 10),
    ],
)
def test_inventor(entries, branch, gold):
    """Expansion, new specials: 5 gold per villager below on that branch."""
    assert inventor(village(entries), 0, branch).gold == gold


@pytest.mark.parametrize(
    ("chains", "codes"),
    [
        ([MINE, ["Chandler"], ["Hayer"]], []),
        ([["Miner", ["Seeker"], ["Locksmith"], ["Mason"]]], ["branch_not_allowed"]),
        ([["Graper", "Vintner", ["Wine Trader"], ["Wine Trader"]]], ["branch_not_allowed"]),
        ([["Hayer", "Fromager"]], ["misplaced_villager"]),
        ([["Grazier"]], ["misplaced_villager"]),
        ([["Chandler", "Hayer"]], ["misplaced_villager"] * 2),
        ([["Hayer", "Monk", "Milk Maid"]], []),
        ([["Hayer", "Monk"]], ["misplaced_villager"]),
        ([["Hayer", "Monk", ["Milk Maid"], ["Thatcher"]]], []),
        ([["Apprentice", "Grazier"]], []),
        ([["Hayer", "Thatcher", "Engineer"]], []),
        ([["Engineer"]], ["misplaced_villager"]),
        ([["Tinner"]], ["misplaced_villager"]),
        ([["Builder Team"], ["Harvest Team"]], ["too_many_teams"]),
        ([["Builder Team"]], []),
    ],
)
def test_villages_against_the_rules_are_problems(chains, codes):
    """Village: each card on the one its column names; branches only where they may be; one team."""
    assert [problem.code for problem in village(*chains).problems()] == codes


def test_a_user_table_adds_and_replaces_cards():
    table = "name\tsuit\tgold\tnote\nClayman\tclay\t2\ttwo branches\nChandler\tsolitary\t9\t\n"
    deck = published_deck().with_file(table)
    assert deck.find("clayman").branches == 2
    assert deck.find("Chandler").printed_gold == 9
    assert published_deck().find("Chandler").printed_gold == 3
    for wrong in (
        "name\tcolour\nA\tred\n",
        "suit\nwood\n",
        "name\tgold\nA\tmuch\n",
        "name\n!\n",
        "name\ton\nA\t(x)\n",
    ):
        with pytest.raises(CardError):
            published_deck().with_file(wrong)


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "3 per", "3 per 0 hay symbols", "per food", "-1", "3 per Hay!"),
        *("3 per 00 food", "3 per \u0660 food", "9" * 5000, "9" * 7 + " per food"),
    ],
)
def test_unknown_formulas_are_refused(text):
    with pytest.raises(ValueError, match="expected a number or a formula"):
        parse_formula(text)


def test_every_published_formula_is_read():
    formulas = [
        f
        for c in published_deck().cards.values()
        for f in (c.gold, c.silver, c.bronze)
        if f is not None
    ]
    assert len(formulas) > 40
    with pytest.raises(CardError):
        VillagerCard.from_row({"name": "A", "silver": "3 per dream"})
    with pytest.raises(CardError):
        VillagerCard.from_row({"name": "A", "food": "x"})


def test_padlock_fee():
    """Padlock: the bank pays 2 gold for your own; if nobody has the key, the bank gets them."""
    fisher, owner = card("Fisher"), village(["Lumberjack", "Shipwright"])
    assert padlock_fee(fisher, owner, []) is PadlockFee.FROM_BANK
    assert padlock_fee(fisher, village(), [owner]) is PadlockFee.TO_OPPONENT
    assert padlock_fee(fisher, village(), [village()]) is PadlockFee.TO_BANK
    assert padlock_fee(card("Hayer"), village(), [owner]) is None


@pytest.mark.parametrize(
    ("gold", "reached"),
    [
        (79, None),
        (80, Rank.HAMLET),
        (100, Rank.VILLAGE),
        (150, Rank.TOWN),
        (199, Rank.TOWN),
        (200, Rank.CAPITAL),
    ],
)
def test_monastery_ranks(gold, reached):
    """Monastery: Hamlet 80, Village 100, Town 150, Capital 200."""
    assert rank(gold) is reached


def test_monastery_rounds_and_discards():
    """Monastery: five rounds, six with the expansion, or until the stacks are empty."""
    assert not Monastery(finished_rounds=4).is_over
    assert Monastery(finished_rounds=5).is_over
    assert not Monastery(expansion=True, finished_rounds=5).is_over
    assert Monastery(expansion=True, finished_rounds=6).is_over
    assert Monastery(stacks_are_empty=True).is_over
    road = [card("Cooper"), card("Hayer"), card("Wheeler")]
    assert discards(road, ["ore", "Wood", "hay"]) == (road[0], road[2])
    assert discards(road, ["grapes"]) == ()
    assert [is_compatible(card(name)) for name in ("Cooper", "Nun", "Thief", "Engineer")] == [
        True,
        False,
        False,
        True,
    ]


def test_a_chain_has_a_villager():
    with pytest.raises(ValueError, match="at least one villager"):
        Chain(())


def test_all_that_published_cards_count_is_known_to_the_catalogues() -> None:
    cards = published_deck().cards.values()
    rates = [formula for card in cards for _, formula in card.formulas if isinstance(formula, Rate)]
    assert len(rates) > 20
    assert {rate.noun for rate in rates} <= set(NOUNS)

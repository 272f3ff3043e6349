"""Villagers at the table: chains, both markets, events and the Monastery, with reasons."""

import copy
import json
from typing import Any

import pytest
from table_documents import documents_of

from scorer.documents import answer_lines
from scorer.ending import ending
from scorer.game import ActionError, Game, conflict
from scorer.games import GAMES
from scorer.setup import has_room
from scorer.setup import started as begun

GAME = GAMES["villagers"]

HOST = {"role": "host", "seat": 0}
BEN = {"role": "player", "seat": 1}
Json = dict[str, Any]


def started(*names: str, **options: Any) -> Json:
    players = [{"name": name} for name in names or ("Ann", "Ben")]
    return begun(GAME, {"players": players, "options": options})[1]


def done(state: Json, *actions: Json) -> Json:
    """The state after the actions; none may change the state it starts from."""
    for action in actions:
        before = copy.deepcopy(state)
        new = GAME.act(state, action, HOST)
        assert state == before
        json.dumps(new)
        state = new
    return state


def add(name: str, on: int | None = None, seat: int = 0, **fields: Any) -> Json:
    return {"type": "add", "seat": seat, "name": name, "on": on, **fields}


def player(state: Json, seat: int = 0, viewer: Json = HOST) -> Json:
    shown: Json = GAME.view(state, viewer)["players"][seat]
    return shown


def card(state: Json, name: str, seat: int = 0) -> Json:
    found: Json = next(one for one in player(state, seat)["cards"] if one["name"] == name)
    return found


def names(state: Json, seat: int = 0) -> list[str]:
    return [one["name"] for one in player(state, seat)["cards"]]


def event(state: Json, name: str) -> Json:
    found: Json = next(one for one in player(state)["events"] if one["event"] == name)
    return found


JEWELER = [
    add("Miner"),
    add("Seeker", 1),
    add("Spelunker", 2),
    add("Jeweler", 3),
    add("Locksmith", 1),
]


def test_is_a_game_of_the_table() -> None:
    assert isinstance(GAME, Game)
    assert len(GAME.view(started(), HOST)["deck"]) == 84


def test_one_tap_lays_the_whole_chain_below_a_card() -> None:
    state = done(started(), add("Fromager"))
    assert names(state) == ["Hayer", "Grazier", "Milk Maid", "Fromager"]
    assert [one["on"] for one in player(state)["cards"]] == [None, 1, 2, 3]
    # The next one takes the second branch of the Hayer, the one after that starts a new chain.
    state = done(state, add("Thatcher"), add("Thatcher"))
    assert [chain["root"] for chain in player(state)["chains"]] == [1, 6]
    assert names(state).count("Thatcher") == 2


def test_markets_explain_every_villager() -> None:
    state = done(started(), *JEWELER, {"type": "coins", "seat": 0, "id": 5, "coins": 4})
    ann = player(state)
    # The Jeweler shows 20, the Locksmith 2 for each of three padlocks: Spelunker, Jeweler and his
    # own.
    assert ann["markets"]["1"] == {
        "gold": 20, "silver": 0, "coins": 4, "market": 24, "supply": 8, "total": 32,
    }  # fmt: skip
    assert ann["markets"]["2"]["silver"] == 6
    assert ann["total"] == 38
    locksmith = card(state, "Locksmith")
    assert locksmith["points"] == {"1": 4, "2": 10}
    assert locksmith["reasons"][0] == {
        "kind": "silver",
        "says": "Silver: 2 per padlock symbol: 3 counted",
        "amount": 6,
        "later": {"1": "waits for the second market"},
        "ids": [3, 4, 5],
    }
    assert card(state, "Spelunker")["reasons"] == [
        {
            "kind": "covered",
            "says": "Covered by Jeweler: gold, silver, bronze, food and builders do not count.",
            "ids": [4],
        }
    ]


@pytest.mark.parametrize(
    ("cards", "silver", "counted"),
    [
        (["Grocer", "Fisher", "Harvester"], "Grocer", ["Fisher", "Harvester"]),
        (
            ["Wholesaler", "Miner", "Hayer", "Lumberjack"],
            "Wholesaler",
            ["Miner", "Hayer", "Lumberjack"],
        ),
        (["Wood Carver", "Cartwright", "Cooper"], "Wood Carver", ["Cartwright", "Cooper"]),
        (["Horse Trader", "Bed Builder"], "Horse Trader", ["Hayer", "Horse Trader", "Bed Builder"]),
    ],
)
def test_a_formula_names_the_villagers_that_it_counts(
    cards: list[str], silver: str, counted: list[str]
) -> None:
    state = done(started(), *map(add, cards))
    by_id = {one["id"]: one["name"] for one in player(state)["cards"]}
    (reason,) = [one for one in card(state, silver)["reasons"] if one["kind"] == "silver"]
    assert sorted(by_id[number] for number in reason["ids"]) == sorted(counted)


def test_an_agent_counts_the_coins_of_one_villager() -> None:
    state = done(started(), add("Agent"), add("Fisher"), add("Chandler"))
    coins = [{"type": "coins", "seat": 0, "id": number, "coins": number} for number in (2, 3)]
    (reason,) = card(done(state, *coins), "Agent")["reasons"]
    assert (reason["amount"], reason["ids"]) == (3, [3])


def test_an_alchemist_counts_the_best_silver_villager() -> None:
    state = done(started(), add("Alchemist"), add("Grocer"), add("Locksmith"))
    best = max(player(state)["cards"], key=lambda one: one["points"]["2"])
    (reason,) = card(state, "Alchemist")["reasons"]
    assert (best["name"], reason["ids"]) == ("Locksmith", [best["id"]])


def test_an_engineer_brings_back_what_lies_below() -> None:
    state = done(started(), add("Wine Trader"), add("Engineer", 3))
    assert card(state, "Vintner")["reasons"][0]["kind"] == "engineered"
    assert card(state, "Vintner")["reasons"][0]["ids"] == [4]
    assert player(state)["markets"]["1"]["gold"] == 19
    assert player(state)["counts"]["food"] == 1


def test_events_of_the_published_examples() -> None:
    state = done(started(), *JEWELER)
    merchants = event(state, "merchants")
    assert merchants["gold"] == 26
    assert [
        (line["name"], line.get("gold", 0) + line.get("silver", 0))
        for line in merchants["chains"][0]["lines"]
    ] == [("Jeweler", 20), ("Locksmith", 6)]
    assert event(done(state, add("Engineer", 4)), "merchants")["gold"] == 36
    held = done(
        state, *({"type": "hand_add", "seat": 0, "name": n} for n in ("Cartwright", *["Miner"] * 4))
    )
    assert event(held, "developments")["gold"] == 10
    assert event(held, "envoys")["cards"] == [
        {"name": "Cartwright", "says": "Half of 9, rounded up", "gold": 5}
    ]
    assert player(started(expansion=False))["events"] == []


def test_taken_gold_goes_to_the_supply_and_is_noted() -> None:
    state = done(started(), *JEWELER, {"type": "take", "seat": 0, "what": "market"})
    assert player(state)["supply"] == 28
    state = done(
        state,
        {"type": "hand_add", "seat": 0, "name": "Cartwright"},
        {"type": "take", "seat": 0, "what": "envoys", "name": "Cartwright"},
        {"type": "take", "seat": 0, "what": "merchants", "id": 5},
        {"type": "take", "seat": 0, "what": "caravans"},
    )
    assert player(state)["supply"] == 28 + 5 + 26 + 6
    assert player(state)["hand"] == []
    assert [(entry["what"], entry["gold"]) for entry in player(state)["taken"]] == [
        ("market", 20), ("envoys", 5), ("merchants", 26), ("caravans", 6),
    ]  # fmt: skip


def test_the_gold_of_the_first_market_is_taken_once_a_village() -> None:
    market = {"type": "take", "what": "market"}
    state = done(started(), *JEWELER, market | {"seat": 0}, market | {"seat": 1})
    with pytest.raises(ActionError, match="taken already"):
        done(state, market | {"seat": 0})


def test_travellers_lay_their_gold_on_the_key_rings() -> None:
    state = done(
        started(), add("Chandler"), add("Miner"), {"type": "take", "seat": 0, "what": "travellers"}
    )
    assert card(state, "Chandler")["coins"] == 2
    assert (player(state)["supply"], card(state, "Miner")["coins"]) == (8, 0)


def test_an_inventor_pays_for_those_below_and_their_coins_come_down() -> None:
    state = done(
        started(),
        add("Milk Maid"),
        {"type": "coins", "seat": 0, "id": 2, "coins": 4},
        add("Inventor", 3),
    )
    (inventor,) = player(state)["inventors"]
    assert (inventor["gold"], inventor["villagers"]) == (15, [1, 2, 3])
    state = done(state, {"type": "take", "seat": 0, "what": "inventor", "id": 4})
    assert (player(state)["supply"], card(state, "Grazier")["coins"]) == (8 + 15 + 4, 0)


def test_a_bronze_villager_is_taken_and_the_best_is_first() -> None:
    state = done(
        started(),
        add("Arkwright"),
        add("Captain"),
        add("Chandler"),
        {"type": "coins", "seat": 0, "id": 4, "coins": 2},
    )
    assert [(line["name"], line["gold"]) for line in player(state)["bronze"]] == [
        ("Arkwright", 2),
        ("Captain", 1),
    ]
    state = done(state, {"type": "take", "seat": 0, "what": "bronze", "id": 2})
    assert player(state)["supply"] == 10


def test_a_card_is_slid_in_taken_out_swapped_and_moved() -> None:
    state = done(started(), add("Milk Maid"), add("Monk", 1, between=True))
    assert names(state) == ["Hayer", "Monk", "Grazier", "Milk Maid"]
    assert player(state)["problems"] == []
    state = done(state, {"type": "remove", "seat": 0, "id": 4})
    assert names(state) == ["Hayer", "Grazier", "Milk Maid"]
    assert names(done(state, {"type": "remove", "seat": 0, "id": 2, "above": True})) == ["Hayer"]
    state = done(state, {"type": "replace", "seat": 0, "id": 2, "name": "Apprentice"})
    assert names(state) == ["Hayer", "Apprentice", "Milk Maid"]
    state = done(state, add("Chandler"), {"type": "shift", "seat": 0, "id": 2, "on": None})
    assert [chain["root"] for chain in player(state)["chains"]] == [1, 2, 5]
    with pytest.raises(ActionError, match="on itself"):
        done(state, {"type": "shift", "seat": 0, "id": 2, "on": 3})


def test_founders_turn_over() -> None:
    state = done(
        started(), add("Founders"), {"type": "replace", "seat": 0, "id": 1, "name": "Founders!"}
    )
    assert card(state, "Founders!")["turns"]
    assert (player(state)["markets"]["1"]["gold"], player(state)["counts"]["food"]) == (0, 1)


def test_spots_say_where_a_card_may_lie() -> None:
    spots = player(done(started(), add("Milk Maid"), add("Chandler")))["spots"]
    assert {name: spots[name]["on"] for name in ("Hayer", "Milk Maid", "Chandler")} == {
        "Hayer": [1],
        "Milk Maid": [3],
        "Chandler": [4],
    }
    assert spots["CHAIN_ANYWHERE"] == {"on": [1, 3], "between": [1, 2]}
    assert spots["CHAIN_TOP"] == {"on": [1, 3], "between": []}
    assert spots["CHAIN_INSIDE"] == {"on": [], "between": [1, 2]}
    assert spots["ON"]["on"] == []


def test_what_cannot_lie_so_is_told() -> None:
    problems = player(done(started(), add("Miner"), add("Fromager", 1)))["problems"]
    assert [problem["code"] for problem in problems] == ["misplaced_villager"]


def test_padlocks_are_paid_where_the_rules_say() -> None:
    state = done(started(), add("Blacksmith", seat=1), add("Jeweler"))
    assert player(state)["fees"]["Blacksmith"] == {
        "holders": [1],
        "says": "Padlock: pay 2 gold onto the Blacksmith of Ben",
    }
    paid = done(state, {"type": "unlock", "seat": 0, "name": "Jeweler", "holder": 1})
    assert (player(paid)["supply"], card(paid, "Blacksmith", 1)["coins"]) == (6, 2)
    own = done(
        state, add("Blacksmith"), {"type": "unlock", "seat": 0, "name": "Jeweler", "holder": 0}
    )
    assert (player(own)["supply"], card(own, "Blacksmith")["coins"]) == (8, 2)
    bank = done(
        started(), add("Jeweler"), {"type": "unlock", "seat": 0, "name": "Jeweler", "holder": None}
    )
    assert player(bank)["supply"] == 6
    with pytest.raises(ActionError):
        done(state, {"type": "unlock", "seat": 0, "name": "Jeweler", "holder": None})
    with pytest.raises(ActionError):
        done(state, {"type": "unlock", "seat": 0, "name": "Miner", "holder": None})
    with pytest.raises(ActionError, match="costs 2 gold"):
        done(
            started(),
            add("Jeweler"),
            {"type": "supply", "seat": 0, "gold": 1},
            {"type": "unlock", "seat": 0, "name": "Jeweler", "holder": None},
        )


def test_a_padlock_is_paid_once_for_each_villager() -> None:
    state = done(started(), add("Jeweler"), add("Jeweler"))
    first, second = (
        {"type": "unlock", "seat": 0, "name": "Jeweler", "id": one["id"], "holder": None}
        for one in player(state)["cards"]
        if one["name"] == "Jeweler"
    )
    paid = done(state, first, second)
    assert player(paid)["supply"] == 4
    with pytest.raises(ActionError, match="padlock of Jeweler was paid already"):
        done(paid, first)
    with pytest.raises(ActionError, match="no longer in the village"):
        done(paid, first | {"id": 99})


def test_hands_are_seen_by_their_owner_until_the_end() -> None:
    state = done(started(), {"type": "hand_add", "seat": 0, "name": "Grocer"})
    assert player(state, viewer=HOST)["hand"] == ["Grocer"]
    assert (player(state, viewer=BEN)["hand"], player(state, viewer=BEN)["hand_count"]) == (None, 1)
    assert "Grocer" not in json.dumps(GAME.public(state, BEN))
    assert GAME.public(state, HOST) == state
    taken = {"type": "hand_add", "seat": 0, "name": "Grocer"}
    assert "Grocer" not in json.dumps(GAME.public_action(taken, BEN))
    assert GAME.public_action(taken, HOST) == taken
    assert player(done(state, {"type": "finish"}), viewer=BEN)["hand"] == ["Grocer"]


@pytest.mark.parametrize(
    "shown", [add("Grocer", from_hand=True), {"type": "take", "what": "envoys", "name": "Grocer"}]
)
def test_a_card_that_an_undo_put_back_into_a_hand_is_hidden_again(shown: dict[str, Any]) -> None:
    shown |= {"seat": 0}
    assert GAME.public_action(shown, BEN) == shown
    assert "Grocer" not in json.dumps(GAME.public_action(shown, BEN, undone=True))
    assert GAME.public_action(shown, HOST, undone=True) == shown
    open_card = add("Grocer")
    assert GAME.public_action(open_card, BEN, undone=True) == open_card


def test_anybody_lays_a_card_in_any_village() -> None:
    assert names(GAME.act(started(), add("Miner"), BEN)) == ["Miner"]


def test_a_card_of_the_hand_is_built() -> None:
    state = done(
        started(), {"type": "hand_add", "seat": 0, "name": "Fisher"}, add("Fisher", from_hand=True)
    )
    assert (names(state), player(state)["hand"]) == (["Fisher"], [])
    with pytest.raises(ActionError):
        done(state, add("Fisher", from_hand=True))


def test_a_card_without_published_values_is_typed_in() -> None:
    row = {"name": "Potter", "suit": "clay", "gold": "6", "silver": "3 per 2 clay symbols"}
    state = done(started(), {"type": "custom_card", "row": row}, add("Potter"), add("potter"))
    assert player(state)["markets"]["2"] == {
        "gold": 12, "silver": 6, "coins": 0, "market": 18, "supply": 8, "total": 26,
    }  # fmt: skip
    assert documents_of("villagers", state)[0]["custom"] == [row]
    assert [one["own"] for one in GAME.view(state, HOST)["deck"]].count(True) == 1


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (add("Nobody"), "card"),
        (add("Seeker", 99), "gone"),
        (add("Seeker", True), "gone"),  # type: ignore[arg-type]
        (add("Miner", seat=2), "seat"),
        ({"type": "remove", "seat": 0, "id": 99}, "gone"),
        ({"type": "coins", "seat": 0, "id": 1, "coins": -1}, "gold"),
        ({"type": "coins", "seat": 0, "id": 1, "coins": "4"}, "action"),
        ({"type": "supply", "seat": 0, "gold": 10_000}, "gold"),
        ({"type": "hand_drop", "seat": 0, "name": "Miner"}, "hand"),
        ({"type": "take", "seat": 0, "what": "taxes"}, "what"),
        ({"type": "take", "seat": 0, "what": "merchants", "id": 99}, "gone"),
        ({"type": "take", "seat": 0, "what": "envoys", "name": "Cartwright"}, "hand"),
        ({"type": "claim", "seat": 0, "lines": {"total": "9"}}, "claim"),
        ({"type": "claim", "seat": 0, "lines": {"honour": 9}}, "claim"),
        ({"type": "custom_card", "row": {"name": ""}}, "custom_name"),
        ({"type": "custom_card", "row": {"name": "Potter", "gold": "lots"}}, "custom_gold"),
        ({"type": "custom_card", "row": {"name": "x" * 500}}, "custom"),
        ({"type": "custom_card", "row": {"name": 3}}, "custom"),
        ({"type": "next_round"}, "monastery"),
        ({"type": "board", "seat": 0, "text": "."}, "board"),
        ({"type": "dance"}, "action"),
        ({"type": ["add"]}, "action"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(action: Json, code: str) -> None:
    with pytest.raises(ActionError) as refused:
        GAME.act(done(started(), add("Miner")), action, HOST)
    assert refused.value.code == code
    assert refused.value.message.endswith(".")


def test_the_documents_say_the_same_as_the_page() -> None:
    state = done(
        started(),
        *JEWELER,
        add("Chandler"),
        add("Chandler"),
        {"type": "coins", "seat": 0, "id": 7, "coins": 3},
        {"type": "hand_add", "seat": 0, "name": "Grocer"},
        {"type": "claim", "seat": 0, "lines": {"total": 40}},
    )
    document = documents_of("villagers", state)[0]
    assert document["village"]["chains"][0] == [
        "Miner",
        ["Seeker", "Spelunker", "Jeweler"],
        ["Locksmith"],
    ]
    assert document["village"]["coins"] == {"Chandler": [0, 3]}
    (answer,) = answer_lines("score", [json.dumps(document)])
    assert answer["total"] == player(state)["total"] == GAME.result(state)[0]["score"]
    assert "problems" not in answer
    (audit,) = answer_lines("audit", [json.dumps(document)])
    assert audit["lines"][0]["points"] == answer["total"]


def test_the_winner_and_both_tie_breaks() -> None:
    state = done(started(), {"type": "supply", "seat": 1, "gold": 11}, add("Chandler"))
    tie = GAME.view(state, HOST)["tie"]
    assert tie == "A tie at 11 gold: Ben has fewer villagers (Ann 1, Ben 0)."
    assert [row["rank"] for row in GAME.result(state)] == [2, 1]
    state = done(started(), add("Chandler"), add("Chandler", seat=1))
    assert "share the win" in GAME.view(state, HOST)["tie"]
    assert [row["winner"] for row in GAME.result(state)] == [True, True]
    assert GAME.view(started(), HOST)["tie"] is None


def test_the_monastery_counts_rounds_and_ranks() -> None:
    state = started("Ann", monastery=True)
    solo = GAME.view(state, HOST)["monastery"]
    assert (solo["rounds"], solo["rank"], solo["is_over"]) == (6, None, False)
    assert [step["gold"] for step in solo["ranks"]] == [80, 100, 150, 200]
    assert not GAME.result(state)[0]["winner"]
    assert not has_room(GAME, state)
    state = done(state, *[{"type": "next_round"}] * 6, {"type": "supply", "seat": 0, "gold": 149})
    solo = GAME.view(state, HOST)["monastery"]
    assert (solo["rank"], solo["is_over"]) == ("village", True)
    assert GAME.result(state)[0]["winner"]
    assert GAME.over(state)
    assert ending(GAME, state) == ("Village with 149 gold: you have won!",)
    poor = done(state, {"type": "supply", "seat": 0, "gold": 79})
    assert ending(GAME, poor) == ("79 gold: not yet a hamlet, this game is lost.",)
    with pytest.raises(ActionError):
        done(state, {"type": "next_round"})
    assert (
        GAME.view(done(started("Ann", monastery=True, expansion=False)), HOST)["monastery"][
            "rounds"
        ]
        == 5
    )


def test_a_round_that_is_told_twice_ends_once() -> None:
    first = {"type": "next_round", "round": 1}
    state = done(started("Ann", monastery=True), first)
    with pytest.raises(ActionError, match="ended already"):
        done(state, first)
    assert done(state, first | {"round": 2})["monastery"]["finished_rounds"] == 2


def test_the_priority_card_says_who_leaves_the_road() -> None:
    state = done(
        started("Ann", monastery=True),
        {"type": "priority", "suits": ["wood", "hay"]},
        {"type": "road", "cards": ["Thatcher", "Grazier", "Mason"]},
        {"type": "stacks", "empty": True},
        add("Thief"),
    )
    solo = GAME.view(state, HOST)["monastery"]
    assert solo["discards"] == ["Grazier", "Thatcher"]
    assert solo["is_over"]
    assert solo["forbidden"] == "Saints and Scoundrels are not used in the Monastery: Thief."
    with pytest.raises(ActionError):
        done(state, {"type": "priority", "suits": ["gold"]})


def test_games_that_cannot_be_played_do_not_start() -> None:
    for setup in (
        {"players": []},
        {"players": [{"name": n} for n in "abcdef"]},
        {"players": [{"name": "Ann"}, {"name": "Ben"}], "options": {"monastery": True}},
        {"players": [{"name": "Ann"}], "options": {"boxes": ["attic"]}},
    ):
        with pytest.raises(ActionError):
            begun(GAME, setup)


def test_two_people_may_add_to_one_village() -> None:
    assert GAME.touches(add("Miner")) == ()
    coins = GAME.touches({"type": "coins", "seat": 0, "id": 1, "coins": 2})
    assert conflict(coins, GAME.touches({"type": "remove", "seat": 0, "id": 1}))
    assert not conflict(coins, GAME.touches({"type": "coins", "seat": 0, "id": 2, "coins": 2}))
    padlock = {"type": "unlock", "seat": 1, "name": "Jeweler"}
    assert conflict(coins, GAME.touches(padlock | {"holder": 0}))
    assert not conflict(coins, GAME.touches(padlock | {"holder": None}))
    assert conflict(coins, GAME.touches({"type": "take", "seat": 0, "what": "travellers"}))
    assert not conflict(coins, GAME.touches({"type": "take", "seat": 0, "what": "market"}))

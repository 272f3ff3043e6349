"""Who joins a game that goes on, whose turn it is, what is told of a change, and how it ends."""

from itertools import cycle

import pytest
from test_games import BOARD, SEATS, started

from scorer.ending import ending
from scorer.game import ActionError
from scorer.games import GAMES
from scorer.happened import happened
from scorer.setup import has_room
from scorer.setup import started as begun
from scorer.stones.cards import CARDS

HOST = {"role": "host", "seat": 0, "held": [0]}
STONES = "sun moon fish / bird horse boat / seed tree seed"
OTHER = {"seasons": "autumn", "time": "autumn", "custom": "white"}
TAKEN = {"seasons": "winter", "time": "winter", "stones": "green"}


def joined(kind, state, name="Cem", colour="purple"):
    action = {"type": "player", "name": name, "colour": OTHER.get(kind, colour)}
    return GAMES[kind].act(state, action, HOST)


@pytest.mark.parametrize("kind", GAMES)
def test_one_more_plays_as_if_from_the_start(kind):
    game, before = GAMES[kind], started(kind)
    assert has_room(game, before)
    assert not has_room(game, game.act(before, {"type": "finish"}, HOST))
    state = joined(kind, before)
    colours = [*SEATS.get(kind, ("red", "green")), OTHER.get(kind, "purple")]
    players = [
        {"name": name, "colour": colour}
        for name, colour in zip(("Ann", "Ben", "Cem"), colours, strict=True)
    ]
    _, fresh = begun(game, {"players": players, "options": {"board": BOARD}})
    assert state == fresh
    told = happened(game, before, {"type": "player"}, state)
    assert told == "Cem plays, too."


@pytest.mark.parametrize("kind", GAMES)
def test_who_joins_is_held_to_the_form(kind):
    state = started(kind)
    for name in ("", "ann", "x" * 41, 7):
        with pytest.raises(ActionError):
            joined(kind, state, name)
    if kind in TAKEN:
        with pytest.raises(ActionError):
            GAMES[kind].act(state, {"type": "player", "name": "Cem", "colour": TAKEN[kind]}, HOST)


@pytest.mark.parametrize("kind", GAMES)
def test_a_full_table_takes_nobody_else(kind):
    form = GAMES[kind].setup_form()
    seats = cycle([one.value for one in form.seats] or [None])
    players = [
        {"name": f"P{at}", "colour": colour}
        for at, colour in zip(range(form.most_players), seats, strict=False)
    ]
    _, full = begun(GAMES[kind], {"players": players, "options": {"board": BOARD}})
    assert not has_room(GAMES[kind], full)
    with pytest.raises(ActionError):
        joined(kind, full)


def stones(*actions, players=("Ann", "Ben")):
    state = started("stones", players)
    for action in ({"type": "board", "text": STONES}, *actions):
        state = GAMES["stones"].act(state, action, HOST)
    return state


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("turns", range(5))
def test_a_newcomer_to_stones_leaves_the_turn_where_it_is(first, turns):
    state = stones({"type": "first", "seat": first}, *[{"type": "end_turn"}] * turns)
    game = GAMES["stones"]
    after = joined("stones", state)
    assert game.turn(after) == game.turn(state)
    rounds = [game.view(one, HOST)["turn"]["round"] for one in (state, after)]
    assert rounds[0] == rounds[1]
    seats = set()
    for _ in range(3):
        seats.add(game.turn(after))
        after = game.act(after, {"type": "end_turn"}, HOST)
    assert seats == {0, 1, 2}


def test_nobody_joins_the_last_round_nor_a_game_played_alone():
    late = stones({"type": "award", "seat": 0, "cards": list(range(1, 11))}, {"type": "end_turn"})
    early = stones({"type": "award", "seat": 0, "cards": list(range(1, 10))})
    for state, why in (
        (late, "The last round has begun"),
        (early, "With one player more this is the last round"),
        (stones(players=("Ann",)), "This game is played alone"),
    ):
        assert not has_room(GAMES["stones"], state)
        with pytest.raises(ActionError, match=why):
            joined("stones", state)


def test_seasons_of_time_are_dealt_before_the_first_card_only():
    game = GAMES["time"]
    state = started("time")
    place = {"type": "place", "card": "spring/autumn", "row": 0, "col": 0, "order": []}
    played = game.act(state, place, HOST)
    assert happened(game, state, place, played).startswith("Ann places spring and flips none.")
    with pytest.raises(ActionError):
        joined("time", played)


def test_who_joins_time_takes_no_season_and_no_first_turn_from_the_others():
    game = GAMES["time"]
    seats = zip(("Ann", "Ben", "Cem"), ("spring", "summer", "autumn"), strict=True)
    _, state = begun(game, {"players": [{"name": n, "colour": c} for n, c in seats]})
    for action in (
        {"type": "seasons", "seat": 0, "seasons": ["winter"]},
        {"type": "first", "seat": 1},
        {"type": "player", "name": "Dan", "colour": "spring"},
    ):
        state = game.act(state, action, HOST)
    assert state["seasons"] == [["winter"], ["summer"], ["autumn"], ["spring"]]
    assert state["first"] == 1


def test_a_scored_card_and_the_next_turn_are_told_with_the_points():
    game = GAMES["stones"]
    state = stones()
    card = int(next(iter(game.view(state, HOST)["matches"])))
    scoring = {"type": "score", "card": card}
    scored = game.act(state, scoring, HOST)
    points = game.result(scored)[0]["score"]
    assert happened(game, state, scoring, scored) == (
        f"Ann scores a card. Ann: +{points}, now {points}."
    )
    ended = game.act(scored, {"type": "end_turn"}, HOST)
    told = happened(game, scored, {"type": "end_turn"}, ended)
    assert told == "It is the turn of Ben."


def test_a_hand_is_told_to_nobody():
    state = stones()
    action = {"type": "hand", "seat": 0, "cards": [1, 2]}
    assert happened(GAMES["stones"], state, action, GAMES["stones"].act(state, action, HOST)) == ""
    game, village = GAMES["villagers"], started("villagers")
    action = {"type": "hand_add", "seat": 0, "name": "Miner"}
    assert happened(game, village, action, game.act(village, action, HOST)) == ""


def test_the_end_names_winner_margin_and_what_decided_it():
    of = {points: [card.id for card in CARDS if card.points == points] for points in (1, 3, 5)}
    state = stones(
        {"type": "award", "seat": 0, "cards": [of[1][0], of[3][0]]},
        {"type": "award", "seat": 1, "cards": [of[5][0]]},
    )
    assert ending(GAMES["stones"], state) == (
        "Ann wins with 7 points!",
        "Ann is 2 points ahead of Ben.",
        "What decided it: Bonus, 3 against 0.",
    )


def test_the_end_tells_a_shared_win_nobody_and_a_game_alone():
    shared = stones()
    assert ending(GAMES["stones"], shared) == ("Nobody has won.",)
    game = GAMES["custom"]
    state = started("custom")
    for seat in (0, 1):
        state = game.act(state, {"type": "extra", "seat": seat, "points": 1}, HOST)
    assert ending(game, state) == ("Ann, Ben share the win with 1 point!",)
    assert ending(GAMES["villagers"], started("villagers", ("Ann",))) == ("Ann has 8 points.",)


def test_equal_gold_is_decided_by_fewer_villagers_and_said_so():
    game, state = GAMES["villagers"], started("villagers")
    state = game.act(state, {"type": "add", "seat": 1, "name": "Hayer", "on": None}, HOST)
    gold = {row["player"]: row["score"] for row in game.result(state)}
    state = game.act(state, {"type": "supply", "seat": 0, "gold": gold["Ben"]}, HOST)
    told = ending(game, state)
    assert told[0].startswith("Ann wins")
    assert told[-1] == f"A tie at {gold['Ben']} gold: Ann has fewer villagers (Ann 0, Ben 1)."
    assert not any("ahead" in one for one in told)


def test_a_tie_that_some_win_says_what_the_other_lacked():
    game, state = GAMES["villagers"], joined("villagers", started("villagers"))
    state = game.act(state, {"type": "add", "seat": 0, "name": "Hayer", "on": None}, HOST)
    gold = game.result(state)[0]["score"]
    for seat in (1, 2):
        state = game.act(state, {"type": "supply", "seat": seat, "gold": gold}, HOST)
    assert ending(game, state) == (
        f"Ben, Cem share the win with {gold} points!",
        f"A tie at {gold} gold: Ben and Cem share the win with fewer villagers"
        " (Ann 1, Ben 0, Cem 0).",
    )
    game, state = GAMES["seasons"], joined("seasons", started("seasons"))
    state = game.act(state, {"type": "cards", "cards": ["six-columns"]}, HOST)
    for seat in (0, 2):
        tile = {"type": "cell", "seat": seat, "row": 0, "col": 0, "label": "summer*"}
        state = game.act(state, tile, HOST)
    assert ending(game, state)[1:] == (
        "A tie at 0 points: Ann and Cem win together with the most precious tiles"
        " (Ann 1, Ben 0, Cem 1).",
    )


def test_the_end_of_time_says_which_season_leads_and_why():
    game = GAMES["time"]
    state = game.act(started("time"), {"type": "board", "text": "spring spring / winter ."}, HOST)
    assert ending(game, state)[-1].startswith("Spring comes first. It is ahead of winter")


def test_the_end_of_time_does_not_speak_of_the_season_that_nobody_plays():
    game = GAMES["time"]
    state = joined("time", started("time"))
    for text, first in (
        ("summer summer summer / spring spring winter", "first of the seasons that are played."),
        ("spring spring spring / summer summer winter", "first."),
    ):
        state = game.act(state, {"type": "board", "text": text}, HOST)
        told = f"Spring comes {first} It is ahead of winter"
        assert ending(game, state)[-1].startswith(told)

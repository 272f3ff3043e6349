"""Shifting Stones at the table: turns by the rulebook, private hands, the end, solo."""

import copy
import json
from itertools import cycle
from typing import Any

import pytest
from table_documents import documents_of

from scorer.actions import MOST_CORRECTIONS
from scorer.documents import answer_lines
from scorer.game import ActionError, conflict
from scorer.games import GAMES
from scorer.setup import started
from scorer.stones.cards import matches
from scorer.stones.documents import step_document
from scorer.stones.game import COLOURS
from scorer.stones.solo import SOLO_DECK
from scorer.stones.state import full_grid_of, is_last_round, turn_seat
from scorer.stones.turn import ACTIONS

GAME: Any = GAMES["stones"]
GRID = "sun horse bird / tree seed seed / horse bird boat"
ANN = {"role": "host", "seat": 0}
BOB = {"role": "player", "seat": 1}
CAT = {"role": "viewer", "seat": None}


def begun(*names: str, **options: Any) -> dict[str, Any]:
    """Before the stones are laid out."""
    seats = zip(names, cycle(COLOURS), strict=False)
    players = [{"name": name, "colour": colour} for name, colour in seats]
    return started(GAME, {"players": players, "options": options})[1]


def laid(grid: str, *names: str, **options: Any) -> dict[str, Any]:
    """With other stones than those of ``start``, and without a photo of them."""
    return play(begun(*names, **options), {"type": "board", "seat": None, "text": grid})


def start(*names: str, **options: Any) -> dict[str, Any]:
    return play(
        begun(*names, **options),
        {"type": "board", "seat": None, "text": GRID, "photo": 7, "corrections": []},
    )


def play(
    state: dict[str, Any], *actions: dict[str, Any], by: dict[str, Any] = ANN
) -> dict[str, Any]:
    for action in actions:
        before = copy.deepcopy(state)
        after = GAME.act(state, action, by)
        assert state == before, "an action changed the old state"
        state = json.loads(json.dumps(after))
    return state


def refused(state: dict[str, Any], action: dict[str, Any], by: dict[str, Any] = ANN) -> str:
    with pytest.raises(ActionError) as caught:
        GAME.act(state, action, by)
    assert caught.value.message.endswith(".")
    return caught.value.code


def hand(seat: int, *cards: int) -> dict[str, Any]:
    return {"type": "hand", "seat": seat, "cards": list(cards)}


def test_matches_and_ways_are_those_of_the_command() -> None:
    state = play(start("Ann", "Bob"), hand(0, 41, 28, 72, 1))
    view = GAME.view(state, ANN)
    (answer,) = answer_lines(
        "moves", [json.dumps({"game": "stones", "grid": GRID, "hand": [1, 28, 41, 72]})]
    )
    assert [card for card in view["hand"]["cards"] if str(card) in view["matches"]] == answer[
        "matches"
    ]
    assert {card: view["ways"][card]["distance"] for card in answer["distance"]} == answer[
        "distance"
    ]
    best = view["hand"]["best"]
    assert {key: best[key] for key in ("points", "discards", "steps")} == answer["best"]
    assert view["matches"]["41"] == [[[0, 1], [0, 2]]]
    assert all(len(way["steps"]) == way["distance"] for way in view["ways"].values())


def test_the_boards_of_a_way_lead_to_its_card() -> None:
    state = play(start("Ann", "Bob"), hand(0, 41, 28, 72, 1))
    view = GAME.view(state, ANN)
    for card, way in view["ways"].items():
        rows = copy.deepcopy(view["board"]["rows"])
        for step, words in zip(way["steps"], way["after"], strict=True):
            cells = step.get("shift") or [step["flip"]]
            assert len(cells) == 1 or cells in view["board"]["swaps"]
            for (row, col), word in zip(cells, words, strict=True):
                rows[row][col] = word
        text = " / ".join(" ".join(row) for row in rows)
        there = GAME.view(play(state, {"type": "board", "seat": None, "text": text}), ANN)
        assert card in there["matches"]


def test_a_hand_is_seen_by_its_seat_alone() -> None:
    state = play(play(start("Ann", "Bob"), hand(0, 72)), hand(1, 70, 71), by=BOB)
    own, other, watching = (GAME.view(state, who) for who in (ANN, BOB, CAT))
    assert own["hand"]["cards"] == [72]
    assert other["hand"]["cards"] == [70, 71]
    assert watching["hand"] is None
    assert GAME.view(state, {"role": "host", "seat": None})["hand"] is None
    for view, secret in ((other, "[72]"), (own, "[70, 71]"), (watching, "[70, 71]")):
        assert secret not in json.dumps(view)
    assert [held["hand"] for held in GAME.public(state, ANN)["seats"]] == [[72], []]
    assert [held["hand"] for held in GAME.public(state, CAT)["seats"]] == [[], []]
    assert GAME.public_action(hand(1, 70, 71), ANN)["cards"] == []
    assert GAME.public_action(hand(1, 70, 71), CAT)["cards"] == []
    assert GAME.public_action(hand(1, 70, 71), BOB)["cards"] == [70, 71]
    assert [player["cards"] for player in watching["players"]] == [4, 4]


@pytest.mark.parametrize(
    "told", [{"type": "score"}, {"type": "award", "seat": 0}, {"type": "award", "seat": 1}]
)
def test_a_scored_card_does_not_tell_others_that_a_hand_held_it(told: dict[str, Any]) -> None:
    state = start("Ann", "Bob")
    told |= {"card": 41}
    held, unheld = (play(play(state, hand(0, card)), told, by=BOB) for card in (41, 42))
    for viewer in (BOB, CAT):
        assert GAME.public(held, viewer) == GAME.public(unheld, viewer)
        assert GAME.view(held, viewer) == GAME.view(unheld, viewer)
    assert GAME.public(held, ANN) == held


def test_only_the_seat_itself_chooses_its_hand() -> None:
    state = start("Ann", "Bob")
    assert refused(state, hand(1, 3)) == "private"
    assert refused(state, hand(0, 3), CAT) == "viewer"
    assert refused(state, hand(0, 3, 3)) == "hand"
    assert refused(state, hand(0, 1, 2, 3, 4, 5, 6, 7)) == "hand"
    assert refused(state, hand(0, 73)) == "card"


def test_a_hand_larger_than_was_counted_corrects_the_count() -> None:
    state = play(start("Ann", "Bob"), hand(0, 1, 2, 3, 4, 5))
    assert (state["seats"][0]["count"], state["counted"]) == (5, False)
    after_a_skip = play(start("Ann", "Bob"), {"type": "skip"}, hand(0, *range(1, 7)))
    assert (after_a_skip["seats"][0]["count"], after_a_skip["counted"]) == (6, True)


def test_whoever_says_which_card_was_discarded_holds_it() -> None:
    state = play(start("Ann", "Bob"), hand(0, 10, 20))
    flip = {"type": "move", "flip": [0, 0], "discard": 10}
    assert refused(state, flip, BOB) == "private"
    assert refused(state, flip | {"discard": 11}) == "not_in_hand"
    assert GAME.view(play(state, flip), ANN)["hand"]["cards"] == [20]


def test_the_log_tells_nobody_which_card_was_discarded() -> None:
    flip = FLIP | {"discard": 10}
    photo = {"type": "board", "seat": None, "text": GRID, "moves": [flip]}
    for viewer in (ANN, BOB, CAT):
        assert GAME.public_action(flip, viewer) == FLIP | {"discard": None}
        assert GAME.public_action(photo, viewer)["moves"] == [FLIP | {"discard": None}]


def test_without_advice_only_matches_are_shown() -> None:
    view = GAME.view(play(start("Ann", "Bob", advice=False), hand(0, 41, 28)), ANN)
    assert view["ways"] == {}
    assert view["hand"]["best"] is None
    assert "41" in view["matches"]


def test_no_best_turn_is_offered_with_cards_that_may_be_discarded() -> None:
    flip = {"type": "move", "flip": [0, 0]}
    state = play(start("Ann", "Bob"), hand(0, 30, 31, 32, 33), flip)
    assert GAME.view(state, ANN)["hand"]["best"] is None
    assert GAME.view(play(state, hand(0, 30, 31, 32)), ANN)["hand"]["best"] is not None


def test_discards_are_asked_for_until_the_hand_is_told_again() -> None:
    end = {"type": "end_turn"}
    state = play(start("Ann", "Bob"), hand(0, 30, 31, 32, 33), FLIP, FLIP, end)
    assert asked(state) == (2, 2, False)
    assert asked(play(state, end)) == (2, 2, False)
    assert asked(play(state, hand(0, 30, 31, 32))) == (1, 2, False)
    assert asked(play(state, hand(0, 30, 31, 32), hand(0, 30, 31))) == (0, 2, True)
    assert asked(play(state, hand(0, 30, 31, 40, 41))) == (0, 0, True)
    assert asked(play(state, end, FLIP | {"discard": 33}, end)) == (2, 3, False)
    assert [held["excess"] for held in GAME.public(state, BOB)["seats"]] == [0, 0]


def asked(state: dict[str, Any]) -> tuple[int, int, bool]:
    """How many discards the page asks Ann for, how many of her cards it misses, and whether it
    has a best turn."""
    own = GAME.view(state, ANN)["hand"]
    return own["excess"], own["unknown"], own["best"] is not None


def test_discards_told_one_by_one_leave_the_count_as_it_is() -> None:
    state = play(start("Ann", "Bob"), hand(0, 30, 31, 32, 33), FLIP, FLIP, hand(0, 30, 31, 32))
    assert (state["seats"][0]["count"], state["counted"]) == (2, True)
    assert asked(state) == (1, 0, False)
    assert asked(play(state, hand(0, 30, 31), {"type": "end_turn"})) == (0, 2, True)


def test_a_game_kept_by_an_earlier_version_asks_for_its_discards() -> None:
    state = play(start("Ann", "Bob"), hand(0, 30, 31, 32, 33), FLIP)
    for held in state["seats"]:
        del held["excess"]
    assert asked(state) == (1, 0, False)
    assert asked(play(state, {"type": "end_turn"})) == (1, 1, False)


def test_moves_are_paid_and_change_the_stones() -> None:
    state = play(
        start("Ann", "Bob"),
        {"type": "move", "flip": [0, 0]},
        {"type": "move", "shift": [[0, 1], [0, 2]]},
    )
    view = GAME.view(state, ANN)
    assert view["board"]["rows"][0] == ["moon", "bird", "horse"]
    assert view["players"][0]["cards"] == 2
    assert view["deck"] == {"cards": 64, "discards": 2}
    assert view["turn"]["has_acted"]
    assert not view["turn"]["may_skip"]
    assert refused(state, {"type": "skip"}) == "acted"
    assert refused(state, {"type": "move", "shift": [[0, 0], [1, 1]]}) == "shift"
    assert refused(state, {"type": "move", "flip": [3, 0]}) == "cell"
    state = play(state, {"type": "move", "flip": [0, 0]}, {"type": "move", "flip": [0, 0]})
    assert refused(state, {"type": "move", "flip": [0, 0]}) == "empty_hand"
    ended = GAME.view(play(state, {"type": "end_turn"}), ANN)
    assert (ended["turn"]["seat"], ended["players"][0]["cards"]) == (1, 4)
    assert ended["deck"] == {"cards": 60, "discards": 4}


def test_a_card_scores_once_and_only_while_it_matches() -> None:
    state = start("Ann", "Bob")
    assert refused(state, {"type": "score", "card": 28}) == "no_match"
    state = play(state, hand(0, 41), {"type": "score", "card": 41})
    view = GAME.view(state, ANN)
    assert (view["players"][0]["points"], view["hand"]["cards"]) == (2, [])
    assert refused(state, {"type": "score", "card": 41}) == "scored"
    assert refused(state, {"type": "award", "seat": 1, "card": 41}) == "scored"
    assert refused(state, hand(0, 41)) == "scored"


def test_nobody_skips_twice_in_a_row() -> None:
    state = play(start("Ann", "Bob"), {"type": "skip"})
    assert GAME.view(state, ANN)["players"][0]["cards"] == 6
    state = play(state, {"type": "end_turn"})
    assert not GAME.view(state, ANN)["turn"]["may_skip"]
    assert refused(state, {"type": "skip"}) == "skipped_twice"
    assert play(state, {"type": "end_turn"}, {"type": "skip"})["seats"][1]["has_skipped"]


ONES = list(range(1, 29))


def award(seat: int, *cards: int) -> list[dict[str, Any]]:
    return [{"type": "award", "seat": seat, "cards": list(cards)}]


def test_the_round_is_finished_once_somebody_has_enough_cards() -> None:
    state = play(start("Ann", "Bob"), *award(0, *ONES[:10]), {"type": "end_turn"})
    view = GAME.view(state, ANN)
    assert view["end"] == {
        "at": 10,
        "last_round": True,
        "over": False,
        "still_to_play": [1],
        "says": "With 2 players the last round begins with 10 scored cards.",
    }
    state = play(state, *award(1, 68, 69, 70), {"type": "end_turn"})
    view = GAME.view(state, ANN)
    assert view["end"]["over"]
    assert refused(state, {"type": "end_turn"}) == "over"
    assert view["players"][0] | {"total": 13, "bonus": 3} == view["players"][0]
    assert view["result"] == [
        {"player": "Ann", "score": 13, "rank": 2, "winner": False},
        {"player": "Bob", "score": 15, "rank": 1, "winner": True},
    ]
    assert play(state, {"type": "finish"})["finished"]


def last_round(*actions: dict[str, Any]) -> dict[str, Any]:
    """Ann has enough cards in her turn."""
    return play(start("Ann", "Bob"), *award(0, *ONES[:10]), *actions)


def test_a_turn_that_is_given_back_does_not_end_the_game() -> None:
    state = play(last_round(), {"type": "end_turn"}, {"type": "turn", "seat": 0})
    assert GAME.view(state, ANN)["end"]["still_to_play"] == [0, 1]
    assert not GAME.over(play(state, {"type": "move", "flip": [0, 0]}, {"type": "end_turn"}))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_turn_given_back_after_the_end_is_one_of_the_last_round(seat: int) -> None:
    over = last_round({"type": "end_turn"}, {"type": "end_turn"})
    state = play(over, {"type": "turn", "seat": seat})
    assert (GAME.turn(state), GAME.view(state, ANN)["turn"]["round"]) == (seat, 1)
    assert GAME.over(play(state, *[{"type": "end_turn"}] * (2 - seat)))


def test_no_turn_is_before_the_first_and_nobody_alone_passes_it_on() -> None:
    early = play(start("Ann", "Bob"), *award(0, *ONES[:10]))
    del early["has_ended"]  # as earlier versions kept it: over before the first turn
    assert play(early, {"type": "turn", "seat": 1})["turn"] == 1
    assert refused(start("Ann"), {"type": "turn", "seat": 0}) == "alone"


def test_the_scored_cards_are_corrected_while_the_game_stays_over() -> None:
    over = last_round({"type": "end_turn"}, {"type": "end_turn"})
    assert GAME.over(play(over, *award(0, 70)))
    assert GAME.over(play(over, {"type": "unscore", "seat": 0, "card": 1}, *award(0, 70)))
    assert not GAME.over(play(over, {"type": "unscore", "seat": 0, "card": 1}))


def test_a_card_noted_after_the_round_in_which_it_was_scored_can_end_the_game() -> None:
    nine = play(start("Ann", "Bob"), *award(1, *ONES[:9]))
    assert not GAME.over(play(nine, *award(1, 70)))
    state = play(nine, *[{"type": "end_turn"}] * 2)
    over = play(state, *award(1, 70))
    assert GAME.over(over)
    assert not GAME.over(play(over, {"type": "unscore", "seat": 1, "card": 70}))
    assert not GAME.over(play(state, {"type": "move", "flip": [0, 0]}, *award(1, 70)))
    assert not GAME.over(play(state, {"type": "end_turn"}, *award(1, 70)))


def test_a_card_of_whoever_has_the_turn_does_not_end_the_round_before() -> None:
    state = play(start("Ann", "Bob"), *award(0, *ONES[:9]), *[{"type": "end_turn"}] * 2)
    assert GAME.view(play(state, *award(0, 70)), ANN)["end"]["still_to_play"] == [0, 1]


def test_a_game_kept_by_an_earlier_version_is_over_as_it_was() -> None:
    over = last_round({"type": "end_turn"}, {"type": "end_turn"})
    del over["has_ended"]
    assert GAME.over(over)
    assert GAME.over(play(over, *award(0, 70)))
    assert not GAME.over(play(over, {"type": "turn", "seat": 1}))


def test_a_card_scored_earlier_does_not_begin_the_turn() -> None:
    state = play(start("Ann", "Bob"), *award(0, 70))
    assert GAME.view(state, ANN)["turn"]["may_skip"]
    assert play(state, {"type": "skip"})["turn"] == 1


def test_tied_players_all_get_the_bonus_and_share_the_win() -> None:
    state = play(start("Ann", "Bob", "Cat"), *award(0, 1), *award(2, 2))
    views = GAME.view(state, ANN)["players"]
    assert [player["bonus_why"]["says"][:13] for player in views] == [
        "Bonus: shared",
        "No bonus: oth",
        "Bonus: shared",
    ]
    assert [row["winner"] for row in GAME.result(state)] == [True, False, True]
    assert [row["rank"] for row in GAME.result(state)] == [1, 3, 1]
    (answer,) = answer_lines("score", [json.dumps(documents_of("stones", state)[0])])
    assert answer["winners"] == ["Ann", "Cat"]


def test_what_was_not_told_is_put_right_and_the_deck_is_no_longer_counted() -> None:
    state = play(start("Ann", "Bob"), *award(1, 5))
    assert GAME.view(state, ANN)["deck"] is None
    state = play(state, {"type": "turn", "seat": 1})
    assert GAME.view(state, ANN)["turn"]["seat"] == 1
    state = play(state, {"type": "unscore", "seat": 1, "card": 5})
    assert GAME.view(state, ANN)["players"][1]["scored"] == []
    assert refused(state, {"type": "unscore", "seat": 1, "card": 5}) == "card"


def test_cards_that_were_not_scored_here_are_not_paid_from_the_hand() -> None:
    state = play(start("Ann", "Bob"), *award(0, 1, 2, 3, 4, 5))
    assert GAME.view(state, ANN)["turn"]["may_pay"]
    state = play(state, {"type": "move", "flip": [0, 0]})
    assert state["seats"][0] | {"count": 3, "scored": [1, 2, 3, 4, 5]} == state["seats"][0]
    assert refused(state, {"type": "award", "seat": 0, "cards": [6, "7"]}) == "card"
    assert refused(state, {"type": "award", "seat": 0, "cards": [6, 6]}) == "scored"
    earlier = play(start("Ann", "Bob"), {"type": "award", "seat": 0, "card": 1})
    assert earlier["seats"][0]["count"] == 3


def test_a_card_scored_by_mistake_goes_back_to_the_hand_that_paid_it() -> None:
    taken_back = {"type": "unscore", "seat": 0, "card": 1}
    assert play(laid(FIRST, "Ann", "Bob"), score(1), taken_back)["seats"][0]["count"] == 4
    state = laid(FIRST, "Ann", "Bob")
    assert play(state, *award(0, 1), taken_back)["seats"][0]["count"] == 4
    later = play(state, score(1), {"type": "end_turn"}, {"type": "end_turn"})
    assert play(later, taken_back)["seats"][0]["count"] == 4


def test_a_turn_without_what_was_taken_back_has_not_begun() -> None:
    taken_back = {"type": "unscore", "seat": 0, "card": 1}
    state = play(laid(FIRST, "Ann", "Bob"), score(1))
    assert refused(state, {"type": "skip"}) == "acted"
    state = play(state, taken_back)
    assert GAME.view(state, ANN)["turn"]["may_skip"]
    assert play(state, {"type": "skip"})["turn"] == 1
    moved = play(state, {"type": "move", "flip": [1, 1]})
    assert refused(moved, {"type": "skip"}) == "acted"


def test_a_card_of_a_known_hand_is_known_again_when_it_goes_back() -> None:
    hand = {"type": "hand", "seat": 0, "cards": [1, 70, 71, 72]}
    taken_back = {"type": "unscore", "seat": 0, "card": 1}
    state = play(laid(FIRST, "Ann", "Bob"), hand, score(1), taken_back)
    assert state["seats"][0] | {"hand": [1, 70, 71, 72], "count": 4} == state["seats"][0]
    later = play(state, score(1), {"type": "end_turn"}, taken_back)
    assert later["seats"][0]["hand"] == [70, 71, 72]


def test_a_card_awarded_by_mistake_is_in_the_hand_again_once_it_is_taken_back() -> None:
    state = play(play(start("Ann", "Bob"), hand(0, 5, 17, 33, 60)), *award(0, 5, 17), by=BOB)
    assert GAME.view(state, ANN)["hand"]["cards"] == [33, 60]
    assert refused(state, FLIP | {"discard": 17}) == "not_in_hand"
    state = play(play(state, END, END), hand(0, 33, 60))
    for card in (5, 17):
        state = play(state, {"type": "unscore", "seat": 0, "card": card}, by=BOB)
    assert GAME.view(state, ANN)["hand"]["cards"] == [5, 17, 33, 60]


def test_a_turn_that_has_ended_is_not_ended_again() -> None:
    state = play(start("Ann", "Bob", "Cat"), {"type": "end_turn", "turn": 0})
    assert refused(state, {"type": "end_turn", "turn": 0}) == "turn_over"
    assert refused(state, {"type": "skip", "turn": 0}) == "turn_over"
    view = GAME.view(play(state, {"type": "skip", "turn": 1}), ANN)
    assert (view["turn"]["seat"], view["turn"]["number"]) == (2, 2)


@pytest.mark.parametrize("told", [{"type": "score", "card": 41}, {"type": "move", "flip": [0, 0]}])
def test_what_was_told_of_a_turn_that_has_ended_counts_for_nobody(told: dict[str, Any]) -> None:
    state = start("Ann", "Bob")
    later = play(state, {"type": "end_turn", "turn": 0})
    assert refused(later, told | {"turn": 0}) == "turn_over"
    for now in (play(state, told | {"turn": 0}), play(state, told)):
        assert now["turn"] == 0
        assert now["seats"][0]["count"] == later["seats"][0]["count"] - 1


def test_a_new_photo_during_the_game_ends_the_counting_but_a_correction_does_not() -> None:
    state = play(start("Ann", "Bob"), {"type": "move", "flip": [0, 0]})
    corrected = play(state, {"type": "cell", "row": 2, "col": 2, "label": "horse"})
    assert GAME.view(corrected, ANN)["deck"] is not None
    assert corrected["board"]["photo"] == 7
    seen = play(
        state, {"type": "board", "text": GRID, "photo": 8, "corrections": [[0, 0, "sun", "moon"]]}
    )
    assert GAME.view(seen, ANN)["deck"] is None
    assert GAME.view(seen, ANN)["board"]["photo"] == 8


def test_a_photo_can_be_looked_at_until_the_stones_move() -> None:
    state = start("Ann", "Bob")
    for change, photo in (
        ({"type": "cell", "row": 2, "col": 2, "label": "horse"}, 7),
        ({"type": "move", "flip": [0, 0]}, None),
    ):
        state = play(state, change)
        assert GAME.view(state, ANN)["board"]["photo"] == photo
        assert state["board"]["photo"] == 7  # the evidence stays


def test_an_impossible_board_is_shown_with_what_is_wrong() -> None:
    state = play(start("Ann", "Bob"), {"type": "cell", "row": 0, "col": 1, "label": "moon"})
    problems = GAME.view(state, ANN)["board"]["problems"]
    assert [(problem["code"], problem["message"]) for problem in problems] == [
        ("too_many_stones", "Please check: the box holds 1 with sun or moon, here are 2."),
        ("too_few_stones", "Please check: the box holds 3 with horse or boat, here are 2."),
    ]
    assert problems[0]["cells"] == [[0, 0], [0, 1]]


def test_stones_may_be_laid_out_by_hand_one_by_one() -> None:
    state = begun("Ann", "Bob")
    assert GAME.view(state, ANN)["board"]["missing"] == 9
    assert refused(state, {"type": "end_turn"}) == "no_board"
    words = GRID.replace("/", "").split()
    cells = [
        {"type": "cell", "row": at // 3, "col": at % 3, "label": word}
        for at, word in enumerate(words)
    ]
    state = play(state, *cells[:8])
    assert GAME.view(state, ANN)["matches"] == {}
    view = GAME.view(play(state, cells[8]), ANN)
    assert view["board"]["missing"] == 0
    assert "41" in view["matches"]
    assert refused(state, {"type": "cell", "row": 0, "col": 0, "label": "frog"}) == "label"
    assert refused(state, {"type": "board", "text": "sun sun"}) == "notation"


def test_who_begins_is_chosen_before_the_first_turn() -> None:
    state = play(start("Ann", "Bob", "Cat"), {"type": "first", "seat": 2}, {"type": "end_turn"})
    assert GAME.view(state, ANN)["turn"]["seat"] == 0
    assert refused(state, {"type": "first", "seat": 1}) == "begun"


def test_alone_four_turns_without_a_card_lose() -> None:
    state = start("Ann")
    state = play(state, {"type": "score", "card": 41}, {"type": "end_turn"})
    solo = GAME.view(state, ANN)["solo"]
    assert solo["strikes"] == 0
    assert [(one["points"], one["cards"]) for one in solo["left"] if one["points"] == 2] == [
        (2, SOLO_DECK[2] - 1)
    ]
    for _ in range(4):
        assert not GAME.view(state, ANN)["end"]["over"]
        state = play(state, {"type": "move", "flip": [0, 0]}, {"type": "end_turn"})
    solo = GAME.view(state, ANN)["solo"]
    assert solo["strikes"] == 4
    assert GAME.alone(state) == "The last strike: this game is lost."
    assert refused(state, {"type": "end_turn"}) == "over"
    assert GAME.result(state) == [{"player": "Ann", "score": 2, "rank": 1, "winner": False}]
    assert GAME.view(state, ANN)["players"][0]["bonus_why"]["says"] == "No bonus when playing alone"


@pytest.mark.parametrize("skip_is_strike", [True, False])
def test_alone_the_table_settles_whether_a_skip_is_a_strike(skip_is_strike: bool) -> None:
    state = play(start("Ann", skip_is_strike=skip_is_strike), {"type": "skip"})
    assert GAME.view(state, ANN)["solo"]["strikes"] == int(skip_is_strike)
    assert state["seats"][0]["count"] == 6


def test_alone_no_bonus_is_listed() -> None:
    assert [line.item for line in GAME.score_lines(start("Ann"))] == ["points", "total"]


def test_alone_all_sixteen_cards_win() -> None:
    solo_deck = [*ONES[:8], 29, 30, 31, 32, 55, 56, 57, 68]
    state = play(start("Ann"), *award(0, *solo_deck))
    assert GAME.alone(state) == "All 16 cards: you have won!"
    assert GAME.result(state)[0]["winner"]
    assert refused(play(start("Ann"), *award(0, 68)), award(0, 69)[0]) == "solo_deck"


FIRST = "bird horse boat / seed sun tree / seed bird horse"
FOURTH = "sun horse bird / seed fish seed / horse seed boat"
END, SKIP, FLIP = {"type": "end_turn"}, {"type": "skip"}, {"type": "move", "flip": [0, 0]}


def score(card: int) -> dict[str, Any]:
    return {"type": "score", "card": card}


def test_a_game_is_tracked_by_counts() -> None:
    state = laid(FIRST, "Ann", "Bob")
    assert (state["deck"], state["seats"][0]["count"]) == (64, 4)
    state = play(state, score(1), FLIP | {"flip": [1, 1]}, END)
    ann = state["seats"][0]
    assert (ann["count"], ann["scored"], state["deck"], state["discards"]) == (4, [1], 62, 1)
    assert turn_seat(state) == 1
    state = play(state, SKIP)
    assert (state["seats"][1]["count"], state["deck"]) == (6, 60)
    state = play(state, END)
    assert turn_seat(state) == 1
    assert refused(state, SKIP) == "skipped_twice"
    # Unsettled: a hand above four stays.
    assert play(state, FLIP, END)["seats"][1]["count"] == 5


def test_steps_against_the_rules_are_refused() -> None:
    state = laid(FIRST, "Ann", "Bob")
    assert refused(state, score(4)) == "no_match"
    assert refused(play(state, score(1)), score(1)) == "scored"
    acted = play(state, FLIP)
    assert refused(acted, SKIP) == "acted"
    assert refused(play(acted, FLIP, FLIP, FLIP), FLIP) == "empty_hand"
    with pytest.raises(ActionError, match="Two players are called Ann"):
        begun("Ann", "Ann")


def test_a_skip_says_how_many_cards_it_draws() -> None:
    state = start("Ann", "Bob")
    assert GAME.view(state, ANN)["turn"]["skip_says"] == "Skip the turn and draw 2 cards"
    for count, says in ((5, "Skipped: 1 card is drawn."), (6, "Skipped: 0 cards are drawn.")):
        state["seats"][0]["count"] = count
        assert GAME.view(state, ANN)["turn"]["skipped_says"] == says
        assert play(state, SKIP)["seats"][0]["count"] == 6


def test_the_discards_become_the_new_deck() -> None:
    """Empty deck: shuffle the discards."""
    state = laid(FIRST, "Ann", "Bob")
    for _ in range(16):
        state = play(state, FLIP, FLIP, FLIP, FLIP, END)
    assert (state["deck"], state["discards"]) == (0, 64)
    state = play(state, FLIP, END)
    assert (state["deck"], state["discards"]) == (64, 0)


def test_the_round_is_finished_so_that_all_have_equal_turns() -> None:
    state = laid(FOURTH, "Ann", "Bob")
    cards = free_matches(state)
    while not is_last_round(state):
        for _ in range(2):
            if cards and not is_last_round(state):
                state = play(state, score(cards.pop()))
        if not cards:
            move = step_document(ACTIONS[state["turn"] % 12])
            state = play(state, {"type": "move"} | move)
            cards = free_matches(state)
        state = play(state, END) if not is_last_round(state) else state
    first = state["turn"] % 2 == 0
    state = play(state, END)
    assert GAME.over(state) is not first
    if not GAME.over(state):
        state = play(state, END)
    assert GAME.over(state)
    assert refused(state, END) == "over"
    assert {row["player"] for row in GAME.result(state)} == {"Ann", "Bob"}


def free_matches(state: dict[str, Any]) -> list[int]:
    """The cards that the stones show and that nobody has scored."""
    scored = {card for held in state["seats"] for card in held["scored"]}
    return [card.id for card in matches(full_grid_of(state)) if card.id not in scored]


def test_alone_a_turn_without_a_card_is_a_strike() -> None:
    state = start("Ann")
    for strikes in range(1, 5):
        assert not GAME.over(state)
        state = play(state, END)
        assert state["strikes"] == strikes
    assert GAME.alone(state) == "The last strike: this game is lost."
    assert refused(state, END) == "over"
    assert refused(play(start("Ann"), *award(0, 70)), award(0, 71)[0]) == "solo_deck"


def test_claims_become_a_document_that_can_be_audited() -> None:
    state = play(
        start("Ann", "Bob"),
        *award(0, 41, 1),
        {"type": "claim", "seat": 0, "lines": {"points": 3, "total": 3}},
    )
    (document,) = documents_of("stones", state)
    (answer,) = answer_lines("audit", [json.dumps(document)])
    assert [(line["item"], line["agrees"]) for line in answer["lines"]] == [
        ("points", True),
        ("total", False),
    ]
    assert refused(state, {"type": "claim", "seat": 0, "lines": {"luck": 3}}) == "claim"
    assert refused(state, {"type": "claim", "seat": 0, "lines": {"total": 1.5}}) == "claim"


def test_the_same_change_told_twice_is_a_conflict() -> None:
    flip = GAME.touches({"type": "move", "flip": [0, 1]})
    swap = GAME.touches({"type": "move", "shift": [[0, 0], [0, 1]]})
    far = GAME.touches({"type": "cell", "row": 2, "col": 2})
    assert conflict(flip, swap)
    assert not conflict(flip, far)
    assert conflict(far, GAME.touches({"type": "board"}))
    assert conflict(GAME.touches({"type": "end_turn"}), GAME.touches({"type": "skip"}))
    assert not conflict(GAME.touches(hand(0, 1)), GAME.touches(hand(1, 2)))
    assert GAME.touches({"type": "score", "card": 3}) == ()


@pytest.mark.parametrize(
    "action",
    [
        {"type": "move"},
        {"type": "move", "flip": 5},
        {"type": "move", "shift": 7},
        {"type": "move", "shift": [[0, 0], [0, 1]], "flip": [2, 2]},
        {"type": "move", "shift": [[0, 0], ["a", 1]]},
        {"type": "score"},
        {"type": "score", "card": "x"},
        {"type": "award", "seat": 9, "card": 1},
        {"type": "board", "text": 5},
        {"type": "board", "text": GRID, "photo": {"much": 1}},
        {"type": "board", "text": GRID, "photo": -1},
        {"type": "board", "text": GRID, "photo": 1, "turns": True},
        {
            "type": "board",
            "text": GRID,
            "photo": 1,
            "corrections": [[0, 0, "sun", "moon"]] * (MOST_CORRECTIONS + 1),
        },
        {"type": "hand", "seat": 0, "cards": [[1]]},
        {"type": "claim", "seat": 0, "lines": []},
        {"type": "claim", "seat": True, "lines": {}},
        {"type": "dance"},
        {},
    ],
)
def test_malformed_changes_are_refused_with_a_sentence(action: dict[str, Any]) -> None:
    GAME.touches(action)
    assert refused(start("Ann", "Bob"), action)


def test_names_are_different_and_not_too_many() -> None:
    for names in (["Ann", "ann"], [""], list("abcdef"), []):
        with pytest.raises(ActionError):
            start(*names)

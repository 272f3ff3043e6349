"""Shifting Stones (Gamewright 2020).

Sources are sections of the rulebook unless something else is named.
"""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.notation import NotationError
from scorer.stones.board import BOX, StoneGrid, Symbol
from scorer.stones.cards import CARDS, Pattern, cards_by_id, matches, placements
from scorer.stones.rounds import last_round_at
from scorer.stones.score import FinalScore, final_scores, winners
from scorer.stones.turn import ACTIONS, Flip, Score, Shift, apply, best_turn, distance, way_to

FIRST = "bird horse boat / seed sun tree / seed bird horse"
SECOND = "bird horse boat / fish sun boat / tree seed horse"
THIRD = "sun horse bird / tree seed seed / horse bird boat"
FOURTH = "sun horse bird / seed fish seed / horse seed boat"


@st.composite
def grids(draw):
    kinds = draw(st.permutations([kind for kind, count in BOX.items() for _ in range(count)]))
    return StoneGrid(tuple(draw(st.sampled_from(kind.value)) for kind in kinds))


hands = st.lists(st.sampled_from(CARDS), max_size=6, unique=True)


@pytest.mark.parametrize(
    ("grid", "pattern", "found"),
    [
        # "Scoring a card", the four examples; the first pattern shows twice and scores once.
        (FIRST, "bird horse", [(0, 0), (2, 1)]),
        (SECOND, "fish tree", []),
        (THIRD, ". horse bird", [(0, 0)]),
        (FOURTH, ". . . / . fish . / . . .", [(0, 0)]),
        # Neither turned nor mirrored.
        (FIRST, "horse bird", []),
        (FIRST, "bird / horse", []),
        # The grey cells must lie in the grid as well.
        (FIRST, "boat .", []),
        (FIRST, ". boat", [(0, 1)]),
    ],
)
def test_a_pattern_matches_as_printed(grid, pattern, found):
    assert list(placements(StoneGrid.parse(grid), Pattern.parse(pattern))) == found


def test_the_deck_is_that_of_the_box():
    """Contents: 72 cards; the facts count 28, 26, 13 and 5 of 1, 2, 3 and 5 points."""
    assert [sum(card.points == points for card in CARDS) for points in (1, 2, 3, 5)] == [
        28,
        26,
        13,
        5,
    ]
    assert [card.id for card in CARDS] == list(range(1, 73))
    assert len({card.pattern for card in CARDS}) == 72
    assert sum(card.points for card in CARDS) == 144


def test_matching_cards_are_all_cards_that_match():
    grid = StoneGrid.parse(FOURTH)
    assert {card.id for card in matches(grid)} >= {28, 41, 50}
    assert all(placements(grid, card.pattern) for card in matches(grid))


def test_words_may_be_shortened_to_two_letters():
    assert str(StoneGrid.parse("BI ho bo\nse su tr\nsee bird hor")) == FIRST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sun",
        FIRST + " / sun sun sun",
        FIRST.replace("sun", "s"),
        FIRST.replace("sun", "."),
        "sun moon / fish",
    ],
)
def test_what_is_no_grid_is_refused(text):
    with pytest.raises(NotationError):
        StoneGrid.parse(text)


@pytest.mark.parametrize(
    ("grid", "codes", "cells"),
    [
        (FIRST, [], []),
        # The facts call this printed example impossible: four of {horse, boat} and two of {seed,
        # tree}.
        (SECOND, ["too_many_stones", "too_few_stones"], [(0, 1), (0, 2), (1, 2), (2, 2)]),
        (
            FIRST.replace("bird", "moon"),
            ["too_many_stones", "too_few_stones"],
            [(0, 0), (1, 1), (2, 1)],
        ),
    ],
)
def test_stones_that_the_box_does_not_hold_are_problems(grid, codes, cells):
    problems = StoneGrid.parse(grid).problems()
    assert [problem.code for problem in problems] == codes
    assert [cell for problem in problems for cell in problem.cells] == cells


def test_every_grid_has_21_actions():
    """On your turn: 12 swaps without wrapping around, 9 flips."""
    assert len(ACTIONS) == 21
    grid = StoneGrid.parse(FIRST)
    assert str(apply(grid, Flip((1, 1)))) == FIRST.replace("sun", "moon")
    assert str(apply(grid, Shift((0, 0), (0, 1)))) == FIRST.replace(
        "bird horse boat", "horse bird boat"
    )
    with pytest.raises(ValueError, match="adjacent"):
        grid.shifted((0, 0), (0, 2))
    with pytest.raises(ValueError, match="adjacent"):
        grid.shifted((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("grid", "hand", "points", "discards"),
    [
        (FIRST, [], 0, 0),
        (FIRST, [1], 1, 0),  # Scoring costs nothing
        (FIRST, [1, 5], 2, 0),  # and several cards may be scored on the same grid.
        (FIRST, [27], 0, 0),  # A shift must be paid with a card that is not scored.
        (FIRST, [68, 1, 5, 70], 5, 3),
    ],
)
def test_best_turn(grid, hand, points, discards):
    turn = best_turn(StoneGrid.parse(grid), [cards_by_id()[card] for card in hand])
    assert (turn.points, turn.discards) == (points, discards)


def test_a_hand_has_up_to_six_different_cards():
    with pytest.raises(ValueError, match="up to 6 different cards"):
        best_turn(StoneGrid.parse(FIRST), CARDS[:7])
    with pytest.raises(ValueError, match="up to 6 different cards"):
        best_turn(StoneGrid.parse(FIRST), [CARDS[0], CARDS[0]])


def test_an_impossible_grid_may_never_match():
    grid = StoneGrid.parse("fish " * 3 + "/ fish fish fish / fish fish fish")
    sun = next(card for card in CARDS if str(card.pattern) == ". . sun")
    assert distance(grid, sun) is None
    assert way_to(grid, sun) is None


@given(grids())
def test_notation_round_trips(grid):
    assert StoneGrid.parse(str(grid)) == grid
    assert eval(repr(grid)) == grid
    assert not grid.problems()


def test_patterns_round_trip():
    assert all(Pattern.parse(str(card.pattern)) == card.pattern for card in CARDS)


@given(grids())
def test_an_action_undoes_itself(grid):
    assert all(apply(apply(grid, action), action) == grid for action in ACTIONS)


@given(grids(), st.sampled_from(CARDS))
def test_the_way_to_a_card_is_as_long_as_its_distance(grid, card):
    way = way_to(grid, card)
    assert len(way) == distance(grid, card)
    for action in way:
        grid = apply(grid, action)
    assert placements(grid, card.pattern)


@settings(max_examples=30)
@given(grids(), hands, st.integers())
def test_no_random_turn_beats_the_best(grid, hand, seed):
    best = best_turn(grid, hand)
    scored = [step.card for step in best.steps if isinstance(step, Score)]
    assert best.points == sum(card.points for card in scored)
    assert best.discards == len(best.steps) - len(scored) <= len(hand) - len(scored)
    rng = random.Random(seed)
    for _ in range(20):
        now, held, points = grid, list(hand), 0
        while held:
            for card in [
                card for card in held if placements(now, card.pattern) and rng.random() < 0.8
            ]:
                held.remove(card)
                points += card.points
            if held:
                held.pop(rng.randrange(len(held)))
                now = apply(now, rng.choice(ACTIONS))
        assert points <= best.points


@pytest.mark.parametrize(("players", "cards"), [(2, 10), (3, 9), (4, 8), (5, 7), (6, 7)])
def test_the_last_round_depends_on_the_players(players, cards):
    """End of the game."""
    assert last_round_at(players) == cards


def _cards(*ids):
    return [cards_by_id()[card] for card in ids]


@pytest.mark.parametrize(
    ("players", "bonus", "best"),
    [
        ({"A": _cards(1, 2), "B": _cards(3, 72)}, [3, 0], ["B"]),
        (
            {"A": _cards(1, 2), "B": _cards(3, 4)},
            [3, 3],
            ["A", "B"],
        ),  # Every tied player gets it; a shared win.
        ({"A": _cards(29), "B": _cards(30)}, [0, 0], ["A", "B"]),  # Unsettled; we award no bonus.
        ({"A": _cards(1)}, [0], ["A"]),
    ],
)
def test_bonus_for_the_most_cards_of_one_point(players, bonus, best):
    """End of the game."""
    scores = final_scores(players)
    assert [row.bonus for row in scores] == bonus
    assert list(winners(scores)) == best
    assert all(row.total == row.points + row.bonus for row in scores)


def test_a_final_score_is_a_value():
    assert FinalScore("A", 5, 2, 3).total == 8
    assert Symbol.SUN.back is Symbol.MOON

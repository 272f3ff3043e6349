"""Turn of Time, the card game (Nova Suecia, print and play).

Sources are sections of the rulebook.
"""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.notation import NotationError
from scorer.season import SEASONS, Season
from scorer.time.board import TimeGrid, starting_grid
from scorer.time.cards import SeasonCard
from scorer.time.laying import merged
from scorer.time.score import player_points, ranking
from scorer.time.solo import is_balance, is_dominance
from scorer.time.turn import legal_cells, outcomes, placements

DECK = [SeasonCard(s, s) for s in SEASONS] + 2 * [
    SeasonCard(a, b) for a, b in itertools.combinations(SEASONS, 2)
]


@st.composite
def tables(draw, least=0, most=15):
    """Connected cards of the deck within 4x4, and the next card."""
    cards = [
        card.flipped() if draw(st.booleans()) else card for card in draw(st.permutations(DECK))
    ]
    grid = TimeGrid(())
    for card in cards[: draw(st.integers(least, most))]:
        grid = TimeGrid.of(dict(grid.cards) | {draw(st.sampled_from(legal_cells(grid))): card})
    return grid, cards[-1]


@pytest.mark.parametrize(
    ("grid", "cell", "card", "after"),
    [
        # Flipping, the example: it meets the spring first and both flip, then the summer flips it
        # back.
        (
            "spring/winter . / . summer/autumn",
            (0, 1),
            "autumn/spring",
            {
                "winter/spring autumn/spring / . summer/autumn",
                "winter/spring spring/autumn / . autumn/summer",
            },
        ),
        # Flipping: spring is flipped by summer, summer by autumn, autumn by winter, winter by
        # spring.
        ("spring/autumn", (0, 1), "summer/winter", {"autumn/spring summer/winter"}),
        ("summer/autumn", (0, 1), "autumn/winter", {"autumn/summer autumn/winter"}),
        ("autumn/spring", (0, 1), "winter/spring", {"spring/autumn winter/spring"}),
        ("winter/summer", (0, 1), "spring/autumn", {"summer/winter spring/autumn"}),
        # The other way round the placed card is flipped.
        ("summer/winter", (0, 1), "spring/autumn", {"summer/winter autumn/spring"}),
        # Opposite seasons flip each other, equal ones nothing; a single shows the same season
        # again.
        ("summer/autumn", (0, 1), "winter/spring", {"autumn/summer spring/winter"}),
        ("summer/autumn", (0, 1), "summer/spring", {"summer/autumn summer/spring"}),
        ("summer/summer", (0, 1), "winter/winter", {"summer/summer winter/winter"}),
        # A flipped neighbour triggers nothing, and diagonal cards do not meet.
        (
            "spring/winter spring/winter",
            (1, 0),
            "summer/winter",
            {"winter/spring spring/winter / summer/winter ."},
        ),
        # An unknown back stays unknown.
        ("spring", (0, 1), "summer/winter", {"?/spring summer/winter"}),
    ],
)
def test_a_placed_card_meets_its_neighbours(grid, cell, card, after):
    assert {
        str(end) for end in outcomes(TimeGrid.parse(grid), cell, SeasonCard.parse(card))
    } == after


@pytest.mark.parametrize(
    ("grid", "cells"),
    [
        (".", [(0, 0)]),
        (". . / . .", [(0, 0)]),
        # Placing: beside a card, never over 4x4; the grid has no fixed place before that.
        ("spring", [(-1, 0), (0, -1), (0, 1), (1, 0)]),
        ("sp sp sp sp", [(-1, 0), (-1, 1), (-1, 2), (-1, 3), (1, 0), (1, 1), (1, 2), (1, 3)]),
        (". . / . sp", [(0, 1), (1, 0), (1, 2), (2, 1)]),
    ],
)
def test_legal_cells(grid, cells):
    assert list(legal_cells(TimeGrid.parse(grid))) == cells


def test_a_full_table_takes_no_card():
    grid = TimeGrid.parse(" / ".join(["sp su au wi"] * 4))
    assert placements(grid, SeasonCard.parse("sp/sp")) == ()


FLAWED = """
    autumn autumn spring winter
    autumn autumn spring winter
    spring winter spring summer
    spring summer autumn summer
"""


def test_the_scoring_example():
    """End: the printed list has 14 of 16 cards; five spring cards make it consistent.

    Autumn 5 with 4 adjacent, spring 5 with 3, summer before winter by turn order: 2 adjacent each.
    """
    ranks = ranking(TimeGrid.parse(FLAWED), [Season.SUMMER, Season.WINTER])
    assert [(rank.season.value, rank.cards, rank.group, rank.points) for rank in ranks] == [
        ("autumn", 5, 4, 4),
        ("spring", 5, 3, 3),
        ("summer", 3, 2, 2),
        ("winter", 3, 2, 1),
    ]


@pytest.mark.parametrize(
    ("grid", "order", "ranked"),
    [
        ("spring", [], ["spring", "summer", "autumn", "winter"]),
        ("winter", [], ["winter", "spring", "summer", "autumn"]),
        ("sp su", ["su"], ["summer", "spring", "autumn", "winter"]),
        ("sp su sp / su su .", ["sp"], ["summer", "spring", "autumn", "winter"]),
        ("sp su sp / sp su su", ["sp"], ["summer", "spring", "autumn", "winter"]),
        ("sp su sp su / sp . su .", ["sp"], ["spring", "summer", "autumn", "winter"]),
    ],
)
def test_ranking(grid, order, ranked):
    """End: cards, then the larger group, then the turn order."""
    ranks = ranking(TimeGrid.parse(grid), [Season.parse(season) for season in order])
    assert [rank.season.value for rank in ranks] == ranked
    assert [rank.points for rank in ranks] == [4, 3, 2, 1]


def test_a_season_that_does_not_show_has_no_group():
    assert [rank.group for rank in ranking(TimeGrid.parse("spring"))] == [1, 0, 0, 0]


def test_nothing_is_known_of_a_card_that_cannot_be_seen():
    """It may have been flipped."""
    unseen = SeasonCard(None, None)
    assert merged(SeasonCard(Season.SPRING, None), unseen) == unseen


def test_players_add_the_points_of_their_seasons():
    """Players: two play two seasons each; of three, nobody gets the fourth season."""
    ranks = ranking(TimeGrid.parse(FLAWED), [Season.SUMMER])
    assert player_points(ranks, [Season.AUTUMN, Season.WINTER]) == 5
    assert player_points(ranks, [Season.SPRING, Season.SUMMER]) == 5


@pytest.mark.parametrize(
    ("grid", "codes"),
    [
        (FLAWED, []),
        ("sp/sp sp/sp", ["too_many_cards"]),
        ("sp/su su/sp sp/su", ["too_many_cards"]),
        ("sp sp sp sp / sp sp sp .", []),
        ("sp sp sp sp / sp sp sp sp", ["too_many_cards"]),
        ("sp . sp", ["not_connected"]),
        # Seven springs are in the box, but not beside two cards that show their springs below.
        ("sp sp sp sp / sp . su/sp su/sp", []),
        ("sp sp sp sp / sp sp su/sp su/sp", ["too_many_cards"]),
    ],
)
def test_problems(grid, codes):
    assert [problem.code for problem in TimeGrid.parse(grid).problems()] == codes


@pytest.mark.parametrize(
    "text", ["", "sp su / au", "sp " * 5, "sp / " * 4 + "sp", "sp/x", "?", "?/?", "sp/su/au", "s"]
)
def test_what_is_no_grid_is_refused(text):
    with pytest.raises(NotationError):
        TimeGrid.parse(text)


@given(tables())
def test_notation_round_trips(table):
    grid = TimeGrid.parse(str(table[0]))
    assert str(grid) == str(table[0])
    assert eval(repr(grid)) == grid
    assert not grid.problems()


@given(tables(least=1))
def test_every_placement_keeps_the_cards(table):
    grid, card = table
    before = sorted(
        sorted(side.value for side in c.sides) for _, c in (*grid.cards, ((0, 0), card))
    )
    for placement in placements(grid, card):
        for after in placement.grids:
            assert not after.problems()
            assert sorted(sorted(side.value for side in c.sides) for _, c in after.cards) == before


def test_solo_goals():
    """Solo, with all 16 cards: Dominance is seven connected of a season, Balance four of each."""
    balance = TimeGrid.parse(" / ".join(["sp su au wi"] * 4))
    assert is_balance(balance)
    assert not is_dominance(balance)
    dominance = TimeGrid.parse("sp sp sp sp / sp sp sp su / su su au au / au wi wi wi")
    assert is_dominance(dominance)
    assert not is_balance(dominance)
    assert not is_dominance(TimeGrid.parse("sp sp sp sp / sp sp sp ."))


def test_the_grid_that_three_and_four_players_start_with():
    """Players: with three, the single card of the season that nobody has."""
    assert str(starting_grid([Season.SUMMER, Season.AUTUMN, Season.WINTER])) == "spring/spring"
    assert starting_grid(SEASONS) == TimeGrid(())
    with pytest.raises(ValueError, match="three or four"):
        starting_grid([Season.SPRING])


def test_a_card_in_hand_must_be_known():
    with pytest.raises(ValueError, match="two known sides"):
        placements(TimeGrid.parse("sp"), SeasonCard.parse("sp"))
    with pytest.raises(ValueError, match="known upper sides"):
        outcomes(TimeGrid.parse("?/sp"), (0, 1), SeasonCard.parse("sp/sp"))

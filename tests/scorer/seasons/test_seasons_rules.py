"""Shifting Seasons (Edition Spielwiese / Pegasus 2024). Sources are sections of the rulebook."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.notation import NotationError
from scorer.season import SEASONS, Season
from scorer.seasons.board import (
    LAYOUTS,
    ORDERS,
    Hand,
    Layout,
    SeasonBoard,
    Tile,
    cells_of,
    table_notes,
    table_problems,
)
from scorer.seasons.cards import CARDS, Family, ShortDiagonals, View
from scorer.seasons.score import FIRST_GAME, Player, score_card, score_player, winners
from scorer.seasons.turn import legal_cells

EXAMPLE = """
    au  1   sp* sp* sp* su*
    .   su  su  su  sp  2
    .   au  au* su* sp  sp
    .   su* wi  sp  su  .
    4   wi  .   .   su* sp
    wi  .   .   sp  3   sp*
"""
EMPTY = ". 1 . . . . / . . . . . 2 / . . . . . . / . . . . . . / 4 . . . . . / . . . . 3 ."


def board_with(**cells):
    """A board of hand A with tiles on cells such as ``r0c0="sp*"``."""
    tiles = {(int(cell[1]), int(cell[3])): Tile.parse(text) for cell, text in cells.items()}
    return SeasonBoard.of(dict(SeasonBoard.empty().items()) | tiles)


def rows(*texts):
    return SeasonBoard.parse(" / ".join(texts))


def points(card, board, season=Season.WINTER):
    return score_card(CARDS[card], View.of(board, season))


contents = st.sampled_from(
    [None, *(Tile(season, precious) for season in SEASONS for precious in (True, False))]
)


@st.composite
def boards(draw, layouts=LAYOUTS):
    empty = dict(SeasonBoard.empty(draw(st.sampled_from(layouts))).items())
    season = st.sampled_from(draw(st.lists(contents, min_size=1, max_size=8)))
    return SeasonBoard.of({cell: content or draw(season) for cell, content in empty.items()})


def test_the_published_example():
    """Scoring example: 20 + 14 + 21 + 15 = 70 for spring, on a board with these figures."""
    score = score_player(
        Player("spring", Season.SPRING, SeasonBoard.parse(EXAMPLE)), [CARDS[c] for c in FIRST_GAME]
    )
    assert [(card.points, card.tiles, card.precious, card.own) for card in score.cards] == [
        (20, 12, 5, 3),
        (14, 10, 2, 2),
        (21, 13, 4, 4),
        (15, 6, 3, 6),
    ]
    assert score.total == 70
    areas = score.cards[2].groups
    board = score.player.board
    counts = [
        (a.bit_count(), (a & board.precious).bit_count(), (a & board.seasons[0]).bit_count())
        for a in areas
    ]
    assert counts == [(3, 1, 0), (3, 2, 0), (4, 1, 4), (3, 0, 0)]


FULL_ROW = "sp sp sp sp sp sp"
A = [". 1 . . . .", ". . . . . 2", ". . . . . .", ". . . . . .", "4 . . . . .", ". . . . 3 ."]


def with_rows(**changed):
    lines = list(A)
    for row, text in changed.items():
        lines[int(row[1])] = text
    return rows(*lines)


@pytest.mark.parametrize(
    ("card", "board", "score"),
    [
        # Position cards: a group scores only when it is filled.
        (
            "six-columns",
            rows(*[" ".join(w if c != 2 else "sp" for c, w in enumerate(r.split())) for r in A]),
            6,
        ),
        ("six-columns", with_rows(r2=FULL_ROW), 0),
        ("connections", with_rows(r1=". sp sp sp sp 2"), 4),
        # A fifth tile in the row does not matter and does not score.
        ("connections", with_rows(r1="sp sp sp sp sp 2"), 4),
        ("connections", with_rows(r1="sp sp sp sp . 2"), 0),
        # Outer edge: 5 spaces; a corner of two full borders counts once.
        ("outer-edge", with_rows(r0="sp 1 sp sp sp sp"), 5),
        (
            "outer-edge",
            rows(
                "sp 1 sp sp sp sp",
                "sp . . . . 2",
                "sp . . . . .",
                "sp . . . . .",
                "4 . . . . .",
                "sp . . . 3 .",
            ),
            9,
        ),
        ("number-neighbours", with_rows(r0="sp 1 sp . . .", r1=". sp . . . 2"), 3),
        ("number-neighbours", with_rows(r0="sp 1 . . . .", r1=". sp . . . 2"), 0),
        ("short-diagonals", board_with(r0c2="sp", r1c1="su", r2c0="au"), 3),
        ("short-diagonals", board_with(r0c0="sp", r1c1="su", r2c2="au"), 0),  # not turned
        # The centre counts twice, extras too.
        ("centre", board_with(r2c2="sp*", r2c3="wi", r3c2="wi*", r3c3="su"), 16),
        ("centre", board_with(r2c2="sp", r2c3="wi", r3c2="wi"), 0),
        # Area 1 autumn, 2 summer, 3 spring, 4 winter.
        ("area-colour", board_with(r0c0="au", r0c2="su", r0c3="su", r5c5="sp", r5c0="wi"), 5),
        # A lone tile is a largest group; of equal groups the one worth most.
        ("largest-group", board_with(r0c0="sp"), 1),
        ("largest-group", board_with(r0c0="sp", r5c5="sp*"), 2),
        ("largest-group", board_with(r0c0="sp", r1c0="sp", r4c5="au*", r5c5="au", r3c3="sp*"), 3),
        # Groups cross areas, but not diagonally.
        ("largest-group", board_with(r1c2="sp", r1c3="sp", r2c4="sp*"), 2),
        # Three on a diagonal, across areas, once a season: the better one.
        ("colour-diagonals", board_with(r1c1="sp", r2c2="sp", r3c3="sp"), 3),
        ("colour-diagonals", board_with(r1c1="sp", r2c2="sp", r3c3="sp", r4c4="sp*"), 4),
        (
            "colour-diagonals",
            board_with(r0c2="su", r1c1="su", r2c0="su", r3c5="su", r4c4="su", r5c3="su*"),
            4,
        ),
        # Four in a row or column, once a season; of five or more choose four that lie next to each
        # other.
        ("colour-lines", with_rows(r2="sp* sp sp sp sp . "), 5),
        ("colour-lines", with_rows(r2="sp* sp sp sp sp sp*"), 5),
        ("colour-lines", with_rows(r2="sp sp sp . sp sp"), 0),
        ("colour-lines", with_rows(r0="sp 1 sp sp sp ."), 0),  # broken by the number
        ("colour-squares", board_with(r1c2="au", r1c3="au", r2c2="au", r2c3="au*"), 5),
        # Pairs in two different areas; each tile once: around the centre two pairs at most.
        ("colour-pairs", board_with(r0c2="su", r0c3="su", r2c0="sp", r3c0="sp"), 4),
        ("colour-pairs", board_with(r0c3="su", r0c4="su"), 0),
        ("colour-pairs", board_with(r2c2="su*", r2c3="su", r3c3="su*"), 3),
        ("colour-pairs", board_with(r2c2="su*", r2c3="su", r3c3="su*", r3c2="su"), 6),
        # Four seasons in one area, two sets at most, each tile once.
        ("colour-sets", board_with(r0c0="sp", r0c2="su", r1c0="au", r1c1="sp*", r2c2="wi*"), 7),
        ("colour-sets", rows("sp 1 su . . .", "au wi sp . . 2", "su au wi . . .", *A[3:]), 10),
    ],
)
def test_a_score_card(card, board, score):
    """Score cards; the player is winter."""
    assert points(card, board).points == score


def test_families_and_numbers():
    """Five numbers are known: 1, 3, 5, 8 and 13; a game has two of the 7 cards of each family."""
    assert len(CARDS) == 14
    assert [sum(card.family is family for card in CARDS.values()) for family in Family] == [7, 7]
    known = {card.number: card.name for card in CARDS.values() if card.number}
    assert known == {
        1: "six-diagonals",
        3: "six-columns",
        5: "connections",
        8: "area-colour",
        13: "largest-group",
    }


def test_a_print_of_ones_own_for_the_short_diagonals():
    card = ShortDiagonals([[(0, 0), (1, 1), (2, 2)], [(2, 2), (1, 1), (0, 0)]])
    board = board_with(r0c0="sp", r1c1="sp", r2c2="sp")
    assert (
        score_card(card, View.of(board, Season.SUMMER)).points == 3
    )  # a cell in two diagonals counts once


@pytest.mark.parametrize("layout", [Layout(hand, order) for hand in Hand for order in ORDERS])
def test_the_numbers_tell_the_layout(layout):
    board = SeasonBoard.empty(layout)
    assert SeasonBoard.parse(str(board)).layout == layout
    assert sorted(n for n, area in enumerate(layout.plan.areas) if area.bit_count() == 8) == [
        0,
        1,
        2,
        3,
    ]


@pytest.mark.parametrize(
    "text",
    [
        EMPTY.replace("1", "."),
        EMPTY.replace("2", "1"),
        EMPTY.replace(". 1", "1 ."),
        EMPTY.replace("1", "5"),
        EMPTY.replace(". .", ". . .", 1),
        EMPTY.replace("1", "1*"),
        EMPTY + " / . . . . . .",
        "",
    ],
)
def test_what_is_no_board_is_refused(text):
    with pytest.raises(NotationError):
        SeasonBoard.parse(text)


def test_impossible_boards_are_sets_of_problems():
    """Contents: 28 tiles a season, half of them precious; set-up: 24 tiles a player."""
    board = SeasonBoard.parse(EMPTY.replace(".", "sp*"))
    assert {problem.code for problem in board.problems()} == {
        "too_many_tiles",
        "too_many_of_a_season",
    }
    messages = [problem.message for problem in board.problems()]
    assert any("precious spring" in message for message in messages)
    assert not SeasonBoard.parse(EXAMPLE).problems()
    assert not SeasonBoard.parse(EMPTY).problems()
    assert table_notes([SeasonBoard.parse(EMPTY)])


def test_the_boards_of_a_table_share_one_box():
    half = EMPTY.replace(".", "sp*", 8).replace(".", "su")
    fifteen = SeasonBoard.parse(half.replace("su", ".", 1))
    assert not [p for p in fifteen.problems() if "precious spring" in p.message]
    assert [p for p in table_problems([fifteen, fifteen]) if "precious spring" in p.message]


@given(boards())
def test_notation_round_trips(board):
    assert SeasonBoard.parse(str(board)) == board
    assert eval(repr(board)) == board


@given(boards(), st.sampled_from(SEASONS))
def test_parts_sum_and_every_point_names_its_cells(board, season):
    score = score_player(Player("A", season, board), list(CARDS.values()))
    assert score.total == sum(card.points for card in score.cards)
    view = View.of(board, season)
    for card in score.cards:
        cells = set(itertools.chain.from_iterable(map(cells_of, card.groups)))
        tiles = [board[cell] for cell in cells]
        value = sum(1 + tile.precious + (tile.season is season) for tile in tiles)
        assert (
            card.points
            == card.card.times * value
            == card.card.times * view.value(sum(1 << (r * 6 + c) for r, c in cells))
        )
        assert len(card.groups) <= card.card.most
        assert all(card.groups)


MIRROR_CARDS = [name for name in CARDS if name != "area-colour"]


@given(boards([Layout(Hand.A)]), st.sampled_from(SEASONS))
def test_a_mirrored_board_keeps_its_score(board, season):
    """The player board: the two hands are mirror images of each other, left and right exchanged.

    That exchanges the areas 1 and 2, and 3 and 4, and with them the seasons of the areas.
    """
    mirrored = {
        (row, 5 - col): content
        for (row, col), content in board.items()
        if content is None or type(content) is Tile
    }
    numbers = {
        cell: content
        for cell, content in SeasonBoard.empty(Layout(Hand.B)).items()
        if content is not None
    }
    other = SeasonBoard.of(mirrored | numbers)
    for name in MIRROR_CARDS:
        assert points(name, other, season).points == points(name, board, season).points, name
    pairs = ((Season.AUTUMN, Season.SUMMER), (Season.SPRING, Season.WINTER))
    exchanged = dict(pairs) | {other: one for one, other in pairs}
    renamed = SeasonBoard.of(
        numbers
        | {
            cell: Tile(exchanged[tile.season], tile.precious)
            for cell, tile in mirrored.items()
            if tile
        }
    )
    own = exchanged[season]
    assert points("area-colour", renamed, own).points == points("area-colour", board, season).points


@given(boards(), st.sampled_from(SEASONS), st.data())
def test_a_tile_more_never_lowers_a_position_card(board, season, data):
    free = [cell for cell, content in board.items() if content is None]
    if free:
        tile = data.draw(contents.filter(bool))
        more = board.with_tile(data.draw(st.sampled_from(free)), tile)
        for name, card in CARDS.items():
            if card.family is Family.POSITION:
                assert points(name, more, season).points >= points(name, board, season).points


def test_ties_go_to_precious_tiles_and_are_then_shared():
    """End of the game."""
    plain = board_with(r0c0="su", r5c5="su")
    precious = board_with(r0c0="su", r5c5="su", r2c0="au*")
    cards = [CARDS["largest-group"]]
    scores = [
        score_player(Player(n, Season.WINTER, b), cards) for n, b in (("A", plain), ("B", plain))
    ]
    assert [player.name for player in winners(scores)] == ["A", "B"]
    scores.append(score_player(Player("C", Season.WINTER, board_with(r0c0="su", r5c5="au")), cards))
    assert len(winners(scores)) == 3
    with_precious = score_player(Player("D", Season.WINTER, precious), [CARDS["six-diagonals"]])
    without = score_player(Player("E", Season.WINTER, plain), [CARDS["six-diagonals"]])
    assert [player.name for player in winners([without, with_precious])] == ["D"]


@pytest.mark.parametrize(
    ("board", "number", "cells"),
    [
        # Placing: the first tile of an area next to its number, later ones next to a tile of it or
        # the number.
        (SeasonBoard.parse(EMPTY), 1, [(0, 0), (0, 2), (1, 1)]),
        (SeasonBoard.parse(EMPTY), 3, [(4, 4), (5, 3), (5, 5)]),
        (board_with(r0c0="sp"), 1, [(0, 2), (1, 0), (1, 1)]),
        # A tile of another area does not help.
        (board_with(r0c3="sp"), 1, [(0, 0), (0, 2), (1, 1)]),
        (rows("sp 1 sp . . .", "sp sp sp . . 2", "sp sp sp . . .", *A[3:]), 1, []),
    ],
)
def test_legal_cells(board, number, cells):
    assert list(legal_cells(board, number)) == cells

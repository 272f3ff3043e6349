"""Gaps between pieces look like pieces; what the table around looks like tells them apart."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_grids import located as full_grid

from vision.boards import TIME, BoardSpec
from vision.choose import Candidate, _with_pieces_beside, read_cells
from vision.find import complete
from vision.find.board import LocatedBoard, LocatedCell, next_to
from vision.find.complete import (
    LEAST_IN_PHOTO,
    STRAY_LIKENESS,
    SURE_BARE,
    SURE_PIECE,
    bare_places,
    occupied,
    piece_features,
    places_seen,
    strays_beside,
    strays_near,
)
from vision.find.grown import grown
from vision.geometry import (
    UNIT_SQUARE,
    Images,
    Pyramid,
    homography,
    shares_in_photo,
    transform,
)
from vision.probability import fitted
from vision.profile import Profile, turned_vectors

SIDE = 64
ORIGIN = np.array([120, 120])


def card(hue: int) -> Images:
    """A face with a ring on it."""
    face = np.full((SIDE, SIDE, 3), 235, np.uint8)
    colour = cv2.cvtColor(np.uint8([[[hue, 220, 200]]]), cv2.COLOR_HSV2RGB)[0, 0].tolist()
    cv2.circle(face, (SIDE // 2, SIDE // 2), SIDE // 3, colour, 9, cv2.LINE_AA)
    return face


def place(row: int, col: int) -> np.ndarray:
    return ((UNIT_SQUARE + np.array([col, row])) * SIDE + ORIGIN).astype(np.float32)


def table_with(cards: dict[tuple[int, int], Images], rows: int, cols: int) -> Images:
    """A woven table with cards on it."""
    rng = np.random.default_rng(3)
    h, w = rows * SIDE + 2 * ORIGIN[1], cols * SIDE + 2 * ORIGIN[0]
    weave = (np.sin(np.arange(w) / 2)[None] * np.sin(np.arange(h) / 2)[:, None] * 25)[..., None]
    image = np.clip(np.array([120, 90, 60]) + weave + rng.normal(0, 6, (h, w, 3)), 0, 255).astype(
        np.uint8
    )
    for (row, col), face in cards.items():
        x, y = ORIGIN + np.array([col, row]) * SIDE
        image[y : y + SIDE, x : x + SIDE] = face
    return image


def located(rows: int, cols: int, seen: set[tuple[int, int]]) -> LocatedBoard:
    """A grid whose cells the refiner all believes in, of which the detector saw some."""
    cells = tuple(
        LocatedCell(r, c, place(r, c), 0.97, (r, c) in seen, 0.7 if (r, c) in seen else 0.0)
        for r in range(rows)
        for c in range(cols)
    )
    outline = (UNIT_SQUARE * np.array([cols, rows]) * SIDE + ORIGIN).astype(np.float32)
    around = np.stack([place(*spot) for spot in next_to(rows, cols)])
    return LocatedBoard(rows, cols, cells, outline, around_xy=around)


@pytest.fixture
def profile() -> Profile:
    faces = {"spring": turned_vectors(card(60)[None]), "summer": turned_vectors(card(20)[None])}
    return Profile("cards", "time", faces, "test")


def test_a_gap_that_the_refiner_believes_in_is_bare(profile: Profile) -> None:
    cards = {
        (0, 0): card(60),
        (0, 1): card(20),
        (1, 0): card(20),
        (1, 2): card(60),
        (0, 2): card(60),
    }
    pyramid = Pyramid(table_with(cards, 2, 3))
    board = located(2, 3, set(cards))
    features = piece_features(pyramid, board, profile, places_seen(pyramid, board))
    likely = fitted().places["found"].probabilities(features)
    for cell, p in zip(board.cells, likely, strict=True):
        assert (p > SURE_PIECE) == ((cell.row, cell.col) in cards)
        assert (p < 0.5) == ((cell.row, cell.col) not in cards)


def test_a_row_without_pieces_is_cut_off(profile: Profile) -> None:
    cards = {(0, 0): card(60), (0, 1): card(20), (0, 2): card(60)}
    held = occupied(Pyramid(table_with(cards, 2, 3)), located(2, 3, set(cards)), TIME, profile)
    assert held is not None
    assert (held.board.rows, held.board.cols) == (1, 3)
    assert np.allclose(
        held.board.outline_xy, UNIT_SQUARE * np.array([3, 1]) * SIDE + ORIGIN, atol=1
    )


def test_bare_rows_of_a_board_of_given_size_may_lie_on_any_side(profile: Profile) -> None:
    cards = {(0, 0): card(60), (0, 1): card(20), (0, 2): card(60)}
    board, pyramid = located(2, 3, set(cards)), Pyramid(table_with(cards, 2, 3))
    sizes = [((2, 2), (3, 3)), ((4, 4), (5, 5)), ((1, 4), (3, 4))]
    held = [
        occupied(pyramid, board, BoardSpec("mine", rows, cols, empty=True), profile)
        for rows, cols in sizes
    ]
    assert [one and one.extent.placings for one in held] == [2, 12, 1]


def test_cards_that_do_not_touch_are_never_certain(profile: Profile) -> None:
    cards = {(0, 0): card(60), (0, 1): card(60), (1, 2): card(20)}
    held = occupied(Pyramid(table_with(cards, 2, 3)), located(2, 3, set(cards)), TIME, profile)
    assert held is not None
    assert held.extent.at_most == 1.0


@pytest.mark.parametrize(
    ("middle", "degrees", "apart"),
    [
        pytest.param((3.5, 0.6), 3, True, id="in line, a place away"),
        pytest.param((3.5, 0.6), 30, False, id="turned"),
        pytest.param((3.5, 1.0), 3, False, id="between two places"),
        pytest.param((2.5, 0.6), 3, False, id="on a place that is judged"),
    ],
)
def test_a_piece_in_line_with_a_board_may_be_joined_by_covered_ones(
    profile: Profile, middle: tuple[float, float], degrees: float, apart: bool
) -> None:
    cards = {(0, 0): card(60), (0, 1): card(20), (1, 0): card(20), (1, 1): card(60)}
    image = table_with(cards, 2, 4)
    corner = np.exp(1j * np.radians(degrees + np.array([225, 315, 45, 135]))) * np.sqrt(0.5)
    beside = np.column_stack([corner.real, corner.imag]) + np.array(middle)
    stray = (beside * SIDE + ORIGIN).astype(np.float32)
    onto = homography(UNIT_SQUARE * SIDE, stray)
    size = image.shape[1::-1]
    cv2.warpPerspective(card(60), onto, size, image, borderMode=cv2.BORDER_TRANSPARENT)
    board = replace(located(2, 2, set(cards)), strays_xy=stray[None])
    held = occupied(Pyramid(image), board, TIME, profile)
    assert held is not None
    assert held.extent.apart is apart


@pytest.mark.parametrize("first", [(0, 0), (0, 1), (1, 0)])
def test_a_grid_grows_to_the_cards_beside_it(profile: Profile, first: tuple[int, int]) -> None:
    """Also where only a part of it was located."""
    cards = {(r, c): card(60 if (r + c) % 2 else 20) for r in range(2) for c in range(3)}
    pyramid = Pyramid(table_with(cards, 2, 3))
    top, left = first
    part = located(1, 2, {(0, 0), (0, 1)})
    cells = tuple(replace(one, quad_xy=place(one.row + top, one.col + left)) for one in part.cells)
    off = np.array([left, top]) * SIDE
    part = replace(
        part, cells=cells, outline_xy=part.outline_xy + off, around_xy=part.around_xy + off
    )
    read = read_cells(pyramid, part, TIME, profile)
    assert read is not None
    whole = _with_pieces_beside(Candidate(read, 0.9, TIME), pyramid, TIME, profile).read.board
    assert (whole.rows, whole.cols) == (2, 3)
    corners = UNIT_SQUARE * np.array([3, 2]) * SIDE + ORIGIN
    np.testing.assert_allclose(whole.outline_xy, corners, atol=SIDE / 8)
    middles = {(one.row, one.col): one.quad_xy.mean(0) for one in whole.cells}
    for spot in cards:
        np.testing.assert_allclose(middles[spot], place(*spot).mean(0), atol=SIDE / 8)


def test_a_grid_does_not_grow_to_what_is_no_card(profile: Profile) -> None:
    cards = {(0, 0): card(60), (0, 1): card(20), (0, 2): np.full((SIDE, SIDE, 3), 60, np.uint8)}
    pyramid, board = Pyramid(table_with(cards, 1, 3)), located(1, 2, {(0, 0), (0, 1)})
    assert grown(pyramid, board, (0, 2), profile) is None


def test_an_empty_table_holds_no_board(profile: Profile) -> None:
    assert occupied(Pyramid(table_with({}, 2, 2)), located(2, 2, set()), TIME, profile) is None


def test_corners_that_were_given_keep_their_grid(profile: Profile) -> None:
    cards = {(0, 0): card(60), (0, 1): card(20)}
    held = occupied(
        Pyramid(table_with(cards, 2, 2)), located(2, 2, set()), TIME, profile, given=True
    )
    assert held is not None
    assert (held.board.rows, held.board.cols) == (2, 2)
    assert [cell.presence > 0.5 for cell in held.board.cells] == [True, True, False, False]
    assert SURE_BARE < SURE_PIECE


def test_bare_places_inside_given_corners_are_sure_by_themselves(profile: Profile) -> None:
    """What is not there looks like no face, and need not."""
    cards = {(0, 0): card(60), (0, 1): card(20), (1, 0): card(60), (2, 1): card(20)}
    pyramid = Pyramid(table_with(cards, 3, 2))
    read = read_cells(pyramid, located(3, 2, set()), TIME, profile, fixed_turn=0)
    assert read is not None
    for cell in read.board.cells:
        there = (cell.row, cell.col) in cards
        assert cell.presence > SURE_PIECE if there else cell.presence < SURE_BARE


def test_a_stray_card_is_no_table(profile: Profile) -> None:
    board = located(1, 2, {(0, 0), (0, 1)})
    strays = LocatedBoard(1, 2, board.cells, board.outline_xy, place(-1, 0)[None], board.around_xy)
    assert len(bare_places(strays)) == len(board.around_xy) - 1


@pytest.mark.parametrize("kept", [0.3, 0.6])
def test_a_place_that_the_photo_cuts_off_is_judged_by_what_it_shows(
    profile: Profile, kept: float
) -> None:
    cards = {(0, 0): card(60), (0, 1): card(20), (1, 0): card(60), (1, 1): card(20)}
    width = ORIGIN[0] + 2 * SIDE + round(kept * SIDE)
    bare = occupied(
        Pyramid(table_with(cards, 2, 3)[:, :width]), located(2, 2, set(cards)), TIME, profile
    )
    more = {**cards, (0, 2): card(60)}
    cut = occupied(
        Pyramid(table_with(more, 2, 3)[:, :width]), located(2, 2, set(cards)), TIME, profile
    )
    assert bare is not None
    assert bare.extent.missing < 1 - SURE_PIECE
    assert cut is not None
    assert cut.extent.missing > 0.5


@pytest.mark.parametrize(("kept", "held"), [(0.4, [True, False]), (0.6, [True])])
def test_a_cell_that_the_photo_cuts_off_is_judged_by_what_it_shows(
    profile: Profile, kept: float, held: list[bool]
) -> None:
    """Also a card whose face no lesson showed and of which the refiner sees nothing. A cell of
    which less than half is shown is never surely bare."""
    cards = {(0, 0): card(60), (0, 1): card(20), (1, 0): card(60), (1, 1): card(20)}
    width = ORIGIN[0] + 2 * SIDE + round(kept * SIDE)
    board = located(2, 3, set(cards))
    unseen = [replace(cell, presence=0.02) if cell.col == 2 else cell for cell in board.cells]
    board = replace(board, cells=tuple(unseen))
    bare, cut = (
        occupied(Pyramid(table_with(laid, 2, 3)[:, :width]), board, TIME, profile)
        for laid in (cards, {**cards, (0, 2): card(120)})
    )
    assert bare is not None
    assert (bare.board.cols, bare.extent.at_most < 1) == (2, True)
    assert cut is not None
    assert [cell.presence > 0.5 for cell in cut.board.cells if cell.col == 2] == held


def test_a_cell_that_the_photo_hardly_shows_may_hold_anything(profile: Profile) -> None:
    cards = {(0, 0): card(60), (0, 1): card(20), (1, 0): card(60), (1, 1): card(20)}
    image = table_with(cards, 2, 3)[:, : ORIGIN[0] + 2 * SIDE + 6]
    held = occupied(Pyramid(image), located(2, 3, set(cards)), TIME, profile)
    assert held is not None
    assert held.extent.at_most == 1.0


def test_a_place_that_the_photo_hardly_shows_may_hold_anything(profile: Profile) -> None:
    cards = {(0, 0): card(60), (0, 1): card(20), (1, 0): card(60), (1, 1): card(20)}
    image = table_with(cards, 2, 2)[:, : ORIGIN[0] + 2 * SIDE + 3]
    held = occupied(Pyramid(image), located(2, 2, set(cards)), TIME, profile)
    assert held is not None
    assert held.extent.at_most == 1.0


def test_nothing_can_be_missing_beside_a_grid_of_full_size(profile: Profile) -> None:
    cards = {(r, c): card(60 if (r + c) % 2 else 20) for r in range(4) for c in range(4)}
    edge = ORIGIN[0] + 4 * SIDE + 2
    image = table_with(cards, 4, 4)[ORIGIN[1] - 2 : edge, ORIGIN[0] - 2 : edge]
    board = located(4, 4, set(cards))
    moved = tuple(replace(cell, quad_xy=cell.quad_xy - ORIGIN + 2) for cell in board.cells)
    shifted = replace(
        board, cells=moved, outline_xy=board.outline_xy - ORIGIN + 2, around_xy=board.around_xy[:0]
    )
    held = occupied(Pyramid(image), shifted, TIME, profile)
    assert held is not None
    assert (held.board.rows, held.board.cols) == (4, 4)
    assert held.extent.missing == 0.0


SOME = {(0, 0): card(60), (0, 1): card(20), (1, 1): card(60)}


def test_cards_are_told_from_bare_places_and_from_the_ring_around() -> None:
    seen = places_seen(Pyramid(table_with(SOME, 2, 2)), located(2, 2, set(SOME)))
    assert len(seen) == 4 * 4
    assert {place for place, odds in seen.items() if odds > 0} == set(SOME)
    assert min(abs(odds) for odds in seen.values()) > 2


def test_places_out_of_the_photo_are_not_judged() -> None:
    image = table_with(SOME, 2, 2)
    whole = places_seen(Pyramid(image), located(2, 2, set(SOME)))
    cut = places_seen(Pyramid(image[:, : ORIGIN[0] + 2 * SIDE + 2]), located(2, 2, set(SOME)))
    assert set(whole) - set(cut) == {(r, 2) for r in range(-1, 3)}


def test_the_share_of_a_quad_in_the_photo() -> None:
    quads = np.stack([UNIT_SQUARE * 10 + (x, 0) for x in (0, -5, 15, 100)]).astype(np.float32)
    assert np.allclose(shares_in_photo(quads, (20, 20)), [1, 0.5, 0.5, 0], atol=1e-5)
    assert 0 < LEAST_IN_PHOTO < 0.5


def filling() -> tuple[Pyramid, LocatedBoard]:
    """A photo that ends at the edges of a board of four cards, and the board."""
    cards = {(r, c): card(60) for r in range(2) for c in range(2)}
    image = table_with(cards, 2, 2)[
        ORIGIN[1] : ORIGIN[1] + 2 * SIDE, ORIGIN[0] : ORIGIN[0] + 2 * SIDE
    ]
    board = located(2, 2, set(cards))
    moved = tuple(replace(cell, quad_xy=cell.quad_xy - ORIGIN) for cell in board.cells)
    return Pyramid(image), replace(board, cells=moved)


def test_without_any_table_in_the_photo_places_are_not_judged() -> None:
    assert places_seen(*filling()) == {}


def test_a_given_board_that_fills_the_photo_has_a_judge_of_its_own(profile: Profile) -> None:
    pyramid, board = filling()
    held = occupied(pyramid, board, TIME, profile, given=True)
    assert held is not None
    features = piece_features(pyramid, board, profile, {})
    likely = fitted().places["filled"].probabilities(features)
    np.testing.assert_allclose([cell.presence for cell in held.board.cells], likely)
    assert (likely > 0.5).all()


@pytest.mark.parametrize(
    ("middle_xy", "side", "whole"),
    [
        pytest.param((25, 25), 20, True, id="the figure of a piece"),
        pytest.param((50, 25), 40, True, id="halves of two pieces"),
        pytest.param((125, 25), 50, False, id="a piece beside the board"),
        pytest.param((95, 25), 50, False, id="a piece half beside it"),
        pytest.param((25, 75), 40, False, id="a piece on a place that seems bare"),
        pytest.param((400, 25), 50, True, id="a piece far away"),
        pytest.param((125, 25), 20, True, id="a check of the cloth beside the board"),
        pytest.param((125, 25), 36, False, id="a half of a piece beside the board"),
    ],
)
def test_only_what_lies_beside_the_pieces_may_belong_to_a_board(
    monkeypatch: pytest.MonkeyPatch, middle_xy: tuple[float, float], side: float, whole: bool
) -> None:
    monkeypatch.setattr(
        complete, "vectors_at", lambda _, quads: np.eye(128, dtype=np.float32)[: len(quads)]
    )
    profile = Profile(
        "mine",
        "time",
        {"spring": np.eye(128, dtype=np.float32)[:1].repeat(4, 0)[:, None]},
        "embedding-0",
    )
    board = full_grid(2, 2)
    bare = replace(board.cells[2], presence=0.1)
    stray = (UNIT_SQUARE - 0.5) * side + np.array(middle_xy)
    board = replace(
        board,
        cells=(*board.cells[:2], bare, board.cells[3]),
        strays_xy=stray[None].astype(np.float32),
    )
    photo = Pyramid(np.zeros((200, 500, 3), np.uint8))
    alike = max((stray.alike for stray in strays_near(photo, board, profile)), default=-1.0)
    assert (alike < STRAY_LIKENESS) is whole


def test_what_lies_far_behind_a_board_seen_aslant_is_far_away() -> None:
    """From low down three cells are hardly as long as one."""
    aslant = homography(
        UNIT_SQUARE * 4, np.array([[200, 100], [300, 100], [500, 300], [0, 300]], np.float32)
    )

    def seen(middle: tuple[float, float]) -> np.ndarray:
        return transform(aslant, UNIT_SQUARE - 0.5 + np.array(middle))

    board = full_grid(4, 4)
    cells = tuple(replace(c, quad_xy=seen((c.col + 0.5, c.row + 0.5))) for c in board.cells)
    strays = np.stack([seen((1.5, -1.0)), seen((1.5, -3.0)), seen((5.0, 1.5))])
    slanting = replace(board, cells=cells, strays_xy=strays, outline_xy=seen((2.0, 2.0)))
    np.testing.assert_array_equal(strays_beside(slanting), strays[[0, 2]])

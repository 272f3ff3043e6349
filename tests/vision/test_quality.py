"""What is wrong with a photo is measured on it, and said with what to do."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_grids import TAUGHT, boxed, located

from calibration.profiles import default_profile
from vision.boards import STONES
from vision.decode import weigh
from vision.errors import BoardNotFound
from vision.evidence import Evidence
from vision.photo import Photo
from vision.quality import (
    BoardQuality,
    advice,
    board_quality,
    named,
    nothing_to_see,
    slant,
    why_refused,
)
from vision.read import read_board
from vision.reading import Reading
from vision.trust import reading_of

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))["photos"][0]
SHRINK = 0.625
IMAGE = cv2.resize(
    cv2.imread(str(PHOTOS / TRUTH["photo"])),
    None,
    fx=SHRINK,
    fy=SHRINK,
    interpolation=cv2.INTER_AREA,
)
PLACES = [(r, c) for r in range(3) for c in range(3)]
QUADS = np.array([TRUTH["quads"][f"{r},{c}"] for r, c in PLACES], np.float32) * SHRINK
(LEFT, TOP), (RIGHT, BOTTOM) = QUADS.min((0, 1)).astype(int), QUADS.max((0, 1)).astype(int)
TIGHT = IMAGE[TOP - 8 : BOTTOM + 8, LEFT - 8 : RIGHT + 8]
NO_BOARD = BoardNotFound("no_board", "No board.")


def photo_of(image: np.ndarray) -> Photo:
    return Photo(np.ascontiguousarray(image), image.shape[:2], 1.0, "jpeg")


def with_glare(image: np.ndarray, cells: list[int]) -> np.ndarray:
    """The photo with a burnt-out patch over most of those cells."""
    burnt = image.copy()
    for i in cells:
        middle = QUADS[i].mean(0)
        cv2.fillConvexPoly(
            burnt, np.round((QUADS[i] - middle) * 0.8 + middle).astype(int), (255, 255, 255)
        )
    return burnt


def seen_from_low(image: np.ndarray, squeeze: float) -> tuple[np.ndarray, np.ndarray]:
    """Photo and quads squeezed from top to bottom, on a table that goes on."""
    h, w = image.shape[:2]
    flat = cv2.resize(image, (w, round(h * squeeze)), interpolation=cv2.INTER_AREA)
    room = h - flat.shape[0]
    tall = cv2.copyMakeBorder(flat, room // 2, room - room // 2, 0, 0, cv2.BORDER_REFLECT)
    return tall, (QUADS * (1, squeeze) + (0, room // 2)).astype(np.float32)


def test_a_good_photo_needs_no_advice() -> None:
    assert advice(board_quality(IMAGE, QUADS, 1.0), PLACES) == ()


@pytest.mark.parametrize(
    ("image", "quads", "sentence"),
    [
        ((IMAGE * 0.15).astype(np.uint8), QUADS, "dark: switch on a light"),
        (cv2.GaussianBlur(IMAGE, (0, 0), 7), QUADS, "blurred: hold still"),
        (IMAGE[:, :-330], QUADS, "cuts off column 3: step back"),
        (cv2.resize(IMAGE, None, fx=0.08, fy=0.08), QUADS * 0.08, "go nearer"),
        (*seen_from_low(IMAGE, 0.45), "from very low: hold the phone more above"),
        (with_glare(IMAGE, [3, 5]), QUADS, "glare on row 2: tilt the phone"),
        (with_glare(IMAGE, [7]), QUADS, "glare on row 3 column 2"),
    ],
    ids=["dark", "blurred", "cut off", "far", "oblique", "glare on a row", "glare on a cell"],
)
def test_what_is_wrong_is_said_with_what_to_do(
    image: np.ndarray, quads: np.ndarray, sentence: str
) -> None:
    found = advice(board_quality(image, quads.astype(np.float32), 1.0), PLACES)
    assert len(found) == 1
    assert sentence in found[0]


def test_white_print_is_no_glare() -> None:
    white = np.full_like(IMAGE, 255)
    assert board_quality(white, QUADS, 1.0).glaring == ()


@pytest.mark.parametrize("degrees", [0, 30, 50, 65])
def test_slant_is_the_angle_from_above(degrees: float) -> None:
    card = np.array([[0, 0], [0.7, 0], [0.7, 1], [0, 1]], np.float32) * 100
    card[:, 1] *= np.cos(np.radians(degrees))
    assert slant(card[None], 0.7) == pytest.approx(degrees, abs=0.1)
    assert slant(card[None], None) == 0


def read_in(quality: BoardQuality, evidence: Evidence) -> Reading:
    """A certain box of stones in a photo of that quality."""
    look = weigh(evidence, located(3, 3), STONES, STONES.labels, (0,))
    return reading_of(located(3, 3), STONES, TAUGHT, look, quality=quality)


def test_nobody_is_troubled_about_a_dark_photo_that_was_read() -> None:
    quality = board_quality((IMAGE * 0.2).astype(np.uint8), QUADS, 1.0)
    assert read_in(quality, boxed({0: 0.0})).problems == ()
    odd = boxed({0: 0.0})
    odd.scores[0, 0, :] = -1.0
    doubtful = read_in(quality, odd)
    assert not doubtful.sure
    assert "switch on a light" in doubtful.problems[0]


def test_a_piece_of_which_the_photo_shows_less_than_half_is_asked_about() -> None:
    quality = board_quality(IMAGE, QUADS, 1.0)
    assert read_in(quality, boxed({0: 0.0})).sure
    shown = np.array([0.6] + [1.0] * 7 + [0.4], np.float32)
    reading = read_in(replace(quality, in_photo=shown), boxed({0: 0.0}))
    assert [doubt.cells for doubt in reading.doubts] == [((2, 2),)]


def test_a_stone_that_glare_has_burnt_out_is_asked_about() -> None:
    reading = read_board(photo_of(with_glare(IMAGE, [4])), STONES, default_profile("stones"))
    assert [cell.sure for cell in reading.cells] == [i != 4 for i in range(9)]
    assert "row 2 column 2" in reading.problems[0]
    assert [doubt.cells for doubt in reading.doubts] == [((1, 1),)]


@pytest.mark.parametrize(
    ("image", "code"),
    [
        ((IMAGE * 0.06).astype(np.uint8), "too_dark"),
        (cv2.GaussianBlur(IMAGE, (0, 0), 40), "blurred"),
        (IMAGE[:, : round(float(QUADS[4][:, 0].max()))], "cut_off"),
        (
            cv2.copyMakeBorder(
                cv2.resize(IMAGE, None, fx=0.1, fy=0.1),
                400,
                400,
                450,
                450,
                cv2.BORDER_CONSTANT,
                value=(90, 100, 110),
            ),
            "too_far",
        ),
        (np.full((600, 800, 3), 120, np.uint8), "blurred"),
        (cv2.resize(IMAGE, (100, 75), interpolation=cv2.INTER_AREA), "too_small"),
        (cv2.resize(TIGHT, None, fx=100 / TIGHT.shape[1], fy=100 / TIGHT.shape[1]), "too_small"),
        (np.full((375, 500, 3), 120, np.uint8), "blurred"),
        (np.full((18, 24, 3), 120, np.uint8), "too_small"),
    ],
    ids=[
        *("dark", "blurred", "cut off", "far", "nothing", "preview", "filled", "nothing small"),
        "icon",
    ],
)
def test_a_refusal_gives_the_likeliest_reason(image: np.ndarray, code: str) -> None:
    error = why_refused(photo_of(image), STONES, NO_BOARD)
    assert error.code == code
    assert ": " in error.message or code in ("blurred", "too_small")


def test_a_small_photo_is_not_blurred_by_enlarging_it() -> None:
    pale = cv2.resize(IMAGE // 4 + 100, (60, 45), interpolation=cv2.INTER_AREA)
    assert nothing_to_see(pale) is None


def test_other_refusals_stay_as_they_are() -> None:
    error = BoardNotFound("bad_corners", "The corners do not outline a board.")
    assert why_refused(photo_of(IMAGE), STONES, error) is error


def test_a_small_photo_of_unknown_pieces_is_not_too_small() -> None:
    small = cv2.resize(IMAGE, (400, 300), interpolation=cv2.INTER_AREA)
    error = BoardNotFound("unknown_pieces", "The pieces are not known.")
    assert why_refused(photo_of(small), STONES, error) is error


def test_many_cells_are_named_by_their_rows() -> None:
    assert named([(0, 0), (1, 1), (1, 2), (2, 0)]) == "rows 1, 2, 3"

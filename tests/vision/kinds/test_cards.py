"""Pattern cards are found however they lie, and the deck is weighed as a whole."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from models.session import CARD_POINTS, CARD_SPOTS, STONE_SYMBOLS, detect, find_cards, read_cards
from scorer.stones.cards import CARDS, PatternCard
from vision.errors import BoardNotFound
from vision.find.corners import Corners
from vision.geometry import Floats, Images
from vision.kinds.cards.deck import GREY, GROUND, turned_twins, view_card
from vision.kinds.cards.doubt import Seen, decided, there
from vision.kinds.cards.outlines import outlined_quads
from vision.kinds.cards.read import read_card_photo
from vision.photo import Photo

PHOTOS = Path(__file__).parents[3] / "fixtures" / "cards"
CLASSES = GROUND + 1 + len(CARD_POINTS)
PITCH = (0.276, 0.193)
HIDDEN_PX = 12.0
QUAD = np.array([[0, 0], [140, 0], [140, 200], [0, 200]], np.float32)


def spots_of(
    card: PatternCard, sureness: float = 0.98, centre: tuple[float, float] = (0.5, 0.6)
) -> Floats:
    """What a reader that sees everything, but only so surely, would say of a card."""
    classes = np.full((CARD_SPOTS, CARD_SPOTS), GROUND)
    axis = (np.arange(CARD_SPOTS) + 0.5) / CARD_SPOTS
    for row, symbols in enumerate(card.pattern.rows):
        for col, symbol in enumerate(symbols):
            x = centre[0] + (col - (card.pattern.width - 1) / 2) * PITCH[0]
            y = centre[1] + (row - (card.pattern.height - 1) / 2) * PITCH[1]
            inside = np.outer(abs(axis - y) < PITCH[1] / 2, abs(axis - x) < PITCH[0] / 2)
            classes[inside] = GREY if symbol is None else STONE_SYMBOLS.index(symbol.value)
    digit = np.outer(abs(axis - 0.15) < 0.06, abs(axis - 0.5) < 0.04)
    classes[digit] = GROUND + 1 + CARD_POINTS.index(card.points)
    p = np.full((CARD_SPOTS, CARD_SPOTS, CLASSES), (1 - sureness) / (CLASSES - 1))
    np.put_along_axis(p, classes[..., None], sureness, 2)
    return np.log(p).astype(np.float32)


@pytest.mark.parametrize("centre", [(0.5, 0.6), (0.54, 0.57)])
def test_every_card_of_the_deck_is_told_from_all_others(centre: tuple[float, float]) -> None:
    chosen = [int(view_card(spots_of(card, centre=centre)).scores().argmax()) for card in CARDS]
    assert [CARDS[k].id for k in chosen] == [card.id for card in CARDS]


def test_a_small_pattern_may_begin_where_a_large_one_does() -> None:
    """As on home-made cards whose patterns are laid out from the top left."""
    for card in CARDS:
        lacking = (card.pattern.width - 3, card.pattern.height - 3)
        centre = (0.46 + lacking[0] / 2 * PITCH[0], 0.54 + lacking[1] / 2 * PITCH[1])
        view = view_card(spots_of(card, centre=centre))
        assert CARDS[int(view.scores().argmax())].id == card.id
        assert view.unexplained[CARDS.index(card)] < 0.7


def test_a_card_that_fits_leaves_nothing_unexplained_and_a_smaller_one_does() -> None:
    three, two = CARDS[56], CARDS[19]  # seed seed seed; seed / seed
    view = view_card(spots_of(three))
    assert view.unexplained[56] < 0.6 < view.unexplained[19]
    assert str(two.pattern) == "seed / seed"


def test_cells_are_square_so_a_card_is_less_credible_across() -> None:
    spots = spots_of(CARDS[48])
    upright, across = view_card(spots, aspect=0.7), view_card(spots, aspect=1 / 0.7)
    assert abs(upright.pitch[0] * 0.7 / upright.pitch[1] - 1) < 0.1
    assert across.evidence < upright.evidence - 1


def test_what_does_not_fit_any_card_is_a_misfit() -> None:
    view = view_card(spots_of(SimpleNamespace(pattern=CARDS[0].pattern, points=1)))  # type: ignore[arg-type]
    assert view.misfit(0) < 0.1
    assert view.misfit(1) > 2  # boat bird where bird horse lies


def test_a_second_opinion_decides_between_symbols_but_not_whether_there_is_one() -> None:
    view = view_card(spots_of(CARDS[6], sureness=0.5))  # seed boat
    other = np.zeros((25, 8))
    other[:, STONE_SYMBOLS.index("fish")] = 6.0
    assert CARDS[int(view.scores(other).argmax())].id in (8, 30)  # seed fish, fish fish
    gains = view.with_symbols(other)
    assert np.allclose(
        np.logaddexp.reduce(gains[:, :8], 1), np.logaddexp.reduce(view.gains[:, :8], 1), atol=1e-4
    )


def test_the_deck_holds_every_card_once() -> None:
    log_p = np.full(72, -20.0)
    log_p[3], log_p[8] = np.log(0.6), np.log(0.4)
    sure = np.full(72, -20.0)
    sure[3] = 0.0
    seen = [Seen(QUAD + 400 * k, 1.0, p, 0.0, 0.0, 9.0) for k, p in enumerate((log_p, sure))]
    first, second = decided(seen)
    assert (first.card.id, second.card.id) == (9, 4)
    assert not first.sure  # it was only chosen because the likelier one lies elsewhere
    assert second.sure


def test_a_card_that_is_another_one_turned_round_is_never_sure() -> None:
    assert {CARDS[k].id for k in turned_twins()} == {
        3, 5, 7, 9, 10, 11, 16, 17, 19, 21, 23, 24, 38, 39, 40, 42, 45, 46,
    }  # fmt: skip
    for card, sure in (
        (41, False),
        (62, True),
    ):  # . . sun, which is sun / . / . on its side; horse / horse / horse
        log_p = np.full(72, -20.0)
        log_p[card] = 0.0
        (read,) = decided([Seen(QUAD, 1.0, log_p, 0.0, 0.0, 9.0)])
        assert (read.card.id, read.sure) == (card + 1, sure)


@pytest.mark.parametrize(
    ("told", "sure"), [((1, 1, 1), True), ((1, 1), False), ((1, 1, 0, 1), False)]
)
def test_other_cards_show_that_the_print_tells_the_side(told: tuple[int, ...], sure: bool) -> None:
    alone = [k for k in range(72) if k not in turned_twins()]
    seen = []
    for k, (card, side) in enumerate([(41, 1), *zip(alone, told, strict=False)]):
        log_p = np.full(72, -20.0)
        log_p[card] = 0.0
        seen.append(Seen(QUAD + 400 * k, 1.0, log_p, 0.0, 0.0, 9.0, 1.0, bool(side)))
    twin, *others = decided(seen)
    assert (twin.card.id, twin.sure) == (42, sure)
    assert all(card.sure for card in others)


def test_what_no_card_explains_is_left_out() -> None:
    log_p, flat = np.full(72, -20.0), np.full(72, -np.log(72.0))
    log_p[3] = 0.0
    card = Seen(QUAD, 0.99, log_p, 0.0, 0.1, 8.0)
    table = Seen(QUAD + 400, 0.62, flat, 3.0, 1.0, 0.4, 0.5)
    assert there([card, table]) == [card]
    assert there([]) == []


def test_networks_answer_in_the_shapes_that_are_promised() -> None:
    spots, turns = read_cards(np.zeros((2, 96, 96, 3), np.uint8))
    assert spots.shape == (2, CARD_SPOTS, CARD_SPOTS, CLASSES)
    assert turns.shape == (2, 5)
    assert np.allclose(np.exp(spots).sum(3), 1, atol=1e-3)
    assert np.allclose(np.exp(turns).sum(1), 1, atol=1e-3)
    assert read_cards(np.zeros((0, 96, 96, 3), np.uint8))[1].shape == (0, 5)
    photo = np.random.default_rng(1).integers(0, 256, (64, 96, 3), np.uint8)
    pieces, cards = find_cards(photo)
    assert cards.shape == (8, 12, 9)
    assert ((cards[..., 0] >= 0) & (cards[..., 0] <= 1)).all()
    np.testing.assert_array_equal(pieces, detect(photo))


def test_outlines_find_a_sheet_on_a_table() -> None:
    image = np.full((300, 400, 3), 90, np.uint8)
    sheet = np.array([[100, 60], [230, 80], [210, 240], [85, 220]], np.int32)
    cv2.fillPoly(image, [sheet], (200, 60, 40))
    found = outlined_quads(image)
    errors = [np.abs(np.roll(quad, k, 0) - sheet).max() for quad in found for k in range(4)]
    assert min(errors) < 4


def load(name: str) -> tuple[Photo, list[dict[str, Any]]]:
    image = cv2.imread(str(PHOTOS / name))
    assert image is not None
    entry = next(e for e in json.loads((PHOTOS / "cards.json").read_text()) if e["photo"] == name)
    return photo_of(np.asarray(image, np.uint8)), entry["cards"]


def photo_of(image_bgr: Images) -> Photo:
    return Photo(image_bgr, image_bgr.shape[:2], 1.0, "jpeg")


def truth_at(quad_xy: Floats, truth: list[dict[str, Any]]) -> tuple[int, float]:
    """The card at a place and the mean error of its corners in pixels.

    Corners at or under another card's edge cannot be seen and are left out.
    """
    middle = quad_xy.mean(0)
    best = min(truth, key=lambda card: float(np.hypot(*(np.mean(card["quad"], 0) - middle))))
    others = [np.array(card["quad"], np.float32) for card in truth if card is not best]
    off = [
        float(np.hypot(*(np.array(corner) - seen)))
        for corner, seen in zip(best["quad"], quad_xy, strict=True)
        if all(cv2.pointPolygonTest(other, corner, True) < -HIDDEN_PX for other in others)
    ]
    return best["id"], float(np.mean(off))


@pytest.mark.parametrize(("name", "number"), [("carved_3.jpg", 1), ("prints_1.jpg", 25)])
def test_a_card_that_fills_the_photo_is_read(name: str, number: int) -> None:
    photo, truth = load(name)
    quad = np.array(next(card["quad"] for card in truth if card["id"] == number))
    around = 0.1 * np.ptp(quad, 0)
    left, top = np.maximum(quad.min(0) - around, 0).astype(int)
    right, bottom = np.ceil(quad.max(0) + around).astype(int)
    part = photo.image_bgr[top:bottom, left:right]
    larger = 1200 / max(part.shape[:2])
    close = cv2.resize(part, None, fx=larger, fy=larger, interpolation=cv2.INTER_CUBIC)
    reading = read_card_photo(photo_of(np.asarray(close, np.uint8)), "bundled")
    assert number in [card.card.id for card in reading.cards]


@pytest.mark.parametrize("turns", [0, 1])
def test_cards_in_the_published_layout_are_read_whichever_way_the_photo_lies(turns: int) -> None:
    photo, truth = load("carved_2.jpg")
    turned = np.ascontiguousarray(np.rot90(photo.image_bgr, turns))
    reading = read_card_photo(photo_of(turned), "bundled")
    assert sorted(card.card.id for card in reading.cards) == sorted(card["id"] for card in truth)
    if not turns:
        for card in reading.cards:
            expected, off = truth_at(card.quad_xy, truth)
            assert card.card.id == expected
            assert off < 12  # from the card's own top left: its direction is right, too


@pytest.mark.parametrize("name", ["carved_3.jpg", "prints_1.jpg"])
def test_no_card_is_silently_wrong(name: str) -> None:
    photo, truth = load(name)
    reading = read_card_photo(photo, "bundled")
    wrong = [
        card
        for card in reading.cards
        if card.sure and truth_at(card.quad_xy, truth)[0] != card.card.id
    ]
    assert not wrong


def test_a_card_whose_corners_a_person_gives_is_read_alone() -> None:
    photo, truth = load("carved_2.jpg")
    points = tuple((float(x), float(y)) for x, y in np.roll(truth[0]["quad"], 2, 0))
    reading = read_card_photo(photo, "bundled", corners=Corners(points))
    assert [card.card.id for card in reading.cards] == [truth[0]["id"]]


def test_what_a_person_frames_is_read_though_nobody_would_find_a_card_there() -> None:
    photo, _ = load("carved_2.jpg")
    reading = read_card_photo(
        photo, "bundled", corners=Corners(((5, 5), (75, 5), (75, 105), (5, 105)))
    )
    assert [card.sure for card in reading.cards] == [False]


def test_a_frame_outside_the_photo_is_refused() -> None:
    photo, _ = load("carved_2.jpg")
    far = Corners(((9000, 0), (9999, 0), (9999, 9999), (9000, 9999)))
    with pytest.raises(BoardNotFound, match="The corners lie outside the photo"):
        read_card_photo(photo, "bundled", corners=far)


def some_table() -> Floats:
    return np.random.default_rng(3).normal((60, 90, 130), 6, (600, 800, 3)).astype(np.float32)


@pytest.mark.parametrize(
    ("photo", "code"),
    [
        (some_table(), "no_cards"),
        (some_table() * 0.1, "too_dark"),
        (cv2.GaussianBlur(some_table(), (0, 0), 30), "blurred"),
    ],
    ids=["empty", "dark", "blurred"],
)
def test_a_photo_without_cards_is_refused_with_the_reason(photo: Floats, code: str) -> None:
    image = np.clip(photo, 0, 255).astype(np.uint8)
    with pytest.raises(BoardNotFound) as refused:
        read_card_photo(Photo(image, image.shape[:2], 1.0, "jpeg"), "bundled")
    assert refused.value.code == code

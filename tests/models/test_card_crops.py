"""Crops that the reader of pattern cards learns from."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra `training` is not installed")
pytest.importorskip("cairosvg", reason="the extra `training` is not installed")

from calibration.measuring.candidates import crops_of, is_other
from models.session import read_cards
from models.training.card_crops import (
    NO_CARD,
    READER_PX,
    SPOTS,
    KeptCrops,
    keep_crops,
    turned_cards,
)
from models.training.scenes.stored import StoredScene

PHOTOS = Path(__file__).parents[2] / "fixtures" / "cards"


@pytest.fixture(scope="module")
def scene() -> StoredScene:
    """A photo of cards that lie open."""
    entry = next(
        e for e in json.loads((PHOTOS / "cards.json").read_text()) if e["photo"] == "carved_2.jpg"
    )
    image = cv2.imread(str(PHOTOS / entry["photo"]))
    assert image is not None
    quads = np.array([card["quad"] for card in entry["cards"]], np.float32)
    return StoredScene.of(np.asarray(image, np.uint8), quads, np.ones(len(quads), np.float32))


def test_a_scene_gives_its_cards_upright_and_what_is_none(scene: StoredScene) -> None:
    found = list(crops_of(np.random.default_rng(2), scene, True))
    crops, classes = np.stack([crop for crop, _ in found]), np.array([turn for _, turn in found])
    assert crops.shape[1:] == (READER_PX, READER_PX, 3)
    assert (classes == 0).sum() == 5  # one card is cut off
    assert 0 < (classes == NO_CARD).sum() <= 6
    assert (read_cards(crops)[1][classes == 0].argmax(1) == 0).all()
    assert len(list(crops_of(np.random.default_rng(2), scene, False))) == 5


def test_what_lies_on_a_card_is_no_other_thing(scene: StoredScene) -> None:
    card = scene.quads_xy[0]
    middle = card.mean(0)
    assert not is_other(card, scene)
    assert not is_other((card - middle) * np.float32(0.8) + middle, scene)
    assert is_other((card - middle) * np.float32(0.3) + middle, scene)


def test_crops_come_back_from_the_disk_in_another_light(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    crops = np.full((5, READER_PX, READER_PX, 3), 100, np.uint8)
    spots = rng.integers(0, 9, (5, SPOTS, SPOTS)).astype(np.uint8)
    keep_crops(tmp_path / "crops.npy", crops, spots, np.arange(5))
    drawn, seen, turns = KeptCrops([tmp_path / "crops.npy"]).batch(rng, 40)
    assert {*turns.tolist()} == {*range(5)}
    assert all((seen[k] == spots[turn]).all() for k, turn in enumerate(turns))
    assert drawn.dtype == np.uint8
    assert 60 < drawn.min() < 100 < drawn.max() < 150


def test_a_turned_card_is_known_by_its_turn_and_nothing_else_is() -> None:
    rng = np.random.default_rng(4)
    crops = rng.integers(0, 256, (40, 8, 8, 3)).astype(np.uint8)
    classes = np.where(np.arange(40) % 4 == 0, NO_CARD, 0)
    turned, turns = turned_cards(rng, crops, classes)
    assert ((turns == NO_CARD) == (classes == NO_CARD)).all()
    cards = np.flatnonzero(classes != NO_CARD)
    assert {*turns[cards].tolist()} == {0, 1, 2, 3}
    assert all((np.rot90(turned[k], -turns[k]) == crops[k]).all() for k in cards)

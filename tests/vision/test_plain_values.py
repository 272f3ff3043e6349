"""Readings hold plain values only, so that every reading goes into JSON."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.card_reader import open_card_reader
from calibration.reader import open_reader
from scorer.stones.cards import cards_by_id
from scorer.text import Text
from vision.boards import STONES
from vision.errors import BoardNotFound
from vision.kinds.cards.reading import CardReading
from vision.reading import CellReading

PHOTO = Path(__file__).parents[2] / "fixtures" / "photos" / "easy_1.jpg"
PLAIN = {dict, list, str, Text, int, float, bool}
QUAD = np.zeros((4, 2), np.float32)


def kinds(value: Any) -> set[type]:
    """The types of a document and of everything within."""
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {type(value)}.union(*map(kinds, within))


def spoiled_photos() -> list[bytes]:
    """One photo plain, ever darker, half covered, inverted in colour, and damaged in its file."""
    image = cv2.imread(str(PHOTO))
    image = cv2.resize(image, None, fx=1000 / max(image.shape), fy=1000 / max(image.shape))
    noise = np.random.default_rng(1).normal(0, 12, image.shape)
    images = [
        np.clip((image + noise) * gain, 0, 255).astype(np.uint8) for gain in (1.0, 0.3, 0.15, 0.1)
    ]
    covered = image.copy()
    covered[400:, :500] = 30
    photos = [
        bytes(cv2.imencode(".jpg", one)[1].tobytes()) for one in (*images, covered, 255 - image)
    ]
    dice = np.random.default_rng(2)
    for _ in range(3):
        spoiled = bytearray(photos[0])
        for at in dice.integers(600, len(spoiled), 4):
            spoiled[at] = int(dice.integers(256))
        photos.append(bytes(spoiled))
    return photos


def test_the_numbers_of_numpy_become_plain() -> None:
    others = ((np.str_("moon"), np.float32(0.25)),)
    cell = CellReading(0, 0, "sun", np.float32(0.5), np.bool_(False), QUAD, others)  # type: ignore[arg-type]
    assert kinds(cell.to_document()) <= PLAIN
    twins = ((np.int64(7), np.float64(0.25)),)
    card = CardReading(cards_by_id()[1], np.float32(0.5), np.bool_(False), QUAD, twins)  # type: ignore[arg-type]
    assert kinds(card.to_document()) <= PLAIN


def test_spoiled_photos_are_read_into_plain_values(tmp_path: Path) -> None:
    readers = (open_reader(STONES, None, tmp_path), open_card_reader(None, tmp_path))
    documents = []
    for data in spoiled_photos():
        for reader in readers:
            try:
                documents.append(reader.read(data).to_document("photo.jpg"))
            except BoardNotFound:
                continue
    assert len(documents) >= 8
    for document in documents:
        assert kinds(document) <= PLAIN
        json.dumps(document, allow_nan=False)

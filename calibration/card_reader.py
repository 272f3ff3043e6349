"""Opens the reader of pattern cards."""

import time
from dataclasses import dataclass
from pathlib import Path

from calibration.profiles import load_profile
from vision.find.corners import Corners
from vision.kinds.cards.read import read_card_photo
from vision.kinds.cards.reading import CardsReading
from vision.kinds.cards.symbols import Opinion, by_likeness, by_network
from vision.photo import decode_photo

LEAST_LONG_SIDE = 1600
"""Least long side of a decoded photo: a card may be a small part of it."""


@dataclass(frozen=True, slots=True)
class CardReader:
    """Reads photos of pattern cards; safe to share between threads."""

    profile: str
    opinion: Opinion

    def read(self, data: bytes, corners: Corners | None = None) -> CardsReading:
        """Read the bytes of a photo. Raises ``vision.errors.VisionError``."""
        start = time.perf_counter()
        photo = decode_photo(data, LEAST_LONG_SIDE)
        decode_ms = (time.perf_counter() - start) * 1000
        return read_card_photo(photo, self.profile, self.opinion, corners, decode_ms)


def open_card_reader(profile: str | None, data_dir: Path) -> CardReader:
    """A reader of pattern cards; ``profile`` is a taught copy of the stones printed on them.

    Raises
    ------
    calibration.taught.ProfileError
    """
    taught = load_profile(profile, "stones", data_dir)
    return CardReader(taught.name, by_network if taught.published else by_likeness(taught))

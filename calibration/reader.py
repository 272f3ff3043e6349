"""Opens readers: a board and a profile, ready for photos."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.boards import open_board
from calibration.profiles import load_profile
from calibration.sureness import calibrated
from vision.boards import BoardSpec
from vision.corners import Corners
from vision.errors import BoardNotFound
from vision.fuse import FusedReading, read_same
from vision.photo import decode_photo
from vision.profile import Profile
from vision.quality import why_refused, with_quality
from vision.read import read_board
from vision.reading import Reading

LEAST_LONG_SIDE = 1000
"""Photos are decoded at the smallest scale whose long side is at least this: pieces are then as sharp as is read."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads photos of one board with one profile; safe to share between threads."""

    spec: BoardSpec
    profile: Profile

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label that a cell may be corrected to."""
        return self.spec.labels or tuple(
            dict.fromkeys((*self.profile.labels, *((".",) if self.spec.empty else ())))
        )

    def read(self, data: bytes, corners: Corners | None = None) -> Reading:
        """Read the bytes of a photo. Raises ``vision.errors.VisionError``."""
        start = time.perf_counter()
        photo = decode_photo(data, LEAST_LONG_SIDE)
        decode_ms = (time.perf_counter() - start) * 1000
        try:
            reading = read_board(photo, self.spec, self.profile, corners, decode_ms)
        except BoardNotFound as error:
            raise why_refused(photo, self.spec, error) from None
        return calibrated(with_quality(reading, photo, self.spec), self.profile.published)

    def read_same(self, photos: Sequence[bytes]) -> FusedReading:
        """Read several photos of one state as one. Raises ``vision.errors.VisionError`` if none shows the board."""
        start = time.perf_counter()
        decoded = [decode_photo(data, LEAST_LONG_SIDE) for data in photos]
        decode_ms = (time.perf_counter() - start) * 1000
        try:
            fused = read_same(decoded, self.spec, self.profile, decode_ms)
        except BoardNotFound as error:
            raise why_refused(decoded[0], self.spec, error) from None
        return replace(fused, reading=calibrated(fused.reading, self.profile.published))


def open_reader(board: str, profile: str | None, data_dir: Path) -> Reader:
    """A reader of a board (``stones``, ``seasons``, ``time`` or a TOML file) with a profile; None is the bundled one.

    Raises
    ------
    vision.boards.BoardSpecError, calibration.profiles.ProfileError
    """
    spec = open_board(board)
    return Reader(spec, load_profile(profile, spec.name, data_dir))

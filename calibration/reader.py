"""Opens readers: a board and a profile, ready for photos."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from calibration.boards import open_board
from calibration.camera import Camera, load_camera
from calibration.greys import strip_gains
from calibration.profiles import load_profile
from calibration.sureness import calibrated
from vision.aim import snapped
from vision.boards import BoardSpec
from vision.corners import Corners
from vision.errors import BoardNotFound
from vision.fuse import FusedReading, read_same
from vision.geometry import usable
from vision.photo import Photo, decode_photo
from vision.profile import Profile
from vision.quality import why_refused, with_quality
from vision.read import read_board
from vision.reading import Reading

LEAST_LONG_SIDE = 1000
"""Photos are decoded at the smallest scale whose long side is at least this: pieces are then as sharp as is read."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads photos of one board with one profile; safe to share between threads.

    With a ``camera`` photos are straightened first, and a strip of greys in them sets their colours.
    """

    spec: BoardSpec
    profile: Profile
    camera: Camera | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label that a cell may be corrected to."""
        return self.spec.labels or tuple(
            dict.fromkeys((*self.profile.labels, *((".",) if self.spec.empty else ())))
        )

    def read(self, data: bytes, corners: Corners | None = None) -> Reading:
        """Read the bytes of a photo. Raises ``vision.errors.VisionError``."""
        start = time.perf_counter()
        photo = self._prepared(decode_photo(data, LEAST_LONG_SIDE))
        decode_ms = (time.perf_counter() - start) * 1000
        try:
            reading = read_board(
                photo, self.spec, self.profile, self._prepared_corners(corners, photo), decode_ms
            )
        except BoardNotFound as error:
            raise why_refused(photo, self.spec, error) from None
        return self._on_photo(
            calibrated(with_quality(reading, photo, self.spec), self.profile.published), photo
        )

    def read_same(self, photos: Sequence[bytes]) -> FusedReading:
        """Read several photos of one state as one. Raises ``vision.errors.VisionError`` if none shows the board."""
        start = time.perf_counter()
        decoded = [self._prepared(decode_photo(data, LEAST_LONG_SIDE)) for data in photos]
        decode_ms = (time.perf_counter() - start) * 1000
        try:
            fused = read_same(decoded, self.spec, self.profile, decode_ms)
        except BoardNotFound as error:
            raise why_refused(decoded[0], self.spec, error) from None
        reading = calibrated(fused.reading, self.profile.published)
        return replace(fused, reading=self._on_photo(reading, decoded[fused.reference]))

    def _prepared(self, photo: Photo) -> Photo:
        """The photo as it would be without the faults of the lens and the colour of the light."""
        if self.camera is None:
            return photo
        gains = strip_gains(photo)
        photo = photo if gains is None else gains.applied(photo)
        return self.camera.lens.straightened(photo) if self.camera.fits(photo.full_hw) else photo

    def _prepared_corners(self, corners: Corners | None, photo: Photo) -> Corners | None:
        """Corners shown on the photo as those of the grid on the prepared one."""
        if corners is None:
            return None
        if self.camera is not None and self.camera.fits(photo.full_hw):
            quad = self.camera.lens.from_photo(corners.quad_xy(photo.full_hw), photo.full_hw)
            corners = Corners(tuple((float(x), float(y)) for x, y in quad))
        return corrected_corners(photo, corners, self.spec)

    def _on_photo(self, reading: Reading, photo: Photo) -> Reading:
        """The reading with corners in pixels of the photo that was taken."""
        if self.camera is None:
            return reading
        if self.camera.fits(photo.full_hw):
            return self.camera.lens.on_photo(reading, photo.full_hw)
        problem = (
            f"The photo has another shape than those of the camera {self.camera.name}: it was read as it is."
        )
        return replace(reading, problems=(*reading.problems, problem))


def corrected_corners(photo: Photo, corners: Corners, spec: BoardSpec) -> Corners:
    """Corners shown by hand, moved onto the grid where one is seen; a photo that the grid fills has no better ones."""
    quad = photo.from_full(corners.quad_xy(photo.full_hw))
    if corners.points is None or not usable(quad[None])[0]:
        return corners
    image_rgb = np.asarray(cv2.cvtColor(photo.image_bgr, cv2.COLOR_BGR2RGB), np.uint8)
    found = photo.to_full(snapped(image_rgb, quad, spec.rows[1], spec.cols[1]))
    return Corners(tuple((float(x), float(y)) for x, y in found))


def open_reader(board: str, profile: str | None, data_dir: Path, camera: str | None = None) -> Reader:
    """A reader of a board (``stones``, ``seasons``, ``time`` or a TOML file) with a profile; None is the bundled one.

    Raises
    ------
    vision.boards.BoardSpecError, calibration.profiles.ProfileError, calibration.camera.CameraError
    """
    spec = open_board(board)
    opened = None if camera is None else load_camera(camera, data_dir)
    return Reader(spec, load_profile(profile, spec.name, data_dir), opened)

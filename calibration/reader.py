"""Opens readers: a board and a profile, ready for photos."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from calibration.camera import Camera, load_camera
from calibration.profiles import DEFAULT_NAME, default_profile, load_profile
from calibration.taught import ProfileError
from scorer.text import Text
from vision.boards import BoardSpec
from vision.errors import BoardNotFound, VisionError
from vision.find.corners import Corners, snapped
from vision.fuse import FusedReading, read_same
from vision.geometry import usable
from vision.lens import Lens
from vision.photo import LEAST_LONG_SIDE, Photo, decode_photo
from vision.profile import Profile
from vision.quality import why_refused
from vision.read import read_board
from vision.reading import Reading


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads photos of one board with one profile; safe to share between threads.

    With a ``camera`` doubtful photos are straightened.
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
        """Read the bytes of a photo. Raises ``vision.errors.VisionError``.

        A photo that leaves a doubt is looked at once more, straightened, if the camera is known.
        """
        start = time.perf_counter()
        photo = decode_photo(data, LEAST_LONG_SIDE)
        return self.looked_again(photo, self._attempt(photo, corners, start), start, corners)

    def looked_again(
        self,
        photo: Photo,
        reading: Reading | BoardNotFound,
        start: float,
        corners: Corners | None = None,
    ) -> Reading:
        """Read a photo, and once more straightened if a doubt is left. Raises the refusal if
        nothing is."""
        if self.camera is not None and not (isinstance(reading, Reading) and reading.sure):
            if self.camera.fits(photo.full_hw):
                other = self._attempt(photo, corners, start, self.camera.lens)
                reading = max(reading, other, key=certainty)
            elif isinstance(reading, Reading):
                reading = replace(reading, problems=(*reading.problems, _other_shape(self.camera)))
        if isinstance(reading, BoardNotFound):
            raise reading
        return reading

    def _attempt(
        self, taken: Photo, corners: Corners | None, start: float, lens: Lens | None = None
    ) -> Reading | BoardNotFound:
        """What is read, or why nothing is."""
        photo = taken if lens is None else lens.straightened(taken)
        if corners is not None:
            if lens is not None:
                quad = lens.from_photo(corners.quad_xy(photo.full_hw), photo.full_hw)
                corners = Corners.at(quad)
            corners = corrected_corners(photo, corners, self.spec)
        decode_ms = (time.perf_counter() - start) * 1000
        try:
            reading = read_board(photo, self.spec, self.profile, corners, decode_ms)
        except BoardNotFound as error:
            return why_refused(photo, self.spec, error)
        return reading if lens is None else lens.on_photo(reading, photo.full_hw)

    def read_same(self, photos: Sequence[bytes]) -> FusedReading:
        """Read several photos of one state as one.

        Raises
        ------
        VisionError
            If none shows the board; the reason is that of the first, ``each`` has all.
        """
        start = time.perf_counter()
        decoded: dict[int, Photo] = {}
        damaged: dict[int, VisionError] = {}
        for number, data in enumerate(photos):
            try:
                decoded[number] = decode_photo(data, LEAST_LONG_SIDE)
            except VisionError as error:
                damaged[number] = error
        if not decoded:
            raise _first_of(damaged)
        decode_ms = (time.perf_counter() - start) * 1000
        numbers = [*decoded]
        try:
            fused = read_same([*decoded.values()], self.spec, self.profile, decode_ms)
        except BoardNotFound as error:
            refused = {
                number: why_refused(decoded[number], self.spec, one)
                for number, one in zip(numbers, error.each, strict=True)
            }
            raise _first_of(damaged | refused) from None
        left_out = [(numbers[k], reason) for k, reason in fused.left_out]
        left_out += [(number, error.message) for number, error in damaged.items()]
        return replace(
            fused,
            reference=numbers[fused.reference],
            used=tuple(numbers[k] for k in fused.used),
            left_out=tuple(sorted(left_out)),
        )


def _first_of(refused: Mapping[int, VisionError]) -> VisionError:
    """The refusal of the first of several photos, which knows those of all."""
    first = refused[0]
    first.each = tuple(refused[number] for number in sorted(refused))
    return first


def _other_shape(camera: Camera) -> Text:
    return Text(
        "The photo has another shape than those of the camera %(camera)s: it was read as it is.",
        camera=camera.name,
    )


def certainty(reading: Reading | BoardNotFound) -> float:
    """Mean probability of the cells, one more if nothing is left to ask; below 0 for a refusal."""
    if isinstance(reading, BoardNotFound):
        return -1.0
    return reading.sure + float(np.mean([cell.confidence for cell in reading.cells]))


def corrected_corners(photo: Photo, corners: Corners, spec: BoardSpec) -> Corners:
    """Corners shown by hand, moved onto the grid if one is seen. ``photo`` stays as it is."""
    quad = photo.from_full(corners.quad_xy(photo.full_hw))
    if corners.points is None or not usable(quad[None])[0]:
        return corners
    image_rgb = photo.image_rgb
    return Corners.at(photo.to_full(snapped(image_rgb, quad, spec.rows[1], spec.cols[1])))


def open_reader(
    spec: BoardSpec, profile: str | None, data_dir: Path | None, camera: str | None = None
) -> Reader:
    """A reader of a board with a profile; None is the bundled one, which needs no data folder.

    Raises
    ------
    calibration.taught.ProfileError, calibration.camera.CameraError
    """
    if data_dir is None:
        if camera is not None or profile not in (None, DEFAULT_NAME):
            raise ProfileError("expected the data folder of the profile and camera, got None")
        return Reader(spec, default_profile(spec.name))
    opened = None if camera is None else load_camera(camera, data_dir)
    return Reader(spec, load_profile(profile, spec.name, data_dir), opened)

"""Which of several copies lies on the table, found from the photo itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from calibration.reader import Reader, certainty
from vision.errors import BoardNotFound
from vision.find.candidates import locate_board
from vision.find.corners import Corners
from vision.geometry import Pyramid
from vision.photo import LEAST_LONG_SIDE, decode_photo
from vision.profile import vectors_at
from vision.reading import Reading

CLEARLY_SURER = 0.02
"""Least gain in the mean probability of the cells for which another copy is taken."""


class Reads(Protocol):
    """The part of a reader that is used here."""

    def read(self, data: bytes, corners: Corners | None = None) -> Reading: ...


def read_fitting(
    data: bytes,
    names: Sequence[str],
    opened: Callable[[str], Reads],
    corners: Corners | None = None,
) -> tuple[str, Reading]:
    """Read with the first copy; where a doubt is left, once more with the likeliest other one.

    Raises the refusal of the first if both refuse.
    """
    first, *others = names
    reading = _attempt(opened(first), data, corners)
    if others and (isinstance(reading, BoardNotFound) or not reading.sure):
        second = _likeliest(data, {name: opened(name) for name in others}, reading)
        other = _attempt(opened(second), data, corners)
        if certainty(other) > certainty(reading) + CLEARLY_SURER:
            first, reading = second, other
    if isinstance(reading, BoardNotFound):
        raise reading
    return first, reading


def _attempt(reader: Reads, data: bytes, corners: Corners | None) -> Reading | BoardNotFound:
    try:
        return reader.read(data, corners)
    except BoardNotFound as error:
        return error


def _likeliest(data: bytes, readers: Mapping[str, Reads], reading: Reading | BoardNotFound) -> str:
    """The copy whose faces look most like the pieces of the photo: by the median piece. One that
    comes with the program has no faces; it is tried where nothing can be compared."""
    taught = {
        name: reader.profile
        for name, reader in readers.items()
        if isinstance(reader, Reader) and not reader.profile.published
    }
    names = list(readers)
    if len(names) == 1 or not taught:
        return names[0]
    photo = decode_photo(data, LEAST_LONG_SIDE)
    pyramid = Pyramid(photo.image_rgb)
    if isinstance(reading, BoardNotFound):
        spec = next(one.spec for one in readers.values() if isinstance(one, Reader))
        try:
            quads = locate_board(pyramid, spec).quads_xy
        except BoardNotFound:
            return names[0]
    else:
        quads = photo.from_full(np.stack([cell.quad_xy for cell in reading.cells]))
    vectors = vectors_at(pyramid, quads)
    return max(
        taught, key=lambda name: float(np.median(taught[name].likeness(vectors).max((0, 2))))
    )

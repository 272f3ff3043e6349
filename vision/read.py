"""The pipeline: an upright photo, a board description and a profile in; a reading out."""

import time
from dataclasses import replace

from vision.boards import BoardSpec
from vision.choose import CellsRead, read_best, read_cells
from vision.find.board import not_found
from vision.find.corners import Corners, board_at_corners
from vision.geometry import Pyramid
from vision.kinds import kind_of
from vision.photo import Photo
from vision.profile import Profile
from vision.quality import board_quality
from vision.reading import Reading, stage_ms
from vision.trust import reading_of


def read_board(
    photo: Photo,
    spec: BoardSpec,
    profile: Profile,
    corners: Corners | None = None,
    decode_ms: float = 0.0,
) -> Reading:
    """Find and read a board.

    Raises
    ------
    BoardNotFound
        If the board is not in the photo or cannot be made out; the message says what to do.
    """
    start = time.perf_counter()
    pyramid = Pyramid(photo.image_rgb)
    if corners is not None:
        board = board_at_corners(photo, spec, corners, pyramid)
        located = time.perf_counter()
        read = read_cells(pyramid, board, spec, profile, fixed_turn=0)
        if read is None:
            raise not_found(spec)
    else:
        read, located = read_best(pyramid, spec, profile)
    return timed(read, photo, spec, profile, (start, located, decode_ms))


def timed(
    read: CellsRead,
    photo: Photo,
    spec: BoardSpec,
    profile: Profile,
    times: tuple[float, float, float],
) -> Reading:
    """The reading of located cells, in pixels of the full photo.

    ``times`` are when looking began and when the board was located, and the milliseconds of
    decoding.
    """
    quality = board_quality(photo.image_bgr, read.board.quads_xy, spec.aspect)
    profile = kind_of(spec).completed(profile)
    reading = reading_of(read.board, spec, profile, read.look, read.extent, quality)
    start, located, decode_ms = times
    return replace(
        reading.moved(photo.to_full),
        problems=(*reading.problems, *read.problems),
        ms=stage_ms(start, located, time.perf_counter(), decode_ms),
    )

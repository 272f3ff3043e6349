"""How fast reading is on this machine, beside what merely decoding the photo costs.

``tallystone bench read`` prints the rows of ``run``. Times are medians of wall time in one process,
models loaded.
"""

import json
import math
import statistics
import time
from collections.abc import Iterable, Iterator
from functools import partial
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from calibration.any_game import AnyGame
from calibration.reader import Reader, open_reader
from models.session import VECTOR_SIZE
from vision.boards import BOARDS, SEASONS_BOARD, TIME
from vision.errors import VisionError
from vision.find.corners import Corners
from vision.headers import examine
from vision.photo import decode_photo
from vision.profile import Profile

LARGE_PIXELS = 3024 * 4032
"""A 12-megapixel photo, as phones take them."""
GRAINS = (0.0, 4.0)
"""Noise of the enlarged photos in grey levels. Smooth ones decode faster than those of phones; with
the second a file has 3.3 MB, as photos of indoors have."""
ROUNDS = 15


class Task(NamedTuple):
    """A photo to time, what reads it, and where its grid lies if a person shows that."""

    name: str
    photo: bytes
    reader: Reader
    corners: Corners | None = None


def run(tasks: Iterable[Task] | None = None) -> Iterator[dict[str, Any]]:
    """Time each photo at 12 megapixels, smooth and with grain: stages in ms, ratio to a full
    decoding, and what it takes longer where nobody says which game lies there.

    A photo that cannot be read is told as ``tallystone read`` tells it. Without ``tasks`` the
    bundled photos are timed.
    """
    with TemporaryDirectory() as data:
        for task in bundled(Path(data)) if tasks is None else tasks:
            try:
                yield from ({"photo": task.name, **times} for times in timed_with_grain(task))
            except VisionError as error:
                told = {"reason": error.code, "message": error.message}
                yield {"photo": task.name, "found": False, **told}


def timed_with_grain(task: Task) -> Iterator[dict[str, Any]]:
    """The times of a photo at 12 megapixels, smooth and with grain."""
    corners = None if task.corners is None else enlarged_corners(task.photo, task.corners)
    for grain in GRAINS:
        yield {"grain": grain, **timed(task.reader, enlarged(task.photo, grain), corners)}


def bundled(data: Path) -> Iterator[Task]:
    """The photos of our own stones, untaught."""
    folder = resources.files("calibration").joinpath("demo")
    listed = json.loads(folder.joinpath("demo.json").read_text(encoding="utf-8"))["photos"]
    for entry in listed:
        photo = folder.joinpath(entry["photo"]).read_bytes()
        yield Task(entry["photo"], photo, open_reader(BOARDS[entry["board"]], None, data))


def timed(reader: Reader, jpeg: bytes, corners: Corners | None = None) -> dict[str, Any]:
    """The times of one photo, medians of ``ROUNDS``."""
    read = partial(reader.read, corners=corners)
    read(jpeg)
    rounds = [timed_pair(read, jpeg) for _ in range(ROUNDS)]
    full = statistics.median(full for full, _, _ in rounds)
    total = statistics.median(total for _, total, _ in rounds)
    stages = {
        stage: round(statistics.median(ms[stage] for _, _, ms in rounds), 1)
        for stage in ("decode", "locate", "read")
    }
    times = {
        "megapixels": round(LARGE_PIXELS / 1e6, 1),
        **stages,
        "total_ms": round(total, 1),
        "full_decode_ms": round(full, 1),
        "ratio": round(total / full, 2),
    }
    if corners is None:  # only a named game has its corners shown
        any_game = AnyGame((reader, *strangers_to(reader)))
        any_game.read(jpeg)
        more = [more_ms(reader.read, any_game.read, jpeg) for _ in range(ROUNDS)]
        times["auto_more_ms"] = round(statistics.median(more), 1)
    return times


def strangers_to(reader: Reader) -> tuple[Reader, ...]:
    """Taught copies of other games that do not lie on the photo, with faces of noise."""
    rng = np.random.default_rng(0)

    def faces() -> npt.NDArray[np.float32]:
        vectors = rng.normal(size=(3, 4, VECTOR_SIZE))
        unit = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
        return np.asarray(unit, np.float32)

    return tuple(
        Reader(spec, Profile("noise", spec.name, {label: faces() for label in spec.labels}, ""))
        for spec in (SEASONS_BOARD, TIME)
        if spec.name != reader.spec.name
    )


def more_ms(read: Any, read_any: Any, jpeg: bytes) -> float:
    """Extra milliseconds of reading a photo of which nobody says which game it shows."""
    start = time.perf_counter()
    read(jpeg)
    middle = time.perf_counter()
    read_any(jpeg)
    return (time.perf_counter() - middle - (middle - start)) * 1000


def timed_pair(read: Any, jpeg: bytes) -> tuple[float, float, dict[str, float]]:
    """Milliseconds of decoding the whole photo, of reading it, and of each stage of reading."""
    start = time.perf_counter()
    cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    middle = time.perf_counter()
    reading = read(jpeg)
    return (middle - start) * 1000, (time.perf_counter() - middle) * 1000, dict(reading.ms)


def enlarged(data: bytes, grain: float = 0.0) -> bytes:
    """The photo at 12 megapixels with noise of ``grain`` grey levels, a JPEG of phone quality."""
    image = decode_photo(data, least_long_side=LARGE_PIXELS).image_bgr  # never reduced
    h, w = (round(side * enlargement(data)) for side in image.shape[:2])
    large = cv2.resize(image, (w, h), interpolation=cv2.INTER_CUBIC)
    noise = np.random.default_rng(0).standard_normal((h, w), np.float32) * np.float32(grain)
    large = cv2.add(large, cv2.merge([noise] * 3), dtype=cv2.CV_8U)
    return bytes(cv2.imencode(".jpg", large, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])


def enlargement(data: bytes) -> float:
    """By what both sides of a photo are multiplied."""
    header = examine(data)
    return math.sqrt(LARGE_PIXELS / (header.width * header.height))


def enlarged_corners(data: bytes, corners: Corners) -> Corners:
    """Corners of the photo's grid on the enlarged photo."""
    if corners.points is None:
        return corners
    # the middle of the first pixel lies at 0, its edge at -0.5
    return Corners.at((np.array(corners.points) + 0.5) * enlargement(data) - 0.5)

"""What is promised of photos: bombs, limits, speed, and what is read."""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
from attacks.harness import Figure

from calibration.boards import open_board
from calibration.reader import open_reader
from vision.errors import PhotoRejected
from vision.headers import MAX_BYTES
from vision.photo import decode_photo

ROOT = Path(__file__).parents[3]
PHOTOS = ROOT / "fixtures" / "photos"
BOMBS = (
    "900 MP png",
    "65500 x 65500 jpeg",
    "1 px x 10 M px",
    "transparent 59 MP",
    "png with 4 GB chunk",
    "png of 2 M chunks",
    "animated png",
    "animated webp",
    "jpeg of 6 M segments",
)

sys.path.append(str(ROOT / "tests" / "vision"))

from test_photo import REFUSED, encode, noise  # noqa: E402 (the files that its tests refuse)


def bombs(count: int) -> Iterator[Figure]:
    """Bombs to the decoder: the processor time and the memory until each is refused."""
    decode_photo(encode(noise(480, 640), "JPEG"))
    for name in BOMBS:
        data = REFUSED[name][2]()
        times = []
        before = memory_mb("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        for _ in range(count):
            start = time.process_time()
            refused(data)
            times.append(1000 * (time.process_time() - start))
        yield Figure(f"{name}: slowest of {count}", max(times), 50, "ms")
        yield Figure(f"{name}: memory", memory_mb("VmHWM") - before, 50, "MB")


def refused(data: bytes) -> str:
    """The code of the refusal of a file."""
    try:
        decode_photo(data)
    except PhotoRejected as error:
        return error.code
    raise AssertionError("the file was decoded")


def memory_mb(which: str) -> float:
    """Memory of this process: VmRSS is what it has, VmHWM the most that it had."""
    text = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(which))


def limits(_: int) -> Iterator[Figure]:
    """Files beside the limits of bytes and pixels."""
    photo = encode(noise(480, 640), "JPEG")
    cases: dict[str, tuple[bool, Callable[[], bytes]]] = {
        "25 MB": (True, lambda: photo + bytes(MAX_BYTES - len(photo))),
        "25 MB and a byte": (False, lambda: photo + bytes(MAX_BYTES - len(photo) + 1)),
        "60 megapixels": (True, lambda: encode(noise(6000, 10_000), "JPEG")),
        "60 megapixels and a row": (False, lambda: encode(noise(6001, 10_000), "JPEG")),
    }
    for name, (good, made) in cases.items():
        try:
            decode_photo(made())
            taken = True
        except PhotoRejected:
            taken = False
        yield Figure(f"{name}: {'refused' if good else 'taken'}", taken is not good, 0)


def speed(count: int) -> Iterator[Figure]:
    """From the bytes of a photo of the stones to its reading, on a warm reader."""
    reader = open_reader(open_board("stones"), None, None)
    image = cv2.imread(str(PHOTOS / "easy_1.jpg"))
    for megapixels, (width, height), most in ((12, (4032, 3024), 800), (48, (8064, 6048), 1200)):
        large = cv2.resize(image, (width, height), interpolation=cv2.INTER_CUBIC)
        data = bytes(cv2.imencode(".jpg", large)[1].tobytes())
        reader.read(data)
        times, own = [], []
        for _ in range(count):
            start, used = time.perf_counter(), time.process_time()
            reader.read(data)
            times.append(1000 * (time.perf_counter() - start))
            own.append(1000 * (time.process_time() - used))
        name = f"{megapixels} megapixels"
        yield Figure(f"{name}: p50 of {count}", statistics.median(times), most, "ms")
        yield Figure(f"{name}: p95", float(np.percentile(times, 95)), most, "ms")
        yield Figure(f"{name}: median of processor time", statistics.median(own), most, "ms")


def readings(_: int) -> Iterator[Figure]:
    """Our own photos of stones, untaught: what is right, and whether it is said to be sure."""
    reader = open_reader(open_board("stones"), None, None)
    wrong, cells, sure, silent = 0, 0, 0, 0
    for one in json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))["photos"]:
        words = one["text"].replace(" / ", " ").split()
        reading = reader.read((PHOTOS / one["photo"]).read_bytes())
        for cell, word in zip(reading.cells, words, strict=True):
            cells += 1
            sure += cell.sure
            wrong += cell.label != word
            silent += cell.sure and cell.label != word
    yield Figure(f"of {cells} cells wrong", wrong, 0)
    yield Figure(f"of {sure} sure cells wrong", silent, 0)

"""Pictures: large, small and many photos on every route that decodes, from many devices."""

import io
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from PIL import Image

from attacks.harness import Answer, Figure, Guest, Target
from webapp.bundled import demo_names, demo_photo

LARGE_WH, LOSSLESS_WH, CLEAR_WH = (8800, 6700), (8400, 6100), (7700, 5800)
"""Largest that is read: 59 megapixels, 51 as lossless WebP, 45 with transparency or CMYK."""
DEVICES = 6
LEAST_EDITS = 20
"""Of fewer no p95 can be told; all together are told at the end."""
LONGEST_ANSWER_SECONDS = 45.0


def attack(target: Target) -> Iterator[Figure]:
    devices = [Device(target, f"127.0.0.{2 + i % 3}") for i in range(DEVICES)]
    quiet = Device(target, "127.0.0.9")
    kinds = pictures()
    photo = demo_photo(demo_names("stones")[0])
    assert photo
    padded = photo + b"\0" * (24_000_000 - len(photo))
    waits: list[float] = []
    status: Counter[int] = Counter()

    def crowd(name: str, tasks: list[Callable[[], Answer]]) -> Iterator[Figure]:
        target.peak_mb, before = 0.0, target.peak_mb
        edits = len(target.edit_ms)
        threads = [threading.Thread(target=_timed, args=(task, waits, status)) for task in tasks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        waited = sorted(target.edit_ms[edits:])
        yield Figure(f"{name}: memory", target.peak_mb, 700, "MB")
        if len(waited) >= LEAST_EDITS:
            p95 = waited[int(len(waited) * 0.95)]
            yield Figure(f"{name}: p95 of {len(waited)} edits", p95, 300, "ms")
        target.peak_mb = max(before, target.peak_mb)

    def each(times: int, ask: Callable[[Device], Answer]) -> list[Callable[[], Answer]]:
        return [lambda device=devices[i % DEVICES]: ask(device) for i in range(times)]  # type: ignore[misc]

    for kind, data in kinds.items():
        yield from crowd(f"4 of {kind}", each(4, lambda device, data=data: device.read(data)))  # type: ignore[misc]
    yield from crowd("30 lossy WebP", each(30, lambda device: device.read(kinds["lossy WebP"])))
    yield from crowd("40 uploads of 24 MB", each(40, lambda device: device.read(padded)))
    yield from crowd("80 small PNGs", each(80, lambda device: device.look(kinds["small PNG"])))
    large = kinds["progressive JPEG"]
    yield from crowd("6 calibrations", each(6, lambda device: device.calibrate([large] * 12)))
    yield from crowd("12 lessons", each(12, lambda device: device.teach([large] * 8)))
    mix = [
        task
        for tasks in zip(
            each(8, lambda device: device.read(kinds["lossy WebP"])),
            each(8, lambda device: device.keep(photo)),
            each(8, lambda device: device.look(photo)),
            each(8, lambda device: device.cards(photo)),
            each(8, lambda device: device.calibrate([kinds["lossy WebP"]] * 12)),
            each(8, lambda device: device.teach([photo] * 8)),
            strict=True,
        )
        for task in tasks
    ]
    own: list[float] = []
    answers: Counter[int] = Counter()

    def read_now_and_then() -> Answer:
        for _ in range(4):
            time.sleep(1)
            _timed(lambda: quiet.keep(photo), own, answers)
        return quiet.read(photo)

    yield from crowd("a mix", [*mix, read_now_and_then])
    yield Figure("photos of a quiet phone that are not read meanwhile", 4 - answers[201], 0)
    yield Figure("longest wait of that phone", max(own), LONGEST_ANSWER_SECONDS / 2, "s")
    yield Figure("longest answer", max(waits), LONGEST_ANSWER_SECONDS, "s")
    yield Figure("requests without an answer", status[0], 0)
    start = time.monotonic()
    served = devices[0].read(photo).status == 200
    yield Figure("a photo afterwards", time.monotonic() - start if served else float("inf"), 5, "s")


class Device:
    """A guest with a table of its own."""

    def __init__(self, target: Target, address: str) -> None:
        self.guest = Guest(target, address).greet()
        self.code = self.guest.start("stones")

    def read(self, data: bytes) -> Answer:
        return self.guest.send_files("/api/read", [("photo", data)])

    def look(self, data: bytes) -> Answer:
        return self.guest.send_files(f"/api/games/{self.code}/look", [("photo", data)])

    def keep(self, data: bytes) -> Answer:
        return self.guest.send_files(f"/api/games/{self.code}/photos", [("photo", data)])

    def cards(self, data: bytes) -> Answer:
        return self.guest.send_files(f"/api/games/{self.code}/cards", [("photo", data)])

    def calibrate(self, photos: list[bytes]) -> Answer:
        return self.guest.send_files(
            "/teach/camera/new", [("photo", one) for one in photos], {"name": "c"}
        )

    def teach(self, photos: list[bytes]) -> Answer:
        layout = "sun fish fish / horse horse horse / seed seed seed"
        fields = [("layout", layout)] * len(photos)
        files = [("photo", one) for one in photos]
        return self.guest.send_files("/teach/stones/look", files, fields)


def pictures() -> dict[str, bytes]:
    """Pictures that cost much to decode, of every kind that is read."""
    image, lossless, clear = (_drawn(*size) for size in (LARGE_WH, LOSSLESS_WH, CLEAR_WH))
    four = clear.convert("CMYK")
    clear.putalpha(200)
    small = Image.fromarray(np.full((600, 800, 3), 180, np.uint8))
    return {
        "lossy WebP": _encoded(image, "WEBP", quality=10, method=0),
        "lossless WebP": _encoded(lossless, "WEBP", lossless=True, quality=0, method=0),
        "clear WebP": _encoded(clear, "WEBP", quality=10, method=0),
        "PNG": _encoded(image, "PNG", compress_level=1),
        "clear PNG": _encoded(clear, "PNG", compress_level=1),
        "progressive JPEG": _encoded(image, "JPEG", progressive=True, quality=10, subsampling=0),
        "progressive CMYK JPEG": _encoded(four, "JPEG", progressive=True, quality=10),
        "small PNG": _encoded(small, "PNG"),
    }


def _drawn(width: int, height: int) -> Image.Image:
    down = np.linspace(0, 255, height, dtype=np.uint8)[:, None]
    across = np.linspace(0, 255, width, dtype=np.uint8)[None]
    return Image.merge("RGB", [Image.fromarray(down ^ across)] * 3)


def _encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def _timed(ask: Callable[[], Answer], waits: list[float], status: Counter[int]) -> None:
    start = time.monotonic()
    status[ask().status] += 1
    waits.append(time.monotonic() - start)

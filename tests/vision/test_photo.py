"""Decoding: which files are read or refused, the time and memory it takes, and the result.

Run as a script, this file measures refusals and mutations in a process of its own. There a crash
of a decoder is noticed, and the peak of the memory is that of the decoder.
"""

import io
import json
import os
import struct
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageOps

import vision.photo
from vision.errors import PhotoRejected
from vision.photo import Photo, decode_photo

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 1.0
MOST_MEMORY_MB = 300
MUTATIONS = 2000


# --- files made in memory ---


def noise(h: int, w: int, seed: int = 1) -> npt.NDArray[np.uint8]:
    """A smooth picture without any symmetry."""
    small = np.random.default_rng(seed).integers(0, 256, (5, 7, 3), np.uint8)
    return np.asarray(Image.fromarray(small).resize((w, h), Image.Resampling.BICUBIC))


def encode(picture: npt.NDArray[np.uint8] | Image.Image, kind: str, **options: Any) -> bytes:
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def exif(orientation: int) -> bytes:
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags.tobytes()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(
    w: int,
    h: int,
    pixels: bytes,
    *,
    depth: int = 8,
    colour: int = 0,
    extra: bytes = b"",
    end: bool = True,
) -> bytes:
    """A PNG from its filtered, zlib-compressed rows."""
    ihdr = chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + ihdr
        + extra
        + chunk(b"IDAT", pixels)
        + (chunk(b"IEND", b"") if end else b"")
    )


def zlib_zeros(count: int) -> bytes:
    """What zlib makes of *count* zero bytes, without touching each of them."""
    block = 1_000_000
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflate.compress(bytes(block))
    deflate.flush(zlib.Z_FULL_FLUSH)
    once = deflate.compress(bytes(block)) + deflate.flush(zlib.Z_FULL_FLUSH)
    last = zlib.compressobj(9, zlib.DEFLATED, -15)
    tail = last.compress(bytes(count % block)) + last.flush()
    return b"\x78\xda" + once * (count // block) + tail + struct.pack(">HH", count % 65521, 1)


def small_png() -> bytes:
    return encode(noise(48, 64), "PNG")


def jpeg_claiming(w: int, h: int) -> bytes:
    """A JPEG whose frame header claims a size; the rest is that of a small picture."""
    data = bytearray(encode(noise(48, 64), "JPEG"))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", h, w)
    return bytes(data)


def png_with_length(length: int) -> bytes:
    data = bytearray(small_png())
    at = data.index(b"IDAT") - 4
    data[at : at + 4] = struct.pack(">I", length)
    return bytes(data)


def many_scans() -> bytes:
    """A progressive JPEG that repeats its last scan a thousand times."""
    data = encode(noise(48, 64), "JPEG", progressive=True)
    scan = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + scan * 1000 + b"\xff\xd9"


def box(brand: bytes, also: bytes = b"mif1heic") -> bytes:
    return struct.pack(">I", 24) + b"ftyp" + brand + bytes(4) + also + bytes(2000)


REFUSED: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    # name: (code, what the sentence must say, file)
    "empty": ("empty", "empty", lambda: b""),
    "text renamed .jpg": (
        "not_an_image",
        "text",
        lambda: b"This is a shopping list: milk, eggs.\n" * 20,
    ),
    "pdf": ("not_an_image", "PDF", lambda: b"%PDF-1.7\n" + bytes(500)),
    "zip": ("not_an_image", "archive", lambda: b"PK\3\4" + bytes(500)),
    "video": ("not_an_image", "video", lambda: box(b"isom")),
    "junk": ("not_an_image", "not a photo", lambda: np.random.default_rng(5).bytes(5000)),
    "heic": ("unsupported_type", "HEIC", lambda: box(b"heic")),
    "heif": ("unsupported_type", "HEIC", lambda: box(b"heif")),
    "avif": ("unsupported_type", "AVIF", lambda: box(b"avif")),
    "avif among others": ("unsupported_type", "AVIF", lambda: box(b"mif1", b"mif1avif")),
    "raw file": ("unsupported_type", "raw file", lambda: box(b"crx ", b"crx isom")),
    "gif": ("unsupported_type", "GIF", lambda: encode(noise(48, 64), "GIF")),
    "bmp": ("unsupported_type", "BMP", lambda: encode(noise(48, 64), "BMP")),
    "tiff": ("unsupported_type", "TIFF", lambda: encode(noise(48, 64), "TIFF")),
    "1x1 png": ("too_small", "1 x 1", lambda: encode(noise(1, 1), "PNG")),
    "1x1 jpeg": ("too_small", "1 x 1", lambda: encode(noise(1, 1), "JPEG")),
    "15 px high": ("too_small", "64 x 15", lambda: encode(noise(15, 64), "JPEG")),
    "26 MB": ("file_too_large", "26 MB", lambda: encode(noise(48, 64), "JPEG") + bytes(26_000_000)),
    "one byte too many": (
        "file_too_large",
        "26 MB and at most 25",
        lambda: b"\xff\xd8\xff" + bytes(24_999_998),
    ),
    "900 MP png": (
        "too_many_pixels",
        "30000",
        lambda: png(30_000, 30_000, zlib_zeros(30_000 * 30_001)),
    ),
    "65500 x 65500 jpeg": ("too_many_pixels", "65500", lambda: jpeg_claiming(65_500, 65_500)),
    "1 px x 10 M px": (
        "too_many_pixels",
        "10000000",
        lambda: png(1, 10_000_000, zlib_zeros(20_000_000)),
    ),
    "16-bit transparent 59 MP": (
        "too_many_pixels",
        "at most 22 megapixels",
        lambda: png(8_000, 7_375, zlib_zeros(8_001 * 7_375), depth=16, colour=6),
    ),
    "transparent 59 MP": (
        "too_many_pixels",
        "at most 45 megapixels",
        lambda: png(8_000, 7_375, zlib_zeros(4 * 8_001 * 7_375), colour=6),
    ),
    "lossless webp of 59 MP": (
        "too_many_pixels",
        "at most 51 megapixels",
        lambda: encode(Image.new("RGB", (8_000, 7_375)), "WEBP", lossless=True, method=0),
    ),
    "progressive jpeg of 59 MP in four colours": (
        "too_many_pixels",
        "at most 45 megapixels",
        lambda: encode(Image.new("CMYK", (8_000, 7_375)), "JPEG", progressive=True),
    ),
    "png with 4 GB chunk": ("damaged", "damaged", lambda: png_with_length(0xFFFFFFFF)),
    "png with 2 GB chunk": ("incomplete", "ends too early", lambda: png_with_length(0x7FFFFFFF)),
    "png without end": ("incomplete", "ends too early", lambda: small_png()[:-12]),
    "png without pixels": ("damaged", "damaged", lambda: png(64, 48, b"")),
    "png with few pixels": ("damaged", "damaged", lambda: png(7_000, 8_000, zlib_zeros(5_000))),
    "png of 2 M chunks": (
        "damaged",
        "damaged",
        lambda: small_png()[:33] + chunk(b"tEXt", b"") * 1_900_000,
    ),
    "animated png": (
        "animated",
        "animated",
        lambda: encode(
            noise(48, 64), "PNG", save_all=True, append_images=[Image.fromarray(noise(48, 64, 2))]
        ),
    ),
    "animated webp": (
        "animated",
        "animated",
        lambda: encode(
            noise(48, 64), "WEBP", save_all=True, append_images=[Image.fromarray(noise(48, 64, 2))]
        ),
    ),
    "jpeg start only": ("incomplete", "ends too early", lambda: b"\xff\xd8\xff"),
    "jpeg cut at a third": (
        "incomplete",
        "ends too early",
        lambda: cut(encode(noise(480, 640), "JPEG"), 0.33),
    ),
    "jpeg cut at 99.9 %": (
        "incomplete",
        "ends too early",
        lambda: cut(encode(noise(480, 640), "JPEG"), 0.999),
    ),
    "jpeg without its end": (
        "incomplete",
        "ends too early",
        lambda: encode(noise(480, 640), "JPEG")[:-2],
    ),
    "jpeg cut at a third and ended": (
        "damaged",
        "file is damaged",
        lambda: cut(encode(noise(480, 640), "JPEG"), 0.33) + b"\xff\xd9",
    ),
    "large jpeg cut at nine tenths and ended": (
        "damaged",
        "file is damaged",
        lambda: cut(encode(noise(3_200, 4_001), "JPEG"), 0.9) + b"\xff\xd9",
    ),
    "progressive jpeg cut": (
        "incomplete",
        "ends too early",
        lambda: cut(encode(noise(480, 640), "JPEG", progressive=True), 0.7),
    ),
    "59 MP jpeg cut": ("incomplete", "ends too early", lambda: jpeg_claiming(8_000, 7_375)[:-100]),
    "jpeg of 6 M segments": (
        "damaged",
        "damaged",
        lambda: b"\xff\xd8" + b"\xff\xfe\0\2" * 6_000_000 + b"\xff\xd9",
    ),
    "jpeg of 25 MB fill bytes": (
        "incomplete",
        "ends too early",
        lambda: b"\xff\xd8" + b"\xff" * 24_000_000,
    ),
    "jpeg of a thousand scans": ("damaged", "damaged", many_scans),
    "jpeg without a picture": ("damaged", "damaged", lambda: b"\xff\xd8\xff\xd9"),
    "webp cut": ("incomplete", "ends too early", lambda: cut(encode(noise(480, 640), "WEBP"), 0.5)),
    "webp without pixels": (
        "damaged",
        "damaged",
        lambda: b"RIFF" + struct.pack("<I", 40) + b"WEBP" + bytes(40),
    ),
}


def cut(data: bytes, share: float) -> bytes:
    return data[: int(len(data) * share)]


# --- the worker in a process of its own ---


def peak_memory_mb() -> float:
    """Most memory this process ever had.

    ``ru_maxrss`` would count the parent's, which survives an exec.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no VmHWM line")


def measure_files(folder: Path) -> dict[str, Any]:
    """Decode each file of a folder: the result, the time, the peak memory after it."""
    results = {}
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        started = time.process_time()
        try:
            decode_photo(data)
        except PhotoRejected as refusal:
            outcome = [refusal.code, refusal.message]
        else:
            outcome = ["decoded", ""]
        results[path.name] = [*outcome, time.process_time() - started, peak_memory_mb()]
    return results


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """One to four random injuries."""
    hurt = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        at = int(rng.integers(0, max(1, len(hurt) if rng.random() < 0.5 else min(len(hurt), 120))))
        match int(rng.integers(0, 7)):
            case 0:
                hurt[at : at + 1] = rng.bytes(1)
            case 1:
                hurt[at : at + 4] = b"\xff\xff\xff\xff"
            case 2:
                hurt[at : at + 2] = struct.pack(">H", int(rng.integers(0, 65536)))
            case 3:
                del hurt[at : at + int(rng.integers(1, 50))]
            case 4:
                hurt[at:at] = rng.bytes(int(rng.integers(1, 50)))
            case 5:
                del hurt[max(at, 10) :]
            case _:
                length = int(rng.integers(1, 200))
                hurt[at:at] = hurt[at : at + length]
    return bytes(hurt)


def measure_mutations(count: int) -> dict[str, Any]:
    """Decode injured files. Whatever is not PhotoRejected ends the worker, and so the test."""
    picture = noise(48, 64)
    with_alpha = np.dstack([picture, picture[:, :, :1]])
    seeds = [
        encode(picture, "JPEG", exif=exif(6)),
        encode(picture, "JPEG", progressive=True),
        encode(picture, "JPEG", restart_marker_blocks=2),
        encode(Image.fromarray(picture).convert("CMYK"), "JPEG"),
        encode(picture, "PNG", exif=exif(8)),
        encode(Image.fromarray(picture).quantize(16), "PNG", transparency=3),
        encode(with_alpha, "PNG"),
        encode(picture, "WEBP", exif=exif(3)),
        encode(with_alpha, "WEBP"),
        encode(with_alpha, "WEBP", lossless=True),
    ]
    rng = np.random.default_rng(20)
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for turn in range(count):
        data = mutate(seeds[turn % len(seeds)], rng)
        started = time.process_time()
        try:
            photo = decode_photo(data, least_long_side=20)
        except PhotoRejected as refusal:
            outcomes[refusal.code] += 1
        else:
            assert photo.image_bgr.dtype == np.uint8
            assert photo.image_bgr.ndim == 3
            outcomes["decoded"] += 1
        slowest = max(slowest, time.process_time() - started)
    return {"outcomes": outcomes, "slowest": slowest, "peak_mb": peak_memory_mb()}


def run_worker(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    result: dict[str, Any] = json.loads(done.stdout)
    return result


# --- refusals ---


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("refused")
    for name, (_, _, make) in REFUSED.items():
        (folder / name).write_bytes(make())
    return run_worker("files", str(folder))


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_one_sentence_in_time_and_memory(name: str, refusals: dict[str, Any]) -> None:
    expected_code, words, _ = REFUSED[name]
    code, message, seconds, peak_mb = refusals[name]
    assert code == expected_code, message
    assert words in message
    assert message[0].isupper()
    assert message.endswith(".")
    assert ". " not in message
    assert "please" in message
    assert seconds < MOST_SECONDS
    assert peak_mb < MOST_MEMORY_MB


def test_every_code_is_documented() -> None:
    codes = {code for code, _, _ in REFUSED.values()}
    assert vision.photo.__doc__ is not None
    assert all(f"``{code}``" in vision.photo.__doc__ for code in codes)


def test_injured_files_are_refused_or_decoded_and_nothing_else() -> None:
    result = run_worker("mutations", str(MUTATIONS))
    assert sum(result["outcomes"].values()) == MUTATIONS
    assert result["outcomes"]["decoded"] > MUTATIONS / 20
    assert result["slowest"] < MOST_SECONDS
    assert result["peak_mb"] < MOST_MEMORY_MB


def test_text_that_unfolds_to_gigabytes_is_never_unfolded() -> None:
    body = zlib.compress(bytes(7_900_000), 9)
    extra = b"".join(chunk(b"zTXt", b"k%d\0\0" % number + body) for number in range(400))
    pixels = zlib.compress(bytes(65 * 48))
    started = time.process_time()
    photo = decode_photo(png(64, 48, pixels, extra=extra))
    assert time.process_time() - started < MOST_SECONDS
    assert photo.full_hw == (48, 64)


def test_the_second_lock_is_set_before_opencv_is_imported() -> None:
    assert int(os.environ["OPENCV_IO_MAX_IMAGE_PIXELS"]) == vision.photo.MAX_PIXELS


# --- what is read, and how ---

PICTURE = noise(120, 200)


def differ(photo: Photo, picture: npt.NDArray[np.uint8]) -> float:
    """Mean difference of a photo from an RGB picture, in grey levels."""
    assert photo.image_bgr.dtype == np.uint8
    assert photo.image_bgr.shape == picture.shape
    return float(np.abs(photo.image_bgr[:, :, ::-1].astype(int) - picture).mean())


def as_grey(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.asarray(Image.fromarray(picture).convert("L").convert("RGB"))


READ: dict[str, tuple[bytes, npt.NDArray[np.uint8], float]] = {
    # name: (file, expected RGB, most mean difference)
    "jpeg": (encode(PICTURE, "JPEG", quality=95), PICTURE, 2),
    "progressive jpeg": (encode(PICTURE, "JPEG", quality=95, progressive=True), PICTURE, 2),
    "restart markers": (encode(PICTURE, "JPEG", quality=95, restart_marker_blocks=3), PICTURE, 2),
    "grey jpeg": (
        encode(Image.fromarray(PICTURE).convert("L"), "JPEG", quality=95),
        as_grey(PICTURE),
        2,
    ),
    "cmyk jpeg": (encode(Image.fromarray(PICTURE).convert("CMYK"), "JPEG", quality=95), PICTURE, 3),
    "padded jpeg": (encode(PICTURE, "JPEG", quality=95) + bytes(4096), PICTURE, 2),
    "jpeg with thumbnail": (
        encode(PICTURE, "JPEG", quality=95, comment=encode(noise(16, 16), "JPEG")),
        PICTURE,
        2,
    ),
    "multi-picture jpeg": (
        encode(
            PICTURE,
            "MPO",
            quality=95,
            save_all=True,
            append_images=[Image.fromarray(noise(40, 40))],
        ),
        PICTURE,
        2,
    ),
    "multi-picture jpeg cut in the second": (
        encode(
            PICTURE,
            "MPO",
            quality=95,
            save_all=True,
            append_images=[Image.fromarray(noise(80, 80))],
        )[:-50],
        PICTURE,
        2,
    ),
    "png": (encode(PICTURE, "PNG"), PICTURE, 0),
    "grey png": (encode(Image.fromarray(PICTURE).convert("L"), "PNG"), as_grey(PICTURE), 0),
    "16-bit grey png": (
        encode(np.full((40, 50), 0x8080, np.uint16), "PNG"),
        np.full((40, 50, 3), 0x80, np.uint8),
        0.1,
    ),
    "palette png": (
        encode(Image.fromarray(PICTURE).quantize(64), "PNG"),
        np.asarray(Image.fromarray(PICTURE).quantize(64).convert("RGB")),
        0,
    ),
    "black and white png": (
        encode(Image.new("1", (50, 40), 1), "PNG"),
        np.full((40, 50, 3), 255, np.uint8),
        0,
    ),
    "opaque alpha png": (
        encode(np.dstack([PICTURE, np.full((120, 200), 255, np.uint8)]), "PNG"),
        PICTURE,
        0,
    ),
    "clear alpha png": (
        encode(np.dstack([PICTURE, np.zeros((120, 200), np.uint8)]), "PNG"),
        np.full((120, 200, 3), 255, np.uint8),
        0,
    ),
    "half alpha png": (
        encode(Image.new("RGBA", (50, 40), (200, 100, 0, 51)), "PNG"),
        np.full((40, 50, 3), (244, 224, 204), np.uint8),
        0,
    ),
    "16-bit alpha png": (
        png(
            20,
            18,
            zlib.compress((b"\0" + b"\x40\x40\x80\x80\xc0\xc0\xff\xff" * 20) * 18),
            depth=16,
            colour=6,
        ),
        np.full((18, 20, 3), (0x40, 0x80, 0xC0), np.uint8),
        0.1,
    ),
    "transparent palette png": (
        encode(Image.new("P", (50, 40), 0), "PNG", transparency=0),
        np.full((40, 50, 3), 255, np.uint8),
        0,
    ),
    "webp": (encode(PICTURE, "WEBP", quality=95), PICTURE, 4),
    "lossless webp": (encode(PICTURE, "WEBP", lossless=True), PICTURE, 0),
    "alpha webp": (
        encode(np.dstack([PICTURE, np.zeros((120, 200), np.uint8)]), "WEBP"),
        np.full((120, 200, 3), 255, np.uint8),
        0,
    ),
    "webp with padding": (encode(PICTURE, "WEBP", lossless=True) + bytes(100), PICTURE, 0),
}


@pytest.mark.parametrize("name", READ)
def test_read_as_three_channels(name: str) -> None:
    data, expected, most = READ[name]
    photo = decode_photo(data)
    assert photo.full_hw == expected.shape[:2]
    assert photo.scale == 1
    assert differ(photo, expected) <= most


STORED_FROM_UPRIGHT: dict[int, Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.uint8]]] = {
    1: lambda upright: upright,
    2: lambda upright: upright[:, ::-1],
    3: lambda upright: upright[::-1, ::-1],
    4: lambda upright: upright[::-1],
    5: lambda upright: upright.transpose(1, 0, 2),
    6: lambda upright: np.rot90(upright, 1),
    7: lambda upright: upright[::-1, ::-1].transpose(1, 0, 2),
    8: lambda upright: np.rot90(upright, -1),
}
FORMATS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 100, "subsampling": 0},
    "PNG": {},
    "WEBP": {"lossless": True},
}


def stored(upright: npt.NDArray[np.uint8], kind: str, orientation: int) -> bytes:
    turned = np.ascontiguousarray(STORED_FROM_UPRIGHT[orientation](upright))
    return encode(turned, kind, exif=exif(orientation), **FORMATS[kind])


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("orientation", STORED_FROM_UPRIGHT)
def test_upright_whatever_the_camera_wrote(kind: str, orientation: int) -> None:
    data = stored(PICTURE, kind, orientation)
    photo = decode_photo(data)
    assert photo.full_hw == PICTURE.shape[:2]
    assert differ(photo, PICTURE) <= (1 if kind == "JPEG" else 0)
    by_pillow = ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")
    assert differ(photo, np.asarray(by_pillow)) <= (1 if kind == "JPEG" else 0)


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
@pytest.mark.parametrize("orientation", STORED_FROM_UPRIGHT)
def test_upright_with_transparency_too(kind: str, orientation: int) -> None:
    with_alpha = np.dstack([PICTURE, np.full(PICTURE.shape[:2], 255, np.uint8)])
    assert differ(decode_photo(stored(with_alpha, kind, orientation)), PICTURE) == 0


@pytest.mark.parametrize(
    "block", [b"", b"II*\0", b"MM\0*\0\0\0\x08", exif(6)[:-8], exif(9), exif(0), b"\xff" * 40]
)
def test_unreadable_orientation_means_as_stored(block: bytes) -> None:
    data = encode(PICTURE, "JPEG", exif=b"Exif\0\0" + block.removeprefix(b"Exif\0\0"))
    assert decode_photo(data).full_hw == PICTURE.shape[:2]


@pytest.mark.parametrize(
    ("long_side", "least", "scale"),
    [
        (400, 1600, 1),
        (400, 201, 1),
        (400, 200, 2),
        (400, 101, 2),
        (400, 100, 4),
        (400, 50, 8),
        (400, 1, 8),
    ],
)
@pytest.mark.parametrize("kind", FORMATS)
def test_decoded_no_larger_than_needed(kind: str, long_side: int, least: int, scale: int) -> None:
    photo = decode_photo(encode(noise(300, long_side), kind), least)
    assert photo.scale == scale
    assert photo.full_hw == (300, long_side)
    assert photo.image_bgr.shape[1] == long_side // scale
    assert photo.format == kind.lower()


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("scale", [1, 2, 4, 8])
@pytest.mark.parametrize("orientation", STORED_FROM_UPRIGHT)
def test_points_map_to_the_full_photo_exactly(kind: str, scale: int, orientation: int) -> None:
    """A spot at a known place is found there, whatever the turn and odd sizes."""
    centre_xy = np.array([141.0, 83.0])
    y, x = np.mgrid[:203, :319]
    disc = np.exp(-((x - centre_xy[0]) ** 2 + (y - centre_xy[1]) ** 2) / (2 * 20.0**2))
    upright = np.repeat((255 * disc).astype(np.uint8)[:, :, None], 3, axis=2)
    photo = decode_photo(stored(upright, kind, orientation), 319 // scale)
    assert photo.scale == scale
    weight = photo.image_bgr[:, :, 0].astype(float)
    rows, cols = np.mgrid[: weight.shape[0], : weight.shape[1]]
    found_xy = np.array([(weight * cols).sum(), (weight * rows).sum()]) / weight.sum()
    assert np.abs(photo.to_full(found_xy) - centre_xy).max() < 0.25
    assert np.abs(photo.from_full(photo.to_full(found_xy)) - found_xy).max() < 1e-3


if __name__ == "__main__":
    task, argument = sys.argv[1:]
    report = measure_files(Path(argument)) if task == "files" else measure_mutations(int(argument))
    print(json.dumps(report))

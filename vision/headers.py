"""Walks a photo's bytes piece by piece before any decoder sees them.

Decoders believe headers: a chunk length of 4 GB in a PNG of 2 kB is allocated in full, and a PNG
of 100 kB may unfold to 900 megapixels.
"""

import re
import struct
from dataclasses import dataclass
from typing import Literal

from scorer.text import Text
from vision.errors import PhotoRejected

PhotoFormat = Literal["jpeg", "png", "webp"]

MAX_BYTES = 25_000_000
"""Largest file that is looked at."""
MAX_PIECES = 20_000
"""Most chunks or segments of a file; photos have tens, a finely cut 25 MB PNG some thousands."""
MAX_JPEG_SCANS = 64
"""Most scans of a progressive JPEG: each is a pass over all pixels, and cameras write ten."""

_JPEG_MARKER = re.compile(rb"\xff([^\x00\xff\xd0-\xd7\x01])")
_JPEG_SOF = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_EXIF_HEADER = b"Exif\0\0"
_ORIENTATION_TAG = 0x0112
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PNG_PIXEL_CHUNKS = frozenset((b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"))
_PNG_ANIMATION_CHUNKS = frozenset((b"acTL", b"fcTL", b"fdAT"))


@dataclass(frozen=True, slots=True)
class Header:
    """What the walk over a file found out before decoding it."""

    format: PhotoFormat
    width: int
    height: int
    orientation: int
    has_alpha: bool
    bytes_per_pixel: int  # that the decoder takes; those of PNG and WebP hold the picture twice
    decodable: bytes


def examine(data: bytes) -> Header:
    """Walk the file undecoded; raises PhotoRejected unless it is a whole JPEG, PNG or WebP."""
    if not data:
        raise PhotoRejected("empty", "The file is empty, please send the photo again.")
    if len(data) > MAX_BYTES:
        most = MAX_BYTES // 10**6
        raise PhotoRejected(
            "file_too_large",
            "The file has %(size)s MB and at most %(most)s MB are read, please "
            "send a smaller version of the photo.",
            size=max(round(len(data) / 1e6), most + 1),  # never rounded to what is read
            most=most,
        )
    if data.startswith(b"\xff\xd8\xff"):
        return _walk_jpeg(data)
    if data.startswith(_PNG_SIGNATURE):
        return _walk_png(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _walk_webp(data)
    raise _refuse_other(data)


def _refuse_other(data: bytes) -> PhotoRejected:
    """The refusal for bytes of no known format, naming what they are if possible."""
    for start, name, advice in _OTHER_IMAGES:
        if re.match(start, data, re.DOTALL):
            return PhotoRejected(
                "unsupported_type",
                "This is %(name)s, which is not read, please %(advice)s.",
                name=name,
                advice=advice,
            )
    for start, name in _OTHER_FILES:
        if re.match(start, data, re.DOTALL):
            return PhotoRejected(
                "not_an_image",
                "This is %(name)s and not a photo, please send a JPEG, PNG or WebP photo.",
                name=name,
            )
    if any(magic.startswith(data) for magic in (b"\xff\xd8\xff", _PNG_SIGNATURE)):
        return _incomplete()
    sample = data[:512].removeprefix(b"\xef\xbb\xbf")
    if all(byte in b"\t\n\r\f" or byte >= 0x20 for byte in sample):
        try:
            sample.decode("utf-8")
        except UnicodeDecodeError as error:
            is_text = error.start >= len(sample) - 3  # only a character cut in two by the sampling
        else:
            is_text = True
        if is_text:
            return PhotoRejected(
                "not_an_image",
                "This is text and not a photo, please send a JPEG, PNG or WebP photo.",
            )
    return PhotoRejected(
        "not_an_image", "This is not a photo, please send a JPEG, PNG or WebP photo."
    )


_AS_JPEG = Text("send it as JPEG")
_IPHONE = Text("send it as JPEG (on an iPhone: Settings, Camera, Formats, Most Compatible)")
_OTHER_IMAGES = (
    (rb".{4}ftyp(avi[fs]|m[is](f1|af).{4,32}avi[fs])", Text("an AVIF image"), _AS_JPEG),
    (rb".{4}ftyp(hei[cxmsf]|hev[cx]|m[is]f1|miaf)", Text("a HEIC photo"), _IPHONE),
    (rb"GIF8[79]a", Text("a GIF image"), _AS_JPEG),
    (rb"II[*+]\0|MM\0[*+]|.{4}ftypcrx ", Text("a TIFF image or a camera's raw file"), _AS_JPEG),
    (rb"\xff\x0a|\0\0\0\x0cJXL \r\n\x87\n", Text("a JPEG XL image"), _AS_JPEG),
    (rb"\0\0\0\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51", Text("a JPEG 2000 image"), _AS_JPEG),
    (rb"8BPS", Text("a Photoshop file"), _AS_JPEG),
    (rb"<svg", Text("an SVG drawing"), _AS_JPEG),
    (rb"BM.{12}[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0", Text("a BMP image"), _AS_JPEG),
)
"""Refused formats: how their files start, the name with its article, what to do."""
_OTHER_FILES = (
    (rb"%PDF-", Text("a PDF document")),
    (rb"PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!", Text("an archive")),
    (rb".{4}ftyp|\x1a\x45\xdf\xa3|.{8}AVI ", Text("a video")),
    (rb".{8}WAVE|ID3|OggS|fLaC", Text("a sound file")),
)


def _incomplete() -> PhotoRejected:
    return PhotoRejected(
        "incomplete", "The photo's file ends too early: please copy or send it again."
    )


def damaged() -> PhotoRejected:
    return PhotoRejected(
        "damaged", "The photo's file is damaged, please take or send the photo again."
    )


def _walk_jpeg(data: bytes) -> Header:
    """Follow the markers of a JPEG up to its end marker.

    What comes behind it (padding, the second pictures of multi-picture files, a video) is left
    alone, and stray bytes between segments are skipped, as libjpeg does.
    """
    size: tuple[int, int, int] | None = None
    orientation = 0
    scans = 0
    at = 2
    for _ in range(MAX_PIECES):
        found = _JPEG_MARKER.search(data, at)
        if found is None:
            raise _incomplete()
        marker, at = found[1][0], found.end()
        if marker == 0xD9:
            break
        if marker == 0xD8:
            raise damaged()
        if at + 2 > len(data):
            raise _incomplete()
        (length,) = struct.unpack_from(">H", data, at)
        if length < 2:
            raise damaged()
        body = data[at + 2 : at + length]
        if len(body) < length - 2:
            raise _incomplete()
        at += length
        if marker in _JPEG_SOF:
            if size is not None or len(body) < 6:
                raise damaged()
            height, width, components = struct.unpack_from(">HHB", body, 1)
            size = (height, width, components)
        elif marker == 0xDA:
            scans += 1
            if size is None or scans > MAX_JPEG_SCANS:
                raise damaged()
        elif marker == 0xE1 and not orientation and body.startswith(_EXIF_HEADER):
            orientation = _exif_orientation(body)
    else:
        raise damaged()
    if size is None or not scans or 0 in size:
        raise damaged()
    height, width, components = size
    held = 2 if scans > 1 else 1  # coefficients of the whole picture are kept from scan to scan
    return Header("jpeg", width, height, orientation or 1, False, held * max(3, components), data)


def _walk_png(data: bytes) -> Header:
    """Follow the chunks of a PNG up to its end, keeping only those that make pixels.

    Text and colour profiles never reach the decoder: they may unfold to gigabytes and change no
    pixel.
    """
    kept = [_PNG_SIGNATURE]
    shape: tuple[int, int, int, int] | None = None
    orientation = 1
    has_transparency = has_pixels = False
    view = memoryview(data)
    at = len(_PNG_SIGNATURE)
    for _ in range(MAX_PIECES):
        if at + 12 > len(data):
            raise _incomplete()
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR" and length != 13:
            raise damaged()
        if not kind.isalpha() or length > 2**31 - 1:
            raise damaged()
        if kind in _PNG_ANIMATION_CHUNKS:
            raise PhotoRejected("animated", "This is an animated PNG, please send a still photo.")
        if length > len(data) - at - 12:
            raise _incomplete()
        if (kind == b"IHDR") != (shape is None):
            raise damaged()
        if shape is None:
            shape = _png_shape(data[at + 8 : at + 21])
        elif kind == b"eXIf":
            orientation = _exif_orientation(data[at + 8 : at + 8 + length])
        has_transparency |= kind == b"tRNS"
        has_pixels |= kind == b"IDAT" and length > 0
        if kind in _PNG_PIXEL_CHUNKS:
            kept.append(bytes(view[at : at + 12 + length]))
        at += 12 + length
        if kind == b"IEND":
            break
    else:
        raise damaged()
    if shape is None or not has_pixels:
        raise damaged()
    width, height, depth, colour = shape
    has_alpha = colour in (4, 6) or has_transparency
    bytes_per_pixel = 4 * max(1, depth // 8) if has_alpha else 3
    return Header("png", width, height, orientation, has_alpha, 2 * bytes_per_pixel, b"".join(kept))


def _png_shape(ihdr: bytes) -> tuple[int, int, int, int]:
    """Width, height, bit depth and colour type, if an IHDR chunk makes sense."""
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(
        ">IIBBBBB", ihdr
    )
    if (
        depth not in _PNG_DEPTHS.get(colour, ())
        or compression
        or filtering
        or interlace > 1
        or not width
        or not height
    ):
        raise damaged()
    return width, height, depth, colour


def _walk_webp(data: bytes) -> Header:
    """Follow the chunks of a WebP: lossy, lossless, or extended with one of them inside."""
    (riff_length,) = struct.unpack_from("<I", data, 4)
    end = 8 + riff_length
    if end > len(data):
        raise _incomplete()
    if end < 30:
        raise damaged()
    sizes: list[tuple[int, int]] = []
    orientation = 1
    has_alpha = has_pixels = is_lossless = False
    at = 12
    for _ in range(MAX_PIECES):
        if at + 8 > end:
            break
        kind, length = struct.unpack_from("<4sI", data, at)
        if length > end - at - 8:
            raise damaged()
        body = data[at + 8 : at + 8 + length]
        if kind in (b"ANIM", b"ANMF") or (kind == b"VP8X" and body[:1] and body[0] & 0x02):
            raise PhotoRejected("animated", "This is an animated WebP, please send a still photo.")
        if kind == b"VP8X":
            if length < 10 or sizes:
                raise damaged()
            has_alpha |= bool(body[0] & 0x10)
            sizes.append(
                (1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little"))
            )
        elif kind == b"VP8 " and not has_pixels:
            if length < 10 or body[3:6] != b"\x9d\x01\x2a":
                raise damaged()
            width, height = struct.unpack_from("<HH", body, 6)
            sizes.append((width & 0x3FFF, height & 0x3FFF))
            has_pixels = True
        elif kind == b"VP8L" and not has_pixels:
            if length < 5 or body[0] != 0x2F:
                raise damaged()
            bits = int.from_bytes(body[1:5], "little")
            sizes.append((1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)))
            has_alpha |= bool(bits >> 28 & 1)
            has_pixels = is_lossless = True
        elif kind == b"EXIF":
            orientation = _exif_orientation(body)
        at += 8 + length + (length & 1)
    else:
        raise damaged()
    if not has_pixels or len(set(sizes)) != 1 or 0 in sizes[0]:
        raise damaged()
    width, height = sizes[0]
    bytes_per_pixel = 8 if has_alpha else 7 if is_lossless else 6
    return Header("webp", width, height, orientation, has_alpha, bytes_per_pixel, data[:end])


def _exif_orientation(exif: bytes) -> int:
    """The orientation (1 to 8) named by an EXIF block; 1 if it names none or cannot be read.

    >>> _exif_orientation(b"II*\\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, 6, 0, 0))
    6
    >>> _exif_orientation(b"II*\\0 nonsense")
    1
    """
    tiff = exif.removeprefix(_EXIF_HEADER)
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None:
        return 1
    try:
        (ifd_at,) = struct.unpack_from(order + "I", tiff, 4)
        (entries,) = struct.unpack_from(order + "H", tiff, ifd_at)
        for entry in range(min(entries, 1000)):
            tag, kind, count, value = struct.unpack_from(
                order + "HHIH", tiff, ifd_at + 2 + 12 * entry
            )
            if tag == _ORIENTATION_TAG:
                return value if kind == 3 and count == 1 and 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1

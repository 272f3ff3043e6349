"""The bytes of a photo to upright pixels, refusing whatever cannot be decoded safely.

What a file says it is (name, declared type) is never asked; its bytes are. JPEG, PNG and WebP are walked
piece by piece before any decoder sees them, because decoders believe headers: a chunk length of 4 GB in a PNG
of 2 kB is allocated in full, and a PNG of 100 kB may unfold to 900 megapixels.

Orientation is applied here and not by OpenCV, whose versions differ: 4.12 turns JPEG and PNG but not WebP,
5.0 turns all three, and neither turns anything when it keeps an alpha channel.

Every refusal is a :class:`vision.errors.PhotoRejected` with one of these codes:

==================== ==================================================================
``empty``            no bytes
``not_an_image``     text, a document, a video, or bytes of no known kind
``unsupported_type`` an image, but HEIC, AVIF, GIF, BMP, TIFF or another unread kind
``animated``         an animated PNG or WebP
``cut_off``          the file ends too early
``damaged``          the structure or the pixels are broken
``file_too_large``   more than :data:`MAX_BYTES`
``too_many_pixels``  more than :data:`MAX_PIXELS`, :data:`MAX_SIDE_PX` or
                     :data:`MAX_DECODING_BYTES`
``too_small``        a side below :data:`MIN_SIDE_PX`
==================== ==================================================================
"""

import re
import struct
from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.errors import PhotoRejected

ImageBGR = npt.NDArray[np.uint8]
PhotoFormat = Literal["jpeg", "png", "webp"]

MAX_BYTES = 25_000_000
"""Largest file that is looked at."""
MAX_PIXELS = 60_000_000
"""Most pixels of the full-size photo: the 48 MP of a phone, with room to spare."""
MAX_SIDE_PX = 20_000
"""Longest side of the full-size photo."""
MIN_SIDE_PX = 16
"""Shortest side; below it no cell of any board has a pixel of its own."""
MAX_DECODING_BYTES = 6 * MAX_PIXELS
"""Most memory that a decoder takes; only files with transparency, of 16 bits or in four colours, and lossless WebP
reach it below MAX_PIXELS."""
MAX_PIECES = 20_000
"""Most chunks or segments in one file; a photo has tens, the finest-cut PNG of 25 MB a few thousand."""
MAX_JPEG_SCANS = 64
"""Most scans of a progressive JPEG. Cameras write about ten, and each costs a pass over every pixel."""
REDUCTIONS = (8, 4, 2)
"""By how much a decoded photo may be smaller than the full one, most first."""

_JPEG_FLAGS = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}
_JPEG_MARKER = re.compile(rb"\xff([^\x00\xff\xd0-\xd7\x01])")
_JPEG_SOF = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_EXIF_HEADER = b"Exif\0\0"
_ORIENTATION_TAG = 0x0112
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PNG_PIXEL_CHUNKS = frozenset((b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"))
_PNG_ANIMATION_CHUNKS = frozenset((b"acTL", b"fcTL", b"fdAT"))


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An upright photo, decoded no larger than needed.

    Attributes
    ----------
    image_bgr : ndarray of shape (h, w, 3), dtype uint8
        The pixels, EXIF orientation applied, transparency laid over white.
    full_hw : (height, width)
        Size of the upright full-size photo. Coordinates that leave this package are in its pixels.
    scale : float
        Full-size pixels per pixel of ``image_bgr``, the same on both axes: 1, 2, 4 or 8.
    format : {"jpeg", "png", "webp"}
        What the bytes were.
    offset_xy : (x, y)
        Where the outer corner of ``image_bgr`` lies in the full photo, in full-size pixels. Zero unless a
        side does not divide by ``scale`` and the photo was turned; then less than ``scale`` either way.
    """

    image_bgr: ImageBGR
    full_hw: tuple[int, int]
    scale: float
    format: PhotoFormat
    offset_xy: tuple[float, float] = (0.0, 0.0)

    def to_full(self, points_xy: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Points of ``image_bgr`` as points of the full-size photo; both have (0, 0) at a pixel's centre.

        >>> photo = Photo(np.zeros((4, 4, 3), np.uint8), (8, 8), 2.0, "png")
        >>> photo.to_full([[0, 0], [3, 3]]).tolist()
        [[0.5, 0.5], [6.5, 6.5]]
        """
        points = np.asarray(points_xy, np.float64)
        full: npt.NDArray[np.float64] = (points + 0.5) * self.scale + np.array(self.offset_xy) - 0.5
        return full.astype(np.float32)

    def from_full(self, points_xy: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Points of the full-size photo as points of ``image_bgr``; the inverse of :meth:`to_full`."""
        points = np.asarray(points_xy, np.float64)
        small: npt.NDArray[np.float64] = (points + 0.5 - np.array(self.offset_xy)) / self.scale - 0.5
        return small.astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Header:
    """What the walk over a file found out before decoding it."""

    format: PhotoFormat
    width: int
    height: int
    orientation: int
    has_alpha: bool
    bytes_per_pixel: int  # that the decoder takes; those of PNG and WebP hold the picture twice
    decodable: bytes


def decode_photo(data: bytes, least_long_side: int = 1600) -> Photo:
    """Decode a JPEG, PNG or WebP photo to upright pixels.

    Parameters
    ----------
    data : bytes
        The file as it was sent.
    least_long_side : int
        The photo is decoded at the smallest of 1/8, 1/4, 1/2 and full size whose long side has at least this
        many pixels; a smaller photo is decoded in full.

    Raises
    ------
    PhotoRejected
        If the bytes are not a photo that can be decoded safely. The module's docstring lists the codes.

    Notes
    -----
    JPEG is reduced while it is decoded (fast); PNG and WebP are decoded in full and averaged down. Either way
    one pixel stands for exactly ``scale`` x ``scale`` of the full photo, so ``Photo.to_full`` is exact.

    Examples
    --------
    >>> _, png = cv2.imencode(".png", np.full((40, 50, 3), 7, np.uint8))
    >>> decode_photo(png.tobytes()).full_hw
    (40, 50)
    >>> decode_photo(b"")
    Traceback (most recent call last):
    vision.errors.PhotoRejected: The file is empty, please send the photo again.
    """
    header = _examine(data)
    _check_size(header)
    scale = _choose_reduction(max(header.width, header.height), least_long_side)
    stored_bgr = _decode_reduced(header, scale)
    turned = header.orientation >= 5
    full_h, full_w = (header.width, header.height) if turned else (header.height, header.width)
    image_bgr = _turn_upright(stored_bgr, header.orientation)
    h, w = image_bgr.shape[:2]
    from_right, from_bottom = header.orientation in (2, 3, 7, 6), header.orientation in (3, 4, 7, 8)
    offset_xy = (
        float(full_w - w * scale) if from_right else 0.0,
        float(full_h - h * scale) if from_bottom else 0.0,
    )
    return Photo(image_bgr, (full_h, full_w), float(scale), header.format, offset_xy)


def _examine(data: bytes) -> _Header:
    """Walk the file without decoding it. Raises PhotoRejected unless it is a whole JPEG, PNG or WebP."""
    if not data:
        raise PhotoRejected("empty", "The file is empty, please send the photo again.")
    if len(data) > MAX_BYTES:
        raise PhotoRejected(
            "file_too_large",
            f"The file has {len(data) / 1e6:.0f} MB and at most {MAX_BYTES / 1e6:.0f} MB are read,"
            " please send a smaller version of the photo.",
        )
    if data.startswith(b"\xff\xd8\xff"):
        return _walk_jpeg(data)
    if data.startswith(_PNG_SIGNATURE):
        return _walk_png(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _walk_webp(data)
    raise _refuse_other(data)


def _refuse_other(data: bytes) -> PhotoRejected:
    """The refusal for bytes that are none of the formats read, naming what they are if it can be told."""
    for magics, name, advice in _OTHER_IMAGES:
        if any(data.startswith(magic, at) for at, magic in magics):
            return PhotoRejected("unsupported_type", f"This is {name}, which is not read, please {advice}.")
    if data.startswith(b"BM") and data[14:18] in _BMP_HEADER_SIZES:
        return PhotoRejected(
            "unsupported_type", f"This is a BMP image, which is not read, please {_AS_JPEG}."
        )
    for magics, name in _OTHER_FILES:
        if any(data.startswith(magic, at) for at, magic in magics):
            return PhotoRejected(
                "not_an_image", f"This is {name} and not a photo, please send a JPEG, PNG or WebP photo."
            )
    if any(magic.startswith(data) for magic in (b"\xff\xd8\xff", _PNG_SIGNATURE)):
        return _cut_off()
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
                "not_an_image", "This is text and not a photo, please send a JPEG, PNG or WebP photo."
            )
    return PhotoRejected("not_an_image", "This is not a photo, please send a JPEG, PNG or WebP photo.")


_AS_JPEG = "send it as JPEG"
_IPHONE = "send it as JPEG (on an iPhone: Settings, Camera, Formats, Most Compatible)"
_OTHER_IMAGES = (
    (tuple((4, b"ftyp" + brand) for brand in (b"avif", b"avis")), "an AVIF image", _AS_JPEG),
    (
        tuple(
            (4, b"ftyp" + brand)
            for brand in (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1")
        ),
        "a HEIC photo",
        _IPHONE,
    ),
    (((0, b"GIF87a"), (0, b"GIF89a")), "a GIF image", _AS_JPEG),
    (
        ((0, b"II*\0"), (0, b"MM\0*"), (0, b"II+\0"), (0, b"MM\0+")),
        "a TIFF image or a camera's raw file",
        _AS_JPEG,
    ),
    (((0, b"\xff\x0a"), (0, b"\0\0\0\x0cJXL \r\n\x87\n")), "a JPEG XL image", _AS_JPEG),
    (((0, b"\0\0\0\x0cjP  \r\n\x87\n"), (0, b"\xff\x4f\xff\x51")), "a JPEG 2000 image", _AS_JPEG),
    (((0, b"8BPS"),), "a Photoshop file", _AS_JPEG),
    (((0, b"<svg"),), "an SVG drawing", _AS_JPEG),
)
"""Images that are recognised to be refused: (offset, magic) pairs, the name with its article, what to do."""
_BMP_HEADER_SIZES = frozenset(struct.pack("<I", size) for size in (12, 40, 52, 56, 64, 108, 124))
_OTHER_FILES = (
    (((0, b"%PDF-"),), "a PDF document"),
    (((0, b"PK\3\4"), (0, b"\x1f\x8b"), (0, b"7z\xbc\xaf"), (0, b"Rar!")), "an archive"),
    (((4, b"ftyp"), (0, b"\x1a\x45\xdf\xa3"), (8, b"AVI ")), "a video"),
    (((8, b"WAVE"), (0, b"ID3"), (0, b"OggS"), (0, b"fLaC")), "a sound file"),
)


def _cut_off() -> PhotoRejected:
    return PhotoRejected("cut_off", "The upload was cut off, please resend the photo.")


def _damaged() -> PhotoRejected:
    return PhotoRejected("damaged", "The photo's file is damaged, please take or send the photo again.")


def _check_size(header: _Header) -> None:
    """Refuse sizes that are too large or too small, before a pixel is decoded."""
    w, h = header.width, header.height
    if w * h * header.bytes_per_pixel > MAX_DECODING_BYTES or w * h > MAX_PIXELS or max(w, h) > MAX_SIDE_PX:
        raise PhotoRejected(
            "too_many_pixels",
            f"The photo is {w} x {h} pixels, more than can be read (at most {MAX_PIXELS // 10**6} megapixels"
            f" and {MAX_SIDE_PX} pixels a side), please send a smaller version.",
        )
    if min(w, h) < MIN_SIDE_PX:
        raise PhotoRejected(
            "too_small",
            f"The photo is only {w} x {h} pixels, too small to show a board, please send the original photo.",
        )


def _choose_reduction(long_side: int, least_long_side: int) -> int:
    """The strongest reduction that leaves at least *least_long_side* pixels.

    >>> [_choose_reduction(side, 1600) for side in (1000, 3199, 3200, 8064, 16000)]
    [1, 1, 2, 4, 8]
    """
    return next((factor for factor in REDUCTIONS if long_side // factor >= least_long_side), 1)


def _decode_reduced(header: _Header, scale: int) -> ImageBGR:
    """The stored pixels, not yet turned, one for *scale* x *scale* of the full photo."""
    if header.format == "jpeg":
        image = _imdecode(header.decodable, _JPEG_FLAGS[scale] | cv2.IMREAD_IGNORE_ORIENTATION)
        expected_hw = (-(-header.height // scale), -(-header.width // scale))
        if image.shape != (*expected_hw, 3) or image.dtype != np.uint8:
            raise _damaged()
        return image
    flags = cv2.IMREAD_UNCHANGED if header.has_alpha else cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    image = _imdecode(header.decodable, flags)
    if image.shape[:2] != (header.height, header.width):
        raise _damaged()
    if scale > 1:
        h, w = header.height // scale, header.width // scale
        image = cv2.resize(image[: h * scale, : w * scale], (w, h), interpolation=cv2.INTER_AREA)
    return _as_bgr8(image)


def _imdecode(data: bytes, flags: int) -> npt.NDArray[Any]:
    """``cv2.imdecode``, which says "nothing" with None or with an exception, by format and version."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        raise _damaged() from error
    if image is None or image.size == 0:
        raise _damaged()
    return image


def _as_bgr8(image: npt.NDArray[Any]) -> ImageBGR:
    """Any decoded image as 3-channel 8-bit BGR, transparency laid over white."""
    if image.dtype == np.uint16:
        image = cv2.convertScaleAbs(image, alpha=1 / 257)
    if image.ndim == 2:
        return cv2.cvtColor(image, cv2.COLOR_GRAY2BGR).astype(np.uint8, copy=False)
    if image.shape[2] == 3:
        return image.astype(np.uint8, copy=False)
    if image.shape[2] != 4:
        raise _damaged()
    over_white = np.empty((*image.shape[:2], 3), np.uint8)
    for top in range(0, len(image), 256):  # in bands, so that a large photo needs no second large copy
        band = image[top : top + 256].astype(np.uint16)
        alpha = band[:, :, 3:]
        over_white[top : top + 256] = (band[:, :, :3] * alpha + 255 * (255 - alpha) + 127) // 255
    return over_white


def _turn_upright(image: ImageBGR, orientation: int) -> ImageBGR:
    """Apply an EXIF orientation: the values 5 to 8 swap the sides."""
    if orientation >= 5:
        image = cv2.transpose(image).astype(np.uint8, copy=False)
    flip = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}.get(orientation)
    return image if flip is None else cv2.flip(image, flip).astype(np.uint8, copy=False)


def _walk_jpeg(data: bytes) -> _Header:
    """Follow the markers of a JPEG up to its end marker.

    What comes behind it (padding, the second pictures of multi-picture files, a video) is left alone, and
    stray bytes between segments are skipped, as libjpeg does.
    """
    size: tuple[int, int, int] | None = None
    orientation = 0
    scans = 0
    at = 2
    for _ in range(MAX_PIECES):
        found = _JPEG_MARKER.search(data, at)
        if found is None:
            raise _cut_off()
        marker, at = found[1][0], found.end()
        if marker == 0xD9:
            break
        if marker == 0xD8:
            raise _damaged()
        if at + 2 > len(data):
            raise _cut_off()
        (length,) = struct.unpack_from(">H", data, at)
        if length < 2:
            raise _damaged()
        body = data[at + 2 : at + length]
        if len(body) < length - 2:
            raise _cut_off()
        at += length
        if marker in _JPEG_SOF:
            if size is not None or len(body) < 6:
                raise _damaged()
            height, width, components = struct.unpack_from(">HHB", body, 1)
            size = (height, width, components)
        elif marker == 0xDA:
            scans += 1
            if size is None or scans > MAX_JPEG_SCANS:
                raise _damaged()
        elif marker == 0xE1 and not orientation and body.startswith(_EXIF_HEADER):
            orientation = _exif_orientation(body)
    else:
        raise _damaged()
    if size is None or not scans or 0 in size:
        raise _damaged()
    height, width, components = size
    held = 2 if scans > 1 else 1  # coefficients of the whole picture are kept from scan to scan
    return _Header("jpeg", width, height, orientation or 1, False, held * max(3, components), data)


def _walk_png(data: bytes) -> _Header:
    """Follow the chunks of a PNG up to its end, keeping only those that make pixels.

    Text and colour profiles never reach the decoder: they may unfold to gigabytes and change no pixel.
    """
    kept = [_PNG_SIGNATURE]
    shape: tuple[int, int, int, int] | None = None
    orientation = 1
    has_transparency = has_pixels = False
    view = memoryview(data)
    at = len(_PNG_SIGNATURE)
    for _ in range(MAX_PIECES):
        if at + 12 > len(data):
            raise _cut_off()
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR" and length != 13:
            raise _damaged()
        if not kind.isalpha() or length > 2**31 - 1:
            raise _damaged()
        if kind in _PNG_ANIMATION_CHUNKS:
            raise PhotoRejected("animated", "This is an animated PNG, please send a still photo.")
        if length > len(data) - at - 12:
            raise _cut_off()
        if (kind == b"IHDR") != (shape is None):
            raise _damaged()
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
        raise _damaged()
    if shape is None or not has_pixels:
        raise _damaged()
    width, height, depth, colour = shape
    has_alpha = colour in (4, 6) or has_transparency
    bytes_per_pixel = 4 * max(1, depth // 8) if has_alpha else 3
    return _Header("png", width, height, orientation, has_alpha, 2 * bytes_per_pixel, b"".join(kept))


def _png_shape(ihdr: bytes) -> tuple[int, int, int, int]:
    """Width, height, bit depth and colour type, if an IHDR chunk makes sense."""
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", ihdr)
    if (
        depth not in _PNG_DEPTHS.get(colour, ())
        or compression
        or filtering
        or interlace > 1
        or not width
        or not height
    ):
        raise _damaged()
    return width, height, depth, colour


def _walk_webp(data: bytes) -> _Header:
    """Follow the chunks of a WebP: plain lossy, plain lossless, or extended with one of both inside."""
    (riff_length,) = struct.unpack_from("<I", data, 4)
    end = 8 + riff_length
    if end > len(data):
        raise _cut_off()
    if end < 30:
        raise _damaged()
    sizes: list[tuple[int, int]] = []
    orientation = 1
    has_alpha = has_pixels = is_lossless = False
    at = 12
    for _ in range(MAX_PIECES):
        if at + 8 > end:
            break
        kind, length = struct.unpack_from("<4sI", data, at)
        if length > end - at - 8:
            raise _damaged()
        body = data[at + 8 : at + 8 + length]
        if kind in (b"ANIM", b"ANMF") or (kind == b"VP8X" and body[:1] and body[0] & 0x02):
            raise PhotoRejected("animated", "This is an animated WebP, please send a still photo.")
        if kind == b"VP8X":
            if length < 10 or sizes:
                raise _damaged()
            has_alpha |= bool(body[0] & 0x10)
            sizes.append((1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")))
        elif kind == b"VP8 " and not has_pixels:
            if length < 10 or body[3:6] != b"\x9d\x01\x2a":
                raise _damaged()
            width, height = struct.unpack_from("<HH", body, 6)
            sizes.append((width & 0x3FFF, height & 0x3FFF))
            has_pixels = True
        elif kind == b"VP8L" and not has_pixels:
            if length < 5 or body[0] != 0x2F:
                raise _damaged()
            bits = int.from_bytes(body[1:5], "little")
            sizes.append((1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)))
            has_alpha |= bool(bits >> 28 & 1)
            has_pixels = is_lossless = True
        elif kind == b"EXIF":
            orientation = _exif_orientation(body)
        at += 8 + length + (length & 1)
    else:
        raise _damaged()
    if not has_pixels or len(set(sizes)) != 1 or 0 in sizes[0]:
        raise _damaged()
    width, height = sizes[0]
    bytes_per_pixel = 8 if has_alpha else 7 if is_lossless else 6
    return _Header("webp", width, height, orientation, has_alpha, bytes_per_pixel, data[:end])


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
            tag, kind, count, value = struct.unpack_from(order + "HHIH", tiff, ifd_at + 2 + 12 * entry)
            if tag == _ORIENTATION_TAG:
                return value if kind == 3 and count == 1 and 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1

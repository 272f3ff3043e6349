"""The bytes of a photo to upright pixels, refusing whatever cannot be decoded safely.

Only the bytes of a file count, not its name or declared type. JPEG, PNG and WebP are walked piece
by piece before any decoder sees them, because decoders believe headers. They allocate 4 GB if a
PNG of 2 kB says so, and a PNG of 100 kB may unfold to 900 megapixels.

Orientation is applied here and not by OpenCV, whose versions differ. 4.12 turns JPEG and PNG but
not WebP; 5.0 turns all three. Neither turns anything when it keeps an alpha channel.

Every refusal is a :class:`vision.errors.PhotoRejected` with one of these codes:

==================== ==================================================================
``empty``            no bytes
``not_an_image``     text, a document, a video, or bytes of no known kind
``unsupported_type`` an image, but HEIC, AVIF, GIF, BMP, TIFF or another unread kind
``animated``         an animated PNG or WebP
``incomplete``       the file ends too early
``damaged``          the structure or the pixels are broken
``file_too_large``   more than :data:`vision.headers.MAX_BYTES`
``too_many_pixels``  more than :data:`MAX_PIXELS`, :data:`MAX_SIDE_PX` or
                     :data:`MAX_DECODING_BYTES`
``too_small``        a side below :data:`MIN_SIDE_PX`
==================== ==================================================================
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from scorer.text import Text
from vision.errors import PhotoRejected
from vision.headers import Header, PhotoFormat, damaged, examine

ImageBGR = npt.NDArray[np.uint8]

MAX_PIXELS = 60_000_000
"""Most pixels of the full-size photo: the 48 MP of a phone, with room to spare."""
MAX_SIDE_PX = 20_000
"""Longest side of the full-size photo."""
LEAST_LONG_SIDE = 1000
"""Least long side of a decoded photo. Crops are then as sharp as the networks need them."""
MIN_SIDE_PX = 16
"""Shortest side; below it no cell of any board has a pixel of its own."""
TOO_SMALL = Text("The photo is only %(w)s x %(h)s pixels: please send the original one.")
"""What is said of a photo of which somebody sent a preview."""
MAX_DECODING_BYTES = 6 * MAX_PIXELS
"""Most memory of a decoder.

Only files with transparency, 16 bits or four colours and lossless WebP reach it.
"""
REDUCTIONS = (8, 4, 2)
"""Factors by which a decoded photo may be smaller than the full one, largest first."""
BLOCK_PX, FILL_LEVEL = 16, 128
"""Side of a block of a JPEG whose colours are stored at half size, and the level of each channel
where a decoder finds no data."""

_JPEG_FLAGS = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An upright photo, decoded no larger than needed.

    Attributes
    ----------
    image_bgr : the pixels (h, w, 3), EXIF orientation applied, transparency laid over white.
    full_hw : height and width of the upright full-size photo. Coordinates that leave this package
        are in its pixels.
    scale : full-size pixels per pixel of ``image_bgr``, the same on both axes: 1, 2, 4 or 8.
    format : what the bytes were.
    offset_xy : where the outer corner of ``image_bgr`` lies in the full photo, in full-size
        pixels. Zero unless a side does not divide by ``scale`` and the photo was turned; then
        less than ``scale`` either way.
    """

    image_bgr: ImageBGR
    full_hw: tuple[int, int]
    scale: float
    format: PhotoFormat
    offset_xy: tuple[float, float] = (0.0, 0.0)

    @property
    def image_rgb(self) -> npt.NDArray[np.uint8]:
        """The same pixels in the order that networks see, shape (h, w, 3)."""
        return np.asarray(cv2.cvtColor(self.image_bgr, cv2.COLOR_BGR2RGB), np.uint8)

    def to_full(self, points_xy: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Points of ``image_bgr`` on the full-size photo; (0, 0) is a pixel's centre in both.

        >>> photo = Photo(np.zeros((4, 4, 3), np.uint8), (8, 8), 2.0, "png")
        >>> photo.to_full([[0, 0], [3, 3]]).tolist()
        [[0.5, 0.5], [6.5, 6.5]]
        """
        points = np.asarray(points_xy, np.float64)
        full = (points + 0.5) * self.scale + np.array(self.offset_xy) - 0.5
        return np.asarray(full, np.float32)

    def from_full(self, points_xy: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Points of the full-size photo on ``image_bgr``; the inverse of :meth:`to_full`."""
        points = np.asarray(points_xy, np.float64)
        small = (points + 0.5 - np.array(self.offset_xy)) / self.scale - 0.5
        return np.asarray(small, np.float32)


def decode_photo(data: bytes, least_long_side: int = 1600) -> Photo:
    """Decode a JPEG, PNG or WebP photo to upright pixels.

    Parameters
    ----------
    data : bytes
        The file as it was sent.
    least_long_side : int The photo is decoded at the smallest of 1/8, 1/4, 1/2 and full size whose
        long side has at least this many pixels; a smaller photo is decoded in full.

    Raises
    ------
    PhotoRejected
        If the bytes are not a photo that can be decoded safely. The module's docstring lists the
        codes.

    Notes
    -----
    JPEG is reduced while it is decoded (fast); PNG and WebP are decoded in full and averaged down.
    Either way one pixel stands for exactly ``scale`` x ``scale`` of the full photo, so
    ``Photo.to_full`` is exact.

    Examples
    --------
    >>> _, png = cv2.imencode(".png", np.full((40, 50, 3), 7, np.uint8))
    >>> decode_photo(png.tobytes()).full_hw
    (40, 50)
    >>> decode_photo(b"")
    Traceback (most recent call last):
    vision.errors.PhotoRejected: The file is empty, please send the photo again.
    """
    header = examine(data)
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


def _check_size(header: Header) -> None:
    """Refuse sizes that are too large or too small, before a pixel is decoded."""
    w, h = header.width, header.height
    most = min(MAX_PIXELS, MAX_DECODING_BYTES // header.bytes_per_pixel)
    if w * h > most or max(w, h) > MAX_SIDE_PX:
        raise PhotoRejected(
            "too_many_pixels",
            "The photo is %(w)s x %(h)s pixels, more than can be read (at most "
            "%(megapixels)s megapixels and %(side)s pixels a side), please send a "
            "smaller version.",
            w=w,
            h=h,
            megapixels=most // 10**6,
            side=MAX_SIDE_PX,
        )
    if min(w, h) < MIN_SIDE_PX:
        raise PhotoRejected("too_small", TOO_SMALL, w=w, h=h)


def _choose_reduction(long_side: int, least_long_side: int) -> int:
    """The strongest reduction that leaves at least *least_long_side* pixels.

    >>> [_choose_reduction(side, 1600) for side in (1000, 3199, 3200, 8064, 16000)]
    [1, 1, 2, 4, 8]
    """
    return next((factor for factor in REDUCTIONS if long_side // factor >= least_long_side), 1)


def _decode_reduced(header: Header, scale: int) -> ImageBGR:
    """The stored pixels, not yet turned, one for *scale* x *scale* of the full photo."""
    if header.format == "jpeg":
        image = _imdecode(header.decodable, _JPEG_FLAGS[scale] | cv2.IMREAD_IGNORE_ORIENTATION)
        expected_hw = (-(-header.height // scale), -(-header.width // scale))
        if image.shape != (*expected_hw, 3) or image.dtype != np.uint8:
            raise damaged()
        if _ends_in_fill(image, scale):
            raise damaged()
        return image
    flags = (
        cv2.IMREAD_UNCHANGED
        if header.has_alpha
        else cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    )
    image = _imdecode(header.decodable, flags)
    if image.shape[:2] != (header.height, header.width):
        raise damaged()
    if scale > 1:
        h, w = header.height // scale, header.width // scale
        image = cv2.resize(image[: h * scale, : w * scale], (w, h), interpolation=cv2.INTER_AREA)
    return _as_bgr8(image)


def _ends_in_fill(image: ImageBGR, scale: int) -> bool:
    """Whether a JPEG's last blocks, and not its first, are the grey that stands for missing ones.

    A decoder goes on where the data of a picture end early, and says so to nobody.
    """
    side = BLOCK_PX // scale
    first, last = image[:side, : 2 * side], image[-side:, -2 * side :]
    return bool((last == FILL_LEVEL).all() and (first != FILL_LEVEL).any())


def _imdecode(data: bytes, flags: int) -> npt.NDArray[Any]:
    """``cv2.imdecode``, whose failures are None or an exception, by format and version."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        raise damaged() from error
    if image is None or image.size == 0:
        raise damaged()
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
        raise damaged()
    over_white = np.empty((*image.shape[:2], 3), np.uint8)
    # in bands, so that a large photo needs no second large copy
    for top in range(0, len(image), 256):
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

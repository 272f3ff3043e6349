"""Measures the colour of the light on the strip of greys of the camera sheet."""

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera_sheet import STRIP_IDS, dictionary, patch_quads_mm, strip_marker_corners_mm
from vision.geometry import Floats, Images
from vision.photo import Photo

SEARCHED_PX = 640
"""Long side of the picture in which the strip is looked for, in pixels. Its markers are large."""
LEAST_PERIMETER = 0.06
"""Least outline of a marker, in parts of that side."""
WINDOW_PX = 13
"""Window of the threshold; one size is enough for large markers."""
WHITE = 0.82
"""Light of the white patch after correction: a sheet of paper in a well exposed photo."""
LEAST_LIGHT = 0.004
"""Least value of a channel of the white patch."""
CLIPPED = 250
"""Values from here on are cut off by the sensor."""
MOST_GAIN = 6.0


@dataclass(frozen=True, slots=True)
class LightGains:
    """Factors on blue, green and red light that make the strip grey."""

    bgr: tuple[float, float, float]

    def applied(self, photo: Photo) -> Photo:
        """The photo in neutral light."""
        values = np.arange(256) / 255.0
        table = [to_value(np.minimum(to_light(values) * gain, 1.0)) * 255 for gain in self.bgr]
        curves = np.stack(table, 1).round().astype(np.uint8).reshape(1, 256, 3)
        return replace(photo, image_bgr=np.asarray(cv2.LUT(photo.image_bgr, curves), np.uint8))


def to_light(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """sRGB values from 0 to 1 as light."""
    return np.asarray(
        np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    )


def to_value(light: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The inverse of ``to_light``."""
    return np.asarray(
        np.where(
            light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055
        )
    )


def strip_gains(photo: Photo) -> LightGains | None:
    """The light that the strip shows; None if it is missing, too bright or too dark."""
    place = _strip_place(photo.image_bgr)
    if place is None:
        return None
    patches = [
        _mean(photo.image_bgr, quad) for quad in cv2.perspectiveTransform(patch_quads_mm(), place)
    ]
    usable = [light for light in patches[:-1] if light is not None]
    if not usable or patches[0] is None:
        # A white that is cut off has lost its cast; the brightest grey that is not stands for it.
        return _neutral(usable[0]) if usable else None
    return _neutral(
        np.mean([light / light.mean() for light in usable], 0) * patches[0].mean(), WHITE
    )


def _neutral(light: npt.NDArray[np.float64], level: float | None = None) -> LightGains | None:
    if float(light.min()) < LEAST_LIGHT:
        return None
    target = level if level is not None else float(light.max())
    gains = np.clip(target / light, 1 / MOST_GAIN, MOST_GAIN)
    return LightGains((float(gains[0]), float(gains[1]), float(gains[2])))


def _strip_place(image_bgr: Images) -> npt.NDArray[np.float64] | None:
    """The homography from millimetres of the strip to pixels; None if a marker is not seen."""
    plane = np.asarray(cv2.extractChannel(image_bgr, 1), np.uint8)
    shrink = max(1.0, max(plane.shape) / SEARCHED_PX)
    if shrink > 1:
        # INTER_AREA takes eight times as long; down to a half, INTER_LINEAR is as good
        between = cv2.INTER_AREA if shrink > 2 else cv2.INTER_LINEAR
        plane = np.asarray(
            cv2.resize(plane, None, fx=1 / shrink, fy=1 / shrink, interpolation=between), np.uint8
        )
    settings = cv2.aruco.DetectorParameters()
    settings.adaptiveThreshWinSizeMin = settings.adaptiveThreshWinSizeMax = WINDOW_PX
    settings.minMarkerPerimeterRate = LEAST_PERIMETER
    corners, numbers, _ = cv2.aruco.ArucoDetector(dictionary(), settings).detectMarkers(plane)
    if numbers is None:
        return None
    # OpenCV 4.12 gives numbers of shape (n, 1), 5.0 of shape (n,).
    seen = {
        int(n): np.asarray(c, np.float32).reshape(4, 2)
        for n, c in zip(np.ravel(numbers), corners, strict=True)
    }
    if not all(number in seen for number in STRIP_IDS):
        return None
    on_strip = strip_marker_corners_mm()
    source = np.concatenate([on_strip[number] for number in STRIP_IDS])
    target = (np.concatenate([seen[number] for number in STRIP_IDS]) + 0.5) * shrink - 0.5
    place, _ = cv2.findHomography(source, target)
    return None if place is None else np.asarray(place, np.float64)


def _mean(image_bgr: Images, quad: Floats) -> npt.NDArray[np.float64] | None:
    """The mean light of a patch, blue green red; None if it is cut off or out of the picture."""
    mask = np.zeros(image_bgr.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, quad.round().astype(np.int32), 255)
    found = image_bgr[mask > 0]
    if len(found) < 9 or (found >= CLIPPED).any(1).mean() > 0.05:
        return None
    return np.asarray(to_light(found / 255.0).mean(0))

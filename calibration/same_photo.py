"""Whether two lessons come from one photo, though its file was saved, resized or turned anew.

A crop alone cannot tell: of a photo that was resized it differs by more than of a second photo
taken from nearly the same place. Where the pieces lie in the photo tells, for nobody holds a camera
so still.
"""

import cv2
import numpy as np

from calibration.lessons import LessonCrops
from vision.geometry import Floats

MOST_MOVED = 0.0025
"""Most distance of the median piece, in parts of the photo's long side. Saved, resized or turned
anew, a lesson photo moves it by 0.0021 at most, a camera that moves by 1 % of the photo by 0.0037
or more."""
MOST_CHANGED = 4.0
"""Most difference of the median piece in grey levels, at SMALL_PX; other light makes it 19."""
SMALL_PX = 16
"""Side of the crops that are compared."""
LEAST_PIECES = 4
"""Least number of pieces whose places tell. A single piece may fill each of its photos."""


def same_photo(one: LessonCrops, other: LessonCrops) -> bool:
    """Whether both show the same pieces at the same places of the photo, which may be turned."""
    if len(one.labels) != len(other.labels) or len(one.labels) < LEAST_PIECES:
        return False
    spots = one.spots_xy
    for _ in range(4):
        spots = np.stack([-spots[:, 1], spots[:, 0]], 1)
        away = np.linalg.norm(spots[:, None] - other.spots_xy[None], axis=2)
        nearest = away.argmin(1)
        labels = tuple(other.labels[i] for i in nearest)
        if np.median(away.min(1)) <= MOST_MOVED and labels == one.labels:
            return _changed(_small(one), _small(other)[nearest]) <= MOST_CHANGED
    return False


def _small(lesson: LessonCrops) -> Floats:
    size = (SMALL_PX, SMALL_PX)
    small = [cv2.resize(crop, size, interpolation=cv2.INTER_AREA) for crop in lesson.crops]
    return np.asarray(small, np.float32)


def _changed(one: Floats, other: Floats) -> float:
    """Mean difference of the median crop, in the quarter turn in which it is least."""
    turns = (np.rot90(other, turn, (1, 2)) for turn in range(4))
    return min(float(np.median(np.abs(one - turned).mean((1, 2, 3)))) for turned in turns)

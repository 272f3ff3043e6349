"""Corrects the light of doubtful cells, by taught faces or by the network of untaught stones."""

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from vision.evidence import Look
from vision.geometry import Floats, Images
from vision.profile import Profile, mean_colours

LEAST_TINT = 0.1
"""The least tint of the light, as the network tells it of untaught stones, that is taken away."""
CLEAR = 0.8
LEAST_CLEAR = 3
"""The light is judged by cells at least this probable, if there are this many."""
MOST_GAIN = 2.2
"""Stronger light corrections than this are not believed."""


def in_better_light(
    crops: Images, seen: Look, profile: Profile, look: Callable[[Images], Look]
) -> Look:
    """The likelier of two looks at crops: plain, or in the light of the lessons."""
    gains = light_gains(crops, seen, profile)
    if gains is None:
        return seen
    lit = look(relit(crops, gains))
    return lit if lit.way.evidence > seen.way.evidence else seen


def is_coloured(light: Sequence[float] | Floats) -> bool:
    """Whether a light has so much of a tint that it is worth taking away."""
    return bool(np.abs(light).max() >= LEAST_TINT)


def gains_of(light: Sequence[float] | Floats) -> Floats:
    """The factors by which light of that tint brightens each channel, shape (3,).

    A tint is how much more red and blue than green there is, in natural logarithms.
    """
    red, blue = light
    return np.exp(np.array([red, 0, blue], np.float32))


def relit(crops: Images, gains: Floats) -> Images:
    """RGB crops without the light that brightens their channels by ``gains`` (3,)."""
    levels = np.arange(256, dtype=np.uint8)[:, None]
    table = np.clip(levels / gains, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(crops.reshape(-1, 1, 3), table[:, None]).reshape(crops.shape))


def light_gains(crops: Images, seen: Look, profile: Profile) -> Floats | None:
    """How much brighter each channel is than in the lessons, by clear cells; None if too few.

    A colour-constancy step with known references: the taught faces themselves are the colour chart.

    Returns
    -------
    ndarray of shape (3,), factors within MOST_GAIN
    """
    chosen = seen.way.probabilities.argmax(1)
    clear = seen.way.probabilities.max(1) * seen.known > CLEAR
    clear &= np.array([profile.labels[k] in profile.colours for k in chosen])
    if not profile.colours or clear.sum() < LEAST_CLEAR:
        return None
    names = [profile.labels[k] for k in chosen[clear]]
    taught = {name: np.median(profile.colours[name], 0) for name in {*names}}
    expected = np.stack([taught[name] for name in names])
    ratio = (mean_colours(crops[clear]) + 8.0) / (expected + 8.0)
    return np.asarray(np.clip(np.median(ratio, 0), 1 / MOST_GAIN, MOST_GAIN), np.float32)

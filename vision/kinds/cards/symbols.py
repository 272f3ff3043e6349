"""Which symbol a cell of a pattern card shows, judged as a stone would be: the cards print the
stones' pictures."""

from collections.abc import Callable

import numpy as np

from models.registry import manifest
from models.session import STONE_SYMBOLS, embed, read_stones
from vision.geometry import Images
from vision.name.light import gains_of, is_coloured, relit
from vision.probability import Doubles, log_shares
from vision.profile import Profile

LEAST_LOG_P = -7.0
"""No single cell decides a card alone."""

Opinion = Callable[[Images], Doubles]
"""Log probabilities (n, 8) of upright crops (n, CROP_PX, CROP_PX, 3), in the order of
STONE_SYMBOLS."""


def by_network(crops_rgb: Images) -> Doubles:
    """The opinion of the network of the published stones. If it finds the light coloured, it looks
    once more in white light."""
    log_p, light = read_stones(crops_rgb)
    if is_coloured(light):
        log_p, _ = read_stones(relit(crops_rgb, gains_of(light)))
    upright = (
        log_p[0, :, :-1].astype(np.float64).reshape(len(crops_rgb), len(STONE_SYMBOLS), 4)[:, :, 0]
    )
    return _normalised(upright)


def by_likeness(profile: Profile) -> Opinion:
    """The opinion by likeness to a taught copy of the stones."""
    columns = [profile.labels.index(symbol) for symbol in STONE_SYMBOLS]
    scale = manifest()["embedding"].numbers["scale"]

    def opinion(crops_rgb: Images) -> Doubles:
        upright = profile.likeness(embed(crops_rgb))[0][:, columns].astype(np.float64)
        return _normalised(upright * scale)

    return opinion


def _normalised(scores: Doubles) -> Doubles:
    return log_shares(np.maximum(log_shares(scores, 1), LEAST_LOG_P), 1)

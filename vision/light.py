"""Which light untaught stones lie in: the one in which they are likeliest what one box holds.

Nothing in a photo need be grey, and no lesson shows the colours in white light. But in the wrong light an orange fish is
coral and a white seed yellow, and then the nine stones do not come from one box.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from vision.geometry import Images

Tint = tuple[float, float]
"""How much redder and bluer crops are made: natural logarithms of the factors of red and blue; green stays."""

STEPS = (0.45, 0.2)
"""How far apart the tints are that are tried, first coarsely, then finely."""
STRANGENESS = 3.0
"""Log odds against a light whose red or blue is off by a factor of e: most rooms are lit in nearly white."""
LIKELY = -0.5
"""Log probability that the stones come from one box, from which on no other light is looked for."""
BURNT_LEVEL, BURNT_SHARE = 250, 0.25
"""A crop is burnt out if this share of it reaches that level in all channels: then it is white in any light."""


def tinted(crops: Images, tint: Tint) -> Images:
    """The crops, RGB, with that tint."""
    factors = np.exp(np.array([tint[0], 0.0, tint[1]], np.float32))
    return np.asarray(np.clip(crops * factors, 0, 255), np.uint8)


def burnt_out(crops: Images) -> npt.NDArray[np.bool_]:
    """Which of the crops (n, h, w, 3) are burnt out, shape (n,)."""
    return np.asarray((crops.min(3) >= BURNT_LEVEL).mean((1, 2)) > BURNT_SHARE)


def likeliest_tint(worth: Callable[[Tint], float], as_it_is: float) -> Tint | None:
    """The tint that is worth most, as a log probability; None if none is worth more than the crops as they are."""
    if as_it_is >= LIKELY:
        return None
    centre, best = (0.0, 0.0), as_it_is
    for step in STEPS:
        red, blue = centre
        around = [(red + i * step, blue + j * step) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        worths = [worth(tint) - STRANGENESS * (tint[0] ** 2 + tint[1] ** 2) for tint in around]
        if max(worths) > best:
            best = max(worths)
            centre = around[worths.index(best)]
    return centre if any(centre) else None

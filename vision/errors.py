"""Why a photo or a reading was refused."""

from typing import Self

from scorer.text import Refused


class VisionError(Refused):
    """A photo that cannot be used.

    Attributes
    ----------
    code : stable machine-readable reason, such as ``"no_board"`` or ``"not_an_image"``.
    message : one sentence for the person at the table: what is wrong and what to do.
    kinds : each kind of board with its probability, the likeliest first, where several were looked
        for.
    each : the refusals of all photos, where several were to be read as one.
    """

    kinds: tuple[tuple[str, float], ...] = ()
    each: tuple[Self, ...] = ()


class PhotoRejected(VisionError):
    """The bytes are not a photo that can be decoded safely."""


class BoardNotFound(VisionError):
    """The photo was decoded but the board asked for is not in it, or cannot be made out."""

"""Why a photo or a reading was refused."""

from typing import Any

from scorer.text import Told


class VisionError(Told):
    """A photo that cannot be used.

    Attributes
    ----------
    code : str
        Stable machine-readable reason, such as ``"no_board"`` or ``"not_an_image"``.
    message : Text
        One sentence for the person at the table: what is wrong and what to do.
    """

    def __init__(self, code: str, template: str, /, **values: Any) -> None:
        super().__init__(template, **values)
        self.code = code


class PhotoRejected(VisionError):
    """The bytes are not a photo that can be decoded safely."""


class BoardNotFound(VisionError):
    """The photo was decoded but the board asked for is not in it, or cannot be made out."""

"""What the commands answer and write for one photo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibration.reader import Reader
    from vision.find.corners import Corners
    from vision.reading import Reading


def read_photo(
    reader: Reader, photo: str, data: bytes, corners: Corners | None = None
) -> tuple[Any, Reading | None]:
    """Read one photo: the JSON document, and the reading unless the photo was refused."""
    from vision.errors import VisionError

    try:
        reading = reader.read(data, corners)
    except VisionError as error:
        return refusal(photo, error.code, error.message), None
    return reading.to_document(photo), reading


def refusal(photo: str, reason: str, message: str) -> dict[str, Any]:
    """The line of a photo that was not read."""
    return {"photo": photo, "found": False, "reason": reason, "message": message}


def write_overlay(data: bytes, reading: Reading, target: Path) -> None:
    """Write a copy of the photo with *reading* drawn on it."""
    from webapp.service import overlay_jpeg

    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(overlay_jpeg(data, reading))

"""What the commands answer and write for one photo."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.batch.photos import MAX_FILE_BYTES, bytes_of

if TYPE_CHECKING:
    from calibration.reader import Reader
    from vision.find.corners import Corners
    from vision.reading import Reading


def read_photo(
    reader: Reader, photo: str, data: bytes, corners: Corners | None = None
) -> tuple[Any, Reading | None]:
    """Read one photo: the JSON document, and the reading unless the photo was refused."""
    from vision.errors import VisionError
    from vision.reading import kinds_field

    try:
        reading = reader.read(data, corners)
    except VisionError as error:
        return refusal(photo, error.code, error.message) | kinds_field(error.kinds), None
    return reading.to_document(photo), reading


def read_file(
    reader: Reader, photo: str, corners: Corners | None = None, overlay: Path | None = None
) -> dict[str, Any]:
    """Read the photo at a path or address, and write its overlay."""
    data = content_of(photo)
    if isinstance(data, dict):
        return data
    document, reading = read_photo(reader, photo, data, corners)
    if reading is not None and overlay is not None:
        write_overlay(data, reading, overlay)
    return dict(document)


def content_of(photo: str, folder: Path = Path()) -> bytes | dict[str, Any]:
    """The bytes of a photo, or the line of one that cannot be opened.

    A relative path begins in *folder*.
    """
    try:
        data = bytes_of(photo, folder)
    except OSError as error:
        problem = f"The file cannot be opened: {error.strerror or error}."
        if not photo:
            problem = "The name is empty: give the path of a photo."
        elif (folder / photo).is_dir() and os.access(folder / photo, os.R_OK):
            problem = "This is a folder: read it with `tallystone batch`."
        return refusal(photo, "no_file", problem)
    if len(data) > MAX_FILE_BYTES:
        return refusal(
            photo, "file_too_large", "The file is far larger than any photo that is read."
        )
    return data


def refusal(photo: str, reason: str, message: str) -> dict[str, Any]:
    """The line of a photo that was not read."""
    return {"photo": photo, "found": False, "reason": reason, "message": message}


def write_overlay(data: bytes, reading: Reading, target: Path) -> None:
    """Write a copy of the photo with *reading* drawn on it."""
    from calibration.files import replacing
    from webapp.service import overlay_jpeg

    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        file.write(overlay_jpeg(data, reading))

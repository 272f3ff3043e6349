"""Keeps photos as evidence: re-encoded to the bare picture, and named by the server."""

import contextlib
import hashlib
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

import cv2

from calibration.files import write_whole
from vision.photo import decode_photo

LONG_SIDE_PX = 2048
"""Longer side of a stored photo; phones shrink to this before they send."""

QUALITY = 88
"""JPEG quality of a stored photo."""

WRITTEN_WITHIN_SECONDS = 3600.0
"""A photo gets its row within this time of being written, or never."""

_NAME = re.compile(r"[0-9a-f]{32}\.jpg")


@dataclass(frozen=True, slots=True)
class Picture:
    """A photo ready to be stored.

    ``per_px`` says how many pixels of the stored picture one pixel of the upright full-size photo
    is, in x and y.
    """

    jpeg: bytes
    width: int
    height: int
    per_px: tuple[float, float]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.jpeg).hexdigest()


def picture_of(data: bytes) -> Picture:
    """Decode an upload and encode the pixels anew: no metadata and no bytes of the sender survive.

    Raises ``vision.errors.PhotoRejected``.
    """
    photo = decode_photo(data, LONG_SIDE_PX)
    image = photo.image_bgr
    height, width = image.shape[:2]
    scale = LONG_SIDE_PX / max(height, width)
    if scale < 1:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(
            image.dtype, copy=False
        )
        height, width = image.shape[:2]
    done, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not done:
        raise OSError("the photo could not be encoded as JPEG")
    full_height, full_width = photo.full_hw
    return Picture(jpeg.tobytes(), width, height, (width / full_width, height / full_height))


def read_kept(path: Path) -> bytes | None:
    """The bytes of a file; None if it is gone or the disk cannot read it."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def is_whole(data: bytes | None, sha256: str) -> bool:
    """Whether bytes are there, and those of the hash."""
    return data is not None and hashlib.sha256(data).hexdigest() == sha256


class PhotoFolder:
    """The folder of the stored photos, one file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, jpeg: bytes) -> str:
        """Write a photo so that it is whole on the disk when this returns; gives its name."""
        name = f"{secrets.token_hex(16)}.jpg"
        write_whole(self.folder / name, jpeg)
        return name

    def path(self, name: str) -> Path:
        """Where a stored photo lies. Raises ValueError for anything that is no name of one."""
        if not _NAME.fullmatch(name):
            raise ValueError(f"expected the name of a stored photo, got {name!r}")
        return self.folder / name

    def read(self, name: str) -> bytes | None:
        """The bytes of a stored photo; None if it is gone or the disk cannot read it."""
        return read_kept(self.path(name))

    def whole(self, name: str, sha256: str) -> bytes | None:
        """The bytes of a stored photo; None if they are gone, or not those of the hash."""
        jpeg = self.read(name)
        return jpeg if is_whole(jpeg, sha256) else None

    def left_over(self) -> list[Path]:
        """Photos, whole or half written, that nobody is writing; those without a row can go."""
        latest = time.time() - WRITTEN_WITHIN_SECONDS
        found = []
        for path in self.folder.glob("*"):
            with contextlib.suppress(FileNotFoundError):  # another process removes them, too
                ours = _NAME.fullmatch(path.name) or path.suffix == ".part"
                if ours and path.stat().st_mtime < latest:
                    found.append(path)
        return found

    def remove(self, name: str) -> None:
        """Remove a photo for good; one that is gone already is fine."""
        self.path(name).unlink(missing_ok=True)

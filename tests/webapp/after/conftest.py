"""What several tests of finished games need."""

import errno
from pathlib import Path

import pytest


@pytest.fixture
def unreadable_photos(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk lets nobody read a photo of a data folder any more."""
    read_bytes = Path.read_bytes

    def denied(path: Path) -> bytes:
        if path.parent.name == "photos":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", denied)

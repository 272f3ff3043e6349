"""The demo photos and printable sheets that are packaged with the program."""

import json
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable


@dataclass(frozen=True, slots=True)
class DemoPhoto:
    """A packaged photo and what truly lies on it."""

    name: str
    board: str
    text: str
    data: bytes


def _folder() -> Traversable:
    return resources.files("calibration").joinpath("demo")


def demo_names(board: str | None = None) -> list[str]:
    """File names of the packaged photos, of one board if asked."""
    return [entry["photo"] for entry in _entries() if board in (None, entry["board"])]


def demo_photos() -> list[DemoPhoto]:
    """All packaged photos with their truth, in the order of the list."""
    return [
        DemoPhoto(
            entry["photo"],
            entry["board"],
            entry["text"],
            _folder().joinpath(entry["photo"]).read_bytes(),
        )
        for entry in _entries()
    ]


def demo_photo(name: str) -> bytes | None:
    """The bytes of one packaged photo; None for a name that is not on the list."""
    if name not in demo_names():
        return None
    return _folder().joinpath(name).read_bytes()


def sheets() -> list[tuple[str, bytes]]:
    """Name and bytes of every packaged PDF."""
    folder = _folder()
    if not folder.is_dir():
        return []
    pdfs = (entry for entry in folder.iterdir() if entry.name.endswith(".pdf"))
    return sorted((pdf.name, pdf.read_bytes()) for pdf in pdfs)


def _entries() -> list[dict[str, str]]:
    listing = _folder().joinpath("demo.json")
    if not listing.is_file():
        return []
    photos: list[dict[str, str]] = json.loads(listing.read_text(encoding="utf-8"))["photos"]
    return photos

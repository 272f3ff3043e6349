"""Where the photos of an archive are: folders, globs, files, and addresses that fsspec opens."""

import glob
import os
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from calibration.files import is_of_system
from webapp.commands.common import PHOTO_SUFFIXES

MAX_FILE_BYTES = 100_000_000
"""Most bytes of a file that are read; ``vision.photo`` decides what a photo may have."""

OTHER_SUFFIXES = (
    ".heic", ".heif", ".hif", ".avif", ".jxl", ".gif", ".tif", ".tiff", ".bmp", ".dng", ".arw",
    ".cr2", ".cr3", ".nef",
)  # fmt: skip
"""Endings of pictures that are not read."""
OVERLAY = ".overlay.jpg"
"""How the names of overlays end."""


class PhotosNotFound(Exception):
    """A source names no photos; the message is one sentence for the person."""


class Pictures(NamedTuple):
    """Paths or addresses of what has a row, and of other pictures, which have none."""

    photos: list[str]
    others: list[str]


def pictures_of(source: str, recursive: bool) -> Pictures:
    """The pictures of a folder, a glob or a single file, in order.

    Folders that may not be read are among the photos: nothing is left out without a word.

    Raises
    ------
    PhotosNotFound
        If the source is not there, cannot be opened, or holds no photo.
    """
    if Path(source).is_file():
        return Pictures([source], [])
    found = _at_address(source, recursive) if "://" in source else _on_disk(source, recursive)
    others = [one for one in found if _is_other(one)]
    photos = [one for one in found if not _is_other(one)]
    if not photos:
        raise PhotosNotFound(_why_none(source, others))
    return Pictures(photos, others)


def _why_none(source: str, others: list[str]) -> str:
    """Why a source gives no photo: what is said of the first other picture that is refused."""
    from vision.errors import PhotoRejected
    from vision.headers import examine

    try:
        for other in others:
            examine(bytes_of(other))
    except PhotoRejected as error:
        return f"no photo in {source} can be read: {other}: {error.message}"
    except OSError:
        pass
    return f"no photos in {source}: expected .jpg, .png or .webp files"


def _on_disk(source: str, recursive: bool) -> list[str]:
    if Path(source).is_dir():
        return [str(one) for one in sorted(map(Path, _inside(source, recursive)))]
    return sorted(filter(_is_listed, glob.glob(source, recursive=True)))


def _inside(source: str, recursive: bool) -> list[str]:
    """The pictures of a folder, and folders that may not be read, whose rows say so.

    What is hidden is passed over, as globs do: phones keep deleted photos and previews there.
    Linked folders are looked into after all others, and no folder twice.
    """
    found: list[str] = []
    seen: set[tuple[int, int]] = set()
    starts = [source]

    def add_shut(error: OSError) -> None:
        found.append(error.filename)

    for start in starts:
        for path, folders, files in os.walk(start, onerror=add_shut):
            known = os.stat(path)
            place = known.st_dev, known.st_ino
            if place in seen:
                folders.clear()
                continue
            seen.add(place)
            folders[:] = filter(_is_shown, folders)
            shown = filter(_is_shown, files)
            found += filter(_is_listed, (os.path.join(path, name) for name in shown))
            if not recursive:
                return found
            below = (os.path.join(path, name) for name in folders)
            starts += sorted(filter(os.path.islink, below))
    return found


def _is_listed(path: str) -> bool:
    """Whether a picture is there, or a link to a photo that is gone, whose row says so."""
    if os.path.isfile(path):
        return is_photo(path) or _is_other(path)
    return is_photo(path) and not os.path.exists(path)


def _is_shown(name: str) -> bool:
    """Whether a file or folder of that name is neither hidden nor made by a file manager."""
    return not name.startswith(".") and not is_of_system(name)


def _is_other(name: str) -> bool:
    """Whether a file of that name is a picture that is not read."""
    return name.lower().endswith(OTHER_SUFFIXES)


def _at_address(source: str, recursive: bool) -> list[str]:
    try:
        files, path = _fsspec().core.url_to_fs(source)
        if glob.has_magic(path):
            found = files.glob(path)
        elif files.isdir(path):
            below = files.find(path, maxdepth=None if recursive else 1)
            found = [one for one in below if all(map(_is_shown, one[len(path) :].split("/")))]
        else:
            found = [path] if files.exists(path) else []
        listed = [one for one in sorted(found) if is_photo(one) or _is_other(one)]
        return [str(files.unstrip_protocol(one)) for one in listed]
    except Exception as error:  # each kind of address has errors of its own
        raise PhotosNotFound(f"{source} cannot be opened: {_said(error)}") from None


def is_there(source: str) -> bool:
    """Whether a folder or file is there, as far as its name can tell."""
    return "://" in source or glob.has_magic(source) or Path(source).exists()


def is_photo(name: str) -> bool:
    """Whether a file of that name is listed: a photo, and no overlay of one."""
    return name.lower().endswith(PHOTO_SUFFIXES) and not name.endswith(OVERLAY)


def bytes_of(photo: str, folder: Path = Path()) -> bytes:
    """The bytes of a photo, of a longer file one more than MAX_FILE_BYTES. Raises OSError.

    A relative path begins in *folder*.
    """
    if "://" not in photo:
        with (folder / photo).open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    try:
        with _fsspec().open(photo, "rb") as file:
            return bytes(file.read(MAX_FILE_BYTES + 1))
    except Exception as error:  # each kind of address has errors of its own
        raise OSError(_said(error)) from error


def _said(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError:
        raise ImportError("pip install 'tallystone[cluster]' for addresses") from None
    return fsspec


def numbered(photos: Iterable[str], sources: Iterable[str] = ()) -> Iterator[tuple[int, str, str]]:
    """Number, address and name of the overlay of each photo; no two overlays have one name.

    The name has the folders between the photo and its source: other photos do not change it unless
    they are called the same there.
    """
    folders = [_without_glob(source) for source in sources]
    copies: dict[str, int] = {}
    taken: set[str] = set()
    for number, photo in enumerate(photos):
        stem = name = _below(PurePath(photo), folders)
        while name in taken:
            copies[stem] = copies.get(stem, 1) + 1
            name = f"{stem}-{copies[stem]}"
        taken.add(name)
        yield number, photo, f"{name}{OVERLAY}"


def _without_glob(source: str) -> PurePath:
    """The folder of a source: all of a glob before its first pattern."""
    if os.path.isdir(source):
        return PurePath(source)
    return PurePath(*takewhile(lambda part: not glob.has_magic(part), PurePath(source).parts))


def _below(photo: PurePath, folders: Iterable[PurePath]) -> str:
    """The name of a photo, with the folders between it and its source.

    Without .jpg; other endings stay, so that ``a.png`` never takes the name of ``a.jpg``.
    """
    photo = photo.with_suffix("") if photo.suffix == ".jpg" else photo
    for folder in folders:
        if photo != folder and photo.is_relative_to(folder):
            inside = photo.relative_to(folder)
            if ".." not in inside.parts:
                return inside.as_posix()
    return photo.name

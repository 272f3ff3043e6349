"""Writes files of the data folder: whole or not at all, and for their owner only."""

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_NAME = re.compile(r"[\w][\w .+-]{0,59}")
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3]) *([.].*)?")
"""What Windows takes for a device, whatever follows the first point."""
_OF_SYSTEM = re.compile(r"(?i)\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|lost\+found|@eaDir")
"""What file managers and file systems add to a folder by themselves."""
MOST_NAME_BYTES = 180
"""Most bytes of a name: 60 letters of Chinese. File systems allow 255 with all that is added."""


def is_file_name(name: str) -> bool:
    """Whether a name that somebody gives can be that of a file, wherever it is carried."""
    fits = _NAME.fullmatch(name) is not None and len(name.encode()) <= MOST_NAME_BYTES
    return fits and name.strip(". ") == name and not _DEVICE.fullmatch(name)


def is_of_system(name: str) -> bool:
    """Whether a file or folder of that name comes from a file manager or from a file system."""
    return _OF_SYSTEM.fullmatch(name) is not None


def make_folder(folder: Path) -> None:
    """Make a folder, and every missing one above it, that only its owner may open."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def write_whole(path: Path, data: bytes) -> Path:
    """Write a file that only its owner may read. A crash leaves the old file or the new one."""
    make_folder(path.parent)
    with replacing(path, 0o600) as file:
        file.write(data)
    return path


def is_stream(path: Path) -> bool:
    """Whether what is written to *path* goes on from there: a device, a pipe, an open file."""
    folder = path.parent.resolve()
    is_open = folder in (Path("/dev"), Path("/dev/fd")) or folder.is_relative_to("/proc")
    return is_open or (path.exists() and not path.is_file())


def expect_none(path: Path) -> None:
    """Raise FileExistsError, with one sentence, if there is something at *path*."""
    if path.exists():
        raise FileExistsError(f"{path} is there already: choose another name")


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """What ``replacing`` gives, but a file that is there already stays. Raises FileExistsError."""
    if not is_stream(path):
        expect_none(path)
    with replacing(path) as file:
        yield file


@contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file that takes the place of *path* once it is whole; an error leaves the old one.

    Without *mode* it may be read by whoever might read the old file, else by whom the system says.
    A device, a pipe or what ``/dev/stdout`` leads to is written to as it is.
    """
    if is_stream(path):
        with path.open("ab") as file:
            yield file
        return
    target = path.resolve()
    is_kept = mode is None and target.exists()
    if mode is None:
        mode = target.stat().st_mode & 0o777 if is_kept else 0o666
    part = target.with_name(f"{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            if is_kept:
                part.chmod(mode)  # with what the umask takes away
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(part)):
            error.filename = str(path)
        raise


def still_there(path: Path) -> Callable[[], bool]:
    """What tells whether the file is still the one that it is now: not gone, and not another one.

    Raises OSError if it is gone already.
    """
    opened = path.stat()

    def is_there() -> bool:
        try:
            return os.path.samestat(path.stat(), opened)
        except OSError:
            return False

    return is_there


def make_private(path: Path) -> None:
    """Let nobody but the owner read a file, or a folder with everything in it."""
    if path.is_symlink() or not path.exists():
        return
    is_folder = path.is_dir()
    mode = 0o700 if is_folder else 0o600
    if path.stat().st_mode & 0o777 != mode:
        path.chmod(mode)
    for inner in path.iterdir() if is_folder else ():
        make_private(inner)

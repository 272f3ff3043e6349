"""Profiles on disk: one portable file for each physical copy of a game."""

import contextlib
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

import numpy as np

from calibration.files import is_file_name, is_of_system, write_whole
from calibration.mislabelled import exchanged, exchanged_stones
from calibration.taught import (
    NoProfileError,
    ProfileError,
    TaughtSet,
    about,
    corrections_in,
    embedding_version,
    pack,
    unpack,
    unpacked,
)
from models.registry import manifest
from scorer.custom.labels import is_label
from scorer.notation import EMPTY
from scorer.text import Text, either
from vision.boards import BOARDS
from vision.profile import Profile, mean_colours, turned_vectors

DEFAULT_NAME = "default"
"""Name of the profile that comes with the program."""

SUFFIX = ".tallyprofile"
MOST_FILE_BYTES = 240
"""Most bytes in the name of a profile's file: the 255 of most file systems, less a suffix."""
BEFORE = ".before"
"""Follows the name of a profile's file that was taught anew, corrected or replaced."""

MOST_BYTES = 32 * 2**20
"""Largest profile file, in bytes."""

LEAST_SAME = 0.95
"""Least likeness of a vector to that of its picture; processors differ in the third digit."""


@dataclass(frozen=True, slots=True)
class ProfileInfo:
    """An entry of a list of profiles; ``crops`` were learnt, ``created`` is an ISO 8601 time."""

    name: str
    board: str
    labels: tuple[str, ...]
    crops: int
    created: str
    lessons: int = 0


@dataclass(frozen=True, slots=True)
class DamagedProfile:
    """A file that cannot be read; ``name`` and ``board`` are those in the name of the file.

    Of a file whose name is not that of a profile, ``name`` is all of it and ``board`` is empty.
    """

    name: str
    board: str
    problem: Text


def checked_name(name: str) -> str:
    """The name if it can be a file's. Raises ProfileError."""
    if not is_file_name(name):
        raise ProfileError(
            "a profile's name has up to 60 letters, digits, spaces or . _ + -, got %(name)s",
            name=repr(name),
        )
    return name


def own_name(name: str) -> str:
    """The name if a taught profile may bear it. Raises ProfileError."""
    if checked_name(name) == DEFAULT_NAME:
        raise ProfileError(
            "%(name)s is the name of the bundled profile: choose another", name=repr(DEFAULT_NAME)
        )
    return name


def profile_path(name: str, board: str, data_dir: Path) -> Path:
    """Where a profile lies in the data folder. A game may have any name: one that can be no part of
    a file's name is told by its SHA-256."""
    file = f"{checked_name(name)}.{board}{SUFFIX}"
    if not is_file_name(board) or len(file.encode()) > MOST_FILE_BYTES:
        digest = sha256(board.encode("utf-8", "surrogatepass")).hexdigest()
        file = f"{name}.{digest[:16]}{SUFFIX}"
    return data_dir / "profiles" / file


def save_taught(taught: TaughtSet, data_dir: Path) -> Path:
    """Write a taught set to its place in the data folder. Raises ProfileError, and leaves the file
    there as it is, if that is of another name and board or if the set could not be read again."""
    return write_whole(*_to_write(taught, data_dir))


def save_anew(taught: TaughtSet, data_dir: Path) -> Path | None:
    """Save a set that is taught anew or corrected as ``save_taught`` does. The former one is kept
    beside it, where an import finds it; None if there is none, or if it is damaged."""
    path, data = _to_write(taught, data_dir)
    former = _keep_former(path)
    write_whole(path, data)
    return former


def _keep_former(path: Path, unless: bytes = b"") -> Path | None:
    """Keep a profile beside itself; None if there is none, it is damaged, or its bytes are these.

    Raises OSError if it cannot be kept.
    """
    with contextlib.suppress(FileNotFoundError, ProfileError):
        old = _bytes_of(path)
        unpack(old, path.name)
        return None if old == unless else write_whole(_before(path), old)
    return None


def _to_write(taught: TaughtSet, data_dir: Path) -> tuple[Path, bytes]:
    """The file of a taught set and its bytes. Raises ProfileError as ``save_taught`` does."""
    path = _own_path(taught.profile.name, taught.profile.board, data_dir)
    data = pack(taught)
    unpack(data, path.name)
    return path, data


def _before(path: Path) -> Path:
    """Where the former one of a profile that was taught anew is kept."""
    return path.with_name(path.name + BEFORE)


def _own_path(name: str, board: str, data_dir: Path) -> Path:
    """Where a profile may be written: names with points can give two profiles one file."""
    path = profile_path(name, board, data_dir)
    for info in list_profiles(data_dir) if "." in name + board else ():
        other = info.name, info.board
        if other != (name, board) and profile_path(*other, data_dir) == path:
            raise ProfileError(
                "%(name)s for %(board)s would take the place of the profile %(other)s for "
                "%(other_board)s: choose another name",
                name=repr(name),
                board=board,
                other=repr(info.name),
                other_board=info.board,
            )
    return path


def load_taught(name: str, board: str, data_dir: Path) -> TaughtSet:
    """The named taught set of a board; ProfileError if missing or damaged.

    A copy that another version of the network learnt is learnt anew from its pictures and kept.
    """
    path = profile_path(name, board, data_dir)
    taught = unpack(read_file(name, board, data_dir), path.name)
    if taught.profile.board != board:
        raise ProfileError(
            "profile %(name)s was taught for %(taught_for)s, not for %(board)s",
            name=repr(name),
            taught_for=repr(taught.profile.board),
            board=repr(board),
        )
    if not taught.current:
        taught = learnt_anew(taught)
        with contextlib.suppress(OSError):  # not writable: learnt anew each time
            save_taught(taught, data_dir)
    return taught


def read_file(name: str, board: str, data_dir: Path) -> bytes:
    """The bytes of a profile's file. Raises ProfileError if it cannot be read."""
    try:
        return _bytes_of(profile_path(name, board, data_dir))
    except FileNotFoundError:
        raise _no_profile(name, board, data_dir) from None


def _bytes_of(path: Path) -> bytes:
    """The bytes of a file. Raises FileNotFoundError, or ProfileError if it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> ProfileError:
    return ProfileError(
        "%(name)s: cannot be read: %(strerror)s", name=_shown(path), strerror=error.strerror
    )


def _shown(path: Path) -> str:
    """The name of a file as text; a name in another encoding is escaped."""
    return path.name.encode(errors="backslashreplace").decode()


def _no_profile(name: str, board: str, data_dir: Path) -> NoProfileError:
    """The refusal to open a profile that is not there; it names those there are."""
    return NoProfileError(
        "no profile %(name)s for %(board)s%(have)s: teach one with `tallystone teach`",
        name=repr(name),
        board=board,
        have=_those_there(board, data_dir),
    )


def _those_there(board: str, data_dir: Path) -> str:
    """Which profiles of a board there are, as part of a sentence about one that is missing."""
    known = sorted({info.name for info in list_profiles(data_dir) if info.board == board})
    return Text("; there is %(known)s", known=", ".join(known)) if known else ""


def load_profile(name: str | None, board: str, data_dir: Path) -> Profile:
    """The named profile of a board; None is the one that comes with the program.

    Raises ProfileError if it is missing or damaged.
    """
    if name is None or name == DEFAULT_NAME:
        return default_profile(board, data_dir)
    return load_taught(name, board, data_dir).with_details()


def learnt_anew(taught: TaughtSet) -> TaughtSet:
    """The same lessons, learnt by the network in use."""
    vectors = {label: turned_vectors(taught.pictures(label)) for label in taught.profile.labels}
    return replace(
        taught, profile=replace(taught.profile, prototypes=vectors, model=embedding_version())
    )


def default_profile(board: str, data_dir: Path | None = None) -> Profile:
    """The bundled profile of a board.

    Raises ProfileError if the look of the board is not published, naming the copies of it in the
    data folder.
    """
    if board != "stones":
        infos = list_profiles(data_dir) if data_dir else []
        known = [f"`--profile {shlex.quote(info.name)}`" for info in infos if info.board == board]
        if known:
            raise ProfileError(
                "the look of %(board)s is not known beforehand: read with %(known)s",
                board=board,
                known=either(known),
            )
        raise ProfileError(
            "the look of %(board)s is not known beforehand: teach your copy first "
            "with `tallystone teach NAME --board %(named)s` and read with `--profile "
            "NAME`",
            board=board,
            named=board if board in BOARDS else "FILE.toml",
        )
    return Profile(DEFAULT_NAME, board, {}, manifest()["stones"].version, published=True)


def info_of(taught: TaughtSet) -> ProfileInfo:
    """What a list shows of a taught set."""
    profile = taught.profile
    crops = sum(len(p) for p in profile.prototypes.values())
    return ProfileInfo(
        profile.name,
        profile.board,
        profile.labels,
        crops,
        taught.created,
        len(taught.lessons),
    )


def list_profiles(data_dir: Path) -> list[ProfileInfo]:
    """Every profile of the data folder that is not damaged, by name."""
    return [one for one in _listed(data_dir) if isinstance(one, ProfileInfo)]


def damaged_profiles(data_dir: Path) -> list[DamagedProfile]:
    """Every file of the data folder that is damaged or of another version, by name."""
    return [one for one in _listed(data_dir) if isinstance(one, DamagedProfile)]


def _listed(data_dir: Path) -> Iterator[ProfileInfo | DamagedProfile]:
    for path in sorted((data_dir / "profiles").glob(f"*{SUFFIX}")):
        if is_of_system(path.name):
            continue
        try:
            state = path.stat()
            yield _info_at(path, state.st_mtime_ns, state.st_size, state.st_ino)
        except FileNotFoundError:  # deleted meanwhile
            continue
        except OSError as error:
            yield _damaged_at(path, _unreadable(path, error).message)


@lru_cache(maxsize=1024)
def _info_at(path: Path, *version: int) -> ProfileInfo | DamagedProfile:
    """What a list shows of a file in this *version*, unpacked once. Raises OSError."""
    data = path.read_bytes()
    try:
        return info_of(unpack(data, _shown(path)))
    except ProfileError as error:
        return _damaged_at(path, error.message)


def _damaged_at(path: Path, problem: Text) -> DamagedProfile:
    """What a list shows of a file that cannot be read."""
    parts = path.name.removesuffix(SUFFIX).split(".")
    for at in reversed(range(1, len(parts))) if path.is_file() else ():
        name, board = ".".join(parts[:at]), ".".join(parts[at:])
        if is_file_name(name) and profile_path(name, board, path.parents[1]) == path:
            return DamagedProfile(name, board, problem)
    problem = Text("%(problem)s, or delete this file", problem=problem)
    return DamagedProfile(_shown(path), "", problem)


def export_profile(name: str, board: str, data_dir: Path) -> bytes:
    """The profile's file, to be carried elsewhere. Raises ProfileError."""
    load_taught(name, board, data_dir)
    return read_file(name, board, data_dir)


def import_profile(
    data: bytes,
    source: str,
    data_dir: Path,
    name: str | None = None,
    if_taken: Literal["refuse", "rename", "replace"] = "refuse",
) -> ProfileInfo:
    """Check a profile's file and keep it: byte for byte, unless it gets another name.

    With ``if_taken="rename"`` a profile whose name is taken is kept under a fresh one; with
    ``"replace"`` the former one is kept beside it.

    Raises
    ------
    ProfileError
        If it is no profile, damaged, for unknown labels, or the name is taken.
    """
    with about(source):
        taught = _checked(data)
    board = taught.profile.board
    wanted = own_name(taught.profile.name if name is None else name)
    path = profile_path(wanted, board, data_dir)
    if path.exists() and if_taken == "rename":
        wanted = _fresh_name(wanted, board, data_dir)
        path = profile_path(wanted, board, data_dir)
    elif path.exists() and if_taken == "refuse":
        raise ProfileError(
            "there is a profile %(wanted)s for %(board)s already: import it "
            "with --name under another, or with --replace",
            wanted=repr(wanted),
            board=board,
        )
    if wanted != taught.profile.name:
        taught = _renamed(taught, wanted)
        data = pack(taught)
    path = _own_path(wanted, board, data_dir)
    _keep_former(path, unless=data)
    write_whole(path, data)
    return info_of(taught)


def _checked(data: bytes) -> TaughtSet:
    """A profile's file that could be read with; ProfileError if it cannot."""
    if len(data) > MOST_BYTES:
        raise ProfileError("far larger than any profile")
    taught = unpacked(data)
    board = taught.profile.board
    known = BOARDS[board].labels if board in BOARDS else None
    for label in taught.profile.labels:
        if known is not None and label not in known:
            raise ProfileError(
                "%(label)s is nothing that lies on a %(board)s board",
                label=repr(label),
                board=board,
            )
        if not (is_label(label) or (label == EMPTY and taught.spec.empty)):
            raise ProfileError("%(label)s cannot be a label", label=repr(label))
    _check_pictures(taught)
    return taught


def _check_pictures(taught: TaughtSet) -> None:
    """Raise ProfileError if the vectors or the labels contradict the pictures."""
    profile = taught.profile
    pictures = {label: taught.pictures(label) for label in profile.labels}
    vectors = {label: turned_vectors(crops) for label, crops in pictures.items()}
    for label, seen in vectors.items():
        kept = profile.prototypes[label]
        same = not taught.current or (
            kept.shape == seen.shape and (kept * seen).sum(2).min() >= LEAST_SAME
        )
        if not same or np.abs(profile.colours[label] - mean_colours(pictures[label])).max() > 1:
            raise ProfileError(
                "the pictures of %(label)s are not those it was learnt from", label=repr(label)
            )
    labels = [label for label, seen in vectors.items() for _ in seen]
    origins = [number for label in vectors for number in taught.origins[label]]
    found = np.concatenate(list(vectors.values()))
    wrong = exchanged(labels, origins, found, taught.spec.turns, corrections_in(taught.lessons))
    if wrong is not None:
        one, other = wrong
        raise ProfileError(
            "%(one)s and %(other)s are exchanged in one lesson: each "
            "looks like the other in the rest; teach it again",
            one=repr(one),
            other=repr(other),
        )
    named = exchanged_stones(pictures) if profile.board == "stones" else None
    if named is not None:
        label, symbol = named
        raise ProfileError(
            "the stone named %(label)s shows %(symbol)s; teach it again",
            label=repr(label),
            symbol=repr(symbol),
        )


def _fresh_name(name: str, board: str, data_dir: Path) -> str:
    """The name with the first number that is not taken."""
    number = 2
    while profile_path(fresh := f"{name[:54].rstrip(' .')} {number}", board, data_dir).exists():
        number += 1
    return fresh


def delete_profile(name: str, board: str, data_dir: Path) -> None:
    """Forget a profile, damaged ones, too, and the former one beside it.

    Raises ProfileError if there is none.
    """
    path = profile_path(name, board, data_dir)
    try:
        path.unlink()
    except FileNotFoundError:
        raise NoProfileError(
            "no profile %(name)s for %(board)s%(have)s",
            name=repr(name),
            board=board,
            have=_those_there(board, data_dir),
        ) from None
    _before(path).unlink(missing_ok=True)


def rename_profile(name: str, new_name: str, board: str, data_dir: Path) -> ProfileInfo:
    """Rename a profile and the former one beside it.

    Raises ProfileError if it is missing or the new name is taken.
    """
    taught = load_taught(name, board, data_dir)
    path = profile_path(name, board, data_dir)
    target = profile_path(own_name(new_name), board, data_dir)
    if target.exists():
        raise ProfileError(
            "there is a profile %(new_name)s for %(board)s already: choose another name",
            new_name=repr(new_name),
            board=board,
        )
    renamed = _renamed(taught, new_name)
    save_taught(renamed, data_dir)
    path.unlink()
    if _before(path).exists():
        with contextlib.suppress(ProfileError):  # a damaged one cannot be brought back
            former = unpack(_before(path).read_bytes(), _before(path).name)
            write_whole(_before(target), pack(_renamed(former, new_name)))
        _before(path).unlink()
    return info_of(renamed)


def _renamed(taught: TaughtSet, name: str) -> TaughtSet:
    return replace(taught, profile=replace(taught.profile, name=name))

"""Profiles on disk: one portable file for each physical copy of a game.

A file keeps the lesson crops beside their vectors, so that a later network can learn the same
lessons without the game.
"""

import contextlib
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np

from calibration.boards import described
from calibration.files import write_whole
from calibration.mislabelled import exchanged, exchanged_stones
from models.registry import manifest
from models.session import CROP_PX
from scorer.text import Text, Told
from vision.boards import BOARDS, BoardSpec
from vision.errors import PhotoRejected
from vision.geometry import Floats, Images
from vision.photo import decode_photo
from vision.profile import Profile, mean_colours, turned_vectors

FORMAT = 2
"""Version of the file's layout. Files of version 1 hold no pictures."""
DEFAULT_NAME = "default"
"""Name of the profile that comes with the program."""
SUFFIX = ".tallyprofile"
MOST_BYTES = 32 * 2**20
"""Largest profile file, in bytes."""
MOST_UNPACKED_BYTES = 96 * 2**20
MOST_LISTING_BYTES = 2**19
"""Longest list of a file's arrays, in bytes; that of a profile with all labels has 150 kB."""
MOST_META_BYTES = 2**20
MOST_LABELS = 500
MOST_CROPS_IN_ALL = 2000
"""Most crops of an imported profile; looking at one takes 2 ms."""
MOST_LESSON_NOTES = 1000
MOST_NOTE_LENGTH = 200
LEAST_SAME = 0.95
"""Least likeness of a vector to that of its picture; processors differ in the third digit."""
MOST_LABEL_LENGTH = 60
_WHOLE = 20_000
"""Least long side that keeps a decoded picture at full size."""
_NAME = re.compile(r"[\w][\w .+-]{0,59}")


class ProfileError(Told):
    """A profile is missing, unreadable, or of another board or model; ``str`` says what to do."""


@dataclass(frozen=True, slots=True)
class LessonNote:
    """Source of crops: a file name, an ISO 8601 time, and ``lesson`` or ``table`` (a
    correction)."""

    source: str
    at: str
    kind: str = "lesson"


def corrections_in(lessons: Sequence[LessonNote]) -> frozenset[int]:
    """The numbers of the lessons that are corrections made at the table."""
    return frozenset(number for number, note in enumerate(lessons) if note.kind == "table")


@dataclass(frozen=True, slots=True, eq=False)
class TaughtSet:
    """A profile with the lessons it came from.

    ``strips`` holds for each label its crops below one another as one PNG, in the order of the
    prototypes; ``origins`` the lesson of each crop, as a number into ``lessons``. Both are empty in
    files of version 1. ``shape`` describes a board that does not come with the program, as
    ``BoardSpec.from_table`` reads it.
    """

    profile: Profile
    created: str
    strips: Mapping[str, bytes] = field(default_factory=dict)
    origins: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    lessons: tuple[LessonNote, ...] = ()
    shape: Mapping[str, Any] | None = None

    @property
    def spec(self) -> BoardSpec:
        """The board that was taught. Of an own board of an older version only the name is known."""
        if self.shape is not None:
            return BoardSpec.from_table(self.shape)
        return described(self.profile.board)

    def pictures(self, label: str) -> Images:
        """The upright crops of a label, shape (k, 64, 64, 3), RGB. Raises ProfileError if they are
        damaged."""
        count = len(self.profile.prototypes[label])
        strip = self.strips.get(label)
        if strip is None:
            return np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8)
        if strip[:24] != _png_start(CROP_PX, count * CROP_PX):
            raise ProfileError(
                "the pictures of %(label)s are damaged; import or teach it again", label=repr(label)
            )
        try:
            image_bgr = decode_photo(strip, _WHOLE).image_bgr
        except PhotoRejected:
            image_bgr = np.zeros((0, 0, 3), np.uint8)
        if image_bgr.shape != (count * CROP_PX, CROP_PX, 3):
            raise ProfileError(
                "the pictures of %(label)s are damaged; import or teach it again", label=repr(label)
            )
        return np.ascontiguousarray(image_bgr[..., ::-1].reshape(count, CROP_PX, CROP_PX, 3))

    @property
    def has_pictures(self) -> bool:
        return bool(self.strips)

    @property
    def current(self) -> bool:
        """Whether the vectors are of the network in use."""
        return self.profile.model == embedding_version()


@dataclass(frozen=True, slots=True)
class ProfileInfo:
    """What a list of profiles shows: ``crops`` is how many lesson crops were learnt, ``created`` an
    ISO 8601 time.

    ``readable`` is false for a copy that has to be taught again: its network is gone and it kept no
    pictures.
    """

    name: str
    board: str
    labels: tuple[str, ...]
    crops: int
    created: str
    readable: bool = True
    lessons: int = 0


def embedding_version() -> str:
    """The version that every vector of a profile must come from."""
    return manifest()["embedding"].version


def now() -> str:
    """The time as profiles note it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def checked_name(name: str) -> str:
    """The name if it can be a file's. Raises ProfileError."""
    if not _NAME.fullmatch(name) or name.strip(". ") != name:
        raise ProfileError(
            "a profile's name has up to 60 letters, digits, spaces or . _ + -, got %(name)s",
            name=repr(name),
        )
    return name


def own_name(name: str) -> str:
    """The name if a taught profile may bear it. Raises ProfileError."""
    if checked_name(name) == DEFAULT_NAME:
        raise ProfileError(
            "%(default_name)s is the name of the bundled profile: choose another",
            default_name=repr(DEFAULT_NAME),
        )
    return name


def profile_path(name: str, board: str, data_dir: Path) -> Path:
    """Where a profile lies in the data folder."""
    return data_dir / "profiles" / f"{checked_name(name)}.{checked_name(board)}{SUFFIX}"


def strip_of(crops: Images) -> bytes:
    """Crops (k, 64, 64, 3) below one another as one PNG."""
    image_bgr = np.ascontiguousarray(crops.reshape(-1, CROP_PX, 3)[..., ::-1])
    return bytes(cv2.imencode(".png", image_bgr)[1])


def _png_start(width: int, height: int) -> bytes:
    """The first bytes of a PNG of that size: what is larger is not decoded."""
    return (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
        + width.to_bytes(4, "big")
        + height.to_bytes(4, "big")
    )


def pack(taught: TaughtSet) -> bytes:
    """The profile as one file: a zip of plain arrays, PNG pictures and a JSON description; no code
    in it."""
    profile = taught.profile
    meta: dict[str, Any] = {
        "format": FORMAT,
        "name": profile.name,
        "board": profile.board,
        "model": profile.model,
        "created": taught.created,
        "labels": list(profile.labels),
        "crops": {label: len(vectors) for label, vectors in profile.prototypes.items()},
        "lessons": [{"source": n.source, "at": n.at, "kind": n.kind} for n in taught.lessons],
        "origins": {label: list(numbers) for label, numbers in taught.origins.items()},
    }
    if taught.shape is not None:
        meta["shape"] = dict(taught.shape)
    arrays: dict[str, Any] = {  # Any: the stubs would take the values for keyword options
        f"prototypes_{i}": np.asarray(p, np.float16)
        for i, p in enumerate(profile.prototypes.values())
    }
    arrays |= {
        f"colours_{i}": profile.colours[label].astype(np.float16)
        for i, label in enumerate(profile.labels)
    }
    arrays |= {
        f"inks_{i}": profile.inks[label].astype(np.float16)
        for i, label in enumerate(profile.labels)
        if label in profile.inks
    }
    arrays |= {
        f"pictures_{i}": np.frombuffer(taught.strips[label], np.uint8)
        for i, label in enumerate(profile.labels)
        if label in taught.strips
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
    return buffer.getvalue()


def unpack(data: bytes, source: str) -> TaughtSet:
    """Read what ``pack`` wrote, pictures unchanged; ProfileError if it is damaged or too new."""
    try:
        if _listing_bytes(data) > MOST_LISTING_BYTES:
            raise ProfileError("%(source)s: holds more than any profile", source=source)
        with zipfile.ZipFile(io.BytesIO(data)) as listing:
            if sum(entry.file_size for entry in listing.infolist()) > MOST_UNPACKED_BYTES:
                raise ProfileError("%(source)s: far larger than any profile", source=source)
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            text = archive["meta"].tobytes()
            if len(text) > MOST_META_BYTES:
                raise ProfileError(
                    "%(source)s: its description is far longer than any profile's", source=source
                )
            meta = json.loads(text)
            json.dumps(meta, ensure_ascii=False).encode()  # refuses halves of letters
            if meta["format"] > FORMAT:
                raise ProfileError(
                    "%(source)s: made by a newer tallystone; update this one, or teach again",
                    source=source,
                )
            return _from_archive(archive, meta, source)
    except ProfileError:
        raise
    except Exception as error:  # zip, JSON and array readers raise many types on damaged files
        raise ProfileError(
            "%(source)s: not a tallystone profile, or damaged; import or teach it again",
            source=source,
        ) from error


def _listing_bytes(data: bytes) -> int:
    """Length of a zip's list of entries, all of which its reader takes into memory. Raises
    ValueError if the file does not end with such a list."""
    end = data[-22:]
    if end[:4] != b"PK\5\6" or end[-2:] != b"\0\0" or data[-42:-38] == b"PK\6\7":
        raise ValueError("no plain zip")
    return int.from_bytes(end[12:16], "little")


def _from_archive(archive: Mapping[str, Any], meta: Mapping[str, Any], source: str) -> TaughtSet:
    labels = [str(label) for label in meta["labels"]]
    if not 1 <= len(labels) <= MOST_LABELS or len(set(labels)) != len(labels):
        raise ProfileError(
            "%(source)s: holds %(count)s labels, expected 1 to %(most)s different ones",
            source=source,
            count=len(labels),
            most=MOST_LABELS,
        )
    prototypes, colours, inks, strips = {}, {}, {}, {}
    for i, label in enumerate(labels):
        vectors = archive[f"prototypes_{i}"].astype(np.float32)
        colours[label] = archive[f"colours_{i}"].astype(np.float32)
        shapes_fit = vectors.ndim == 3 and vectors.shape[1] == 4 and len(vectors) > 0
        shapes_fit &= colours[label].shape == (len(vectors), 3)
        if (
            not shapes_fit
            or not np.isfinite(vectors).all()
            or not np.isfinite(colours[label]).all()
        ):
            raise ProfileError(
                "%(source)s: the vectors of %(label)s are damaged; import or teach it again",
                source=source,
                label=repr(label),
            )
        if f"inks_{i}" in archive:
            inks[label] = archive[f"inks_{i}"].astype(np.float32)
            if inks[label].shape != colours[label].shape or not np.isfinite(inks[label]).all():
                raise ProfileError(
                    "%(source)s: the inks of %(label)s are damaged; import or teach it again",
                    source=source,
                    label=repr(label),
                )
        prototypes[label] = vectors / np.maximum(
            np.linalg.norm(vectors, axis=2, keepdims=True), 1e-6
        )
        if f"pictures_{i}" in archive:
            strips[label] = archive[f"pictures_{i}"].tobytes()
    if sum(len(vectors) for vectors in prototypes.values()) > MOST_CROPS_IN_ALL:
        raise ProfileError(
            "%(source)s: holds more than %(most_crops_in_all)s crops",
            source=source,
            most_crops_in_all=MOST_CROPS_IN_ALL,
        )
    if strips and len(strips) != len(labels):
        raise ProfileError(
            "%(source)s: some pictures are missing; import or teach it again", source=source
        )
    written = [
        meta["created"],
        *(n[k] for n in meta.get("lessons", ()) for k in ("source", "at", "kind")),
    ]
    if len(written) > 3 * MOST_LESSON_NOTES or any(
        len(str(text)) > MOST_NOTE_LENGTH for text in written
    ):
        raise ProfileError(
            "%(source)s: its list of lessons is far longer than any profile's", source=source
        )
    notes = tuple(
        LessonNote(str(n["source"]), str(n["at"]), str(n["kind"])) for n in meta.get("lessons", [])
    )
    origins = {str(k): tuple(int(n) for n in v) for k, v in meta.get("origins", {}).items()}
    if any(len(origins.get(k, ())) != len(prototypes[k]) for k in strips) or any(
        not 0 <= n < len(notes) for numbers in origins.values() for n in numbers
    ):
        raise ProfileError(
            "%(source)s: its list of lessons is damaged; import or teach it again", source=source
        )
    profile = Profile(
        str(meta["name"]), str(meta["board"]), prototypes, str(meta["model"]), colours, inks=inks
    )
    shape = meta.get("shape")
    if shape is not None and BoardSpec.from_table(shape).name != profile.board:
        raise ProfileError(
            "%(source)s: its board is damaged; import or teach it again", source=source
        )
    return TaughtSet(profile, str(meta["created"]), strips, origins, notes, shape)


def save_taught(taught: TaughtSet, data_dir: Path) -> Path:
    """Write a taught set to its place in the data folder."""
    return write_whole(
        profile_path(taught.profile.name, taught.profile.board, data_dir), pack(taught)
    )


def load_taught(name: str, board: str, data_dir: Path) -> TaughtSet:
    """The named taught set of a board, of any network; ProfileError if missing or damaged."""
    path = profile_path(name, board, data_dir)
    taught = unpack(read_file(name, board, data_dir), path.name)
    if taught.profile.board != board:
        raise ProfileError(
            "profile %(name)s was taught for %(taught_for)s, not for %(board)s",
            name=repr(name),
            taught_for=repr(taught.profile.board),
            board=repr(board),
        )
    return taught


def read_file(name: str, board: str, data_dir: Path) -> bytes:
    """The bytes of a profile's file. Raises ProfileError naming those there are."""
    try:
        return profile_path(name, board, data_dir).read_bytes()
    except FileNotFoundError:
        known = sorted({info.name for info in list_profiles(data_dir) if info.board == board})
        have = Text("; there is %(known)s", known=", ".join(known)) if known else ""
        raise ProfileError(
            "no profile %(name)s for %(board)s%(have)s: teach one with `tallystone teach`",
            name=repr(name),
            board=board,
            have=have,
        ) from None


def load_profile(name: str | None, board: str, data_dir: Path) -> Profile:
    """The named profile of a board; None is the one that comes with the program.

    A copy that another version of the network learnt is learnt anew from its pictures and kept.

    Raises
    ------
    ProfileError
        If it is missing or damaged, or its network is gone and it has no pictures.
    """
    if name is None or name == DEFAULT_NAME:
        return default_profile(board)
    taught = load_taught(name, board, data_dir)
    if not taught.current:
        taught = learnt_anew(taught)
        with contextlib.suppress(OSError):  # not writable: learnt anew each time
            save_taught(taught, data_dir)
    return taught.profile


def learnt_anew(taught: TaughtSet) -> TaughtSet:
    """The same lessons, learnt by the network in use; ProfileError without pictures."""
    if not taught.has_pictures:
        raise ProfileError(
            "profile %(name)s was taught with another model version; teach it again",
            name=repr(taught.profile.name),
        )
    vectors = {label: turned_vectors(taught.pictures(label)) for label in taught.profile.labels}
    return replace(
        taught, profile=replace(taught.profile, prototypes=vectors, model=embedding_version())
    )


def default_profile(board: str) -> Profile:
    """The bundled profile of a board; ProfileError if the look of the board is not published."""
    if board != "stones":
        raise ProfileError(
            "the look of %(board)s is not known beforehand: teach your copy first "
            "with `tallystone teach NAME --board ...` and read with `--profile "
            "NAME`",
            board=board,
        )
    return Profile(DEFAULT_NAME, board, {}, manifest()["stones"].version, published=True)


def info_of(taught: TaughtSet) -> ProfileInfo:
    """What a list shows of a taught set."""
    profile = taught.profile
    crops = sum(len(p) for p in profile.prototypes.values())
    readable = taught.current or taught.has_pictures
    return ProfileInfo(
        profile.name,
        profile.board,
        profile.labels,
        crops,
        taught.created,
        readable,
        len(taught.lessons),
    )


def list_profiles(data_dir: Path) -> list[ProfileInfo]:
    """Every profile of the data folder that is not damaged, by name."""
    found = []
    for path in sorted((data_dir / "profiles").glob(f"*{SUFFIX}")):
        with contextlib.suppress(FileNotFoundError):  # deleted meanwhile
            state = path.stat()
            info = _info_at(path, state.st_mtime_ns, state.st_size, state.st_ino)
            found += [info] if info else []
    return found


@lru_cache(maxsize=1024)
def _info_at(path: Path, *version: int) -> ProfileInfo | None:
    """What a list shows of a file in this *version*, unpacked once; None if it is damaged."""
    try:
        return info_of(unpack(path.read_bytes(), path.name))
    except ProfileError:
        return None


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

    With ``if_taken="rename"`` a profile whose name is taken is kept under a fresh one.

    Raises
    ------
    ProfileError
        If it is no profile, damaged, of a network that is gone, for unknown labels, or the name is
        taken.
    """
    if len(data) > MOST_BYTES:
        raise ProfileError("%(source)s: far larger than any profile", source=source)
    taught = unpack(data, source)
    board = taught.profile.board
    known = BOARDS[board].labels if board in BOARDS else None
    for label in taught.profile.labels:
        if known is not None and label not in known:
            raise ProfileError(
                "%(source)s: %(label)s is nothing that lies on a %(board)s board",
                source=source,
                label=repr(label),
                board=board,
            )
        if not label or len(label) > MOST_LABEL_LENGTH or not label.isprintable() or " " in label:
            raise ProfileError(
                "%(source)s: %(label)s cannot be a label", source=source, label=repr(label)
            )
    if taught.has_pictures:
        _check_pictures(taught, source)
    elif any(p.shape[1:] != _blank_vectors().shape[1:] for p in taught.profile.prototypes.values()):
        raise ProfileError("%(source)s: its vectors are damaged; teach it again", source=source)
    if not taught.current and not taught.has_pictures:
        raise ProfileError(
            "%(source)s: taught with another model version; teach it again", source=source
        )
    wanted = own_name(name or taught.profile.name)
    path = profile_path(wanted, board, data_dir)
    if path.exists() and if_taken == "rename":
        wanted = _fresh_name(wanted, board, data_dir)
        path = profile_path(wanted, board, data_dir)
    elif path.exists() and if_taken == "refuse":
        raise ProfileError(
            "there is a profile %(wanted)s for %(board)s already: import under "
            "another name, or replace it",
            wanted=repr(wanted),
            board=board,
        )
    if wanted != taught.profile.name:
        taught = replace(taught, profile=replace(taught.profile, name=wanted))
        data = pack(taught)
    write_whole(path, data)
    return info_of(taught)


def _blank_vectors() -> Floats:
    """The vectors of a picture that shows nothing."""
    return turned_vectors(np.zeros((1, CROP_PX, CROP_PX, 3), np.uint8))


def _check_pictures(taught: TaughtSet, source: str) -> None:
    """Raise ProfileError if the vectors or the labels contradict the pictures."""
    profile, pictures = (
        taught.profile,
        {label: taught.pictures(label) for label in taught.profile.labels},
    )
    vectors = {label: turned_vectors(crops) for label, crops in pictures.items()}
    for label, seen in vectors.items():
        kept = profile.prototypes[label]
        same = not taught.current or (
            kept.shape == seen.shape and (kept * seen).sum(2).min() >= LEAST_SAME
        )
        if not same or np.abs(profile.colours[label] - mean_colours(pictures[label])).max() > 1:
            raise ProfileError(
                "%(source)s: the pictures of %(label)s are not those it was learnt from",
                source=source,
                label=repr(label),
            )
    labels = [label for label, seen in vectors.items() for _ in seen]
    origins = [number for label in vectors for number in taught.origins[label]]
    found = np.concatenate(list(vectors.values()))
    wrong = exchanged(labels, origins, found, taught.spec.turns, corrections_in(taught.lessons))
    if wrong is not None:
        one, other = wrong
        raise ProfileError(
            "%(source)s: %(one)s and %(other)s are exchanged in one lesson: each "
            "looks like the other in the rest; teach it again",
            source=source,
            one=repr(one),
            other=repr(other),
        )
    named = exchanged_stones(pictures) if profile.board == "stones" else None
    if named is not None:
        label, symbol = named
        raise ProfileError(
            "%(source)s: the stone named %(label)s shows %(symbol)s; teach it again",
            source=source,
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
    """Forget a profile; damaged ones, too. Raises ProfileError if there is none."""
    read_file(name, board, data_dir)
    profile_path(name, board, data_dir).unlink()


def rename_profile(name: str, new_name: str, board: str, data_dir: Path) -> ProfileInfo:
    """Rename a profile. Raises ProfileError if it is missing or the new name is taken."""
    taught = load_taught(name, board, data_dir)
    target = profile_path(own_name(new_name), board, data_dir)
    if target.exists():
        raise ProfileError(
            "there is a profile %(new_name)s for %(board)s already: choose another name",
            new_name=repr(new_name),
            board=board,
        )
    renamed = replace(taught, profile=replace(taught.profile, name=new_name))
    save_taught(renamed, data_dir)
    profile_path(name, board, data_dir).unlink()
    return info_of(renamed)

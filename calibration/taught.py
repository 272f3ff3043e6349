"""A taught set: a profile with the lessons it came from, and the file that holds both.

A file keeps the lesson crops beside their vectors, so that a later network can learn the same
lessons without the game.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import cv2
import numpy as np

from calibration.boards import described
from models.registry import manifest
from models.session import CROP_PX
from scorer.notation import EMPTY
from scorer.text import Told
from vision.boards import BoardSpec
from vision.errors import PhotoRejected
from vision.geometry import Floats, Images
from vision.name.details import TaughtDetails
from vision.photo import decode_photo
from vision.profile import Profile

FORMAT = 2
"""Version of the file's layout."""

MOST_UNPACKED_BYTES = 96 * 2**20

MOST_LISTING_BYTES = 2**19
"""Longest list of a file's arrays, in bytes; that of a profile with all labels has 150 kB."""

MOST_META_BYTES = 2**20

MOST_LABELS = 500

MOST_CROPS_IN_ALL = 2000
"""Most crops of a profile; looking at one takes 2 ms."""

MOST_LESSON_NOTES = 1000

MOST_NOTE_LENGTH = 200

_WHOLE = 20_000
"""Least long side that keeps a decoded picture at full size."""


class ProfileError(Told):
    """A profile is missing, unreadable, or of another board or model; ``str`` says what to do."""


class NoProfileError(ProfileError):
    """There is no profile of that name."""


@dataclass(frozen=True, slots=True)
class LessonNote:
    """Source of crops: a file name, an ISO 8601 time, ``lesson`` or ``table`` (a correction)."""

    source: str
    at: str
    kind: str = "lesson"


def noted(source: str, kind: str = "lesson") -> LessonNote:
    """A note of what is learnt now; of a long source it keeps the beginning."""
    return LessonNote(source[:MOST_NOTE_LENGTH], now(), kind)


def corrections_in(lessons: Sequence[LessonNote]) -> frozenset[int]:
    """The numbers of the lessons that are corrections made at the table."""
    return frozenset(number for number, note in enumerate(lessons) if note.kind == "table")


@dataclass(frozen=True, slots=True, eq=False)
class TaughtSet:
    """A profile with the lessons it came from.

    ``strips`` holds for each label its crops below one another as one PNG, in the order of the
    prototypes; ``origins`` the lesson of each crop, as a number into ``lessons``. ``shape``
    describes a board that does not come with the program, as ``BoardSpec.from_table`` reads it.
    """

    profile: Profile
    created: str
    strips: Mapping[str, bytes]
    origins: Mapping[str, tuple[int, ...]]
    lessons: tuple[LessonNote, ...]
    shape: Mapping[str, Any] | None = None

    @property
    def spec(self) -> BoardSpec:
        """The board that was taught. Of an own board of an older version only the name is known."""
        if self.shape is not None:
            return BoardSpec.from_table(self.shape)
        return described(self.profile.board)

    def pictures(self, label: str) -> Images:
        """The upright RGB crops (k, 64, 64, 3) of a label; raises ProfileError if damaged."""
        strip, count = self._strip(label), len(self.profile.prototypes[label])
        with suppress(PhotoRejected):
            image_bgr = decode_photo(strip, _WHOLE).image_bgr
            if image_bgr.shape == (count * CROP_PX, CROP_PX, 3):
                rgb = image_bgr[..., ::-1].reshape(count, CROP_PX, CROP_PX, 3)
                return np.ascontiguousarray(rgb)
        raise _damaged(label)

    def _strip(self, label: str) -> bytes:
        """The file with the pictures of a label; ProfileError if it is none or of another size."""
        strip, count = self.strips[label], len(self.profile.prototypes[label])
        if strip[:24] != _png_start(CROP_PX, count * CROP_PX):
            raise _damaged(label)
        return strip

    def with_details(self) -> Profile:
        """The profile to read with, which compares pictures, too; ProfileError if some are missing.

        They are decoded when they are needed first, which raises ProfileError if they are damaged.
        """
        for label in self.profile.labels:
            self._strip(label)
        details = TaughtDetails(self.spec, self.profile.labels, self.pictures)
        bare_lessons = self.origins.get(EMPTY, ()) if self.spec.printed_cells else ()
        return replace(self.profile, details=details, bare_lessons=bare_lessons)

    @property
    def current(self) -> bool:
        """Whether the vectors are of the network in use."""
        return self.profile.model == embedding_version()


def _damaged(label: str) -> ProfileError:
    return ProfileError(
        "the pictures of %(label)s are damaged; import or teach it again", label=repr(label)
    )


def embedding_version() -> str:
    """The version that every vector of a profile must come from."""
    return manifest()["embedding"].version


def now() -> str:
    """The time as profiles note it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


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
    """The profile as a zip of plain arrays, PNG pictures and JSON; no code in it."""
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
        "boards": [dict(board) for board in profile.boards],
    }
    if taught.shape is not None:
        meta["shape"] = dict(taught.shape)
    arrays: dict[str, Any] = {  # Any: the stubs would take the values for keyword options
        f"{kind}_{i}": np.asarray(found[label], np.float16)
        for kind, found in (
            ("prototypes", profile.prototypes),
            ("colours", profile.colours),
            ("inks", profile.inks),
        )
        for i, label in enumerate(profile.labels)
        if label in found
    }
    arrays |= {
        f"pictures_{i}": np.frombuffer(taught.strips[label], np.uint8)
        for i, label in enumerate(profile.labels)
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
    return buffer.getvalue()


@contextmanager
def about(source: str) -> Iterator[None]:
    """Name the file in a ProfileError about it."""
    try:
        yield
    except ProfileError as error:
        message = error.message
        raise ProfileError("%(source)s: %(message)s", source=source, message=message) from error


def unpack(data: bytes, source: str) -> TaughtSet:
    """Read a file that ``pack`` wrote; a ProfileError names it."""
    with about(source):
        return unpacked(data)


def unpacked(data: bytes) -> TaughtSet:
    """Read what ``pack`` wrote, pictures unchanged; ProfileError if it is damaged or too new."""
    try:
        if _listing_bytes(data) > MOST_LISTING_BYTES:
            raise ProfileError("holds more than any profile")
        with zipfile.ZipFile(io.BytesIO(data)) as listing:
            if sum(entry.file_size for entry in listing.infolist()) > MOST_UNPACKED_BYTES:
                raise ProfileError("far larger than any profile")
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            text = archive["meta"].tobytes()
            if len(text) > MOST_META_BYTES:
                raise ProfileError("its description is far longer than any profile's")
            meta = json.loads(text)
            json.dumps(meta, ensure_ascii=False).encode()  # refuses halves of letters
            if meta["format"] > FORMAT:
                raise ProfileError("made by a newer tallystone; update this one, or teach again")
            if meta["format"] < FORMAT:
                raise ProfileError("made by an older tallystone; teach it again")
            return _from_archive(archive, meta)
    except ProfileError:
        raise
    except Exception as error:  # zip, JSON and array readers raise many types on damaged files
        raise ProfileError(
            "not a tallystone profile, or damaged; import or teach it again"
        ) from error


def _listing_bytes(data: bytes) -> int:
    """Length of a zip's list of entries, all of which its reader takes into memory.

    Raises ValueError if the file does not end with such a list.
    """
    end = data[-22:]
    if end[:4] != b"PK\5\6" or end[-2:] != b"\0\0" or data[-42:-38] == b"PK\6\7":
        raise ValueError("no plain zip")
    return int.from_bytes(end[12:16], "little")


def _from_archive(archive: Mapping[str, Any], meta: Mapping[str, Any]) -> TaughtSet:
    prototypes, colours, inks, strips = _faces(archive, meta)
    notes = _notes(meta)
    origins = {str(k): tuple(int(n) for n in v) for k, v in meta["origins"].items()}
    if any(len(origins.get(k, ())) != len(prototypes[k]) for k in strips) or any(
        not 0 <= n < len(notes) for numbers in origins.values() for n in numbers
    ):
        raise ProfileError("its list of lessons is damaged; import or teach it again")
    profile = Profile(
        str(meta["name"]),
        str(meta["board"]),
        prototypes,
        str(meta["model"]),
        colours,
        inks=inks,
        boards=_boards(meta),
    )
    shape = meta.get("shape")
    if shape is not None and BoardSpec.from_table(shape).name != profile.board:
        raise ProfileError("its board is damaged; import or teach it again")
    return TaughtSet(profile, str(meta["created"]), strips, origins, notes, shape)


def _faces(
    archive: Mapping[str, Any], meta: Mapping[str, Any]
) -> tuple[dict[str, Floats], dict[str, Floats], dict[str, Floats], dict[str, bytes]]:
    """Prototypes, colours, inks and pictures of each label."""
    labels = [str(label) for label in meta["labels"]]
    if not 1 <= len(labels) <= MOST_LABELS or len(set(labels)) != len(labels):
        raise ProfileError(
            "holds %(count)s labels, expected 1 to %(most)s different ones",
            count=len(labels),
            most=MOST_LABELS,
        )
    prototypes: dict[str, Floats] = {}
    colours: dict[str, Floats] = {}
    inks: dict[str, Floats] = {}
    strips: dict[str, bytes] = {}
    for i, label in enumerate(labels):
        vectors = archive[f"prototypes_{i}"].astype(np.float32)
        means = colours[label] = archive[f"colours_{i}"].astype(np.float32)
        shapes_fit = vectors.ndim == 3 and vectors.shape[1] == 4 and len(vectors) > 0
        shapes_fit &= means.shape == (len(vectors), 3)
        if not shapes_fit or not (np.isfinite(vectors).all() and np.isfinite(means).all()):
            raise ProfileError(
                "the vectors of %(label)s are damaged; import or teach it again", label=repr(label)
            )
        if f"inks_{i}" in archive:
            inks[label] = archive[f"inks_{i}"].astype(np.float32)
            if inks[label].shape != colours[label].shape or not np.isfinite(inks[label]).all():
                raise ProfileError(
                    "the inks of %(label)s are damaged; import or teach it again", label=repr(label)
                )
        prototypes[label] = vectors / np.maximum(
            np.linalg.norm(vectors, axis=2, keepdims=True), 1e-6
        )
        strips[label] = archive[f"pictures_{i}"].tobytes()
    if sum(len(vectors) for vectors in prototypes.values()) > MOST_CROPS_IN_ALL:
        raise ProfileError("holds more than %(most)s crops", most=MOST_CROPS_IN_ALL)
    return prototypes, colours, inks, strips


def _boards(meta: Mapping[str, Any]) -> tuple[dict[str, int], ...]:
    """How often each label lay on the whole boards of the lessons; older files do not tell."""
    boards = meta.get("boards", ())
    if len(boards) > MOST_LESSON_NOTES or any(len(board) > MOST_LABELS + 1 for board in boards):
        raise ProfileError("its list of lessons is far longer than any profile's")
    return tuple({str(label): int(count) for label, count in b.items()} for b in boards)


def _notes(meta: Mapping[str, Any]) -> tuple[LessonNote, ...]:
    """The lessons in their order."""
    written = [
        meta["created"],
        *(n[k] for n in meta.get("lessons", ()) for k in ("source", "at", "kind")),
    ]
    if len(written) > 1 + 3 * MOST_LESSON_NOTES or any(
        len(str(text)) > MOST_NOTE_LENGTH for text in written
    ):
        raise ProfileError("its list of lessons is far longer than any profile's")
    return tuple(
        LessonNote(str(n["source"]), str(n["at"]), str(n["kind"])) for n in meta.get("lessons", [])
    )

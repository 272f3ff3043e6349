"""What the page, the API and the command line can ask for. Knows nothing of Flask.

Everything that goes in or out is text, bytes or plain JSON values, so that the same functions serve
a route, a command and a test.
"""

import base64
import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import cv2

from calibration.camera import CameraError, load_camera
from calibration.card_reader import open_card_reader
from calibration.confirmed import ConfirmedBoard, with_confirmed
from calibration.fitting import Reads, read_fitting
from calibration.profiles import ProfileInfo, list_profiles, profile_path
from calibration.reader import Reader, open_reader
from calibration.taught import ProfileError
from models.registry import ModelError
from scorer.custom.board import BoardSpecError
from scorer.notation import EMPTY
from scorer.text import Told
from vision.boards import BOARDS, STONES, BoardSpec
from vision.find.corners import Corners
from vision.kinds.cards.reading import CardsReading
from vision.overlay import draw_overlay
from vision.photo import decode_photo
from vision.reading import Reading
from webapp.batch.elsewhere import Elsewhere, Place, here

MOST_READERS = 48
"""Readers that stay open; the one opened first is closed for another. To find out which game lies
there, all that are known are opened, at most MOST_TRIED a board."""

OVERLAY_QUALITY = 90
"""JPEG quality of overlays."""

BUNDLED_BOARDS = ("stones",)
"""Boards that can be read though nobody has taught a copy."""


BUNDLED = "default"
"""What a reading names as its copy where it is the one that comes with the program."""

MOST_TRIED = 8
"""Copies that are compared with a photo where nobody has said which one lies on the table."""

FOREIGN = 2
"""Least rank of a copy that was taught by a device that is not at the table."""

T = TypeVar("T")

Devices = frozenset[str]
"""Hashes of the secrets of the devices at one table."""


FileVersion = tuple[int, int, int]
"""Time of the last change in nanoseconds, size and inode of a file."""


class UnknownBoardError(Told, ValueError):
    """The page was asked for a board that it cannot show."""


class UnknownProfileError(Told, ValueError):
    """No profile of that name was taught for the board."""


class NotTaughtError(Told, ValueError):
    """The look of this board is not known beforehand, and nobody has taught it yet."""


@dataclass(frozen=True, slots=True)
class BoardRead:
    """The reading of one photo as JSON, with the values of its cells (``TableReader.describe``)."""

    document: dict[str, Any]
    spec: dict[str, Any]
    reading: Reading


class ReadsCards(Protocol):
    """The part of ``calibration.card_reader.CardReader`` that is used here."""

    def read(self, data: bytes) -> CardsReading: ...


OpensReaders = Callable[[BoardSpec, str | None, Path], Reads]
"""The shape of ``calibration.reader.open_reader``."""

OpensCardReaders = Callable[[str | None, Path], ReadsCards]
"""The shape of ``calibration.card_reader.open_card_reader``."""


@dataclass(frozen=True, slots=True)
class _Readers:
    """Opens the readers of copies by their names: each when it is needed, all for a journey."""

    opened: Callable[[str], Reads]
    names: Sequence[str]

    def __call__(self, name: str) -> Reads:
        return self.opened(name)

    def __reduce__(self) -> Any:
        return getattr, ({name: self.opened(name) for name in self.names}, "__getitem__")


class TableReader:
    """Reads photos for many phones at once: each reader is opened once and kept.

    Knows nothing of crowds: in the server, every photo passes ``webapp.guard.gate`` first. *place*
    is where photos are read: in this process or on a cluster.
    """

    def __init__(
        self,
        data_dir: Path,
        open_reader: OpensReaders | None = None,
        open_card_reader: OpensCardReaders | None = None,
        place: Place = here,
    ) -> None:
        self.data_dir = data_dir
        self.place = place
        self._open_reader = open_reader
        self._open_card_reader = open_card_reader
        self._readers: dict[tuple[str, str | None, FileVersion | None], Any] = {}
        self._opening = threading.Lock()
        self.preference: Callable[[ProfileInfo, Devices], tuple[int, str]] = lambda *_: (0, "")
        """Orders the copies for the device that asks, and others at its table; those that are
        equal, from the newest. From `FOREIGN` on, what comes with the program goes before."""

    def warm_up(self) -> None:
        """Open the bundled reader, so that the first photo need not wait for the models.

        It is open beside a cluster, too, which may be away.
        """
        if isinstance(self.place, Elsewhere):
            self.place.connect()
        try:
            self.reader(STONES, None)
        except (ProfileError, ModelError, OSError) as error:
            logging.getLogger(__name__).error("the reader cannot be opened: %s", error)

    def describe(
        self, board: str, own: Mapping[str, Any] | None = None, devices: Devices = frozenset()
    ) -> dict[str, Any]:
        """The shape of a board, what its cells may be, and which profiles read it.

        *own* is the description of a board that is not built in. ``bundled`` says whether photos
        can be read without a taught profile; ``labels`` is empty where only a profile would know
        them. Copies of strangers give labels only where there is no other copy. ``name`` is the
        board's as its copies have it, however its letters are written in *own*.
        """
        spec, infos = spec_of(board, own), list_profiles(self.data_dir)
        known = {info.board for info in infos}.difference(BOARDS)
        name = spec.name if own is None else spelt(spec.name, known)
        taught = sorted(
            (info for info in infos if info.board == name),
            key=lambda info: info.created,
            reverse=True,
        )
        ranks = {info.name: self.preference(info, devices) for info in taught}
        taught.sort(key=lambda info: ranks[info.name])
        trusted = [info for info in taught if ranks[info.name][0] < FOREIGN]
        labels = spec.labels or tuple(
            dict.fromkeys(label for info in trusted or taught for label in info.labels)
        )
        return {
            "board": board,
            "name": name,
            "rows": list(spec.rows),
            "cols": list(spec.cols),
            "empty": spec.empty,
            "labels": with_empty(labels, spec.empty),
            "profiles": [info.name for info in taught],
            "bundled": board in BUNDLED_BOARDS,
            "trusted": len(trusted),
        }

    def read_board(
        self,
        data: bytes,
        board: str,
        profile: str | None = None,
        corners: Corners | None = None,
        own: Mapping[str, Any] | None = None,
        size: tuple[int, int] | None = None,
        camera: str | None = None,
        devices: Devices = frozenset(),
        confirmed: Mapping[str, Sequence[ConfirmedBoard]] = MappingProxyType({}),
        shape_of: Callable[[str], Mapping[str, Any] | None] | None = None,
    ) -> BoardRead:
        """Read any board; without *profile* with the copy that fits the photo.

        *size* are the rows and columns within the corners, where the board may have several;
        *camera* is the name of the calibrated one that took the photo. *confirmed* holds earlier
        boards of the same game by the copy that read them, which learns from them. *shape_of* gives
        the description by which a copy reads, where that need not be *own*.

        Raises VisionError, UnknownBoardError, UnknownProfileError, NotTaughtError.
        """
        described = self.describe(board, own, devices)
        own = None if own is None else {**own, "name": described["name"]}

        def opened(name: str) -> Reads:
            shape = shape_of(name) if shape_of else own
            reader = self.reader(spec_of(board, shape), name or None)
            if corners is not None and size is not None:
                reader = _of_size(reader, described, size)
            return self.through_camera(_learning(reader, confirmed.get(name, ())), camera)

        names = copies_to_try(described) if profile is None else [profile]
        readers = _Readers(opened, names)
        reads = partial(read_fitting, names=names, opened=readers, corners=corners)
        name, reading = self.place(reads, data)
        reader = opened(name)
        if shape_of:
            described = self.describe(board, shape_of(name), devices)
        labels = with_empty(
            getattr(reader, "labels", ()) or described["labels"], described["empty"]
        )
        return BoardRead(
            reading.to_document("photo") | {"board": board, "profile": name or BUNDLED},
            described | {"labels": labels},
            reading,
        )

    def read_cards(self, data: bytes, profile: str | None = None) -> dict[str, Any]:
        """The document of a photo of pattern cards, which print the stones of *profile*.

        Raises VisionError, ProfileError, UnknownProfileError.
        """
        return self.place(self.card_reader(profile).read, data).to_document("photo")

    def card_reader(self, profile: str | None) -> ReadsCards:
        """The open reader of pattern cards."""
        opens = partial(self._open_card_reader or open_card_reader, profile, self.data_dir)
        return self._kept("cards", "stones", profile, opens)

    def reader(self, spec: BoardSpec, profile: str | None) -> Reads:
        """The open reader of a board."""
        opens = partial(self._open_reader or open_reader, spec, profile, self.data_dir)
        return self._kept(repr(spec), spec.name, profile, opens)

    def _kept(self, what: str, board: str, profile: str | None, opens: Callable[[], T]) -> T:
        """The open reader; a profile whose file has changed is opened anew."""
        key = (what, profile, self._file_of(board, profile))
        with self._opening:
            if key not in self._readers:
                self._readers = {k: r for k, r in self._readers.items() if k[:2] != key[:2]}
                self._readers[key] = opens()
                if len(self._readers) > MOST_READERS:
                    del self._readers[next(iter(self._readers))]
            kept: T = self._readers[key]
            return kept

    def through_camera(self, reader: Reads, camera: str | None) -> Reads:
        """The same reader for photos of that camera; a forgotten camera changes nothing."""
        if camera is None or not isinstance(reader, Reader):
            return reader
        try:
            return replace(reader, camera=load_camera(camera, self.data_dir))
        except CameraError:
            return reader

    def _file_of(self, board: str, profile: str | None) -> FileVersion | None:
        """Which file the profile is read from: another one has another time, size or inode."""
        if profile is None:
            return None
        try:
            found = profile_path(profile, board, self.data_dir).stat()
        except (FileNotFoundError, ProfileError):
            raise UnknownProfileError(
                "no profile %(profile)s was taught for %(board)s",
                profile=repr(profile),
                board=board,
            ) from None
        return found.st_mtime_ns, found.st_size, found.st_ino


def unknown_board(board: str, known: Iterable[str]) -> UnknownBoardError:
    """The refusal of a board that is none of those."""
    return UnknownBoardError(
        "expected the board %(known)s, got %(board)s", known=" or ".join(known), board=repr(board)
    )


def spec_of(board: str, own: Mapping[str, Any] | None) -> BoardSpec:
    """A board by its name, or by the description of one that is not built in."""
    if own is None:
        if board not in BOARDS:
            raise unknown_board(board, BOARDS)
        return BOARDS[board]
    try:
        return BoardSpec.from_table(own)
    except BoardSpecError as error:
        raise UnknownBoardError(
            "the description of the board cannot be used: %(error)s", error=error.message
        ) from None


def spelt(name: str, taught: Collection[str]) -> str:
    """The name of a game as its taught copies have it, by which they are found.

    >>> spelt("Farm", {"farm", "FARM"}), spelt("farm", {"farm", "FARM"}), spelt("farm", ())
    ('FARM', 'farm', 'farm')
    """
    alike = (one for one in sorted(taught) if one.casefold() == name.casefold())
    return name if name in taught else next(alike, name)


def copies_to_try(described: Mapping[str, Any]) -> list[str]:
    """The copies that may lie on the table, the likeliest first; the empty one is the bundled."""
    names = list(described["profiles"])
    if described["bundled"]:
        names.insert(described["trusted"], "")
    if not names:
        raise NotTaughtError(
            "Photos of this board cannot be read until your copy was taught, because every copy "
            "looks different; type the board in, or teach it with two photos."
        )
    return names[:MOST_TRIED]


def with_empty(labels: Sequence[str], may_be_empty: bool) -> list[str]:
    """What a person may say of a cell: any label, and that nothing lies there where that can be."""
    return [*labels, *([EMPTY] if may_be_empty and EMPTY not in labels else [])]


def _of_size(reader: Reads, described: Mapping[str, Any], size: tuple[int, int]) -> Reads:
    """A reader of the same board with just so many rows and columns."""
    for count, (least, most) in zip(size, (described["rows"], described["cols"]), strict=True):
        if not least <= count <= most:
            raise UnknownBoardError(
                "expected %(least)s to %(most)s rows or columns on this board, got %(count)s",
                least=least,
                most=most,
                count=count,
            )
    if not isinstance(reader, Reader):
        return reader
    rows, cols = size
    return replace(reader, spec=replace(reader.spec, rows=(rows, rows), cols=(cols, cols)))


def _learning(reader: Reads, confirmed: Sequence[ConfirmedBoard]) -> Reads:
    """The same reader, which knows confirmed boards."""
    if not confirmed or not isinstance(reader, Reader):
        return reader
    return replace(reader, profile=with_confirmed(reader.profile, confirmed))


def picture_address(data: bytes, kind: str) -> str:
    """The address of a picture that holds the whole of it."""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def overlay_jpeg(
    data: bytes, reading: Reading | CardsReading, word: Callable[[str], str] = str
) -> bytes:
    """A copy of the photo with *reading* drawn on it; *word* gives what a label is called."""
    photo = decode_photo(data)
    drawn = draw_overlay(photo.image_bgr, reading, photo.scale, word)
    done, jpeg = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, OVERLAY_QUALITY])
    if not done:
        raise OSError("the overlay could not be encoded as JPEG")
    return jpeg.tobytes()

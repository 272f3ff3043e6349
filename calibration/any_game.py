"""Reads whichever known game lies on the table: ``--board auto``."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.camera import load_camera
from calibration.card_reader import CardReader, open_card_reader
from calibration.profiles import (
    DEFAULT_NAME,
    damaged_profiles,
    default_profile,
    list_profiles,
    load_profile,
    load_taught,
)
from calibration.reader import Reader
from calibration.taught import ProfileError
from scorer.text import Text, either
from vision.boards import BOARDS, STONES, BoardSpec
from vision.errors import BoardNotFound
from vision.find.candidates import Looks
from vision.find.corners import Corners
from vision.geometry import Pyramid
from vision.kinds.cards.reading import CardsReading
from vision.photo import LEAST_LONG_SIDE, Photo, decode_photo
from vision.quality import why_refused
from vision.read import timed
from vision.reading import Kinds, Reading
from vision.which import Copy, Sighting, Which, which

CARDS = "cards"
SURE_CARDS = 0.9
"""Least confidence of the surest card of a photo that shows cards."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What lies on a photo, and the reader that read it; None for pattern cards."""

    reading: Reading | CardsReading
    reader: Reader | None = None


@dataclass(frozen=True, slots=True)
class AnyGame:
    """Reads photos of any known game; safe to share between threads.

    ``readers`` are tried together, of equally likely ones the first. ``cards`` reads pattern cards
    where no board is found.
    """

    readers: tuple[Reader, ...]
    cards: CardReader | None = None

    def read(self, data: bytes, corners: Corners | None = None) -> Reading | CardsReading:
        """Read the bytes of a photo; its ``kinds`` say which games may lie there. Raises
        ``VisionError``, as for ``corners``, which belong to one board."""
        if corners is not None:
            raise BoardNotFound(
                "bad_corners", "Corners say where one board is: say which board it is, too."
            )
        return self.found(data).reading

    def found(self, data: bytes) -> Found:
        """Read the bytes of a photo.

        Raises
        ------
        vision.errors.VisionError
            If no known game is found, with the ``kinds`` that were looked for, or if the bytes are
            no photo.
        """
        start = time.perf_counter()
        photo = decode_photo(data, LEAST_LONG_SIDE)
        decode_ms = (time.perf_counter() - start) * 1000
        pyramid = Pyramid(photo.image_rgb)
        copies = [Copy(reader.spec, reader.profile) for reader in self.readers]
        seen = which(copies, pyramid, Looks(pyramid))
        best = seen.best
        if best is None or best.read is None:
            cards = self._cards(data, seen)
            if cards is None:
                raise self._refusal(photo, seen)
            return cards
        reader = self._reader_of(best)
        located = time.perf_counter()
        first = timed(best.read.read, photo, *best.copy, (start, located, decode_ms))
        reading = reader.looked_again(photo, first, start)
        for other in () if reading.sure else seen.others_of_kind(best)[:1]:
            reader, reading = _surer((reader, reading), self._reader_of(other), data)
        problems = tuple(dict.fromkeys((*reading.problems, *best.read.read.problems)))
        return Found(replace(reading, kinds=seen.kinds, problems=problems), reader)

    def _reader_of(self, sighting: Sighting) -> Reader:
        return next(one for one in self.readers if one.profile is sighting.copy.profile)

    def _cards(self, data: bytes, seen: Which) -> Found | None:
        """Pattern cards that surely lie there; None if there are none."""
        if self.cards is None:
            return None
        try:
            cards = self.cards.read(data)
        except BoardNotFound:
            return None
        kinds = _with_cards(seen.kinds, cards)
        return Found(replace(cards, kinds=kinds)) if dict(kinds)[CARDS] >= SURE_CARDS else None

    def _refusal(self, photo: Photo, seen: Which) -> BoardNotFound:
        """Why nothing is read: the reason of the likeliest board."""
        refused = ((one.copy.spec, one.refusal) for one in seen.seen if one.refusal is not None)
        spec, refusal = next(refused, (None, None))
        if spec is None or refusal is None:
            error = _unknown("unknown_pieces", self.readers)
        else:
            error = why_refused(photo, spec, refusal)
            if error is refusal and error.code in ("no_board", "unknown_pieces"):
                error = _unknown(error.code, self.readers)
        error.kinds = seen.kinds
        return error


def _surer(first: tuple[Reader, Reading], other: Reader, data: bytes) -> tuple[Reader, Reading]:
    """The reading with another copy, if it leaves nothing to ask; else the first."""
    try:
        reading = other.read(data)
    except BoardNotFound:
        return first
    return (other, reading) if reading.sure else first


def _with_cards(kinds: Kinds, cards: CardsReading) -> Kinds:
    """The kinds where cards were read: as probable as the surest of them."""
    p = max(card.confidence for card in cards.cards)
    rest = [(name, chance * (1 - p)) for name, chance in kinds]
    return tuple(sorted([(CARDS, p), *rest], key=lambda pair: -pair[1]))


def _unknown(code: str, readers: Sequence[Reader]) -> BoardNotFound:
    """The refusal of a photo that shows no known game."""
    names = dict.fromkeys([*(reader.spec.name for reader in readers), Text("pattern cards")])
    return BoardNotFound(
        code,
        "A grid was found, but not of a game that is known here (%(games)s): teach this game, or "
        "photograph another."
        if code == "unknown_pieces"
        else "No game that is known here was found (%(games)s): show the whole board from above, "
        "in even light.",
        games=either(names),
    )


def open_any(data_dir: Path, profile: str | None = None, camera: str | None = None) -> AnyGame:
    """The reader of all bundled and taught games; with a name, of the copies of that name alone.

    Raises
    ------
    calibration.taught.ProfileError
        If nothing of that name was taught, or all of it is damaged.
    calibration.camera.CameraError
    """
    lens = None if camera is None else load_camera(camera, data_dir)
    readers = [
        Reader(board_of(info.name, info.board, data_dir), taught, lens)
        for info in list_profiles(data_dir)
        if profile in (None, info.name)
        for taught in (load_profile(info.name, info.board, data_dir),)
    ]
    if profile in (None, DEFAULT_NAME):
        readers.append(Reader(STONES, default_profile(STONES.name), lens))
    if not readers:
        for damaged in damaged_profiles(data_dir):
            if damaged.name == profile:
                raise ProfileError(damaged.problem)
        raise ProfileError(
            "no profile %(name)s was taught: teach one with `tallystone teach`", name=repr(profile)
        )
    has_stones = any(reader.spec == STONES for reader in readers)
    return AnyGame(tuple(readers), open_card_reader(profile if has_stones else None, data_dir))


def board_of(name: str, board: str, data_dir: Path) -> BoardSpec:
    """The board that a copy was taught for: a built-in one, or as its file describes it."""
    return BOARDS.get(board) or load_taught(name, board, data_dir).spec

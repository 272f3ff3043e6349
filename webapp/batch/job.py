"""What is done with each photo of an archive, in whatever process."""

from __future__ import annotations

import faulthandler
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.commands.common import BOARDS
from webapp.commands.one_photo import content_of, read_photo, refusal, write_overlay
from webapp.serving import memory

if TYPE_CHECKING:
    from calibration.reader import Reader

LIMIT_S = 60.0
"""Time for one photo. The slowest that is read takes three seconds on a slow machine."""

Task = tuple[int, str, str]
"""Number, address and name of the overlay of a photo."""
Row = dict[str, Any]

SCORED = ("stones", "time")
"""Built-in boards that give a score by themselves."""

CRASHED = "crashed"
"""Why a photo has no reading: whatever read it failed."""

_ONE_AT_A_TIME = threading.Lock()


def prepare_process() -> None:
    """Keep this process to one thread, as many read as there are processors, and its memory."""
    import cv2

    os.environ["OMP_NUM_THREADS"] = "1"
    cv2.setNumThreads(1)
    memory.keep()


class OverlayError(Exception):
    """No overlay can be written; the message is one sentence for the person."""


@contextmanager
def watched(limit_s: float = LIMIT_S) -> Iterator[None]:
    """Read one photo at a time, and end the process if it takes longer than the limit.

    Nothing else stops a library that hangs. Whoever started the process tries the photo again
    elsewhere.
    """
    with _ONE_AT_A_TIME, Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(limit_s, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Reads photos of one board; travels to the processes that do so.

    Attributes
    ----------
    reader : of the board, with its profile.
    board : name of a built-in board, or an empty string.
    overlays : folder for copies of the photos with what was read drawn on them, or None.
    score : whether a row has what the board alone scores.
    done : what tells photos that have a row already: their SHA-256 alone, or ``own_row`` of it.
    folder : where relative paths begin, in whatever folder a process runs.
    """

    reader: Reader
    board: str
    overlays: Path | None = None
    score: bool = False
    done: frozenset[str] = frozenset()
    limit_s: float = LIMIT_S
    folder: Path = Path()

    def row(self, task: Task) -> Row | None:
        """The document of ``tallystone read`` with the photo's ``sha256``; None if it has a row.

        An error that is none of the photo, such as too little memory, is told in the row. Raises
        OverlayError.
        """
        with watched(self.limit_s):
            try:
                return self._row(task)
            except OverlayError:
                raise
            except Exception as error:  # one photo of a million ends no run
                told = " ".join(f"{type(error).__name__}: {error}".split())
                return refusal(task[1], CRASHED, f"The photo could not be read ({told}).")

    def _row(self, task: Task) -> Row | None:
        _, photo, overlay = task
        data = content_of(photo, self.folder)
        if isinstance(data, dict):
            return data
        sha256 = hashlib.sha256(data).hexdigest()
        if not self.done.isdisjoint((sha256, own_row(sha256, photo))):
            return None
        document, reading = read_photo(self.reader, photo, data)
        if reading is not None and self.overlays is not None:
            try:
                write_overlay(data, reading, self.folder / self.overlays / overlay)
            except OSError as error:
                raise OverlayError(
                    f"overlays cannot be written to {self.overlays}: {error.strerror or error}"
                ) from None
        if self.score and document["found"]:
            document |= scored(self.board, self.reader, document["text"])
        return dict(document) | {"sha256": sha256}

    def given_up(self, task: Task) -> Row:
        """The row of a photo that ended every process that read it."""
        return refusal(
            task[1],
            CRASHED,
            f"Each process that read the photo ended, or took longer than {self.limit_s:g} s.",
        )


def own_row(sha256: str, photo: str) -> str:
    """What tells a photo by its content and its name."""
    return f"{sha256} {as_text(photo)}"


def as_text(photo: str) -> str:
    """A name whose bytes are no text, as a column of text has it."""
    return photo.encode(errors="backslashreplace").decode()


def is_scored(board: str, reader: Reader) -> bool:
    """Whether a board gives a score by itself: some that are built in, and those with rules."""
    return board in SCORED or (board not in BOARDS and bool(reader.spec.score))


def scored(board: str, reader: Reader, text: str) -> Row:
    """What the board alone scores: cards that match nine stones, the ranking of a grid of time,
    the rules of a described board."""
    if board == "stones":
        from webapp.cards import match_grid

        return {"score": {"matches": match_grid(text)["matches"]}}
    from scorer.documents import answer_lines
    from scorer.season import SEASONS

    if board == "time":
        order = [season.value for season in SEASONS]
        document: Row = {"game": "time", "grid": text, "order": order}
    else:
        players = [{"name": "board", "board": text}]
        document = {"game": "custom", "description": reader.spec.to_table(), "players": players}
    answer = next(answer_lines("score", [json.dumps(document)]))
    return {"score": {key: value for key, value in answer.items() if key != "winners"}}

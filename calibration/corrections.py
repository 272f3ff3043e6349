"""Learns from corrections made at the table: only when asked, only on this machine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.boards import open_board
from calibration.lessons import Lesson, LessonRejected, parse_layout
from calibration.profiles import DEFAULT_NAME, load_taught, save_anew, save_taught
from calibration.reader import Reader
from calibration.selfcheck import plainly_other
from calibration.taught import ProfileError, TaughtSet
from calibration.teach import LEAST_LONG_SIDE, TeachReport, corrected, report_of
from models.session import CROP_PX
from scorer.notation import EMPTY, by_cell, split_rows
from scorer.text import Text
from vision.boards import BoardSpec
from vision.errors import VisionError
from vision.find.corners import Corners
from vision.geometry import Floats, Images, Pyramid, usable
from vision.photo import decode_photo
from vision.profile import turned_vectors
from vision.reading import Reading

MOST_CELLS = 12
"""Most corrected cells learnt from one photo; beyond, the photo or the board is wrong."""
NO_OUTLINE: Floats = np.zeros((0, 2), np.float32)
"""The corners of a piece that was not found: its crop is not known."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected cell: its label, and its corners (4, 2) in full-size pixels, or NO_OUTLINE."""

    quad_xy: Floats
    label: str


@dataclass(frozen=True, slots=True)
class Learnt:
    """How many cells were learnt, and a sentence for each that was not."""

    cells: int
    refused: tuple[Text, ...] = ()

    def to_document(self) -> dict[str, Any]:
        return {"learnt": self.cells, "refused": list(self.refused)}


def learn_corrections(
    name: str,
    board: str,
    photo: bytes,
    corrections: Sequence[Correction],
    source: str,
    data_dir: Path,
) -> Learnt:
    """Learn the corrected cells of a photo into a profile.

    ``board`` is the name under which profiles of the board are kept. Cells that plainly show
    another taught face than the person said are left out, with the reason.

    Raises
    ------
    vision.errors.VisionError
    calibration.taught.ProfileError
        If the profile cannot be added to; the bundled one never can.
    """
    better, learnt = _corrected(_own(name, board, data_dir), photo, corrections, source)
    if learnt.cells:
        save_taught(better, data_dir)
    return learnt


def _own(name: str, board: str, data_dir: Path) -> TaughtSet:
    """The taught set of that name. Raises ProfileError, always of the bundled one."""
    if name == DEFAULT_NAME:
        raise ProfileError(
            "the bundled profile cannot learn: teach your copy first, then correct its readings"
        )
    return load_taught(name, board, data_dir)


def _corrected(
    taught: TaughtSet, photo: bytes, corrections: Sequence[Correction], source: str
) -> tuple[TaughtSet, Learnt]:
    """The set with the corrected cells of a photo learnt as well, and what was learnt."""
    spec = taught.spec
    kept, refused = _worth_learning(corrections, spec, taught.profile.labels)
    decoded = decode_photo(photo, LEAST_LONG_SIDE)
    pyramid = Pyramid(decoded.image_rgb)
    crops: list[Images] = []
    labels: list[str] = []
    for correction in kept:
        crop = pyramid.crops(decoded.from_full(correction.quad_xy)[None], CROP_PX)[0]
        other = None
        if correction.label in taught.profile.labels:
            vector = turned_vectors(crop[None])[0, 0]
            other = plainly_other(taught.profile, vector, correction.label)
        if other is not None:
            refused.append(
                Text(
                    "a cell corrected to %(label)s is the very picture of %(other)s: not learnt",
                    label=spec.word(correction.label),
                    other=spec.word(other),
                )
            )
            continue
        crops.append(crop)
        labels.append(correction.label)
    learnt = Learnt(len(crops), tuple(refused))
    if not crops:
        return taught, learnt
    return corrected(taught, spec, np.stack(crops), labels, source), learnt


def _worth_learning(
    corrections: Sequence[Correction], spec: BoardSpec, taught: Sequence[str]
) -> tuple[list[Correction], list[Text]]:
    """Corrections with a usable quad and a possible label, and a sentence about each other one."""
    allowed = spec.labels or taught
    kept, refused = [], []
    for correction in corrections[:MOST_CELLS]:
        if correction.label == EMPTY and not spec.printed_cells:
            refused.append(Text("nothing lies where a piece was read: only pieces can be learnt"))
        elif correction.label not in allowed:
            refused.append(
                Text(
                    "%(label)s is not a face of this set: not learnt", label=repr(correction.label)
                )
            )
        elif correction.quad_xy.shape != (4, 2) or not usable(correction.quad_xy[None])[0]:
            refused.append(
                Text(
                    "a cell corrected to %(label)s has no outline: not learnt",
                    label=spec.word(correction.label),
                )
            )
        else:
            kept.append(correction)
    if len(corrections) > MOST_CELLS:
        refused.append(
            Text(
                "only the first %(most)s of %(count)s corrections were learnt",
                most=MOST_CELLS,
                count=len(corrections),
            )
        )
    return kept, refused


def learn_from_states(
    name: str,
    board: str,
    lessons: Sequence[Lesson],
    data_dir: Path,
    corners: Corners | None = None,
) -> tuple[tuple[Learnt, ...], TeachReport | None]:
    """Read photos with a profile and learn their wrong or unsure cells; a layout says what lies
    there.

    All photos are learnt or, if one is refused, none. Gives what was learnt of each, and the
    self-check of the profile; None if nothing was learnt.

    Raises
    ------
    LessonRejected
        If a photo cannot be read, or was read so otherwise that the layout is not its own.
    scorer.custom.board.BoardSpecError, calibration.taught.ProfileError
    """
    spec = open_board(board)
    taught = _own(name, spec.name, data_dir)
    done = []
    for lesson in lessons:
        wrong = wrong_cells(Reader(spec, taught.with_details()), lesson, corners)
        taught, learnt = _corrected(taught, lesson.photo, wrong, Path(lesson.source).name)
        done.append(learnt)
    if not any(learnt.cells for learnt in done):
        return tuple(done), None
    former = save_anew(taught, data_dir)
    return tuple(done), replace(report_of(taught, spec), former=former)


def wrong_cells(reader: Reader, lesson: Lesson, corners: Corners | None = None) -> list[Correction]:
    """The cells that were read wrongly or not surely, and the pieces that were not found.

    Raises LessonRejected.
    """
    try:
        truth = parse_layout(lesson.layout, reader.spec)
        reading = reader.read(lesson.photo, lesson.corners or corners)
    except VisionError as error:
        raise LessonRejected(
            error.code, "%(source)s: %(message)s", source=lesson.source, message=error.message
        ) from error
    _check_is_its_own(truth, reading, lesson.source)
    cells = {(cell.row, cell.col): cell for cell in reading.cells}
    wrong = []
    for place, label in by_cell(truth):
        cell = cells.get(place)
        is_bare = label == EMPTY and not reader.spec.printed_cells
        if cell is None and not is_bare:
            wrong.append(Correction(NO_OUTLINE, label))
        elif cell is not None and (cell.label != label or not (cell.sure or is_bare)):
            wrong.append(Correction(cell.quad_xy, label))
    return wrong


def _check_is_its_own(truth: list[list[str]], reading: Reading, source: str) -> None:
    """Refuse a layout of another size than was read, or with most cells otherwise."""
    read = split_rows(reading.text)
    if (len(truth), len(truth[0])) != (len(read), len(read[0])):
        raise LessonRejected(
            "wrong_layout",
            "%(source)s: %(rows)s rows of %(cols)s were read, but the state has "
            "%(rows_said)s of %(cols_said)s.",
            source=source,
            rows=len(read),
            cols=len(read[0]),
            rows_said=len(truth),
            cols_said=len(truth[0]),
        )
    agree = sum(cell.label == truth[cell.row][cell.col] for cell in reading.cells)
    if agree < len(reading.cells) / 2:
        raise LessonRejected(
            "wrong_layout",
            "%(source)s: more than half of the cells were read otherwise. Is it "
            "the state of this photo, as seen with the board's own top up?",
            source=source,
        )

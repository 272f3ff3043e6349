"""Turns lesson photos into the prototypes of a named profile."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.boards import open_board
from calibration.profiles import checked_name, embedding_version, save_profile
from vision.boards import BoardSpec
from vision.corners import Corners
from vision.errors import VisionError
from vision.geometry import Images, Pyramid, areas
from vision.locate import LocatedBoard, cells_of_corners, detect_pieces, locate_board, refine_quads, resized
from vision.photo import Photo, decode_photo
from vision.profile import Profile, mean_colours, nearest_faces, turned_vectors
from vision.read import CROP_PX, refined_at_corners
from vision.reading import EMPTY

LEAST_LONG_SIDE = 1000
ALIKE = 0.86
"""Likeness from which two faces of a set are named in a warning."""
MOST_CROPS = 48
"""Crops kept of one face, spread over all lessons: an empty cell looks different on each player's board."""
MOST_LABEL_LENGTH = 60


class LessonRejected(VisionError):
    """A lesson cannot be learnt from: the photo does not fit its layout."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A photo's bytes, the layout it shows in the board's notation, and where it came from (for messages)."""

    photo: bytes
    layout: str
    source: str


@dataclass(frozen=True, slots=True)
class TeachReport:
    """What was learnt: ``labels`` maps each label to its number of crops; ``warnings`` are sentences."""

    profile: str
    board: str
    labels: dict[str, int]
    warnings: tuple[str, ...]

    def to_document(self) -> dict[str, Any]:
        return {
            "profile": self.profile,
            "board": self.board,
            "labels": dict(self.labels),
            "warnings": list(self.warnings),
        }


def parse_layout(text: str, spec: BoardSpec) -> list[list[str]]:
    """Rows of labels of a layout; known boards accept unique prefixes, ``fall`` and the up side of ``up/back``.

    >>> from vision.boards import STONES
    >>> parse_layout("su mo fi / bi ho bo / se tr tr", STONES)[0]
    ['sun', 'moon', 'fish']
    """
    rows = [row.split() for row in re.split(r"\n|(?:^|\s)/(?:\s|$)", text) if row.strip()]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise LessonRejected("bad_layout", f"The layout must have rows of equal length, got {text!r}.")
    return [[_label(word, spec) for word in row] for row in rows]


def _label(word: str, spec: BoardSpec) -> str:
    if word == EMPTY:
        if spec.labels and not spec.empty:
            raise LessonRejected("bad_layout", f"A {spec.name} lesson has no empty cells, got {word!r}.")
        return word
    if not spec.labels:
        if len(word) > MOST_LABEL_LENGTH:
            raise LessonRejected(
                "bad_layout", f"A label has at most {MOST_LABEL_LENGTH} letters, got {word!r}."
            )
        return word
    plain = word.lower()
    if spec.name == "time":
        plain = plain.split("/")[0]
    stem, mark = (plain[:-1], plain[-1]) if plain[-1:] in ("*", "!") else (plain, "")
    stem = "autumn" if stem == "fall" else stem
    exact = [label for label in spec.labels if label == stem + mark]
    found = exact or [
        label for label in spec.labels if len(stem) >= 2 and label.rstrip("*!").startswith(stem) and label.endswith(mark)
        and (label[-1] in "*!") == bool(mark)
    ]  # fmt: skip
    if len(found) != 1:
        raise LessonRejected(
            "bad_layout", f"Expected one of {', '.join(spec.labels)} in the layout, got {word!r}."
        )
    return found[0]


def teach(
    name: str, board: str, lessons: Sequence[Lesson], data_dir: Path, corners: Corners | None = None
) -> TeachReport:
    """Learn a copy of a game from photos and save it under a name.

    Raises
    ------
    vision.errors.VisionError
        If a photo cannot be used or does not show its layout.
    vision.boards.BoardSpecError, calibration.profiles.ProfileError
    """
    checked_name(name)
    spec = open_board(board)
    crops: dict[str, list[Images]] = {}
    for lesson in lessons:
        layout = parse_layout(lesson.layout, spec)
        try:
            for label, crop in lesson_crops(
                decode_photo(lesson.photo, LEAST_LONG_SIDE), layout, spec, corners
            ):
                crops.setdefault(label, []).append(crop)
        except VisionError as error:
            raise LessonRejected(error.code, f"{lesson.source}: {error.message}") from error
    if not crops:
        raise LessonRejected(
            "nothing_taught", "No lesson showed a piece: give at least one photo with its layout."
        )
    kept = {label: np.stack(spread(found, MOST_CROPS)) for label, found in crops.items()}
    profile = Profile(
        name,
        spec.name,
        {label: turned_vectors(found) for label, found in kept.items()},
        embedding_version(),
        {label: mean_colours(found) for label, found in kept.items()},
    )
    save_profile(profile, data_dir)
    return TeachReport(name, spec.name, {k: len(v) for k, v in crops.items()}, self_check(profile, spec))


def spread(crops: Sequence[Images], most: int) -> list[Images]:
    """At most that many crops, evenly from first to last."""
    if len(crops) <= most:
        return list(crops)
    return [crops[int(i)] for i in np.linspace(0, len(crops) - 1, most)]


def self_check(profile: Profile, spec: BoardSpec) -> tuple[str, ...]:
    """Sentences about what may go wrong with this profile: faces too alike, faces that were not taught."""
    warnings = []
    missing = [label for label in spec.labels if label not in profile.prototypes and label != EMPTY]
    if missing:
        warnings.append(
            f"not taught yet: {', '.join(missing)}; such a piece will be read as another or flagged"
        )
    for (a, b), likeness in list(nearest_faces(profile.prototypes).items())[:3]:
        if likeness > ALIKE:
            warnings.append(
                f"{a} and {b} look alike in this light ({likeness:.2f}): take one more photo of them"
            )
    return tuple(warnings)


def lesson_crops(
    photo: Photo, layout: list[list[str]], spec: BoardSpec, corners: Corners | None
) -> list[tuple[str, Images]]:
    """The crop of every labelled cell of a lesson photo, upright."""
    image_rgb = np.asarray(cv2.cvtColor(photo.image_bgr, cv2.COLOR_BGR2RGB), np.uint8)
    pyramid = Pyramid(image_rgb)
    rows, cols = len(layout), len(layout[0])
    if corners is not None:
        quad = photo.from_full(corners.quad_xy(photo.full_hw))
        board = refined_at_corners(cells_of_corners(quad, spec, rows, cols), pyramid)
    elif rows == cols == 1:
        board = _single_piece(image_rgb, pyramid, spec)
    else:
        board = locate_board(image_rgb, _exactly(spec, layout), pyramid)
    by_place = {(cell.row, cell.col): cell for cell in board.cells}
    found = []
    for r, row in enumerate(layout):
        for c, label in enumerate(row):
            cell = by_place.get((r, c))
            if cell is None:
                if label != EMPTY:
                    raise LessonRejected(
                        "wrong_layout",
                        f"The photo shows no piece where the layout has {label!r} (row {r + 1}, column {c + 1}).",
                    )
                continue
            if label == EMPTY and not spec.printed_cells and corners is None and rows * cols > 1:
                continue
            found.append((label, pyramid.crops(cell.quad_xy[None], CROP_PX)[0]))
    return found


def _exactly(spec: BoardSpec, layout: list[list[str]]) -> BoardSpec:
    """The board narrowed to the size of a layout."""
    rows, cols = len(layout), len(layout[0])
    full = all(label != EMPTY for row in layout for label in row)
    return replace(
        spec, rows=(rows, rows), cols=(cols, cols), empty=spec.empty and not full, labels=(), counts={}
    )


def _single_piece(image_rgb: Images, pyramid: Pyramid, spec: BoardSpec) -> LocatedBoard:
    """One piece in a photo of its own: the whole photo if it is cut to the piece, else the one piece found."""
    h, w = image_rgb.shape[:2]
    whole = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    cut_to_piece = spec.aspect is None or 0.85 < (w / h) / spec.aspect < 1.18
    small, shrink = resized(image_rgb, 320)
    quads, _ = detect_pieces(small, 0.4)
    inside = [
        quad * shrink
        for quad in quads
        if (quad > 2).all()
        and (quad * shrink < np.array([w - 3, h - 3])).all()
        and areas(quad[None])[0] * shrink**2 > 0.08 * w * h
    ]
    if len(inside) == 1 and not cut_to_piece:
        start = int(np.argmin(inside[0].sum(1)))
        refined, presence = refine_quads(pyramid, np.roll(inside[0], -start, axis=0)[None])
        if presence[0] > 0.5:
            return cells_of_corners(refined[0], spec, 1, 1)
    return cells_of_corners(whole, spec, 1, 1)

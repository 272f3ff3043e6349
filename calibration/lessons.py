"""Lesson photos: what a person says lies there, and the crops of it, or why the two do not fit."""

import re
from dataclasses import dataclass, replace
from operator import ge

import numpy as np

from calibration.selfcheck import agreement, contradiction, likenesses, stem
from models.session import CROP_PX
from scorer.custom.labels import MOST_LABEL, is_label
from scorer.notation import EMPTY, MOST_SIDE, by_cell, in_words
from scorer.text import Text
from vision.boards import BoardSpec
from vision.errors import BoardNotFound, VisionError
from vision.find.board import LocatedBoard, not_found, turned_place
from vision.find.candidates import locate_board
from vision.find.complete import places_seen
from vision.find.corners import (
    Corners,
    cells_of_corners,
    outlined,
    refined_at_corners,
    snapped,
)
from vision.find.detect import DETECTOR_PX, detect_pieces, refine_quads, resized
from vision.find.lattice import fit_lattices
from vision.geometry import Floats, Images, Pyramid, areas, sides
from vision.kinds import kind_of
from vision.photo import Photo
from vision.profile import turned_vectors
from vision.quality import FAR_SIDE_PX, advice, board_quality, nothing_to_see, too_far

LEAST_GAIN = 0.099
"""A photo counts as turned only if the layout fits this much better in another turn."""
SEEN_SCORE = 0.5
"""Least score of the detector of pieces that a photo shows besides those of its layout."""
SEEN_PRESENCE = 0.93
"""Least probability of the refiner of a piece that the detector missed and that is learnt."""
LEAST_BOARD = 4
"""Least number of pieces in a grid that is a board; fewer may be drawn on a single piece."""
SIDES = ("", Text("from the left"), Text("from the far side"), Text("from the right"))
"""The side that a photo was taken from, by the counterclockwise turn of its grid."""

_COMMAS = (",", "，", "、")
"""What people write between labels besides spaces."""


class LessonRejected(VisionError):
    """A lesson cannot be learnt from: the photo does not fit its layout."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A photo's bytes, the layout it shows, and its source for messages.

    ``corners`` are a person's answer to where the grid lies.
    """

    photo: bytes
    layout: str
    source: str
    corners: Corners | None = None


Cells = list[tuple[int, tuple[int, int], str]]
"""Cells to learn: the number of the located cell, its place in the layout, and its label."""


@dataclass(frozen=True, slots=True, eq=False)
class LessonCrops:
    """The labelled pieces of one lesson photo.

    Attributes
    ----------
    labels : tuple of str.
    places : tuple of (row, column) in the layout.
    crops : ndarray of shape (n, 64, 64, 3), upright, RGB.
    vectors : ndarray of shape (n, 4, d), of the crops in all quarter turns.
    turn : quarter turns by which the photo shows the layout turned counterclockwise.
    spots_xy : ndarray of shape (n, 2), the middles of the pieces in the photo, from its middle and
        in parts of its long side.
    problems : what is wrong with the photo and what to do, in sentences.
    """

    labels: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    crops: Images
    vectors: Floats
    turn: int
    spots_xy: Floats
    problems: tuple[Text, ...] = ()


def parse_layout(text: str, spec: BoardSpec) -> list[list[str]]:
    """Rows of labels of a layout; words may be unique prefixes, ``fall`` or ``up/back``.

    >>> from vision.boards import STONES
    >>> parse_layout("su mo fi / bi ho bo / se tr tr", STONES)[0]
    ['sun', 'moon', 'fish']
    """
    rows = [row.split() for row in re.split(r"\n|(?:^|\s)/(?:\s|$)", text) if row.strip()]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise LessonRejected(
            "bad_layout",
            "The layout must have rows of equal length, got %(text)s.",
            text=repr(text),
        )
    if max(len(rows), len(rows[0])) > MOST_SIDE:
        raise LessonRejected(
            "bad_layout", "A layout has at most %(most)s rows and columns.", most=MOST_SIDE
        )
    return [[_label(word, spec) for word in row] for row in rows]


def _label(word: str, spec: BoardSpec) -> str:
    if word == EMPTY:
        if spec.labels and not spec.empty:
            raise LessonRejected(
                "bad_layout",
                "A %(name)s lesson has no empty cells, got %(word)s.",
                name=spec.name,
                word=repr(word),
            )
        return word
    if not spec.labels:
        if not is_label(word):
            raise LessonRejected(
                "bad_layout",
                "A label is one word of at most %(most)s letters without a slash, got %(word)s.",
                most=MOST_LABEL,
                word=repr(word),
            )
        if word.endswith(_COMMAS):
            raise LessonRejected(
                "bad_layout",
                "Write the labels with spaces between them and without commas, got %(word)s.",
                word=repr(word),
            )
        return word
    plain = kind_of(spec).face_up(word.lower())
    name, mark = (plain[:-1], plain[-1]) if plain[-1:] in ("*", "!") else (plain, "")
    name = "autumn" if name == "fall" else name
    found = [label for label in spec.labels if label == name + mark] or [
        label
        for label in spec.labels
        if len(name) >= 2 and stem(label).startswith(name) and label == stem(label) + mark
    ]
    if len(found) != 1:
        raise LessonRejected(
            "bad_layout",
            "Expected one of %(labels)s in the layout, got %(word)s.",
            labels=", ".join(spec.labels),
            word=repr(word),
        )
    return found[0]


def lesson_crops(
    photo: Photo, layout: list[list[str]], spec: BoardSpec, corners: Corners | None
) -> LessonCrops:
    """The crop of every labelled cell of a lesson photo, upright.

    If equal pieces show that the photo was taken from another side of the table, it is turned.

    Raises
    ------
    LessonRejected
        If the photo shows another number of pieces, or pieces that contradict the layout.
    BoardNotFound
        If no grid of pieces is in the photo, or too small a one, or the corners outline none.
    """
    pyramid = Pyramid(photo.image_rgb)
    rows, cols = len(layout), len(layout[0])
    if corners is not None:
        quad = outlined(photo, corners)
        if corners.points is not None:
            quad = snapped(pyramid.image_rgb, quad, rows, cols)
        board = refined_at_corners(cells_of_corners(quad, rows, cols), pyramid)
    elif rows == cols == 1:
        board = _single_piece(pyramid, spec)
    else:
        board = _whole_layout(pyramid, layout, spec)
    if np.median(sides(board.quads_xy)) < FAR_SIDE_PX:
        raise too_far()
    turns = (0,) if corners is not None or rows == cols == 1 else _turns(board, rows, cols)
    vectors = turned_vectors(pyramid.crops(np.stack([c.quad_xy for c in board.cells]), CROP_PX))
    readings = {
        turn: _assigned(board, layout, spec, turn, open_cells=corners is None) for turn in turns
    }
    turn = _likeliest_turn(readings, vectors, spec, layout)
    chosen = readings[turn]
    _check_against_layout(chosen, vectors, spec, layout)
    if not chosen:
        bare, nowhere = np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8), np.zeros((0, 2), np.float32)
        return LessonCrops((), (), bare, vectors[:0], turn, nowhere)
    index = [i for i, _, _ in chosen]
    quads = np.stack([np.roll(board.cells[i].quad_xy, turn, axis=0) for i in index])
    return LessonCrops(
        tuple(label for _, _, label in chosen),
        tuple(place for _, place, _ in chosen),
        pyramid.crops(quads, CROP_PX),
        np.roll(vectors[index], turn, axis=1),  # a turned crop has its vectors a quarter later
        turn,
        _spots(quads, photo),
        advice(
            board_quality(photo.image_bgr, quads, spec.aspect), [place for _, place, _ in chosen]
        ),
    )


def _spots(quads_xy: Floats, photo: Photo) -> Floats:
    h, w = photo.image_bgr.shape[:2]
    middle = np.array([w - 1, h - 1], np.float32) / 2
    return np.asarray((quads_xy.mean(1) - middle) / max(h, w), np.float32)


def _turns(board: LocatedBoard, rows: int, cols: int) -> tuple[int, ...]:
    """Quarter turns in which the located grid has the layout's size."""
    if rows == cols:
        return (0, 1, 2, 3)
    return (0, 2) if (board.rows, board.cols) == (rows, cols) else (1, 3)


def _assigned(
    board: LocatedBoard, layout: list[list[str]], spec: BoardSpec, turn: int, open_cells: bool
) -> Cells:
    """The cells that a grid shows of the layout in one turn."""
    found = []
    single = len(layout) == len(layout[0]) == 1
    for i, cell in enumerate(board.cells):
        place = turned_place(cell.row, cell.col, board.rows, board.cols, turn)
        label = layout[place[0]][place[1]]
        is_face = spec.printed_cells or (spec.empty and (single or not open_cells))
        if label == EMPTY and not is_face:
            continue
        found.append((i, place, label))
    return found


def _likeliest_turn(
    readings: dict[int, Cells], vectors: Floats, spec: BoardSpec, layout: list[list[str]]
) -> int:
    """The turn in which the photo shows the layout: none, unless another one fits far better.

    Raises LessonRejected if the photo shows it from the left or the right and does not tell which.
    """
    pieces = sum(label != EMPTY for row in layout for label in row)
    scores = {}
    for turn, cells in readings.items():
        alike = (
            likenesses(vectors[[i for i, _, _ in cells]], spec.turns)
            if cells
            else np.zeros((0, 0), np.float32)
        )
        labels = [label for _, _, label in cells]
        seen = sum(label != EMPTY for label in labels)
        scores[turn] = agreement(alike, labels) - (pieces - seen) / max(1, pieces)
    first = next(iter(scores))
    best = max(scores, key=lambda turn: scores[turn])
    lies_across = first % 2 == 1
    if lies_across and scores[best] <= min(scores.values()) + LEAST_GAIN:
        rows, cols = len(layout), len(layout[0])
        raise LessonRejected(
            "wrong_layout",
            "The photo shows %(seen)s, but the layout has %(size)s: take a photo in which the "
            "pieces stand upright, or if they do, write it down as it lies in the photo.",
            seen=size_in_words(cols, rows),
            size=size_in_words(rows, cols),
        )
    return best if scores[best] > scores[first] + LEAST_GAIN else first


def _check_against_layout(
    chosen: Cells, vectors: Floats, spec: BoardSpec, layout: list[list[str]]
) -> None:
    """Refuse a photo that lacks pieces of the layout, or whose equal labels look different."""
    seen = {place for _, place, _ in chosen}
    for (row, col), label in by_cell(layout):
        if label != EMPTY and (row, col) not in seen:
            raise LessonRejected(
                "wrong_layout",
                "The photo shows no piece where the layout has %(label)s (row %(row)s, "
                "column %(col)s).",
                label=repr(label),
                row=row + 1,
                col=col + 1,
            )
    labels = [label for _, _, label in chosen]
    if len(labels) < 2:
        return
    alike = likenesses(vectors[[i for i, _, _ in chosen]], spec.turns)
    against = contradiction(alike, labels)
    if against.any():
        i = int(np.flatnonzero(against)[0])
        others = np.where([label != labels[i] for label in labels], alike[i], -1.0)
        j = int(others.argmax())
        raise LessonRejected(
            "wrong_layout",
            "The pieces do not fit the layout: %(place)s, given as %(label)s, "
            "looks like %(other_place)s, given as %(other)s. Check the layout, row "
            "by row from the top of the photo.",
            place=in_words(chosen[i][1]),
            label=repr(labels[i]),
            other_place=in_words(chosen[j][1]),
            other=repr(labels[j]),
        )


def _whole_layout(pyramid: Pyramid, layout: list[list[str]], spec: BoardSpec) -> LocatedBoard:
    """The grid of the layout's size, as it lies or turned; LessonRejected if there is none."""
    rows, cols = len(layout), len(layout[0])
    most = (spec.rows[1], spec.cols[1])
    fits = any(_holds(of, (rows, cols)) for of in (most, most[::-1]))
    if spec.labels and not fits:  # pieces of a described game may be laid in any grid
        raise LessonRejected(
            "wrong_layout",
            "The layout has %(size)s, but %(board)s has at most %(most)s.",
            size=size_in_words(rows, cols),
            board=spec.name,
            most=size_in_words(*most),
        )
    full = all(label != EMPTY for row in layout for label in row)
    board: LocatedBoard | None = None
    failure: BoardNotFound | None = None
    for size in {(rows, cols), (cols, rows)}:
        exact = _exactly(spec, size, full)
        try:
            found = _with_pieces(pyramid, locate_board(pyramid, exact), exact)
        except BoardNotFound as error:
            failure = failure or error
            continue
        if board is None or _presence(found) > _presence(board) + 0.1:
            board = found
    seen = _size_seen(pyramid.image_rgb)
    lacks = board is None or (full and len(board.cells) < rows * cols)
    if lacks and seen is not None and sorted(seen) != sorted((rows, cols)):
        raise _other_size(seen, (rows, cols))
    if board is None:
        unseen = nothing_to_see(np.ascontiguousarray(pyramid.image_rgb[..., ::-1]))
        raise unseen or failure or BoardNotFound("no_board", "No grid of pieces was found.")
    fills = {rows, cols} == {*most}  # so that further pieces lie beside the board
    if full and not fills and seen is not None and _is_larger(seen, (rows, cols)):
        raise LessonRejected(
            "wrong_layout",
            "The photo shows %(seen)s, but the layout has %(size)s: write down every piece.",
            seen=size_in_words(*seen),
            size=size_in_words(rows, cols),
        )
    return board


def lies_across(layout: list[list[str]], spec: BoardSpec) -> bool:
    """Whether pieces that have an upright side lie in a grid that the board has only turned."""
    size, most = (len(layout), len(layout[0])), (spec.rows[1], spec.cols[1])
    return spec.is_directed and _holds(most, size[::-1]) and not _holds(most, size)


def _holds(most: tuple[int, int], size: tuple[int, int]) -> bool:
    return size[0] <= most[0] and size[1] <= most[1]


def _is_larger(size: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether the other grid, as it lies or turned, is a part of the one and not all of it."""
    return sorted(size) != sorted(other) and all(map(ge, sorted(size), sorted(other)))


def _with_pieces(pyramid: Pyramid, board: LocatedBoard, spec: BoardSpec) -> LocatedBoard:
    """The board without the cells that show bare table; BoardNotFound if all do.

    The grid of a full board has cells wherever the layout wants them, so the table around it tells
    which of them are bare.
    """
    if spec.is_full:
        seen = places_seen(pyramid, board)
        cells = [cell for cell in board.cells if seen.get((cell.row, cell.col), 0.0) >= 0]
    else:
        cells = [cell for cell in board.cells if cell.settled or cell.presence >= SEEN_PRESENCE]
    if not cells:
        raise not_found(spec)
    return replace(board, cells=tuple(cells))


def _presence(board: LocatedBoard) -> float:
    return float(board.presence.sum()) / (board.rows * board.cols)


def size_in_words(rows: int, cols: int) -> Text:
    return Text(
        "%(rows)s rows of %(cols)s" if rows > 1 else "%(rows)s row of %(cols)s",
        rows=rows,
        cols=cols,
    )


def _other_size(seen: tuple[int, int], given: tuple[int, int]) -> LessonRejected:
    return LessonRejected(
        "wrong_layout",
        "The photo shows %(seen)s, but the layout has %(size)s.",
        seen=size_in_words(*seen),
        size=size_in_words(*given),
    )


def _size_seen(image_rgb: Images) -> tuple[int, int] | None:
    """Rows and columns of the clearest full grid of pieces in a photo, whatever its board is."""
    small, _ = resized(image_rgb, DETECTOR_PX)
    quads, scores = detect_pieces(small, SEEN_SCORE)
    open_spec = BoardSpec("any", (1, MOST_SIDE), (1, MOST_SIDE), empty=True, aspect=None)
    for lattice in fit_lattices(quads, scores, open_spec):
        if len(lattice.cells) >= max(2, 0.9 * lattice.rows * lattice.cols):
            return lattice.rows, lattice.cols
    return None


def _exactly(spec: BoardSpec, size: tuple[int, int], full: bool) -> BoardSpec:
    """The board narrowed to the size of a layout."""
    rows, cols = size
    return replace(
        spec,
        rows=(rows, rows),
        cols=(cols, cols),
        empty=spec.empty and not full,
        labels=(),
        counts={},
    )


def _single_piece(pyramid: Pyramid, spec: BoardSpec) -> LocatedBoard:
    """The one piece of a photo: the whole photo if it is cut to the piece, else what is found.
    Raises LessonRejected if the photo shows a grid of pieces."""
    h, w = pyramid.image_rgb.shape[:2]
    whole = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    cut_to_piece = spec.aspect is None or 0.85 < (w / h) / spec.aspect < 1.18
    small, shrink = resized(pyramid.image_rgb, 320)
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
            return cells_of_corners(refined[0], 1, 1)
    elif (seen := _size_seen(pyramid.image_rgb)) is not None and (
        not cut_to_piece or seen[0] * seen[1] >= LEAST_BOARD
    ):
        raise _other_size(seen, (1, 1))
    return cells_of_corners(whole, 1, 1)

"""Boards that were read, and which of their answers are wrong: what the judge of doubt is fitted
on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.measuring.examples import Example, ExampleKind
from calibration.measuring.generated import Tier, Truth
from scorer.notation import EMPTY
from vision.boards import BoardSpec
from vision.choose import CellsRead, read_best, read_cells
from vision.errors import VisionError
from vision.find.corners import board_at_corners
from vision.geometry import Pyramid
from vision.kinds import kind_of
from vision.kinds.kind import Kind
from vision.probability import Doubles
from vision.profile import Profile
from vision.quality import BoardQuality, board_quality
from vision.trust import Answers, answers_of, named_of


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A board that was read: what was seen of it and what truly lies there."""

    kind: ExampleKind
    hard: str
    tier: Tier
    number: int
    truth: Truth
    spec: BoardSpec
    profile: Profile
    read: CellsRead
    quality: BoardQuality


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The answers of a board and which of them are wrong: cells (n,), nan where nobody can say.

    ``strange`` (n,) are those of the wrong cells that show what no lesson showed. ``number`` is
    that of the edition, ``room`` the kind of board that was read.
    """

    kind: ExampleKind
    hard: str
    number: int
    room: Kind
    answers: Answers
    cells: Doubles
    strange: npt.NDArray[np.bool_]
    direction: bool
    extent: bool

    @property
    def wrong(self) -> npt.NDArray[np.bool_]:
        """Which answers are wrong, in the order of ``vision.trust.Risks.every``."""
        return np.append(np.nan_to_num(self.cells), (self.direction, self.extent)) > 0


def read_example(example: Example, number: int) -> Seen | None:
    """Read an example; None if it is refused."""
    pyramid = Pyramid(example.photo.image_rgb)
    try:
        if example.corners is not None:
            board = board_at_corners(example.photo, example.spec, example.corners, pyramid)
            read = read_cells(pyramid, board, example.spec, example.profile, fixed_turn=0)
            if read is None:
                return None
        else:
            read, _ = read_best(pyramid, example.spec, example.profile)
    except VisionError:
        return None
    quality = board_quality(example.photo.image_bgr, read.board.quads_xy, example.spec.aspect)
    return Seen(
        example.kind,
        example.hard,
        example.tier,
        number,
        example.truth,
        example.spec,
        example.profile,
        read,
        quality,
    )


def weighed(seen: Seen) -> Weighed:
    """The answers of a board against the truth."""
    profile = kind_of(seen.spec).completed(seen.profile)
    read, board = seen.read, seen.read.board
    named = named_of(board, seen.spec, profile, read.look)
    answers = answers_of(named, board, seen.spec, profile, read.look, read.extent, seen.quality)
    places, turn = board.upright(read.look.way.turn), read.look.way.turn
    size = (board.rows, board.cols) if turn % 2 == 0 else (board.cols, board.rows)
    have = dict(zip(places, answers.named.labels, strict=True))
    ways = list(_turned(*_laid(seen)))
    right = [
        sum(want[place] == label for place, label in have.items()) if shape == size else -1
        for want, shape in ways
    ]
    best = 0 if right[0] == max(right) else int(np.argmax(right))
    unknown, nothing = np.full(len(places), np.nan), np.zeros(len(places), np.bool_)
    of_board = seen.kind, seen.hard, seen.number, kind_of(seen.spec, profile.published), answers
    if right[best] < 0:
        return Weighed(*of_board, unknown, nothing, False, True)
    want, turned = ways[best][0], seen.spec.is_directed and best != 0
    if any(label != EMPTY for place, label in want.items() if place not in have):
        return Weighed(*of_board, unknown, nothing, turned, True)
    wrong = np.array([want[place] != label for place, label in have.items()], np.float64)
    if turned:
        return Weighed(*of_board, unknown, nothing, True, False)
    known = {*profile.labels, EMPTY}
    strange = np.array([want[place] not in known or seen.hard == "covered" for place in have])
    return Weighed(*of_board, wrong, strange & (wrong > 0), False, False)


Grid = dict[tuple[int, int], str]


def _laid(seen: Seen) -> tuple[Grid, tuple[int, int]]:
    """What lies on each place of the whole grid, and its rows and columns; a stranger is ``?``."""
    places = np.array(list(seen.truth))
    given = seen.kind == "given"
    first = np.zeros(2, int) if given else places.min(0)
    size = np.array([seen.spec.rows[0], seen.spec.cols[0]]) if given else places.max(0) - first + 1
    rows, cols = (int(n) for n in size)
    grid = {(row, col): EMPTY for row in range(rows) for col in range(cols)}
    for (row, col), (label, stranger) in seen.truth.items():
        grid[row - int(first[0]), col - int(first[1])] = "?" if stranger else label
    return grid, (rows, cols)


def _turned(grid: Grid, size: tuple[int, int]) -> Iterator[tuple[Grid, tuple[int, int]]]:
    """The grid in its four turns, each with its rows and columns."""
    for _ in range(4):
        yield grid, size
        rows, cols = size
        grid = {(col, rows - 1 - row): label for (row, col), label in grid.items()}
        size = (cols, rows)

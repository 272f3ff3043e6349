"""How probably each answer of a reading is wrong, and what a person is asked about it.

A fitted judge weighs the signs of every answer (``vision.name.signs``), another weighs what all of
them say of the board. A board that is wrong rarely enough is sure. Of the others the likeliest
errors are asked about, until those that are left are rare enough.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from models.registry import model_version
from scorer.notation import EMPTY
from vision.boards import BoardSpec
from vision.decode import within_counts
from vision.doubts import (
    Asked,
    cell_doubts,
    direction_doubt,
    extent_doubt,
    ordered,
    placing_doubt,
    set_doubt,
)
from vision.evidence import Look
from vision.find.board import LEAST_INSIDE, LocatedBoard, turned_place
from vision.find.complete import LEAST_CUT, STRAY_LIKENESS, Extent
from vision.kinds import kind_of
from vision.kinds.kind import Kind
from vision.name.signs import (
    MOST_ODDS,
    Named,
    board_signs,
    cell_signs,
    direction_signs,
    extent_signs,
    log_odds,
)
from vision.probability import Doubles, Judge, Signs, fitted
from vision.profile import Profile
from vision.quality import BoardQuality, advice
from vision.reading import CellReading, Reading

ALTERNATIVES = 3
LONE = 0.5
"""How probably a board of which one piece was found goes on beyond it: nobody can say."""
WHOLE = Extent()
"""Nothing says that the grid is not the whole board."""


def other_turns(board: LocatedBoard, seen: Look, chosen: Sequence[int]) -> list[tuple[int, float]]:
    """By how many quarters clockwise the board as read may have to be turned, each with its
    probability; 0 first. Turns that show the same board count as none."""
    here = dict(zip(board.upright(seen.way.turn), chosen, strict=True))
    turns = {0: seen.turn_probability}
    for p, way in seen.others:
        others = way.probabilities.argmax(1).tolist()
        there = dict(zip(board.upright(way.turn), others, strict=True))
        turn = 0 if there == here else (way.turn - seen.way.turn) % 4
        turns[turn] = turns.get(turn, 0.0) + p
    return [(0, turns.pop(0)), *sorted(turns.items(), key=lambda each: -each[1])]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a reading answers, and the signs of each answer.

    Attributes
    ----------
    kinds : which judge each cell has, shape (n,); ``cells`` are their signs.
    direction, extent : signs of one answer each; None where there is nothing to answer.
    edge : numbers of the cells that alone hold an outer row or column, if a piece lies there.
    """

    named: Named
    kinds: Sequence[str]
    cells: Signs
    direction: Signs | None
    extent: Signs | None
    edge: Sequence[int]


def named_of(board: LocatedBoard, spec: BoardSpec, profile: Profile, seen: Look) -> Named:
    """What the cells of a board are named, and how it may be turned."""
    labels, way = profile.labels, seen.way
    chosen = (
        list(way.choice) if way.choice else within_counts(way.probabilities, labels, spec.counts)
    )
    names = [labels[k] for k in chosen]
    bare = np.array(
        [
            spec.is_open and (cell.presence < 0.5 or name == EMPTY)
            for cell, name in zip(board.cells, names, strict=True)
        ]
    )
    return Named(chosen, names, bare, other_turns(board, seen, chosen))


def answers_of(
    named: Named,
    board: LocatedBoard,
    spec: BoardSpec,
    profile: Profile,
    seen: Look,
    extent: Extent = WHOLE,
    quality: BoardQuality | None = None,
) -> Answers:
    """What is read of a board, with all signs that it is right."""
    kind = kind_of(spec, profile.published)
    cells = cell_signs(board, spec, profile, seen, quality, named)
    edge = _at_edge(board) if spec.is_open else []
    least = min((float(log_odds(board.cells[i].presence)) for i in edge), default=MOST_ODDS)
    return Answers(
        named,
        [kind.answer(label) for label in named.labels],
        cells,
        direction_signs(seen, named, cells) if len(named.turns) > 1 else None,
        extent_signs(extent, least, named, cells) if spec.is_open and extent != WHOLE else None,
        edge,
    )


class Risks(NamedTuple):
    """How probably each cell (n,), the direction and the extent of a grid are wrong."""

    cells: Doubles
    direction: float
    extent: float

    @property
    def every(self) -> Doubles:
        return np.append(self.cells, (self.direction, self.extent))


def risks_of(answers: Answers, kind: Kind, judges: Mapping[str, Judge]) -> Risks:
    """How probably the answers are wrong.

    A cell is wrong if it shows another label that is taught, or something that no lesson showed. A
    piece alone on the table shows no lattice, so nobody can say whether it is the whole board. Nor
    can anybody where the photo ends beside the pieces, or where one lies apart from the others.
    """
    cells = np.zeros(len(answers.kinds))
    which = np.array(answers.kinds)
    for name in set(answers.kinds):
        confused, strange = (judges[n].risks(answers.cells) for n in (name, f"{name} strange"))
        cells[which == name] = (1 - (1 - confused) * (1 - strange))[which == name]
    direction = extent = 0.0
    if answers.direction is not None:
        direction = float(judges[f"{kind.judge} direction"].risks(answers.direction)[0])
    if answers.extent is not None:
        alone = answers.extent["pieces"][0] == 0
        cut = answers.extent["seen"][0] < 0 or answers.extent["joined"][0] < 0
        extent = 1.0 if alone else float(judges[f"{kind.judge} extent"].risks(answers.extent)[0])
        extent = max(extent, LEAST_CUT) if cut else extent
    return Risks(cells, direction, extent)


class Course(NamedTuple):
    """The answers of a board as they would be asked about.

    ``order`` (n,) holds their numbers, the likeliest error first; ``left`` (n + 1,) how probably
    the board is still wrong after so many were asked about, from none to all.
    """

    order: npt.NDArray[np.intp]
    left: Doubles

    def asked(self, sure: float, left: float) -> npt.NDArray[np.intp]:
        """Numbers of the answers that must be asked about: none of a board that is wrong no more
        probably than ``sure``, else the fewest after which it is so no more than ``left``.

        >>> course = Course(np.array([2, 0, 1]), np.array([0.3, 0.02, 0.01, 0.0]))
        >>> course.asked(0.3, 0.01), course.asked(0.2, 0.01)
        (array([], dtype=int64), array([2, 0]))
        """
        if self.left[0] <= sure:
            return self.order[:0]
        enough = np.flatnonzero(self.left[1:] <= left)
        return self.order[: enough[0] + 1] if len(enough) else self.order


def course_of(risks: Doubles, cells: Signs, kind: Kind, judges: Mapping[str, Judge]) -> Course:
    """In which order the answers would be asked about, by the ``risks`` (n,) of each."""
    order = np.argsort(-risks, kind="stable")
    signs = board_signs(risks[order], cells)
    return Course(order, judges[f"{kind.judge} board"].risks(signs))


def reading_of(
    board: LocatedBoard,
    spec: BoardSpec,
    profile: Profile,
    seen: Look,
    extent: Extent = WHOLE,
    quality: BoardQuality | None = None,
) -> Reading:
    """What was read: cells in the upright grid's order, and what is left to ask about them."""
    kind, way = kind_of(spec, profile.published), seen.way
    named = named_of(board, spec, profile, seen)
    quads = kind.shown_quads(board, named.names)
    answers = answers_of(named, board, spec, profile, seen, extent, quality)
    judged = risks_of(answers, kind, fitted().judges)
    if not spec.is_open:
        judged = judged._replace(extent=0.0 if extent == WHOLE else extent.at_most)
    doubtful = [] if extent == WHOLE else _extents(board, extent, answers.edge, judged.extent)
    risks, turned = judged.cells, judged.direction
    if quality is not None:
        risks = np.where(quality.in_photo < LEAST_INSIDE, np.maximum(risks, LEAST_CUT), risks)
    every = np.concatenate([risks, [turned], [risk for _, risk in doubtful]])
    course = course_of(every, answers.cells, kind, fitted().judges)
    asked = np.isin(np.arange(len(every)), course.asked(fitted().sure, fitted().left))
    places = board.upright(way.turn)
    chances = _chances(board, spec, profile, seen)
    cells = []
    for i, (place, label) in enumerate(zip(places, named.labels, strict=True)):
        others = _alternatives(chances[i], label, float(risks[i]))
        quad = np.roll(quads[i], way.turn, axis=0)
        told = 1 - float(risks[i])
        cells.append(CellReading(*place, label, told, not asked[i], quad, others, look=i))
    cells.sort(key=lambda cell: (cell.row, cell.col))
    doubts = cell_doubts([_asked(cell, seen, profile) for cell in cells if not cell.sure])
    if asked[len(cells)]:
        doubts.append(direction_doubt(_scaled(named.turns, turned)))
    for (at_edge, risk), ask in zip(doubtful, asked[len(cells) + 1 :], strict=True):
        if ask:
            held = at_edge is not None
            where = _place_beside(board, extent, way.turn) if at_edge is None else places[at_edge]
            beyond = min(risk, LONE) if extent.pieces == 1 else risk
            doubts.append(extent_doubt(where, 1 - risk if held else beyond, held))
    if extent.placings > 1:
        doubts.append(placing_doubt(extent.placings))
    text = _text(board, way.turn, dict(zip(places, named.labels, strict=True)))
    problems = kind.problems(text)
    if problems:
        doubts.append(set_doubt(spec.name, 0.5))
    if quality is not None and doubts:
        at = [(cell.row, cell.col) for cell in sorted(cells, key=lambda cell: cell.look)]
        problems = (*problems, *advice(quality, at))
    outline = np.roll(board.outline_xy, way.turn, axis=0).astype(np.float32)
    return Reading(
        spec.name,
        text,
        tuple(cells),
        outline,
        profile.name,
        model_version(),
        problems,
        doubts=ordered(doubts),
    )


def _text(board: LocatedBoard, turn: int, labels: Mapping[tuple[int, int], str]) -> str:
    """The state in the board's notation; places that surely hold nothing are bare."""
    rows, cols = board.shape(turn)
    return " / ".join(
        " ".join(labels.get((row, col), EMPTY) for col in range(cols)) for row in range(rows)
    )


def _asked(cell: CellReading, seen: Look, profile: Profile) -> Asked:
    """A doubtful cell, as it is compared with others."""
    vectors, guesses = seen.evidence.vectors, ((cell.label, cell.confidence), *cell.alternatives)
    faces = [profile.prototypes.get(label) for label, _ in guesses[:2]]
    one, other = faces if len(faces) == 2 else (None, None)
    apart = None if one is None or other is None else 1 - float((one[:, 0] @ other[:, 0].T).max())
    vector = None if vectors is None else vectors[cell.look]
    return Asked((cell.row, cell.col), guesses, vector, apart)


def _scaled(options: Sequence[tuple[Any, float]], risk: float) -> list[tuple[Any, float]]:
    """Options, the answer first, such that the others share the ``risk``."""
    total = max(sum(p for _, p in options[1:]), 1e-12)
    return [(options[0][0], 1 - risk), *((value, p / total * risk) for value, p in options[1:])]


def _chances(
    board: LocatedBoard, spec: BoardSpec, profile: Profile, seen: Look
) -> list[dict[str, float]]:
    """What each cell may show, whichever side is up: labels with their probabilities."""
    p = seen.turn_probability * seen.way.probabilities * seen.known[:, None]
    for chance, way in seen.others:
        p += chance * way.probabilities * seen.evidence.known[way.turn][:, None]
    if spec.is_open:
        p *= board.presence[:, None]
    chances = [dict(zip(profile.labels, each, strict=True)) for each in p.tolist()]
    for each, cell in zip(chances, board.cells, strict=True):
        if spec.is_open:
            each[EMPTY] = each.get(EMPTY, 0.0) + 1 - cell.presence
    return chances


def _alternatives(
    chances: Mapping[str, float], label: str, risk: float
) -> tuple[tuple[str, float], ...]:
    """What else a cell may be, likeliest first; together no likelier than its ``risk``."""
    others = [(other, p) for other, p in chances.items() if other != label]
    likely = sorted(others, key=lambda each: -each[1])[:ALTERNATIVES]
    return tuple(_scaled([(label, 1.0), *likely], risk)[1:])


def _extents(
    board: LocatedBoard, extent: Extent, edge: Sequence[int], risk: float
) -> list[tuple[int | None, float]]:
    """The cells at the edge that may be bare, and None for what may lie beside the grid, each with
    its share of the risk that the extent is wrong."""
    parts: list[tuple[int | None, float]] = [(i, 1 - board.cells[i].presence) for i in edge]
    parts.append((None, extent.at_most))
    total = max(sum(part for _, part in parts), 1e-12)
    return [(i, risk * part / total) for i, part in parts]


def _place_beside(board: LocatedBoard, extent: Extent, turn: int) -> tuple[int, int] | None:
    """Where a piece may lie beside the grid, in the upright grid's order."""
    place = extent.stray_place if extent.stray >= STRAY_LIKENESS else extent.place
    return None if place is None else turned_place(*place, board.rows, board.cols, turn)


def _at_edge(board: LocatedBoard) -> list[int]:
    """Which cells that may be bare lie outside the rows and columns of those that surely are not:
    if nothing lies there, the grid is smaller."""
    sure = [(cell.row, cell.col) for cell in board.cells if cell.settled and cell.presence >= 0.5]
    if not sure:
        return []
    low, high = np.min(sure, 0), np.max(sure, 0)
    return [
        i
        for i, cell in enumerate(board.cells)
        if not (cell.settled or cell.presence < 0.5)
        and not (low[0] <= cell.row <= high[0] and low[1] <= cell.col <= high[1])
    ]

"""What is said to have been read: the label of each cell, how probable it is, and whether it needs no person; and how surely a
grid that was found shows the set that is read, and not another game, a telephone or chequered cloth."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from models.registry import model_version
from scorer.seasons.board import FRAME_MARK, PRECIOUS_MARK
from scorer.stones.board import StoneGrid
from vision.boards import BoardSpec
from vision.decode import Doubles, sigmoid, within_counts
from vision.find.complete import SURE_BARE
from vision.find.detect import LocatedBoard
from vision.geometry import Floats
from vision.interpretation import Look, turned_place
from vision.name.season_cells import NUMBERS, printed_quads
from vision.profile import Profile, tints
from vision.reading import EMPTY, CellReading, Reading


class Bars(NamedTuple):
    """Least probabilities of a cell that is said to be sure: ``alone``, and ``together``, where all cells of its board
    reach the lower bar. A photo without a doubtful cell is a good one: there, cells are right oftener than they say."""

    alone: float
    together: float


SURE_TAUGHT, SURE_STONE = Bars(0.97, 0.94), Bars(0.98, 0.9)
"""Pieces that were taught; and stones, which are also compared with each other (``agreement``)."""
SURE_TILE, SURE_NUMBER = Bars(0.97, 0.88), Bars(0.995, 0.93)
"""Tiles of season boards, which are many; and their numbers: a flat frame around one is easily overlooked."""
SURE_CARD, SURE_PLACE = Bars(0.97, 0.9), Bars(1 - SURE_BARE, 0.94)
"""Cards of a grid of time, and places of an open board that are bare."""
SURE_UNTAUGHT, SURE_UNTAUGHT_ALIKE = Bars(0.992, 0.9), Bars(0.992, 0.95)
"""The same for stones where nothing was taught; and for those that another may look like. All bars are measured in docs/accuracy.md."""
ALIKE_UNTAUGHT = ("fish", "bird", "seed")
"""The two sides of one stone that are orange and coral, or one of them in warm light; and the grey one, as any is that shines."""
SURE_LIKENESS, SURE_LIKENESS_IN_PART, SURE_LIKENESS_UNTAUGHT = 0.703, 0.967, 0.5
"""Least likeness to a taught face of a cell that is said to be sure; and where some faces of the set were not taught. Where
none was, likeness is the probability that the stone shows this symbol, the others of the box left aside."""
SURE_TURN, SURE_TURN_OPEN = 0.995, 0.9998
"""Least probability of the direction of the grid, below which no cell is sure; and for boards of open shape, whose cards may look
alike from two sides: of 239 generated ones that were sure one lay the other way at 0.9995."""
MOST_MISSING = 0.012
"""How probable it may be that a piece of an open board was missed, where a cell is said to be sure: one of those was at 0.0145."""
SURE_TURN_UNTAUGHT = 0.97
"""The same for stones where nothing was taught: of 3,200 generated boards one that was read from a wrong side is above it, whose
stones are in doubt, and the next is at 0.93."""
WELL_APART, SURE_ALIKE = 0.04, Bars(0.998, 0.998)
"""Cards of an open board that look less than this more like those of their name than like another (``agreement``) have higher
bars: of 239 generated grids of time that were sure, two were wrong with such a card at 0.987 and 0.996."""
SURE_LONE = Bars(0.993, 0.993)
"""The bars for a taught stone of which no second one is there to be compared with: where a lesson was covered in part, another
face may be the likest one. Of 1,060 generated boards one was wrong at 0.9902."""
MOST_LESS_LIKE = 0.135
"""By how much less a sure piece may look like its face than the median piece of its photo does: coins and hands on stones that
passed all other bars were 0.14 to 0.2 below it, and so is a stone on one in twenty-five of the boards that were read exactly."""
SAME_FACE, CLEAR_AGREEMENT = 0.964, 0.03
"""Likeness of two prints of one face in one photo, for faces of which only one is there; and by how much more every stone
must look like the others of its name than like any of another for a low bar of a whole board. Of 860 generated boards of three seeds
two were wrong above the bars without it, none with it and lower bars."""
OTHER_TINT = 0.9
"""How far apart the tints of two prints of one face may lie in one photo (natural logarithms of light, see ``tints``). Nine in a
thousand pieces that are named rightly, under lamps of two colours, are farther from all of their name; a card that was taught
in glare and taken for another one of the same figure was at 1.02 and said to be sure."""
TAUGHT_APART, ONE_TINT = 0.1, 0.25
"""How far apart lessons must show the tints of two tiles; and what part of that must be left in a photo, if the median pair keeps all. On 32
generated season boards that were sure and right it was never less than 0.47, on one where a grey tile took the name of another season, 0.04."""
OTHER_FRAME = 0.09
"""By how much more a number may look like itself with a frame than without, or the other way: of 34 season boards that were sure it
was 0.12 and 0.13 where a frame was overlooked, else never more than 0.07."""
ALTERNATIVES = 3


def bars_of(spec: BoardSpec, published: bool, label: str, confirmed: bool = True) -> Bars:
    """From where on a cell that shows this label, on a board of this kind, is sure.

    A stone is ``confirmed`` by another one of the same name, a card of an open board by lying well apart from other names.
    """
    if published:
        return SURE_UNTAUGHT_ALIKE if label in ALIKE_UNTAUGHT else SURE_UNTAUGHT
    if spec.name == "seasons":
        return SURE_NUMBER if label[0] in NUMBERS else SURE_TILE
    if spec.is_open and label == EMPTY:
        return SURE_PLACE
    if spec.name == "stones":
        return SURE_STONE if confirmed else SURE_LONE
    if spec.is_open and not confirmed:
        return SURE_ALIKE
    return SURE_CARD if spec.name == "time" else SURE_TAUGHT


def over_turns(board: LocatedBoard, seen: Look) -> Doubles:
    """Probabilities (n, labels) of what lies at each cell's place in the upright grid, whichever side is up.

    If the grid is turned, another cell lies at the place. Turns that make another shape of the grid do not count.
    """

    def upright(turn: int) -> list[tuple[int, int]]:
        return [turned_place(cell.row, cell.col, board.rows, board.cols, turn) for cell in board.cells]

    target = upright(seen.way.turn)
    chances = seen.way.probabilities * seen.known[:, None]
    mixed = seen.turn_probability * chances
    for p, way in seen.others:
        at = {place: i for i, place in enumerate(upright(way.turn))}
        known = seen.evidence.known[way.turn]
        if at.keys() == {*target}:
            order = [at[place] for place in target]
            mixed += p * (way.probabilities * known[:, None])[order]
        else:
            mixed += p * chances
    return np.asarray(mixed)


def agreement(vectors: Floats, names: Sequence[str], shades: Floats | None = None) -> Floats:
    """How much more each piece of a photo looks like the others of its name than like any of another, shape (n,).

    Two prints of one face differ less in one photo than a print and its lesson: where a piece looks more like one of
    another name, or has another tint (``shades``, of shape (n, 2)) than all of its name, one of the names is wrong. Below
    zero for such pieces.
    """
    named = np.array(names)
    alike = vectors @ vectors.T
    same = named[:, None] == named[None]
    others_of_name = same & ~np.eye(len(named), dtype=bool)
    own = np.where(others_of_name, alike, np.inf).min(1)
    own[~np.isfinite(own)] = SAME_FACE
    other = np.where(same, -1.0, alike).max(1)
    agree = own - other
    if shades is not None:
        apart = np.linalg.norm(shades[:, None] - shades[None], axis=2)
        nearest = np.where(others_of_name, apart, np.inf).min(1)
        agree[np.isfinite(nearest) & (nearest > OTHER_TINT)] = -1.0
    return np.asarray(agree, np.float32)


def in_one_tint(names: Sequence[str], shades: Floats, profile: Profile) -> npt.NDArray[np.bool_]:
    """Which tiles of a season board have the tint (n, 2) of a tile of another season, though lessons show the two in different
    ones, shape (n,): one of the names is wrong. Haze takes from all tints of a photo alike, so the median pair is the measure."""
    kinds = sorted(
        {name for name in names if name in profile.colours and name[0] not in NUMBERS and name != EMPTY}
    )
    if not kinds:
        return np.zeros(len(names), np.bool_)
    taught = [tints(profile.colours[kind]) for kind in kinds]
    apart = np.array(
        [[np.linalg.norm(one[:, None] - other[None], axis=2).min() for other in taught] for one in taught]
    )
    seasons = np.array([kind.removesuffix(PRECIOUS_MARK) for kind in kinds])
    apart[(seasons[:, None] == seasons[None]) | (apart < TAUGHT_APART)] = np.nan
    tiles = np.array([i for i, name in enumerate(names) if name in kinds])
    which = np.array([kinds.index(names[i]) for i in tiles])
    seen_apart = np.linalg.norm(shades[tiles][:, None] - shades[tiles][None], axis=2)
    odd = np.zeros(len(names), np.bool_)
    kept = seen_apart / apart[which][:, which]  # nan where they say nothing
    told = kept[np.isfinite(kept)]
    if len(told):
        odd[tiles] = (kept < ONE_TINT * min(float(np.median(told)), 1.0)).any(1)
    return odd


def in_other_frame(names: Sequence[str], likeness: Floats, labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which numbers of a season board look clearly more like themselves with a frame where they were read without one, or the
    other way, shape (n,); by their likeness (n, labels)."""
    odd = np.zeros(len(names), np.bool_)
    for i, name in enumerate(names):
        other = name[:-1] if name.endswith(FRAME_MARK) else name + FRAME_MARK
        if name[0] in NUMBERS and other in labels:
            gap = likeness[i, labels.index(other)] - likeness[i, labels.index(name)]
            odd[i] = gap > OTHER_FRAME
    return odd


def typical_likeness(board: LocatedBoard, alike: Floats) -> float:
    """Likeness of the median piece of a photo to the face that it was taken for; 0 if there is no piece."""
    pieces = [i for i, cell in enumerate(board.cells) if cell.presence > 0.5]
    return float(np.median(alike[pieces])) if pieces else 0.0


def prints_compare(spec: BoardSpec) -> bool:
    """Whether prints of one face look alike in one photo, and of others not.

    Pieces that may lie turned within the grid do not, for turned prints are not alike, nor do the tiles of a season board,
    of which many differ by a small mark alone.
    """
    return spec.turns == 1 and spec.name != "seasons"


def agreements(
    board: LocatedBoard, spec: BoardSpec, profile: Profile, seen: Look, names: Sequence[str]
) -> Floats:
    """``agreement`` of all pieces whose prints can be compared, shape (cells,); infinite for bare places and other boards.

    Below zero for cells of season boards that are named otherwise than their tint or their frame looks, too.
    """
    agree = np.full(len(names), np.inf, np.float32)
    vectors, shades = seen.evidence.vectors, seen.evidence.tints
    if spec.name == "seasons" and shades is not None:
        otherwise = in_one_tint(names, shades, profile) | in_other_frame(names, seen.likeness, profile.labels)
        agree[otherwise] = -1.0
    if vectors is None or not prints_compare(spec):
        return agree
    pieces = [i for i, cell in enumerate(board.cells) if not (spec.is_open and cell.presence < 0.5)]
    if pieces:
        of_pieces = None if shades is None else shades[pieces]
        agree[pieces] = agreement(vectors[pieces], [names[i] for i in pieces], of_pieces)
    return agree


def all_faces_taught(spec: BoardSpec, labels: Sequence[str]) -> bool:
    """Whether no piece of a season board or of the stones is unknown, which would look like the one most like it."""
    return spec.name not in ("seasons", "stones") or not {
        label for label in spec.labels if label[0] not in NUMBERS
    } - {*labels}


def shown_quads(board: LocatedBoard, spec: BoardSpec, labels: Sequence[str]) -> Floats:
    """Quads (n, 4, 2) of what was read: of the piece, or of the printed cell where none lies on a season board."""
    quads = np.stack([cell.quad_xy for cell in board.cells]).astype(np.float32)
    if spec.name != "seasons":
        return quads
    bare = np.array([label == EMPTY or label[0] in NUMBERS for label in labels])
    printed = printed_quads(board, bare)
    return quads if printed is None else np.where(bare[:, None, None], printed, quads)


def reading_of(
    board: LocatedBoard,
    spec: BoardSpec,
    profile: Profile,
    seen: Look,
    missing: float,
) -> Reading:
    """Cells in the upright grid's order, with text, sureness and problems; none is sure if a piece may be ``missing``."""
    way = seen.way
    labels = profile.labels
    chances = over_turns(board, seen)
    chosen = list(way.choice) if way.choice else within_counts(way.probabilities, labels, spec.counts)
    rows, cols = (board.rows, board.cols) if way.turn % 2 == 0 else (board.cols, board.rows)
    grid = [[EMPTY] * cols for _ in range(rows)]
    least_turn = SURE_TURN_OPEN if spec.is_open else SURE_TURN
    turn_known = seen.turn_probability >= (
        SURE_TURN_UNTAUGHT if seen.evidence.alone is not None else least_turn
    )
    whole = turn_known and missing <= MOST_MISSING
    names = [labels[k] for k in chosen]
    agree = agreements(board, spec, profile, seen, names)
    alike = seen.likeness[np.arange(len(chosen)), chosen]
    if profile.published:
        least_likeness = SURE_LIKENESS_UNTAUGHT
    else:
        taught = SURE_LIKENESS if all_faces_taught(spec, labels) else SURE_LIKENESS_IN_PART
        least_likeness = max(taught, typical_likeness(board, alike) - MOST_LESS_LIKE)
    clear = bool(agree.min() >= CLEAR_AGREEMENT)
    quads = shown_quads(board, spec, names)
    cells, together = [], whole
    for i, cell in enumerate(board.cells):
        row, col = turned_place(cell.row, cell.col, board.rows, board.cols, way.turn)
        label = names[i]
        confidence = float(chances[i, chosen[i]])
        order = [k for k in np.argsort(-chances[i]) if k != chosen[i]][:ALTERNATIVES]
        others = [(labels[k], float(chances[i, k])) for k in order]
        bare = spec.is_open and cell.presence < 0.5
        if bare:
            others = [
                (other, p * cell.presence) for other, p in [(label, confidence), *others][:ALTERNATIVES]
            ]
            label, confidence = EMPTY, 1 - cell.presence
        number = spec.name == "seasons" and label[0] in NUMBERS
        like_taught = number or float(alike[i]) >= least_likeness
        confirmed = chosen.count(chosen[i]) > 1 if spec.name == "stones" else bool(agree[i] >= WELL_APART)
        bars = bars_of(spec, profile.published, label, confirmed)
        plain = bare or (like_taught and cell.presence > 0.5 and agree[i] >= 0)
        # a piece that is hardly seen as one is half covered: so may be another, wholly
        least = bars.together if clear else bars.alone
        together = together and plain and (bare or cell.detected) and confidence >= least
        alone = plain and cell.detected and confidence >= bars.alone
        sure = alone and whole
        grid[row][col] = label
        cells.append(
            CellReading(
                row, col, label, confidence, sure, np.roll(quads[i], way.turn, axis=0), tuple(others),
            )
        )  # fmt: skip
    cells = sorted(
        (replace(cell, sure=cell.sure or together) for cell in cells), key=lambda cell: (cell.row, cell.col)
    )
    text = " / ".join(" ".join(row) for row in grid)
    problems: tuple[str, ...] = ()
    if spec.name == "stones":
        problems = tuple(problem.message for problem in StoneGrid.parse(text).problems())
    outline = np.roll(board.outline_xy, way.turn, axis=0).astype(np.float32)
    return Reading(spec.name, text, tuple(cells), outline, profile.name, model_version(), problems)


Kind = Literal["published", "stones", "seasons", "open"]
"""Which signs are weighed alike: stones where nothing was taught, taught stones and other boards of given size, season
boards with their printed numbers, boards of open shape."""

FILE = "belief.toml"
"""What each sign weighs, written by ``calibration.measuring.belief``."""
LEAST_BELIEF = 0.5
"""A grid that shows the set less probably than this is refused rather than guessed at, if half of all photos show none."""


class Signs(NamedTuple):
    """What speaks for and against a grid. Likeness is the scalar product with the likest taught face; where nothing was
    taught, it is the probability of the likest symbol.

    Attributes
    ----------
    typical, mean, low : likeness of the median piece, of all pieces, and of the piece that a quarter of them lies below
    apart : by how much the median piece looks more like its face than like any other
    decided : log odds of what the median piece is
    clear, unclear : probability of what the pieces are: of all, and of the two least certain
    directed : probability of the direction of the grid
    misfit : natural logarithm of one more than ``vision.read.misfit``
    share_known, known, least_known : share of pieces that are surely taught faces, how surely they are at the mean and the
        strangest of them
    bare : share of the grid's places that seem to hold no piece
    presence : how surely the pieces are some
    pieces : natural logarithm of their number if the board is of open shape, else 0
    """

    typical: float
    mean: float
    low: float
    apart: float
    decided: float
    clear: float
    unclear: float
    directed: float
    misfit: float
    share_known: float
    known: float
    least_known: float
    bare: float
    presence: float
    pieces: float


class Judge(NamedTuple):
    """A logistic regression: what each sign weighs, and the log odds where all are 0."""

    weights: Signs
    offset: float

    def probability(self, signs: Signs) -> float:
        """How probably a grid with these signs shows the set, if as many grids do as do not."""
        return float(sigmoid(np.dot(self.weights, signs) + self.offset))


@cache
def judges() -> dict[str, Judge]:
    """The judge of each kind of board."""
    table = tomllib.loads(resources.files("vision").joinpath(FILE).read_text(encoding="utf-8"))
    return {kind: Judge(Signs(**judge["weights"]), float(judge["offset"])) for kind, judge in table.items()}


def belief(signs: Signs, kind: Kind) -> float:
    """How probably a grid with these signs shows the set that is read."""
    return judges()[kind].probability(signs)

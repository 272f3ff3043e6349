"""Several photos of one state, read as one: what glare or blur hides in one photo another shows.

The evidence of each cell is added up over the photos before the rules of the box are asked, once.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vision.boards import BoardSpec
from vision.choose import CellsRead, read_best
from vision.decode import possible_turns, weigh
from vision.doubts import ordered, state_doubt
from vision.errors import BoardNotFound
from vision.evidence import Evidence, Look
from vision.find.board import LocatedBoard
from vision.geometry import Pyramid
from vision.kinds import kind_of
from vision.name.light import CLEAR
from vision.photo import Photo
from vision.probability import Real, log_shares, logsumexp
from vision.profile import Profile
from vision.quality import BoardQuality, board_quality
from vision.reading import Reading, stage_ms
from vision.trust import reading_of

SHARED_ERRORS = 0.5
"""Errors of n photos of one board are shared: they count as n ** (1 - this) independent ones."""
LEAST_CONTRADICTIONS = 2
"""Cells that two photos name clearly and differently, from which on they show two states: a move
changes as many, and a photo that is misread by so many helps nobody."""
LEAST_SAME_SIDE = 0.9
"""Least probability of how one photo is turned against another for it to be added."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedReading:
    """One reading of several photos.

    Attributes
    ----------
    reading : in the pixels of the photo number ``reference``
    used : numbers of the photos that were added up
    left_out : number and reason of each photo that was not
    """

    reading: Reading
    reference: int
    used: tuple[int, ...]
    left_out: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """One photo with its board, evidence and quality."""

    number: int
    photo: Photo
    read: CellsRead
    quality: BoardQuality

    @property
    def hidden(self) -> frozenset[int]:
        """The cells that glare hides."""
        return frozenset(self.quality.glaring)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid, whichever way it lies."""
        low, high = sorted((self.read.board.rows, self.read.board.cols))
        return low, high

    @property
    def clarity(self) -> float:
        """How well the photo alone was read: sum of the confidences of its pieces."""
        seen = self.read.look
        return float((seen.way.probabilities.max(1) * seen.known).sum() * seen.turn_probability)


def read_same(
    photos: Sequence[Photo], spec: BoardSpec, profile: Profile, decode_ms: float = 0.0
) -> FusedReading:
    """Find and read one board that all photos show in the same state.

    Raises
    ------
    BoardNotFound
        If no photo shows the board; the reason is that of the first, ``each`` has all.
    """
    start = time.perf_counter()
    profile = kind_of(spec).completed(profile)
    views: list[_View] = []
    left_out: list[tuple[int, str]] = []
    failures: list[BoardNotFound] = []
    for number, photo in enumerate(photos):
        try:
            views.append(_view(number, photo, spec, profile))
        except BoardNotFound as error:
            failures.append(error)
            left_out.append((number, error.message))
    if not views:
        failures[0].each = tuple(failures)
        raise failures[0]
    shape = Counter(view.shape for view in views).most_common(1)[0][0]
    same = [view for view in views if view.shape == shape]
    left_out += [(v.number, "Its grid has another size.") for v in views if v.shape != shape]
    reference = max(same, key=lambda view: (len(view.read.board.cells), view.clarity))
    fused, turns, used, apart = _added_up(reference, same, spec, profile)
    left_out += apart
    board = _board_of(reference, [(view, turns[view.number]) for view in used])
    seen_best = reference.read.look.evidence
    fused = replace(
        fused,
        vectors=seen_best.vectors,
        tints=seen_best.tints,
        pictured=seen_best.pictured,
        unlearnt=seen_best.unlearnt,
    )
    seen = weigh(fused, board, spec, profile.labels, possible_turns(board, spec))
    whole = len(same) == len(views) and all(_within(view, reference, turns) for view in used)
    extent = max((view.read.extent for view in used), key=lambda extent: extent.at_most)
    extent = extent if whole else extent._replace(apart=True)
    quality = _quality(reference, [(view, turns[view.number]) for view in used])
    reading = reading_of(board, spec, profile, seen, extent, quality)
    doubts = (*reading.doubts, state_doubt()) if apart else reading.doubts
    ms = stage_ms(start, start, time.perf_counter(), decode_ms)
    return FusedReading(
        replace(
            reading.moved(reference.photo.to_full),
            problems=(*reading.problems, *reference.read.problems),
            doubts=ordered(doubts),
            ms=ms,
        ),
        reference.number,
        tuple(sorted(view.number for view in used)),
        tuple(sorted(left_out)),
    )


def _view(number: int, photo: Photo, spec: BoardSpec, profile: Profile) -> _View:
    pyramid = Pyramid(photo.image_rgb)
    read, _ = read_best(pyramid, spec, profile)
    quality = board_quality(photo.image_bgr, read.board.quads_xy, spec.aspect)
    return _View(number, photo, read, quality)


def _added_up(
    reference: _View, views: Sequence[_View], spec: BoardSpec, profile: Profile
) -> tuple[Evidence, dict[int, int], list[_View], list[tuple[int, str]]]:
    """The evidence of all photos on the reference's cells, with the turn of each photo against it.

    Also the photos that were added, and those that were not with the reason.
    """
    turns, used, apart = {reference.number: 0}, [reference], []
    parts = [_on_reference(reference, reference, 0)]
    allowed = possible_turns(reference.read.board, spec)
    for view in sorted(views, key=lambda v: -v.clarity):
        if view is reference:
            continue
        ways: list[tuple[float, int, Evidence]] = []
        for turn in range(4):
            if view.read.board.shape(turn) != reference.read.board.shape(0):
                continue
            part = _on_reference(view, reference, turn)
            total = _combined([*parts, part])
            evidences = [
                weigh(total, reference.read.board, spec, profile.labels, [t]).way.evidence
                for t in allowed
            ]
            ways.append((float(logsumexp(np.array(evidences))), turn, part))
        values = np.array([value for value, _, _ in ways])
        best = int(values.argmax())
        if spec.turns == 1 and np.exp(log_shares(values)[best]) < LEAST_SAME_SIDE:
            apart.append((view.number, "It cannot be told from which side it was taken."))
            continue
        part = ways[best][2]
        alone = weigh(_combined([part]), reference.read.board, spec, profile.labels, allowed)
        if _contradictions(alone, reference.read.look) >= LEAST_CONTRADICTIONS:
            apart.append((view.number, "It shows another state of the board."))
            continue
        turns[view.number] = ways[best][1]
        used.append(view)
        parts.append(part)
    return _combined(parts), turns, used, apart


def _contradictions(one: Look, other: Look) -> int:
    """How many cells two looks at one board name clearly, and not the same."""
    names = [look.way.probabilities.argmax(1) for look in (one, other)]
    clear = [look.way.probabilities.max(1) * look.known > CLEAR for look in (one, other)]
    return int((clear[0] & clear[1] & (names[0] != names[1])).sum())


def _on_reference(view: _View, reference: _View, turn: int) -> Evidence:
    """A photo's evidence in the reference's order of cells; nan where it does not show a cell.

    ``turn`` is by how many quarters the photo's grid is turned counterclockwise against the
    reference's.
    """
    seen, board = view.read.look.evidence, view.read.board
    at = {place: i for i, place in enumerate(board.upright(turn)) if i not in view.hidden}
    order = [(turn + t) % 4 for t in range(4)]
    cells = np.array([at.get(place, -1) for place in reference.read.board.places])

    def placed(values: npt.NDArray[Real]) -> npt.NDArray[Real]:
        moved = values[order][:, cells]
        moved[:, cells < 0] = np.nan
        return moved

    alone = None if seen.alone is None else placed(seen.alone)
    return Evidence(placed(seen.scores), placed(seen.likeness), placed(seen.known), alone)


def _combined(parts: Sequence[Evidence]) -> Evidence:
    """The evidence of several photos as one.

    Log likelihoods are added and weakened, because photos of one board err together. A cell is
    as much a taught face as its clearest photo says, or the second clearest of three: one photo
    that takes a coin for a stone is not enough.
    """
    count = np.maximum(np.sum([~np.isnan(part.scores[..., 0]) for part in parts], 0), 1)
    weakened = count[..., None] ** SHARED_ERRORS
    total = np.nansum([part.scores for part in parts], 0) / weakened
    alone = [part.alone for part in parts if part.alone is not None]
    likeness = np.max([np.nan_to_num(part.likeness, nan=-1.0) for part in parts], 0)
    known = np.sort([np.nan_to_num(part.known, nan=0.0) for part in parts], 0)
    return Evidence(
        total,
        likeness.astype(np.float32),
        known[-1 if len(parts) < 3 else -2],
        np.nansum(alone, 0) / weakened if alone else None,
    )


def _board_of(reference: _View, views: Sequence[tuple[_View, int]]) -> LocatedBoard:
    """The reference's board; a cell is settled if any photo settles it."""
    best: dict[tuple[int, int], tuple[float, bool]] = {}
    for view, turn in views:
        board = view.read.board
        for cell, place in zip(board.cells, board.upright(turn), strict=True):
            presence, settled = best.get(place, (0.0, False))
            best[place] = (max(presence, cell.presence), settled or cell.settled)
    board = reference.read.board
    cells = []
    for cell, place in zip(board.cells, board.places, strict=True):
        presence, settled = best[place]
        cells.append(replace(cell, presence=presence, settled=settled))
    return replace(board, cells=tuple(cells))


def _within(view: _View, reference: _View, turns: dict[int, int]) -> bool:
    """Whether a photo shows no place that the reference lacks."""
    return {*view.read.board.upright(turns[view.number])} <= {*reference.read.board.places}


def _quality(reference: _View, views: Sequence[tuple[_View, int]]) -> BoardQuality:
    """The quality of the reference, in which only those cells shine that do so in every photo."""
    hidden = [
        {at for i, at in enumerate(view.read.board.upright(turn)) if i in view.hidden}
        for view, turn in views
    ]
    everywhere = set.intersection(*hidden)
    shines = [place in everywhere for place in reference.read.board.places]
    return replace(reference.quality, burnt=np.where(shines, reference.quality.burnt, 0.0))

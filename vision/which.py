"""Which of several games lies on the table: their boards are looked for in one photo together.

The largest grid of pieces tells at once which games are likely: by its size, and by how much a few
of its pieces look like taught faces. The likeliest are read, until one is surely it.
Of what was read, the pieces of its own board count.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vision.boards import BoardSpec
from vision.choose import MORE_PIECES, Candidate, best_candidate, credible, surely_beside
from vision.errors import BoardNotFound
from vision.find.candidates import Looks
from vision.find.detect import DETECTOR_PX
from vision.find.lattice import Lattice, fit_lattices
from vision.geometry import Pyramid
from vision.profile import Profile, vectors_at

NONE = "none"
"""The kind of a photo that shows no known game."""
ANY_GRID = BoardSpec("any", (1, 32), (1, 32), empty=True, aspect=None)
"""A grid of pieces, whatever its size."""
PIECES_COMPARED = 5
"""Pieces of the grid that are compared with taught faces; they tell as much as all."""
SAME_FACES = 0.8
"""Likeness of the median piece at which taught faces speak neither for a game nor against it."""
LIKENESS_WEIGHT, SIZE_WEIGHT = 40.0, 4.0
"""Log odds for each unit of likeness, and of the logarithm of the share of the grid's pieces that a
board of that size holds."""
NOT_READ = -3.0
"""Log odds of a game whose board was not looked for, because another one is surely there."""
MOST_ODDS = 12.0
SURE_GAME = 0.95
"""No other game is read once one is this probable."""
LEAST_GAME = 0.9
"""A game that is less probable is not taken to lie there."""
MOST_READ = 8
"""Copies that are read of one photo at most."""
NEARLY_AS_LIKELY = 2.0
"""Another copy of a game is worth reading if its first log odds are at most this much lower."""


class Copy(NamedTuple):
    """A game that may lie on the table: its board, and one copy of it."""

    spec: BoardSpec
    profile: Profile


@dataclass(slots=True, eq=False)
class Sighting:
    """What is known of one copy so far: log odds at first sight, and what was read."""

    copy: Copy
    first: float
    read: Candidate | None = None
    refusal: BoardNotFound | None = None

    @property
    def odds(self) -> float:
        """Log odds that this copy lies on the table."""
        if self.refusal is not None and self.read is None:
            return -MOST_ODDS
        if self.read is None:
            return self.first + NOT_READ
        p = float(np.clip(self.read.believed, 1e-4, 1 - 1e-4))
        own = float(np.log(p / (1 - p)))
        likely = self.first
        if not self.copy.profile.published:
            alike = LIKENESS_WEIGHT * (self.read.read.familiarity.typical - SAME_FACES)
            likely = max(likely, alike)
        return own + (likely if own > 0 else min(likely, 0.0))

    @property
    def is_credible(self) -> bool:
        """Whether its board was read and is believed."""
        return self.read is not None and self.refusal is None


@dataclass(frozen=True, slots=True, eq=False)
class Which:
    """Each kind of board with its probability, the likeliest first, and all copies, those that were
    read and believed first."""

    kinds: tuple[tuple[str, float], ...]
    seen: tuple[Sighting, ...]

    @property
    def best(self) -> Sighting | None:
        """The copy that lies there; None if no known one does."""
        likeliest = next((one for one in self.seen if one.is_credible), None)
        return likeliest if likeliest and self.chance_of(likeliest) >= LEAST_GAME else None

    def chance_of(self, sighting: Sighting) -> float:
        """The probability of the kind of board that a copy is of."""
        return dict(self.kinds)[sighting.copy.spec.name]

    def others_of_kind(self, best: Sighting) -> list[Sighting]:
        """Copies of the same board that were not read and looked nearly as likely at first."""
        return [
            one
            for one in self.seen
            if one.copy.spec.name == best.copy.spec.name
            and one.read is None
            and one.refusal is None
            and one.first >= best.first - NEARLY_AS_LIKELY
        ]


def sight(copies: Sequence[Copy], looks: Looks, pyramid: Pyramid) -> list[Sighting]:
    """All copies with their log odds at first sight, the likeliest first; equal ones in their
    order."""
    quads, scores, _ = looks.at(DETECTOR_PX)
    grid = max(fit_lattices(quads, scores, ANY_GRID), key=lambda one: len(one.cells), default=None)
    if grid is None:
        return [Sighting(copy, 0.0) for copy in copies]
    pieces = np.stack(list(grid.cells.values()))
    some = np.linspace(0, len(pieces) - 1, min(PIECES_COMPARED, len(pieces))).astype(int)
    taught = any(not copy.profile.published for copy in copies)
    vectors = vectors_at(pyramid, pieces[some]) if taught else None
    shares = {copy.spec.name: share_held(grid, copy.spec) for copy in copies}

    def first(copy: Copy) -> float:
        odds = SIZE_WEIGHT * float(np.log(max(shares[copy.spec.name], 1e-2)))
        if vectors is None or copy.profile.published or not copy.profile.prototypes:
            return odds
        alike = float(np.median(copy.profile.likeness(vectors).max((0, 2))))
        return odds + LIKENESS_WEIGHT * (alike - SAME_FACES)

    seen = [Sighting(copy, float(np.clip(first(copy), -MOST_ODDS, MOST_ODDS))) for copy in copies]
    return sorted(seen, key=lambda one: -one.first)


def share_held(grid: Lattice, spec: BoardSpec) -> float:
    """Share of a grid's pieces that a board of that size holds; less if a full board would miss
    some."""
    places = np.array(list(grid.cells))
    most = 0
    for rows, cols in {(spec.rows[1], spec.cols[1]), (spec.cols[1], spec.rows[1])}:
        for top in range(max(1, grid.rows - rows + 1)):
            for left in range(max(1, grid.cols - cols + 1)):
                inside = (places >= (top, left)) & (places < (top + rows, left + cols))
                most = max(most, int(inside.all(1).sum()))
    least = spec.rows[0] * spec.cols[0] if spec.is_full else 0
    return most / max(len(places), least)


def which(copies: Sequence[Copy], pyramid: Pyramid, looks: Looks) -> Which:
    """Look for the copies, the likeliest first, until one of them is surely there. Beside its board
    the other games are looked for."""
    seen = sight(copies, looks, pyramid)
    for sighting in _worth_reading(seen):
        try:
            read, _ = best_candidate(pyramid, *sighting.copy, looks)
            sighting.read = read
            credible(read, pyramid, sighting.copy.spec)
        except BoardNotFound as error:
            sighting.refusal = error
        if sighting.is_credible and dict(chances(seen))[sighting.copy.spec.name] >= SURE_GAME:
            break
    seen.sort(key=lambda one: (not one.is_credible, -one.odds))
    found = Which(chances(seen), tuple(seen))
    _look_beside(found, pyramid, looks)
    return found


def _look_beside(found: Which, pyramid: Pyramid, looks: Looks) -> None:
    """Tell of another game whose pieces surely lie beside the board that is read."""
    best = found.best
    if best is None or best.read is None or best.read.read.beside is not None:
        return
    board = best.read.read.board
    others = [one for one in _each_kind(found.seen) if one.copy.spec.name != best.copy.spec.name]
    if any(surely_beside(board, pyramid, *one.copy, looks) for one in others[:MOST_READ]):
        best.read = best.read.told_of(MORE_PIECES)


def _each_kind(seen: Sequence[Sighting]) -> list[Sighting]:
    """The first copy of each kind of board."""
    kinds: dict[str, Sighting] = {}
    for sighting in seen:
        kinds.setdefault(sighting.copy.spec.name, sighting)
    return [*kinds.values()]


def _worth_reading(seen: Sequence[Sighting]) -> Iterator[Sighting]:
    """The likeliest copy of each kind of board, then the others."""
    first = _each_kind(seen)
    yield from [*first, *(one for one in seen if one not in first)][:MOST_READ]


def chances(seen: Sequence[Sighting]) -> tuple[tuple[str, float], ...]:
    """The probability of each kind of board, and that none of them lies there."""
    odds = {NONE: 0.0}
    for one in seen:
        name = one.copy.spec.name
        odds[name] = max(odds.get(name, -2 * MOST_ODDS), one.odds)
    weights = np.exp(np.array([*odds.values()]) - max(odds.values()))
    found = zip(odds, (weights / weights.sum()).tolist(), strict=True)
    return tuple(sorted(found, key=lambda pair: -pair[1]))

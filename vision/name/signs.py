"""What speaks for and against the answers of a reading: the signs that ``vision.trust`` weighs.

The larger a sign, the surer its answer. A sign that a board does not have is 0 everywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scorer.notation import EMPTY
from vision.boards import BoardSpec
from vision.evidence import Look
from vision.find.board import LocatedBoard
from vision.find.complete import Extent
from vision.geometry import Floats, sides
from vision.kinds import kind_of
from vision.kinds.kind import Kind
from vision.probability import Doubles, Signs, logsumexp
from vision.profile import Profile
from vision.quality import BoardQuality

SAME_FACE = 0.964
"""Likeness of two prints of one face in one photo, assumed for faces of which only one is there.
The median of generated boards."""
LEAST_APART = 0.02
"""How far apart faces are at least taken to be: two crops of one face differ by more."""
MOST_ODDS = 16.0
"""Log odds beyond which an answer is no surer."""


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """What the cells of a board were named.

    Attributes
    ----------
    chosen : number of each cell's label.
    names : that label.
    bare : whether most likely no piece lies there, shape (n,); only on boards of open shape.
    turns : by how many quarters clockwise the board may have to be turned, with probabilities.
    """

    chosen: Sequence[int]
    names: Sequence[str]
    bare: npt.NDArray[np.bool_]
    turns: Sequence[tuple[int, float]]

    @property
    def labels(self) -> list[str]:
        """What the reading says of each cell."""
        return [EMPTY if bare else n for n, bare in zip(self.names, self.bare, strict=True)]

    @property
    def pieces(self) -> npt.NDArray[np.intp]:
        """Numbers of the cells with a piece; all if none has one."""
        return np.flatnonzero(~self.bare if not self.bare.all() else self.bare)


def log_odds(p: npt.NDArray[np.float64] | npt.NDArray[np.float32] | float) -> Doubles:
    """Log odds of probabilities, at most ``MOST_ODDS`` either way."""
    p = np.asarray(p, np.float64)
    odds = np.log(np.maximum(p, 1e-9)) - np.log(np.maximum(1 - p, 1e-9))
    return np.asarray(np.clip(odds, -MOST_ODDS, MOST_ODDS))


def agreement(vectors: Floats, names: Sequence[str]) -> Doubles:
    """How much more each piece of a photo looks like the others of its name than like any of
    another, shape (n,).

    Two prints of one face differ less in one photo than a print and its lesson do. Below zero
    for pieces that look more like one of another name: one of the names is wrong.
    """
    named = np.array(names)
    alike = vectors @ vectors.T
    same = named[:, None] == named[None]
    own = np.where(same & ~np.eye(len(named), dtype=bool), alike, np.inf).min(1)
    own[~np.isfinite(own)] = SAME_FACE
    return np.asarray(own - np.where(same, -1.0, alike).max(1), np.float64)


def tint_agreement(shades: Floats, names: Sequence[str]) -> Doubles:
    """How near the tint (n, 2) of each piece is to the nearest of its name, shape (n,); at most 0,
    and 0 for pieces without company."""
    named = np.array(names)
    apart = np.linalg.norm(shades[:, None] - shades[None], axis=2)
    others = (named[:, None] == named[None]) & ~np.eye(len(named), dtype=bool)
    nearest = np.where(others, apart, np.inf).min(1)
    return np.asarray(-np.where(np.isfinite(nearest), nearest, 0.0), np.float64)


@lru_cache(maxsize=16)  # profiles are compared by identity and never change
def rivals(profile: Profile) -> Mapping[str, float]:
    """Likeness of the crops of each taught label to the likest crop of another label."""
    faces = profile.prototypes
    found = dict.fromkeys(profile.labels, 0.0)
    for label in faces if len(faces) > 1 else ():
        others = np.concatenate(
            [p.reshape(-1, p.shape[2]) for other, p in faces.items() if other != label]
        )
        found[label] = float((faces[label][:, 0] @ others.T).max())
    return found


def cell_signs(
    board: LocatedBoard,
    spec: BoardSpec,
    profile: Profile,
    seen: Look,
    quality: BoardQuality | None,
    named: Named,
) -> Signs:
    """What says whether each cell is named right, if the grid is the right one.

    odds, known : log odds of the label in this direction, and of a taught face at all.
    unlike : log odds that a bare cell shows no taught face.
    alike, below : likeness to the taught face, and less that of the median piece.
    apart : likeness to the taught face less that of any other, for how far the lessons of the face
        and the one most like it are apart.
    agree, tint, copies : how it compares with the other pieces of the photo, and the logarithm of
        how many have its name.
    marks : how well the marks fit that tell some labels apart.
    picture : by how much more its detail correlates with pictures of the face than with those of
        the next one; 0 where nothing was compared.
    presence : log odds that a piece lies there, or that none does.
    size, clear, inside, sharp, steep : side in pixels (logarithm), pixels that are not burnt out,
        whether the photo shows it whole, edges of the photo, angle of the camera.
    taught, crops, rival : share of the set's faces that lessons or a network tell, lesson crops of
        this one, and how little it looks like the next one.
    typical, worst : likeness of the median piece, and odds of the least sure other cell.
    fits : how little the pieces have to be bent to be such as the box holds.
    """
    kind, labels = kind_of(spec, profile.published), profile.labels
    names, count, at = list(named.names), len(named.names), np.arange(len(named.names))
    there = _there(board, spec, seen, labels)
    present = log_odds(np.where(named.bare, 1 - there, there))
    odds = log_odds(seen.way.probabilities[at, named.chosen])
    told = np.where(named.bare, present, odds)
    ranked = np.sort(told)
    agree, tint = _company(spec, seen, named)
    learnt = {label for k, label in enumerate(labels) if k not in seen.evidence.unlearnt}
    faces = kind.faces or {*spec.labels} - {EMPTY} or {*labels}
    known = log_odds(seen.known)
    none, whole = np.zeros(count, np.float32), np.ones(count, np.float32)
    shown = quality or BoardQuality(255.0, 100.0, 1.0, 0.0, (), none, whole)
    signs = {
        "odds": odds,
        "known": known,
        "unlike": np.where(named.bare, -known, 0.0),
        "agree": agree,
        "tint": tint,
        "presence": present,
        "size": np.log(np.maximum(sides(kind.shown_quads(board, names)), 1.0)).astype(np.float64),
        "clear": np.asarray(np.minimum(np.median(shown.burnt) - shown.burnt, 0.0), np.float64),
        "inside": -np.isin(at, shown.outside).astype(np.float64),
        "marks": kind.marks(names, seen.evidence.tints, seen.likeness, profile),
        "picture": ahead_in_pictures(kind, profile, seen, named),
        "copies": np.log([names.count(name) for name in names]),
        "worst": np.where(told == ranked[0], ranked[min(1, count - 1)], ranked[0]),
    }
    of_board = {
        "sharp": np.log(max(shown.sharpness, 1.0)),
        "steep": -shown.slant_degrees,
        "taught": len(faces & learnt) / len(faces),
        "fits": -float(np.log1p(kind.misfit(seen))),
    }
    everywhere = {name: np.full(count, value) for name, value in of_board.items()}
    return {**signs, **everywhere, **_likeness_signs(profile, seen, named)}


def _likeness_signs(profile: Profile, seen: Look, named: Named) -> Signs:
    """The signs that tell how alike each cell and the lessons are."""
    at, alike = np.arange(len(named.names)), seen.likeness.astype(np.float64)
    own = alike[at, named.chosen].copy()
    alike[at, named.chosen] = -1.0
    typical = float(np.median(own[named.pieces]))
    crops = {label: int(p.any((1, 2)).sum()) for label, p in profile.prototypes.items()}
    likest = rivals(profile)
    rival = np.array([likest[name] for name in named.names])
    return {
        "alike": own,
        "below": np.minimum(own - typical, 0.0),
        "apart": (own - alike.max(1)) / np.maximum(1 - rival, LEAST_APART),
        "crops": np.log1p([crops.get(name, 0) for name in named.names]),
        "rival": -rival,
        "typical": np.full(len(own), typical),
    }


def ahead_in_pictures(kind: Kind, profile: Profile, seen: Look, named: Named) -> Doubles:
    """By how much more the detail of each cell correlates with the lessons' pictures of its name
    than with those of another face, shape (n,); 0 where nothing was compared."""
    at, found = np.arange(len(named.names)), seen.evidence.pictured
    if found is None:
        return np.zeros(len(at))
    faces = np.array([kind.picture_of(label) for label in profile.labels])
    own = faces[list(named.chosen)][:, None] == faces[None]
    ahead = found[at, named.chosen] - np.where(own, 0.0, found).max(1)
    return np.where(found.any(1) & ~named.bare, ahead, 0.0)


def _there(board: LocatedBoard, spec: BoardSpec, seen: Look, labels: Sequence[str]) -> Doubles:
    """How probably a piece lies on each cell, shape (n,)."""
    there = board.presence
    if spec.is_open and EMPTY in labels:  # a lesson showed cells that hold nothing
        there *= 1 - seen.way.probabilities[:, labels.index(EMPTY)]
    return there


def _company(spec: BoardSpec, seen: Look, named: Named) -> tuple[Doubles, Doubles]:
    """``agreement`` and ``tint_agreement`` of all cells, (n,) each; 0 for those without a piece and
    where pieces may lie turned."""
    agree, tint = np.zeros(len(named.names)), np.zeros(len(named.names))
    vectors, shades = seen.evidence.vectors, seen.evidence.tints
    if spec.turns == 1 and vectors is not None:
        which = named.pieces
        names = [named.names[i] for i in which]
        agree[which] = agreement(vectors[which], names)
        if shades is not None:
            tint[which] = tint_agreement(shades[which], names)
    return agree, tint


def direction_signs(seen: Look, named: Named, cells: Signs) -> Signs:
    """What says whether the grid is turned the right way, where it may be turned another way.

    odds : log odds of the direction.
    gap, liker, votes : how much better the pieces fit it than the next one, by log likelihood and
        by likeness, and the share of them that do.
    worst, typical, taught : of the cells; pieces : logarithm of their number.
    """
    which = named.pieces
    turn, other = seen.way.turn, (seen.way.turn + named.turns[1][0]) % 4
    alone = seen.evidence.scores if seen.evidence.alone is None else seen.evidence.alone
    gaps = logsumexp(alone[turn][which], 1) - logsumexp(alone[other][which], 1)
    alike = seen.evidence.likeness[:, which].max(2)
    signs = {
        "odds": float(log_odds(named.turns[0][1])),
        "gap": float(gaps.mean()),
        "liker": float((alike[turn] - alike[other]).mean()),
        "votes": float((gaps >= 0).mean()),
        "worst": float(cells["odds"][which].min()),
        "pieces": float(np.log(len(which))),
    }
    of_board = {name: cells[name][:1] for name in ("typical", "taught")}
    return of_board | {name: np.array([value]) for name, value in signs.items()}


def board_signs(risks: Doubles, cells: Signs) -> Signs:
    """What says whether a board is right after so many of its n answers were asked about, the
    likeliest errors first; each sign has shape (n + 1,), from none asked to all.

    ``risks`` (n,) are those of the answers, the highest first.

    odds : log odds that no other is wrong, if they err independently.
    best : log odds of the likeliest error that is left.
    asked : how few had to be asked (logarithm).
    typical, taught, sharp, steep, fits : of the cells; size, clear : of the median, the worst one.
    """
    right = np.log1p(-np.minimum(risks, 1 - 1e-9))
    values = {
        "odds": log_odds(np.exp(np.append(np.cumsum(right[::-1])[::-1], 0.0))),
        "best": np.append(log_odds(1 - risks), MOST_ODDS),
        "asked": -np.log1p(np.arange(len(risks) + 1)),
    }
    of_board = {name: cells[name][0] for name in ("typical", "taught", "sharp", "steep", "fits")}
    of_board |= {"size": np.median(cells["size"]), "clear": cells["clear"].min()}
    return values | {name: np.full(len(risks) + 1, at) for name, at in of_board.items()}


def extent_signs(extent: Extent, edge: float, named: Named, cells: Signs) -> Signs:
    """What says whether a grid of open shape is the whole board and nothing else.

    whole : log odds that no piece lies on a place beside it.
    seen, joined, strays : how few places beside it the photo cuts off, whether its pieces hang
        together, how little other things near it look like pieces.
    edge : least log odds of a piece that alone holds an outer row or column.
    presence, known : least of all cells; typical, taught : of the cells.
    pieces : logarithm of their number; size : side of the median one in pixels (logarithm).
    """
    which = named.pieces
    signs = {
        "whole": float(log_odds(1 - extent.missing)),
        "seen": -float(extent.unseen),
        "joined": -float(extent.apart),
        "strays": -max(extent.stray, 0.0),
        "edge": edge,
        "presence": float(cells["presence"].min()),
        "known": float(cells["known"][which].min()),
        "pieces": float(np.log(max(extent.pieces, 1))),
        "size": float(np.median(cells["size"])),
    }
    of_board = {name: cells[name][:1] for name in ("typical", "taught")}
    return of_board | {name: np.array([value]) for name, value in signs.items()}

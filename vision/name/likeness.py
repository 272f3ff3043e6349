"""What the crops of a board say, cell by cell, before any rule of the box: likeness to taught faces, networks, print."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.registry import manifest
from models.session import embed
from vision.boards import BoardSpec
from vision.decode import Doubles, logsumexp, with_shared_frame
from vision.geometry import Floats, Images
from vision.name.season_cells import NUMBERS
from vision.profile import Profile, ink_hues

PRINT_WEIGHT, NUMBER_LIKENESS = 1.0, 0.3
"""How much the cell reader's log probabilities count beside those of likeness; and how much likeness counts between one
number and another, which differ less than two boards do. Chosen on generated boards (docs/accuracy.md)."""
SCALE = 1.3
"""Factor on the inverse temperature that training ended with: label smoothing leaves that one too cautious.

On crops of validation art the likelihood of the right labels was greatest between 1.2 and 1.6."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the crops say, cell by cell and for each of four turns of the grid, before any rule of the box.

    Attributes
    ----------
    scores : ndarray of shape (4, n, labels), log likelihoods up to a constant of the cell
    likeness : ndarray of shape (4, n, labels)
    known : ndarray of shape (4, n), how surely each cell is a taught face at all
    alone : ndarray of shape (4, n, labels), log likelihoods where each cell is judged without the others, or None if
        ``scores`` are such: cells that a network saw at once are of one opinion about the direction of the grid
    vectors : ndarray of shape (n, d), unit vectors of the cells by which they can be compared with each other, or None
    tints : ndarray of shape (n, 2), see ``vision.profile.tints``; what else they can be compared by, or None
    """

    scores: Doubles
    likeness: Floats
    known: Doubles
    alone: Doubles | None = None
    vectors: Floats | None = None
    tints: Floats | None = None


def cell_evidence(crops: Images, there: Floats, spec: BoardSpec, profile: Profile) -> Evidence:
    """Compare crops (n, 64, 64, 3), each a piece with a probability of ``there`` (n,), with the taught faces of a profile."""
    vectors = embed(crops)
    return Evidence(*_by_likeness(crops, vectors, there, spec, profile), vectors=vectors)


def with_print(evidence: Evidence, print_log_p: Doubles | None, labels: Sequence[str]) -> Evidence:
    """The evidence together with what the print of a season board shows, ``print_log_p`` of shape (4, n, labels).

    A number is a number whoever printed it: it need not look like the taught ones to be known.
    """
    if print_log_p is None:
        return evidence
    numbers = [k for k, label in enumerate(labels) if label[0] in NUMBERS]
    if not numbers:
        return evidence
    a_number = np.exp(print_log_p[:, :, numbers]).sum(2).clip(0, 1)
    scores = evidence.scores.copy()
    best = scores[:, :, numbers].max(2, keepdims=True)
    scores[:, :, numbers] = best + NUMBER_LIKENESS * (scores[:, :, numbers] - best)
    known = 1 - (1 - evidence.known) * (1 - a_number)
    return replace(evidence, scores=scores + PRINT_WEIGHT * print_log_p, known=known)


def _by_likeness(
    crops: Images, vectors: Floats, there: Floats, spec: BoardSpec, profile: Profile
) -> tuple[Doubles, Floats, Doubles]:
    """Log likelihoods (4, n, labels), likeness of the same shape, and how surely each cell is a taught face (4, n)."""
    likeness = by_piece_turn(profile.likeness(vectors), spec.turns)
    numbers = manifest()["embedding"].numbers
    scale = numbers["scale"] * SCALE
    scores = profile.distinction(vectors, ink_hues(crops), there, scale, spec.turns)
    if spec.name == "seasons":
        likeness = with_shared_frame(likeness, profile.labels)
        scores = with_shared_frame(scores, profile.labels)
    logits = likeness.astype(np.float64) * scale
    none = numbers["none_likeness"] * scale
    with_none = np.concatenate([logits, np.full((*logits.shape[:2], 1), none)], 2)
    known = 1.0 - np.exp(none - logsumexp(with_none, 2))
    return np.maximum(scores, 0.0), likeness, known


def by_piece_turn(likeness: Floats, turns: int) -> Floats:
    """Likeness (4, n, labels) when pieces may also lie turned within the grid: the best of their turns."""
    if turns == 1:
        return likeness
    step = 4 // turns
    return np.stack([np.max([likeness[(t + k * step) % 4] for k in range(turns)], 0) for t in range(4)])

"""Evidence of the crops before any rule of the box: taught faces, networks, print."""

import numpy as np

from models.registry import manifest
from vision.boards import BoardSpec
from vision.evidence import Evidence
from vision.geometry import Floats, Images
from vision.kinds import kind_of
from vision.probability import Doubles, logsumexp
from vision.profile import Profile, ink_hues

SCALE = 1.3
"""Factor on the trained inverse temperature: label smoothing leaves that one too cautious.

On crops of validation art the likelihood of the right labels was greatest between 1.2 and 1.6.
"""


def cell_evidence(
    crops: Images,
    vectors: Floats,
    there: Floats,
    spec: BoardSpec,
    profile: Profile,
    bare: Doubles | None = None,
) -> Evidence:
    """Compare crops (n, 64, 64, 3) and their ``vectors`` with taught faces.

    ``there`` (n,) says how probably each crop shows a piece, ``bare`` (n,) how probably a bare
    cell; None where no print tells that.
    """
    likeness = by_piece_turn(profile.likeness(vectors), spec.turns)
    numbers = manifest()["embedding"].numbers
    scale = numbers["scale"] * SCALE
    scores = profile.distinction(vectors, ink_hues(crops), there, scale, spec.turns, bare)
    kind = kind_of(spec)
    likeness = kind.with_shared_marks(likeness, profile)
    scores = kind.with_shared_marks(scores, profile)
    logits = likeness.astype(np.float64) * scale
    none = numbers["none_likeness"] * scale
    with_none = np.concatenate([logits, np.full((*logits.shape[:2], 1), none)], 2)
    known = 1.0 - np.exp(none - logsumexp(with_none, 2))
    return Evidence(np.maximum(scores, 0.0), likeness, known, vectors=vectors)


def by_piece_turn(likeness: Floats, turns: int) -> Floats:
    """Likeness (4, n, labels) of pieces that may lie turned within the grid: their best turn."""
    if turns == 1:
        return likeness
    step = 4 // turns
    return np.stack(
        [np.max([likeness[(t + k * step) % 4] for k in range(turns)], 0) for t in range(4)]
    )

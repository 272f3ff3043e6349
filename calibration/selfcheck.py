"""Checks a taught set: how alike the pictures of a face are, and which faces are alike."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scorer.custom.board import words_of
from scorer.custom.rules import rules_of
from scorer.custom.score import matches
from scorer.notation import EMPTY
from scorer.text import NOTHING, Text, listed
from vision.boards import BoardSpec
from vision.geometry import Floats
from vision.profile import Profile

ALIKE = 0.91
"""Likeness from which two faces of a set are named in a warning."""
MOST_NAMED = 4
"""Most warnings of one kind."""
SAME_PICTURE = 0.96
"""Two pieces that are this much alike show one face, whatever the layout says."""
FAR_LESS = 0.135
"""A piece that is this much less like its own face than like another one has the wrong name."""
MOST_CONTRADICTING = 0.5
"""Least share of pieces that contradict their labels in a wrong layout."""
LEAST_AGREEMENT = 0.063
"""Equal labels must agree by this much more than different ones to be better than chance."""
FAR_ABOVE = 0.162
"""A crop this much more like another taught face than like its name is not learnt."""
TIE = 0.013
"""Differences in likeness below this mean nothing."""


@dataclass(frozen=True, slots=True)
class FaceCheck:
    """A face: its crops, the likeness of its least typical one, and the nearest other face.

    The likeness is None for a single crop; ``odd`` are crops that look more like another face.
    """

    label: str
    crops: int
    own: float | None
    rival: str | None
    rival_likeness: float
    odd: tuple[int, ...] = ()

    def to_document(self) -> dict[str, object]:
        return {
            "label": self.label,
            "crops": self.crops,
            "own": None if self.own is None else round(self.own, 3),
            "rival": self.rival,
            "rival_likeness": round(self.rival_likeness, 3),
            "odd": list(self.odd),
        }


def likenesses(vectors: Floats, turns: int) -> Floats:
    """Likeness (n, n) of crops to each other, from vectors (n, 4, d) in all quarter turns.

    Pieces that may lie turned are compared in their best turn. A crop's likeness to itself is -1.
    """
    step = 4 // turns
    found = np.max([vectors[:, 0] @ vectors[:, t * step].T for t in range(turns)], 0)
    found = np.maximum(found, found.T)
    np.fill_diagonal(found, -1.0)
    return np.asarray(found, np.float32)


def stem(label: str) -> str:
    """The label without marks for a precious tile or a frame: such faces are alike by nature.

    >>> stem("spring*"), stem("2!"), stem(".")
    ('spring', '2', '.')
    """
    return label.rstrip("*!") or label


def plainly_other(profile: Profile, vector: Floats, label: str) -> str | None:
    """The taught face that an upright crop with this vector (d,) plainly shows, if that is another
    than its label says."""
    likeness = profile.likeness(vector[None])[0, 0]
    best = int(likeness.argmax())
    other = profile.labels[best]
    own = likeness[profile.labels.index(label)] if label in profile.labels else -1.0
    is_other = stem(other) != stem(label) and likeness[best] > max(SAME_PICTURE, own + FAR_ABOVE)
    return other if is_other else None


def own_and_rival(
    alike: Floats, labels: Sequence[str], stems: bool = False
) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Greatest likeness of each crop to its face and to another face, and which that is.

    -1 where there is none. With ``stems`` faces that differ only by a mark are not counted as
    others.
    """
    names = np.array([stem(label) for label in labels] if stems else list(labels))
    same = np.array(labels)[:, None] == np.array(labels)[None]
    others = np.where(names[:, None] != names[None], alike, -1.0)
    return np.where(same, alike, -1.0).max(1), others.max(1), others.argmax(1)


def check_faces(vectors: Mapping[str, Floats], spec: BoardSpec) -> tuple[FaceCheck, ...]:
    """The self-check of every face, leaving each crop out in turn."""
    labels = [label for label, found in vectors.items() for _ in found]
    alike = likenesses(np.concatenate(list(vectors.values())), spec.turns)
    own, rival, which = own_and_rival(alike, labels)
    checks, start = [], 0
    for label, found in vectors.items():
        part = slice(start, start + len(found))
        start += len(found)
        nearest = int(rival[part].argmax()) + part.start
        checks.append(
            FaceCheck(
                label,
                len(found),
                float(own[part].min()) if len(found) > 1 else None,
                labels[int(which[nearest])] if rival[nearest] > -1 else None,
                float(rival[nearest]),
                tuple(i for i in range(len(found)) if -1 < own[part][i] < rival[part][i] - TIE),
            )
        )
    return tuple(checks)


def likeness_of_crops(
    vectors: Mapping[str, Floats], turns: int
) -> dict[str, list[tuple[float, bool]]]:
    """Likeness of each crop to its face (-1: it is alone), and whether another face fits better."""
    labels = [label for label, found in vectors.items() for _ in found]
    alike = likenesses(np.concatenate(list(vectors.values())), turns)
    own, rival, _ = own_and_rival(alike, labels, stems=True)
    found: dict[str, list[tuple[float, bool]]] = {label: [] for label in vectors}
    for label, mine, other in zip(labels, own, rival, strict=True):
        found[label].append((float(mine), bool(-1 < mine < other)))
    return found


def warnings_of(checks: Sequence[FaceCheck], spec: BoardSpec) -> tuple[Text, ...]:
    """Sentences about the weak points of a set: faces missing, too alike, or unlike themselves."""
    warnings = []
    if missing := not_taught({check.label for check in checks}, spec):
        warnings.append(missing)
    named: set[frozenset[str]] = set()
    for check in sorted(checks, key=lambda c: -c.rival_likeness):
        pair = frozenset((check.label, check.rival or ""))
        close = check.rival_likeness > ALIKE or (
            check.own is not None and check.rival_likeness > check.own
        )
        if check.rival is None or pair in named or not close or len(named) == MOST_NAMED:
            continue
        if EMPTY in pair:  # an empty cell is seen everywhere; nothing to photograph again
            continue
        if check.label[0].isdigit() and stem(check.label) == stem(check.rival):
            continue  # a frame around a number is told by its print
        named.add(pair)
        warnings.append(
            Text(
                "%(face)s and %(other)s look alike in this light: take one more photo of them",
                face=spec.word(check.label),
                other=spec.word(check.rival),
            )
        )
    for check in [c for c in checks if c.odd and stem(c.rival or "") != stem(c.label)][:MOST_NAMED]:
        odd, count = len(check.odd), check.crops
        warnings.append(
            Text(
                (
                    "the picture of %(face)s looks more like another face: check the layouts, or "
                    "take one more photo"
                )
                if count == 1
                else (
                    "1 of %(count)s pictures of %(face)s looks more like another face: check the "
                    "layouts, or take one more photo"
                )
                if odd == 1
                else (
                    "%(odd)s of %(count)s pictures of %(face)s look more like another face: check "
                    "the layouts, or take one more photo"
                ),
                odd=odd,
                count=count,
                face=spec.word(check.label),
            )
        )
    return tuple(warnings)


def not_taught(taught: Set[str], spec: BoardSpec) -> Text:
    """Which labels of the board, its box and its rules no lesson showed; empty if all were."""
    labels = (*spec.labels, *(label for label, most in spec.counts.items() if most))
    words = (word for rule in rules_of([*spec.score]) for word in words_of(rule))
    missing = [label for label in labels if label not in taught and label != EMPTY]
    missing += [word for word in words if not any(matches(word, label) for label in taught)]
    if not missing:
        return NOTHING
    return Text(
        "not taught yet: %(faces)s; such a piece will be read as another or flagged",
        faces=listed(map(spec.word, dict.fromkeys(missing))),
    )


def contradicting(alike: Floats, labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    """The crops that look like another face at least as much as like their own.

    A face seen once contradicts only if it is the very picture of another one.
    """
    own, rival, _ = own_and_rival(alike, labels, stems=True)
    return np.where(own > -1, rival > own - TIE, rival > SAME_PICTURE)


def contradiction(alike: Floats, labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    """The crops that show a layout to be wrong; none if it may be right.

    A layout is wrong if two pieces are the very picture of other faces. It is also wrong if half of
    the pieces contradict their labels, or a third while equal labels agree no better than different
    ones.
    """
    own, rival, _ = own_and_rival(alike, labels, stems=True)
    swapped = (rival > SAME_PICTURE) & (own < rival - FAR_LESS)
    if swapped.sum() >= 2 and (own[swapped] > -1).any():
        return swapped
    against = contradicting(alike, labels)
    share = float(against.mean())
    blurred = share >= 1 / 3 and agreement(alike, labels) < LEAST_AGREEMENT
    if against.sum() >= 2 and (share >= MOST_CONTRADICTING or blurred):
        return against
    return np.zeros(len(labels), bool)


def agreement(alike: Floats, labels: Sequence[str]) -> float:
    """How much better crops of equal labels agree than those of different ones; else 0."""
    names = np.array([stem(label) for label in labels])
    off = ~np.eye(len(names), dtype=bool)
    same = np.array(labels)[:, None] == np.array(labels)[None]
    same, other = same & off, names[:, None] != names[None]
    if not same.any() or not other.any():
        return 0.0
    return float(alike[same].mean() - alike[other].mean())

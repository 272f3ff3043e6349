"""Compares fine detail with that of the lessons' pictures, where vectors leave a doubt.

A vector sums up a whole crop. Two faces that differ by a small mark, or two digits in one badge,
have nearly the same. So the pictures themselves are compared (``vision.name.matching``).
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from scorer.notation import EMPTY
from vision.boards import BoardSpec
from vision.evidence import Look
from vision.geometry import Floats, Images, Spectra
from vision.kinds import kind_of
from vision.kinds.kind import Kind
from vision.name.matching import correlations, detail_of, template_of
from vision.probability import Doubles, logsumexp
from vision.profile import QUARTER_TURNS, Profile

SPOTS = 6.0
"""How many spots of a crop tell of it independently of each other. The likelihood of a correlation
r is (1 - r²) to the power of -SPOTS / 2, as of a template under Gaussian noise whose strength
nobody knows. Chosen on generated season boards (docs/experiments.md)."""
MOST_PICTURES = 8
"""Pictures of a face that are compared, spread evenly over its lessons: more say little more and
take time."""
FEW_PICTURES, RIVALS = 3, 2
"""Pictures of a face that confirm it or not, and faces that are asked for each cell."""
CLOSE = 7.0
"""Labels of a cell that are less likely than the likeliest by more log likelihood than this are not
compared."""
LEAST_TURN = 0.02
"""Nor are directions of the grid less probable than this."""


Item = TypeVar("Item")


class TaughtDetails(Mapping[str, Spectra]):
    """Fine detail of the lessons' crops of each label, made when it is asked for first.

    Bare cells have none to compare: each shows another part of the print.
    """

    def __init__(
        self, spec: BoardSpec, labels: Sequence[str], crops_of: Callable[[str], Images]
    ) -> None:
        self._kind = kind_of(spec)
        self._labels = [label for label in labels if label != EMPTY]
        self._crops_of = crops_of
        self._made: dict[str, Spectra] = {}

    def __getitem__(self, label: str) -> Spectra:
        if label not in self._labels:
            raise KeyError(label)
        if label not in self._made:
            printed = self._kind.is_printed(label)
            self._made[label] = templates_of(self._crops_of(label), printed)
        return self._made[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)


def templates_of(crops_rgb: Images, printed: bool) -> Spectra:
    """Templates (k, 3, w, w // 2 + 1) of crops (n, s, s, 3) of one face, of MOST_PICTURES at most;
    see ``template_of``."""
    crops = spread([*crops_rgb], MOST_PICTURES)
    return np.stack([template_of(detail_of(crop), printed) for crop in crops])


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of the items, evenly from first to last."""
    if len(items) <= most:
        return list(items)
    return [items[int(i)] for i in np.linspace(0, len(items) - 1, most)]


def told_by_details(crops_rgb: Images, seen: Look, spec: BoardSpec, profile: Profile) -> Doubles:
    """Log likelihoods (4, n, labels) that detail adds to what was ``seen`` of crops (n, s, s, 3).

    Labels that are close to each other share anew what they are likely to be together. Tiles are
    compared with tiles, and what is printed with what is printed.
    """
    kind, labels = kind_of(spec), profile.labels
    shown_by = _labels_by_face(kind, profile)
    scores = seen.evidence.scores
    told = np.zeros_like(scores)
    piece_turns = range(0, QUARTER_TURNS, QUARTER_TURNS // spec.turns)
    for turn in (seen.way.turn, *(way.turn for p, way in seen.others if p >= LEAST_TURN)):
        for cell, row in enumerate(scores[turn]):
            for printed, rivals in _rivals(row, labels, kind, shown_by):
                detail = detail_of(crops_rgb[cell])
                upright = [np.rot90(detail, -turn - step) for step in piece_turns]
                faces = [kind.picture_of(labels[k]) for k in rivals]
                pictures = {face: _pictures(profile, shown_by[face]) for face in faces}
                alike = _likest(upright, pictures, printed)
                each = -SPOTS / 2 * np.log1p(-(np.array([alike[face] for face in faces]) ** 2))
                own = row[rivals]
                told[turn, cell, rivals] = each + logsumexp(own) - logsumexp(own + each)
    return told


def _rivals(
    row: Doubles, labels: Sequence[str], kind: Kind, taught: Container[str]
) -> Iterator[tuple[bool, list[int]]]:
    """Numbers of the labels of a cell that are close to each other and show several taught faces:
    first of pieces, then of what is printed, and which of the two they are."""
    close = np.flatnonzero(row > row.max() - CLOSE).tolist()
    for printed in (False, True):
        rivals = [
            k
            for k in close
            if kind.is_printed(labels[k]) == printed and kind.picture_of(labels[k]) in taught
        ]
        if len({kind.picture_of(labels[k]) for k in rivals}) > 1:
            yield printed, rivals


def pictured(crops_rgb: Images, seen: Look, spec: BoardSpec, profile: Profile) -> Floats:
    """How well crops (n, s, s, 3) correlate in detail with pictures of what they were ``seen`` as,
    shape (n, labels): of the two likeliest faces of each cell, 0 for all others.

    Detail is compared here for all cells, also where vectors alone told the name. So it confirms
    names or speaks against them (docs/experiments.md).
    """
    kind, labels, turn = kind_of(spec), profile.labels, seen.way.turn
    shown_by = _labels_by_face(kind, profile)
    found = np.zeros(seen.way.probabilities.shape, np.float32)
    for cell, (crop, chances) in enumerate(zip(crops_rgb, seen.way.probabilities, strict=True)):
        likeliest = labels[int(chances.argmax())]
        if kind.picture_of(likeliest) not in shown_by:
            continue
        printed = kind.is_printed(likeliest)
        faces = dict.fromkeys(
            kind.picture_of(labels[k])
            for k in np.argsort(-chances, kind="stable")
            if kind.is_printed(labels[k]) == printed and kind.picture_of(labels[k]) in shown_by
        )
        pictures = {
            face: spread(_pictures(profile, shown_by[face]), FEW_PICTURES)
            for face in [*faces][:RIVALS]
        }
        upright = [np.rot90(detail_of(crop), -turn)]
        for face, alike in _likest(upright, pictures, printed).items():
            found[cell, [labels.index(label) for label in shown_by[face]]] = alike
    return found


def _labels_by_face(kind: Kind, profile: Profile) -> Mapping[str, Sequence[str]]:
    """The labels with pictures of each face."""
    faces: dict[str, list[str]] = {}
    for label in profile.details:
        faces.setdefault(kind.picture_of(label), []).append(label)
    return faces


def _pictures(profile: Profile, labels: Sequence[str]) -> list[Spectra]:
    """Each picture of the labels, as a template."""
    return [picture for label in labels for picture in profile.details[label]]


def _likest(
    crops: Sequence[Floats], pictures: Mapping[str, Sequence[Spectra]], printed: bool
) -> dict[str, float]:
    """How well the detail of one of the crops correlates with the likest picture of each face."""
    templates = np.stack([picture for each in pictures.values() for picture in each])
    starts = np.cumsum([0, *(len(each) for each in pictures.values())])[:-1]
    alike = np.maximum.reduceat(correlations(crops, templates, printed), starts)
    return dict(zip(pictures, alike.tolist(), strict=True))

"""Compares fine detail with that of the lessons' pictures, where vectors leave a doubt.

A vector sums up a whole crop. Two faces that differ by a small mark, or two digits in one badge,
have nearly the same. So the pictures themselves are compared: template matching by normalised cross
correlation, which no light changes that falls evenly on a piece.
"""

from collections.abc import Iterator, Mapping, Sequence

import cv2
import numpy as np

from scorer.notation import EMPTY
from vision.boards import BoardSpec
from vision.evidence import Look
from vision.geometry import Floats, Images
from vision.kinds import kind_of
from vision.kinds.kind import Kind
from vision.probability import Doubles, logsumexp
from vision.profile import QUARTER_TURNS, Profile

DETAIL_PX = 48
"""Side of a picture whose detail is compared."""
NOISE_PX, LIGHT_PX = 1.0, 4.0
"""Sigmas of the Gaussians between which detail lies: what is finer is noise, what is coarser is
mostly light."""
MARGIN, PRINTED_MARGIN = 1 / 8, 1 / 3
"""Share of the side that is left out along each edge: a crop shows what lies around a piece, too,
and a frame may hide all but the middle of a printed cell."""
MOST_SHIFT = 0.2
"""How far detail may be shifted within its margin, in shares of the side."""
SPOTS = 6.0
"""How many spots of a crop tell of it independently of each other. The likelihood of a correlation
r is (1 - r²) to the power of -SPOTS / 2, as of a template under Gaussian noise whose strength
nobody knows. Chosen on generated season boards (docs/experiments.md)."""
MOST_ALIKE = 0.999
"""Greatest correlation that is believed."""
LEAST_DETAIL = 0.01
"""Grey levels by which a picture departs from its mean somewhere, or it shows nothing: one that is
burnt out to white."""
MOST_PICTURES = 8
"""Pictures of a face that are compared, spread evenly over its lessons: more say little more and
take time."""
CLOSE = 7.0
"""Labels of a cell that are less likely than the likeliest by more log likelihood than this are not
compared."""
LEAST_TURN = 0.02
"""Nor are directions of the grid less probable than this."""


def details_of(crops_rgb: Images) -> Floats:
    """Fine detail (k, DETAIL_PX, DETAIL_PX, 3) of crops of one face (n, s, s, 3), of MOST_PICTURES
    at most: grey levels around a mean."""
    chosen = np.linspace(0, len(crops_rgb) - 1, min(len(crops_rgb), MOST_PICTURES)).astype(int)
    return np.stack([_detail_of(crops_rgb[k]) for k in chosen])


def _detail_of(crop_rgb: Images) -> Floats:
    small = cv2.resize(crop_rgb, (DETAIL_PX, DETAIL_PX), interpolation=cv2.INTER_AREA)
    clean = cv2.GaussianBlur(small.astype(np.float32), (0, 0), NOISE_PX)
    return np.asarray(clean - cv2.GaussianBlur(clean, (0, 0), LIGHT_PX), np.float32)


def told_by_details(crops_rgb: Images, seen: Look, spec: BoardSpec, profile: Profile) -> Doubles:
    """Log likelihoods (4, n, labels) that detail adds to what was ``seen`` of crops (n, s, s, 3).

    Labels that are close to each other share anew what they are likely to be together. Tiles are
    compared with tiles, and what is printed with what is printed.
    """
    kind, labels = kind_of(spec), profile.labels
    taught = _pictures(kind, profile)
    scores = seen.evidence.scores
    told = np.zeros_like(scores)
    piece_turns = range(0, QUARTER_TURNS, QUARTER_TURNS // spec.turns)
    for turn in (seen.way.turn, *(way.turn for p, way in seen.others if p >= LEAST_TURN)):
        for cell, row in enumerate(scores[turn]):
            for printed, rivals in _rivals(row, labels, kind, taught):
                detail = _detail_of(crops_rgb[cell])
                upright = [np.rot90(detail, -turn - step) for step in piece_turns]
                faces = [kind.face(labels[k]) for k in rivals]
                margin = PRINTED_MARGIN if printed else MARGIN
                alike = {face: correlation(upright, taught[face], margin) for face in {*faces}}
                each = -SPOTS / 2 * np.log1p(-(np.array([alike[face] for face in faces]) ** 2))
                own = row[rivals]
                told[turn, cell, rivals] = each + logsumexp(own) - logsumexp(own + each)
    return told


def _rivals(
    row: Doubles, labels: Sequence[str], kind: Kind, taught: Mapping[str, Floats]
) -> Iterator[tuple[bool, list[int]]]:
    """Numbers of the labels of a cell that are close to each other and show several taught faces:
    first of pieces, then of what is printed, and which of the two they are."""
    close = np.flatnonzero(row > row.max() - CLOSE).tolist()
    for printed in (False, True):
        rivals = [
            k
            for k in close
            if kind.is_printed(labels[k]) == printed and kind.face(labels[k]) in taught
        ]
        if len({kind.face(labels[k]) for k in rivals}) > 1:
            yield printed, rivals


def _pictures(kind: Kind, profile: Profile) -> Mapping[str, Floats]:
    """Detail (k, s, s, 3) of each face, of all labels that show it."""
    faces: dict[str, list[Floats]] = {}
    for label, details in profile.details.items():
        if label != EMPTY:
            faces.setdefault(kind.face(label), []).append(details)
    return {face: np.concatenate(found) for face, found in faces.items()}


def correlation(crops: Sequence[Floats], pictures: Floats, margin: float) -> float:
    """Greatest normalised cross correlation, 0 to MOST_ALIKE, of the detail of one of the crops
    (s, s, 3) with one of the pictures (k, s, s, 3), both without their margin."""
    edge = round(margin * DETAIL_PX)
    shift = min(edge, round(MOST_SHIFT * DETAIL_PX))
    inner, around = slice(edge, DETAIL_PX - edge), slice(edge - shift, DETAIL_PX - edge + shift)
    templates = [np.ascontiguousarray(picture[inner, inner]) for picture in pictures]
    found = 0.0
    for crop in crops:
        place = np.ascontiguousarray(crop[around, around])
        for template in templates:
            # OpenCV takes what is flat for like anything
            if cv2.norm(template, cv2.NORM_INF) >= LEAST_DETAIL:
                alike = cv2.matchTemplate(place, template, cv2.TM_CCOEFF_NORMED)
                found = max(found, cv2.minMaxLoc(alike)[1])
    return min(found, MOST_ALIKE)

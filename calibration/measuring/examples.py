"""Boards on which the judge of doubt is fitted and held to its word, hard ones among them.

Every kind of board is drawn with strangers on it, with faces that no lesson showed, and partly
covered; season boards have tiles near the colour of their print, too. Runs are repeated as
``calibration.measuring.generated`` says.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from calibration.measuring.generated import (
    Laid,
    Shot,
    Task,
    Tier,
    Truth,
    outline_given,
    photographed,
)
from calibration.measuring.generated_seasons import photographed_seasons
from models.training.faces import SetPainter
from models.training.scenes import SceneKind
from vision.boards import BoardSpec
from vision.find.corners import Corners
from vision.photo import Photo
from vision.profile import Profile

ExampleKind = Literal["published", "stones", "seasons", "time", "other", "given"]
KINDS: tuple[ExampleKind, ...] = ("published", "stones", "seasons", "time", "other", "given")
"""Stones untaught and taught, season boards, grids of time, grids of other games, and those whose
corners a person gave."""
SHOTS = 3
"""Photos of each edition of a season board, for its lessons take the most time to draw."""
PLANTED, LACKING, COVERED, NEAR = 0.12, 0.15, 0.08, 0.25
"""Shares of boards with strangers, with faces that were not taught, with a covered piece, and of
season editions near the colour of their print."""
SEVERAL = 0.5
"""Share of season editions whose boards have two prints, as players have boards of their own."""
PRINTED = 0.5
"""Share of untaught editions and of pattern cards in the colours of scans of the game."""
FRAMED = 0.7
"""Share of photos that the board fills, as the app asks for; the others are from near or far."""
MOST_LACKING = 3
MOST_FACES, MOST_LESSONS = 40, 6
MOST_LESSON_CROPS = 240
"""Most lesson crops of all faces of another game: six boards may show a face thirty times."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A photo to read, how, and what truly lies there.

    ``hard`` names what was done to it: planted, lacking, covered, near or nothing.
    """

    kind: ExampleKind
    spec: BoardSpec
    profile: Profile
    photo: Photo
    truth: Truth
    tier: Tier
    unreadable: bool
    hard: str = ""
    corners: Corners | None = None


def examples(kind: ExampleKind, seed: int, number: int, painter: SetPainter) -> Iterator[Example]:
    """The boards of one new edition. The same seed and number give the same boards."""
    rng = np.random.default_rng([seed, number, KINDS.index(kind)])
    shares = (PLANTED, LACKING, COVERED)
    hard = str(rng.choice(["planted", "lacking", "covered", ""], p=[*shares, 1 - sum(shares)]))
    laid, near = _laid(kind, rng, hard == "planted", painter)
    if hard == "lacking" and kind == "published":
        hard = ""
    profile = without_faces(rng, laid.profile) if hard == "lacking" else laid.profile
    for shot in laid.shots:
        photo = covered(rng, shot) if hard == "covered" else shot.photo
        example = Example(
            kind,
            laid.spec,
            profile,
            photo,
            shot.truth,
            shot.tier,
            shot.unreadable,
            hard or ("near" if near else ""),
        )
        if kind != "given":
            yield example
        else:
            given = _given(rng, example, shot)
            if given is not None:
                yield given


def _laid(
    kind: ExampleKind, rng: np.random.Generator, planted: bool, painter: SetPainter
) -> tuple[Laid, bool]:
    """A state of a new edition with its photos; whether its colours are near those of the print."""
    seed, number = (int(v) for v in rng.integers(2**31, size=2))
    framed = bool(rng.random() < FRAMED)
    if kind == "seasons":
        near = bool(rng.random() < NEAR)
        several = bool(rng.random() < SEVERAL)
        return photographed_seasons(
            seed, number, painter, SHOTS, near, False, planted, framed, several=several
        ), near
    if kind in ("published", "stones", "time"):
        board, default = ("time" if kind == "time" else "stones"), kind == "published"
        printed = default and bool(rng.random() < PRINTED)
        task = Task(board, default, planted, lessons=MOST_LESSONS, printed=printed, framed=framed)
        return photographed(seed, number, painter, task), False
    layout: SceneKind = "cards" if rng.random() < 0.5 else "dense"
    faces = int(np.exp(rng.uniform(np.log(4), np.log(MOST_FACES))))
    lessons = int(np.exp(rng.uniform(0, np.log(max(MOST_LESSON_CROPS / faces, MOST_LESSONS)))))
    task = Task("time", planted=planted, layout=layout, faces=faces, lessons=lessons, framed=framed)
    laid = photographed(seed, number, painter, task)
    aspect, turns = (None, 2) if layout == "cards" else (1.0, 4)
    spec = BoardSpec("another", (1, 8), (1, 8), empty=True, aspect=aspect, turns=turns)
    return replace(laid, spec=spec), False


def without_faces(rng: np.random.Generator, profile: Profile) -> Profile:
    """The profile without up to three of its faces."""
    count = min(int(rng.integers(1, MOST_LACKING + 1)), len(profile.prototypes) - 2)
    gone = set(rng.choice(list(profile.prototypes), count, replace=False).tolist())

    prototypes, colours, inks = (
        {label: value for label, value in values.items() if label not in gone}
        for values in (profile.prototypes, profile.colours, profile.inks)
    )
    details = {label: value for label, value in profile.details.items() if label not in gone}
    return replace(profile, prototypes=prototypes, colours=colours, inks=inks, details=details)


def covered(rng: np.random.Generator, shot: Shot) -> Photo:
    """The photo with something flat on one or two of the pieces: a sleeve, a cloth, a sheet."""
    image = shot.photo.image_bgr.copy()
    quads = list(shot.pieces_xy.values())
    for k in rng.permutation(len(quads))[: int(rng.integers(1, 3))]:
        quad = quads[int(k)]
        middle = quad.mean(0)
        side = float(np.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))))
        shift = rng.normal(0, 0.35, 2) * side
        outline = (quad - middle) * rng.uniform(0.5, 1.5) * rng.uniform(0.9, 1.1, (4, 1)) + (
            middle + shift
        )
        mask = np.zeros(image.shape[:2], np.float32)
        cv2.fillConvexPoly(mask, outline.round().astype(np.int32), 1.0, cv2.LINE_AA)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), 1.0), np.float32)[..., None]
        tone = rng.uniform(20, 235, 3) + rng.normal(0, rng.uniform(1, 8), (*image.shape[:2], 1))
        image = np.clip(image * (1 - mask) + tone * mask, 0, 255).astype(np.uint8)
    return replace(shot.photo, image_bgr=image)


def _given(rng: np.random.Generator, example: Example, shot: Shot) -> Example | None:
    """The example with the corners of its grid as a person gives them; None if the photo does not
    show them all."""
    given = outline_given(rng, shot, example.photo.image_bgr.shape[:2])
    if given is None:
        return None
    outline, first, (rows, cols) = given
    points = tuple((float(x), float(y)) for x, y in outline)
    truth = {(row - first[0], col - first[1]): label for (row, col), label in example.truth.items()}
    spec = replace(example.spec, rows=(rows, rows), cols=(cols, cols))
    return replace(example, spec=spec, truth=truth, corners=Corners(points))

"""Measures what a person can do for a hard photo: a calibrated camera, a strip of greys, corners shown by hand.

The same generated boards are read as they are, spoilt, and spoilt with the help. Needs the ``training`` extra and the icon
bank::

    python -m calibration.measure_helps BANK.npz lens --count 50
    python -m calibration.measure_helps BANK.npz light --count 50 --default
    python -m calibration.measure_helps BANK.npz corners --count 50
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from calibration.bent import POSES, bent, in_light, sheet_picture, with_strip
from calibration.camera import calibrated
from calibration.generated import PHOTO_HW, Laid, Outcome, Shot, Task, compared, photographed
from calibration.greys import strip_gains
from calibration.reader import corrected_corners
from models.training.art import load_bank
from models.training.faces import ArtSource, SetPainter
from vision.corners import Corners
from vision.errors import VisionError
from vision.geometry import Floats, Images
from vision.lens import Lens
from vision.photo import Photo
from vision.read import read_board

Row = tuple[str, Outcome]

SHEET_FOCAL = 0.75
LENSES = {"wide lens": Lens(0.75, -0.15, 0.02), "very wide lens": Lens(0.75, -0.35, 0.09)}
"""The second moves the corner of a picture by an eighth of its longer side, as action cameras do."""
STRIP_PX_PER_MM = 1.6
LEAST_CAST, MOST_CAST = 0.25, 0.6
"""What is left of the weakest channel's light."""
CORNER_ERRORS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
"""By how much of a cell every corner is off, in a random direction."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path)
    parser.add_argument("what", choices=("lens", "light", "corners"))
    parser.add_argument("--board", choices=("stones", "time"), default="stones")
    parser.add_argument(
        "--default", action="store_true", help="published colours, bundled profile, nothing taught"
    )
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    painter = SetPainter(ArtSource.of(load_bank(args.bank), "validation"))
    work = {"lens": through_lenses, "light": in_lights, "corners": by_hand}[args.what]()
    rows: dict[str, list[Outcome]] = {}
    for number in range(args.count):
        laid = photographed(args.seed, number, painter, Task(args.board, args.default))
        for name, outcome in work(laid, np.random.default_rng([args.seed, number, 1])):
            rows.setdefault(name, []).append(outcome)
    print(f"{args.count} boards of {args.board}{' in published colours' if args.default else ', taught'}")
    for name, outcomes in rows.items():
        cells = [cell for outcome in outcomes for cell in outcome.cells]
        print(
            f"{name:44s} found {np.mean([o.found for o in outcomes]):6.1%}"
            f"  exact {np.mean([o.exact for o in outcomes]):6.1%}"
            f"  cells right {np.mean([c.right for c in cells]) if cells else 0:6.1%}"
        )


def outcome_of(shot: Shot, photo: Photo, laid: Laid, corners: Corners | None = None) -> Outcome:
    """What is read from a photo in place of the shot's own."""
    spec = laid.spec
    if corners is not None:  # a person shows the grid together with its size
        rows, cols = (max(cell[axis] for cell in shot.truth) + 1 for axis in (0, 1))
        spec = replace(spec, rows=(rows, rows), cols=(cols, cols))
        corners = corrected_corners(photo, corners, spec)
    try:
        return compared(read_board(photo, spec, laid.profile, corners), shot.truth, shot.tier)
    except VisionError:
        return Outcome(False, False, False, (), shot.tier)


def photo_of(image: Images) -> Photo:
    return Photo(image, PHOTO_HW, 1.0, "jpeg")


def through_lenses() -> Callable[[Laid, np.random.Generator], Iterator[Row]]:
    """Each lens is calibrated from four photos of the sheet, as a person would."""
    cameras = {}
    for name, lens in LENSES.items():
        sheets = [bent(sheet_picture(turn, at, SHEET_FOCAL, PHOTO_HW), lens) for turn, at in POSES]
        cameras[name] = calibrated(
            "measured", [(str(n), bytes(cv2.imencode(".png", s)[1])) for n, s in enumerate(sheets)]
        )[0]

    def rows(laid: Laid, _: np.random.Generator) -> Iterator[Row]:
        shot = laid.shots[0]
        for name, lens in LENSES.items():
            zoom = lens.zoom(PHOTO_HW)
            straight = photo_of(bent(shot.photo.image_bgr, Lens(lens.focal, 0, 0), zoom))
            photo = photo_of(bent(shot.photo.image_bgr, lens))
            yield f"{name}: the same view, not bent", outcome_of(shot, straight, laid)
            yield f"{name}: bent, read as it is", outcome_of(shot, photo, laid)
            helped = cameras[name].lens.straightened(photo)
            yield f"{name}: bent, with the camera", outcome_of(shot, helped, laid)

    return rows


def in_lights() -> Callable[[Laid, np.random.Generator], Iterator[Row]]:
    """Strong casts of any colour, the strip of greys in the photo."""

    def rows(laid: Laid, rng: np.random.Generator) -> Iterator[Row]:
        shot = laid.shots[0]
        plain = with_strip(shot.photo.image_bgr, STRIP_PX_PER_MM)
        weakest = rng.uniform(LEAST_CAST, MOST_CAST)
        cast = rng.permutation([weakest, rng.uniform(weakest, 1.0), 1.0])
        photo = photo_of(in_light(plain, tuple(cast)))
        gains = strip_gains(photo)
        yield "no cast", outcome_of(shot, photo_of(plain), laid)
        yield "cast, read as it is", outcome_of(shot, photo, laid)
        helped = photo if gains is None else gains.applied(photo)
        yield "cast, with the strip", outcome_of(shot, helped, laid)
        yield f"strip {'not ' if gains is None else ''}found", outcome_of(shot, helped, laid)

    return rows


def by_hand() -> Callable[[Laid, np.random.Generator], Iterator[Row]]:
    """Corners that are off by a part of a cell, all four in random directions."""

    def rows(laid: Laid, rng: np.random.Generator) -> Iterator[Row]:
        shot = laid.shots[0]
        corners = shot.corners_xy
        if not np.isfinite(corners).all():
            return
        high, wide = (max(cell[axis] for cell in shot.truth) + 1 for axis in (0, 1))
        cells = cell_sides(corners, high, wide)
        yield "found by itself", outcome_of(shot, shot.photo, laid)
        angles = rng.uniform(0, 2 * np.pi, 4)
        way = np.stack([np.cos(angles), np.sin(angles)], 1) * cells[:, None]
        for error in CORNER_ERRORS:
            points = corners + error * way
            shown = Corners(tuple((float(x), float(y)) for x, y in points))
            yield f"corners off by {error:.0%} of a cell", outcome_of(shot, shot.photo, laid, shown)

    return rows


def cell_sides(corners_xy: Floats, rows: int, cols: int) -> Floats:
    """About the side of a cell at each corner, in pixels: the shorter of its two."""
    along = np.linalg.norm(np.roll(corners_xy, -1, 0) - corners_xy, axis=1) / np.array(
        [cols, rows, cols, rows]
    )
    return np.asarray(np.minimum(along, np.roll(along, 1)), np.float32)


if __name__ == "__main__":
    main()

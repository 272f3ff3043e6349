"""Measures what a person can do for a hard photo: calibrate the camera, show corners.

The same generated boards are read as they are, spoilt, and spoilt with the help. Needs the
``training`` extra and the icon bank::

    python -m calibration.measuring.helps BANK.npz lens --count 50
    python -m calibration.measuring.helps BANK.npz corners --count 50
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from calibration.camera import Camera, calibrated
from calibration.measuring.bent import POSES, bent, sheet_picture
from calibration.measuring.generated import (
    PHOTO_HW,
    Laid,
    Outcome,
    Shot,
    Task,
    compared,
    photographed,
)
from calibration.reader import Reader
from models.training.arguments import parser_of
from models.training.faces import held_out_painter
from vision.errors import VisionError
from vision.find.corners import Corners
from vision.geometry import Floats, Images
from vision.lens import Lens
from vision.photo import Photo

Row = tuple[str, Outcome]

SHEET_FOCAL = 0.75
LENSES = {"wide lens": Lens(0.75, -0.15, 0.02), "very wide lens": Lens(0.75, -0.35, 0.09)}
"""The second moves a photo's corner by three tenths of its long side, as action cameras do."""
CORNER_ERRORS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
"""Errors of each corner in parts of a cell, in random directions."""


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("bank", type=Path)
    parser.add_argument("what", choices=("lens", "corners"))
    parser.add_argument("--board", choices=("stones", "time"), default="stones")
    parser.add_argument(
        "--default", action="store_true", help="published colours, bundled profile, nothing taught"
    )
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    painter = held_out_painter(args.bank)
    work = {"lens": through_lenses, "corners": by_hand}[args.what]()
    rows: dict[str, list[Outcome]] = {}
    for number in range(args.count):
        laid = photographed(args.seed, number, painter, Task(args.board, args.default))
        for name, outcome in work(laid, np.random.default_rng([args.seed, number, 1])):
            rows.setdefault(name, []).append(outcome)
    print(
        f"{args.count} boards of "
        f"{args.board}{' in published colours' if args.default else ', taught'}"
    )
    for name, outcomes in rows.items():
        cells = [cell for outcome in outcomes for cell in outcome.cells]
        print(
            f"{name:44s} found {np.mean([o.found for o in outcomes]):6.1%}"
            f"  exact {np.mean([o.exact for o in outcomes]):6.1%}"
            f"  hands-free {np.mean([o.exact and o.sure for o in outcomes]):6.1%}"
            f"  silent {sum(o.sure and not o.exact for o in outcomes)}"
            f"  cells right {np.mean([c.right for c in cells]) if cells else 0:6.1%}"
        )


def outcome_of(
    shot: Shot,
    image: Images,
    laid: Laid,
    corners: Corners | None = None,
    camera: Camera | None = None,
) -> Outcome:
    """The outcome of a picture in place of the shot's own."""
    spec = laid.spec
    if corners is not None:  # a person shows the grid together with its size
        rows, cols = (max(cell[axis] for cell in shot.truth) + 1 for axis in (0, 1))
        spec = replace(spec, rows=(rows, rows), cols=(cols, cols))
    png = bytes(cv2.imencode(".png", image)[1])
    try:
        return compared(
            Reader(spec, laid.profile, camera).read(png, corners), shot.truth, shot.tier
        )
    except VisionError:
        return Outcome(False, False, False, (), shot.tier)


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
            image = bent(shot.photo.image_bgr, lens)
            yield f"{name}: read as it is", outcome_of(shot, image, laid)
            straight = straightened(image, cameras[name])
            yield f"{name}: always straightened", outcome_of(shot, straight, laid)
            yield f"{name}: with --camera", outcome_of(shot, image, laid, camera=cameras[name])

    return rows


def straightened(image: Images, camera: Camera) -> Images:
    return camera.lens.straightened(Photo(image, PHOTO_HW, 1.0, "png")).image_bgr


def by_hand() -> Callable[[Laid, np.random.Generator], Iterator[Row]]:
    """Corners that are off by a part of a cell, all four in random directions."""

    def rows(laid: Laid, rng: np.random.Generator) -> Iterator[Row]:
        shot = laid.shots[0]
        corners = shot.corners_xy
        if not np.isfinite(corners).all():
            return
        high, wide = (max(cell[axis] for cell in shot.truth) + 1 for axis in (0, 1))
        cells = cell_sides(corners, high, wide)
        yield "found by itself", outcome_of(shot, shot.photo.image_bgr, laid)
        angles = rng.uniform(0, 2 * np.pi, 4)
        way = np.stack([np.cos(angles), np.sin(angles)], 1) * cells[:, None]
        for error in CORNER_ERRORS:
            points = corners + error * way
            shown = Corners(tuple((float(x), float(y)) for x, y in points))
            yield (
                f"corners off by {error:.0%} of a cell",
                outcome_of(shot, shot.photo.image_bgr, laid, shown),
            )

    return rows


def cell_sides(corners_xy: Floats, rows: int, cols: int) -> Floats:
    """About the side of a cell at each corner, in pixels: the shorter of its two."""
    along = np.linalg.norm(np.roll(corners_xy, -1, 0) - corners_xy, axis=1) / np.array(
        [cols, rows, cols, rows]
    )
    return np.asarray(np.minimum(along, np.roll(along, 1)), np.float32)


if __name__ == "__main__":
    main()

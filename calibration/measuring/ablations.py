"""Measures what each part of the pipeline buys: the same boards, read without one part at a time.

``python -m calibration.measuring.ablations BANK.npz --count 100`` prints a row for the whole
pipeline and one for each missing part. Boards are of sets in every style, each taught from one or
two lesson crops.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest.mock import patch

import cv2
import numpy as np

from calibration.measuring.generated import Task, measured
from models.training.arguments import bank_parser
from models.training.faces import held_out_painter
from vision import profile
from vision.decode import weigh
from vision.evidence import Evidence, Look
from vision.find import candidates, corners
from vision.find.detect import Evened, distinct_pieces
from vision.find.lattice import Lattice
from vision.geometry import Floats, Images, Pyramid, sides, usable
from vision.kinds import stones
from vision.name import look
from vision.probability import Doubles, logsumexp

Patches = Callable[[], list[AbstractContextManager[Any]]]

HISTOGRAM_BINS = 6
LEAST_CONTOUR_SIDE = 8.0


def quads_by_contours(image_rgb: Images, *_: Any) -> tuple[Floats, Floats]:
    """Quads (n, 4, 2) and scores (n,) by classical means: edges, closed outlines, four corners."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image_rgb, cv2.COLOR_RGB2GRAY), (0, 0), 1)
    found: list[Floats] = []
    for low in (20, 50, 100):
        edges = cv2.dilate(cv2.Canny(grey, low, 3 * low), np.ones((3, 3), np.uint8))
        for contour in cv2.findContours(
            np.asarray(edges, np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE
        )[0]:
            corners = cv2.approxPolyDP(contour, 0.04 * cv2.arcLength(contour, True), True)
            if len(corners) == 4 and cv2.isContourConvex(corners):
                quad = np.asarray(corners, np.float32)[:, 0]
                found.append(quad if cv2.contourArea(corners, True) > 0 else quad[::-1])
    quads = np.array(found, np.float32).reshape(-1, 4, 2)
    quads = quads[usable(quads, LEAST_CONTOUR_SIDE)] if len(quads) else quads
    quads = quads[np.argsort(-sides(quads))][:400]
    kept = quads[distinct_pieces(quads)] if len(quads) else quads
    return kept, np.full(len(kept), 0.9, np.float32)


def colour_histograms(crops_rgb: Images) -> Floats:
    """Histogram of the colours of a crop as a unit vector, in place of the embedding."""
    bins = (crops_rgb.astype(np.int32) * HISTOGRAM_BINS) // 256
    flat = (bins[..., 0] * HISTOGRAM_BINS + bins[..., 1]) * HISTOGRAM_BINS + bins[..., 2]
    counts = np.stack([np.bincount(f.ravel(), minlength=HISTOGRAM_BINS**3) for f in flat])
    roots = np.sqrt(counts.astype(np.float32))
    return np.asarray(roots / np.linalg.norm(roots, axis=1, keepdims=True), np.float32)


def as_guessed(
    pyramid: Pyramid, quads_xy: Floats, evened: Evened | None = None, rounds: int = 0
) -> tuple[Floats, Floats]:
    """The quads as they are, each taken for a piece."""
    return quads_xy.astype(np.float32).copy(), np.ones(len(quads_xy), np.float32)


def as_seen(quads_xy: Floats, *_: Any) -> Floats:
    """The quads as they are."""
    return quads_xy


def nothing_familiar(_pyramid: Any, quads_xy: Floats, _familiar: Any) -> tuple[Floats, Floats]:
    """Taught faces tell nothing of where pieces lie."""
    return quads_xy[:0], np.zeros(0, np.float32)


def only_seen(lattice: Lattice, row: int, col: int) -> Floats:
    """No place where nothing was seen."""
    return np.asarray(lattice.cells.get((row, col), np.zeros((4, 2))), np.float32)


def cell_by_cell(seen: Evidence, *args: Any) -> Look:
    """The best label of each cell alone."""
    by_box = patch.object(stones, "stone_marginals", alone)
    with by_box, patch.object(stones, "likeliest_stones", no_choice):
        return weigh(seen, *args)


def nothing_told(_crops: Any, seen: Look, *_: Any) -> Doubles:
    """Detail adds nothing to what was seen."""
    return np.zeros_like(seen.evidence.scores)


def nothing_confirmed(_crops: Any, seen: Look, *_: Any) -> Any:
    """No picture speaks for or against a name."""
    return np.zeros(seen.way.probabilities.shape, np.float32)


def alone(log_p: Any, _labels: Any) -> tuple[Any, float]:
    """Probabilities of each cell by itself and the evidence of all."""
    totals = logsumexp(log_p, 1)
    return np.exp(log_p - totals[:, None]), float(totals.sum())


def no_choice(_log_p: Any, _labels: Any) -> None:
    """No state of the whole board is preferred."""


PARTS: dict[str, Patches] = {
    "whole pipeline": list,
    "no lattice completion": lambda: [patch.object(Lattice, "expected_quad", only_seen)],
    "no corner refinement": lambda: [
        patch.object(candidates, "refine_quads", as_guessed),
        patch.object(corners, "refine_quads", as_guessed),
        patch.object(candidates, "whole_pieces", lambda _, quads_xy, __: quads_xy),
    ],
    "pieces not held equally large": lambda: [
        patch.object(candidates, "equal_pieces", as_seen),
        patch.object(candidates, "plane_of", lambda *_: None),
    ],
    "no box decoding": lambda: [patch.object(look, "weigh", cell_by_cell)],
    "no search by the taught faces": lambda: [
        patch.object(candidates, "familiar_pieces", nothing_familiar)
    ],
    "likeness not seen from the photo's middle": lambda: [
        patch.object(profile, "AS_SEEN", 1.0),
        patch.object(profile, "CENTRED", 0.0),
    ],
    "fine detail not compared": lambda: [
        patch.object(look, "told_by_details", nothing_told),
        patch.object(look, "pictured", nothing_confirmed),
    ],
    "contours instead of the detector": lambda: [
        patch.object(candidates, "detect_pieces", quads_by_contours)
    ],
    "colour histogram instead of the embedding": lambda: [
        patch.object(look, "embed", colour_histograms),
        patch.object(profile, "embed", colour_histograms),
    ],
}


def main() -> None:
    args = bank_parser(__doc__, count=100, seed=4).parse_args()
    painter = held_out_painter(args.bank)
    print(f"{'':42s} found  exact  cells right  silent")
    for name, patches in PARTS.items():
        with ExitStack() as stack:
            for change in patches():
                stack.enter_context(change)
            outcomes = [
                measured(args.seed, i, painter, Task("stones")).alone[0] for i in range(args.count)
            ]
        found = [outcome for outcome in outcomes if outcome.found]
        cells = [cell.right for outcome in found for cell in outcome.cells]
        print(
            f"{name:42s} {len(found) / args.count:5.1%}  "
            f"{sum(o.exact for o in found) / args.count:5.1%}"
            f"  {sum(cells) / (9 * args.count):11.1%}  "
            f"{sum(o.sure and not o.exact for o in found):6d}",
            flush=True,
        )


if __name__ == "__main__":
    main()

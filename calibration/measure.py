"""Measures reading and sureness on generated photos of art that no training saw.

Every board is a new edition: faces from the validation icon families, a lesson crop or two of each, then one photo of a
legal state under any light, angle and clutter. Needs the ``training`` extra and the icon bank::

    python -m calibration.measure BANK.npz --board stones --count 300
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.profiles import default_profile, embedding_version
from models.training.art import load_bank
from models.training.faces import ArtSource, SetPainter, outlined, scene_faces
from models.training.scenes import Face, FaceKind, render_scene
from models.training.views import lesson_conditions, view
from vision.boards import BOARDS, BoardSpec
from vision.decode import STONE_KINDS
from vision.errors import VisionError
from vision.geometry import Images
from vision.photo import Photo
from vision.profile import Profile, mean_colours, turned_vectors
from vision.read import read_board

PHOTO_HW = (768, 1024)
COVERAGE_STEPS = (0.5, 0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.995, 0.998, 0.999)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One board: ``cells`` are (confidence, right, sure) of the cells read."""

    found: bool
    exact: bool
    sure: bool
    cells: tuple[tuple[float, bool, bool], ...]


def legal_stones(rng: np.random.Generator) -> list[str]:
    """Nine symbols that the box can show, in random order."""
    sides = [pair[int(rng.integers(2))] for pair, count in STONE_KINDS for _ in range(count)]
    return [sides[i] for i in rng.permutation(len(sides))]


def drawn_set(
    rng: np.random.Generator, painter: SetPainter, labels: Sequence[str], published: bool
) -> dict[str, Images]:
    """One face for each label: in the published look of the stones, or in any style."""
    if published:
        faces = [np.clip(f, 0, 255).astype(np.uint8) for f in painter.stone_set(rng, labels)]
        return dict(zip(labels, faces, strict=True))
    while True:
        drawn = painter.draw(rng, len(labels)).faces
        if len(drawn) >= len(labels):
            return dict(zip(labels, drawn, strict=False))


def lesson_profile(rng: np.random.Generator, faces: dict[str, Images], board: str) -> Profile:
    """A profile taught from one or two lesson crops of each face."""
    light = [lesson_conditions(rng) for _ in range(2)][: int(rng.integers(1, 3))]
    crops = {label: np.stack([view(rng, face, photo) for photo in light]) for label, face in faces.items()}
    return Profile(
        "measured",
        board,
        {label: turned_vectors(found) for label, found in crops.items()},
        embedding_version(),
        {label: mean_colours(found) for label, found in crops.items()},
    )


def one_board(rng: np.random.Generator, painter: SetPainter, spec: BoardSpec, default: bool) -> Outcome:
    """Draw an edition, teach it, photograph a state, read it."""
    labels = spec.labels if spec.name == "stones" else spec.labels[:4]
    faces = drawn_set(rng, painter, labels, default)
    profile = default_profile(spec.name) if default else lesson_profile(rng, faces, spec.name)
    placed: list[str] = []
    aspect = float(rng.choice([0.65, 0.72, 1.0])) if spec.name == "time" else 1.0

    def source(rng: np.random.Generator, kind: FaceKind, count: int) -> list[Face]:
        if placed:  # later calls are for strays beside the board
            return [Face(rgba) for rgba in scene_faces(painter, rng, kind, count)]
        placed.extend(legal_stones(rng) if spec.name == "stones" else rng.choice(labels, count).tolist())
        return [Face(outlined(rng, faces[label], aspect, kind == "stones" and default)) for label in placed]

    scene = render_scene(rng, source, PHOTO_HW, "stones" if spec.name == "stones" else "time")
    truth = {
        (int(row), int(col)): label
        for (row, col), label in zip(ordered_cells(scene.cells[scene.grid_id == 0]), placed, strict=False)
    }
    photo = Photo(np.ascontiguousarray(scene.image_bgr), PHOTO_HW, 1.0, "jpeg")
    try:
        reading = read_board(photo, spec, profile)
    except VisionError:
        return Outcome(False, False, False, ())
    read = {(cell.row, cell.col): cell for cell in reading.cells}
    if set(read) != set(truth):
        return Outcome(True, False, reading.sure, tuple((c.confidence, False, c.sure) for c in reading.cells))
    cells = tuple((c.confidence, c.label == truth[p], c.sure) for p, c in read.items())
    return Outcome(True, all(right for _, right, _ in cells), reading.sure, cells)


def ordered_cells(cells: np.ndarray) -> list[tuple[int, int]]:
    """Distinct cells in the order in which faces were asked for: row by row."""
    return sorted({(int(r), int(c)) for r, c in cells})


def calibration_error(cells: Sequence[tuple[float, bool, bool]], bins: int = 15) -> float:
    """Expected calibration error over equal-width bins (Guo et al. 2017, arXiv:1706.04599)."""
    confidence = np.array([c for c, _, _ in cells])
    right = np.array([r for _, r, _ in cells], float)
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(confidence[which == b].mean() - right[which == b].mean()) * (which == b).mean()
            for b in range(bins)
            if (which == b).any()
        )
    )


def report(outcomes: Sequence[Outcome]) -> str:
    """The table of a run."""
    found = [o for o in outcomes if o.found]
    cells = [cell for o in found for cell in o.cells]
    silent = sum(o.sure and not o.exact for o in found)
    lines = [
        f"boards {len(outcomes)}  found {len(found) / len(outcomes):.1%}  exact {sum(o.exact for o in outcomes) / len(outcomes):.1%}"
        f"  hands-free {sum(o.sure and o.exact for o in found) / len(outcomes):.1%}  silent {silent}",
        f"cells {len(cells)}  right {np.mean([r for _, r, _ in cells]):.2%}  calibration error {calibration_error(cells):.2%}",
        "least confidence   cells   wrong",
    ]
    for step in COVERAGE_STEPS:
        kept = [right for confidence, right, _ in cells if confidence >= step]
        lines.append(f"{step:16.3f} {len(kept) / max(1, len(cells)):7.1%} {sum(not r for r in kept):7d}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path)
    parser.add_argument("--board", choices=("stones", "time"), default="stones")
    parser.add_argument(
        "--default", action="store_true", help="published colours, bundled profile, nothing taught"
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    painter = SetPainter(ArtSource.of(load_bank(args.bank), "validation"))
    rng = np.random.default_rng(args.seed)
    outcomes = [one_board(rng, painter, BOARDS[args.board], args.default) for _ in range(args.count)]
    print(report(outcomes))


if __name__ == "__main__":
    main()

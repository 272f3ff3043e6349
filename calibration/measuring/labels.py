"""Measures how many exchanged labels are found in taught sets, and how many honest sets are
refused.

Sets are made from photos with known answers (folders with ``truth.json``): the lessons alone, and
with 1 to 4 of the other photos, whatever their light. In each set two faces of one lesson are then
exchanged, and stones also in all lessons alike::

    python -m calibration.measuring.labels ../shared/photos/rendered ../shared/photos/more \\
        fixtures/photos
"""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.lessons import lesson_crops, parse_layout
from calibration.mislabelled import exchanged, exchanged_stones
from calibration.selfcheck import stem
from calibration.teach import LEAST_LONG_SIDE
from models.session import CROP_PX
from models.training.arguments import parser_of
from vision.boards import BOARDS, BoardSpec
from vision.geometry import Floats, Images, Pyramid
from vision.photo import decode_photo
from vision.profile import turned_vectors

SWAPS = 4
"""Exchanges tried in each set."""


class Labelled(NamedTuple):
    """The labelled pieces of one photo: crops (n, 64, 64, 3) and their vectors (n, 4, d)."""

    labels: tuple[str, ...]
    crops: Images
    vectors: Floats


def read_set(folder: Path) -> tuple[BoardSpec, list[Labelled], list[Labelled]]:
    """The board, the lessons and the other photos of a folder."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    spec = BOARDS[truth.get("board", "stones")]
    lessons = []
    for name, layout in truth["teach"]:
        photo = decode_photo((folder / name).read_bytes(), LEAST_LONG_SIDE)
        found = lesson_crops(photo, parse_layout(layout, spec), spec, None)
        lessons.append(Labelled(found.labels, found.crops, found.vectors))
    others = [_with_quads(folder, photo) for photo in truth["photos"] if "quads" in photo]
    return spec, lessons, others


def _with_quads(folder: Path, truth: dict[str, object]) -> Labelled:
    quads = truth["quads"]
    assert isinstance(quads, dict)
    photo = decode_photo((folder / str(truth["photo"])).read_bytes(), LEAST_LONG_SIDE)
    rows = [row.split() for row in str(truth["text"]).split(" / ")]
    places = [key for key in quads if rows[int(key.split(",")[0])][int(key.split(",")[1])] != "."]
    labels = tuple(
        rows[int(r)][int(c)].split("/")[0] for r, c in (key.split(",") for key in places)
    )
    pyramid = Pyramid(photo.image_rgb)
    outlines = np.stack([photo.from_full(np.array(quads[key], np.float32)) for key in places])
    crops = pyramid.crops(outlines, CROP_PX)
    return Labelled(labels, crops, turned_vectors(crops))


def refused(parts: list[Labelled], spec: BoardSpec) -> bool:
    """Whether an import of the set would be refused."""
    labels = [label for part in parts for label in part.labels]
    origins = [number for number, part in enumerate(parts) for _ in part.labels]
    vectors = np.concatenate([part.vectors for part in parts])
    if exchanged(labels, origins, vectors, spec.turns, frozenset()):
        return True
    crops = np.concatenate([part.crops for part in parts])
    names = np.array(labels)
    pictures = {label: crops[names == label] for label in dict.fromkeys(labels)}
    return spec.name == "stones" and exchanged_stones(pictures) is not None


def with_exchange(part: Labelled, one: str, other: str) -> Labelled:
    """The part with two names exchanged."""
    names = {one: other, other: one}
    return part._replace(labels=tuple(names.get(label, label) for label in part.labels))


def measure(folder: Path, rng: np.random.Generator) -> Counter[str]:
    """What became of the sets of one folder, counted."""
    spec, lessons, photos = read_set(folder)
    tally: Counter[str] = Counter()
    sets = [lessons]
    for more in (1, 2, 4) if len(photos) >= 4 else ():
        sets += [
            [*lessons, *(photos[i] for i in rng.choice(len(photos), more, replace=False))]
            for _ in range(4)
        ]
    for parts in sets:
        tally["honest sets"] += 1
        tally["honest sets refused"] += refused(parts, spec)
        for _ in range(SWAPS):
            at = int(rng.integers(len(parts)))
            rest = {label for i, part in enumerate(parts) if i != at for label in part.labels}
            pairs = [
                pair
                for pair in combinations(sorted({*parts[at].labels} & rest), 2)
                if stem(pair[0]) != stem(pair[1])
            ]
            if pairs:
                pair = pairs[int(rng.integers(len(pairs)))]
                kind = "numbers" if all(stem(label).isdecimal() for label in pair) else "faces"
                tally[f"{kind} exchanged in one lesson"] += 1
                changed = [with_exchange(p, *pair) if i == at else p for i, p in enumerate(parts)]
                tally[f"{kind} exchanged in one lesson, found"] += refused(changed, spec)
    if spec.name == "stones":
        for pair in combinations(spec.labels, 2):
            tally[f"stones exchanged everywhere, {folder.name}"] += 1
            changed = [with_exchange(part, *pair) for part in lessons]
            tally[f"stones exchanged everywhere, {folder.name}, found"] += refused(changed, spec)
    return tally


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    tally: Counter[str] = Counter()
    for folder in args.folders:
        for truth in sorted(folder.glob("**/truth.json")):
            tally += measure(truth.parent, rng)
    for what in sorted({what.removesuffix(", found") for what in tally}):
        found = f", found {tally[what + ', found']}" if "exchanged" in what else ""
        print(f"{what}: {tally[what]}{found}")
    print(f"honest sets refused: {tally['honest sets refused']}")


if __name__ == "__main__":
    main()

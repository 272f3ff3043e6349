"""Builds the bundled stones profile from faces drawn in the published colours.

The look of the printed stones is published as colours and pictures (sun, moon, ... tree), not as images. So the
prototypes are the centres of many invented editions: every picture from several icon families, carved or printed, in the
published colours. Needs the ``training`` extra and the icon bank of ``models.training.art``::

    python -m calibration.build_default BANK.npz
"""

import argparse
from pathlib import Path

import cv2
import numpy as np

from calibration.profiles import embedding_version, pack
from models.training.art import load_bank
from models.training.faces import STONE_COLOURS, ArtSource, SetPainter
from models.training.views import lesson_conditions, table_conditions, view
from vision.geometry import Floats, Images
from vision.profile import Profile, mean_colours, turned_vectors

CREATED = "2026-11-21T00:00:00+00:00"
"""Fixed, so that the same bank and network give the same file."""


def draw_crops(bank: Path, editions: int, seed: int) -> dict[str, Images]:
    """Crops of each symbol from many invented editions, half in lesson light and half in table light."""
    painter = SetPainter(ArtSource.of(load_bank(bank), "training"))
    rng = np.random.default_rng(seed)
    crops: dict[str, list[Images]] = {symbol: [] for symbol in STONE_COLOURS}
    for i in range(editions):
        faces = painter.stone_set(rng, tuple(STONE_COLOURS))
        photo = lesson_conditions(rng) if i % 2 else table_conditions(rng)
        for symbol, face in zip(STONE_COLOURS, faces, strict=True):
            crops[symbol].append(view(rng, np.clip(face, 0, 255).astype(np.uint8), photo))
    return {symbol: np.stack(found) for symbol, found in crops.items()}


def cluster(vectors: Floats, colours: Floats, count: int, seed: int) -> tuple[Floats, Floats]:
    """Centres of one symbol's vectors (n, 4, d) and colours (n, 3), grouped by upright likeness: (count, 4, d), (count, 3)."""
    cv2.setRNGSeed(seed)
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 60, 1e-4)
    groups = np.zeros((len(vectors), 1), np.int32)
    cv2.kmeans(np.ascontiguousarray(vectors[:, 0]), count, groups, criteria, 4, cv2.KMEANS_PP_CENTERS)
    members = [groups.ravel() == g for g in range(count) if (groups.ravel() == g).any()]
    centres = np.stack([vectors[m].mean(0) for m in members])
    return (
        np.asarray(centres / np.linalg.norm(centres, axis=2, keepdims=True), np.float32),
        np.stack([np.median(colours[m], 0) for m in members]).astype(np.float32),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path)
    parser.add_argument("--editions", type=int, default=400)
    parser.add_argument("--prototypes", type=int, default=12, help="a symbol")
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    crops = draw_crops(args.bank, args.editions, args.seed)
    centres = {
        symbol: cluster(turned_vectors(found), mean_colours(found), args.prototypes, args.seed)
        for symbol, found in crops.items()
    }
    profile = Profile(
        "default",
        "stones",
        {symbol: vectors for symbol, (vectors, _) in centres.items()},
        embedding_version(),
        {symbol: colours for symbol, (_, colours) in centres.items()},
    )
    path = Path(__file__).parent / "profiles_data" / "stones.tallyprofile"
    path.write_bytes(pack(profile, CREATED))
    print(
        f"{path.name}: {path.stat().st_size} bytes, {sum(len(p) for p in profile.prototypes.values())} prototypes"
    )


if __name__ == "__main__":
    main()

"""Draws sets in every style, and faces for scenes."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from models.training.art import load_bank
from models.training.faces import bands, carved, described_stones, painted_cards, tiles
from models.training.faces.drawing import FACE_PX, Canvas, Image, fractal_noise, rounded_square
from models.training.faces.sets import FaceSet, finished
from models.training.faces.sources import STONE_COLOURS, ArtSource

Style = Callable[[ArtSource, np.random.Generator, int], FaceSet]
"""Draws a set of that many faces."""
PAINTED_CARDS = 0.4
"""Share of decks that are painted cards whatever else is drawn."""


class SetPainter:
    """Draws sets of one split of the art. All randomness comes from the generator passed in."""

    def __init__(
        self,
        art: ArtSource,
        bent: float = 0.0,
        stones: bool = True,
        mixed: float = 0.0,
        banded: float = 0.0,
    ) -> None:
        """Draw with this art.

        ``bent`` is the share of bent pictures of the stones, ``mixed`` that of editions with mixed
        close colours. ``banded`` is the share of sets of cards in scenes that have title bands;
        half as many sets of tiles have them. ``stones`` allows the published look of the stones as
        a random style.
        """
        self._art, self._bent, self._mixed, self._share_banded = art, bent, mixed, banded
        self._styles: tuple[tuple[float, Style], ...] = (
            (0.24, tiles.pictures),
            (0.14, carved.carved),
            (0.08 if stones else 0.0, self._stones),
            (0.12, tiles.plain_and_marked),
            (0.10, tiles.counted_shapes),
            (0.10, tiles.coloured_shapes),
            (0.15, tiles.badges),
            (0.14, tiles.landscapes),
            (0.25, painted_cards.illustrated),
        )

    def without_stones(self) -> "SetPainter":
        """A painter of other games only, with the same art."""
        return SetPainter(self._art, self._bent, False, self._mixed, self._share_banded)

    def draw(self, rng: np.random.Generator, count: int) -> FaceSet:
        """A set of ``count`` faces in a random style."""
        weights = np.array([weight for weight, _ in self._styles])
        style = self._styles[int(rng.choice(len(weights), p=weights / weights.sum()))][1]
        return style(self._art, rng, count)

    def plain_and_marked(self, rng: np.random.Generator, count: int) -> FaceSet:
        """Tiles of a few colours, plain or with one shared mark."""
        return tiles.plain_and_marked(self._art, rng, count)

    def banded(self, rng: np.random.Generator, faces: Sequence[Image]) -> Image:
        """The faces of a set, RGB (n, FACE_PX, FACE_PX, 3), with title bands."""
        return bands.banded(self._art, rng, FaceSet(np.stack(faces), 1.0)).faces

    def scene_faces(self, rng: np.random.Generator, kind: str, count: int) -> list[Image]:
        """Cut-out faces of one set for the scene renderer; kind is "stones", "tiles" or "cards"."""
        if kind == "cards" and rng.random() < PAINTED_CARDS:
            drawn = painted_cards.illustrated(self._art, rng, min(count, 12))
        else:
            drawn = self.draw(rng, min(count, 12))
        share = {"cards": self._share_banded, "tiles": self._share_banded / 2}.get(kind, 0.0)
        if share and rng.random() < share:
            drawn = bands.banded(self._art, rng, drawn)
        aspect = drawn.aspect if kind == "cards" else 1.0
        if kind == "cards" and aspect == 1.0:
            aspect = float(rng.choice([0.65, 0.7, 0.75, 1.0, 1.4, 1.5]))
        notched = kind == "stones" and rng.random() < 0.5
        cut = [outlined(rng, face, aspect, notched) for face in drawn.faces]
        return [cut[i % len(cut)] for i in range(count)]

    def stone_set(self, rng: np.random.Generator, symbols: Sequence[str]) -> list[Canvas]:
        """Faces of one edition in the published colours, in the order of the symbols."""
        return carved.stone_set(self._art, rng, symbols, self._bent, self._mixed)

    def described_set(self, rng: np.random.Generator, symbols: Sequence[str]) -> list[Canvas]:
        """Faces of one edition that looks as the published game is described, in that order."""
        return described_stones.described_set(self._art, rng, symbols, self._mixed)

    def printed_set(self, rng: np.random.Generator, symbols: Sequence[str]) -> list[Canvas]:
        """Faces of one edition in the colours that scans of the published game have."""
        return described_stones.printed_set(self._art, rng, symbols)

    def _stones(self, _: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
        """The eight published symbols in the published colours, drawn anew."""
        symbols = list(STONE_COLOURS)
        rng.shuffle(symbols)
        return finished(self.stone_set(rng, symbols[:count]), carved=True)


@cache
def held_out_painter(bank: Path) -> SetPainter:
    """A painter with held-out icons; one in each process, since opening a bank takes seconds."""
    return SetPainter(ArtSource.of(load_bank(bank), "validation"))


def outlined(rng: np.random.Generator, face: Image, aspect: float, notched: bool) -> Image:
    """The face cut out of its square: RGBA in true proportions, corners rounded or notched."""
    radius = float(rng.uniform(0.0, 0.14))
    alpha = rounded_square(FACE_PX, radius) if radius > 0.01 else np.ones((FACE_PX, FACE_PX))
    if notched:
        edge = np.abs(np.arange(FACE_PX, dtype=np.float32) + 0.5 - FACE_PX / 2)
        margin = FACE_PX / 2 - np.maximum(edge[None, :], edge[:, None])
        alpha = alpha * np.clip(
            margin - np.abs(fractal_noise(rng, FACE_PX, 8, 3)) * rng.uniform(0.5, 3.0) + 1, 0, 1
        )
    rgba = np.dstack([face, (alpha * 255).astype(np.uint8)])
    long = 96
    size = (
        (long, max(8, round(long / aspect)))
        if aspect >= 1
        else (max(8, round(long * aspect)), long)
    )
    return np.asarray(cv2.resize(rgba, size, interpolation=cv2.INTER_LINEAR), np.uint8)

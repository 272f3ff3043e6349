"""The finder and the refiner learn from scenes that are drawn meanwhile."""

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `training` is not installed")
pytest.importorskip("cairosvg", reason="the extra `training` is not installed")

from models.training.art import Icon  # noqa: E402
from models.training.faces import ArtSource, SetPainter  # noqa: E402
from models.training.faces.bands import banded  # noqa: E402
from models.training.faces.drawing import FACE_PX  # noqa: E402
from models.training.faces.sets import FaceSet  # noqa: E402
from models.training.faces.sources import STONE_COLOURS  # noqa: E402
from models.training.finder import FinderNet  # noqa: E402
from models.training.finding import CROPS, FreshScenes, Painters, losses  # noqa: E402
from models.training.locator import REFINE_PX, refiner_samples  # noqa: E402

PHOTOS = 4


def icon(name: str, mono: bool, sides: int) -> Icon:
    """A regular polygon."""
    angles = 2 * np.pi * np.arange(sides) / sides
    corners = np.stack([48 + 36 * np.cos(angles), 48 + 36 * np.sin(angles)], 1).astype(np.int32)
    rgba = np.zeros((96, 96, 4), np.uint8)
    cv2.fillPoly(rgba, [corners], (255, 255, 255, 255) if mono else (200, 30 * sides, 60, 255))
    return Icon("polygons", name, mono, rgba)


@pytest.fixture(scope="module")
def art() -> ArtSource:
    drawn = [icon(f"{k}", mono, k) for k in range(3, 8) for mono in (True, False)]
    symbols = {symbol: (icon(symbol, True, 3 + k),) for k, symbol in enumerate(STONE_COLOURS)}
    mono, colour = (tuple(i for i in drawn if i.mono is mono) for mono in (True, False))
    return ArtSource(mono, colour, symbols)


@pytest.fixture(scope="module")
def scenes(art: ArtSource) -> FreshScenes:
    painter = SetPainter(art, banded=0.5)
    return FreshScenes(Painters(painter, painter), PHOTOS)


def test_a_batch_shows_pieces_and_half_as_many_photos_of_pattern_cards(scenes: FreshScenes) -> None:
    batch = scenes.photos(np.random.default_rng(8))
    photos, heat, offsets, weight = batch[:4]
    assert photos.shape == (PHOTOS, 448, 448, 3)
    assert heat.shape == weight.shape == (PHOTOS, 112, 112)
    assert offsets.shape == (PHOTOS, 8, 112, 112)
    assert (heat == 1).any()
    cards, card_heat, *_ = batch[4:]
    assert cards.shape == (PHOTOS // 2, 384, 384, 3)
    assert card_heat.shape == (PHOTOS // 2, 48, 48)


def test_as_many_crops_come_with_every_batch(scenes: FreshScenes) -> None:
    for seed in (1, 2):
        crops, shifts, present = scenes.crops(np.random.default_rng(seed))
        count = CROPS * (PHOTOS + PHOTOS // 2)
        assert crops.shape == (count, REFINE_PX, REFINE_PX, 3)
        assert shifts.shape == (count, 4, 2)
        assert {0.0, 1.0} <= set(present.tolist()) <= {-1.0, 0.0, 1.0}


def test_both_heads_learn_and_normalisations_stay(scenes: FreshScenes) -> None:
    net = FinderNet(steady=True).train()
    before = {name: values.clone() for name, values in net.named_buffers()}
    batch = scenes.photos(np.random.default_rng(8))
    parts = losses(net, tuple(torch.from_numpy(part) for part in batch))
    torch.stack(parts).sum().backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    assert all(torch.equal(values, before[name]) for name, values in net.named_buffers())


@pytest.mark.parametrize("seed", range(12))
def test_a_band_lies_along_an_edge_of_every_face_of_a_set(
    art: ArtSource, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.training.faces.bands.ON_PAPER", 0.0)
    plain = FaceSet(np.full((5, FACE_PX, FACE_PX, 3), 90, np.uint8), 0.7)
    drawn = banded(art, np.random.default_rng(seed), plain)
    assert drawn.aspect == plain.aspect
    covered = (drawn.faces != 90).any(-1).mean(0) > 0.5
    margin = round(0.08 * FACE_PX)
    strips = (covered[:margin], covered[-margin:], covered[:, :margin], covered[:, -margin:])
    assert max(strip.mean() for strip in strips) > 0.2
    assert not covered[FACE_PX // 2, FACE_PX // 2]
    assert covered.mean() < 0.8


def test_some_guesses_leave_out_a_band_of_the_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.full((300, 300, 3), 120, np.uint8)
    quads = np.array([[(100, 100), (200, 100), (200, 200), (100, 200)]], np.float32)

    def missing_bands() -> int:
        rng = np.random.default_rng(4)
        drawn = [refiner_samples(rng, image, quads, np.ones(1, np.float32)) for _ in range(200)]
        shifts = np.concatenate([shifts[present == 1] for _, shifts, present in drawn])
        top, right = shifts[:, [0, 1], 1].mean(1), shifts[:, [1, 2], 0].mean(1)
        bottom, left = shifts[:, [2, 3], 1].mean(1), shifts[:, [3, 0], 0].mean(1)
        outward = np.sort(np.stack([-top, right, bottom, -left], 1), 1)
        return int(((outward[:, 3] > 0.15) & (np.abs(outward[:, :3]).max(1) < 0.08)).sum())

    with_bands = missing_bands()
    monkeypatch.setattr("models.training.locator.CUT_SHORT", 0.0)
    assert with_bands > 1.5 * missing_bands()


def test_some_banded_faces_lie_on_light_paper(
    art: ArtSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.training.faces.bands.ON_PAPER", 1.0)
    dark = FaceSet(np.zeros((3, FACE_PX, FACE_PX, 3), np.uint8), 0.7)
    for seed in range(6):
        faces = banded(art, np.random.default_rng(seed), dark).faces
        assert (faces.min(-1) > 120).mean() > 0.15

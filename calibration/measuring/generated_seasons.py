"""Generates season boards with known answers: an edition is invented, taught from two photos and
read from a third.

Tiles are drawn with art that no training saw, and numbers in typefaces that the cell reader never
saw. ``calibration.measuring.generated`` says how runs are repeated.
"""

from typing import NamedTuple

import cv2
import numpy as np

from calibration.measuring.generated import (
    Laid,
    Measured,
    Shot,
    Task,
    photo_hw,
    read_alone,
    shot_of,
    taught_profile,
)
from calibration.measuring.strangers import stranger, strangers_among
from models.session import CROP_PX
from models.training.faces import SetPainter, outlined
from models.training.scenes import (
    NUMBER_CELL,
    TILE,
    FaceKind,
    Layout,
    Scene,
    board_layout,
    render_scene,
)
from models.training.scenes.season_board import in_print
from scorer.notation import EMPTY
from scorer.seasons.board import Hand
from vision.boards import SEASON_NAMES, SEASONS_BOARD, TILE_NAMES
from vision.geometry import Images, Pyramid, sides
from vision.quality import slant

SIZE = 6
LESSON_DEGREES = 30.0
"""Least elevation of the camera of a lesson photo."""
LEAST_LESSON_PX = 36.0
FRAMED = 0.4
ATTEMPTS = 40
NEAR_PRINT = 0.85
"""How far a tile's colour is moved towards the print's, where they are near."""


class Edition(NamedTuple):
    """The tiles of an edition, the seed of its print, whether that is ``unruled``, and whether
    photos are ``framed`` and their light is ``traced``."""

    faces: list[Images]
    seed: int
    unruled: bool
    framed: bool
    traced: bool


class SeasonsPhoto(NamedTuple):
    """A photo of a board, what lies on its cells, and the kinds of the strangers among them."""

    scene: Scene
    labels: dict[tuple[int, int], str]
    strangers: dict[tuple[int, int], str]


def measured_seasons(seed: int, number: int, painter: SetPainter, task: Task) -> Measured:
    """Draw, teach, lay, photograph and read a board. The same seed and number give the same
    board. With ``unruled`` every other edition has tiles near the colour of the print."""
    near = task.unruled and number % 2 == 0
    laid = photographed_seasons(
        seed, number, painter, near=near, unruled=task.unruled, planted=task.planted,
        framed=task.framed, traced=task.traced, several=task.several,
    )  # fmt: skip
    return Measured(read_alone(laid))


def photographed_seasons(
    seed: int,
    number: int,
    painter: SetPainter,
    boards: int = 1,
    near: bool = False,
    unruled: bool = False,
    planted: bool = False,
    framed: bool = False,
    traced: bool = False,
    several: bool = False,
) -> Laid:
    """Invent an edition, teach it, lay boards and photograph each; the tiles of one season are
    ``near`` the colour of the print, which is ``unruled``. Where ``planted``, strangers lie in
    place of one or two tiles. ``framed`` boards, and their lessons, fill most of the photo. Mitsuba
    traces the light of ``traced`` ones. With ``several`` prints each of the two lessons shows one,
    and a photo shows either: players have boards of their own."""
    rng = np.random.default_rng([seed, number])
    plain = (
        painter.plain_and_marked(rng, len(TILE_NAMES))
        if rng.random() < 0.7
        else painter.draw(rng, len(TILE_NAMES))
    )
    if len(plain.faces) < len(TILE_NAMES):
        plain = painter.plain_and_marked(rng, len(TILE_NAMES))
    print_seed = int(rng.integers(2**31))
    drawn = list(plain.faces[: len(TILE_NAMES)])
    if near:
        season = int(rng.integers(len(SEASON_NAMES)))
        for k in (season, season + len(SEASON_NAMES)):
            drawn[k] = in_print(drawn[k], NEAR_PRINT, print_seed, unruled)
    faces = [outlined(rng, face, 1.0, False) for face in drawn]
    edition = Edition(faces, print_seed, unruled, framed, traced)
    prints = [edition, edition]
    if several:
        prints[1] = edition._replace(seed=int(rng.integers(2**31)))
    crops: dict[str, list[np.ndarray]] = {}
    bare_lessons: list[int] = []
    for lesson, frames in enumerate((0.5, 0.5) if several else (0.0, 1.0)):
        for label, found in _lesson(rng, painter, prints[lesson], frames).items():
            crops.setdefault(label, []).extend(found)
            if label == EMPTY:
                bare_lessons += [lesson] * len(found)
    pictures = {label: np.stack(found) for label, found in crops.items()}
    profile = taught_profile(pictures, "seasons", bare_lessons)
    shots = []
    for _ in range(boards):
        shown = prints[int(rng.integers(2))] if several else edition
        shots.append(_shot(_photo(rng, painter, shown, FRAMED, every=False, planted=planted)))
    return Laid(SEASONS_BOARD, profile, tuple(shots))


def _shot(shown: SeasonsPhoto) -> Shot:
    strange, labels = shown.strangers, shown.labels
    truth = {place: (label, strange.get(place, "")) for place, label in labels.items()}
    return shot_of(shown.scene, truth, 1.0)


def _lesson(
    rng: np.random.Generator, painter: SetPainter, edition: Edition, frames: float
) -> dict[str, list[np.ndarray]]:
    """Upright crops of every label that a lesson photo shows clearly."""
    best: SeasonsPhoto | None = None
    for _ in range(ATTEMPTS):
        best = _photo(rng, painter, edition, frames, every=True)
        quads = best.scene.quads_xy[best.scene.grid_id == 0]
        if slant(quads, 1.0) < LESSON_DEGREES and float(np.median(sides(quads))) > LEAST_LESSON_PX:
            break
    assert best is not None
    scene = best.scene
    ours = (scene.grid_id == 0) & (scene.visible > 0.3)
    rgb = np.asarray(cv2.cvtColor(scene.image_bgr, cv2.COLOR_BGR2RGB), np.uint8)
    cut = Pyramid(rgb).crops(scene.quads_xy[ours], CROP_PX)
    crops: dict[str, list[np.ndarray]] = {}
    for place, crop in zip(scene.cells[ours].tolist(), cut, strict=True):
        crops.setdefault(best.labels[place[0], place[1]], []).append(crop)
    return crops


def _photo(
    rng: np.random.Generator,
    painter: SetPainter,
    edition: Edition,
    frames: float,
    every: bool,
    planted: bool = False,
) -> SeasonsPhoto:
    """A board of the edition with other tiles and numbers than before, in full view.

    ``frames`` is the share of numbers with a frame. With ``every`` it shows each tile at least
    once, as people are asked to lay a lesson.
    """
    faces, seed, unruled, framed, traced = edition
    while True:
        hand = Hand["AB"[int(rng.integers(2))]].clockwise
        digits = {cell: str(k + 1) for cell, k in zip(hand, rng.permutation(4), strict=True)}
        laid: list[int] = []
        strange: dict[int, str] = {}
        picks = np.random.default_rng(int(rng.integers(2**31)))

        def source(
            rng: np.random.Generator,
            kind: FaceKind,
            count: int,
            laid: list[int] = laid,
            strange: dict[int, str] = strange,
            picks: np.random.Generator = picks,
        ) -> list[Images]:
            if kind == "tiles" and not laid:
                laid += picks.integers(len(faces), size=count).tolist()
                if every and count >= len(faces):
                    laid[: len(faces)] = range(len(faces))
                    picks.shuffle(laid)
                if planted:
                    strange.update(strangers_among(picks, count))
                return [
                    _stranger(picks, painter, faces[k], strange[at]) if at in strange else faces[k]
                    for at, k in enumerate(laid)
                ]
            return painter.scene_faces(rng, kind, count)

        layout = board_layout(
            np.random.default_rng(seed), source, (SIZE, SIZE), digits, frames, 0.25,
            unruled=unruled,
        )  # fmt: skip
        size_hw = photo_hw(rng, framed)
        scene = render_scene(rng, source, size_hw, "seasons", layout, framed, traced)
        ours = scene.grid_id == 0
        places = {(int(r), int(c)) for r, c in scene.cells[ours]}
        inside = (scene.quads_xy[ours] > 0).all() and (scene.quads_xy[ours] < size_hw[::-1]).all()
        if len(places) == SIZE * SIZE and inside and len(laid) > len(faces):
            tiles = _tiles(scene)
            strangers = {tiles[at]: kind for at, kind in strange.items()}
            return SeasonsPhoto(scene, _labels(scene, layout, digits, laid), strangers)
        if len(laid) <= len(faces):  # this edition's board would be all but empty
            seed += 1


def _stranger(rng: np.random.Generator, painter: SetPainter, face: Images, kind: str) -> Images:
    """What lies in place of a tile, of its outline."""
    rgba = face.copy()
    strange = stranger(rng, painter, rgba[..., :3], kind)
    rgba[..., :3] = cv2.resize(strange, (rgba.shape[1], rgba.shape[0]))
    return rgba


def _tiles(scene: Scene) -> list[tuple[int, int]]:
    """The cells with a tile, row by row, as their faces were asked for."""
    cells = scene.cells[(scene.grid_id == 0) & (scene.kind == TILE)]
    return sorted((int(row), int(col)) for row, col in cells)


def _labels(
    scene: Scene, layout: Layout, digits: dict[tuple[int, int], str], laid: list[int]
) -> dict[tuple[int, int], str]:
    """What each cell shows; tiles were asked for row by row."""
    labels: dict[tuple[int, int], str] = {}
    ours = scene.grid_id == 0
    kinds = {
        (int(r), int(c)): int(kind)
        for (r, c), kind in zip(scene.cells[ours], scene.kind[ours], strict=True)
    }
    tiles = iter(laid)
    for place in sorted(kinds):
        if kinds[place] == TILE:
            labels[place] = TILE_NAMES[next(tiles)]
        elif kinds[place] == NUMBER_CELL:
            labels[place] = digits[place] + ("!" if place in layout.framed else "")
        else:
            labels[place] = EMPTY
    return labels

"""Generates boards with known answers: new editions of art that no training saw.

Each board has its own random generator, made from the seed and its number. Any part of a run can be
repeated, in any order and on any number of processes.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import cv2
import numpy as np

from calibration.measuring.strangers import stranger, strangers_among
from calibration.profiles import default_profile
from calibration.taught import embedding_version
from models.training.faces import FACE_PX, SetPainter, outlined
from models.training.scenes import FaceKind, Scene, SceneKind, render_scene
from models.training.views import lesson_conditions, view
from scorer.notation import EMPTY
from vision.boards import BOARDS, SEASON_NAMES, BoardSpec
from vision.errors import VisionError
from vision.fuse import read_same
from vision.geometry import UNIT_SQUARE, Floats, Images, fit_homography, sides, transform
from vision.kinds.stones import STONE_KINDS
from vision.name.details import TaughtDetails
from vision.photo import Photo
from vision.profile import Profile, ink_hues, mean_colours, turned_vectors
from vision.quality import BURNT_LEVEL, slant
from vision.read import read_board
from vision.reading import Reading

PHOTO_HW = (768, 1024)
MOST_LARGER = 1.9
"""How much larger photos are at most as the reader sees them: it shrinks them by whole eighths to
no less than 1,000 px."""
Tier = Literal["easy", "medium", "hard"]
TIERS: tuple[Tier, ...] = ("easy", "medium", "hard")
EASY_DEGREES, MEDIUM_DEGREES = 25.0, 47.0
LEAST_SIDE_PX = 36.0
LEAST_VISIBLE = 0.97
"""Bounds of a hard photo: its angle, and the size and share in sight of its pieces."""
MOST_WHITE, LEAST_IN_SIGHT = 0.5, 0.5
"""Bounds of a piece that nobody can read: the share that is white, the share in sight."""
MOST_BEYOND = 1
"""Most rows and columns by which given corners reach beyond the pieces."""


class CellOutcome(NamedTuple):
    """One cell.

    ``rank`` is the place of the true label among label and alternatives (0: read right; -1: none of
    them). ``planted`` is the kind of stranger that lies there, if one does.
    """

    confidence: float
    rank: int
    sure: bool
    planted: str = ""

    @property
    def right(self) -> bool:
        return self.rank == 0 and not self.planted


@dataclass(frozen=True, slots=True)
class Outcome:
    """One board: whether it was found, read exactly and said to be sure, its cells, how hard it is.

    ``unreadable`` is that of ``Shot``, ``asks`` the number of questions.
    """

    found: bool
    exact: bool
    sure: bool
    cells: tuple[CellOutcome, ...]
    tier: Tier
    unreadable: bool = False
    asks: int = 0

    @property
    def confidence(self) -> float:
        """Confidence of the least certain cell; 0 if the board was not found."""
        return min((cell.confidence for cell in self.cells), default=0.0)

    @property
    def shape_told(self) -> bool:
        """True if rows and columns were read right; if not, all cells count as wrong."""
        return any(cell.rank >= 0 for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Task:
    """What is drawn and read.

    ``photos`` is the number of photos of each state. ``planted`` puts strangers on boards.
    ``layout`` is how pieces of a board of open shape lie, and ``faces`` how many faces its set has.
    ``lessons`` is the most crops of each face that teach. ``printed`` gives the published stones
    the colours that scans of the game have, ``unruled`` gives season boards prints without lines,
    which no network was trained on. ``one_lesson`` teaches stones from what one state shows, so
    that some faces are missing. ``pictures`` is a folder with one LABEL.png for each
    face, in place of a new edition. ``framed`` boards fill most of the photo. ``equal`` stones all
    show the same. ``banded`` cards have a title band or a wide frame. ``traced`` photos have light
    that Mitsuba traces. Season boards have ``several`` prints, each taught by a lesson.
    """

    board: str
    default: bool = False
    planted: bool = False
    photos: int = 1
    layout: SceneKind = "time"
    pictures: Path | None = None
    faces: int = len(SEASON_NAMES)
    lessons: int = 2
    printed: bool = False
    unruled: bool = False
    one_lesson: bool = False
    framed: bool = False
    equal: bool = False
    banded: bool = False
    traced: bool = False
    several: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """A board that was photographed and read: each photo alone, and several as one."""

    alone: tuple[Outcome, ...]
    fused: Outcome | None = None


Truth = dict[tuple[int, int], tuple[str, str]]
"""The label of each cell, and the kind of stranger on it or an empty string."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A photo of a board and what truly lies there.

    Also how hard it is, the quads of its pieces by their cells, and the share in sight of the piece
    of which least is.
    """

    photo: Photo
    truth: Truth
    tier: Tier
    pieces_xy: dict[tuple[int, int], Floats]
    least_in_sight: float

    @property
    def unreadable(self) -> bool:
        """Whether any piece is burnt out to white, or covered or cut off by more than a half."""
        image = self.photo.image_bgr
        return self.least_in_sight < LEAST_IN_SIGHT or any(
            white_share(flattened(image, quad)) > MOST_WHITE for quad in self.pieces_xy.values()
        )


@dataclass(frozen=True, slots=True, eq=False)
class Edition:
    """A copy of a game: the faces of its pieces, how wide these are for their height, and the
    profile that was taught."""

    spec: BoardSpec
    faces: dict[str, Images]
    aspect: float
    profile: Profile


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A state of a new edition with its photos, and the profile that reads them."""

    spec: BoardSpec
    profile: Profile
    shots: tuple[Shot, ...]


def legal_stones(rng: np.random.Generator) -> list[str]:
    """Nine symbols that the box can show, in random order."""
    faces = [pair[int(rng.integers(2))] for pair, count in STONE_KINDS for _ in range(count)]
    return [faces[i] for i in rng.permutation(len(faces))]


def equal_stones(rng: np.random.Generator) -> list[str]:
    """One symbol nine times, which no box can show."""
    return [str(rng.choice(BOARDS["stones"].labels))] * 9


def face_names(count: int) -> list[str]:
    """The labels of a set of so many faces: the seasons, then others."""
    return [*SEASON_NAMES, *(f"face {k}" for k in range(count - len(SEASON_NAMES)))][:count]


def drawn_set(
    rng: np.random.Generator,
    painter: SetPainter,
    labels: Sequence[str],
    published: bool,
    printed: bool = False,
) -> dict[str, Images]:
    """One face for each label: in the published look of the stones, ``printed`` as scans have it,
    or in any style."""
    if published:
        paint = painter.printed_set if printed else painter.stone_set
        faces = [np.clip(f, 0, 255).astype(np.uint8) for f in paint(rng, labels)]
        return dict(zip(labels, faces, strict=True))
    while True:
        drawn = painter.draw(rng, len(labels)).faces
        if len(drawn) >= len(labels):
            return dict(zip(labels, drawn, strict=False))


def pictured_set(folder: Path, labels: Sequence[str]) -> dict[str, Images]:
    """The face of each label as the folder's pictures show it, shape (FACE_PX, FACE_PX, 3), RGB.

    Raises FileNotFoundError if one is missing.
    """
    faces = {}
    for label in labels:
        picture = cv2.imread(str(folder / f"{label}.png"))
        if picture is None:
            raise FileNotFoundError(folder / f"{label}.png")
        small = cv2.resize(picture, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
        faces[label] = np.asarray(small[..., ::-1], np.uint8)
    return faces


def stone_pictures(text: str) -> Path:
    """The folder of a command line that has a picture of each stone.

    Raises ArgumentTypeError if one is missing.
    """
    try:
        pictured_set(Path(text), BOARDS["stones"].labels)
    except FileNotFoundError as missing:
        raise argparse.ArgumentTypeError(f"there is no picture {missing}") from None
    return Path(text)


def lesson_profile(
    rng: np.random.Generator, faces: dict[str, Images], board: str, most: int = 2
) -> Profile:
    """A profile taught from one to ``most`` lesson crops of each face."""
    light = [lesson_conditions(rng) for _ in range(most)][: int(rng.integers(1, most + 1))]
    crops = {
        label: np.stack([view(rng, face, photo) for photo in light])
        for label, face in faces.items()
    }
    return taught_profile(crops, board)


def taught_profile(
    crops: dict[str, Images], board: str, bare_lessons: Sequence[int] = ()
) -> Profile:
    """The profile that upright lesson crops of each label (k, 64, 64, 3) teach.

    ``bare_lessons`` has the number of the lesson of each crop of a bare cell, as in ``Profile``.
    """
    return Profile(
        "measured",
        board,
        {label: turned_vectors(found) for label, found in crops.items()},
        embedding_version(),
        {label: mean_colours(found) for label, found in crops.items()},
        inks={label: ink_hues(found) for label, found in crops.items()},
        details=TaughtDetails(BOARDS[board], [*crops], crops.__getitem__),
        bare_lessons=bare_lessons,
    )


def measured(seed: int, number: int, painter: SetPainter, task: Task) -> Measured:
    """Draw, teach, lay, photograph and read a board. The same seed and number give the same
    board."""
    laid = photographed(seed, number, painter, task)
    spec, profile = laid.spec, laid.profile
    alone = read_alone(laid)
    if task.photos == 1:
        return Measured(alone)
    hardest = max((shot.tier for shot in laid.shots), key=TIERS.index)
    try:
        reading = read_same([shot.photo for shot in laid.shots], spec, profile).reading
        fused = compared(reading, laid.shots[0].truth, hardest)
    except VisionError:
        fused = Outcome(False, False, False, (), hardest)
    return Measured(alone, fused)


def read_alone(laid: Laid) -> tuple[Outcome, ...]:
    """The outcome of each photo of a state, read by itself."""
    found = []
    for shot in laid.shots:
        try:
            reading = read_board(shot.photo, laid.spec, laid.profile)
        except VisionError:
            found.append(Outcome(False, False, False, (), shot.tier, shot.unreadable))
            continue
        found.append(replace(compared(reading, shot.truth, shot.tier), unreadable=shot.unreadable))
    return tuple(found)


def photographed(seed: int, number: int, painter: SetPainter, task: Task) -> Laid:
    """Draw an edition, teach it, lay a state and photograph it."""
    rng = np.random.default_rng([seed, number])
    edition = new_edition(rng, painter, task)
    return Laid(edition.spec, edition.profile, state_shots(rng, painter, task, edition))


def new_edition(rng: np.random.Generator, painter: SetPainter, task: Task) -> Edition:
    """Draw an edition and teach it."""
    spec = BOARDS[task.board]
    labels = spec.labels if spec.name == "stones" else face_names(task.faces)
    faces = (
        pictured_set(task.pictures, labels)
        if task.pictures
        else drawn_set(rng, painter, labels, task.default, task.printed)
    )
    if task.banded:
        faces = dict(zip(faces, painter.banded(rng, [*faces.values()]), strict=True))
    if task.one_lesson:
        shown = {*legal_stones(rng)}
        few = {label: face for label, face in faces.items() if label in shown}
        profile = lesson_profile(rng, few, spec.name, 1)
    elif task.default:
        profile = default_profile(spec.name)
    else:
        profile = lesson_profile(rng, faces, spec.name, task.lessons)
    aspect = float(rng.choice([0.65, 0.72, 1.0])) if spec.name == "time" else 1.0
    return Edition(spec, faces, aspect, profile)


def state_shots(
    rng: np.random.Generator, painter: SetPainter, task: Task, edition: Edition
) -> tuple[Shot, ...]:
    """Lay a state and photograph it."""
    spec, faces, aspect = edition.spec, edition.faces, edition.aspect
    state: list[str] = []
    strange: dict[int, str] = {}
    tops: list[Images] = []
    laid = False

    def source(rng: np.random.Generator, kind: FaceKind, count: int) -> list[Images]:
        nonlocal laid
        if laid:  # later calls are for strays beside the board
            return painter.scene_faces(rng, kind, count)
        laid = True
        if not state:
            stones = equal_stones if task.equal else legal_stones
            state.extend(
                stones(rng) if spec.name == "stones" else rng.choice([*faces], count).tolist()
            )
            if task.planted:
                strange.update(strangers_among(rng, len(state)))
            for i, label in enumerate(state):
                face = (
                    stranger(rng, painter, faces[label], strange[i])
                    if i in strange
                    else faces[label]
                )
                face = np.asarray(cv2.resize(face, (FACE_PX, FACE_PX)), np.uint8)
                tops.append(outlined(rng, face, aspect, kind == "stones" and task.default))
        return tops

    shots: list[Shot] = []
    while len(shots) < task.photos:
        laid = False
        kind: SceneKind = "stones" if spec.name == "stones" else task.layout
        size_hw = photo_hw(rng, task.framed)
        scene = render_scene(rng, source, size_hw, kind, None, task.framed, task.traced)
        ours = scene.grid_id == 0
        if int(ours.sum()) != len(state):
            if not shots:  # a piece is out of sight: nobody can know what lies there
                state.clear()
                strange.clear()
                tops.clear()
            continue
        shots.append(shot_of(scene, truth_of(scene, state, strange), aspect))
    return tuple(shots)


def shot_of(scene: Scene, truth: Truth, aspect: float) -> Shot:
    """The scene as a photo of a board on which this lies."""
    return Shot(
        as_photo(scene), truth, tier_of(scene, aspect), pieces_of(scene), least_in_sight(scene)
    )


def photo_hw(rng: np.random.Generator, framed: bool) -> tuple[int, int]:
    """Height and width of a photo; a framed one has any size that the reader may see."""
    larger = rng.uniform(1.0, MOST_LARGER) if framed else 1.0
    return round(PHOTO_HW[0] * larger), round(PHOTO_HW[1] * larger)


def as_photo(scene: Scene) -> Photo:
    """The scene as a decoded photo."""
    height, width = scene.image_bgr.shape[:2]
    return Photo(np.ascontiguousarray(scene.image_bgr), (height, width), 1.0, "jpeg")


def flattened(
    image_bgr: Images, quad_xy: Floats, size_hw: tuple[int, int] = (FACE_PX, FACE_PX)
) -> Images:
    """What the photo shows inside a quad, shape (*size_hw, 3)."""
    h, w = size_hw
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(quad_xy.astype(np.float32), corners)
    return np.asarray(
        cv2.warpPerspective(image_bgr, matrix, (w, h), flags=cv2.INTER_LINEAR), np.uint8
    )


def white_share(pixels: Images) -> float:
    """Share of pixels (..., 3) that are burnt out."""
    return float((pixels.min(-1) >= BURNT_LEVEL).mean())


def truth_of(scene: Scene, state: Sequence[str], strange: dict[int, str]) -> Truth:
    """What lies where: faces were asked for row by row."""
    cells = sorted({(int(r), int(c)) for r, c in scene.cells[scene.grid_id == 0]})
    return {cell: (state[i], strange.get(i, "")) for i, cell in enumerate(cells) if i < len(state)}


def pieces_of(scene: Scene) -> dict[tuple[int, int], Floats]:
    """The quads of the board's pieces by their cells."""
    board = scene.grid_id == 0
    placed = zip(scene.cells[board], scene.quads_xy[board], strict=True)
    return {(int(r), int(c)): quad for (r, c), quad in placed}


def outline_given(
    rng: np.random.Generator, shot: Shot, size_hw: tuple[int, ...]
) -> tuple[Floats, tuple[int, int], tuple[int, int]] | None:
    """The outline (4, 2) of a grid as a person marks it, which may reach beyond the pieces; also
    its first place and its rows and columns. None if the photo does not show all of it."""
    cells = np.array(list(shot.pieces_xy))
    corners = np.concatenate([UNIT_SQUARE + cell[::-1] for cell in cells]).astype(np.float32)
    to_photo = fit_homography(corners, np.concatenate(list(shot.pieces_xy.values())))
    if to_photo is None:
        return None
    first = cells.min(0) - rng.integers(0, MOST_BEYOND + 1, 2)
    last = cells.max(0) + rng.integers(0, MOST_BEYOND + 1, 2)
    rows, cols = (last - first + 1).tolist()
    outline = transform(to_photo, (UNIT_SQUARE * (cols, rows) + first[::-1]).astype(np.float32))
    if not ((outline > 0) & (outline < size_hw[::-1])).all():
        return None
    return outline, (int(first[0]), int(first[1])), (rows, cols)


def least_in_sight(scene: Scene) -> float:
    """The share in sight of the piece of the board of which least is."""
    return float(scene.visible[scene.grid_id == 0].min())


def tier_of(scene: Scene, aspect: float) -> Tier:
    """How hard a photo is, by its angle, the size of its pieces and what covers them."""
    board = scene.grid_id == 0
    quads: Floats = scene.quads_xy[board]
    degrees = slant(quads, aspect)
    small = float(np.median(sides(quads))) < LEAST_SIDE_PX
    in_sight = least_in_sight(scene)
    if small or degrees > MEDIUM_DEGREES or in_sight < 0.75:
        return "hard"
    return "medium" if in_sight < LEAST_VISIBLE or degrees > EASY_DEGREES else "easy"


def compared(reading: Reading, truth: Truth, tier: Tier) -> Outcome:
    """A reading against the truth; a cell shown as empty where there is none counts as not read."""
    read = {
        (cell.row, cell.col): cell
        for cell in reading.cells
        if cell.label != EMPTY or (cell.row, cell.col) in truth
    }
    if set(read) != set(truth):
        cells = tuple(CellOutcome(c.confidence, -1, c.sure) for c in reading.cells)
        return Outcome(True, False, reading.sure, cells, tier, asks=len(reading.doubts))
    outcomes = []
    for place, cell in read.items():
        true, planted = truth[place]
        said = [cell.label, *(label for label, _ in cell.alternatives)]
        rank = said.index(true) if true in said else -1
        outcomes.append(CellOutcome(cell.confidence, rank, cell.sure, planted))
    exact = all(outcome.right for outcome in outcomes)
    return Outcome(True, exact, reading.sure, (*outcomes,), tier, asks=len(reading.doubts))

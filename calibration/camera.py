"""Calibrates the camera of a phone from photos of the printed sheet."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np

from calibration.files import is_file_name, write_whole
from calibration.taught import now
from scorer.text import Text, Told
from vision.errors import PhotoRejected
from vision.geometry import Floats
from vision.lens import Lens
from vision.photo import Photo, decode_photo

SHEET_SQUARES, SQUARE_MM, MARKER_MM = (6, 8), 28.0, 20.0
"""Columns and rows of the printed sheet, and the sides of a square and of the marker in it."""
FORMAT = 1
FOLDER = "cameras"
LEAST_LONG_SIDE = 1600
LEAST_PHOTOS = 3
LEAST_CORNERS = 12
"""Corners of the board that a photo must show to be used."""
UNIT = 1000.0
"""The longer side of every photo while it is calibrated."""
MOST_ERROR = 3.0
"""Mean distance of a corner from where the model puts it, in thousandths of the longer side."""
LEAST_REACH = 0.3
"""Corners must be seen this far from the middle, in long sides; beyond, distortion is a guess."""
SAME_SHAPE = 0.03
"""Photos whose ratio of sides differs by more than this were cut, or come from another camera."""


class CameraError(Told, ValueError):
    """A camera cannot be calibrated or opened; the message says what to do.

    ``left_out`` has a sentence for each photo that could not be used.
    """

    left_out: tuple[Text, ...] = ()

    def without(self, photos: Sequence[Text]) -> Self:
        """The same refusal, which knows why these *photos* were left out."""
        self.left_out = tuple(photos)
        return self


@dataclass(frozen=True, slots=True)
class Camera:
    """A calibrated camera.

    Attributes
    ----------
    lens : its model.
    shape : shorter side of its photos in parts of the longer.
    error : mean distance of corners from the model, in thousandths of the longer side.
    photos : how many photos were used.
    """

    name: str
    lens: Lens
    shape: float
    error: float
    photos: int
    made: str

    def fits(self, full_hw: tuple[int, int]) -> bool:
        """True if a photo of this size can be of this camera, and is not cut."""
        return abs(min(full_hw) / max(full_hw) / self.shape - 1) <= SAME_SHAPE

    def to_document(self) -> dict[str, Any]:
        lens = {key: round(value, 6) for key, value in asdict(self.lens).items()}
        return {
            "name": self.name,
            **lens,
            "shape": round(self.shape, 5),
            "error": round(self.error, 3),
            "photos": self.photos,
            "made": self.made,
        }


def charuco_board() -> cv2.aruco.CharucoBoard:
    """The board on the printed sheet, in millimetres."""
    markers = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_50)
    return cv2.aruco.CharucoBoard(SHEET_SQUARES, SQUARE_MM, MARKER_MM, markers)


def calibrated(name: str, photos: Sequence[tuple[str, bytes]]) -> tuple[Camera, tuple[str, ...]]:
    """The camera of the photos (name and bytes) of the sheet, and a sentence for each unused one.

    Raises
    ------
    CameraError
        If too few photos show enough of the sheet, or they do not fit one lens.
    """
    checked(name)
    seen, left_out = _with_sheet(photos)
    ratios = np.array([ratio for *_, ratio in seen])
    alike = np.abs(ratios[:, None] / ratios - 1) <= SAME_SHAPE
    most = alike[:, alike.sum(0).argmax()] if seen else alike.any(0)
    used = [
        (corners, places) for (_, corners, places, _), one in zip(seen, most, strict=True) if one
    ]
    left_out += [
        Text(
            "%(source)s: has another shape than most photos: use one camera, uncut.", source=source
        )
        for (source, *_), one in zip(seen, most, strict=True)
        if not one
    ]
    if len(used) < LEAST_PHOTOS:
        raise CameraError(
            "%(used)s of %(count)s photos show the camera sheet well, at least "
            "%(least)s are needed: lay it flat, photograph all of it from "
            "different sides, without zoom",
            used=len(used),
            count=len(photos),
            least=LEAST_PHOTOS,
        ).without(left_out)
    shape = float(np.median(ratios[most]))
    reach = max(float(np.linalg.norm(corners, axis=1).max()) for corners, _ in used)
    if reach < LEAST_REACH:
        raise CameraError(
            "the sheet is only in the middle of the photos: go nearer, and let it reach into the "
            "corners in some"
        ).without(left_out)
    lens, error = _fitted(used)
    if error > MOST_ERROR or not lens.is_one_to_one(0.5 * float(np.hypot(1, shape))):
        raise CameraError(
            "the photos do not fit one lens (corners are %(error)s thousandths of "
            "the photo off): photograph the sheet flat, all with the same camera "
            "and without zoom",
            error=f"{error:.1f}",
        ).without(left_out)
    return Camera(name, lens, shape, error, len(used), now()), tuple(left_out)


def _with_sheet(
    photos: Sequence[tuple[str, bytes]],
) -> tuple[list[tuple[str, Floats, Floats, float]], list[Text]]:
    """Source, corners, their places and ratio of sides of each photo that shows enough corners.

    With a sentence for each of the others.
    """
    seen: list[tuple[str, Floats, Floats, float]] = []
    left_out = []
    earlier: set[bytes] = set()
    for source, data in photos:
        if data in earlier:
            left_out.append(Text("%(source)s: is the same photo as an earlier one.", source=source))
            continue
        earlier.add(data)
        try:
            photo = decode_photo(data, LEAST_LONG_SIDE)
        except PhotoRejected as refusal:
            left_out.append(Text("%(source)s: %(message)s", source=source, message=refusal.message))
            continue
        corners, places_mm = sheet_corners(photo)
        if len(corners) < LEAST_CORNERS:
            left_out.append(
                Text(
                    "%(source)s: shows %(count)s corners of the sheet, %(least)s are needed.",
                    source=source,
                    count=len(corners),
                    least=LEAST_CORNERS,
                )
            )
            continue
        seen.append((source, corners, places_mm, min(photo.full_hw) / max(photo.full_hw)))
    return seen, left_out


def sheet_corners(photo: Photo) -> tuple[Floats, Floats]:
    """Corners of the squares, (n, 2) each: in the photo in long sides, on the sheet in mm."""
    grey = cv2.cvtColor(photo.image_bgr, cv2.COLOR_BGR2GRAY)
    board = charuco_board()
    corners, numbers, *_ = cv2.aruco.CharucoDetector(board).detectBoard(grey)
    if corners is None or numbers is None:
        return np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32)
    # OpenCV 4.12 gives (n, 1, 2) and (n, 1), 5.0 gives (n, 2) and (n,).
    full = photo.to_full(np.asarray(corners, np.float32).reshape(-1, 2))
    middle = np.array(photo.full_hw[::-1], np.float32) / 2 - 0.5
    places = np.asarray(board.getChessboardCorners(), np.float32).reshape(-1, 3)[
        np.asarray(numbers).ravel(), :2
    ]
    return np.asarray((full - middle) / max(photo.full_hw), np.float32), places


def _fitted(used: Sequence[tuple[Floats, Floats]]) -> tuple[Lens, float]:
    """The lens, and the mean distance of the corners from it in thousandths of the longer side."""
    flat = [np.pad(places, ((0, 0), (0, 1))).astype(np.float32) for _, places in used]
    shown = [np.asarray(corners * UNIT + UNIT / 2, np.float32) for corners, _ in used]
    guess = np.array([[0.8 * UNIT, 0, UNIT / 2], [0, 0.8 * UNIT, UNIT / 2], [0, 0, 1]])
    flags = (
        cv2.CALIB_USE_INTRINSIC_GUESS
        | cv2.CALIB_FIX_PRINCIPAL_POINT
        | cv2.CALIB_FIX_ASPECT_RATIO
        | cv2.CALIB_ZERO_TANGENT_DIST
        | cv2.CALIB_FIX_K3
    )
    size = (int(UNIT), int(UNIT))
    _, matrix, bent, turns, shifts = cv2.calibrateCamera(
        flat, shown, size, guess, np.zeros(5), flags=flags
    )
    k = np.asarray(bent, np.float64).ravel()
    distances = [
        np.linalg.norm(
            np.asarray(cv2.projectPoints(f, r, t, matrix, bent)[0]).reshape(-1, 2) - s, axis=1
        )
        for f, s, r, t in zip(flat, shown, turns, shifts, strict=True)
    ]
    return Lens(float(matrix[0, 0]) / UNIT, float(k[0]), float(k[1])), float(
        np.concatenate(distances).mean()
    )


def checked(name: str) -> str:
    """The name if it can be a file's. Raises CameraError."""
    if not is_file_name(name):
        raise CameraError(
            "a camera's name has up to 60 letters, digits, spaces or . _ + -, got %(name)s",
            name=repr(name),
        )
    return name


def camera_path(name: str, data_dir: Path) -> Path:
    """Where a camera lies in the data folder."""
    return data_dir / FOLDER / f"{checked(name)}.json"


def save_camera(camera: Camera, data_dir: Path) -> Path:
    """Keep a camera; one of the same name is replaced."""
    text = json.dumps({"format": FORMAT, **camera.to_document()}, indent=1)
    return write_whole(camera_path(camera.name, data_dir), text.encode())


def load_camera(name: str, data_dir: Path) -> Camera:
    """The camera of that name. Raises CameraError naming those there are."""
    try:
        document = camera_path(name, data_dir).read_bytes()
    except FileNotFoundError:
        raise CameraError(
            "no camera %(quoted)s%(have)s: calibrate it with `tallystone camera "
            "PHOTO... --name %(name)s`",
            quoted=repr(name),
            have=_those_there(data_dir),
            name=name,
        ) from None
    try:
        table = json.loads(document)
        if table["format"] > FORMAT:
            raise CameraError(
                "camera %(name)s was calibrated by a newer tallystone; calibrate it again",
                name=repr(name),
            )
        lens = Lens(float(table["focal"]), float(table["k1"]), float(table["k2"]))
        shape, error = float(table["shape"]), float(table["error"])
        if not (0.1 < lens.focal < 20 and 0.1 < shape <= 1 and lens.is_one_to_one(0.5)):
            raise ValueError(f"no lens of a camera: {lens!r}")
        return Camera(name, lens, shape, error, int(table["photos"]), str(table["made"]))
    except CameraError:
        raise
    except (ValueError, KeyError, TypeError):
        raise CameraError(
            "the file of camera %(name)s is damaged; calibrate it again", name=repr(name)
        ) from None


def list_cameras(data_dir: Path) -> list[str]:
    """Names of the cameras of the data folder."""
    return sorted(path.stem for path in (data_dir / FOLDER).glob("*.json"))


def delete_camera(name: str, data_dir: Path) -> None:
    """Forget a camera, a damaged one, too. Raises CameraError naming those there are."""
    try:
        camera_path(name, data_dir).unlink()
    except FileNotFoundError:
        raise CameraError(
            "no camera %(quoted)s%(have)s", quoted=repr(name), have=_those_there(data_dir)
        ) from None


def _those_there(data_dir: Path) -> str:
    """Which cameras there are, as part of a sentence about one that is missing."""
    known = ", ".join(list_cameras(data_dir))
    return Text("; there is %(known)s", known=known) if known else ""

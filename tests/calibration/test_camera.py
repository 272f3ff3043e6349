"""A bent lens and a coloured light, made good by the printed sheet."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.camera import (
    Camera,
    CameraError,
    calibrated,
    delete_camera,
    list_cameras,
    load_camera,
    save_camera,
)
from calibration.camera_sheet import (
    COLUMNS,
    ROWS,
    SQUARE_MM,
    STRIP_MM,
    board_rectangles,
    picture,
    strip_rectangles,
)
from calibration.greys import strip_gains, to_light, to_value
from calibration.reader import Reader, open_reader
from vision.corners import Corners
from vision.geometry import Floats, Images
from vision.lens import Lens
from vision.photo import Photo, decode_photo

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
LENS = Lens(0.75, -0.28, 0.06)
PINHOLE = 0.75
SIZE_HW = (900, 1200)
BOARD_MM = (COLUMNS * SQUARE_MM, ROWS * SQUARE_MM)
MARGIN_MM = 12.0


def jpeg(image: Images) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])


def bent(image: Images, lens: Lens) -> Images:
    """The picture of a pinhole as the lens would show it, cut so that nothing beyond its rim is needed."""
    height, width = image.shape[:2]
    side, middle = max(height, width), np.array([width, height]) / 2 - 0.5
    ys, xs = np.mgrid[0:height, 0:width]
    points = lens.unbent((np.stack([xs, ys], -1) - middle) / side)
    points *= lens.zoom((height, width))
    source = (points * side + middle).astype(np.float32)
    return np.asarray(cv2.remap(image, source[..., 0], source[..., 1], cv2.INTER_AREA), np.uint8)


def sheet_photo(turn: tuple[float, float, float], at_mm: tuple[float, float, float]) -> bytes:
    """A photo of the board, its middle at ``at_mm`` before the camera, turned by the rotation vector ``turn``."""
    paper = picture(board_rectangles(), BOARD_MM, 5)
    rim = round(5 * MARGIN_MM)
    paper = cv2.copyMakeBorder(paper, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=255)
    height, width = paper.shape
    focal = PINHOLE * max(SIZE_HW)
    camera = np.array([[focal, 0, SIZE_HW[1] / 2], [0, focal, SIZE_HW[0] / 2], [0, 0, 1]])
    rotation = np.asarray(cv2.Rodrigues(np.array(turn))[0])
    plane = np.column_stack([rotation[:, :2], at_mm]) @ np.array(
        [[0.2, 0, -width / 10], [0, 0.2, -height / 10], [0, 0, 1]]  # pixels of the paper to millimetres
    )
    table = cv2.warpPerspective(
        cv2.cvtColor(paper, cv2.COLOR_GRAY2BGR), camera @ plane, SIZE_HW[::-1], borderValue=(90, 120, 140)
    )
    return jpeg(bent(np.asarray(table, np.uint8), LENS))


SHEETS = [
    ("a.jpg", sheet_photo((0.3, 0.1, 0.2), (-40, 0, 300))),
    ("b.jpg", sheet_photo((-0.4, 0.3, 1.5), (30, 10, 310))),
    ("c.jpg", sheet_photo((0.1, -0.5, -0.3), (70, -20, 300))),
    ("d.jpg", sheet_photo((0.5, 0.4, 3.0), (-60, 20, 320))),
]


@pytest.fixture(scope="module")
def camera() -> Camera:
    found, left_out = calibrated("wide", SHEETS)
    assert left_out == ()
    return found


def test_the_sheet_tells_the_lens(camera: Camera) -> None:
    assert camera.error < 1.0
    edge = np.array([[0.5, 0.0], [0.3, 0.3], [0.5, 0.375]])
    true = LENS.unbent(edge)  # a camera seen through its zoom has another focal length, but bends alike
    zoomed = true * LENS.zoom(SIZE_HW)
    found = camera.lens.unbent(edge)
    scale = float((found * zoomed).sum() / (found * found).sum())
    assert np.abs(found * scale - zoomed).max() < 0.01
    assert np.abs(edge - zoomed).max() > 0.03  # which is far from doing nothing


def test_photos_of_either_orientation_are_one_camera(camera: Camera) -> None:
    turned = jpeg(np.ascontiguousarray(np.rot90(cv2.imdecode(np.frombuffer(SHEETS[0][1], np.uint8), 1))))
    found, left_out = calibrated("wide", [("a.jpg", turned), *SHEETS[1:]])
    assert (found.photos, left_out) == (4, ())
    assert abs(found.lens.k1 - camera.lens.k1) < 0.03


def test_too_few_photos_of_the_sheet_are_refused() -> None:
    grey = jpeg(np.full((*SIZE_HW, 3), 120, np.uint8))
    with pytest.raises(CameraError, match="2 of 3 photos show the camera sheet"):
        calibrated("wide", [*SHEETS[:2], ("table.jpg", grey)])
    with pytest.raises(CameraError, match="name"):
        calibrated("../wide", SHEETS)


def test_a_camera_is_kept_and_forgotten(camera: Camera, tmp_path: Path) -> None:
    path = save_camera(camera, tmp_path)
    kept = load_camera("wide", tmp_path)
    assert (kept.photos, kept.made, list_cameras(tmp_path)) == (camera.photos, camera.made, ["wide"])
    assert abs(kept.lens.k1 - camera.lens.k1) < 1e-5
    with pytest.raises(CameraError, match="there is wide"):
        load_camera("narrow", tmp_path)
    path.write_text('{"format": 1, "focal": 0}', encoding="utf-8")
    with pytest.raises(CameraError, match="damaged"):
        load_camera("wide", tmp_path)
    delete_camera("wide", tmp_path)
    assert list_cameras(tmp_path) == []


@pytest.fixture(scope="module")
def bent_photo() -> tuple[bytes, Floats]:
    """A photo of nine stones through the bent lens, and the true corners of its grid there."""
    truth = TRUTH["photos"][1]
    photo = decode_photo((PHOTOS / truth["photo"]).read_bytes(), 1000)
    height, width = photo.image_bgr.shape[:2]
    straight = photo.from_full(np.array(truth["outline"]))
    side, middle = max(height, width), np.array([width, height]) / 2 - 0.5
    points = (straight - middle) / side / LENS.zoom((height, width))
    return jpeg(bent(photo.image_bgr, LENS)), np.asarray(LENS.bent(points) * side + middle, np.float32)


def test_a_bent_photo_is_read_with_the_camera(
    camera: Camera, bent_photo: tuple[bytes, Floats], tmp_path: Path
) -> None:
    data, outline = bent_photo
    save_camera(camera, tmp_path)
    reader = open_reader("stones", None, tmp_path, "wide")
    reading = reader.read(data)
    assert reading.text == Reader(reader.spec, reader.profile).read(data).text
    error = np.linalg.norm(reading.outline_xy - outline, axis=1).mean()
    assert error < 0.08 * np.linalg.norm(outline[0] - outline[1]) / 3
    corners = Corners(tuple((float(x), float(y)) for x, y in outline))
    by_hand = reader.read(data, corners)
    assert by_hand.text == reading.text
    assert np.abs(by_hand.outline_xy - outline).max() < 12


def test_a_photo_that_was_cut_is_read_as_it_is(camera: Camera, tmp_path: Path) -> None:
    save_camera(camera, tmp_path)
    truth = TRUTH["photos"][1]
    image = decode_photo((PHOTOS / truth["photo"]).read_bytes(), 1000).image_bgr
    cut = jpeg(np.ascontiguousarray(image[:, 60:-60]))
    reader = open_reader("stones", None, tmp_path, "wide")
    reading = reader.read(cut)
    assert "another shape" in reading.problems[-1]
    assert np.allclose(reading.outline_xy, Reader(reader.spec, reader.profile).read(cut).outline_xy)


def with_strip(image: Images) -> Images:
    """The photo with the strip of greys lying along its lower edge."""
    strip = cv2.cvtColor(picture(strip_rectangles(), STRIP_MM, 3), cv2.COLOR_GRAY2BGR)
    strip = cv2.copyMakeBorder(strip, 9, 9, 9, 9, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    dimmed = (strip * 0.85).astype(np.uint8)
    done = image.copy()
    done[-dimmed.shape[0] - 8 : -8, 20 : 20 + dimmed.shape[1]] = dimmed
    return done


@pytest.mark.parametrize("cast_bgr", [(0.35, 0.7, 1.0), (1.0, 0.6, 0.4), (0.5, 1.0, 0.5)])
def test_the_strip_makes_the_light_neutral(cast_bgr: tuple[float, ...]) -> None:
    image = decode_photo((PHOTOS / TRUTH["photos"][1]["photo"]).read_bytes(), 800).image_bgr
    plain = with_strip(image)
    cast = np.round(to_value(to_light(plain / 255.0) * np.array(cast_bgr)) * 255).astype(np.uint8)
    size = (image.shape[0], image.shape[1])
    gains = strip_gains(Photo(cast, size, 1.0, "jpeg"))
    assert gains is not None
    back = gains.applied(Photo(cast, size, 1.0, "jpeg")).image_bgr
    means = [to_light(picture_ / 255.0).mean((0, 1)) for picture_ in (plain, cast, back)]
    tints = [mean / mean.mean() for mean in means]
    assert np.abs(tints[2] - tints[0]).max() < 0.06 < 0.2 < np.abs(tints[1] - tints[0]).max()


def test_without_the_strip_colours_stay() -> None:
    photo = decode_photo((PHOTOS / TRUTH["photos"][0]["photo"]).read_bytes(), 1000)
    assert strip_gains(photo) is None

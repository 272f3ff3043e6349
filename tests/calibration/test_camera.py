"""A bent lens, made good by the printed sheet; coloured light, told by the stones."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from bent import POSES, bent, in_light, sheet_picture

from calibration.camera import (
    Camera,
    CameraError,
    calibrated,
    delete_camera,
    list_cameras,
    load_camera,
    save_camera,
)
from calibration.profiles import default_profile
from calibration.reader import Reader, open_reader
from vision.boards import STONES
from vision.errors import BoardNotFound
from vision.find.corners import Corners
from vision.geometry import Floats, Images
from vision.lens import Lens
from vision.photo import Photo, decode_photo
from vision.read import read_board

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
LENS = Lens(0.75, -0.28, 0.06)
SIZE_HW = (900, 1200)


def jpeg(image: Images) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])


@cache
def sheets() -> list[tuple[str, bytes]]:
    """Names and photos of the printed sheet."""
    return [
        (f"{number}.jpg", jpeg(bent(sheet_picture(turn, at_mm, 0.75, SIZE_HW), LENS)))
        for number, (turn, at_mm) in enumerate(POSES)
    ]


@pytest.fixture(scope="module")
def camera() -> Camera:
    found, left_out = calibrated("wide", sheets())
    assert left_out == ()
    return found


def test_the_sheet_tells_the_lens(camera: Camera) -> None:
    assert camera.error < 1.0
    edge = np.array([[0.5, 0.0], [0.3, 0.3], [0.5, 0.375]])
    true = LENS.unbent(
        edge
    )  # a camera seen through its zoom has another focal length, but bends alike
    zoomed = true * LENS.zoom(SIZE_HW)
    found = camera.lens.unbent(edge)
    scale = float((found * zoomed).sum() / (found * found).sum())
    assert np.abs(found * scale - zoomed).max() < 0.01
    assert np.abs(edge - zoomed).max() > 0.03  # which is far from doing nothing


def test_photos_of_either_orientation_are_one_camera(camera: Camera) -> None:
    turned = jpeg(
        np.ascontiguousarray(np.rot90(cv2.imdecode(np.frombuffer(sheets()[0][1], np.uint8), 1)))
    )
    found, left_out = calibrated("wide", [("turned.jpg", turned), *sheets()[1:]])
    assert (found.photos, left_out) == (4, ())
    assert abs(found.lens.k1 - camera.lens.k1) < 0.03


def test_too_few_photos_of_the_sheet_are_refused() -> None:
    grey = jpeg(np.full((*SIZE_HW, 3), 120, np.uint8))
    with pytest.raises(CameraError, match="2 of 3 photos show the camera sheet"):
        calibrated("wide", [*sheets()[:2], ("table.jpg", grey)])
    with pytest.raises(CameraError, match="name"):
        calibrated("../wide", sheets())


def other_shape(data: bytes) -> bytes:
    """The same photo, cut to 9:16; the sheet is still in it."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), 1)
    cut = (image.shape[0] - image.shape[1] * 9 // 16) // 2
    return jpeg(np.ascontiguousarray(image[cut:-cut]))


def test_photos_of_another_shape_than_most_are_named() -> None:
    found, left_out = calibrated("wide", [("cut.jpg", other_shape(sheets()[0][1])), *sheets()[1:]])
    assert (found.photos, round(found.shape, 2)) == (3, 0.75)
    assert [str(one).partition(":")[0] for one in left_out] == ["cut.jpg"]
    cut = [(f"cut{name}", other_shape(data)) for name, data in sheets()[:2]]
    with pytest.raises(CameraError, match="2 of 4 photos") as refused:
        calibrated("wide", [*cut, *sheets()[2:]])
    assert len([one for one in refused.value.left_out if "another shape" in str(one)]) == 2


def test_the_same_photo_counts_once() -> None:
    with pytest.raises(CameraError, match="1 of 3 photos") as refused:
        calibrated("wide", [sheets()[0]] * 3)
    assert [str(one) for one in refused.value.left_out] == [
        "0.jpg: is the same photo as an earlier one."
    ] * 2


@pytest.mark.parametrize(("limit", "value"), [("LEAST_REACH", 9.0), ("MOST_ERROR", 0.0)])
def test_every_refusal_knows_the_photos_that_were_left_out(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    monkeypatch.setattr(f"calibration.camera.{limit}", value)
    with pytest.raises(CameraError) as refused:
        calibrated("wide", [*sheets(), sheets()[0]])
    assert [str(one) for one in refused.value.left_out] == [
        "0.jpg: is the same photo as an earlier one."
    ]


def test_a_camera_is_kept_and_forgotten(camera: Camera, tmp_path: Path) -> None:
    path = save_camera(camera, tmp_path)
    kept = load_camera("wide", tmp_path)
    assert (kept.photos, kept.made, list_cameras(tmp_path)) == (
        camera.photos,
        camera.made,
        ["wide"],
    )
    assert abs(kept.lens.k1 - camera.lens.k1) < 1e-5
    with pytest.raises(CameraError, match="there is wide"):
        load_camera("narrow", tmp_path)
    with pytest.raises(CameraError, match=r"^no camera 'narrow'; there is wide$"):
        delete_camera("narrow", tmp_path)
    path.write_text('{"format": 1, "focal": 0}', encoding="utf-8")
    with pytest.raises(CameraError, match="damaged"):
        load_camera("wide", tmp_path)
    delete_camera("wide", tmp_path)
    assert list_cameras(tmp_path) == []


@pytest.fixture(scope="module")
def bent_photo() -> tuple[bytes, Floats, Floats]:
    """A photo of nine stones through the bent lens, with its true corners and stone centres."""
    truth = TRUTH["photos"][1]
    photo = decode_photo((PHOTOS / truth["photo"]).read_bytes(), 1000)
    height, width = photo.image_bgr.shape[:2]
    middles = [
        np.mean(truth["quads"][f"{row},{col}"], axis=0) for row in range(3) for col in range(3)
    ]
    straight = photo.from_full(np.array([*truth["outline"], *middles]))
    side, middle = max(height, width), np.array([width, height]) / 2 - 0.5
    points = (straight - middle) / side / LENS.zoom((height, width))
    moved = np.asarray(LENS.bent(points) * side + middle, np.float32)
    return jpeg(bent(photo.image_bgr, LENS)), moved[:4], moved[4:]


def test_pieces_of_a_straightened_photo_are_named_in_the_photo_as_taken(
    camera: Camera, bent_photo: tuple[bytes, Floats, Floats]
) -> None:
    data, outline, middles = bent_photo
    photo = decode_photo(data, 1000)
    found = read_board(camera.lens.straightened(photo), STONES, default_profile("stones"))
    reading = camera.lens.on_photo(found, photo.full_hw)
    as_taken, straight = (np.stack([c.quad_xy.mean(0) for c in r.cells]) for r in (reading, found))
    assert np.linalg.norm(as_taken - middles, axis=1).mean() < 0.05 * cell_of(outline)
    assert np.linalg.norm(straight - middles, axis=1).mean() > 0.1 * cell_of(outline)


def cell_of(outline: Floats) -> float:
    return float(np.linalg.norm(outline[0] - outline[1])) / 3


def test_a_photo_is_straightened_where_it_leaves_a_doubt(
    camera: Camera,
    bent_photo: tuple[bytes, Floats, Floats],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data, outline, _ = bent_photo
    save_camera(camera, tmp_path)
    reader = open_reader(STONES, None, tmp_path, "wide")
    looks: list[Photo] = []

    def blind_at_first(photo: Photo, *args: Any) -> Any:
        looks.append(photo)
        if len(looks) == 1:
            raise BoardNotFound("no_board", "Nothing was found.")
        return read_board(photo, *args)

    monkeypatch.setattr("calibration.reader.read_board", blind_at_first)
    corners = Corners(tuple((float(x), float(y)) for x, y in outline))
    reading = reader.read(data, corners)
    assert len(looks) == 2
    assert looks[1].image_bgr.shape > looks[0].image_bgr.shape  # straightened, it is larger
    assert np.linalg.norm(reading.outline_xy - outline, axis=1).mean() < 0.1 * cell_of(outline)


DEEP_GREEN = (0.02, 1.0, 0.02)
"""What is left of blue, green and red light."""


def test_a_photo_that_was_cut_is_read_as_it_is(camera: Camera, tmp_path: Path) -> None:
    save_camera(camera, tmp_path)
    truth = TRUTH["photos"][1]
    photo = decode_photo((PHOTOS / truth["photo"]).read_bytes(), 1000)
    outline = photo.from_full(np.array(truth["outline"], np.float32))
    middle = outline.mean(0)
    # a scrap of paper hides the middle stone, so it is asked about
    paper = (middle + 0.3 * (outline - middle)).round().astype(np.int32)
    doubtful = cv2.fillConvexPoly(photo.image_bgr.copy(), paper, (230, 230, 230))
    cut = jpeg(np.ascontiguousarray(doubtful[:, 60:-60]))
    reader = open_reader(STONES, None, tmp_path, "wide")
    reading = reader.read(cut)
    assert "another shape" in reading.problems[-1]
    assert np.allclose(reading.outline_xy, Reader(reader.spec, reader.profile).read(cut).outline_xy)


def test_deep_green_light_is_told_by_the_stones_themselves() -> None:
    """Very coloured light misleads nobody who sees all nine stones."""
    truth = next(entry for entry in TRUTH["photos"] if entry["photo"] == "hard_3.jpg")
    image = decode_photo((PHOTOS / truth["photo"]).read_bytes(), 1000).image_bgr
    reader = open_reader(STONES, None, Path("nowhere"))
    assert reader.read(jpeg(in_light(image, DEEP_GREEN))).text == truth["text"]

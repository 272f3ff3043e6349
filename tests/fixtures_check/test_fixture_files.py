"""The pictures with known answers are present, well-formed, legal and reproducible."""

from __future__ import annotations

import importlib
import json
import pathlib
import subprocess
import sys

import cv2
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
DEMO = ROOT / "calibration" / "demo"
NAMES = ("sun", "moon", "fish", "bird", "horse", "boat", "seed", "tree")
BOX = ({"sun", "moon"}, {"fish", "bird"}, {"horse", "boat"}, {"seed", "tree"})
COUNTS = [1, 2, 3, 3]
SETS = sorted(p.parent.name for p in FIXTURES.glob("*/truth.json"))


def rows(text: str) -> list[list[str]]:
    return [row.split() for row in text.split(" / ")]


def counts(text: str) -> list[int]:
    labels = [label for row in rows(text) for label in row]
    return [sum(label in faces for label in labels) for faces in BOX]


def upright(path: pathlib.Path) -> np.ndarray:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)  # OpenCV turns by EXIF
    assert image is not None, path
    return image


def truth(name: str) -> dict:
    return json.loads((FIXTURES / name / "truth.json").read_text())


def test_there_are_photos() -> None:
    assert "photos" in SETS
    assert {p["tier"] for p in truth("photos")["photos"]} == {"easy", "medium", "hard"}


@pytest.mark.parametrize("name", SETS)
def test_truth_names_files_that_exist_and_no_other_photo_lies_there(name: str) -> None:
    known = truth(name)
    assert known["board"] == "stones"
    listed = [p["photo"] for p in known["photos"]] + [photo for photo, _ in known["teach"]]
    assert sorted(listed) == sorted(p.name for p in (FIXTURES / name).glob("*.jpg"))


@pytest.mark.parametrize("name", SETS)
def test_every_grid_is_one_the_box_can_show(name: str) -> None:
    known = truth(name)
    for text in [p["text"] for p in known["photos"]] + [layout for _, layout in known["teach"]]:
        assert [len(row) for row in rows(text)] == [3, 3, 3], text
        assert counts(text) == COUNTS, text


@pytest.mark.parametrize("name", SETS)
def test_the_lessons_show_every_face(name: str) -> None:
    seen = {label for _, layout in truth(name)["teach"] for row in rows(layout) for label in row}
    assert seen == set(NAMES)


@pytest.mark.parametrize("name", SETS)
def test_quads_are_convex_clockwise_and_inside_the_upright_photo(name: str) -> None:
    for photo in truth(name)["photos"]:
        height, width = upright(FIXTURES / name / photo["photo"]).shape[:2]
        assert sorted(photo["quads"]) == [f"{r},{c}" for r in range(3) for c in range(3)]
        for quad in [*photo["quads"].values(), photo["outline"]]:
            xy = np.array(quad, np.float32)
            assert xy.shape == (4, 2)
            assert cv2.isContourConvex(xy)
            assert cv2.contourArea(xy, oriented=True) > 0, "y points down: clockwise is positive"
            assert (xy >= 0).all()
            assert (xy <= (width - 1, height - 1)).all()


@pytest.mark.parametrize("name", SETS)
def test_the_answer_lies_where_the_truth_says(name: str) -> None:
    """Rectified by its quad, each easy stone correlates best with its own flat face, upright."""
    edition = "stones" if name == "photos" else name.removeprefix("photos-")
    faces = {}
    for label in NAMES:
        face = cv2.imread(str(FIXTURES / "art" / edition / f"{label}.png"), cv2.IMREAD_COLOR)
        faces[label] = cv2.GaussianBlur(
            cv2.resize(face, (64, 64), interpolation=cv2.INTER_AREA), (0, 0), 1
        )
    edge = np.array([[0, 0], [63, 0], [63, 63], [0, 63]], np.float32)

    def likeness(crop: np.ndarray, face: np.ndarray) -> float:
        a, b = (x[8:-8, 8:-8].astype(np.float32).mean(axis=2).ravel() for x in (crop, face))
        return float(np.corrcoef(a, b)[0, 1])

    for photo in truth(name)["photos"]:
        if photo["tier"] != "easy":
            continue
        image = upright(FIXTURES / name / photo["photo"])
        for key, quad in photo["quads"].items():
            row, column = map(int, key.split(","))
            warp = cv2.getPerspectiveTransform(np.array(quad, np.float32), edge)
            crop = cv2.warpPerspective(image, warp, (64, 64), flags=cv2.INTER_AREA)
            label = rows(photo["text"])[row][column]
            turned = {
                (face, quarter): likeness(np.rot90(crop, quarter), picture)
                for face, picture in faces.items()
                for quarter in range(4)
            }
            assert max(turned, key=turned.__getitem__) == (label, 0), (photo["photo"], key)


def test_the_demo_is_small_and_complete() -> None:
    listed = json.loads((DEMO / "demo.json").read_text())["photos"]
    assert [set(p) for p in listed] == [{"photo", "board", "text"}] * 3
    assert sorted(p["photo"] for p in listed) == sorted(p.name for p in DEMO.glob("*.jpg"))
    for photo in listed:
        assert photo["board"] == "stones"
        assert counts(photo["text"]) == COUNTS
        assert (DEMO / photo["photo"]).stat().st_size <= 250_000


def test_the_pictures_stay_small() -> None:
    photos = list(FIXTURES.rglob("*.jpg"))
    assert max(p.stat().st_size for p in photos) < 500_000
    assert sum(p.stat().st_size for p in photos) < 8_000_000


def test_faces_are_square_and_cut_out() -> None:
    for edition in (FIXTURES / "art").glob("*/"):
        if edition.name.startswith("_"):
            continue
        assert sorted(p.stem for p in edition.glob("*.png")) == sorted(NAMES)
        assert sorted(p.stem for p in edition.glob("*.svg")) == sorted(NAMES)
        for path in edition.glob("*.png"):
            face = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            side = face.shape[0]
            assert face.shape == (side, side, 4)
            assert side >= 256
            assert face[side // 2, side // 2, 3] == 255


def test_the_printable_sheet_is_reproducible(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs give the same bytes, and as many pages as the sheet in the package has."""
    monkeypatch.syspath_prepend(str(FIXTURES))
    sheet = importlib.import_module("sheet")
    made = sheet.build()
    assert made == sheet.build()
    for pdf in ((DEMO / "stones-sheet.pdf").read_bytes(), made):
        assert pdf.startswith(b"%PDF-")
        assert b"/Count 2" in pdf
        assert b"/MediaBox [0 0 595.28 841.89]" in pdf, "A4"


def test_the_camera_sheet_in_the_package_is_the_one_that_is_made(tmp_path: pathlib.Path) -> None:
    made = tmp_path / "camera.pdf"
    subprocess.run([sys.executable, str(FIXTURES / "camera.py"), "--to", str(made)], check=True)
    shipped = (DEMO / "camera-sheet.pdf").read_bytes()
    for sheet in (shipped, made.read_bytes()):
        assert sheet.startswith(b"%PDF-")
        assert b"/Count 1" in sheet
        assert b"/MediaBox [0 0 595.28 841.89]" in sheet, "A4"

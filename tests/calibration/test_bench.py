"""The photos that reading is timed on."""

from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from calibration import bench
from calibration.reader import Reader
from vision.boards import TIME
from vision.errors import BoardNotFound
from vision.find.corners import Corners


def test_an_enlarged_photo_has_the_grain_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "LARGE_PIXELS", 240 * 320)
    smooth = np.full((60, 80, 3), 120, np.uint8)
    photo = bytes(cv2.imencode(".jpg", smooth)[1])
    seen = {
        grain: np.asarray(
            cv2.imdecode(np.frombuffer(bench.enlarged(photo, grain), np.uint8), cv2.IMREAD_COLOR)
        )
        for grain in bench.GRAINS
    }
    for grain, picture in seen.items():
        assert picture.shape == (240, 320, 3)
        assert picture.std() == pytest.approx(grain, abs=0.8)


class Timed:
    """A reader that finds all it is shown, and keeps it."""

    spec = TIME

    def __init__(self) -> None:
        self.seen: list[tuple[tuple[int, ...], Corners | None]] = []

    def read(self, jpeg: bytes, corners: Corners | None = None) -> object:
        photo = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        self.seen.append((np.asarray(photo).shape, corners))
        return SimpleNamespace(ms={"decode": 1.0, "locate": 2.0, "read": 3.0})


def rows_of(photo: bytes, corners: Corners | None, reader: Timed) -> list[dict[str, Any]]:
    return list(bench.run([bench.Task("mine.jpg", photo, cast(Reader, reader), corners)]))


@pytest.fixture
def photo(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A photo of 80 x 60, to be enlarged fourfold."""
    monkeypatch.setattr(bench, "LARGE_PIXELS", 240 * 320)
    monkeypatch.setattr(bench, "ROUNDS", 2)
    return bytes(cv2.imencode(".jpg", np.full((60, 80, 3), 120, np.uint8))[1])


def test_corners_lie_at_the_same_place_of_the_enlarged_photo(photo: bytes) -> None:
    reader = Timed()
    rows = rows_of(photo, Corners.parse("10,10 70,10 70,50 10,50"), reader)
    shown = {(shape, corners.points[2]) for shape, corners in reader.seen if corners is not None}
    assert shown == {((240, 320, 3), (281.5, 201.5))}
    assert [row["grain"] for row in rows] == [*bench.GRAINS]
    assert rows[0]["photo"] == "mine.jpg"
    assert (rows[0]["decode"], rows[0]["locate"], rows[0]["read"]) == (1.0, 2.0, 3.0)
    assert "auto_more_ms" not in rows[0]


def test_a_photo_that_the_board_fills_is_filled_when_enlarged(photo: bytes) -> None:
    reader = Timed()
    rows_of(photo, Corners(None), reader)
    assert {corners for _, corners in reader.seen} == {Corners(None)}


def test_a_refused_photo_is_named_and_the_others_are_timed(photo: bytes) -> None:
    class Blind(Timed):
        def read(self, jpeg: bytes, corners: Corners | None = None) -> object:
            raise BoardNotFound("no_board", "No board is in sight, take it from above.")

    tasks = [
        bench.Task(name, data, cast(Reader, reader), Corners(None))
        for name, data, reader in (
            ("table.jpg", photo, Blind()),
            ("notes.txt", b"no photo", Timed()),
            ("mine.jpg", photo, Timed()),
        )
    ]
    rows = list(bench.run(tasks))
    assert [row["photo"] for row in rows] == ["table.jpg", "notes.txt", "mine.jpg", "mine.jpg"]
    assert rows[0]["message"] == "No board is in sight, take it from above."
    assert (rows[0]["found"], rows[0]["reason"]) == (False, "no_board")
    assert "photo" in rows[1]["message"]
    assert all("ratio" in row for row in rows[2:])


def test_without_corners_the_game_is_also_found_out(
    photo: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    class Known:
        def __init__(self, readers: tuple[Reader, ...]) -> None:
            asked.append([reader.spec.name for reader in readers])

        def read(self, jpeg: bytes) -> None:
            pass

    monkeypatch.setattr(bench, "AnyGame", Known)
    rows = rows_of(photo, None, Timed())
    assert all("auto_more_ms" in row for row in rows)
    assert asked[0] == ["time", "seasons"]

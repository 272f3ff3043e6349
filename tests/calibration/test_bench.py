"""The photos that reading is timed on."""

import cv2
import numpy as np
import pytest

from calibration import bench


def test_an_enlarged_photo_has_the_grain_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "LARGE_HW", (240, 320))
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

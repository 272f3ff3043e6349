"""Nothing is found, a finger shows the board, and the real reader reads it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from browser.playing import serving

from calibration.lessons import Lesson
from calibration.teach import teach
from webapp import create_app

pytestmark = pytest.mark.browser

PHOTOS = Path(__file__).parents[3] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
GAME = next(entry for entry in TRUTH["photos"] if entry["photo"] == "easy_1.jpg")
DARK = 0.018
"""Of the light that is left: too little to find anything, enough for the crops."""
SLIP_PX = ((6, 2), (-4, 5), (5, -4), (-5, -3))
"""How far the finger is off, in pixels of the screen, where a cell has about 55."""


@pytest.fixture
def real_url(tmp_path: Path) -> Iterator[str]:
    lessons = [
        Lesson((PHOTOS / name).read_bytes(), layout, name) for name, layout in TRUTH["teach"]
    ]
    teach("mine", "stones", lessons, tmp_path)
    app = create_app({"TESTING": True, "DATA_DIR": tmp_path})
    with serving(app) as url:
        yield url
    app.extensions["tallystone_store"].close()


def test_four_handles_end_in_a_reading(chromium: Any, real_url: str, tmp_path: Path) -> None:
    image = cv2.imread(str(PHOTOS / GAME["photo"]))
    dark = tmp_path / "dark.png"
    cv2.imwrite(str(dark), np.asarray(image * DARK, np.uint8))
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{real_url}/look")
    page.wait_for_selector("body[data-ready]")
    page.set_input_files("#choose", dark)
    page.wait_for_selector("#refused:not([hidden])")
    page.locator("[data-aim]").click()
    view = page.locator(".aim-view")
    view.scroll_into_view_if_needed()
    for number, ((x, y), slip) in enumerate(zip(GAME["outline"], SLIP_PX, strict=True)):
        box = view.bounding_box()
        dot = page.locator(".aim-view .aim-dot").nth(number).bounding_box()
        page.mouse.move(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
        page.mouse.down()
        page.mouse.move(
            box["x"] + x / image.shape[1] * box["width"] + slip[0],
            box["y"] + y / image.shape[0] * box["height"] + slip[1],
            steps=3,
        )
        page.mouse.up()
    assert (
        page.locator(".aim-view .aim-grid").get_attribute("d").count("M") == 4
    )  # the lines between the cells
    page.locator("[data-read-here]").click()
    page.wait_for_selector("#result:not([hidden])")
    read = page.locator(".overlay .label-word").all_text_contents()
    true = GAME["text"].replace("/ ", "").split()
    assert (
        sum(one == other for one, other in zip(read, true, strict=True)) >= 7
    )  # all of them, but it is dark
    context.close()

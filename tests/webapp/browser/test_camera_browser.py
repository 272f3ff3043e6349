"""The live camera in a real browser, with a film of a photo in front of it."""

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import pytest
from browser.playing import (
    CHROMIUM_ARGS,
    LAPTOP,
    PHONE,
    Devices,
    browser_path,
    devices_at,
    fits,
    small_targets,
)
from fakes import FakeReader
from flask import Flask

from vision.errors import BoardNotFound
from webapp.store import Photo

pytestmark = pytest.mark.browser

FRAMES = 8
PLAYERS = (("Ann", "red"), ("Bob", "green"))

REMEMBER_STREAM = """() => {
    const asked = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => (window.stream = await asked(wanted));
}"""

TAKE_AWAY = """() => {
    for (const track of window.stream.getTracks()) {
        track.stop();
        track.dispatchEvent(new Event('ended'));
    }
}"""

FORBID = """() => {
    navigator.mediaDevices.getUserMedia = async () => {
        throw new DOMException('no', 'NotAllowedError');
    };
}"""


@pytest.fixture(scope="module")
def cinema(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser with a camera, which films a table with nine squares."""
    film = tmp_path_factory.mktemp("film") / "table.mjpeg"
    frame = np.full((480, 640, 3), 180, np.uint8)
    for at in range(9):
        left, top = 130 + 130 * (at % 3), 60 + 130 * (at // 3)
        cv2.rectangle(frame, (left, top), (left + 115, top + 115), (90, 40 + 20 * at, 110), -1)
    film.write_bytes(FRAMES * bytes(cv2.imencode(".jpg", frame)[1].tobytes()))
    browser = chromium.browser_type.launch(
        executable_path=browser_path(),
        args=[
            *CHROMIUM_ARGS,
            "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-video-capture={film}",
        ],
    )
    yield browser
    browser.close()


@pytest.fixture
def devices(cinema: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(cinema, base_url) as found:
        yield found


def kept_photos(app: Flask) -> int:
    with app.extensions["tallystone_store"].reading() as session:
        return int(session.query(Photo).count())


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_the_camera_shows_what_it_sees_and_gives_the_photo(
    app: Flask, reader: FakeReader, devices: Devices, size: dict[str, int]
) -> None:
    page, _ = devices.host("stones", *PLAYERS, size=size)
    page.evaluate(REMEMBER_STREAM)
    page.locator("#photo").click()
    page.locator("[data-live]").click()
    page.locator(".live.agreed").wait_for()
    assert page.locator(".live-overlay .cell").count() == 9
    assert page.locator(".live-overlay .cell.doubtful").count() == 1
    page.locator(".live-says").filter(has_text="1 to check").wait_for()
    assert fits(page)
    assert small_targets(page) == []
    assert reader.reads >= 3
    assert kept_photos(app) == 0  # looking keeps nothing

    page.locator("[data-take-frame]").click()
    page.wait_for_selector(".review[data-view=result]")
    assert page.evaluate("() => window.stream.getTracks().map((track) => track.readyState)") == [
        "ended"
    ]
    assert kept_photos(app) == 1
    page.locator(".check-list [data-guess=tree]").click()
    page.locator("[data-use]").click()
    page.locator('[data-key="cell-0-0"][aria-label*="sun"]').wait_for()


def test_without_a_board_it_says_what_is_wrong_and_ends_with_the_dialog(
    reader: FakeReader, devices: Devices, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(data: bytes, corners: object = None) -> None:
        raise BoardNotFound("too_dark", "The photo is too dark: switch a lamp on and try again.")

    monkeypatch.setattr(reader, "read", refuse)
    page, _ = devices.host("stones", *PLAYERS)
    page.evaluate(REMEMBER_STREAM)
    page.locator("#photo").click()
    page.locator("[data-live]").click()
    page.locator(".live-says").filter(has_text="switch a lamp on").wait_for()
    assert page.locator(".live-overlay .cell").count() == 0
    page.locator("[data-leave-camera]").click()
    page.wait_for_selector(".review[data-view=take]")
    page.wait_for_function(
        "() => window.stream.getTracks().every((track) => track.readyState === 'ended')"
    )
    page.locator("[data-live]").click()
    page.locator(".live-says").filter(has_text="switch a lamp on").wait_for()
    page.evaluate(TAKE_AWAY)
    page.locator(".live-says").filter(has_text="The camera has stopped").wait_for()
    page.locator("[data-take-frame]").click()
    page.locator(".refused").filter(has_text="The camera has stopped").wait_for()


def test_a_camera_that_is_not_allowed_leaves_the_photo(devices: Devices) -> None:
    page, _ = devices.host("stones", *PLAYERS)
    page.evaluate(FORBID)
    page.locator("#photo").click()
    page.locator("[data-live]").click()
    page.locator(".refused").filter(has_text="allow it for this page").wait_for()
    page.locator("[data-retake]").click()
    page.wait_for_selector("[data-pick=take]", state="attached")


def test_without_a_camera_none_is_offered(chromium: Any, base_url: str) -> None:
    with devices_at(chromium, base_url) as devices:
        page, _ = devices.host("stones", *PLAYERS)
        page.locator("#photo").click()
        page.wait_for_selector("[data-pick=take]", state="attached")
        assert page.locator("[data-live]").count() == 0


MOVED = """async ([dx, dy]) => {
    const { greyOf, movement } = await import('/static/review/steady.js');
    const picture = (x, y) => {
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width: 640, height: 480 });
        const pen = canvas.getContext('2d');
        for (let at = 0; at < 40; at += 1) {
            pen.fillStyle = `hsl(${at * 47} 60% ${20 + (at * 13) % 60}%)`;
            const [left, top] = [x + (at * 97) % 600, y + (at * 61) % 440];
            pen.fillRect(left, top, 30 + (at * 7) % 50, 30 + (at * 11) % 50);
        }
        return greyOf(canvas, 640, 480, document.createElement('canvas'));
    };
    return movement(picture(0, 0), picture(dx, dy));
}"""


@pytest.mark.parametrize("moved", [(0, 0), (13, -9), (-17, 4)])
def test_the_movement_of_the_camera_is_found(devices: Devices, moved: tuple[int, int]) -> None:
    found = devices.open().evaluate(MOVED, list(moved))
    assert found == pytest.approx(list(moved), abs=1.5)


VOTED = """async (readings) => {
    const { Steady } = await import('/static/review/steady.js');
    const steady = new Steady();
    return readings.map(([label, at, moved]) => {
        const quad = [[at, 0], [at + 100, 0], [at + 100, 100], [at, 100]];
        const read = { row: 0, col: 0, label, confidence: 0.9, sure: true, quad };
        steady.add({ text: label, outline: quad, cells: [read] }, moved);
        const cell = steady.cells.get('0,0');
        return [cell.label, cell.sure, steady.isAgreed, Math.round(cell.quad[0][0])];
    });
}"""


def test_readings_of_one_board_are_taken_together(devices: Devices) -> None:
    readings = [
        ["sun", 0, [0, 0]],
        ["sun", 4, [0, 0]],
        ["sun", 24, [20, 0]],
        ["moon", 24, [0, 0]],
        ["moon", 90, [0, 0]],
    ]
    assert devices.open().evaluate(VOTED, readings) == [
        ["sun", True, False, 0],
        ["sun", True, False, 2],  # between both readings
        ["sun", True, True, 23],  # the picture moved by 20, and the board with it
        [
            "sun",
            False,
            False,
            23,
        ],  # one that says otherwise does not win, but it is not sure any more
        ["moon", True, False, 90],  # another board
    ]

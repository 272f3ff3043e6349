"""A photo of each game becomes its score in a real browser, read by the real reader.

Stones and the game of one's own are rendered photos of our own pieces. Seasons and time are the
pieces that the page draws, on a drawn table, photographed askew; that copy is taught first.
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from browser.playing import LAPTOP, PHONE, Devices, devices_at, fits, send
from flask import Flask

from calibration.lessons import Lesson
from calibration.teach import teach
from scorer.notation import EMPTY
from scorer.seasons.board import SeasonBoard
from webapp import create_app

pytestmark = pytest.mark.browser

FIXTURES = Path(__file__).parents[3] / "fixtures"
PLAYERS = (("Ann", "spring"), ("Ben", "winter"))
READ_MS = 60_000
"""Longest wait for a photo on a busy machine; an idle one takes under a second."""

MOST_WRONG = 3
"""Most cells a person may have to correct here; accuracy itself is measured elsewhere."""

SEASONS_LESSONS = (
    "au 1 sp* sp* sp* su* / . su su su sp 2 / . au au* su* sp sp / "
    ". su* wi sp su . / 4 wi . . su* sp / wi . . sp 3 sp*",
    "wi 1 wi wi* au au / su wi* . au au* 2 / su su* wi au . sp / "
    ". su wi* wi sp sp* / 4 su* . au* sp . / wi wi . . 3 sp",
)
SEASONS_TABLE = (
    "wi 1 sp* su* sp* su / . su sp* au* su 2 / au au wi . sp su / "
    "wi* . wi su* wi . / 4 sp . wi sp* au / au . sp wi 3 sp"
)
TIME_LESSONS = (
    "spring autumn winter / summer spring autumn / winter summer .",
    "autumn spring summer / winter autumn . / summer winter spring",
)
TIME_TABLE = "spring . summer / autumn spring winter / summer winter autumn"

DRAW = """([board, rows]) => {
    const size = 96;
    const svg = (tag, attributes) => {
        const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        return element;
    };
    const step = size + (board === 'time' ? 10 : 4);
    const [width, height] = [rows[0].length * step + 28, rows.length * step + 28];
    const table = svg('svg', { id: 'drawn-table', width, height });
    table.style.cssText = 'position:fixed;inset:0 auto auto 0;z-index:99;max-width:none';
    const fill = board === 'seasons' ? '#e9dfc8' : '#8c5f3c';  // a board, or a mat
    table.append(svg('rect', { width, height, fill }));
    rows.forEach((row, r) => row.forEach((label, c) => {
        const at = { x: 16 + c * step, y: 16 + r * step, width: size, height: size };
        const bare = { ...at, rx: 8, fill: '#fbf7ec', stroke: '#b9ad90' };
        if (label !== '.') table.append(svg('use', { href: `#piece-${board}-${label}`, ...at }));
        else if (board === 'seasons') table.append(svg('rect', bare));
    }));
    document.getElementById('drawn-table')?.remove();
    document.body.append(table);
}"""


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    """The application with the real reader."""
    app = create_app({"TESTING": True, "DATA_DIR": tmp_path / "data"})
    yield app
    app.extensions["tallystone_store"].close()


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


def words_of(rows: list[list[str]]) -> list[str]:
    return [word for row in rows for word in row]


def rows_of(board: str, text: str) -> list[list[str]]:
    if board == "seasons":
        text = str(SeasonBoard.parse(text))
    return [row.split() for row in text.split(" / ")]


def photographed(picture: bytes, seed: int) -> bytes:
    """A drawn table as a camera sees it: on wood, askew, in slanting light, soft and noisy."""
    dice = np.random.default_rng(seed)
    board = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR).astype(np.float32)
    height, width = board.shape[:2]
    wide, high = 1600, 1200
    grain = cv2.resize(
        dice.normal(0, 1, (30, 4)).astype(np.float32), (wide, high), interpolation=cv2.INTER_CUBIC
    )
    table = np.array([60, 95, 140], np.float32) + 18 * grain[..., None]
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    corners *= min(0.62 * wide / width, 0.72 * high / height)
    turn = dice.uniform(-0.12, 0.12)
    corners @= np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners[:, 0] *= 1 + corners[:, 1] / high * dice.uniform(0.05, 0.2)  # the near side is larger
    corners += [wide / 2, high / 2]
    square = np.array([[0, 0], [width, 0], [width, height], [0, height]])
    onto = cv2.getPerspectiveTransform(square.astype(np.float32), corners.astype(np.float32))
    laid = cv2.warpPerspective(board, onto, (wide, high), flags=cv2.INTER_AREA)
    cover = cv2.warpPerspective(np.ones((height, width), np.float32), onto, (wide, high))[..., None]
    light = np.linspace(0.8, 1.1, wide, dtype=np.float32)[:, None]
    seen = cv2.GaussianBlur((table * (1 - cover) + laid * cover) * light, (0, 0), 1.0)
    seen = np.clip(seen + dice.normal(0, 3, (high, wide, 1)), 0, 255)
    return bytes(
        cv2.imencode(".jpg", seen.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()
    )


def photo_of(page: Any, board: str, text: str, seed: int) -> bytes:
    """A photo of the pieces that *page* draws, laid as *text* says."""
    page.evaluate(DRAW, [board, rows_of(board, text)])
    picture = page.locator("#drawn-table").screenshot()
    page.evaluate("() => document.getElementById('drawn-table').remove()")
    return photographed(picture, seed)


def read_and_put_right(page: Any, photo: Path, truth: list[list[str]]) -> None:
    """Upload the photo, tap whatever was read wrongly, and use the board."""
    page.set_input_files("[data-pick=choose]", photo)
    page.wait_for_selector(".review[data-view=result]", timeout=READ_MS)
    squares = page.locator(".review .square")
    assert squares.count() == len(words_of(truth))
    read = [word.get_attribute("data-label") for word in squares.all()]
    wrong = [
        (row, col)
        for row, labels in enumerate(truth)
        for col, label in enumerate(labels)
        if read[row * len(labels) + col] != label
    ]
    assert len(wrong) <= MOST_WRONG, (read, truth)
    for row, col in wrong:
        square = page.locator(f'.review .square[data-cell="{row},{col}"]')
        assert "doubtful" in str(square.get_attribute("class"))  # never wrong without a question
        square.click()
        page.locator(f'dialog.sheet[open] [data-label="{truth[row][col]}"]').click()
    assert fits(page)
    page.locator("[data-use]").click()
    page.locator("dialog.review").wait_for(state="detached")


def save(tmp_path: Path, photo: bytes) -> Path:
    path = tmp_path / "IMG_0001.jpg"
    path.write_bytes(photo)
    return path


def view_of(page: Any, code: str) -> Any:
    return page.evaluate(f"async () => (await (await fetch('/api/games/{code}')).json()).view")


def test_stones(devices: Devices) -> None:
    shot = json.loads((FIXTURES / "photos" / "truth.json").read_text(encoding="utf-8"))["photos"][0]
    page, code = devices.host("stones", ("Ann", "red"), ("Ben", "green"), size=PHONE)
    other = devices.join(code, "Ben")
    page.locator("#photo").click()
    truth = rows_of("stones", shot["text"])
    read_and_put_right(page, FIXTURES / "photos" / shot["photo"], truth)
    for device in (page, other):  # everybody has it
        device.locator(f'[data-key="cell-2-2"][aria-label*="{truth[2][2]}"]').wait_for()
        assert device.locator("#board .stones-tile-word").all_text_contents() == words_of(truth)
    page.locator("#tab-cards").click()
    matches = view_of(page, code)["matches"]
    assert matches
    for card in matches:
        page.locator(f'#pane-cards [data-card="{card}"]').first.wait_for()


def test_seasons(devices: Devices, app: Flask, tmp_path: Path) -> None:
    page, _ = devices.host("seasons", *PLAYERS, size=PHONE)
    lessons = [
        Lesson(photo_of(page, "seasons", text, at), text, "lesson.jpg")
        for at, text in enumerate(SEASONS_LESSONS)
    ]
    teach("mine", "seasons", lessons, app.config["DATA_DIR"])
    photo = save(tmp_path, photo_of(page, "seasons", SEASONS_TABLE, 7))
    page.locator("#sea-photo").click()
    read_and_put_right(page, photo, rows_of("seasons", SEASONS_TABLE))
    page.locator('#sea-board [data-cell="0,0"][data-word="winter"]').wait_for()
    shown = page.locator("#sea-board [data-cell]").evaluate_all(
        "all => all.map((one) => one.dataset.word)"
    )
    assert sorted(shown) == sorted(words_of(rows_of("seasons", SEASONS_TABLE)))
    score = sum(
        int(page.locator(f'.sea-field[data-seat="0"][data-card="{card}"]').inner_text().split()[-2])
        for card in ("six-diagonals", "connections", "area-colour", "largest-group")
    )
    assert int(page.locator('#sea-tabs [data-seat="0"] b').inner_text()) == score > 0
    assert page.locator("#sea-evidence-text").is_visible()


def test_time(devices: Devices, app: Flask, tmp_path: Path) -> None:
    page, code = devices.host("time", *PLAYERS, size=PHONE)
    lessons = [
        Lesson(photo_of(page, "time", text, at), text, "lesson.jpg")
        for at, text in enumerate(TIME_LESSONS)
    ]
    teach("mine", "time", lessons, app.config["DATA_DIR"])
    photo = save(tmp_path, photo_of(page, "time", TIME_TABLE, 7))
    page.locator("#photo").click()
    read_and_put_right(page, photo, rows_of("time", TIME_TABLE))
    page.locator('[data-key="cell-0,0"][aria-label*="spring"]').wait_for()
    assert view_of(page, code)["grid"]["text"] == TIME_TABLE
    page.locator("[data-tab=ranking]").click()
    assert page.locator(".time-rank .time-points").count() == 4


def test_a_game_of_ones_own(devices: Devices, app: Flask, tmp_path: Path) -> None:
    folder = FIXTURES / "custom"
    answers = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    board = tomllib.loads((folder / answers["board"]).read_text(encoding="utf-8"))
    lessons = [Lesson((folder / name).read_bytes(), text, name) for name, text in answers["teach"]]
    page, code = devices.host(
        "custom",
        ("Ann", "red"),
        ("Ben", "blue"),
        size=PHONE,
        board=board,
        actions=[{"type": "board", "seat": 1, "text": answers["photos"][0]["text"]}],
    )
    other, screen = devices.join(code, "Ben", LAPTOP), page.context.new_page()
    screen.goto(f"{page.url}/screen")
    teach("mine", str(folder / answers["board"]), lessons, app.config["DATA_DIR"])
    send(page, f"/api/games/{code}/boards/custom/copy", {"profile": "mine"})
    for device in (page, other, screen):  # all see at once what the pieces look like
        device.locator("use[href='#piece-custom-moon']").first.wait_for()
    shot = answers["photos"][0]
    page.locator("[data-photograph='0']").click()
    read_and_put_right(page, folder / shot["photo"], rows_of("custom", shot["text"]))
    page.locator(".custom-board .square").first.wait_for()
    moons = shot["text"].split().count("moon")
    page.locator('[data-number="worth-moon"]').fill("3")
    page.keyboard.press("Tab")
    page.locator(".custom-total").first.filter(has_text=f"{3 * moons} points").wait_for()
    assert EMPTY in shot["text"]
    assert view_of(page, code)["boards"]
    look = devices.open("/look", LAPTOP)
    look.set_input_files("#choose", folder / shot["photo"])
    look.locator(".review-board use[href='#piece-custom-moon']").first.wait_for(timeout=READ_MS)

"""A finished game looked back on in the browser: boards by slider and keyboard, honest figures."""

from collections.abc import Iterator
from typing import Any

import pytest
from browser.playing import LAPTOP, PHONE, Devices, devices_at, fits
from fakes import TokenClient

pytestmark = pytest.mark.browser

STONES = "sun horse bird / tree seed seed / horse bird boat"
TURNS: list[dict[str, Any]] = [
    {"type": "board", "seat": None, "text": STONES, "photo": None, "corrections": []},
    {"type": "hand", "seat": 0, "cards": [1, 28, 41, 72]},
    {"type": "move", "flip": [0, 0], "discard": 72},
    {"type": "end_turn"},
    {"type": "move", "shift": [[1, 0], [1, 1]], "discard": None},
    {"type": "end_turn"},
    {"type": "score", "card": 41},
    {"type": "end_turn"},
    {"type": "finish"},
]


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


@pytest.mark.parametrize("size", [PHONE, LAPTOP])
def test_a_game_is_looked_back_on_with_keys_and_buttons(
    devices: Devices, size: dict[str, int]
) -> None:
    page, code = devices.host("stones", ("Ann", "red"), ("Ben", "green"), size=size, actions=TURNS)
    page.goto(f"{devices.base_url}/g/{code}/after")
    page.get_by_role("link", name="Look back on the game").click()
    page.locator("body[data-ready]").wait_for()
    assert fits(page)
    stones = page.locator("#boards use")
    assert page.locator("#moment-title").inner_text() == "Turn 3: Ann"
    assert page.locator("#moment-says").inner_text().startswith("Ann scores a card. Ann: +2")
    page.locator("#at").focus()
    page.keyboard.press("Home")
    assert stones.first.get_attribute("href") == "#stone-sun"
    assert page.locator("#earlier").is_disabled()
    page.keyboard.press("ArrowRight")
    assert stones.first.get_attribute("href") == "#stone-moon"
    assert page.locator("#at").get_attribute("aria-valuetext") == "Turn 1: Ann"
    page.locator("#later").click()
    assert page.locator("#boards .drawn-mark").count() == 2
    first = page.locator(".insight", has_text="Turn 1: Ann")
    assert "Possible: 3, cards discarded: 1. Left on the table: 3." in first.inner_text()
    first.get_by_role("button").click()
    assert page.locator("#moment-title").inner_text() == "Turn 1: Ann"
    assert "In 2 of 3 turns the hand or a move was not told in full" in page.inner_text("main")


def test_paper_shows_nothing_to_press(devices: Devices) -> None:
    page, code = devices.host("stones", ("Ann", "red"), ("Ben", "green"), actions=TURNS)
    page.emulate_media(media="print")
    for path in ("after", "review", "audit"):
        page.goto(f"{devices.base_url}/g/{code}/{path}")
        assert page.locator("h1").is_visible()
        assert page.locator(":is(button, .button, [type=range]):visible").count() == 0
    page.goto(f"{devices.base_url}/g/{code}")
    page.wait_for_selector("#board .stones-tile")
    assert page.locator(":is(.bar, .button, .table-tabs):visible").count() == 0


def test_a_game_that_goes_on_is_not_looked_back_on(client: TokenClient) -> None:
    setup = {"players": [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "green"}]}
    answer = client.send_json("/api/games", {"kind": "stones", "setup": setup | {"options": {}}})
    page = client.get(f"/g/{answer.get_json()['code']}/review")
    assert page.status_code == 409
    assert "until then hands are hidden" in page.get_data(as_text=True)

"""Two evenings in real browsers, from the start to the result, with the networks that are bundled.

Three devices each: a copy is taught, photos are taken, one phone is offline for a while, and the
finished game is poked at.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.playing import LAPTOP, PHONE, Devices, devices_at
from browser.test_photos_browser import read_and_put_right, rows_of
from flask import Flask

from webapp import create_app

pytestmark = pytest.mark.browser

FIXTURES = Path(__file__).parents[3] / "fixtures"
STONES = json.loads((FIXTURES / "photos" / "truth.json").read_text(encoding="utf-8"))
SEASONS = json.loads((FIXTURES / "boards" / "answers.json").read_text(encoding="utf-8"))["seasons"]

REACHED_MS = 2000
"""How long a phone that can be reached again may show the old board."""

POKE = """async ([path, action]) => {
    const token = document.querySelector('meta[name=csrf-token]').content;
    const headers = {'Content-Type': 'application/json', 'X-CSRF-Token': token};
    const body = JSON.stringify({action});
    const answer = await fetch(path, {method: 'POST', headers, body});
    return (await answer.json()).error.code;
}"""


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    """The application as people run it."""
    app = create_app({"TESTING": True, "DATA_DIR": tmp_path, "DATABASE_URL": None})
    yield app
    app.extensions["tallystone_store"].close()


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


def started(page: Any, game: str, *names: str) -> str:
    """From the start page to the table, with the code shown; gives the code."""
    page.get_by_role("link", name="Start a game").tap()
    page.get_by_role("link", name=game).tap()
    for at, name in enumerate(names):
        if at >= 2:
            page.locator("#add-player").tap()
        page.locator("[name=player]").nth(at).fill(name)
    page.get_by_role("button", name="Start the game").tap()
    code = page.locator("#invite-sheet .big-code").inner_text()
    page.locator("#invite-sheet [data-close]").tap()
    return str(code)


def taught(page: Any, folder: str, lessons: list[list[str]]) -> None:
    """Teach a copy from the photo sheet of a game, and come back to it."""
    page.locator("[data-teach-copy]").tap()
    page.wait_for_selector("body[data-ready]")
    for at, (name, layout) in enumerate(lessons):
        lesson = page.locator(".teach-lesson:has(textarea)").nth(at)
        lesson.locator("textarea").evaluate(
            "(field, text) => { field.value = text; field.dispatchEvent(new Event('change')); }",
            layout,
        )
        lesson.locator("input[type=file]:not([capture])").set_input_files(FIXTURES / folder / name)
        lesson.locator(".teach-said.good").wait_for()
    page.locator("#look").tap()
    page.fill("#name", "ours")
    page.locator("#save").tap()
    page.wait_for_url("**/g/*")
    page.wait_for_selector("body[data-ready]")


def finished(page: Any) -> str:
    """What the page says of the end."""
    page.locator("#finished").wait_for()
    words: str = page.locator("#verdict").inner_text()
    return words


def test_an_evening_of_stones(devices: Devices) -> None:
    ann = devices.open()
    code = started(ann, "Shifting Stones", "Ann", "Bob", "Cat")
    bob, cat = devices.join(code, "Bob"), devices.join(code, "Cat", LAPTOP)
    ann.locator("#photo").tap()
    taught(ann, "photos", STONES["teach"])
    ann.locator("#photo").tap()
    shot = STONES["photos"][0]
    read_and_put_right(ann, FIXTURES / "photos" / shot["photo"], rows_of("stones", shot["text"]))
    for page in (ann, bob, cat):
        page.locator('[data-key="cell-1-1"][aria-label*="sun"]').wait_for()

    bob.context.set_offline(True)
    ann.locator('[data-key="cell-1-1"]').tap()
    ann.locator("#stone-flip").tap()
    cat.locator('[data-key="cell-1-1"][aria-label*="moon"]').wait_for()
    ann.locator("#end-turn").tap()
    cat.locator("#turn-title").filter(has_text="Bob’s turn").wait_for()
    bob.context.set_offline(False)
    bob.locator("#turn-title").filter(has_text="Your turn").wait_for(timeout=REACHED_MS)
    assert "moon" in bob.locator('[data-key="cell-1-1"]').get_attribute("aria-label")

    bob.locator("#end-turn").dblclick()
    cat.locator("#turn-title").filter(has_text="Your turn").wait_for()
    cat.locator("#tab-scores").click()
    cat.locator('[data-key="award-0"]').click()
    for card in range(1, 10):
        cat.locator(f'[data-hand="{card}"]').click()
    cat.locator("#hand-picker-done").click()
    ann.locator("#turn-hint").filter(has_text="Last round: Cat still to play").wait_for()
    cat.locator("#end-turn").click()
    bob.locator("#end-turn").wait_for(state="hidden")
    ann.locator("#end-turn").filter(has_text="Finish the game").tap()
    ann.locator("#sure-yes").tap()
    assert {finished(page) for page in (ann, bob, cat)} == {"Ann wins with 12 points!"}

    assert cat.locator("#board button:enabled").count() == 0
    for action in ({"type": "award", "seat": 1, "cards": [10]}, {"type": "end_turn"}):
        assert bob.evaluate(POKE, [f"/api/games/{code}/actions", action]) == "finished"
    assert bob.evaluate(POKE, [f"/api/games/{code}/actions", {"type": "resume"}]) == "not_the_host"
    bob.locator("#finished").get_by_role("link", name="Result and report").tap()
    assert bob.locator(".podium .name").first.inner_text().startswith("Ann")


def test_an_evening_of_seasons(devices: Devices) -> None:
    players = (*SEASONS["players"].items(), ("Cat", "winter"))
    ann, code = devices.host("seasons", *players, size=PHONE, cards=SEASONS["cards"])
    ann.locator("#sea-photo").tap()
    taught(ann, "boards", SEASONS["teach"])
    bob, cat = devices.join(code, "Bob"), devices.join(code, "Cat", LAPTOP)
    cat.context.set_offline(True)
    for page, shot in zip((ann, bob), SEASONS["photos"], strict=True):
        page.locator("#sea-photo").tap()
        photo = FIXTURES / "boards" / shot["photo"]
        read_and_put_right(page, photo, rows_of("seasons", shot["text"]))
    cat.context.set_offline(False)
    scores = [ann.locator(f'#sea-tabs [data-seat="{seat}"] b') for seat in (0, 1)]
    for score in scores:
        score.filter(has_text=re.compile("[1-9]")).wait_for()
    totals = [int(score.inner_text()) for score in scores]
    for seat, total in enumerate(totals):
        cat.locator(f'#sea-tabs [data-seat="{seat}"] b').filter(has_text=f"{total}").wait_for(
            timeout=REACHED_MS
        )

    ann.locator("#menu").tap()
    ann.locator("#finish").tap()
    assert "Cat has only 0 of" in ann.locator("#sure-hint").inner_text()
    ann.locator("#sure-yes").tap()
    winner = "Ann" if totals[0] > totals[1] else "Bob"
    words = f"{winner} wins with {max(totals)} points!"
    assert {finished(page) for page in (ann, bob, cat)} == {words}

    bob.locator('#sea-board [data-cell="0,0"]').tap()
    bob.locator('#sea-picker [data-label="winter*"]').tap()
    bob.locator("#notice").filter(has_text="The game is finished").wait_for()
    for page in (ann, bob, cat):
        assert page.locator('#sea-tabs [data-seat="1"] b').inner_text() == str(totals[1])

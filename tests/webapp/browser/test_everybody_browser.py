"""Whole games by keyboard alone; what is heard of a score; without motion, and without colours."""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import cv2
import numpy as np
import pytest
from browser.playing import LAPTOP, PHONE, Devices, devices_at, tab_to

pytestmark = pytest.mark.browser

FOCUSED = "selector => document.activeElement.matches(selector)"
LISTEN = """
    window.heard = [];
    new MutationObserver((changes) => {
        const regions = changes.map(({target}) => (target.closest ? target : target.parentElement)
            ?.closest('[role=status], [role=alert], [aria-live]'));
        for (const region of new Set(regions)) {
            if (region?.checkVisibility() && region.textContent) heard.push(region.textContent);
        }
    }).observe(document, {subtree: true, childList: true, characterData: true});
"""
"""Keeps what a screen reader says by itself."""

SHEET = """ids => {
    const sheet = document.createElement('div');
    sheet.id = 'sheet';
    sheet.style.cssText = 'position:fixed;left:0;top:0;z-index:99;background:#fff;display:flex';
    for (const id of ids) {
        const symbol = document.getElementById(id);
        const svg = symbol.ownerSVGElement.cloneNode();
        svg.setAttribute('class', '');
        svg.setAttribute('width', 64);
        svg.setAttribute('height', 64);
        svg.setAttribute('viewBox', symbol.getAttribute('viewBox'));
        const use = document.createElementNS(svg.namespaceURI, 'use');
        use.setAttribute('href', '#' + id);
        svg.append(use);
        sheet.append(svg);
    }
    document.body.append(sheet);
}"""

LIKE = 0.93
"""Correlation of brightness of two pictures that cannot be told apart without their colours: the
same picture in two colours is at 1. Digits are nearer, but they are read."""

BLINDNESS = ("protanopia", "deuteranopia", "tritanopia", "achromatopsia")


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


def press(page: Any, selector: str, key: str = "Enter") -> None:
    """Go to an element with Tab, and press a key there."""
    tab_to(page, selector)
    page.keyboard.press(key)


def started(page: Any, kind: str) -> None:
    """From the start page to the table of two players."""
    press(page, "a[href='/start']")
    page.wait_for_url("**/start")
    press(page, f"a[href^='/start/{kind}']")
    page.wait_for_url(f"**/start/{kind}")
    for name in ("Ann", "Ben"):
        tab_to(page, "[name=player]")
        page.keyboard.type(name)
    press(page, "button[type=submit].primary")
    page.locator("#invite-sheet").wait_for()
    page.keyboard.press("Escape")


def finished(page: Any) -> None:
    """From the table to the result, and in two steps to the next game of the same people."""
    press(page, "#menu")
    press(page, "#finish")
    press(page, "#sure-yes")
    page.locator("#finished").wait_for()
    press(page, "#finished a[href$='/after']")
    page.wait_for_url("**/after")
    page.go_back()
    page.locator("#finished").wait_for()
    code = page.locator("body").get_attribute("data-code")
    press(page, "#play-again")
    page.wait_for_url("**/start/**")
    press(page, "button[type=submit].primary")
    page.wait_for_selector("body.at-table[data-ready]")
    assert page.locator("body").get_attribute("data-code") != code
    names = page.evaluate("JSON.parse(document.getElementById('game').textContent).players")
    assert [one["name"] for one in names] == ["Ann", "Ben"]


def test_a_game_of_time_by_keyboard_alone(devices: Devices) -> None:
    page = devices.open(size=LAPTOP)
    started(page, "time")
    press(page, "[data-card='spring/winter']")
    assert page.evaluate(FOCUSED, "[data-free]")
    page.keyboard.press("Enter")
    answers: list[tuple[Any, Any]] = []
    page.route("**/actions", lambda route: answers.append((route, route.fetch())), times=1)
    press(page, "#place")
    page.locator(".time-happened").wait_for()  # by the event, which may overtake the answer
    assert page.evaluate(FOCUSED, "#photo")
    for _ in range(500):  # the event may overtake what the server answers to `fetch`, too
        if answers:
            break
        page.wait_for_timeout(20)
    route, answer = answers.pop()
    route.fulfill(response=answer)
    page.wait_for_function(FOCUSED, arg="#pane-card [data-card]")
    assert page.evaluate(FOCUSED, "#pane-card [data-card]")
    page.set_viewport_size(PHONE)
    press(page, "[data-card='summer/autumn']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    press(page, "#place")
    page.locator(".time-cell:not(.free)").nth(1).wait_for()
    press(page, "[data-tab=ranking]")
    press(page, "[data-key^=rank-]")
    assert page.locator(".time-rank.open").count() == 1
    finished(page)


def test_a_game_of_villagers_by_keyboard_alone(devices: Devices) -> None:
    page = devices.open(size=LAPTOP)
    started(page, "villagers")
    press(page, "#vil-add")
    for name in ("Hayer", "Log Rafter"):
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        page.locator("#vil-added").filter(has_text=f"{name} is there").wait_for()
    page.keyboard.press("Escape")
    page.set_viewport_size(PHONE)
    press(page, ".vil-card:not(.covered)")
    assert page.evaluate(FOCUSED, "#vil-why-title")
    other, screen = devices.open(), page.context.new_page()
    for device in (other, screen):
        device.add_init_script(LISTEN)
        device.goto(page.url + ("/screen" if device is screen else ""))
    other.get_by_role("button", name="Ben").click()
    other.wait_for_selector("body[data-ready]")
    page.evaluate(f"() => {{ {LISTEN} }}")
    tab_to(page, "#vil-why-coins button[aria-label$=': 1 more']")
    scores = ["Ann: +1, now 12.", "Ann: +1, now 13."]
    for coins, score in zip(("1", "2"), scores, strict=True):
        page.keyboard.press("Enter")
        page.wait_for_function(
            "n => document.querySelector('#vil-why-coins input').value === n", arg=coins
        )
        for device in (page, other, screen):  # one that comes late says only the newest
            device.wait_for_function("says => heard.includes(says)", arg=score)
    for device in (page, other, screen):
        assert [said for said in device.evaluate("heard") if said.startswith("Ann: ")] == scores
    assert screen.locator(".screen-scores b").first.inner_text() == "13"
    other.reload()
    other.locator("#news").filter(has_text=scores[-1]).wait_for()
    assert other.evaluate("heard") == []  # it was said before
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUSED, ".vil-card")
    page.set_viewport_size(LAPTOP)
    finished(page)


def test_nothing_moves_for_who_asked_for_no_motion(devices: Devices) -> None:
    """Sheets rise, except where the system says that nothing shall."""
    page, _ = devices.host("villagers", ("Ann", ""), size=LAPTOP)
    lasts = "element => parseFloat(getComputedStyle(element).animationDuration)"
    sheet = page.locator("#vil-deck")
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        page.locator("#vil-add").click()
        assert (sheet.evaluate(lasts) > 0.1) is (motion == "no-preference")
        page.keyboard.press("Escape")


def test_pictures_are_told_apart_without_colours(devices: Devices) -> None:
    """Under every kind of colour blindness by the shape of what is bright and dark in them."""
    look = devices.open("/look", size=LAPTOP)
    villagers, _ = devices.host("villagers", ("Ann", ""), size=LAPTOP)
    alike = []
    for page, kinds in ((look, ("stone", "piece-seasons")), (villagers, ("suit", "coin", "sign"))):
        names = page.evaluate("[...document.querySelectorAll('symbol')].map(({id}) => id)")
        names = [one for one in names if one.startswith(kinds) and not re.search(r"\d", one)]
        page.evaluate(SHEET, names)
        session = page.context.new_cdp_session(page)
        coloured = sheet_of(page)
        for blindness in BLINDNESS:
            session.send("Emulation.setEmulatedVisionDeficiency", {"type": blindness})
            seen = sheet_of(page)
            assert np.abs(seen - coloured).max() > 20
            pictures = np.hsplit(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), len(names))
            shapes = dict(zip(names, map(shape, pictures), strict=True))
            alike += [
                (blindness, *pair)
                for kind in kinds
                for pair in combinations((name for name in names if name.startswith(kind)), 2)
                if (shapes[pair[0]] * shapes[pair[1]]).mean() > LIKE
            ]
        assert len(names) > 10
    assert alike == []


def sheet_of(page: Any) -> np.ndarray:
    """The pictures as they are seen, as floats of 0 to 255 in BGR."""
    data = np.frombuffer(page.locator("#sheet").screenshot(), np.uint8)
    return cv2.imdecode(data, cv2.IMREAD_COLOR).astype(np.float32)


def shape(picture: np.ndarray) -> np.ndarray:
    """A picture without its mean and its contrast, so that only the shape of both is left."""
    soft = cv2.GaussianBlur(picture, (0, 0), 1)
    return (soft - soft.mean()) / soft.std()

"""Who comes, changes and goes at a table of three browsers: all three are told."""

from collections.abc import Iterator
from typing import Any

import pytest
from browser.playing import LAPTOP, Devices, devices_at

pytestmark = pytest.mark.browser

SHOWN_AGAIN = """() => ['pagehide', 'pageshow'].forEach((type) =>
    dispatchEvent(new PageTransitionEvent(type, {persisted: true})))"""
"""What a page hears that a browser keeps as it was left, and shows again."""


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as opened:
        yield opened


def told(pages: list[Any], news: str) -> None:
    for page in pages:
        page.locator("#news").filter(has_text=news).wait_for()


def in_menu(page: Any, selector: str) -> None:
    if not page.locator("#menu-sheet").is_visible():
        page.locator("#menu").click()
    page.locator(selector).click()


def test_three_devices_hear_of_everybody(devices: Devices) -> None:
    ann, code = devices.host("stones", ("Ann", "red"), ("Ben", "green"))
    ben = devices.join(code, "Ben")
    told([ann], "Ben plays along now.")
    in_menu(ann, "#add-player")
    ann.locator("#add-name").fill("Zoe")
    ann.locator("#add-form button[type=submit]").click()
    told([ann, ben], "Zoe plays, too.")
    zoe = devices.join(code, "Zoe", LAPTOP)
    told([ann, ben, zoe], "Zoe plays along now.")
    in_menu(ann, "select[aria-label*=Ben]")
    ann.locator("select[aria-label*=Ben]").select_option("instead")
    ann.locator("#sure-yes").click()
    told([ann, ben, zoe], "Ann has handed the game over to Ben.")
    in_menu(zoe, "#leave")
    zoe.route(f"{devices.base_url}/", lambda route: route.fulfill(status=204), times=1)
    with zoe.expect_request(f"{devices.base_url}/"):
        zoe.locator("#sure-yes").click()
    told([ann, ben], "Zoe has left.")
    zoe.evaluate(SHOWN_AGAIN)
    zoe.locator("form[action$='/join']").first.wait_for()
    in_menu(ben, "#leave")
    ben.locator("#sure-yes").click()
    ben.wait_for_url(f"{devices.base_url}/")
    told([ann], "Ben has left; Ann is the host now.")

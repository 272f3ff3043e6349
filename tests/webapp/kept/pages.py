"""What is promised of pages: plain http, slow phones, eyes that see other colours."""

import itertools
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import browser.test_evenings_browser as evenings
import cv2
import numpy as np
from attacks.harness import Figure
from browser.evening import PHOTO, Evening
from browser.playing import CHROMIUM_ARGS, PHONE, Devices, browser_path, devices_at, serving
from flask import Flask
from gallery import show
from playwright.sync_api import sync_playwright

from webapp import create_app

NAME = "table.example"
"""A name of this computer that no browser trusts, as it trusts localhost."""

SLOW = {"latency": 40, "downloadThroughput": 1_250_000, "uploadThroughput": 625_000}
"""A crowded Wi-Fi: milliseconds, and bytes a second."""

SLOWDOWN = 4
"""How many times slower than this machine the phone is, as Lighthouse has it."""

SEEN = ("none", "protanopia", "deuteranopia", "tritanopia", "achromatopsia")
UNLIKE_LEVELS = 32
UNLIKE_PARTS = 0.03
"""Two pictures differ if so many of their pixels do by so many of 255 levels."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser that finds this computer under NAME, too."""
    arguments = [*CHROMIUM_ARGS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=arguments)
        yield browser
        browser.close()


@contextmanager
def served() -> Iterator[tuple[Flask, str]]:
    """The application with its networks, and its address by NAME."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"DATA_DIR": Path(folder), "HOST_NAMES": (NAME,)})
        with serving(app) as url:
            yield app, url.replace("127.0.0.1", NAME)
        app.extensions["tallystone_store"].close()


def evening(count: int) -> Iterator[Figure]:
    """Evenings of stones and of seasons in browsers, then every page, over plain http."""
    trusted, complaints = 0, 0
    with chromium() as browser:
        for _ in range(count):
            for game in (evenings.test_an_evening_of_stones, evenings.test_an_evening_of_seasons):
                with served() as (_, url), devices_at(browser, url) as devices:
                    trusted += devices.open().evaluate("isSecureContext")
                    game(devices)
        with served() as (app, url):
            played = Evening(app, PHOTO.read_bytes())
            devices = Devices(browser, url)
            for page in played.pages():
                tab = devices.open()
                if not page.stranger:
                    cookie = {"name": "tallystone", "value": played.cookie, "url": url}
                    tab.context.add_cookies([cookie])
                show(tab, url, page)
                tab.context.close()
            said = [one for one in devices.complaints if "status of 4" not in one]
            complaints = len(said)
            print("".join(f"  {one}\n" for one in said), end="")
    yield Figure(f"{2 * count} evenings: pages that the browser trusts", trusted, 0)
    yield Figure("complaints of the browser", complaints, 0)


def first_use(count: int) -> Iterator[Figure]:
    """First loads on a slow phone: bytes on the way, and until the page can be used."""
    with chromium() as browser, served() as (app, url):
        played = Evening(app, PHOTO.read_bytes())
        for name, path in (
            ("start page", "/"),
            ("quick look", "/look"),
            ("table of stones", f"/g/{played.codes['stones']}"),
            ("table of seasons", f"/g/{played.codes['seasons']}"),
        ):
            times, sizes = [], []
            for _ in range(count):
                context = browser.new_context(viewport=PHONE, has_touch=True)
                context.add_cookies([{"name": "tallystone", "value": played.cookie, "url": url}])
                tab = context.new_page()
                line = context.new_cdp_session(tab)
                bytes_: list[float] = []
                line.send("Network.enable")
                line.on("Network.loadingFinished", lambda e: bytes_.append(e["encodedDataLength"]))  # noqa: B023 (used at once)
                line.send("Network.emulateNetworkConditions", {"offline": False, **SLOW})
                line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
                tab.goto(url + path, wait_until="commit")
                tab.wait_for_selector("body[data-ready]" if path != "/" else "main a")
                times.append(tab.evaluate("performance.now()"))
                tab.wait_for_timeout(300)
                sizes.append(sum(bytes_) / 1000)
                context.close()
            yield Figure(f"{name}: bytes", max(sizes), 150, "kB")
            yield Figure(
                f"{name}: first use, median of {count}", statistics.median(times), 1000, "ms"
            )


def colours(_: int) -> Iterator[Figure]:
    """All pieces of a game, two by two, as eyes see them that see other colours or none."""
    with chromium() as browser, served() as (app, url):
        played = Evening(app, PHOTO.read_bytes())
        for game, prefix in (("stones", "glyph"), ("seasons", "piece-seasons")):
            context = browser.new_context(viewport=PHONE, reduced_motion="reduce")
            context.add_cookies([{"name": "tallystone", "value": played.cookie, "url": url}])
            tab = context.new_page()
            tab.goto(f"{url}/g/{played.codes[game]}")
            tab.wait_for_selector("body[data-ready]")
            names = tab.evaluate(PIECES, prefix)
            line = context.new_cdp_session(tab)
            for kind in SEEN:
                line.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
                seen = {name: pixels(tab.locator(f"#seen-{at}")) for at, name in enumerate(names)}
                alike = [
                    f"{a} and {b}"
                    for a, b in itertools.combinations(names, 2)
                    if share(seen[a], seen[b]) < UNLIKE_PARTS
                ]
                said = f" ({', '.join(alike)})" if alike else ""
                yield Figure(f"{game}, {kind}: of {len(names)} pieces alike{said}", len(alike), 0)
            context.close()


PIECES = """prefix => {
    const found = [...document.querySelectorAll(`symbol[id^="${prefix}-"]`)];
    const sheet = document.createElement('div');
    sheet.style.cssText = 'position:fixed;inset:0;z-index:999;background:white;display:grid;'
        + 'grid:auto-flow 70px / repeat(5, 70px)';
    found.forEach((symbol, at) => {
        const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
        use.setAttribute('href', '#' + symbol.id);
        use.setAttribute('width', 64); use.setAttribute('height', 64);
        picture.setAttribute('width', 64); picture.setAttribute('height', 64);
        picture.id = `seen-${at}`;
        picture.append(use);
        sheet.append(picture);
    });
    document.body.append(sheet);
    return found.map(symbol => symbol.id.split('-').pop());
}"""


def pixels(element: Any) -> Any:
    """What an element looks like."""
    return cv2.imdecode(np.frombuffer(element.screenshot(), np.uint8), cv2.IMREAD_COLOR).astype(int)


def share(one: Any, other: Any) -> float:
    """Which part of two pictures differs."""
    return float((abs(one - other).max(axis=2) >= UNLIKE_LEVELS).mean())

"""Devices at one table for the page tests: each a browser of its own, with a seat."""

import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from flask import Flask

from webapp.serving.server import WebServer

PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1366, "height": 800}

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

NOT_NEEDED = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "PaintHolding",
    "MediaRouter",
    "OptimizationHints",
    "HttpsUpgrades",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
)
"""The list of an address bar, of which each window draws two in a process of its own, though nobody
sees it: four tenths of what a window takes. The others are from Playwright's list, for of two lists
Chromium takes the last."""

CHROMIUM_ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    f"--disable-features={','.join(NOT_NEEDED)}",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing but the tests' servers
]

_SEND = """async ([path, body]) => {
    const token = document.querySelector('meta[name=csrf-token]').content;
    const headers = {'Content-Type': 'application/json', 'X-CSRF-Token': token};
    const answer = await fetch(path, {method: 'POST', headers, body: JSON.stringify(body)});
    return [answer.status, await answer.json()];
}"""

_SMALL = """() => [...document.querySelectorAll(
    'main button, dialog[open] button, [role=group] > .button')]
    .filter((element) => {
        const {width, height} = element.getBoundingClientRect();
        return width && (width < 44 || height < 44);
    }).map((element) => element.id || element.className)"""


def look(page: Any, choose: str, photo: Path) -> None:
    """Have a photo read at a quick look, and wait until the tab has kept it."""
    page.set_input_files(choose, photo)
    page.wait_for_selector("#result:not([hidden])")
    page.wait_for_function("() => sessionStorage.getItem('tallystone.open.grid')")


def starts(executable: str) -> bool:
    """Whether it is a browser: the chromium of Ubuntu may be a stub that only names a snap."""
    return (
        subprocess.run([executable, "--version"], capture_output=True, check=False).returncode == 0
    )


def browser_path() -> str:
    """The chromium of this machine; skips the test where there is none, except in CI."""
    found = filter(None, map(shutil.which, BROWSERS))
    executable = next((path for path in found if starts(path)), None)
    if executable is None and not os.environ.get("CI"):
        pytest.skip(
            "no chromium on this machine: install it (apt install chromium) to run the browser "
            "tests"
        )
    assert executable, "the browser tests need a chromium on PATH"
    return executable


@contextmanager
def serving(app: Flask, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The application behind the server that people run, on a free port; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"{'https' if tls else 'http'}://127.0.0.1:{listening.getsockname()[1]}"
        server = WebServer(app, [(listening, tls)], app.config["MOST_STREAMS"])
        thread = Thread(target=server.run)
        thread.start()
        try:
            yield address
        finally:
            app.extensions["tallystone_tables"].announcements.close()  # no stream is waited for
            server.stop()
            thread.join()


class Devices:
    """Opens browsers; what a browser complains about is kept in ``complaints``."""

    def __init__(self, chromium: Any, base_url: str) -> None:
        self.chromium = chromium
        self.base_url = base_url
        self.complaints: list[str] = []
        self._contexts: list[Any] = []

    def open(self, path: str = "/", size: dict[str, int] = PHONE) -> Any:
        page = self._new_page(size)
        page.goto(self.base_url + path)
        return page

    def _new_page(self, size: dict[str, int]) -> Any:
        context = self.chromium.new_context(
            viewport=size, has_touch=size is PHONE, reduced_motion="reduce"
        )
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text) if message.type == "error" else None
            ),
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def host(
        self,
        kind: str,
        *players: tuple[str, str],
        size: dict[str, int] = PHONE,
        actions: Sequence[dict[str, Any]] = (),
        **options: Any,
    ) -> tuple[Any, str]:
        """A device at the first seat of a new game, and the game's code; *actions* were done."""
        page = self._new_page(size)
        setup = {
            "players": [{"name": name, "colour": seat} for name, seat in players],
            "options": options,
        }
        begin = {"kind": kind, "setup": setup, "seat": 0}
        answer = sent(page.context, self.base_url, "/api/games", begin)
        code = answer["code"]
        for action in actions:
            sent(page.context, self.base_url, f"/api/games/{code}/actions", {"action": action})
        page.goto(f"{self.base_url}/g/{code}")
        page.wait_for_selector("body[data-ready]")
        return page, code

    def join(self, code: str, name: str, size: dict[str, int] = PHONE) -> Any:
        """Another device, at the seat of *name*."""
        page = self.open(f"/g/{code}", size)
        page.get_by_role("button", name=name).click()
        page.wait_for_selector("body[data-ready]")
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@contextmanager
def devices_at(chromium: Any, base_url: str) -> Iterator[Devices]:
    """Devices that close at the end; fails on any browser complaint but refusals."""
    devices = Devices(chromium, base_url)
    try:
        yield devices
    finally:
        devices.close()
    usual = ("status of 4", "ERR_INTERNET_DISCONNECTED")
    assert [one for one in devices.complaints if not any(text in one for text in usual)] == []


def sent(context: Any, base_url: str, path: str, body: dict[str, Any]) -> Any:
    """The answer to JSON sent as the device of *context*, without a page."""
    start = context.request.get(base_url).text()
    token = start.split('name="csrf-token" content="')[1].split('"')[0]
    answer = context.request.post(base_url + path, data=body, headers={"X-CSRF-Token": token})
    assert answer.ok, answer.text()
    return answer.json()


def send(page: Any, path: str, body: dict[str, Any]) -> Any:
    """The answer to JSON sent as the device of *page*."""
    status, answer = page.evaluate(_SEND, [path, body])
    assert status in (200, 201), answer
    return answer


def act(page: Any, code: str, *actions: dict[str, Any]) -> None:
    """Do actions as the device of *page*, and wait until the page shows them."""
    for action in actions:
        send(page, f"/api/games/{code}/actions", {"action": action})
    page.reload()
    page.wait_for_selector("body[data-ready]")


def tab_to(page: Any, selector: str, most: int = 80) -> None:
    """Press Tab until the focus is on an element, as people do who have no mouse."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached with Tab")


def small_targets(page: Any) -> list[str]:
    """Buttons that are too small for a thumb."""
    found: list[str] = page.evaluate(_SMALL)
    return found


def fits(page: Any) -> bool:
    """Whether nothing is wider than the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))

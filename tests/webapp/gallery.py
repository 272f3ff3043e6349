"""Pictures of every page: phone and desktop, light and dark. Run by ``python dev.py gallery``.

    python tests/webapp/gallery.py [FOLDER] [NAME...]

Writes ``<page>-<size>-<theme>.png`` and an ``index.html`` to look through them: every page, some
of them as people see them who see fewer colours, and the pictures of results. With names only those
pages.
"""

import html
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browser.evening import PHOTO, Evening, Page
from browser.playing import CHROMIUM_ARGS, LAPTOP, PHONE, browser_path, serving
from flask import Flask
from playwright.sync_api import sync_playwright

from webapp.after.result_picture import SIZES as SHAPES

SIZES = {"phone": PHONE, "desktop": LAPTOP}
THEMES = ("light", "dark")
BLINDNESS = ("protanopia", "deuteranopia", "tritanopia")
COLOURFUL = ("table-stones", "table-seasons", "table-time", "table-villagers", "looking-back-time")
"""Pages that are shown with fewer colours, too: those with pieces, people and lines of charts."""

MOST_HEIGHT_PX = 2600
"""Long pages are cut here: nobody looks through a picture that is longer."""


def main(folder: Path, names: list[str]) -> None:
    """Draw the gallery into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        app = an_app(Path(data))
        evening = Evening(app, PHOTO.read_bytes())
        pages = [page for page in evening.pages() if not names or page.name in names]
        try:
            with serving(app) as url, sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=browser_path(), args=CHROMIUM_ARGS
                )
                for size in SIZES:
                    for theme in THEMES:
                        draw(browser, url, evening, pages, size, theme, folder)
                browser.close()
            results = [] if names else list(draw_results(evening, folder))
        finally:
            app.extensions["tallystone_store"].close()
    (folder / "index.html").write_text(index(pages, results), encoding="utf-8")
    print(f"{len(pages)} pages, {len(list(folder.glob('*.png')))} pictures in {folder}")


def an_app(data: Path) -> Flask:
    """The application as it is served with https, with the real networks."""
    from webapp import create_app
    from webapp.serving.tls import certificates

    certificates(data, [])
    return create_app({"DATA_DIR": data, "TLS_PORT": 8443})


def draw(
    browser: Any,
    base: str,
    evening: Evening,
    pages: list[Page],
    size: str,
    theme: str,
    folder: Path,
) -> None:
    """Every page in one size and theme."""
    for stranger in (False, True):
        context = browser.new_context(
            viewport=SIZES[size],
            color_scheme=theme,
            device_scale_factor=1,
            has_touch=size == "phone",
            reduced_motion="reduce",
            locale=os.environ.get("GALLERY_LANGUAGE", "en"),
        )
        if not stranger:
            context.add_cookies([{"name": "tallystone", "value": evening.cookie, "url": base}])
        tab = context.new_page()
        for page in pages:
            if page.stranger == stranger:
                show(tab, base, page)
                tab.wait_for_timeout(250)  # for pictures that come late
                take(tab, page, folder / f"{page.name}-{size}-{theme}.png")
                if (size, theme) == ("phone", "light") and page.name in COLOURFUL:
                    session = context.new_cdp_session(tab)
                    for kind in (*BLINDNESS, "none"):
                        session.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
                        if kind != "none":
                            take(tab, page, folder / f"{page.name}-{kind}.png")
        context.close()


def take(tab: Any, page: Page, path: Path) -> None:
    """Photograph a page as far as anybody looks; where something was pressed, what is in sight."""
    size = tab.viewport_size
    height = tab.evaluate("document.documentElement.scrollHeight")
    is_long = height > MOST_HEIGHT_PX and not page.click
    top = {"x": 0, "y": 0, "width": size["width"], "height": MOST_HEIGHT_PX}
    tab.screenshot(path=path, full_page=not page.click, clip=top if is_long else None)


def draw_results(evening: Evening, folder: Path) -> Iterator[str]:
    """The pictures of results to send, of a game of each kind; gives their names."""
    for kind, code in evening.played():
        for shape in SHAPES:
            name = f"result-{kind}-{shape}.png"
            (folder / name).write_bytes(evening.client.get(f"/g/{code}/result-{shape}.png").data)
            yield name


def show(tab: Any, base: str, page: Page) -> None:
    """Open a page and wait until it is what it should be."""
    tab.goto(base + page.path)
    if page.click or page.photo:
        tab.wait_for_selector("body[data-ready]")
    for selector in page.click:
        tab.locator(selector).click()
    if page.photo:
        file = {"name": "table.jpg", "mimeType": "image/jpeg", "buffer": page.photo}
        tab.set_input_files("#choose", file)
    tab.locator(page.wait).first.wait_for(timeout=15_000)


def index(pages: list[Page], results: list[str]) -> str:
    """A page to look through the pictures."""
    looks = [f"{size}-{theme}" for size in SIZES for theme in THEMES]
    shown = {
        page.name: [
            f"{page.name}-{look}.png"
            for look in (*looks, *(BLINDNESS if page.name in COLOURFUL else ()))
        ]
        for page in pages
    }
    rows = "".join(
        f"<section><h2>{html.escape(name)}</h2>"
        + "".join(f'<img src="{one}" alt="{one}" loading="lazy">' for one in pictures)
        + "</section>"
        for name, pictures in (shown | {"results": results}).items()
    )
    style = (
        "body{font:16px "
        "system-ui;margin:2rem}section{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}"
    )
    style += "h2{width:100%}img{max-height:700px;max-width:45vw;border:1px solid #ccc}"
    return (
        f"<!doctype html><meta charset=utf-8><title>Tallystone</title><style>{style}</style>{rows}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "gallery"), sys.argv[2:])

"""Every page on phone and desktop, light and dark: axe and the browser do not complain."""

from collections.abc import Iterator
from typing import Any

import pytest
from browser import axe
from browser.evening import PHOTO, Evening, Page
from browser.playing import serving
from fakes import FakeReader
from flask import Flask
from gallery import SIZES, show

from vision.doubts import direction_doubt, extent_doubt, set_doubt
from webapp import create_app
from webapp.serving.tls import certificates

pytestmark = pytest.mark.browser

COLOUR_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""What can differ between the themes: they have the same elements, names and sizes."""

LEAST_TARGET_PX = 44

SMALLEST = {"width": 320, "height": 640}
"""A desktop of 1280 pixels at 400 %, and the smallest phones."""

TORN_WORDS = """() => [...document.querySelectorAll('td, h1, h2, h3')].flatMap((cell) => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const torn = [];
    while (walker.nextNode()) {
        for (const word of walker.currentNode.data.matchAll(/[^\\s\\u00ad]+/g)) {
            const range = document.createRange();
            range.setStart(walker.currentNode, word.index);
            range.setEnd(walker.currentNode, word.index + word[0].length);
            if (range.getClientRects().length > 2) torn.push(word[0]);
        }
    }
    return torn;
})"""

NARROW_FIELDS = """[...document.querySelectorAll('input:not([pattern])')]
    .filter(one => one.type === 'text')
    .filter(one => one.checkVisibility())
    .filter(one => one.clientWidth < 6 * parseFloat(getComputedStyle(one).fontSize))
    .map(one => one.outerHTML.slice(0, 80))"""
"""Fields for words and codes that show not even six letters of what is typed."""


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Evening]]:
    """The address of a table with games of every kind."""
    folder = tmp_path_factory.mktemp("evening")
    certificates(folder, [])
    reader = FakeReader()
    questions = (direction_doubt([(0, 0.5), (2, 0.5)]), extent_doubt((1, 3), 0.4, held=False))
    reader.doubts = (*questions, set_doubt("stones", 0.6), *reader.doubts)
    app: Flask = create_app(
        {
            "DATA_DIR": folder,
            "OPEN_READER": lambda *_: reader,
            "TLS_PORT": 8443,
            "SEND_FILE_MAX_AGE_DEFAULT": 3600,
        }
    )
    played = Evening(app, PHOTO.read_bytes())
    with serving(app) as url:
        yield url, played
    app.extensions["tallystone_store"].close()


def test_axe_finds_nothing_on_any_page(chromium: Any, evening: tuple[str, Evening]) -> None:
    """In German, whose words are the longest."""
    base, played = evening
    found: list[str] = []
    complaints: list[str] = []
    for stranger in (False, True):
        context = chromium.new_context(
            viewport=SIZES["phone"],
            locale="de",
            has_touch=True,
            reduced_motion="reduce",
            bypass_csp=True,  # for axe itself; the policy has tests of its own
        )
        context.add_init_script(axe.SCRIPT)
        if not stranger:
            context.add_cookies([{"name": "tallystone", "value": played.cookie, "url": base}])
        tab = context.new_page()
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        for page in played.pages():
            if page.stranger == stranger:
                tab.set_viewport_size(SIZES["phone"])
                tab.emulate_media(color_scheme="light")
                show(tab, base, page)
                assert tab.locator("html").get_attribute("lang") == "de", page.name
                found += axe.violations(tab, page.name)
                on_phone = shown(tab)
                found += too_wide(tab, page) + unresolved(tab, page) + small_targets(tab, page)
                found += enlarged(tab, page)
                tab.set_viewport_size(SIZES["desktop"])
                found += too_wide(tab, page) + unresolved(tab, page)
                if shown(tab) != on_phone:
                    found += axe.violations(tab, f"{page.name}, desktop")
                tab.emulate_media(color_scheme="dark")
                found += axe.violations(tab, f"{page.name}, dark", COLOUR_RULES)
        context.close()
    assert "\n".join(found + complaints) == ""


def shown(tab: Any) -> list[bool]:
    """Which elements of the page can be seen: where they are the same, axe sees nothing new."""
    seen: list[bool] = tab.evaluate(
        "[...document.querySelectorAll('body *')].map(one => one.checkVisibility())"
    )
    return seen


def enlarged(tab: Any, page: Page) -> list[str]:
    """What runs out on the smallest screen, with letters of their own size and twice it.

    And words of tables and headings that narrow columns tear into more than two pieces, and fields
    that are too narrow for what is typed.
    """
    tab.set_viewport_size(SMALLEST)
    found = []
    for size in ("", "200%"):
        tab.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
        torn = [f"{page.name}: {one} is torn" for one in tab.evaluate(TORN_WORDS)]
        torn += [f"{page.name}: narrow {one}" for one in tab.evaluate(NARROW_FIELDS)]
        found += [f"{one}, at 320 px, letters {size}" for one in torn + too_wide(tab, page)]
    tab.evaluate("document.documentElement.style.fontSize = ''")
    return found


def too_wide(tab: Any, page: Page) -> list[str]:
    """Pages that scroll sideways, and buttons whose text runs out."""
    return [
        f"{page.name}: {one}"
        for one in tab.evaluate(
            """() => {
              const {scrollWidth, clientWidth} = document.documentElement;
              const over = scrollWidth - clientWidth;
              const found = over > 0 ? [`${over} px too wide`] : [];
              const named = one => `${one.tagName}#${one.id}.${one.className}`;
              const shown = (one, unless) => one.checkVisibility() && !one.closest(unless);
              const texts = 'button, .button, summary, legend, h1, h2, h3, th, label';
              for (const one of document.querySelectorAll(texts)) {
                if (!shown(one, '.visually-hidden, .skip, svg, dialog:not([open])')) continue;
                const text = one.textContent.trim().slice(0, 40);
                const wide = one.clientWidth && one.scrollWidth > one.clientWidth + 1;
                if (text && wide && getComputedStyle(one).overflowX === 'visible')
                  found.push(`the text of ${named(one)} runs out: ${text}`);
              }
              for (const one of document.querySelectorAll('button, .button')) {
                const { right, width } = one.getBoundingClientRect();
                if (right <= clientWidth + 1 || !width) continue;
                if (shown(one, '.visually-hidden, .skip, .scroll'))
                  found.push(`${named(one)} is cut off by the edge`);
              }
              return found;
            }"""
        )
    ]


def unresolved(tab: Any, page: Page) -> list[str]:
    """Pictures that are drawn nowhere, and texts whose gaps nobody filled in."""
    return [
        f"{page.name}: {one}"
        for one in tab.evaluate(
            """() => [
              ...[...document.querySelectorAll('use[href^="#"]')]
                .map(one => one.getAttribute('href'))
                .filter(href => !document.getElementById(href.slice(1))),
              ...[...document.querySelectorAll('body, body *')]
                .flatMap(one => [one.innerText ?? '', one.ariaLabel ?? '', one.title ?? ''])
                .filter(text => String(text).includes('%(')),
            ]"""
        )
    ]


def small_targets(tab: Any, page: Page) -> list[str]:
    """Buttons, links and fields too small for a thumb; links in sentences are let through."""
    return [
        f"{page.name}: {one}"
        for one in tab.evaluate(
            """least => [...document.querySelectorAll(
                'button, a[href], select, summary, input:not([type=hidden])')]
              .filter(one => one.checkVisibility()
                && !one.closest('.visually-hidden, .skip, .inline-link, p, label, svg'))
              .map(one => [one, one.getBoundingClientRect()])
              .filter(([one, box]) => box.width > 0
                && (box.width < least - .5 || box.height < least - .5))
              .map(([one, box]) => `${one.tagName}#${one.id}.${one.className} `
                + `${Math.round(box.width)}x${Math.round(box.height)}`)
            """,
            LEAST_TARGET_PX,
        )
    ]

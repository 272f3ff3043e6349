"""Walk the documentation site with a headless Chromium. Run by ``python dev.py docs``.

    python tests/site/browse.py FOLDER

Fetches every page that links lead to, and opens ten of them in both themes. Fails for a link, a
picture or an anchor that is not there, a request to another host, a complaint of the browser, and
whatever axe finds.
"""

import functools
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

from playwright.sync_api import Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

AXE_PAGES = (
    "index.html",
    "start.html",
    "faq.html",
    "games/stones.html",
    "commands.html",
    "reference/commands.html",
    "library.html",
    "accuracy.html",
    "architecture.html",
    "reference/scorer.stones.html",
)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FETCH = """async url => {
  const answer = await fetch(url);
  if (!answer.ok) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const all = (selector, name) =>
    [...page.querySelectorAll(selector)].map(one => one.getAttribute(name));
  const addresses = [...all("a[href]", "href"), ...all("[src]", "src")];
  return { ids: all("[id]", "id"), links: addresses.map(one => new URL(one, url).href) };
}"""
"""The anchors of a page, and where its links and pictures lead."""
SIZES = ({"width": 1366, "height": 768}, {"width": 390, "height": 844})


class Quiet(SimpleHTTPRequestHandler):
    """A file server that prints nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address under which the files of *folder* are served meanwhile."""
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Walk:
    """What was found on the pages of one site."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.complaints: list[str] = []
        self.anchors: dict[str, set[str]] = {}
        self.links: list[tuple[str, str, str]] = []

    def watch(self, page: Page) -> None:
        """Hear of what the browser complains about and of every request."""
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning")
                and self.complaints.append(f"{page.url}: {message.text}")
            ),
        )
        page.on(
            "request",
            lambda request: (
                request.url.startswith((self.base, "data:", "blob:"))
                or self.complaints.append(f"{page.url}: asks {request.url}")
            ),
        )

    def every_page(self, page: Page) -> None:
        """Fetch every page and picture of the site that a link leads to."""
        page.goto(self.base + "index.html")
        waiting = [self.base + "index.html"]
        while waiting:
            url = waiting.pop()
            if url in self.anchors:
                continue
            found = page.evaluate(FETCH, url)
            if found is None:
                self.complaints.append(f"{url}: there is no such page")
            self.anchors[url] = set(found["ids"]) if found else set()
            for address in dict.fromkeys(found["links"] if found else ()):
                target, anchor = urldefrag(address)
                if target.startswith(self.base):
                    self.links.append((url, target, unquote(anchor)))
                    waiting.append(target)

    def broken(self) -> list[str]:
        """The links that lead to no anchor, as sentences."""
        return [
            f"{url}: no #{anchor} on {target}"
            for url, target, anchor in self.links
            if anchor and target in self.anchors and anchor not in self.anchors[target]
        ]


def violations(page: Page, name: str) -> list[str]:
    """What axe finds on the open page, as sentences."""
    options = {"runOnly": {"type": "tag", "values": RULES}}
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [
        f"{name}: {rule['id']}: {node['target']} {node['html'][:120]}"
        for rule in found
        for node in rule["nodes"]
    ]


def browse(base: str) -> list[str]:
    """All that is wrong with the site at *base*, as sentences."""
    walk = Walk(base)
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        found = filter(None, map(shutil.which, BROWSERS))
        executable = next(path for path in found if starts(path))
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZES[0])
        walk.watch(page)
        walk.every_page(page)
        page.close()
        for size, theme in ((SIZES[0], "light"), (SIZES[1], "dark")):
            context = browser.new_context(
                viewport=size, color_scheme=theme, reduced_motion="reduce", bypass_csp=True
            )
            context.add_init_script(axe)
            page = context.new_page()
            walk.watch(page)
            for name in AXE_PAGES:
                page.goto(base + name, wait_until="load")
                walk.complaints += violations(page, f"{name}, {size['width']} px, {theme}")
            context.close()
        browser.close()
    print(f"{len(walk.anchors)} pages and pictures, {len(walk.links)} links")
    return walk.complaints + walk.broken()


def starts(executable: str) -> bool:
    """Whether it is a browser: the chromium of Ubuntu may be a stub that only names a snap."""
    done = subprocess.run([executable, "--version"], capture_output=True, check=False)
    return done.returncode == 0


def main(folder: Path) -> int:
    """Walk the site in *folder*; the result is the exit status."""
    with serving(folder) as base:
        wrong = browse(base)
    print("\n".join(wrong) or "nothing is wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""The pages' scripts: unit tests of pure modules in node, the linter, and requests."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from webapp.scripts import STATIC, modules_of

ROOT = Path(__file__).parents[3]
TESTS = sorted(Path(__file__).parent.glob("*.test.js"))
LINTER = ROOT / "node_modules" / ".bin" / "biome"
MOST_LINES = 500


def run(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_units() -> None:
    """Run tests/webapp/static in node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine: the unit tests of the scripts need it")
    assert TESTS
    run(node, "--test", *TESTS)


def test_linter() -> None:
    if not LINTER.exists():
        pytest.skip("the linter of the scripts is not installed: npm install")
    run(LINTER, "lint", "--error-on-warnings")


@pytest.mark.parametrize("path", ["/look", "/start/stones"])
def test_a_page_asks_for_every_module_at_once(client: FlaskClient, path: str) -> None:
    page = client.get(path).get_data(as_text=True)
    (script,) = re.findall(r'<script type="module" src="/static/([^"]+)"></script>', page)
    asked = re.findall(r'<link rel="modulepreload" href="/static/([^"]+)">', page)
    assert (script, *asked) == modules_of(script)


def test_every_import_is_found() -> None:
    """The modules of all pages are all the scripts there are, but for the service worker."""
    pages = (
        "app.js",
        "drop.js",
        "look.js",
        "start.js",
        "lobby.js",
        "table.js",
        "teach/teach.js",
        "teach/camera.js",
        "after/audit.js",
        "after/import.js",
        "after/review.js",
        "after/secure.js",
        "around/screen.js",
    )
    games = (
        f"play/{game}/page.js" for game in ("stones", "seasons", "time", "villagers", "custom")
    )
    there = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")}
    reached = {module for script in (*pages, *games) for module in modules_of(script)}
    assert there - reached == {"after/service-worker.js"}


OWN_NUMBERS = {"FAR", "GUESSES", "MOST_BESIDE", "MOST_SHOWN", "SAME_TAP_MS"}
"""Numbers of the pages themselves: what they group and show at once, and how fast a tap is."""

COUNTED = re.compile(
    r"\b(?:[2-9]|[1-9][0-9]+|two|three|four|five|six|seven|eight|nine|sixteen)\b", re.IGNORECASE
)


def test_pages_of_games_know_no_figure_of_the_rules() -> None:
    """What a box holds, and how much something costs or draws, comes with the view of the game."""
    scripts = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((STATIC / "play").rglob("*.js"))
    )
    figures = re.findall(r"const ([A-Z_]+) = -?\d", scripts)
    assert set(figures) - OWN_NUMBERS == set()
    assert re.findall(r"\[(?:\d+, )+\d+\]", scripts) == []
    told = re.findall(r"\btn?\(\s*'((?:[^'\\]|\\.)+)'", scripts)
    assert len(told) > 200
    assert [text for text in told if COUNTED.search(text)] == []


def test_no_script_is_too_long() -> None:
    lines = {
        path.name: path.read_text(encoding="utf-8").count("\n") for path in STATIC.rglob("*.js")
    }
    too_long = {name for name, count in lines.items() if count > MOST_LINES}
    assert too_long == set()

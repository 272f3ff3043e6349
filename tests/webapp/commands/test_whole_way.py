"""The real reader behind the real command and server, with the packaged photos."""

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from scorer.stones.board import Symbol
from webapp import bundled
from webapp.__main__ import cli
from webapp.cards import match_grid

ROOT = Path(__file__).parents[3]
EASY = "easy_1.jpg"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What ``tallystone demo --json`` says."""
    folder = tmp_path_factory.mktemp("demo")
    result = CliRunner().invoke(
        cli, ["demo", "--output", str(folder), "--data", str(folder), "--json"]
    )
    assert result.exit_code == 0, result.stderr
    assert len(list(folder.glob("*.overlay.jpg"))) == sum(
        json.loads(line)["found"] for line in result.stdout.splitlines()
    )
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_demo_is_never_silently_wrong(demo: list[dict[str, Any]]) -> None:
    assert [document["photo"] for document in demo] == bundled.demo_names()
    silent = [
        document["photo"]
        for document in demo
        if document.get("sure") and document["text"] != document["truth"]
    ]
    assert silent == []


def test_the_demo_reads_the_easy_photo(demo: list[dict[str, Any]]) -> None:
    """Untaught stones may be mistaken for others of their kind, but not without a question."""
    easy = next(document for document in demo if document["photo"] == EASY)
    read, truth = (easy[key].replace("/", " ").split() for key in ("text", "truth"))
    wrong = [i for i in range(9) if read[i] != truth[i]]
    assert len(wrong) <= 1
    assert not any(easy["cells"][i]["sure"] for i in wrong)
    assert easy["matches"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real ``tallystone serve``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = str(tmp_path_factory.mktemp("data"))
    command = [
        sys.executable,
        "-m",
        "webapp",
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--data",
        data,
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        url = f"http://127.0.0.1:{port}"
        try:
            wait_for(url)
            yield url
        finally:
            server.terminate()


def wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{url}/api/cards", timeout=5):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def matches_of(words: list[str]) -> set[int]:
    text = " / ".join(" ".join(words[first : first + 3]) for first in (0, 3, 6))
    return {card["id"] for card in match_grid(text)["matches"]}


def changes_of(words: list[str]) -> Iterator[list[str]]:
    """The grid with one stone turned over, for each stone."""
    for at, word in enumerate(words):
        yield [*words[:at], Symbol(word).back.value, *words[at + 1 :]]


def shown_cards(page: Any) -> set[int]:
    cards = page.locator("#cards [data-card]")
    return set(map(int, cards.evaluate_all("all => all.map((card) => card.dataset.card)")))


@pytest.mark.browser
def test_a_phone_uploads_a_photo_changes_a_cell_and_sees_the_matches_change(
    chromium: Any, served: str, tmp_path: Path
) -> None:
    data = bundled.demo_photo(EASY)
    assert data is not None
    path = tmp_path / "IMG_0001.jpg"
    path.write_bytes(data)
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    try:
        page.goto(f"{served}/look")
        page.wait_for_selector("body[data-ready]")
        with page.expect_response("**/api/read", timeout=60_000) as answered:
            page.set_input_files("#take", path)
        words = answered.value.json()["text"].replace(" / ", " ").split()
        page.wait_for_selector("#result:not([hidden])")
        assert page.locator(".overlay .label-word").all_text_contents() == words
        assert shown_cards(page) == matches_of(words)

        changed = next(
            other for other in changes_of(words) if matches_of(other) != matches_of(words)
        )
        at = next(at for at in range(9) if changed[at] != words[at])
        page.locator(f'.square[data-cell="{at // 3},{at % 3}"]').click()
        page.locator(f"[data-picker] [data-label={changed[at]}]").click()
        page.locator("#status").filter(has_text=f"column {at % 3 + 1} is {changed[at]}.").wait_for(
            state="attached"
        )
        assert shown_cards(page) == matches_of(changed)
    finally:
        page.close()


def test_bad_uploads_are_refused_by_the_real_server(served: str) -> None:
    body = (
        b'--x\r\nContent-Disposition: form-data; name="photo"; '
        b'filename="a.jpg"\r\n\r\nhello\r\n--x--\r\n'
    )
    for path, kind in (("/api/read", "application/json"), ("/read", "text/html")):
        request = urllib.request.Request(
            f"{served}{path}", body, {"Content-Type": "multipart/form-data; boundary=x"}
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=10)
        with refused.value as answer:
            assert answer.code == 415
            assert answer.headers["Content-Type"].startswith(kind)
            assert answer.headers["Server"] is None

"""What a photo leaves in doubt, answered on a phone: a question for stones that look alike, which
side is up, and whether a piece lies somewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser.playing import Devices, devices_at, fits, send, small_targets
from fakes import FakeReader
from flask import Flask
from taught_copies import of_faces

from calibration.profiles import save_taught
from calibration.taught import embedding_version
from scorer.text import Text
from vision.doubts import Doubt, direction_doubt, extent_doubt, set_doubt
from vision.profile import Profile
from webapp.store import Event

pytestmark = pytest.mark.browser

SEEDS = Doubt("cell", 0.4, Text("Are these?"), ((1, 1), (1, 2)), (("seed", 0.6), ("moon", 0.35)))
"""The two seeds of the fake reader look alike; both may be moons."""

DIRECTION = direction_doubt([(0, 0.5), (1, 0.2), (2, 0.2), (3, 0.1)])
MEADOW = {"name": "meadow", "rows": [3, 4], "cols": [3, 4], "empty": True}


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


@pytest.fixture
def photo_file(tmp_path: Path, photo: bytes) -> Path:
    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    return path


def stones(devices: Devices, photo_file: Path) -> tuple[Any, str]:
    """A game of stones with the review of a photo open."""
    page, code = devices.host("stones", ("Ann", "yellow"), ("Ben", "red"))
    page.locator("#photo").click()
    return reviewed(page, photo_file), code


def played_on(page: Any, code: str, cell: str, flipped: str) -> None:
    """Flip a stone of the board that was settled, score what lies there, and end the turn."""
    page.locator(f'[data-key="cell-{cell}"]').tap()
    page.locator("#stone-flip").tap()
    page.locator(f'[data-key="cell-{cell}"][aria-label*="{flipped}"]').wait_for()
    game = page.evaluate(f"fetch('/api/games/{code}').then((answer) => answer.json())")
    card = int(next(iter(game["view"]["matches"])))
    send(page, f"/api/games/{code}/actions", {"action": {"type": "score", "card": card}})
    page.locator("#end-turn").tap()
    page.locator("#turn-title").filter(has_text="Ben’s turn").wait_for()


def reviewed(page: Any, photo_file: Path) -> Any:
    page.set_input_files("[data-pick=choose]", photo_file)
    page.wait_for_selector(".review[data-view=result]")
    assert fits(page)
    assert small_targets(page) == []
    return page


def last_action(app: Flask) -> dict[str, Any]:
    with app.extensions["tallystone_store"].reading() as session:
        return dict(session.query(Event).order_by(Event.seq.desc()).first().action)


def test_one_tap_settles_two_stones_that_look_alike(
    app: Flask, devices: Devices, reader: FakeReader, photo_file: Path
) -> None:
    reader.doubts = (SEEDS,)
    page, code = stones(devices, photo_file)
    assert page.locator(".verdict").inner_text() == "2 stones to check"
    assert page.locator(".check-list li").count() == 1
    assert page.locator(".check-list .crop").count() == 2
    page.locator("[data-guess=moon]").tap()
    assert page.locator(".check").is_hidden()
    assert page.locator(".review .square.doubtful").count() == 0
    page.locator('.square[data-cell="1,2"]').tap()  # each is still corrected alone
    page.locator("[data-picker] [data-label=seed]").tap()
    page.locator("[data-use]").tap()
    page.locator('[data-key="cell-1-1"][aria-label*="moon"]').wait_for()
    assert page.locator('[data-key="cell-1-2"][aria-label*="seed"]').count() == 1
    action = last_action(app)
    assert action["corrections"] == [[1, 1, "seed", "moon"]]
    assert action["answers"] == [
        {"kind": "cell", "question": "Are these?", "cells": [[1, 1], [1, 2]], "answer": "moon"}
    ]
    page.locator("#undo").click()
    page.locator('[data-key="cell-1-1"][aria-label*="moon"]').wait_for(state="detached")
    page.locator("#redo").click()
    page.locator('[data-key="cell-1-1"][aria-label*="moon"]').wait_for()
    played_on(page, code, "1-1", "sun")


def test_one_tap_says_which_side_is_up(
    app: Flask, devices: Devices, reader: FakeReader, photo_file: Path
) -> None:
    reader.doubts = (DIRECTION,)
    page, code = stones(devices, photo_file)
    assert page.locator(".verdict").inner_text() == "1 question left"
    assert page.locator(".review .square.doubtful").count() == 0
    assert page.locator("[data-question=direction] .turned").count() == 4
    page.locator("[data-question=direction] [data-answer='2']").tap()
    assert page.locator(".check").is_hidden()
    page.locator("[data-use]").tap()
    page.locator('[data-key="cell-0-0"][aria-label*="boat"]').wait_for()
    action = last_action(app)
    assert action["text"] == "boat bird horse / seed seed tree / bird horse sun"
    assert (action["turns"], action["answers"][0]["answer"]) == (2, 2)
    page.locator("#look-again").click()  # nobody is asked the same again
    page.wait_for_selector(".review[data-view=result]")
    assert page.locator("[data-question]").count() == 0
    page.locator("[data-use]").tap()
    played_on(page, code, "0-0", "horse")


def test_a_board_of_any_shape_asks_where_pieces_lie_and_which_game_it_is(
    app: Flask, devices: Devices, reader: FakeReader, photo_file: Path
) -> None:
    faces = {label: np.ones((1, 4, 8), np.float32) for label in ("sun", "moon", "cow")}
    colours = {label: np.ones((1, 3), np.float32) for label in faces}
    profile = Profile("mine", "meadow", faces, embedding_version(), colours)
    save_taught(of_faces(profile), app.config["DATA_DIR"])
    reader.doubts = (
        extent_doubt((1, 3), 0.4, held=False),
        extent_doubt((2, 2), 0.6, held=True),
        set_doubt("meadow", 0.6),
    )
    page, _ = devices.host("custom", ("Ann", "red"), board=MEADOW)
    page.locator("[data-photograph='0']").click()
    reviewed(page, photo_file)
    assert page.locator("[data-question]").evaluate_all(
        "all => all.map(e => e.dataset.question)"
    ) == ["extent", "extent", "set"]
    page.locator("[data-answer=piece]").first.tap()
    page.locator("[data-picker] [data-label=cow]").tap()
    page.locator("[data-answer=nothing]").tap()
    page.locator("[data-question=set] [data-answer=no]").tap()
    assert "take another photo" in page.locator("[data-question=set] .hint").inner_text()
    page.locator("[data-question=set] [data-answer=yes]").tap()
    assert page.locator(".check").is_hidden()
    page.locator("[data-use]").tap()
    page.locator(".custom-board .square").first.wait_for()
    action = last_action(app)
    assert action["text"] == "sun horse bird . / tree seed seed cow / horse bird . ."
    assert [one["answer"] for one in action["answers"]] == ["piece", "nothing", "yes"]

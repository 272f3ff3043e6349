"""What people confirmed stays confirmed on the next photo, where nothing was changed."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from fakes import DOUBTFUL, STATE, FakeReader, TokenClient, encode
from flask import Flask

from scorer.text import Text
from vision.doubts import Doubt
from webapp.tables import confirmed
from webapp.tables.confirmed import Confirmed, last_confirmed, still_confirmed

SETUP = {
    "players": [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "green"}],
    "options": {},
}
DOUBT = Doubt("cell", 0.4, Text("Is it %(what)s?", what="tree"), (DOUBTFUL,), (("tree", 0.6),))
TREE = {"row": 0, "col": 0, "label": "tree", "sure": False, "quad": [[0, 0]] * 4}
ABOUT_TREE = {"kind": "cell", "cells": [[0, 0]]}


@pytest.fixture
def code(app: Flask, client: TokenClient, reader: FakeReader, monkeypatch: Any) -> str:
    """A game of which any photo leaves one doubt."""
    read = reader.read
    monkeypatch.setattr(reader, "read", lambda *given: replace(read(*given), doubts=(DOUBT,)))
    answer = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
    return str(answer.json["code"])


def photographed(client: TokenClient, code: str, photo: bytes) -> Any:
    return client.post(
        f"/api/games/{code}/photos",
        data={"photo": (io.BytesIO(photo), "a.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": client.token()},
    ).json


def used(client: TokenClient, code: str, photo: int, text: str = STATE) -> None:
    corrections = [] if text == STATE else [[*DOUBTFUL, "tree", "boat"]]
    action = {"type": "board", "text": text, "photo": photo, "corrections": corrections}
    assert client.send_json(f"/api/games/{code}/actions", {"action": action}).status_code == 200


def doubts(answer: Any) -> tuple[list[tuple[int, int]], int]:
    cells = answer["reading"]["cells"]
    unsure = [(cell["row"], cell["col"]) for cell in cells if not cell["sure"]]
    assert answer["reading"]["sure"] is (not answer["reading"]["doubts"])
    return unsure, len(answer["reading"]["doubts"])


def drawn(photo: bytes, where: tuple[int, int]) -> bytes:
    """The photo with another picture on a cell, and a little lighter."""
    image = cv2.imdecode(np.frombuffer(photo, np.uint8), cv2.IMREAD_COLOR)
    top, left = int(600 * (0.1 + 0.27 * where[0])), int(800 * (0.1 + 0.27 * where[1]))
    cv2.circle(image, (left + 100, top + 75), 60, (30, 60, 230), -1)
    cv2.line(image, (left + 20, top + 20), (left + 180, top + 130), (250, 250, 250), 14)
    return encode(cv2.convertScaleAbs(image, alpha=1.05))


def test_a_confirmed_cell_is_not_asked_again(client: TokenClient, code: str, photo: bytes) -> None:
    first = photographed(client, code, photo)
    assert doubts(first) == ([DOUBTFUL], 1)
    assert doubts(photographed(client, code, photo)) == ([DOUBTFUL], 1)  # nobody confirmed it
    used(client, code, first["photo"])
    for _ in range(2):  # neither by a photo whose other places changed
        again = photographed(client, code, drawn(photo, (2, 2)))
        assert doubts(again) == ([], 0)
        used(client, code, again["photo"])


def test_a_cell_that_looks_otherwise_is_asked_again(
    client: TokenClient, code: str, photo: bytes
) -> None:
    used(client, code, photographed(client, code, photo)["photo"])
    assert doubts(photographed(client, code, drawn(photo, DOUBTFUL))) == ([DOUBTFUL], 1)


def test_a_cell_that_was_corrected_is_asked_again(
    client: TokenClient, code: str, photo: bytes
) -> None:
    number = photographed(client, code, photo)["photo"]
    used(client, code, number, STATE.replace("tree", "boat"))
    assert doubts(photographed(client, code, photo)) == ([DOUBTFUL], 1)


def test_a_doubt_about_the_direction_stays_when_its_cells_are_confirmed(monkeypatch: Any) -> None:
    monkeypatch.setattr(confirmed, "look_the_same", lambda *_: [True])
    before = Confirmed("a.jpg", {"cells": [TREE]}, {(0, 0): "tree"})
    way = {"kind": "direction", "cells": []}
    reading = {"cells": [TREE], "doubts": [way, ABOUT_TREE], "sure": False}
    after = still_confirmed(reading, b"", before, b"")
    assert (after["doubts"], after["sure"], after["cells"][0]["sure"]) == ([way], False, True)


def test_a_cell_that_reads_otherwise_now_is_asked_again(monkeypatch: Any) -> None:
    monkeypatch.setattr(confirmed, "look_the_same", lambda *_: [True])
    before = Confirmed("a.jpg", {"cells": [TREE]}, {(0, 0): "tree"})
    reading = {"cells": [TREE | {"label": "boat"}], "doubts": [ABOUT_TREE], "sure": False}
    assert still_confirmed(reading, b"", before, b"") == reading


def test_only_the_own_board_as_it_was_read_confirms(monkeypatch: Any) -> None:
    photo = SimpleNamespace(file="a.jpg", reading={"cells": [TREE]})
    action = {"seat": 1, "text": "tree"}
    monkeypatch.setattr(confirmed, "_used", lambda *_: iter([(action, photo)]))
    visit: Any = None
    own = last_confirmed(visit, "seasons", 1)
    assert own is not None
    assert own.file == "a.jpg"
    assert last_confirmed(visit, "seasons", 0) is None
    action["turns"] = 1
    assert last_confirmed(visit, "seasons", 1) is None


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"gone")])
def test_a_lost_photo_confirms_nothing_and_costs_no_reading(
    app: Flask, client: TokenClient, code: str, photo: bytes, damage: Callable[[Path], Any]
) -> None:
    used(client, code, photographed(client, code, photo)["photo"])
    (kept,) = app.extensions["tallystone_tables"].photos.folder.folder.glob("*.jpg")
    damage(kept)
    assert doubts(photographed(client, code, photo)) == ([DOUBTFUL], 1)


def test_what_was_undone_is_not_confirmed(client: TokenClient, code: str, photo: bytes) -> None:
    used(client, code, photographed(client, code, photo)["photo"])
    client.send_json(f"/api/games/{code}/undo", {})
    assert doubts(photographed(client, code, photo)) == ([DOUBTFUL], 1)


def test_the_last_boards_of_a_taught_copy_are_its_lessons(
    app: Flask, client: TokenClient, code: str, photo: bytes, monkeypatch: Any
) -> None:
    given: list[Any] = []
    table_reader = app.extensions["tallystone_tables"].photos._reader
    read_board = table_reader.read_board

    def read(*args: Any, **names: Any) -> Any:
        given.append(names["confirmed"])
        read = read_board(*args, **names)
        return replace(read, document=read.document | {"profile": copy})

    monkeypatch.setattr(table_reader, "read_board", read)
    monkeypatch.setattr("webapp.tables.confirmed.MOST_BOARDS", 2)
    copy, corrected = "mine", STATE.replace("tree", "boat")
    for _ in range(3):
        used(client, code, photographed(client, code, photo)["photo"], corrected)
    copy = "default"
    used(client, code, photographed(client, code, photo)["photo"])
    photographed(client, code, photo)
    assert [{name: len(boards) for name, boards in one.items()} for one in given] == [
        {},
        {"mine": 1},
        {"mine": 2},
        {"mine": 2},
        {"mine": 2},
    ]
    board = given[1]["mine"][0]
    assert [label for label, _ in board.cells] == corrected.replace(" /", "").split()
    assert all(len(corners) == 8 for _, corners in board.cells)

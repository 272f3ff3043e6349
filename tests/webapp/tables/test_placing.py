"""Where on a board of given size new pieces lie, as the board of the game so far tells."""

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes import FakeReader, TokenClient
from flask import Flask
from taught_copies import of_faces

from calibration.profiles import save_taught
from calibration.taught import embedding_version
from scorer.text import Text
from vision.doubts import Doubt, direction_doubt, placing_doubt
from vision.profile import Profile
from webapp.tables.placing import placed_as

CELL = Doubt("cell", 0.4, Text("Is it %(what)s?", what="cow"), ((0, 0), (1, 0)))
BESIDE = Doubt("extent", 0.4, Text("Does a piece lie there?"), ((-1, 1),))
MEADOW = {"name": "meadow", "rows": [3, 3], "cols": [3, 3], "empty": True}


def reading(text: str, *doubts: Doubt) -> Any:
    places = [(r, c) for r, row in enumerate(text.split(" / ")) for c, _ in enumerate(row.split())]
    cells = [{"row": row, "col": col, "was": [row, col]} for row, col in places]
    asked = [doubt.to_document() for doubt in (placing_doubt(4), *doubts)]
    return {"text": text, "cells": cells, "doubts": asked, "sure": False}


@pytest.mark.parametrize(
    ("read", "noted", "placed"),
    [
        ("cow sun . / . . .", "cow sun . / . . .", "cow sun . / . . ."),
        ("cow sun . / . . .", ". . . / . cow sun", ". . . / . cow sun"),
        ("cow sun pig / . . .", ". . . / sun pig .", None),  # no room on the left
        ("cow sun pig / . . .", ". . . / . sun pig", ". . . / cow sun pig"),
        ("cow . . / . . .", ". . . / . . cow", None),  # it may have been moved
        ("cow cow . / . . .", ". . . / cow cow cow", None),  # on either side
        ("cow sun . / . . .", ". cow sun / pig pig pig", None),  # most were moved
        ("cow sun . / . . .", ". . / . . / cow sun", None),
    ],
)
def test_pieces_lie_where_most_of_them_lay(read: str, noted: str, placed: str | None) -> None:
    found = placed_as(reading(read), noted)
    assert found == reading(read) if placed is None else found["text"] == placed
    assert found["sure"] is not (placed is None)
    words = dict(zip(map(str, ((0, 0), (0, 1), (0, 2))), read.split(), strict=False))
    for cell in found["cells"]:
        was = words.get(str(tuple(cell["was"])), ".")
        assert found["text"].split(" / ")[cell["row"]].split()[cell["col"]] == was


def test_other_doubts_move_along() -> None:
    found = placed_as(reading("cow sun / . .", CELL, BESIDE), ". . / cow sun")
    assert [doubt["cells"] for doubt in found["doubts"]] == [[[1, 0]], [[0, 1]]]


def test_a_board_whose_side_is_unknown_is_asked_about() -> None:
    way = direction_doubt([(0, 0.6), (2, 0.4)])
    assert placed_as(reading("cow sun / . .", way), ". . / cow sun")["text"] == "cow sun / . ."


def test_the_next_photo_of_a_game_is_placed_by_its_board(
    app: Flask, client: TokenClient, reader: FakeReader, photo: bytes, monkeypatch: Any
) -> None:
    faces = {label: np.ones((1, 4, 8), np.float32) for label in ("sun", "cow")}
    colours = {label: np.ones((1, 3), np.float32) for label in faces}
    copy = Profile("mine", "meadow", faces, embedding_version(), colours)
    save_taught(of_faces(copy), app.config["DATA_DIR"])
    text, doubts = "cow sun cow / . . . / . . .", (placing_doubt(3),)
    read = reader.read
    monkeypatch.setattr(
        reader, "read", lambda *given: replace(read(*given), text=text, doubts=doubts)
    )
    players = [{"name": "Ann", "colour": "red"}]
    setup = {"players": players, "options": {"board": MEADOW}}
    started = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
    code = started.json["code"]

    def photographed() -> Any:
        sent = {"photo": (io.BytesIO(photo), "a.jpg"), "board": "custom", "seat": "0"}
        headers = {"X-CSRF-Token": client.token()}
        return client.post(f"/api/games/{code}/photos", data=sent, headers=headers).json["reading"]

    first = photographed()
    assert (first["text"], len(first["doubts"])) == (text, 1)
    used = {"type": "board", "seat": 0, "text": ". . . / . . . / cow sun cow"}
    assert client.send_json(f"/api/games/{code}/actions", {"action": used}).status_code == 200
    again = photographed()
    assert (again["text"], again["doubts"]) == (used["text"], [])

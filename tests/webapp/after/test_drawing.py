"""Boards drawn for reports and pictures: what lies there, what is marked, and what is needed."""

import re

import cv2
import numpy as np
import pytest
from browser.evening import SEASONS, SEASONS_BOARD, TIME_GRID
from flask import Flask

from scorer.notation import EMPTY
from webapp.after import drawing

STONES = "sun moon fish / bird horse boat / seed tree tree"
CROP = "data:image/png;base64,"


def in_full(board: str) -> str:
    for season in SEASONS:
        board = re.sub(rf"\b{season[:2]}\b", season, board)
    return board


BOARDS = {
    "stones": STONES,
    "seasons": in_full(SEASONS_BOARD).replace("1", "1!"),
    "time": TIME_GRID + " / ?/spring . .",
}


@pytest.mark.parametrize("kind", BOARDS)
def test_every_piece_has_a_symbol_and_none_is_a_word(app: Flask, kind: str) -> None:
    with app.test_request_context():
        drawn = drawing.board(kind, BOARDS[kind])
        sprite = drawing.sprite(kind, drawn)
    assert "<text" not in drawn
    pieces = [word for word in BOARDS[kind].split() if word not in ("/", ".")]
    assert drawn.count("<use") == len(pieces)
    used = re.findall(r'href="#([^"]+)"', drawn + sprite)
    assert set(used) <= set(re.findall(r'<symbol id="([^"]+)"', sprite))


def test_cells_are_framed_or_all_others_are_pale(app: Flask) -> None:
    with app.test_request_context():
        framed = drawing.board("stones", STONES, [(0, 1), (2, 2)], says="nine stones")
        lit = drawing.board("stones", STONES, [(0, 1), (2, 2)], lit=True)
    assert framed.count("drawn-mark") == 2
    assert 'role="img" aria-label="nine stones"' in framed
    assert lit.count("drawn-other") == 7
    assert 'aria-hidden="true"' in lit


def test_pieces_of_a_taught_game_are_pictures_and_others_words(app: Flask) -> None:
    with app.test_request_context():
        drawn = drawing.board("custom", "cow <pig> / . moon", pictures={"cow": CROP})
    assert drawn.count("<image") == 1
    assert "&lt;pig&gt;" in drawn
    assert ">moon<" in drawn
    assert drawn.count("drawn-blank") == 1


@pytest.mark.parametrize("kind", BOARDS)
def test_pictures_show_what_lies_there(app: Flask, kind: str) -> None:
    """Cells that hold the same look the same, and others do not."""
    with app.test_request_context():
        png = drawing.png(kind, drawing.board(kind, BOARDS[kind]), 60 * columns(BOARDS[kind]))
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR).astype(int)
    looks: dict[str, np.ndarray] = {}
    for row, words in enumerate(BOARDS[kind].split(" / ")):
        for col, word in enumerate(words.split()):
            up = word.split("/")[0]
            look = image[60 * row : 60 * row + 60, 60 * col : 60 * col + 60]
            assert np.abs(look - looks.setdefault(up, look)).mean() < 2
    names = list(looks)
    for at, one in enumerate(names):
        for other in names[:at]:
            assert np.abs(looks[one] - looks[other]).mean() > 2, (one, other)


@pytest.mark.parametrize(
    "word", ["松树林的大房子", "wheat+1", "WWWWWWW", "😀😀😀😀😀", "Donaudampf"]
)
def test_a_name_has_room_in_its_cell(app: Flask, word: str) -> None:
    """It runs over no edge, and is seen: also one that no font of ours has the letters of."""
    with app.test_request_context():
        words, others = (
            drawing.board("custom", f"{EMPTY} {one} {EMPTY}") for one in (word, "\u200b")
        )
        shown, blank = (
            cv2.imdecode(
                np.frombuffer(drawing.png("custom", one, 576), np.uint8), cv2.IMREAD_COLOR
            ).astype(int)
            for one in (words, others)
        )
    columns = np.flatnonzero(np.abs(shown - blank).any(axis=(0, 2)))
    assert 192 + 9 <= columns.min() < columns.max() < 384 - 9
    assert columns.max() - columns.min() > 90


def columns(board: str) -> int:
    return len(board.split(" / ")[0].split())

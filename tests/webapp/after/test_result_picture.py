"""The picture of a result: its size, and that any names and boards can be in it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from fakes import TokenClient

from webapp.after.archive import records
from webapp.after.fonts import breadth, readable, shortened, shown, wrapped
from webapp.after.result_picture import NAME_AT, row_of

NAMES = ("<b>&\"'Ann", "李明" * 19, "Zoë 🎲 " + "W" * 30, "Dora", "Eve", "Fay", "Gus", "Hal")
BOARD = {"name": "a & <b> " + "w" * 30, "rows": [1, 9], "cols": [1, 9], "empty": True}


def finished(client: TokenClient, kind: str, **more: object) -> str:
    setup = {"players": [{"name": name, "colour": "red"} for name in NAMES], "options": {}} | more
    answer = client.send_json("/api/games", {"kind": kind, "setup": setup, "seat": 0})
    assert answer.status_code == 201, answer.get_json()
    return str(answer.get_json()["code"])


def act(client: TokenClient, code: str, **action: object) -> None:
    answer = client.send_json(f"/api/games/{code}/actions", {"action": action})
    assert answer.status_code == 200, answer.get_json()


@pytest.mark.parametrize("board", ["", "cow . <i> / . pig&sow .", "cow", "a b c d e f g h i"])
@pytest.mark.parametrize(("shape", "size"), [("wide", (630, 1200)), ("square", (1200, 1200))])
def test_every_result_is_a_picture_of_its_size(
    client: TokenClient, board: str, shape: str, size: tuple[int, int]
) -> None:
    code = finished(client, "custom", options={"board": BOARD})
    if board:
        act(client, code, type="board", seat=3, text=board, photo=None, corrections=[])
    act(client, code, type="finish")
    answer = client.get(f"/g/{code}/result-{shape}.png")
    assert answer.status_code == 200
    image = cv2.imdecode(np.frombuffer(answer.data, np.uint8), cv2.IMREAD_COLOR)
    assert image.shape[:2] == size
    edge = np.concatenate([image[:20].reshape(-1, 3), image[-20:].reshape(-1, 3)])
    assert (edge == edge[0]).all()  # nothing runs out of the paper
    assert image.std() > 10


def test_a_game_that_goes_on_has_none(client: TokenClient) -> None:
    code = finished(client, "custom", options={"board": BOARD})
    assert client.get(f"/g/{code}/result-wide.png").status_code == 409
    act(client, code, type="finish")
    assert client.get(f"/g/{code}/result-round.png").status_code == 404
    assert client.application.test_client().get(f"/g/{code}/result-wide.png").status_code == 403
    saved = client.get(f"/g/{code}/result-square.png?save")
    assert saved.headers["Content-Disposition"].startswith("attachment")


def test_names_in_letters_that_no_font_has_are_told_apart(client: TokenClient) -> None:
    code = finished(client, "custom", options={"board": BOARD})
    (game,) = records(client.application.extensions["tallystone_store"], code=code)
    typed = ("김철수", "สมชาย", "😀👨‍👩‍👧‍👦 Família", "राम", "🐑", "Ann 🐑", "Ann 🐮")
    game = replace(
        game,
        state={"players": [{"name": name} for name in typed]},
        result=tuple({"player": name} for name in typed),
    )
    with client.application.test_request_context():
        found = readable(game)
    told = ("Player 1", "Player 2", "Família", "Player 4", "Player 5", "Ann sheep", "Ann cow face")
    assert tuple(map(shown, found.players)) == told
    assert tuple(row["player"] for row in found.result) == found.players


@pytest.mark.parametrize("text", ["Ann wins with 9 points!", "李明以九分获胜！" * 4, "W" * 90])
def test_lines_are_no_longer_than_there_is_room(text: str) -> None:
    lines = list(wrapped(text, 250))
    assert all(0 < breadth(line) <= 250 for line in lines)
    assert len(lines) == -(-breadth(text) // 250) or text.startswith("W")


@pytest.mark.parametrize("room", range(60, 300, 15))
def test_no_line_begins_with_closing_punctuation(room: int) -> None:
    lines = list(wrapped("李明以（九分）获胜，领先“安”三分。", room))
    assert not any(line[0] in "），。！" for line in lines)


def test_points_below_zero_have_their_sign(client: TokenClient) -> None:
    with client.application.test_request_context():
        score = row_of({"rank": 2, "player": "Ann", "score": -11, "winner": False}, 500, 32)[
            "score"
        ]
    assert (score, shown(score)) == ("–11", score)


@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize("score", [7, 999_999])
@pytest.mark.parametrize("name", [*NAMES, "WWWW " * 8, "Bartholomew Great of the North"])
def test_name_crown_and_score_have_a_place_each(name: str, score: int, won: bool) -> None:
    row = row_of({"rank": 1, "player": name, "score": score, "winner": won}, 500, 28)
    end = NAME_AT + breadth(row["name"], "NotoSans-Bold", 28)
    score_at = 496 - breadth(row["score"], "NotoSans-Bold", 28)
    crown = (row["crown"], row["crown"] + 1.2 * 28)
    assert end < (crown[0] if won else score_at)
    assert crown[1] < score_at


def test_a_title_is_as_long_as_its_room() -> None:
    title = "Endless Winter: Paleoamericans with every expansion"
    short = shortened(title, 500, "NotoSerif-Bold", 46)
    assert short.endswith("…")
    assert 430 < breadth(short, "NotoSerif-Bold", 46) <= 500

"""An evening to look at: a table with games of every kind, and the address of every page.

Used by the gallery of pictures and by the tests that look at every page.
"""

import io
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import cv2
from flask import Flask
from flask.testing import FlaskClient

DEMO = Path(__file__).parents[3] / "calibration" / "demo"
PHOTO = DEMO / "easy_1.jpg"

SEASONS_BOARD = (
    "au 1 sp* sp* sp* su* / . su su su sp 2 / . au au* su* sp sp / "
    ". su* wi sp su . / 4 wi . . su* sp / wi . . sp 3 sp*"
)
OTHER_SEASONS_BOARD = (
    "wi 1 wi wi* au au / su wi* . au au* 2 / su su* wi au . sp / "
    ". su wi* wi sp sp* / 4 su* . au* sp . / wi wi . . 3 sp"
)
TIME_GRID = (
    "spring/autumn . winter/summer / summer/winter autumn/autumn spring/summer / . winter/autumn ."
)
SEASONS = ("spring", "summer", "autumn", "winter")
TIME_PLACEMENTS: tuple[tuple[str, tuple[int, int], list[list[int]]], ...] = (
    ("spring/autumn", (0, 0), []),
    ("winter/summer", (0, 1), [[0, 0]]),
    ("summer/spring", (1, 0), [[0, 0]]),
    ("autumn/autumn", (1, 1), [[1, 0], [0, 1]]),
    ("winter/spring", (2, 1), [[1, 1]]),
    ("autumn/winter", (1, 2), [[1, 1]]),
)
MEADOW = 'name = "meadow"\nrows = [2, 3]\ncols = [2, 3]\nempty = true\n'

STONES_EVENINGS = (
    ((1, 50, 9), (56, 12)),
    ((30, 5), (60, 2, 20)),
    ((44, 3, 61), (18,)),
    ((7, 33), (52, 4, 11)),
)
"""Cards scored by two players in four finished games."""


@dataclass(frozen=True)
class Page:
    """One page: ``wait`` is a selector that must be there, ``click`` what is pressed first.

    A ``photo``, as the bytes of its file, is given to the quick look.
    """

    name: str
    path: str
    wait: str = "main"
    click: tuple[str, ...] = ()
    stranger: bool = False
    photo: bytes = b""


@cache
def pale_photo() -> bytes:
    """The hardest photo of the demo with so little colour left that it leaves questions."""
    photo = cv2.imread(str(DEMO / "hard_3.jpg"))
    grey = cv2.cvtColor(cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    pale = cv2.addWeighted(photo, 0.25, grey, 0.75, 0)
    return bytes(cv2.imencode(".jpg", pale)[1].tobytes())


class Evening:
    """Games that one device has started in *app*."""

    def __init__(self, app: Flask, photo: bytes) -> None:
        self.app = app
        self.photo = photo
        self.client: FlaskClient = app.test_client()
        self.codes: dict[str, str] = {}
        self._play()

    @property
    def cookie(self) -> str:
        found = self.client.get_cookie("tallystone")
        assert found
        return found.value

    def _token(self) -> str:
        page = self.client.get("/").get_data(as_text=True)
        return page.split('name="csrf-token" content="')[1].split('"')[0]

    def start(self, kind: str, players: list[tuple[str, str | None]], **options: Any) -> str:
        setup = {
            "players": [{"name": name, "colour": colour} for name, colour in players],
            "options": options,
        }
        answer = self.client.post(
            "/api/games",
            json={"kind": kind, "setup": setup, "seat": 0},
            headers={"X-CSRF-Token": self._token()},
        )
        assert answer.status_code == 201, answer.get_json()
        return str(answer.get_json()["code"])

    def act(self, code: str, **action: Any) -> None:
        answer = self.client.post(
            f"/api/games/{code}/actions",
            json={"action": action},
            headers={"X-CSRF-Token": self._token()},
        )
        assert answer.status_code == 200, (action, answer.get_json())

    def photograph(self, code: str, board: str, **fields: str) -> tuple[int, str]:
        """The number of the photo and what was read."""
        answer = self.client.post(
            f"/api/games/{code}/photos",
            data={"photo": (io.BytesIO(self.photo), "table.jpg"), "board": board, **fields},
            headers={"X-CSRF-Token": self._token()},
        )
        assert answer.status_code == 201, answer.get_json()
        return answer.get_json()["photo"], answer.get_json()["reading"]["text"]

    def photograph_stones(self, code: str) -> None:
        """Put the photo's stones on the table, with every misread cell corrected."""
        number, text = self.photograph(code, "stones")
        listed = json.loads((DEMO / "demo.json").read_text(encoding="utf-8"))["photos"]
        truth = next(one["text"] for one in listed if one["photo"] == PHOTO.name)
        corrections = [
            [row, col, before, after]
            for row, (read, right) in enumerate(
                zip(text.split(" / "), truth.split(" / "), strict=True)
            )
            for col, (before, after) in enumerate(zip(read.split(), right.split(), strict=True))
            if before != after
        ]
        self.act(code, type="board", text=truth, photo=number, corrections=corrections)

    def _play(self) -> None:
        for ann, ben in STONES_EVENINGS:
            code = self.start("stones", [("Ann", "red"), ("Ben", "green")])
            self.photograph_stones(code)
            for seat, cards in enumerate((ann, ben)):
                for card in cards:
                    self.act(code, type="award", seat=seat, card=card)
            self.act(code, type="claim", seat=0, lines={"points": 9, "total": 9})
            self.act(code, type="claim", seat=1, lines={"points": 6, "bonus": 0, "total": 6})
            self.act(code, type="finish")
        self.codes["finished"] = code
        code = self.codes["stones"] = self.start(
            "stones", [("Ann", "red"), ("Ben", "green"), ("Chloé", "purple")]
        )
        self.photograph_stones(code)
        self.act(code, type="hand", seat=0, cards=[1, 9, 33, 60])
        self.act(code, type="award", seat=1, card=56)
        self._play_again_and_again()
        self._play_seasons()
        self._play_time()
        self.codes["villagers"] = self._village()
        self.codes["custom"] = self._meadow("cow cow / pig .")

    def _play_again_and_again(self) -> None:
        """Finished games that were told turn by turn."""
        code = self.codes["stones-played"] = self.start(
            "stones", [("Ann", "red"), ("Ben", "green")]
        )
        self.act(code, type="board", text="sun horse bird / tree seed seed / horse bird boat")
        self.act(code, type="hand", seat=0, cards=[1, 28, 41, 72])
        self.act(code, type="move", flip=[0, 0], discard=72)
        self.act(code, type="end_turn")
        self.act(code, type="move", shift=[[1, 0], [1, 1]], discard=None)
        self.act(code, type="end_turn")
        self.act(code, type="hand", seat=0, cards=[1, 28, 41, 50])
        self.act(code, type="score", card=41)
        self.act(code, type="end_turn")
        self.act(code, type="skip")
        self.act(code, type="finish")
        code = self.codes["seasons-played"] = self.start(
            "seasons", [("Ann", "spring"), ("Ben", "winter")]
        )
        for row, words in enumerate(SEASONS_BOARD.split(" / ")):
            for col, word in enumerate(words.split()):
                if word[0] not in ".1234":
                    label = next(one for one in SEASONS if one.startswith(word[:2]))
                    label += "*" * word.endswith("*")
                    self.act(code, type="cell", seat=0, row=row, col=col, label=label)
        self.act(code, type="board", seat=1, text=OTHER_SEASONS_BOARD)
        self.act(code, type="finish")
        code = self.codes["time-played"] = self.start(
            "time", [("Ann", "spring"), ("Ben", "winter")]
        )
        for card, cell, order in TIME_PLACEMENTS:
            self.act(code, type="place", card=card, row=cell[0], col=cell[1], order=order)
        self.act(code, type="finish")
        code = self.codes["villagers-played"] = self._village()
        self.act(code, type="coins", seat=0, id=4, coins=3)
        self.act(code, type="add", seat=1, name="Log Rafter", on=None)
        self.act(code, type="finish")
        code = self.codes["custom-played"] = self._meadow("cow cow / pig .")
        self.act(code, type="board", seat=1, text="pig cow / pig pig")
        self.act(code, type="worth", label="pig", points=2)
        self.act(code, type="board", seat=0, text="cow cow / pig cow")
        self.act(code, type="finish")

    def _play_seasons(self) -> None:
        people: list[tuple[str, str | None]] = [("Ann", "spring"), ("Ben", "winter")]
        code = self.codes["seasons"] = self.start("seasons", people)
        self.act(code, type="board", seat=0, text=SEASONS_BOARD)
        self.act(code, type="board", seat=1, text=OTHER_SEASONS_BOARD)
        self.act(code, type="claim", seat=0, lines={"six-diagonals": 20, "total": 70})

    def _play_time(self) -> None:
        people: list[tuple[str, str | None]] = [("Ann", "spring"), ("Ben", "winter")]
        code = self.codes["time"] = self.start("time", people)
        self.act(code, type="board", text=TIME_GRID)

    def _meadow(self, text: str) -> str:
        """A game of one's own with a board of Ann."""
        people: list[tuple[str, str | None]] = [("Ann", "red"), ("Ben", "blue")]
        code = self.start("custom", people, board=tomllib.loads(MEADOW))
        self.act(code, type="board", seat=0, text=text)
        self.act(code, type="worth", label="cow", points=3)
        return code

    def _village(self) -> str:
        """A game with a village of Ann."""
        code = self.start("villagers", [("Ann", None), ("Ben", None)])
        for name, on in (("Miner", None), ("Seeker", 1), ("Spelunker", 2), ("Jeweler", 3)):
            self.act(code, type="add", seat=0, name=name, on=on)
        self.act(code, type="add", seat=0, name="Hayer", on=None)
        return code

    def played(self) -> Iterator[tuple[str, str]]:
        """Each kind with the code of a finished game that was told turn by turn."""
        for name, code in self.codes.items():
            if name.endswith("-played"):
                yield name.removesuffix("-played"), code

    def pages(self) -> Iterator[Page]:
        """Every page and sheet, from the start to the end of an evening."""
        yield Page("start", "/")
        yield Page("start-new", "/", stranger=True)
        yield Page("choose", "/start")
        for kind in ("stones", "seasons", "time", "villagers", "custom"):
            yield Page(f"setup-{kind}", f"/start/{kind}")
        yield Page("setup-again", f"/start/stones?again={self.codes['finished']}")
        yield Page("people", "/people")
        yield Page("join", f"/g/{self.codes['stones']}", stranger=True)
        yield Page("screen-join", f"/g/{self.codes['stones']}/screen", stranger=True)
        for kind in ("stones", "seasons", "time", "villagers", "custom", "finished"):
            yield Page(f"screen-{kind}", f"/g/{self.codes[kind]}/screen", "body[data-ready]")
        yield Page(
            "table-finished",
            f"/g/{self.codes['finished']}",
            "body[data-ready] #finished:not([hidden])",
        )
        for kind in ("stones", "seasons", "time", "villagers", "custom"):
            yield Page(f"table-{kind}", f"/g/{self.codes[kind]}", "body[data-ready] #play > *")
        yield Page(
            "review", f"/g/{self.codes['stones']}", ".review[open] .verdict", ("#look-again",)
        )
        yield Page("invite", f"/g/{self.codes['seasons']}", "#invite-sheet[open]", ("#invite",))
        yield Page("menu", f"/g/{self.codes['seasons']}", "#menu-sheet[open]", ("#menu",))
        yield Page("look", "/look", "body[data-ready]")
        yield Page("look-stones", "/look", "#result:not([hidden])", ("#try",))
        listed = "#result .check-list li"
        yield Page("look-questions", "/look", listed, stranger=True, photo=pale_photo())
        yield Page("history", "/history")
        yield Page("history-empty", "/history", stranger=True)
        yield Page("statistics", "/history/statistics")
        yield Page("game", f"/g/{self.codes['finished']}/after")
        yield Page("game-seasons", f"/g/{self.codes['seasons']}/after")
        yield Page("audit", f"/g/{self.codes['finished']}/audit")
        yield Page("audit-seasons", f"/g/{self.codes['seasons']}/audit")
        yield Page("report", f"/g/{self.codes['finished']}/report.html")
        for kind, code in self.played():
            yield Page(f"looking-back-{kind}", f"/g/{code}/review", "body[data-ready]")
        yield Page("trust", "/trust")
        yield Page("away", "/away")
        yield Page("teach", "/teach")
        yield Page("teach-stones", "/teach/stones", "body[data-ready]")
        yield Page("teach-custom", "/teach/custom", "body[data-ready]")
        yield Page("camera", "/teach/camera", "body[data-ready]")
        yield Page("pin", "/pin")
        yield Page("nothing", "/no-such-page")

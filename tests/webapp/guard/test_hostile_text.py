"""Text from people and archives is shown as text: no tag, no attribute, no link.

Every page is rendered twice, with hostile text and with harmless text in each field that a person
or an archive can set; apart from words, both must be the same.
"""

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest
from browser.evening import SEASONS_BOARD, STONES_EVENINGS, TIME_GRID
from fakes import FakeReader, TokenClient
from flask import Flask
from jinja2 import nodes
from sqlalchemy import update
from taught_copies import piece, taught

from scorer.games import GAMES
from scorer.setup import checked_setup
from webapp import create_app
from webapp.after.exchange import write_zip
from webapp.after.games import EventRecord, GameRecord, Json, PhotoRecord
from webapp.i18n import LANGUAGES, game_word
from webapp.store.models import Player

Page = tuple[str, str]
"""A language, and the name of a page."""

HARMLESS = "Meadow of cows"
HOSTILE = (
    "'\"><img src=x onerror=1></h1>&lt;<b>",
    "%(num)s %s {{7*7}}%",
    "javascript:alert(1)",
    "\u202ebird\u202c\u2066\u200b",
    "</script><script>1</script>",
    "constructor",
)
AT = datetime(2026, 11, 21, 18, 30, tzinfo=UTC)
HOST = {"name": "", "role": "host", "seat": 0}
PHOTO = bytes(cv2.imencode(".jpg", np.full((60, 80, 3), 90, np.uint8))[1])
SHA256 = hashlib.sha256(PHOTO).hexdigest()
NOT_PAGES = {
    "static",
    "health.live",
    "health.ready",
    "i18n.catalogue",
    "table.qr_code",
    "table.photo_file",
    "table.events",
    "pages.sample",
    "review.record_file",
    "after.export",
    "after.thumbnail",
    "after.open_in_bgstats",
    "secure.authority",
    "secure.manifest",
    "secure.service_worker",
    "openapi.openapi",
    "teach.sheet",
    "teach.file",
    "teach.page_again",
}
"""GET routes that answer pictures, files, JSON or a redirection."""

MARKS = frozenset(
    {"class", "role", "value", "selected", "checked", "aria-current", "lang", "required"}
)
"""Attributes whose value says how something looks or works; other values may hold a name."""


def named(text: str, number: int) -> str:
    """The text as a name of at most 40 letters."""
    return f"{text[:37]} {number}"


def game(kind: str, finished: bool, text: str) -> GameRecord:
    """A game with *text* wherever an archive may hold any."""
    stones: list[Json] = [
        {"type": "board", "text": "sun horse bird / tree seed seed / horse bird boat", "photo": 1}
        | {"corrections": [[0, 0, text, text], [1, 1, "sun", text]]},
        *({"type": "award", "seat": 0, "card": card} for card in STONES_EVENINGS[0][0]),
        {"type": "claim", "seat": 0, "lines": {"points": 9, "total": 9}},
    ]
    seasons: list[Json] = [
        {"type": "board", "seat": 0, "text": SEASONS_BOARD, "photo": 1},
        {"type": "claim", "seat": 0, "lines": {"six-diagonals": 20, "total": 70}},
    ]
    time: list[Json] = [{"type": "board", "text": TIME_GRID, "photo": 1}]
    villagers: list[Json] = [{"type": "add", "seat": 0, "name": "Miner", "on": None}]
    custom: list[Json] = [
        {"type": "board", "seat": 0, "text": f"{piece(text)} {piece(text)} / . .", "photo": 1}
        | {"corrections": [[0, 0, text, text]]},
        {"type": "worth", "label": piece(text), "points": 3},
        {"type": "cell", "seat": 0, "row": 1, "col": 0, "label": piece(text)},
        {"type": "claim", "seat": 0, "lines": {"total": 9}},
    ]
    board = {"name": text, "rows": [2, 3], "cols": [2, 3], "empty": True, "counts": {text: 3}}
    plays: dict[str, tuple[list[Json], list[Any], Json]] = {
        "stones": (stones, ["red", "green"], {}),
        "seasons": (seasons, ["spring", "winter"], {}),
        "time": (time, ["spring", "winter"], {}),
        "villagers": (villagers, [None, None], {}),
        "custom": (custom, ["red", "blue"], {"board": board}),
    }
    actions, seats, options = plays[kind]
    players = [
        {"name": named(text, seat), "colour": colour} for seat, colour in enumerate(seats, 1)
    ]
    setup = checked_setup(GAMES[kind].setup_form(), {"players": players, "options": options})
    end: list[Json] = [{"type": "finish"}] * finished
    code = f"{'FG'[finished]}ABC2{list(plays).index(kind)}"
    return played(code, kind, setup, [*actions, *end], text)


def played(code: str, kind: str, setup: Json, actions: list[Json], text: str) -> GameRecord:
    at = AT + timedelta(days=actions[-1]["type"] == "finish")
    state = GAMES[kind].start(setup)
    by = HOST | {"name": text}
    events = [EventRecord(0, at, by, {"type": "start"}, state)]
    for seq, action in enumerate(actions, 1):
        state = GAMES[kind].act(state, action, by)
        events.append(EventRecord(seq, at + timedelta(minutes=seq), by, action, state))
    cell = {
        "row": 0,
        "col": 0,
        "label": f"{text}!",  # never as it lies there
        "confidence": 0.6,
        "sure": False,
        "others": [[text, 0.1]],
    }
    cells = [cell | {"quad": [[1, 1], [9, 1], [9, 9], [1, 9]], "alternatives": [[text, 0.3]]}]
    reading = {"board": text, "text": text, "cells": cells, "profile": text, "problems": [text]}
    reading["outline"] = cells[0]["quad"]
    board = GAMES[kind].setup_form().board
    photo = PhotoRecord(1, 0, board or "stones", SHA256, reading, at, 80, 60, len(PHOTO), text)
    done = events[-1].at_utc if actions[-1]["type"] == "finish" else None
    return GameRecord(code, kind, setup, state, at, done, text, tuple(events), (photo,))


class Structure(HTMLParser):
    """What a browser sees besides words: tags, attributes, and targets of links and forms."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[Any, ...]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        leads = [
            (name, urlsplit(value or "").scheme, urlsplit(value or "").netloc)
            for name, value in attrs
            if name in ("href", "src", "action", "formaction", "data-src")
        ]
        marks = [
            (name, value)
            for name, value in attrs
            if name in MARKS and tag not in ("input", "option")
        ]
        self.found.append((tag, tuple(name for name, _ in attrs), tuple(leads), tuple(marks)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(("/" + tag,))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment",))

    def handle_decl(self, decl: str) -> None:
        self.found.append(("declaration",))


class Guests:
    """A table with *text* everywhere, its host, and somebody who is in no game."""

    def __init__(self, folder: Path, text: str) -> None:
        self.text = text
        self.app: Flask = create_app(
            {"TESTING": True, "DATA_DIR": folder, "OPEN_READER": lambda *_: FakeReader()}
        )
        self.app.test_client_class = TokenClient
        self.host, self.stranger = (self.app.test_client() for _ in range(2))
        for kind in GAMES:
            for finished in (False, True):
                packed = io.BytesIO()
                write_zip(packed, [game(kind, finished, text)], {SHA256: PHOTO}.get)
                assert self._send("/history/import", packed.getvalue()) == 200
        self._colour_players()
        self.has_profile = (
            self._send("/teach/profiles/import", taught(text), "ours.tallyprofile") == 302
        )
        mine = self.host.get("/api/games").get_json()["games"]
        self.codes = {(game["kind"], bool(game["finished"])): game["code"] for game in mine}
        assert len(self.codes) == 10

    def _colour_players(self) -> None:
        """Imports check colours; pages escape them all the same."""
        with self.app.extensions["tallystone_store"].writing() as session:
            session.execute(update(Player).values(colour=self.text[:40]))

    def _send(self, path: str, data: bytes, name: str = "f") -> int:
        fields = {"file": (io.BytesIO(data), name), "csrf_token": self._token(self.host)}
        return int(self.host.post(path, data=fields).status_code)

    @staticmethod
    def _token(guest: Any) -> str:
        assert isinstance(guest, TokenClient)
        return guest.token()

    def pages(self) -> Iterator[tuple[str, str]]:
        """(name, page) of everything that a browser shows, refusals included."""
        quoted = quote(self.text, safe="")
        values = {
            "kind": [*GAMES, quoted],
            "board": ["stones", "seasons", "time", "custom", quoted],
            "ending": ["html"],
            "name": [quoted, "ours"] if self.has_profile else [quoted],
        }
        for rule in self.app.url_map.iter_rules():
            if (
                "GET" not in (rule.methods or ())
                or rule.endpoint in NOT_PAGES
                or "/api/" in rule.rule
            ):
                continue
            if rule.endpoint == "teach.profile":
                addresses = [
                    (str(i), f"/teach/profiles/meadow/{name}")
                    for i, name in enumerate(values["name"])
                ]
            elif "code" in rule.arguments:
                addresses = [(str(of), code) for of, code in self.codes.items()] + [
                    ("none", quoted + "%20")
                ]
                addresses = [
                    (of, rule.rule.replace("<code>", code).replace("<ending>", "html"))
                    for of, code in addresses
                ]
            else:
                (argument,) = rule.arguments or ("",)
                addresses = [
                    (str(i), rule.rule.replace(f"<{argument}>", value))
                    for i, value in enumerate(values[argument] if argument else [""])
                ]
            for of, address in addresses:
                yield f"{rule.rule} {of}", self._page(self.host.get(address))
                is_refusal = "code" in rule.arguments and rule.endpoint != "table.table_page"
                if not is_refusal or of == addresses[0][0]:  # one tells nothing of its game
                    yield f"{rule.rule} {of}, a stranger", self._page(self.stranger.get(address))
        yield from self._reflected()

    def _reflected(self) -> Iterator[tuple[str, str]]:
        """Pages that show what was just sent."""
        text, token = self.text, self._token(self.host)
        yield "board", self._page(self.host.get("/board", query_string={"text": text}))
        for i, add in enumerate(
            ({"add": text, "of": text}, {"add": "ours", "of": "meadow"}, {"of": text})
        ):
            yield f"more photos {i}", self._page(self.host.get("/teach/custom", query_string=add))
        code = self.codes["stones", False]
        sent: dict[str, dict[str, Any]] = {
            "/games": {
                "kind": "custom",
                "player": [text, text],
                "colour": [text, text],
                "location": text,
                "board-name": text,
                "board": f"name = {text}",
                "board-rows-least": text,
            },
            "/games ": {
                "kind": "seasons",
                "player": [named(text, 1), named(text, 2)],
                "colour": [text, text],
            },
            "/join": {"code": text, "name": text, "seat": text},
            f"/g/{code}/audit": {"0-points": text},
            f"/g/{code}/join": {"seat": text, "name": text},
            "/language": {"back": text, "language": text},
            "/teach/rename/meadow/ours": {"name": f"/{text}"},
            "/teach/camera/choose": {"name": text},
        }
        for path, fields in sent.items():
            answer = self.host.post(path.strip(), data=fields | {"csrf_token": token})
            yield f"POST {path.replace(code, '')}", self._page(answer)

    @staticmethod
    def _page(answer: Any) -> str:
        assert answer.status_code < 500, answer.request.path
        assert answer.mimetype == "text/html", answer.request.path
        return str(answer.get_data(as_text=True))

    def speak(self, language: str) -> None:
        for guest in (self.host, self.stranger):
            guest.post("/language", data={"language": language, "csrf_token": self._token(guest)})

    def close(self) -> None:
        self.app.extensions["tallystone_store"].close()


@pytest.fixture(scope="module")
def harmless_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[Page, str]:
    """Every page in every language with harmless text."""
    guests = Guests(tmp_path_factory.mktemp("harmless"), HARMLESS)
    assert guests.has_profile
    found = {}
    for language in LANGUAGES:
        guests.speak(language)
        found |= {(language, name): page for name, page in guests.pages()}
    guests.close()
    return found


@pytest.fixture(scope="module")
def harmless(harmless_pages: dict[Page, str]) -> dict[Page, list[tuple[Any, ...]]]:
    """The structure of those pages."""
    return {name: Structure(page).found for name, page in harmless_pages.items()}


@pytest.fixture(scope="module", params=HOSTILE)
def hostile(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guests]:
    guests = Guests(tmp_path_factory.mktemp("hostile"), request.param)
    yield guests
    guests.close()


def languages_of(text: str) -> list[str]:
    """All languages for what a translation may format, else one of them in turn."""
    spoken = list(LANGUAGES)
    return spoken if "%" in text else [spoken[HOSTILE.index(text) % len(spoken)]]


def test_hostile_text_changes_no_page(
    hostile: Guests, harmless: dict[Page, list[tuple[Any, ...]]]
) -> None:
    guests = hostile
    wrong = []
    seen = set()
    for language in languages_of(guests.text):
        guests.speak(language)
        for name, page in guests.pages():
            seen.add((language, name))
            more = Counter(Structure(page).found)
            more.subtract(Counter(harmless.get((language, name), [])))
            different = {tag: times for tag, times in more.items() if times}
            if different:
                wrong.append(f"{language} {name}: {str(different)[:300]}")
    assert not wrong, "\n".join(wrong)
    assert seen == {key for key in harmless if key[0] in languages_of(guests.text)}


def test_files_hold_hostile_text_as_text(hostile: Guests) -> None:
    """The table has it in one cell, the archive unchanged, and the report on paper can be made."""
    guests, text = hostile, hostile.text
    rows = list(
        csv.reader(io.StringIO(guests.host.get("/history/export.csv").data.decode("utf-8-sig")))
    )
    assert {len(row) for row in rows} == {len(rows[0])}
    assert any(row[0] in (text, f"'{text}") for row in rows)
    document = guests.host.get("/history/export.json").get_json()
    boards = [
        game["setup"]["options"]["board"]["name"]
        for game in document["games"]
        if game["kind"] == "custom"
    ]
    assert boards == [text]
    guests.speak("de")
    report = guests.host.get(f"/g/{guests.codes['custom', True]}/report.pdf")
    assert (report.status_code, report.data[:5]) == (200, b"%PDF-")
    chart = guests.host.get("/history/statistics").get_data(as_text=True)
    for drawing in re.findall(r'<svg class="chart".*?</svg>', chart, re.DOTALL):
        ElementTree.fromstring(drawing)


def test_the_test_sees_the_pages_with_text(harmless_pages: dict[Page, str]) -> None:
    """Names, places, boards, pieces, labels and readings are on the pages that are compared."""
    for language in LANGUAGES:
        pages = {name: page for (one, name), page in harmless_pages.items() if one == language}
        assert sum(HARMLESS in page for page in pages.values()) > 30
        report = next(
            page for name, page in pages.items() if "report" in name and "custom', True" in name
        )
        assert report.count(HARMLESS) > 5
        assert report.count(piece(HARMLESS)) > 2


def test_only_texts_of_the_program_are_translated(app: Flask) -> None:
    """``_`` marks its result as safe, so that it must never be given a value."""
    wrong = []
    assert app.jinja_loader
    for name in app.jinja_loader.list_templates():
        source, _, _ = app.jinja_loader.get_source(app.jinja_env, name)
        for call in app.jinja_env.parse(source).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name in ("_", "gettext", "ngettext"):
                texts = call.args[: 2 if call.node.name == "ngettext" else 1]
                if not all(isinstance(text, nodes.Const) for text in texts):
                    wrong.append(f"{name}:{call.lineno}")
    assert not wrong


def test_a_name_is_not_translated(app: Flask) -> None:
    with app.test_request_context(headers={"Accept-Language": "de"}):
        assert game_word("Another game") == "Ein anderes Spiel"
        assert game_word("spring") == "Frühling"
        assert game_word("Delete") == "Delete"


def test_no_script_writes_markup() -> None:
    """Scripts set text and build elements; none hands a string to the parser of the browser."""
    static = Path(__file__).parents[3] / "webapp" / "static"
    forbidden = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "srcdoc",
    )
    found = [
        (path.name, word)
        for path in static.rglob("*.js")
        for word in forbidden
        if word in path.read_text()
    ]
    assert not found

"""A table without a camera: a drawn photo, and a reader that sees the same nine stones."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from cluster import ADVICE, Server, can_run, cluster
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from playing import serving
from sqlalchemy import Connection, create_engine, text

from scorer.stones.cards import cards_by_id
from scorer.text import Text
from vision.doubts import Doubt
from vision.errors import BoardNotFound
from vision.find.corners import Corners
from vision.photo import decode_photo
from vision.reading import CellReading, Reading
from webapp import create_app
from webapp.store import open_store
from webapp.store.engine import place_of
from webapp.store.models import Base
from webapp.store.schema import is_current, schema_problem

STATE = "sun horse bird / tree seed seed / horse bird boat"
"""What the fake reader sees: a grid of the rulebook, possible in the box."""

DOUBTFUL = (1, 0)
"""The cell that the fake reader is not sure of: tree, perhaps boat."""

ALTERNATIVE = "boat"


BROWSERS = ("chromium", "chromium-browser", "google-chrome")

CHROMIUM_ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing but the tests' servers
]


class Compiled(BytecodeCache):
    """The templates of every app that the tests make, each compiled once."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self.kept:
            bucket.bytecode_from_string(self.kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.kept[bucket.key] = bucket.bytecode_to_string()


Flask.jinja_options = {"bytecode_cache": Compiled()}


class TokenClient(FlaskClient):
    """A device whose page carries its token, as every page does; ``plain`` requests go without."""

    def token(self) -> str:
        page = self.get("/").get_data(as_text=True)
        return page.split('name="csrf-token" content="')[1].split('"')[0]

    def send_json(self, path: str, body: Any, method: str = "POST") -> Any:
        """The answer to JSON sent with the token."""
        return self.open(path, method=method, json=body, headers={"X-CSRF-Token": self.token()})


class FakeReader:
    """Reads each photo as `STATE`; refuses a black one unless corners are given."""

    def __init__(self) -> None:
        self.reads = 0
        self.corners: Corners | None = None
        self.problems: tuple[str, ...] = ()
        others = ((ALTERNATIVE, 0.3),)
        self.doubts: tuple[Doubt, ...] = (
            Doubt("cell", 0.38, Text("What lies here?"), (DOUBTFUL,), others),
        )

    def read(self, data: bytes, corners: Corners | None = None) -> Reading:
        self.reads += 1
        self.corners = corners
        decoded = decode_photo(data)
        if decoded.image_bgr.max() < 10 and corners is None:
            raise BoardNotFound(
                "too_dark", "The photo is too dark: switch a lamp on and try again."
            )
        height, width = decoded.full_hw
        asked = {place for doubt in self.doubts if doubt.kind == "cell" for place in doubt.cells}
        cells = []
        for row, words in enumerate(STATE.split(" / ")):
            for col, label in enumerate(words.split()):
                left, top = width * (0.1 + 0.27 * col), height * (0.1 + 0.27 * row)
                right, bottom = left + width * 0.25, top + height * 0.25
                quad = np.array(
                    [[left, top], [right, top], [right, bottom], [left, bottom]], np.float32
                )
                sure = (row, col) not in asked
                others = () if sure else ((ALTERNATIVE, 0.3), ("fish", 0.05))
                cells.append(
                    CellReading(row, col, label, 0.998 if sure else 0.62, sure, quad, others)
                )
        low, high = 0.1, 0.89
        outline = np.array([[low, low], [high, low], [high, high], [low, high]]) * [width, height]
        ms = {"decode": 1.0, "locate": 2.0, "read": 3.0, "total": 6.0}
        return Reading(
            "stones",
            STATE,
            tuple(cells),
            outline.astype(np.float32),
            "default",
            "fake-1",
            self.problems,
            ms,
            self.doubts,
        )


class FakeCardReader:
    """Sees three cards on every photo: 36 and 41 surely, and one that may be 72 or 58."""

    def read(self, data: bytes) -> "FakeCardReader":
        decode_photo(data)
        return self

    def to_document(self, photo: str) -> dict[str, Any]:
        def card(number: int, sure: bool, others: list[list[float]]) -> dict[str, Any]:
            known = cards_by_id()[number]
            left = 60 * number % 500
            quad = [[left, 100], [left + 80, 100], [left + 80, 210], [left, 210]]
            shown = {
                "id": number,
                "points": known.points,
                "pattern": str(known.pattern),
                "quad": quad,
            }
            return shown | {
                "confidence": 0.99 if sure else 0.6,
                "sure": sure,
                "alternatives": others,
            }

        cards = [card(36, True, []), card(72, False, [[58, 0.3], [15, 0.05]]), card(41, True, [])]
        return {"photo": photo, "board": "cards", "cards": cards, "sure": False, "problems": []}


@pytest.fixture
def photo() -> bytes:
    """A picture that decodes: nine grey squares on a table."""
    image = np.full((600, 800, 3), 180, np.uint8)
    for row in range(3):
        for col in range(3):
            left, top = int(800 * (0.1 + 0.27 * col)), int(600 * (0.1 + 0.27 * row))
            cv2.rectangle(image, (left, top), (left + 200, top + 150), (90, 100, 110), -1)
    return encode(image)


@pytest.fixture
def dark_photo() -> bytes:
    """A picture in which nothing can be seen."""
    return encode(np.zeros((60, 80, 3), np.uint8))


def encode(image: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".jpg", image)[1].tobytes())


@pytest.fixture
def reader() -> FakeReader:
    return FakeReader()


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a database in which nothing was kept yet."""
    folder = tmp_path_factory.mktemp("new")
    open_store(folder).close()
    return folder


@pytest.fixture
def app(
    tmp_path: Path, new_database: Path, reader: FakeReader, database_url: str | None
) -> Iterator[Flask]:
    """The app with the fake reader."""
    if database_url is None:
        shutil.copytree(new_database, tmp_path, dirs_exist_ok=True)
    app = create_app(
        {
            "TESTING": True,
            "DATA_DIR": tmp_path,
            "OPEN_READER": lambda *_: reader,
            "OPEN_CARD_READER": lambda *_: FakeCardReader(),
            "DATABASE_URL": database_url,
        }
    )
    app.test_client_class = TokenClient
    yield app
    app.extensions["tallystone_store"].close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server for all tests; skips the test where there is none, except in CI."""
    if not can_run() and not os.environ.get("CI"):
        pytest.skip(f"NO POSTGRESQL ON THIS MACHINE, so half of the store is untested: {ADVICE}")
    assert can_run(), f"the tests of the store need a PostgreSQL: {ADVICE}"
    with cluster() as server:
        yield server


@pytest.fixture
def empty_server(postgres: Server) -> Server:
    """The server with nothing in its database."""
    with changing(postgres.url) as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    return postgres


@contextmanager
def changing(url: str | None, data_dir: Path = Path()) -> Iterator[Connection]:
    """A connection to a database behind the program's back; it is closed whatever happens."""
    engine = create_engine(place_of(data_dir, url))
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


@pytest.fixture
def prepared_server(request: pytest.FixtureRequest, postgres: Server, tmp_path: Path) -> Server:
    """The server with the tables of this version, as ``tallystone migrate`` makes them."""
    with changing(postgres.url) as connection:
        if not schema_problem(connection) and is_current(connection):
            kept = (table.name for table in Base.metadata.sorted_tables if table.name != "identity")
            connection.execute(text(f"TRUNCATE {', '.join(kept)} RESTART IDENTITY"))
            return postgres
    request.getfixturevalue("empty_server")
    open_store(tmp_path / "migrating", postgres.url, migrating=True).close()
    return postgres


@pytest.fixture(params=["sqlite", "postgresql"])
def each_database(request: pytest.FixtureRequest) -> str | None:
    """An address for every kind of database; None is the file in the data folder."""
    if request.param == "sqlite":
        return None
    server: Server = request.getfixturevalue("prepared_server")
    return server.url


@pytest.fixture
def database_url() -> str | None:
    """The database of ``app``: the file, except in modules that ask for each of them."""
    return None


@pytest.fixture
def client(app: Flask) -> TokenClient:
    client = app.test_client()
    assert isinstance(client, TokenClient)
    return client


@pytest.fixture
def base_url(app: Flask) -> Iterator[str]:
    """The application behind a real server on a free port."""
    with serving(app) as url:
        yield url


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test looks into the profiles of whoever runs it."""
    monkeypatch.setitem(os.environ, "TALLYSTONE_DATA", str(tmp_path / "data"))


def starts(executable: str) -> bool:
    """Whether it is a browser: the chromium of Ubuntu may be a stub that only names a snap."""
    return (
        subprocess.run([executable, "--version"], capture_output=True, check=False).returncode == 0
    )


def browser_path() -> str:
    """The chromium of this machine; skips the test where there is none, except in CI."""
    found = filter(None, map(shutil.which, BROWSERS))
    executable = next((path for path in found if starts(path)), None)
    if executable is None and not os.environ.get("CI"):
        pytest.skip(
            "no chromium on this machine: install it (apt install chromium) to run the browser "
            "tests"
        )
    assert executable, "the browser tests need a chromium on PATH"
    return executable


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    executable = browser_path()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGS)
        yield browser
        browser.close()

"""A table without a camera: a drawn photo, and a reader that sees the same nine stones."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from browser.playing import CHROMIUM_ARGS, browser_path, serving
from fakes import FakeCardReader, FakeReader, TokenClient, encode
from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from sqlalchemy import text
from store.cluster import ADVICE, Server, can_run, changing, cluster
from werkzeug.routing import Rule

from webapp import create_app
from webapp.store import open_store
from webapp.store.models import Base
from webapp.store.schema import is_current, schema_problem


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

compile_builder = Rule._compile_builder
builders: dict[tuple[Any, ...], Any] = {}


def kept_builder(self: Rule, append_unknown: bool = True) -> Any:
    """What writes the addresses of a route, compiled once for every app that the tests make."""
    assert not self.defaults, "a builder with defaults depends on more than on its route"
    key = (*self._trace, append_unknown)
    if key not in builders:
        builders[key] = compile_builder(self, append_unknown)
    return builders[key]


Rule._compile_builder = kept_builder  # type: ignore[method-assign]


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
    """The application behind a real server on a free port; a device loads its files once."""
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 3600
    with serving(app) as url:
        yield url


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test looks into the profiles of whoever runs it."""
    monkeypatch.setitem(os.environ, "TALLYSTONE_DATA", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    executable = browser_path()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGS)
        yield browser
        browser.close()

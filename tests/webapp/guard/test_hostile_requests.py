"""Requests that no page of ours sends are refused in one sentence, without a server error."""

import io
import logging
from typing import Any

import pytest
from fakes import TokenClient
from flask import Flask
from seats import SETUP, act, join
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from webapp import create_app
from webapp.guard.addresses import is_own, own_names
from webapp.serving.logs import PlainFormatter

FAR = (2**31, 2**63, 10**40)


@pytest.fixture
def code(client: TokenClient) -> str:
    return str(
        client.send_json("/api/games", {"kind": "custom", "setup": SETUP, "seat": 0}).get_json()[
            "code"
        ]
    )


def refused(answer: Any) -> bool:
    """Whether it is a 4xx with one sentence."""
    if answer.mimetype == "application/json":
        message = answer.get_json()["error"]["message"]
        assert message.endswith((".", "!", "?")), message
    return 400 <= int(answer.status_code) < 500


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "[",
        "[::1",
        "a" * 8000,
        "127.0.0.1:99999",
        "127.0.0.1:x",
        "a b",
        "..",
        "@",
        "",
        "x" * 300,
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/cards", "/nothing"])
def test_only_names_of_this_computer_are_answered(
    client: TokenClient, host: str, path: str
) -> None:
    answer = client.get(path, environ_overrides={"HTTP_HOST": host})
    assert refused(answer)
    assert b"--name" in answer.data
    assert host not in answer.get_data(as_text=True) or not host


@pytest.mark.parametrize(
    "host", ["192.168.1.20:8080", "[fe80::1]:8080", "LOCALHOST", "10.0.0.1", "box.local."]
)
def test_addresses_and_local_names_are_answered(
    client: TokenClient, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Box.example")
    assert is_own(host, own_names())
    assert not is_own("box.example.evil.example", own_names())


@pytest.mark.parametrize(
    "name",
    ["Scores.Club.example", "https://scores.club.example/", "scores.club.example.:8443"],
)
def test_a_name_can_be_added(app: Flask, name: str) -> None:
    config = {key: app.config[key] for key in ("DATA_DIR", "OPEN_READER", "OPEN_CARD_READER")}
    other = create_app(config | {"HOST_NAMES": (name,)})
    try:
        answer = other.test_client().get(
            "/", environ_overrides={"HTTP_HOST": "scores.club.example"}
        )
        assert answer.status_code == 200
    finally:
        other.extensions["tallystone_store"].close()


@pytest.mark.parametrize(
    "origin", ["http://[", "http://]", "//", "x" * 8000, "http://localhost.evil.example"]
)
def test_a_foreign_or_broken_origin_is_refused(client: TokenClient, code: str, origin: str) -> None:
    headers = {"X-CSRF-Token": client.token(), "Origin": origin}
    answer = client.post(f"/api/games/{code}/undo", json={}, headers=headers)
    assert answer.status_code == 403
    assert answer.get_json()["error"]["code"] == "foreign_origin"


@pytest.mark.parametrize(
    "back",
    [
        "/\t/evil.example",
        "/\n/evil.example",
        "//evil.example",
        "/\\evil.example",
        "/x\r\nSet-Cookie: a=b",
        "http://x/",
    ],
)
def test_a_change_of_language_leads_nowhere_else(client: TokenClient, back: str) -> None:
    form = {"csrf_token": client.token(), "language": "de", "back": back}
    answer = client.post("/language", data=form)
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/"


def test_a_change_of_language_leads_back(client: TokenClient) -> None:
    form = {"csrf_token": client.token(), "language": "de", "back": "/teach/p/meine Steine"}
    assert client.post("/language", data=form).headers["Location"] == "/teach/p/meine%20Steine"


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"a":' * 1000 + b"1" + b"}" * 1000, b'{"a": 1e999}', b'{"a": NaN}']
)
@pytest.mark.parametrize(
    "path", ["/api/games", "/api/games/{}/actions", "/api/games/{}/ask", "/api/matches"]
)
def test_json_that_nobody_can_keep_is_refused(
    client: TokenClient, code: str, path: str, body: bytes
) -> None:
    headers = {"X-CSRF-Token": client.token(), "Content-Type": "application/json"}
    assert refused(client.post(path.format(code), data=body, headers=headers))


@pytest.mark.parametrize("number", FAR)
def test_there_is_nothing_at_numbers_that_no_row_has(
    client: TokenClient, code: str, number: int
) -> None:
    for path in (
        f"/g/{code}/photo/{number}.jpg",
        f"/api/games/{code}/photos/{number}",
        f"/history/{code}/{number}.jpg",
    ):
        assert client.get(path).status_code == 404
    assert refused(client.send_json(f"/api/games/{code}/members/{number}", {"role": "viewer"}))
    assert refused(client.send_json(f"/api/games/{code}/members/{number}", {}, "DELETE"))
    assert client.get(f"/api/games/{code}?since={number}").status_code == 200
    for base in (number, -number):
        assert refused(act(client, code, type="extra", seat=0, points=1, base_version=base))
        assert refused(client.send_json(f"/api/games/{code}/undo", {"base_version": base}))
    assert refused(act(client, code, type="board", seat=0, text="cow cow / pig .", photo=number))
    assert refused(act(client, code, type="extra", seat=number, points=1))


@pytest.mark.parametrize("word", ["\ud800", "\0", "x" * 100_000])
def test_words_that_nobody_can_keep_are_refused(client: TokenClient, code: str, word: str) -> None:
    players = [{"name": word, "colour": "red"}, {"name": "Bob", "colour": word}]
    setup = {"players": players, "options": SETUP["options"]}
    assert refused(client.send_json("/api/games", {"kind": "custom", "setup": setup}))
    assert refused(act(client, code, type=word))
    assert refused(act(client, code, type="extra", seat=0, points=1, key=word))
    assert refused(client.send_json("/api/games", {"kind": word, "setup": SETUP}))


@pytest.mark.parametrize(
    "path",
    ["/g/%00", "/api/games/%00", "/static/%00", "/samples/%00", "/teach/%00", "/i18n/%00.json"],
)
def test_there_is_nothing_at_an_address_with_a_nul(client: TokenClient, path: str) -> None:
    assert refused(client.get(path))


def test_a_place_that_nobody_can_keep_is_refused(client: TokenClient) -> None:
    form = {
        "kind": "stones",
        "player": ["Ann", "Bob"],
        "colour": ["red", "green"],
        "location": "x\0y",
    }
    assert refused(client.post("/games", data=form | {"csrf_token": client.token()}))


def test_photos_are_kept_by_nobody_on_the_way(client: TokenClient, photo: bytes) -> None:
    code = client.send_json(
        "/api/games",
        {"kind": "stones", "setup": {"players": [{"name": "Ann", "colour": "red"}]}, "seat": 0},
    ).get_json()["code"]
    form = {"photo": (io.BytesIO(photo), "f.jpg"), "board": "stones", "csrf_token": client.token()}
    number = client.post(f"/api/games/{code}/photos", data=form).get_json()["photo"]
    for path in (
        f"/g/{code}/photo/{number}.jpg",
        f"/history/{code}/{number}.jpg",
        f"/g/{code}/qr.svg",
    ):
        with client.get(path) as answer:
            assert answer.status_code == 200
            assert answer.cache_control.private, path
            assert not answer.cache_control.public, path


def test_the_terminal_shows_no_control_characters() -> None:
    record = logging.LogRecord(
        "x", logging.ERROR, "x", 1, "Exception on %s", ("/\x1b[2J\nforged\x9b",), None
    )
    assert PlainFormatter("%(message)s").format(record) == "Exception on /\\x1b[2J\\x0aforged\\x9b"
    try:
        raise ValueError("\x1b]0;title\x07")
    except ValueError as error:
        told = PlainFormatter().formatException((ValueError, error, error.__traceback__))
    assert "\x1b" not in told
    assert "\\x1b]0;title\\x07" in told


def test_what_people_type_stays_out_of_the_terminal(app: Flask) -> None:
    store = app.extensions["tallystone_store"]
    with pytest.raises(DBAPIError) as raised, store.writing() as session:
        session.execute(
            text("SELECT nothing FROM nowhere WHERE x = :secret"), {"secret": "private"}
        )
    assert "private" not in str(raised.value)


def test_a_hostile_name_joins_nobody(app: Flask, code: str) -> None:
    client = app.test_client()
    assert isinstance(client, TokenClient)
    answer = client.post(f"/g/{code}/join", data={"csrf_token": client.token(), "name": "x\0"})
    assert refused(answer)
    assert join(app, code, name="Zoë").get(f"/g/{code}").status_code == 200

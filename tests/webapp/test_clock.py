"""A wrong clock signs nobody out."""

import time

import pytest
from conftest import TokenClient
from flask import Flask
from flask.sessions import SecureCookieSessionInterface

SETUP = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
DAY = 86400.0
JUMPS = (-40 * 365 * DAY, -400 * DAY, -3600.0, -10.0, 10.0, 91 * DAY, 401 * DAY, 4000 * DAY)


@pytest.fixture
def code(client: TokenClient) -> str:
    answer = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
    return str(answer.get_json()["code"])


@pytest.mark.parametrize("seconds", JUMPS)
def test_a_clock_that_jumps_signs_nobody_out(
    client: TokenClient, code: str, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + seconds)
    assert client.get(f"/api/games/{code}").get_json()["you"]["role"] == "host"


def test_the_cookie_is_kept_for_a_while_not_until_a_date(client: TokenClient) -> None:
    cookie = client.get("/").headers["Set-Cookie"]
    assert f"Max-Age={400 * 24 * 3600}" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_a_cookie_of_flask_is_read_and_a_changed_one_is_not(app: Flask, client: TokenClient) -> None:
    signing = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signing is not None
    cookie = str(signing.dumps({"device": "an old secret", "_permanent": True}))
    client.set_cookie("tallystone", cookie)
    with client:
        from flask import session

        client.get("/")
        assert session["device"] == "an old secret"
        client.set_cookie("tallystone", cookie[:-2])
        client.get("/")
        assert session["device"] != "an old secret"

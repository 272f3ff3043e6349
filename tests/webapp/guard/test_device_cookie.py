"""The cookie of a device over http and https."""

from fakes import TokenClient
from flask import Flask
from seats import PLAYERS

HTTPS = "https://localhost"


def test_over_https_the_cookie_never_travels_over_http(app: Flask, client: TokenClient) -> None:
    answer = client.get("/", base_url=HTTPS)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-tallystone=")
    for part in ("Secure", "HttpOnly", "Path=/", "SameSite=Lax"):
        assert f"; {part}" in cookie
    assert "Domain" not in cookie
    plain = app.test_client().get("/").headers["Set-Cookie"]
    assert plain.startswith("tallystone=")
    assert "Secure" not in plain


def test_a_device_keeps_its_games_on_the_way_to_https_and_back(client: TokenClient) -> None:
    setup = {"players": PLAYERS}
    code = client.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0}).get_json()[
        "code"
    ]
    assert client.get(f"/api/games/{code}", base_url=HTTPS).status_code == 200
    client.delete_cookie("tallystone")
    assert (
        client.get(f"/api/games/{code}", base_url=HTTPS).status_code == 200
    )  # known by the cookie of https now
    assert client.get(f"/api/games/{code}").status_code == 403


def test_a_page_of_https_may_change_its_games(client: TokenClient) -> None:
    page = client.get("/", base_url=HTTPS).get_data(as_text=True)
    headers = {
        "X-CSRF-Token": page.split('name="csrf-token" content="')[1].split('"')[0],
        "Origin": HTTPS,
        "Host": "localhost",
    }
    body = {"kind": "stones", "setup": {"players": PLAYERS}, "seat": 0}
    assert client.post("/api/games", json=body, headers=headers, base_url=HTTPS).status_code == 201


def test_a_browser_without_cookies_is_told_what_to_allow(client: TokenClient) -> None:
    token = client.token()
    client.delete_cookie("tallystone")
    answer = client.post("/games", data={"csrf_token": token, "kind": "stones"})
    assert answer.status_code == 403
    assert "allow cookies for this page" in answer.get_data(as_text=True)

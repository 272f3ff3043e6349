"""Devices that take seats in a game through the API, and act and look from them."""

from typing import Any

from fakes import TokenClient
from flask import Flask

BOARD = {"name": "meadow", "rows": [2, 3], "cols": [2, 3], "empty": True}
SETUP = {
    "players": [{"name": "Ann", "colour": "red"}, {"name": "Bob", "colour": "blue"}],
    "options": {"board": BOARD},
}
PLAYERS = [
    {"name": "Ann", "colour": "red"},
    {"name": "Bob", "colour": "green"},
    {"name": "Cem", "colour": "yellow"},
]


def join(app: Flask, code: str, **fields: str) -> TokenClient:
    client = app.test_client()
    assert isinstance(client, TokenClient)
    answer = client.post(f"/g/{code}/join", data={"csrf_token": client.token(), **fields})
    assert answer.status_code == 303
    return client


def act(client: TokenClient, code: str, **action: Any) -> Any:
    more = {key: action.pop(key) for key in ("base_version", "key") if key in action}
    return client.send_json(f"/api/games/{code}/actions", {"action": action} | more)


def game(client: TokenClient, code: str) -> Any:
    return client.get(f"/api/games/{code}").get_json()


def try_join(client: TokenClient, code: str, **fields: str) -> int:
    form = {"csrf_token": client.token(), **fields}
    return int(client.post(f"/g/{code}/join", data=form).status_code)


def device(app: Flask) -> TokenClient:
    client = app.test_client()
    assert isinstance(client, TokenClient)
    return client


def member(client: TokenClient, code: str, name: str) -> Any:
    return next(one for one in game(client, code)["members"] if one["name"] == name)

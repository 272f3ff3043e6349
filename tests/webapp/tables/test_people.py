"""Who may sit where, see which hand, and end a game."""

import io
from typing import Any

import pytest
from fakes import TokenClient
from flask import Flask
from seats import PLAYERS, act, device, game, join, member, try_join

SECRET = 17
"""A card of stones in Ann's hand."""


@pytest.fixture
def code(client: TokenClient) -> str:
    """A game of stones that the client hosts as Ann, with a card in the hand."""
    answer = client.send_json(
        "/api/games", {"kind": "stones", "setup": {"players": PLAYERS}, "seat": 0}
    )
    code = str(answer.get_json()["code"])
    assert act(client, code, type="hand", seat=0, cards=[SECRET]).status_code == 200
    return code


@pytest.fixture
def bob(app: Flask, code: str) -> TokenClient:
    return join(app, code, seat="1")


def hand(client: TokenClient, code: str, seat: int) -> Any:
    return game(client, code)["state"]["seats"][seat]["hand"]


def order(client: TokenClient, code: str, name: str, asked: TokenClient, **change: Any) -> int:
    path = f"/api/games/{code}/members/{member(asked, code, name)['id']}"
    return int(client.send_json(path, change).status_code)


def test_a_seat_that_is_taken_shows_its_hand_to_nobody_else(
    app: Flask, bob: TokenClient, code: str
) -> None:
    stranger = device(app)
    page = stranger.get(f"/g/{code}").get_data(as_text=True)
    assert page.count(" disabled") == 2
    assert try_join(stranger, code, seat="0") == 409
    assert stranger.get(f"/api/games/{code}").status_code == 403
    assert try_join(bob, code, seat="0") == 409
    assert hand(bob, code, 0) == []
    assert game(bob, code)["you"]["seat"] == 1


def test_the_one_on_a_seat_gives_it_to_a_viewer(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    act(bob, code, type="hand", seat=1, cards=[3])
    tablet = join(app, code, name="tablet")
    assert hand(tablet, code, 1) == []
    assert order(tablet, code, "tablet", client, role="player", seat=1) == 403
    assert order(bob, code, "tablet", client, role="player", seat=2) == 403
    assert order(bob, code, "tablet", client, role="host") == 403
    assert order(bob, code, "tablet", client, role="player", seat=1) == 200
    assert hand(tablet, code, 1) == [3]
    told = client.get(f"/api/games/{code}/log").get_json()["events"][-1]
    assert told["by"] == "Bob"
    assert told["action"] == {"type": "member", "name": "Bob", "role": "player", "seat": 1}
    assert not told["undone"]


def test_who_was_removed_stays_out_until_let_in(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    number = member(client, code, "Bob")["id"]
    assert client.send_json(f"/api/games/{code}/members/{number}", {}, "DELETE").status_code == 200
    assert bob.get(f"/api/games/{code}").status_code == 403
    assert bob.get("/api/games").get_json() == {"games": []}
    assert (
        try_join(device(app), code, name="new") == 404
    )  # the same person might come back as somebody new
    client.send_json(f"/api/games/{code}/door", {"open": True})
    for fields in ({"seat": "1"}, {"seat": "2"}, {"name": "Bo"}):
        assert try_join(bob, code, **fields) == 403
    assert join(app, code, seat="2").get(f"/api/games/{code}").status_code == 200
    cem = join(app, code, name="watcher")
    assert "Bob" not in [one["name"] for one in game(cem, code)["members"]]
    assert order(client, code, "Bob", client, role="viewer") == 200
    assert game(bob, code)["you"]["role"] == "viewer"


def test_a_viewer_becomes_no_player_alone(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    assert order(client, code, "Bob", client, role="viewer") == 200
    assert game(client, code)["open"] is False
    assert try_join(device(app), code, seat="1") == 404
    client.send_json(f"/api/games/{code}/door", {"open": True})
    for seat in ("1", "2"):
        assert try_join(bob, code, seat=seat) == 403
    assert game(bob, code)["you"]["role"] == "viewer"
    assert order(client, code, "Bob", client, role="player", seat=1) == 200
    assert game(bob, code)["you"]["role"] == "player"


def test_the_host_may_take_a_seat_and_all_see_it(
    client: TokenClient, bob: TokenClient, code: str
) -> None:
    assert try_join(client, code, seat="1") == 303
    told = bob.get(f"/api/games/{code}/log").get_json()["events"][-1]
    assert told["action"] == {"type": "member", "name": "Bob", "role": "host", "seat": 1}


def test_only_the_host_finishes_and_plays_on(
    client: TokenClient, bob: TokenClient, code: str
) -> None:
    assert act(bob, code, type="finish").status_code == 403
    assert act(client, code, type="finish").status_code == 200
    assert act(bob, code, type="resume").status_code == 403
    assert bob.send_json(f"/api/games/{code}/undo", {}).status_code == 403
    assert game(bob, code)["finished"]
    assert client.send_json(f"/api/games/{code}/undo", {}).status_code == 200
    assert bob.send_json(f"/api/games/{code}/redo", {}).status_code == 403
    assert not game(bob, code)["finished"]
    assert act(client, code, type="finish").status_code == 200
    assert act(client, code, type="resume").status_code == 200


def test_who_comes_and_goes_is_no_step_of_the_game(
    app: Flask, client: TokenClient, code: str
) -> None:
    join(app, code, seat="2")
    assert game(client, code)["last"]["type"] == "hand"
    assert client.send_json(f"/api/games/{code}/undo", {}).status_code == 200
    join(app, code, name="watcher")
    assert game(client, code)["can_redo"]
    assert client.send_json(f"/api/games/{code}/redo", {}).status_code == 200
    assert hand(client, code, 0) == [SECRET]
    assert act(client, code, type="hand", seat=0, cards=[SECRET, 3]).status_code == 200


def test_another_host_can_be_made(client: TokenClient, bob: TokenClient, code: str) -> None:
    assert order(client, code, "Bob", client, role="host") == 200
    assert game(bob, code)["you"] == {
        "role": "host",
        "seat": 1,
        "id": game(bob, code)["you"]["id"],
        "name": "Bob",
    }
    assert act(bob, code, type="finish").status_code == 200
    assert order(bob, code, "Ann", client, role="viewer") == 404


@pytest.fixture
def village(client: TokenClient) -> str:
    """A game of Villagers that the client hosts without a seat."""
    setup = {"players": [{"name": name, "colour": None} for name in ("Ann", "Bob")]}
    answer = client.send_json("/api/games", {"kind": "villagers", "setup": setup})
    return str(answer.get_json()["code"])


def test_the_host_of_villagers_keeps_only_hands_that_nobody_else_does(
    app: Flask, client: TokenClient, village: str
) -> None:
    bob = join(app, village, seat="1")
    hands = [one["hand"] for one in game(client, village)["view"]["players"]]
    assert hands == [[], None]
    name = next(card["name"] for card in game(bob, village)["view"]["deck"])
    assert act(bob, village, type="hand_add", seat=1, name=name).status_code == 200
    assert game(bob, village)["view"]["players"][1]["hand"] == [name]
    assert game(client, village)["view"]["players"][1]["hand"] is None
    assert game(client, village)["state"]["villages"][1]["hand"] == []
    assert all(
        name not in str(event)
        for event in client.get(f"/api/games/{village}/log").get_json()["events"]
    )
    for action in ({"type": "hand_drop"}, {"type": "hand_add"}, {"type": "add", "from_hand": True}):
        assert (
            act(client, village, seat=1, name=name, **action).get_json()["error"]["code"]
            == "not_yours"
        )
    assert act(client, village, type="hand_add", seat=0, name=name).status_code == 200
    assert game(bob, village)["view"]["players"][0]["hand"] is None


def test_a_game_that_goes_on_tells_no_hand_anywhere(
    app: Flask, client: TokenClient, village: str
) -> None:
    bob = join(app, village, seat="1")
    names = [card["name"] for card in game(bob, village)["view"]["deck"]]
    plain = {path: client.get(path).get_data(as_text=True) for path in pages(village)}
    rare = next(name for name in names if all(name not in text for text in plain.values()))
    act(bob, village, type="hand_add", seat=1, name=rare)
    for path in pages(village):
        assert rare not in client.get(path).get_data(as_text=True), path
    assert client.get("/history/export.json").get_json()["games"] == []


def test_a_change_that_was_undone_tells_no_hand(
    app: Flask, client: TokenClient, bob: TokenClient, code: str, village: str
) -> None:
    act(client, code, type="board", text="sun moon fish / bird horse boat / seed tree seed")
    flip = act(client, code, type="move", flip=[0, 0], discard=SECRET)
    other = join(app, village, seat="1")
    act(other, village, type="hand_add", seat=1, name="Miner")
    built = act(other, village, type="add", seat=1, name="Miner", from_hand=True)
    assert (flip.status_code, built.status_code) == (200, 200)
    for player, table, secret in ((bob, code, str(SECRET)), (client, village, "Miner")):
        for way in ("undo", "redo", "undo"):
            assert player.send_json(f"/api/games/{table}/{way}", {}).status_code == 200
        events = player.get(f"/api/games/{table}/log").get_json()["events"]
        assert not any(secret in str(event["action"]) for event in events)


def pages(code: str) -> list[str]:
    """Every page of a running game that a member can open, except the table itself."""
    return [
        f"/g/{code}/after",
        f"/g/{code}/audit",
        f"/g/{code}/report.html",
        f"/api/games/{code}/audit",
        f"/api/games/{code}/log",
        "/history",
        "/history/statistics",
        "/history/export.json",
        "/history/export.csv",
    ]


ENDS = {
    "stones": {"type": "award", "seat": 1, "card": 5},
    "seasons": {"type": "season", "seat": 0, "season": "winter"},
    "time": {"type": "seasons", "seat": 0, "seasons": ["winter"]},
    "villagers": {"type": "supply", "seat": 0, "gold": 5},
    "custom": {"type": "extra", "seat": 0, "points": 5},
}
"""A change of each game that moves its result."""


@pytest.mark.parametrize("kind", list(ENDS))
def test_a_finished_game_is_changed_by_nothing_but_playing_on(
    client: TokenClient, kind: str
) -> None:
    colours = {
        "seasons": ("spring", "summer"),
        "time": ("spring", "summer"),
        "villagers": (None, None),
    }
    players = [
        {"name": name, "colour": colour}
        for name, colour in zip(("Ann", "Bob"), colours.get(kind, ("red", "green")), strict=True)
    ]
    options = (
        {"board": {"name": "meadow", "rows": 2, "cols": 2, "empty": True}}
        if kind == "custom"
        else {}
    )
    setup = {"players": players, "options": options}
    answer = client.send_json("/api/games", {"kind": kind, "setup": setup, "seat": 0})
    code = answer.get_json()["code"]
    assert act(client, code, type="finish").status_code == 200
    refused = act(client, code, **ENDS[kind])
    assert refused.status_code == 409
    assert refused.get_json()["error"]["code"] == "finished"
    assert game(client, code)["finished"]
    assert act(client, code, type="resume").status_code == 200
    assert act(client, code, **ENDS[kind]).status_code == 200


@pytest.mark.parametrize("same", ["Ann\u200b", "A\u00adnn", "\uff21nn", "\u202eAnn", "An\u200dn"])
def test_names_that_look_the_same_are_the_same(app: Flask, client: TokenClient, same: str) -> None:
    body = {"kind": "stones", "setup": {"players": [PLAYERS[0], PLAYERS[1] | {"name": same}]}}
    answer = client.send_json("/api/games", body)
    assert "Two players are called Ann" in answer.get_json()["error"]["message"]
    code = client.send_json("/api/games", {"kind": "stones", "setup": {"players": PLAYERS}})
    code = code.get_json()["code"]
    dan = {"type": "player", "colour": "purple"}
    assert act(client, code, **dan, name=same).status_code == 422
    assert act(client, code, **dan, name=f"{same}e").status_code == 200
    assert game(client, code)["players"][3]["name"] == "Anne"
    viewer = join(app, code, name=same)
    assert game(viewer, code)["you"]["name"] == "Ann"


def test_a_name_that_nobody_sees_is_none(app: Flask, client: TokenClient, code: str) -> None:
    body = {"kind": "stones", "setup": {"players": [PLAYERS[0] | {"name": "\u200b\u3164"}]}}
    assert client.send_json("/api/games", body).status_code == 422
    viewer = join(app, code, name="\u200b")
    assert game(viewer, code)["you"]["name"] == "Guest"


def test_archives_keep_names_as_they_were(client: TokenClient, code: str) -> None:
    assert act(client, code, type="finish").status_code == 200
    games = client.get("/history/export.json").get_data(as_text=True)
    games = games.replace('"Bob"', '"Ann\\u200b"').replace('"Cem"', '"\\u202eGast"')
    assert client.post(f"/g/{code}/delete", data={"csrf_token": client.token()}).status_code == 303
    form = {"csrf_token": client.token(), "file": (io.BytesIO(games.encode()), "games.json")}
    said = client.post("/history/import", data=form).get_data(as_text=True)
    assert "1 game taken in" in said
    assert "counted anew" not in said
    [found] = client.get("/api/games").get_json()["games"]
    assert found["players"] == ["Ann", "Ann\u200b", "\u202eGast"]
    assert client.get(f"/g/{found['code']}/after").status_code == 200

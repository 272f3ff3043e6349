"""Who comes, goes and hosts, what all are told of it, who is remembered, and the next game."""

import re
from datetime import timedelta
from typing import Any

import pytest
from fakes import TokenClient
from flask import Flask
from seats import PLAYERS, act, device, game, join, member, try_join

from webapp.guard.pin import pin_of
from webapp.guard.quotas import Limits
from webapp.store.models import now_utc
from webapp.tables.members import KEPT_FOR_SEATS, MOST_MEMBERS
from webapp.tables.news import MOST_NEWS


@pytest.fixture
def code(client: TokenClient) -> str:
    """A game of stones that the client hosts as Ann, with Bob and Cem."""
    setup = {"players": PLAYERS, "options": {"advice": False}}
    answer = client.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0})
    return str(answer.get_json()["code"])


@pytest.fixture
def bob(app: Flask, code: str) -> TokenClient:
    return join(app, code, seat="1")


def news(client: TokenClient, code: str) -> list[str]:
    return [one["says"] for one in game(client, code)["news"]]


def names(client: TokenClient) -> list[str]:
    """The names that the start of a game offers to a device."""
    page = client.get("/start/stones").get_data(as_text=True)
    return [part.split('"')[0] for part in page.split('data-person="')[1:]]


def test_all_are_told_who_comes_changes_and_goes(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    zoe = join(app, code, name="Zoe")
    number = member(client, code, "Zoe")["id"]
    client.send_json(f"/api/games/{code}/members/{number}", {"role": "player", "seat": 2})
    client.send_json(f"/api/games/{code}/door", {"open": False})
    assert zoe.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    number = member(client, code, "Bob")["id"]
    client.send_json(f"/api/games/{code}/members/{number}", {}, "DELETE")
    assert news(client, code) == [
        "Bob plays along now.",
        "Zoe is watching now.",
        "Cem plays along now.",
        "Nobody new can join any more.",
        "Cem has left.",
        "Bob was taken out of the game.",
    ]


def test_whoever_comes_and_goes_wipes_out_no_other_news(
    app: Flask, client: TokenClient, code: str
) -> None:
    act(client, code, type="award", seat=0, cards=[5])
    told = news(client, code)
    viewer = join(app, code, name="Zoe")
    for _ in range(MOST_NEWS):
        assert viewer.send_json(f"/api/games/{code}/leave", {}).status_code == 200
        assert try_join(viewer, code, name="Zoe") == 303
    client.send_json(f"/api/games/{code}/door", {"open": False})
    assert news(client, code)[0] == told[0]
    assert news(client, code)[-2:] == ["Zoe is watching now.", "Nobody new can join any more."]
    assert len(news(client, code)) == MOST_NEWS


def test_who_leaves_is_out_frees_the_seat_and_may_come_back(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    assert bob.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    assert bob.get(f"/api/games/{code}").status_code == 403
    assert "Bob" not in [one["name"] for one in game(client, code)["members"]]
    assert try_join(device(app), code, seat="1") == 303
    assert try_join(bob, code, seat="1") == 409
    assert try_join(bob, code, seat="2") == 303
    assert game(bob, code)["you"]["role"] == "player"


def test_a_host_hands_over_or_leaves_and_somebody_hosts_on(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    number = member(client, code, "Bob")["id"]
    assert bob.send_json(f"/api/games/{code}/members/{number}/host", {}).status_code == 403
    assert client.send_json(f"/api/games/{code}/members/{number}/host", {}).status_code == 200
    assert game(bob, code)["you"]["role"] == "host"
    assert game(client, code)["you"]["role"] == "player"
    assert news(bob, code)[-1] == "Ann has handed the game over to Bob."
    assert bob.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    assert game(client, code)["you"]["role"] == "host"
    assert news(client, code)[-1] == "Bob has left; Ann is the host now."
    refused = client.send_json(f"/api/games/{code}/leave", {})
    assert refused.get_json()["error"]["code"] == "alone"
    assert act(client, code, type="finish").status_code == 200


def test_a_player_hosts_on_before_a_viewer(app: Flask, client: TokenClient, code: str) -> None:
    join(app, code, name="Zoe")
    cem = join(app, code, seat="2")
    assert client.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    assert game(cem, code)["you"]["role"] == "host"


def test_no_other_player_gets_a_player_s_seat_and_who_has_left_gets_none(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    join(app, code, seat="2")
    seat = {"role": "player", "seat": 1}
    path = f"/api/games/{code}/members"
    cem, number = (member(client, code, name)["id"] for name in ("Cem", "Bob"))
    assert bob.send_json(f"{path}/{cem}", seat).status_code == 403
    assert bob.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    assert client.send_json(f"{path}/{number}", seat).status_code == 404


def test_a_game_full_of_devices_that_were_removed_takes_others(
    app: Flask, client: TokenClient, code: str
) -> None:
    for number in range(MOST_MEMBERS - 1):
        one = device(app)
        one.environ_base["REMOTE_ADDR"] = f"10.0.0.{number}"
        assert try_join(one, code, name=f"n{number}") == 303
    assert try_join(device(app), code, name="Zoe") == 409
    for one in game(client, code)["members"]:
        if one["role"] == "viewer":
            path = f"/api/games/{code}/members/{one['id']}"
            assert client.send_json(path, {}, "DELETE").status_code == 200
    client.send_json(f"/api/games/{code}/door", {"open": True})
    assert try_join(device(app), code, seat="1") == 303


def test_one_address_fills_no_game_and_the_host_removes_all_who_watch(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    guest = device(app)
    guest.environ_base["REMOTE_ADDR"] = "10.0.0.7"
    for _ in range(Limits().address_joins):
        assert try_join(guest, code, seat="2") == 303
        assert guest.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    assert try_join(guest, code, seat="2") == 429
    viewers = [join(app, code, name="Zoe"), join(app, code, name="Yan")]
    path = f"/api/games/{code}/viewers"
    assert bob.send_json(path, {}, "DELETE").status_code == 403
    before = client.get(f"/api/games/{code}/log").data
    assert client.send_json(path, {}, "DELETE").status_code == 200
    assert client.get(f"/api/games/{code}/log").data == before
    assert [one.get(f"/api/games/{code}").status_code for one in viewers] == [403, 403]
    assert game(bob, code)["you"]["role"] == "player"
    assert not game(client, code)["open"]


def test_whoever_only_watches_fills_no_log(app: Flask, client: TokenClient, code: str) -> None:
    before = client.get(f"/api/games/{code}/log").data
    viewer = join(app, code, name="Zoe")
    assert try_join(viewer, code, name="Zora") == 303
    assert viewer.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    assert client.get(f"/api/games/{code}/log").data == before


def test_joining_again_in_the_same_place_changes_and_tells_nothing(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    viewer = join(app, code, name="Zoe")
    before = game(client, code)
    assert try_join(viewer, code, name="Zora") == 303
    assert try_join(bob, code, seat="1") == 303
    after = game(client, code)
    assert (after["version"], after["news"]) == (before["version"], before["news"])
    assert [one["name"] for one in after["members"]] == ["Ann", "Bob", "Zora"]


def test_whoever_watches_keeps_no_seat_from_those_who_play(
    app: Flask, client: TokenClient, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.tables.members.MOST_MEMBERS", 2)
    join(app, code, name="Zoe")
    bob = join(app, code, seat="1")
    assert try_join(bob, code) == 409
    assert try_join(device(app), code) == 409
    monkeypatch.undo()
    monkeypatch.setattr("webapp.tables.members.MOST_EVER", KEPT_FOR_SEATS + 3)
    assert try_join(device(app), code) == 409
    assert try_join(device(app), code, seat="2") == 303


def test_one_more_plays_and_undo_takes_the_seat_back(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    dan = {"type": "player", "name": "Dan", "colour": "purple"}
    assert act(bob, code, **dan).get_json()["error"]["code"] == "not_the_host"
    assert act(client, code, **dan).status_code == 200
    assert news(bob, code)[-1] == "Dan plays, too."
    late = join(app, code, seat="3")
    assert game(late, code)["players"][3] == {"seat": 3, "name": "Dan", "colour": "purple"}
    for path in (f"/g/{code}/after", f"/g/{code}/audit", f"/g/{code}/report.html", "/history"):
        assert "Dan" in late.get(path).get_data(as_text=True), path
    assert client.send_json(f"/api/games/{code}/undo", {}).status_code == 200
    assert len(game(client, code)["players"]) == 3
    assert game(late, code)["you"]["role"] == "viewer"
    assert client.send_json(f"/api/games/{code}/redo", {}).status_code == 200
    assert game(client, code)["players"][3]["name"] == "Dan"
    assert (game(late, code)["you"]["role"], game(late, code)["you"]["seat"]) == ("player", 3)
    assert act(client, code, type="finish").status_code == 200
    assert act(client, code, **(dan | {"name": "Eve"})).get_json()["error"]["code"] == "finished"


def test_redo_gives_a_seat_to_the_device_that_lost_it_and_to_no_namesake(
    app: Flask, client: TokenClient, code: str
) -> None:
    screen = join(app, code, name="Dan")
    for _ in range(2):
        act(client, code, type="player", name="Dan", colour="purple")
        late = join(app, code, seat="3")
        for way, role in (("undo", "viewer"), ("redo", "player")):
            assert client.send_json(f"/api/games/{code}/{way}", {}).status_code == 200
            assert game(late, code)["you"]["role"] == role
            assert game(screen, code)["you"]["role"] == "viewer"
        client.send_json(f"/api/games/{code}/undo", {})
    act(client, code, type="player", name="Dan", colour="purple")
    for way in ("undo", "redo"):
        assert client.send_json(f"/api/games/{code}/{way}", {}).status_code == 200
    assert [one["seat"] for one in game(client, code)["members"]] == [0, None, None, None]


@pytest.mark.parametrize(
    ("kind", "swap"),
    [("seasons", {"season": "winter"}), ("time", {"seasons": ["winter"]})],
)
def test_who_changes_the_season_leaves_the_old_one_to_others(
    app: Flask, client: TokenClient, kind: str, swap: dict[str, Any]
) -> None:
    colours = ("spring", "summer", "autumn")
    players = [one | {"colour": colour} for one, colour in zip(PLAYERS, colours, strict=True)]
    setup = {"players": players, "options": {}}
    answer = client.send_json("/api/games", {"kind": kind, "setup": setup, "seat": 0})
    code = answer.get_json()["code"]
    action = {"type": "season" if kind == "seasons" else "seasons", "seat": 0} | swap
    for way, now in (("actions", "winter"), ("undo", "spring"), ("redo", "winter")):
        sent = {"action": action} if way == "actions" else {}
        assert client.send_json(f"/api/games/{code}/{way}", sent).status_code == 200
        assert [one["colour"] for one in game(client, code)["players"]] == [now, *colours[1:]]
    assert "winter" in device(app).get(f"/g/{code}").get_data(as_text=True)
    dan = {"type": "player", "name": "Dan"}
    assert act(client, code, **dan, colour="winter").status_code == 422
    assert act(client, code, **dan, colour="spring").status_code == 200
    assert [one["colour"] for one in game(client, code)["players"]] == [
        "winter",
        *colours[1:],
        "spring",
    ]


def test_a_game_with_a_late_player_is_exported_and_taken_in_again(
    app: Flask, client: TokenClient, code: str
) -> None:
    act(client, code, type="player", name="Dan", colour="purple")
    act(client, code, type="award", seat=3, cards=[5])
    act(client, code, type="finish")
    file = client.get("/history/export.json").get_data()
    other = device(app)
    import io

    sent = {"csrf_token": other.token(), "file": (io.BytesIO(file), "games.json")}
    assert other.post("/history/import", data=sent).status_code == 200
    [found] = other.get("/api/games").get_json()["games"]
    assert found["players"] == ["Ann", "Bob", "Cem", "Dan"]


def test_the_timer_is_that_of_all_and_ends(
    client: TokenClient,
    bob: TokenClient,
    app: Flask,
    code: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = f"/api/games/{code}/timer"
    assert bob.send_json(path, {"seconds": 60}).status_code == 200
    timer = game(client, code)["timer"]
    assert timer["seconds"] == 60
    assert 0 < timer["left_ms"] <= 60_000
    assert client.send_json(path, {"seconds": 0}).get_json()["timer"] is None
    for wrong in (-1, 3601, "60", None, 1.5, True):
        assert client.send_json(path, {"seconds": wrong}).status_code == 400
    viewer = join(app, code, name="Zoe")
    assert viewer.send_json(path, {"seconds": 60}).status_code == 403
    assert bob.send_json(path, {"seconds": 60}).status_code == 200
    set_back = now_utc() - timedelta(hours=1)
    monkeypatch.setattr("webapp.tables.timer.now_utc", lambda: set_back)
    assert game(client, code)["timer"] is None


def test_a_device_is_offered_whom_it_played_with_and_nobody_else(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    assert names(client) == ["Ann", "Bob", "Cem"]
    assert names(bob) == ["Ann", "Bob", "Cem"]
    viewer, stranger = join(app, code, name="Zoe"), device(app)
    for other in (viewer, stranger):
        assert names(other) == []
        assert "Cem" not in other.get("/people").get_data(as_text=True)
    page = client.get("/start/stones").get_data(as_text=True)
    assert 'data-person="Cem" data-colour="yellow"' in page


def send(client: TokenClient, path: str, **fields: str) -> int:
    return int(client.post(path, data={"csrf_token": client.token(), **fields}).status_code)


def test_people_are_forgotten_and_merged_on_the_own_device_only(
    client: TokenClient, bob: TokenClient, code: str
) -> None:
    assert send(client, "/people/merge", name="Cem", into="Bob") == 303
    assert names(client) == ["Ann", "Bob"]
    assert "2 games" in client.get("/people").get_data(as_text=True)
    for wrong in ({"name": "Bob", "into": "Bob"}, {"name": "Xaver", "into": "Bob"}, {}):
        assert send(client, "/people/merge", **wrong) == 404
    assert send(client, "/people/forget", name="bob") == 303
    assert names(client) == ["Ann"]
    assert send(client, "/people/forget") == 303
    assert names(client) == []
    assert names(bob) == ["Ann", "Bob", "Cem"]


def games_with(client: TokenClient) -> list[str]:
    """How many games the page of the people says of each."""
    return re.findall(r"\d+ games?", client.get("/people").get_data(as_text=True))


def test_each_game_counts_once_for_all_who_play_it(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    number = member(client, code, "Bob")["id"]
    client.send_json(f"/api/games/{code}/members/{number}", {"role": "host", "seat": 1})
    assert bob.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    assert try_join(bob, code, seat="1") == 303
    assert games_with(bob) == games_with(client) == ["1 game"] * 3
    for _ in range(2):
        code = start(client, after=code)
    assert games_with(client) == ["3 games"] * 2 + ["1 game"]
    assert games_with(bob) == games_with(client)
    send(bob, "/people/forget")
    zoe = join(app, code, name="Zoe")
    number = member(client, code, "Bob")["id"]
    path = f"/api/games/{code}/members/{number}"
    client.send_json(path, {"role": "host", "seat": 1})
    assert games_with(bob) == ["1 game"] * 2
    assert games_with(zoe) == []


def test_whoever_is_added_in_the_game_is_remembered_at_the_table(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    viewer = join(app, code, name="Zoe")
    act(client, code, type="player", name="Dan", colour="purple")
    assert names(client) == names(bob) == ["Ann", "Bob", "Cem", "Dan"]
    assert games_with(client) == games_with(bob) == ["1 game"] * 4
    assert names(viewer) == []


def test_the_owner_of_the_computer_switches_remembering_off(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    assert send(client, "/people/remember", on="no") == 403
    assert names(client)
    pin = pin_of(app.extensions["tallystone"].data_dir)
    assert send(bob, "/pin", pin=pin, back="/people") == 303
    assert send(bob, "/people/remember", on="no") == 303
    join(app, code, seat="2")
    start(client)
    assert names(client) == names(bob) == []
    assert send(bob, "/people/remember", on="yes") == 303
    start(client)
    assert names(client) == ["Ann", "Bob"]


def start(client: TokenClient, **more: Any) -> str:
    setup = {"players": PLAYERS[:2], "options": {}}
    answer = client.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0} | more)
    assert answer.status_code == 201, answer.get_json()
    return str(answer.get_json()["code"])


def test_play_again_keeps_players_options_copies_and_brings_everybody_along(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    join(app, code, name="Zoe")
    client.send_json(f"/api/games/{code}/boards/stones/copy", {"profile": ""})
    act(client, code, type="finish")
    page = client.get(f"/start/stones?again={code}").get_data(as_text=True)
    assert [f'value="{one["name"]}"' in page for one in PLAYERS] == [True] * 3
    assert f'name="after" value="{code}"' in page
    assert 'name="option-advice" checked' not in page
    form = {
        "csrf_token": client.token(),
        "kind": "stones",
        "after": code,
        "me": "1",
        "player": ["Bob", "Ann"],
        "colour": ["green", "red"],
    }
    answer = client.post("/games", data=form)
    new = answer.headers["Location"].split("/")[2].split("#")[0]
    assert game(bob, code)["next"] == new
    assert news(bob, code)[-1] == "Ann has started the next game."
    assert game(bob, new)["you"] | {"id": 0} == {
        "id": 0,
        "role": "player",
        "seat": 0,
        "name": "Bob",
    }
    assert [one["name"] for one in game(client, new)["members"]] == ["Ann", "Bob", "Zoe"]
    assert client.get(f"/api/games/{new}/boards/stones").get_json()["copy"] == ""


def test_nobody_follows_a_game_that_is_not_the_own_and_only_the_host_brings_others(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    stranger = device(app)
    setup = {"players": PLAYERS[:2], "options": {}}
    body = {"kind": "stones", "setup": setup, "seat": 0, "after": code}
    assert stranger.send_json("/api/games", body).status_code == 403
    assert "Cem" not in stranger.get(f"/start/stones?again={code}").get_data(as_text=True)
    mine = start(bob, after=code)
    assert [one["name"] for one in game(bob, mine)["members"]] == ["Ann"]  # Bob's own seat
    assert game(client, code)["next"] == mine  # the others are shown the way, not brought
    assert news(client, code)[-1] == "Bob has started the next game."
    assert client.get(f"/api/games/{mine}").status_code == 403
    start(bob, after=code)
    assert game(client, code)["next"] == mine
    assert len(news(client, code)) == len(news(bob, code))


def test_a_next_game_that_is_deleted_leaves_its_place_to_another(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    wrong = start(bob, after=code)
    seen = game(client, code)
    assert seen["next"] == wrong
    assert bob.send_json(f"/api/games/{wrong}", {}, "DELETE").status_code == 200
    now = game(client, code)
    assert now["next"] is None
    assert now["version"] > seen["version"]  # open pages hear of it
    new = start(bob, after=code)
    assert game(client, code)["next"] == new


def test_the_screen_shows_the_table_and_no_hand_even_on_the_players_own_device(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    act(client, code, type="hand", seat=0, cards=[17])
    act(client, code, type="award", seat=1, cards=[5])
    page = client.get(f"/g/{code}/screen").get_data(as_text=True)
    assert "Ann’s turn" in page
    assert code in page
    assert "button" not in page.split("<main")[1]
    setup = {"players": [{"name": name, "colour": None} for name in ("Ann", "Bob")]}
    answer = client.send_json("/api/games", {"kind": "villagers", "setup": setup, "seat": 0})
    village = answer.get_json()["code"]
    before = client.get(f"/g/{village}/screen").get_data(as_text=True)
    cards = [card["name"] for card in game(client, village)["view"]["deck"]]
    rare = next(name for name in cards if name not in before)
    assert act(client, village, type="hand_add", seat=0, name=rare).status_code == 200
    assert rare not in client.get(f"/g/{village}/screen").get_data(as_text=True)


def test_a_stranger_s_screen_asks_first_and_then_only_watches(
    app: Flask, client: TokenClient, code: str
) -> None:
    screen = device(app)
    page = screen.get(f"/g/{code}/screen").get_data(as_text=True)
    assert "Show the game on this screen?" in page
    assert "Cem" not in page
    form = {"csrf_token": screen.token(), "name": "Big screen", "to": "screen"}
    answer = screen.post(f"/g/{code}/join", data=form)
    assert answer.headers["Location"] == f"/g/{code}/screen"
    assert game(screen, code)["you"]["role"] == "viewer"
    assert device(app).get("/g/ABCDEF/screen").status_code == 404

"""Games through the API: starting, joining, changing, going back, evidence, and who may do what."""

import html
import io
import json
import re
import sqlite3
from typing import Any

import numpy as np
import pytest
from fakes import STATE, TokenClient
from flask import Flask
from seats import BOARD, SETUP, act, game, join
from sqlalchemy.exc import OperationalError

from webapp.tables.devices import ALPHABET

GRID = "cow cow / pig ."


@pytest.fixture
def database_url(each_database: str | None) -> str | None:
    return each_database


@pytest.fixture
def code(client: TokenClient) -> str:
    """A game of any described board that the client hosts as Ann."""
    answer = client.send_json("/api/games", {"kind": "custom", "setup": SETUP, "seat": 0})
    assert answer.status_code == 201
    return str(answer.get_json()["code"])


@pytest.fixture
def bob(app: Flask, code: str) -> TokenClient:
    return join(app, code, seat="1")


def test_a_code_has_six_symbols_that_nobody_mistakes(code: str) -> None:
    assert len(ALPHABET) == 31
    assert not set("01OIL") & set(ALPHABET)
    assert re.fullmatch(f"[{ALPHABET}]{{6}}", code)


def test_what_one_does_the_other_sees(client: TokenClient, bob: TokenClient, code: str) -> None:
    before = game(bob, code)
    assert before["you"]["role"] == "player"
    assert before["you"]["seat"] == 1
    answer = act(client, code, type="board", seat=0, text=GRID)
    assert answer.status_code == 200
    after = game(bob, code)
    assert after["version"] == before["version"] + 1
    assert after["state"]["boards"]["0"]["text"] == GRID
    assert after["last"]["by"] == "Ann"
    assert bob.get(f"/api/games/{code}?since={after['version']}").get_json() == {
        "version": after["version"]
    }


def test_undo_and_redo_go_all_the_way(client: TokenClient, bob: TokenClient, code: str) -> None:
    for points in range(1, 6):
        act(client if points % 2 else bob, code, type="extra", seat=0, points=points)
    seen = []
    for _ in range(5):
        answer = client.send_json(f"/api/games/{code}/undo", {}).get_json()
        seen.append(answer["state"]["extra"].get("0"))
    assert seen == [4, 3, 2, 1, None]
    assert answer["can_undo"] is False
    assert answer["can_redo"] is True
    refused = client.send_json(f"/api/games/{code}/undo", {})
    assert refused.status_code == 409
    assert refused.get_json()["error"]["code"] == "nothing_to_undo"
    for points in range(1, 6):
        answer = bob.send_json(f"/api/games/{code}/redo", {}).get_json()
        assert answer["state"]["extra"]["0"] == points
    assert answer["can_redo"] is False


def test_a_change_after_undo_drops_what_was_undone_but_the_log_keeps_it(
    client: TokenClient, code: str
) -> None:
    act(client, code, type="extra", seat=0, points=1)
    act(client, code, type="extra", seat=0, points=2)
    client.send_json(f"/api/games/{code}/undo", {})
    answer = act(client, code, type="extra", seat=0, points=9).get_json()
    assert answer["can_redo"] is False
    events = client.get(f"/api/games/{code}/log").get_json()["events"]
    assert [
        (event["action"].get("points"), event["undone"], event["dropped"]) for event in events
    ] == [(None, False, False), (1, False, False), (2, True, True), (9, False, False)]
    answer = client.send_json(f"/api/games/{code}/undo", {}).get_json()
    assert answer["state"]["extra"]["0"] == 1


def test_the_game_survives_a_restart(app: Flask, client: TokenClient, code: str) -> None:
    from webapp import create_app

    act(client, code, type="extra", seat=0, points=1)
    act(client, code, type="extra", seat=0, points=2)
    client.send_json(f"/api/games/{code}/undo", {})
    again = create_app(
        {name: app.config[name] for name in ("TESTING", "DATA_DIR", "OPEN_READER", "DATABASE_URL")}
    )
    again.test_client_class = TokenClient
    cookie = client.get_cookie("tallystone")
    assert cookie is not None
    device = again.test_client()
    assert isinstance(device, TokenClient)
    device.set_cookie("tallystone", cookie.value)
    answer = device.send_json(f"/api/games/{code}/redo", {}).get_json()
    assert answer["state"]["extra"]["0"] == 2
    again.extensions["tallystone_store"].close()


def test_a_request_sent_twice_is_done_once(client: TokenClient, code: str) -> None:
    first = act(client, code, type="extra", seat=0, points=1, key="abc").get_json()
    again = act(client, code, type="extra", seat=0, points=1, key="abc").get_json()
    assert again["version"] == first["version"]
    assert act(client, code, type="extra", seat=0, points=1, key="").status_code == 400
    act(client, code, type="finish")
    late = act(client, code, type="extra", seat=0, points=1, key="abc")
    assert (late.status_code, late.get_json()["finished"]) == (200, True)
    assert act(client, code, type="extra", seat=0, points=1, key="def").status_code == 409


def test_a_stale_change_of_the_same_place_is_not_overwritten(
    client: TokenClient, bob: TokenClient, code: str
) -> None:
    act(client, code, type="board", seat=0, text=GRID)
    seen = game(bob, code)["version"]
    act(client, code, type="cell", seat=0, row=0, col=0, label="hen")
    elsewhere = act(bob, code, type="cell", seat=0, row=1, col=0, label="cow", base_version=seen)
    assert elsewhere.status_code == 200
    assert elsewhere.get_json()["state"]["boards"]["0"]["text"] == "hen cow / cow ."
    same = act(bob, code, type="cell", seat=0, row=0, col=0, label="cat", base_version=seen)
    assert same.status_code == 409
    assert same.get_json()["game"]["state"]["boards"]["0"]["text"] == "hen cow / cow ."
    whole = act(bob, code, type="board", seat=0, text="a a / a a", base_version=seen)
    assert whole.status_code == 409
    now = same.get_json()["game"]["version"]
    assert (
        act(bob, code, type="cell", seat=0, row=0, col=0, label="cat", base_version=now).status_code
        == 200
    )


def test_what_another_tab_of_the_phone_changed_is_not_overwritten(
    client: TokenClient, code: str
) -> None:
    act(client, code, type="board", seat=0, text=GRID, key="old.1")
    seen = game(client, code)["version"]
    cell = {"type": "cell", "seat": 0, "row": 0, "col": 0, "base_version": seen}
    assert act(client, code, **cell, label="hen", key="new.1").status_code == 200
    assert act(client, code, **cell, label="cat", key="new.2").status_code == 200  # sees its own
    late = act(client, code, **cell, label="cow", key="old.2")
    assert late.status_code == 409
    assert late.get_json()["game"]["state"]["boards"]["0"]["text"].startswith("cat ")


def test_two_who_say_the_same_agree_and_a_removed_device_still_counts(
    client: TokenClient, bob: TokenClient, code: str
) -> None:
    act(client, code, type="board", seat=0, text=GRID)
    seen = game(client, code)["version"]
    act(bob, code, type="cell", seat=0, row=0, col=0, label="hen")
    cell = {"type": "cell", "seat": 0, "row": 0, "col": 0}
    assert act(client, code, **cell, label="hen", base_version=seen).status_code == 200
    member = next(one["id"] for one in game(client, code)["members"] if one["name"] == "Bob")
    client.send_json(f"/api/games/{code}/members/{member}", {}, "DELETE")
    assert act(client, code, **cell, label="cat", base_version=seen).status_code == 409


def test_a_stale_change_after_an_undo_of_the_same_place_is_refused(
    client: TokenClient, bob: TokenClient, code: str
) -> None:
    act(client, code, type="board", seat=0, text=GRID)
    seen = game(bob, code)["version"]
    client.send_json(f"/api/games/{code}/undo", {})
    assert (
        act(bob, code, type="board", seat=0, text="a a / a a", base_version=seen).status_code == 409
    )
    assert bob.send_json(f"/api/games/{code}/undo", {"base_version": seen}).status_code == 409


def test_who_comes_and_goes_keeps_nobody_from_going_back(
    app: Flask, client: TokenClient, bob: TokenClient, code: str
) -> None:
    act(client, code, type="extra", seat=0, points=1)
    seen = {"base_version": game(client, code)["version"]}
    viewer = join(app, code, name="Zoe")
    viewer.send_json(f"/api/games/{code}/leave", {})
    assert client.send_json(f"/api/games/{code}/undo", seen).status_code == 200
    assert bob.send_json(f"/api/games/{code}/redo", seen).status_code == 409


def test_a_viewer_sees_and_cannot_act(
    app: Flask, client: TokenClient, code: str, photo: bytes
) -> None:
    viewer = join(app, code, name="Zoe")
    version = game(viewer, code)["version"]
    assert game(viewer, code)["you"]["role"] == "viewer"
    for answer in (
        act(viewer, code, type="extra", seat=0, points=1),
        viewer.send_json(f"/api/games/{code}/undo", {}),
        viewer.send_json(f"/api/games/{code}/redo", {}),
        viewer.send_json(f"/api/games/{code}/door", {"open": False}),
        viewer.send_json(f"/api/games/{code}/members/1", {"role": "player", "seat": 0}),
        viewer.send_json(f"/api/games/{code}", {}, "DELETE"),
        send_photo(viewer, code, photo),
    ):
        assert answer.status_code == 403
    assert game(viewer, code)["version"] == version


def test_the_host_lets_a_viewer_play_and_takes_a_device_out(
    app: Flask, client: TokenClient, code: str
) -> None:
    viewer = join(app, code, name="Zoe")
    member = next(one["id"] for one in game(client, code)["members"] if one["name"] == "Zoe")
    changed = client.send_json(f"/api/games/{code}/members/{member}", {"role": "player", "seat": 1})
    assert changed.status_code == 200
    assert act(viewer, code, type="extra", seat=1, points=3).status_code == 200
    assert viewer.send_json(f"/api/games/{code}/members/{member}", {}, "DELETE").status_code == 403
    assert client.send_json(f"/api/games/{code}/members/{member}", {}, "DELETE").status_code == 200
    assert viewer.get(f"/api/games/{code}").status_code == 403
    host = game(client, code)["you"]["id"]
    assert client.send_json(f"/api/games/{code}/members/{host}", {}, "DELETE").status_code == 404


def test_a_closed_door_lets_nobody_new_in(app: Flask, client: TokenClient, code: str) -> None:
    assert client.send_json(f"/api/games/{code}/door", {"open": False}).get_json()["open"] is False
    stranger = app.test_client()
    assert stranger.get(f"/g/{code}").status_code == 404
    client.send_json(f"/api/games/{code}/door", {"open": True})
    assert stranger.get(f"/g/{code}").status_code == 200


def routes_of_a_game(app: Flask) -> list[tuple[str, str]]:
    return [
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        if "<code>" in rule.rule and rule.endpoint.startswith("table.")
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


def test_outsiders_see_nothing_of_a_game_on_any_route(app: Flask, code: str) -> None:
    stranger = app.test_client()
    assert isinstance(stranger, TokenClient)
    token = stranger.token()
    open_to_all = {("GET", "/g/<code>"), ("POST", "/g/<code>/join")}
    routes = set(routes_of_a_game(app)) - open_to_all
    assert len(routes) > 10
    for method, rule in routes:
        for guess in (code, "AAAAAA"):  # a code that exists is not told from one that does not
            path = rule.replace("<code>", guess)
            path = re.sub("<int:[a-z]+>", "1", path).replace("<board>", "custom")
            answer = stranger.open(
                path,
                method=method,
                json={"action": {"type": "x"}, "open": True},
                headers={"X-CSRF-Token": token},
            )
            assert answer.status_code == 403, (method, rule)
            assert "Ann" not in answer.get_data(as_text=True)
    page = stranger.get(f"/g/{code}").get_data(as_text=True)
    assert "Who are you?" in page
    assert "snapshot" not in page


def test_every_unsafe_route_refuses_a_missing_token_and_a_foreign_origin(
    app: Flask, client: TokenClient, code: str
) -> None:
    stateless = {"/api/read", "/api/matches", "/api/score", "/read"}
    token = client.token()
    checked = 0
    for rule in app.url_map.iter_rules():
        for method in (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}:
            path = re.sub(
                "<int:[a-z_]+>", "1", rule.rule.replace("<code>", code).replace("<board>", "custom")
            )
            path = re.sub("<[a-z_:]+>", "x", path)
            foreign = client.open(
                path,
                method=method,
                headers={"Origin": "http://evil.example", "X-CSRF-Token": token},
            )
            assert foreign.status_code == 403, path
            if rule.rule not in stateless:
                assert client.open(path, method=method).status_code == 403, path
                wrong = client.open(path, method=method, headers={"X-CSRF-Token": "0" * 64})
                assert wrong.status_code == 403, path
                checked += 1
    assert checked >= 10


def test_the_token_of_another_device_is_refused(app: Flask, client: TokenClient, code: str) -> None:
    other = app.test_client()
    assert isinstance(other, TokenClient)
    answer = client.post(
        f"/api/games/{code}/undo", json={}, headers={"X-CSRF-Token": other.token()}
    )
    assert answer.status_code == 403


def test_the_cookie_is_kept_from_scripts_and_other_sites(client: TokenClient) -> None:
    cookie = client.get("/").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_guessing_codes_is_slowed_down(app: Flask, code: str) -> None:
    guesser = app.test_client()
    assert isinstance(guesser, TokenClient)
    token = guesser.token()
    statuses = []
    for number in range(12):
        way = number % 3
        if way == 0:
            answer = guesser.post("/join", data={"csrf_token": token, "code": f"ZZZZ{number:02d}"})
        elif way == 1:
            answer = guesser.get(f"/g/ZZZZ{number:02d}")
        else:
            answer = guesser.post(f"/g/ZZZZ{number:02d}/join", data={"csrf_token": token})
        statuses.append(answer.status_code)
    assert statuses == [404] * 10 + [429] * 2
    assert guesser.get(f"/g/{code}").status_code == 429


def test_a_code_may_be_typed_in_any_way(app: Flask, code: str) -> None:
    client = app.test_client()
    assert isinstance(client, TokenClient)
    typed = f" {code[:3].lower()}-{code[3:].lower()} "
    answer = client.post("/join", data={"csrf_token": client.token(), "code": typed})
    assert answer.headers["Location"] == f"/g/{code}"
    assert client.get(f"/g/{code.lower()}").headers["Location"] == f"/g/{code}"


def test_a_code_is_not_for_ever(app: Flask, client: TokenClient, code: str) -> None:
    from datetime import timedelta

    from sqlalchemy import update

    from webapp.store import Game
    from webapp.store.models import now_utc

    with app.extensions["tallystone_store"].writing() as session:
        session.execute(update(Game).values(changed_utc=now_utc() - timedelta(hours=49)))
    assert app.test_client().get(f"/g/{code}").status_code == 404
    assert client.get(f"/g/{code}").status_code == 200  # who is in stays in
    with app.extensions["tallystone_tables"].announcements.listening(code):
        assert app.test_client().get(f"/g/{code}").status_code == 200  # the table is at it


def send_photo(client: TokenClient, code: str, data: bytes, **fields: str) -> Any:
    return client.post(
        f"/api/games/{code}/photos",
        data={"photo": (io.BytesIO(data), "IMG.jpg"), "board": "stones", **fields},
        headers={"X-CSRF-Token": client.token()},
    )


def test_a_photo_without_a_board_shows_that_of_the_game(client: TokenClient, photo: bytes) -> None:
    setup = {"players": [{"name": "Ann", "colour": "spring"}], "options": {}}
    started = client.send_json("/api/games", {"kind": "seasons", "setup": setup, "seat": 0})
    code = started.get_json()["code"]
    sent = send_photo(client, code, photo, board="")
    assert sent.get_json()["error"]["code"] == "not_taught"  # of stones it could be read


def test_photo_and_corrections_stay_with_the_game(
    app: Flask, client: TokenClient, bob: TokenClient, code: str, photo: bytes
) -> None:
    answer = send_photo(client, code, photo, seat="0")
    assert answer.status_code == 201
    taken = answer.get_json()
    assert taken["reading"]["text"] == STATE
    assert taken["spec"]["labels"][0] == "sun"
    corrections = [[0, 0, "sun", "moon"]]
    act(
        client, code, type="board", seat=0, text=GRID, photo=taken["photo"], corrections=corrections
    )
    events = bob.get(f"/api/games/{code}/log").get_json()["events"]
    assert events[-1]["action"]["corrections"] == corrections
    with bob.get(f"/g/{code}/photo/{taken['photo']}.jpg") as picture:
        assert picture.mimetype == "image/jpeg"
        assert picture.data[:2] == b"\xff\xd8"
    again = bob.get(f"/api/games/{code}/photos/{taken['photo']}").get_json()
    assert again["reading"] == taken["reading"]
    assert again["used"] == {"text": GRID, "turns": 0}
    act(bob, code, type="cell", seat=0, row=0, col=1, label="fish")  # corrected on the table
    again = bob.get(f"/api/games/{code}/photos/{taken['photo']}").get_json()
    assert again["used"] == {"text": "cow fish / pig .", "turns": 0}
    act(client, code, type="board", seat=0, text=GRID)
    again = bob.get(f"/api/games/{code}/photos/{taken['photo']}").get_json()
    assert again["used"] == {"text": GRID, "turns": 0}
    assert app.test_client().get(f"/g/{code}/photo/{taken['photo']}.jpg").status_code == 403
    assert game(bob, code)["photos"][0]["kept"] is True


def test_a_photo_that_is_sent_again_is_kept_once(
    client: TokenClient, bob: TokenClient, code: str, photo: bytes
) -> None:
    taken = send_photo(client, code, photo, key="mine").get_json()
    again = send_photo(client, code, photo, key="mine")
    assert again.status_code == 201
    assert again.get_json()["reading"] == taken["reading"]
    assert again.get_json()["spec"]["labels"] == taken["spec"]["labels"]
    others = [
        send_photo(device, code, photo, **key).get_json()["photo"]
        for device, key in ((client, {}), (client, {"key": "other"}), (bob, {"key": "mine"}))
    ]
    numbers = {taken["photo"], again.get_json()["photo"], *others}
    assert len(numbers) == len(game(bob, code)["photos"]) == 4
    assert send_photo(client, code, photo, key="k" * 41).status_code == 400


def test_one_photo_that_comes_twice_at_once_is_kept_once(
    app: Flask,
    client: TokenClient,
    code: str,
    photo: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = app.extensions["tallystone_tables"]
    reading = type(tables.photos._reader).read_board
    before: list[Any] = []

    def slow(self: Any, *args: Any, **more: Any) -> Any:
        monkeypatch.undo()
        before.append(send_photo(client, code, photo, key="mine").get_json())
        return reading(self, *args, **more)

    monkeypatch.setattr(type(tables.photos._reader), "read_board", slow)
    taken = send_photo(client, code, photo, key="mine").get_json()
    assert taken["photo"] == before[0]["photo"]
    assert len(game(client, code)["photos"]) == 1
    assert len(list(tables.photos.folder.folder.glob("*.jpg"))) == 1


def test_a_refused_photo_is_not_kept(
    app: Flask, client: TokenClient, code: str, dark_photo: bytes
) -> None:
    assert send_photo(client, code, dark_photo).status_code == 422
    assert send_photo(client, code, b"text").status_code == 415
    assert game(client, code)["photos"] == []
    photos = app.config["DATA_DIR"] / "photos"
    assert not photos.exists() or not list(photos.iterdir())


def test_a_photo_of_another_game_cannot_be_named(
    client: TokenClient, code: str, photo: bytes
) -> None:
    taken = send_photo(client, code, photo).get_json()["photo"]
    other = client.send_json(
        "/api/games", {"kind": "custom", "setup": SETUP, "seat": 0}
    ).get_json()["code"]
    assert act(client, other, type="board", seat=0, text=GRID, photo=taken).status_code == 404
    assert act(client, other, type="board", seat=0, text=GRID, photo="x").status_code == 400
    assert client.get(f"/g/{other}/photo/{taken}.jpg").status_code == 404


def test_a_board_nobody_taught_says_so(client: TokenClient, code: str, photo: bytes) -> None:
    for board in ("seasons", "time", "custom"):
        answer = send_photo(client, code, photo, board=board)
        assert answer.status_code == 422
        assert answer.get_json()["error"]["code"] == "not_taught"
        described = client.get(f"/api/games/{code}/boards/{board}").get_json()
        assert described["bundled"] is False
        assert described["profiles"] == []
        assert "." in described["labels"]  # cells of these boards may be empty
    assert send_photo(client, code, photo, board="chess").status_code == 400


def test_a_deleted_game_is_gone(app: Flask, client: TokenClient, code: str, photo: bytes) -> None:
    send_photo(client, code, photo)
    assert client.send_json(f"/api/games/{code}", {}, "DELETE").status_code == 200
    assert client.get(f"/api/games/{code}").status_code == 403
    assert list((app.config["DATA_DIR"] / "photos").iterdir()) == []
    if app.config["DATABASE_URL"]:
        return  # what a server forgets is its own business
    kept = b"".join(
        path.read_bytes() for path in app.config["DATA_DIR"].glob("tallystone.sqlite3*")
    )
    assert b"meadow" not in kept


def test_a_game_is_deleted_on_a_full_disk_once_its_photos_made_room(
    app: Flask, client: TokenClient, bob: TokenClient, code: str, photo: bytes, monkeypatch: Any
) -> None:
    send_photo(client, code, photo)
    folder = app.config["DATA_DIR"] / "photos"
    games = app.extensions["tallystone_tables"].games
    delete = games._delete_rows

    def full(*who: str) -> Any:
        if not list(folder.iterdir()):
            return delete(*who)
        reason = sqlite3.OperationalError("database or disk is full")
        reason.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise OperationalError("DELETE", {}, reason)

    monkeypatch.setattr(games, "_delete_rows", full)
    assert bob.send_json(f"/api/games/{code}", {}, "DELETE").status_code == 403
    assert list(folder.iterdir())
    assert client.send_json(f"/api/games/{code}", {}, "DELETE").status_code == 200
    assert client.get(f"/api/games/{code}").status_code == 403


def test_photos_go_after_their_time_and_readings_stay(
    app: Flask, client: TokenClient, code: str, photo: bytes
) -> None:
    taken = send_photo(client, code, photo).get_json()["photo"]
    tables = app.extensions["tallystone_tables"]
    assert tables.pruning.remove_old() == 0
    tables.pruning.photo_days = 0
    act(client, code, type="finish")
    assert list((app.config["DATA_DIR"] / "photos").iterdir()) == []
    assert client.get(f"/g/{code}/photo/{taken}.jpg").status_code == 404
    assert client.get(f"/api/games/{code}/photos/{taken}").get_json()["reading"]["text"] == STATE


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"action": 3}',
        b'{"action": {"type": 3}}',
        b'{"action": {"type": "extra", "seat": 0, "points": NaN}}',
        b'{"action": {"type": "extra", "seat": 0, "points": 1, "points": 2}}',
        b'{"action": {"type": "extra", "seat": 0, "points": 1e999}}',
        b'{"action": {"type": "extra", "seat": 0, "points": 99999999999999999999999}}',
        b'{"action": {"type": "extra", "seat": true, "points": 1}}',
        b'{"action": {"type": "worth", "label": "\\ud800", "points": 1}}',
        b'{"action": {"type": "worth", "label": "a\\u0000b", "points": 1}}',
        b'{"action": {"type": "board", "seat": 0, "text": "' + b"a " * 60_000 + b'"}}',
        b'{"action": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"action": {"type": "extra", "seat": 0, "points": 1}, "base_version": "x"}',
        b'{"action": {"type": "nothing"}}',
        b'{"action": {"type": "claim", "seat": 9, "lines": {}}}',
    ],
)
def test_a_bad_action_is_a_4xx_with_a_sentence(client: TokenClient, code: str, body: bytes) -> None:
    answer = client.post(
        f"/api/games/{code}/actions",
        data=body,
        headers={"X-CSRF-Token": client.token()},
        content_type="application/json",
    )
    assert 400 <= answer.status_code < 500
    assert answer.get_json()["error"]["message"].endswith(".")
    assert game(client, code)["can_undo"] is False


def test_a_form_starts_a_game(client: TokenClient) -> None:
    page = client.get("/start/custom").get_data(as_text=True)
    assert 'name="player"' in page
    form = {
        "csrf_token": client.token(),
        "kind": "custom",
        "player": ["Ann", "", "Cem"],
        "colour": ["red", "blue", "green"],
        "me": "2",
        "board": 'name = "meadow"\nrows = 2\ncols = 2\n',
        "option-shared": "on",
    }
    answer = client.post("/games", data=form)
    assert answer.status_code == 303
    made = game(client, answer.headers["Location"].rsplit("/", 1)[1])
    assert [player["name"] for player in made["players"]] == ["Ann", "Cem"]
    assert made["you"] == {"role": "host", "seat": 1, "id": made["you"]["id"], "name": "Cem"}
    assert made["state"]["shared"] is True
    meadow = "name = 'meadow'\nrows = 2\ncols = 2\n"
    for more in ("aspect = nan", "date = 2020-01-01", "[counts]\ncow = 2020-01-01"):
        refused = client.post("/games", data=form | {"board": meadow + more})
        assert refused.status_code == 422
        assert "description of the board cannot be used" in refused.get_data(as_text=True)
    refused = client.post("/games", data=form | {"board": "rows = "})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.get_data(as_text=True)
    assert 'value="Cem"' in refused.get_data(as_text=True)
    fields = {
        "board-name": "heath",
        "board-rows-least": "2",
        "board-rows-most": "",
        "board-cols-least": "3",
    }
    answer = client.post("/games", data=form | fields | {"board": ""})
    made = game(client, answer.headers["Location"].rsplit("/", 1)[1])
    assert made["state"]["board"] == {
        "name": "heath",
        "rows": [2, 2],
        "cols": [3, 3],
        "empty": False,
        "turns": 1,
    }
    again = client.get("/start/custom").get_data(as_text=True)
    assert again.index(">heath<") < again.index(">meadow<")
    known = re.findall(r'name="known" value="([^"]*meadow[^"]*)"', again)[0]
    answer = client.post("/games", data=form | {"known": html.unescape(known), "board": ""})
    made = game(client, answer.headers["Location"].rsplit("/", 1)[1])
    assert made["state"]["board"]["name"] == "meadow"
    same = client.post("/games", data=form | {"player": ["Ann", "ann"]})
    assert "give one of them another name" in same.get_data(as_text=True)


def test_a_described_game_is_played_again_on_its_board(client: TokenClient) -> None:
    board = {"name": "prairie", "rows": 2, "cols": [2, 3], "empty": True}
    setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {"board": board}}
    body = {"kind": "custom", "setup": setup, "seat": 0}
    code = client.send_json("/api/games", body).get_json()["code"]
    newer = body | {"setup": setup | {"options": {"board": board | {"rows": 3}}}}
    assert client.send_json("/api/games", newer).status_code == 201
    page = client.get(f"/start/custom?again={code}").get_data(as_text=True)
    known = re.findall(r'name="known" value="([^"]*)" checked', page)
    assert [json.loads(html.unescape(one)) for one in known] == [board]
    form = {"csrf_token": client.token(), "kind": "custom", "player": ["Ann", "ann"]}
    refused = client.post("/games", data=form | {"known": html.unescape(known[0])})
    assert f'value="{known[0]}" checked' in refused.get_data(as_text=True)
    typed = re.findall(r'<textarea name="board"[^>]*>([^<]*)</textarea>', page)
    assert typed == [""]


@pytest.mark.parametrize("side", ["-1", "3,5"])
def test_a_side_that_no_board_has_is_named_on_the_form(client: TokenClient, side: str) -> None:
    form = {"csrf_token": client.token(), "kind": "custom", "player": "Ann", "board-name": "heath"}
    sizes = {"board-rows-least": side, "board-cols-least": "3"}
    refused = client.post("/games", data=form | sizes)
    assert refused.status_code == 422
    page = html.unescape(refused.get_data(as_text=True))
    assert "1 to 32" in page
    assert f'name="board-rows-least" min="1" max="32" value="{side}"' in page


def test_a_new_game_is_held_to_what_its_board_can_pay_wherever_it_is_started(
    client: TokenClient,
) -> None:
    sizes = {"board-rows-least": "2", "board-cols-least": "2"}
    players = {"csrf_token": client.token(), "kind": "custom", "player": "Ann", "colour": "red"}
    setup: Any = {"players": [{"name": "Ann", "colour": "red"}]}
    dots = {"name": "..", "rows": 2, "cols": 2}
    unpaid = dots | {"name": "meadow", "score": [{"rule": "run", "least": 9}]}
    for board, fields in (
        (dots, sizes | {"board-name": ".."}),
        (unpaid, {"known": json.dumps(unpaid)}),
    ):
        setup["options"] = {"board": board}
        body = {"kind": "custom", "setup": setup, "seat": 0}
        assert client.send_json("/api/games", body).status_code == 422
        assert client.post("/games", data=players | fields).status_code == 422


def test_the_start_page_shows_my_games(client: TokenClient, code: str, app: Flask) -> None:
    assert code in client.get("/").get_data(as_text=True)
    assert code not in app.test_client().get("/").get_data(as_text=True)


def test_the_start_page_shows_every_running_game_and_leads_to_those_it_leaves_out(
    client: TokenClient, code: str
) -> None:
    body = {"kind": "custom", "setup": SETUP, "seat": 0}
    running = [code, *(client.send_json("/api/games", body).get_json()["code"] for _ in range(5))]
    older = '<a class="button quiet" href="/history">Older games</a>'
    assert older not in client.get("/").get_data(as_text=True)
    finished = [client.send_json("/api/games", body).get_json()["code"] for _ in range(6)]
    for one in finished:
        assert act(client, one, type="finish").status_code == 200
    page = client.get("/").get_data(as_text=True)
    assert re.findall('class="row" href="/g/(.{6})"', page) == running[::-1]
    assert re.findall('class="row" href="/g/(.{6})/after"', page) == finished[:0:-1]
    assert older in page


def test_a_described_game_has_the_name_of_its_board_everywhere(
    client: TokenClient, app: Flask
) -> None:
    setup = SETUP | {"options": {"board": BOARD | {"name": "my meadow"}}}
    body = {"kind": "custom", "setup": setup, "seat": 0}
    code = client.send_json("/api/games", body).get_json()["code"]
    for who in (client, app.test_client()):
        for page in (f"/g/{code}", f"/g/{code}/screen"):
            shown = who.get(page).get_data(as_text=True)
            assert "my meadow" in shown.replace(json.dumps("my meadow"), "")
            assert "Another game" not in shown
    for page in ("/", "/history", f"/g/{code}/after"):
        assert "my meadow" in client.get(page).get_data(as_text=True)


def test_the_qr_code_leads_to_this_machine_in_the_network(
    client: TokenClient, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the table computer itself the page is opened as localhost, which no phone can reach."""
    monkeypatch.setattr("webapp.commands.common.lan_address", lambda: "192.168.0.9")
    assert f"http://192.168.0.9/g/{code}" in client.get(f"/g/{code}").get_data(as_text=True)
    svg = client.get(f"/g/{code}/qr.svg")
    assert svg.mimetype == "image/svg+xml"


@pytest.mark.parametrize(
    ("host", "network", "is_told"),
    [
        ("127.0.0.1", "192.168.0.9", True),
        ("::1", "192.168.0.9", True),
        ("0.0.0.0", None, True),
        ("0.0.0.0", "192.168.0.9", False),
    ],
)
def test_an_address_that_only_this_computer_can_open_is_told(
    app: Flask,
    client: TokenClient,
    code: str,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    network: str | None,
    is_told: bool,
) -> None:
    monkeypatch.setattr("webapp.commands.common.lan_address", lambda: network)
    app.config["HOST"] = host
    for page in (f"/g/{code}", f"/g/{code}/screen"):
        shown = client.get(page).get_data(as_text=True)
        assert ("Only this computer can open this address." in shown) == is_told
        assert (f"http://localhost/g/{code}" in shown) == is_told


def test_cards_are_read_for_players_alone(
    app: Flask, client: TokenClient, code: str, photo: bytes, dark_photo: bytes
) -> None:
    def cards(device: TokenClient, data: bytes = photo) -> Any:
        form = {"photo": (io.BytesIO(data), "hand.jpg")}
        return device.post(
            f"/api/games/{code}/cards", data=form, headers={"X-CSRF-Token": device.token()}
        )

    before = game(client, code)
    assert [card["id"] for card in cards(client).get_json()["cards"]] == [36, 72, 41]
    assert game(client, code) == before
    assert list((app.config["DATA_DIR"] / "photos").glob("*")) == []
    assert cards(client, b"no photo").status_code == 415
    assert cards(join(app, code, name="Zoe")).status_code == 403


def test_a_look_keeps_nothing_and_is_for_players(
    app: Flask, client: TokenClient, code: str, photo: bytes
) -> None:
    def look(device: TokenClient, **fields: Any) -> Any:
        form = {"photo": (io.BytesIO(photo), "frame.jpg"), "board": "stones", **fields}
        token = {"X-CSRF-Token": device.token()}
        return device.post(f"/api/games/{code}/look", data=form, headers=token)

    before = game(client, code)
    seen = look(client).get_json()["reading"]
    assert seen["text"] == STATE
    assert seen["cells"][0]["quad"] == pytest.approx(
        np.array([[80, 60], [280, 60], [280, 210], [80, 210]])
    )
    assert game(client, code) == before
    assert list((app.config["DATA_DIR"] / "photos").glob("*")) == []
    assert look(client, board="custom").status_code == 422  # nobody taught it
    assert look(join(app, code, name="Zoe")).status_code == 403
    stranger = app.test_client()
    assert isinstance(stranger, TokenClient)
    assert look(stranger).status_code == 403

"""Forged archives are refused with a sentence, or every page of their games answers."""

import io
import json
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from changes import BOARD, CHANGES, SETUPS, begin, expect_pages
from fakes import TokenClient
from flask import Flask
from guard.archives import BOMBS, SURROGATE, document_of, large_photo, mutations, packed

from scorer.game import Json
from scorer.games import GAMES
from scorer.setup import started
from webapp.after import arrivals
from webapp.after.exchange import ArchiveError, to_json
from webapp.after.games import EventRecord, GameRecord
from webapp.tables.values import MOST_LOG_BYTES, size_of_event

MUTATIONS = 8
"""Of each kind of game in one run; ``attacks/imports.py`` sends more."""


def send(client: TokenClient, data: bytes) -> Any:
    fields = {"csrf_token": client.token(), "file": (io.BytesIO(data), "all.zip")}
    return client.post("/history/import", data=fields)


def finished(client: TokenClient, kind: str, photo: bytes) -> Json:
    """A finished game as exported: with photos where possible, changes undone and dropped."""
    code = begin(client, kind)
    number = None
    if kind == "stones":
        sent = client.post(
            f"/api/games/{code}/photos",
            data={"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"},
            headers={"X-CSRF-Token": client.token()},
        )
        number = sent.get_json()["photo"]
    for action in CHANGES[kind]:
        if action["type"] == "board":
            action = action | {"photo": number}
        client.send_json(f"/api/games/{code}/actions", {"action": action})
    for _ in range(2):
        client.send_json(f"/api/games/{code}/undo", {})
    client.send_json(f"/api/games/{code}/redo", {})
    for kind_of in ("finish", "resume", "finish"):
        client.send_json(f"/api/games/{code}/actions", {"action": {"type": kind_of}})
    claim = {"type": "claim", "seat": 0, "lines": {"total": 9}}
    if client.send_json(f"/api/games/{code}/actions", {"action": claim}).status_code == 200:
        client.send_json(f"/api/games/{code}/undo", {})
    exported = client.get("/history/export.json").get_json()["games"]
    (game,) = [game for game in exported if game["code"] == code]
    client.post(f"/g/{code}/delete", data={"csrf_token": client.token()})
    found: Json = game
    return found


@pytest.mark.parametrize("kind", list(SETUPS))
def test_a_changed_archive_is_refused_or_every_page_of_it_answers(
    app: Flask, client: TokenClient, photo: bytes, kind: str
) -> None:
    game = finished(client, kind, photo)
    accepted = 0
    for mutant in mutations(game, MUTATIONS, seed=22):
        answer = send(client, document_of(mutant))
        assert answer.status_code in (200, 422), mutant
        if answer.status_code == 422:
            continue
        accepted += 1
        (code,) = [one["code"] for one in client.get("/api/games").get_json()["games"]]
        expect_pages(client, code)
        exported = client.get("/history/export.zip").data
        if mutant["finished_utc"]:
            other = app.test_client()
            assert isinstance(other, TokenClient)
            assert "1 game taken in" in send(other, exported).get_data(as_text=True)
        assert client.send_json(f"/api/games/{code}/redo", {}).status_code in (200, 409)
        expect_pages(client, code)
        client.post(f"/g/{code}/delete", data={"csrf_token": client.token()})
    assert accepted


def test_the_unchanged_archive_of_every_game_is_taken_in(client: TokenClient, photo: bytes) -> None:
    games = [finished(client, kind, photo) for kind in SETUPS]
    answer = send(client, document_of(*games))
    assert f"{len(SETUPS)} games taken in" in answer.get_data(as_text=True)
    assert "0 games taken in" in send(client, document_of(*games)).get_data(as_text=True)


@pytest.mark.parametrize("year", ["1970", "2262"])
def test_a_game_of_a_wrong_clock_is_taken_in_as_it_was(
    app: Flask, client: TokenClient, photo: bytes, year: str
) -> None:
    game = finished(client, "custom", photo)
    game["created_utc"] = year + game["created_utc"][4:]
    assert "1 game taken in" in send(client, document_of(game)).get_data(as_text=True)
    (again,) = client.get("/history/export.json").get_json()["games"]
    assert again | {"code": game["code"]} == game
    expect_pages(client, again["code"])


@pytest.mark.parametrize(
    ("version", "says"),
    [(2, "by a newer Tallystone"), (0, "no archive of"), ("1", "no archive of")],
)
def test_only_a_higher_version_is_a_newer_one(
    client: TokenClient, version: object, says: str
) -> None:
    data = json.dumps({"format": "tallystone-archive", "version": version, "games": []}).encode()
    assert says in send(client, data).get_data(as_text=True)


def test_a_photo_that_shows_no_cell_is_refused(client: TokenClient, photo: bytes) -> None:
    game = finished(client, "stones", photo)
    game["photos"][0]["reading"]["cells"] = []
    assert send(client, document_of(game)).status_code == 422


def test_an_archive_with_all_games_in_one_file_is_read_too(
    client: TokenClient, photo: bytes
) -> None:
    game = finished(client, "custom", photo)
    answer = send(client, packed(**{"games.json": document_of(game), "results.csv": b"game"}))
    assert "1 game taken in" in answer.get_data(as_text=True)


def test_a_piece_called_photo_keeps_its_points(client: TokenClient) -> None:
    code = begin(client, "custom")
    for action in ({"type": "worth", "label": "photo", "points": 5}, {"type": "finish"}):
        client.send_json(f"/api/games/{code}/actions", {"action": action})
    exported = client.get("/history/export.zip").data
    client.post(f"/g/{code}/delete", data={"csrf_token": client.token()})
    assert "1 game taken in" in send(client, exported).get_data(as_text=True)
    (game,) = client.get("/history/export.json").get_json()["games"]
    assert game["state"]["worth"] == {"photo": 5}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_in_little_memory(bomb: Callable[[], bytes]) -> None:
    data = bomb()
    tracemalloc.start()
    start = time.monotonic()
    if bomb is large_photo:  # never unpacked: no game names it
        arrivals.parse(data)
    else:
        with pytest.raises(ArchiveError):
            arrivals.parse(data)
    seconds = time.monotonic() - start
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seconds < 10
    assert most < 80_000_000


def test_an_import_lets_others_write_between_two_games(
    app: Flask, client: TokenClient, photo: bytes
) -> None:
    """Each game is written in a change of its own, after all were checked."""
    game = finished(client, "custom", photo)
    games = []
    for second in range(20):
        games.append(game | {"created_utc": f"2026-01-01T10:00:{second:02}+00:00"})
    held: list[float] = []
    store = app.extensions["tallystone_store"]
    writing = store.writing

    def timed() -> Any:
        held.append(time.monotonic())
        return writing()

    store.writing = timed
    assert "20 games taken in" in send(client, document_of(*games)).get_data(as_text=True)
    assert len(held) >= 20


@pytest.mark.parametrize("text", [SURROGATE, "\0", "x" * 300])
def test_what_no_database_can_keep_is_refused(client: TokenClient, photo: bytes, text: str) -> None:
    game = finished(client, "custom", photo)
    assert send(client, document_of(game | {"location": text})).status_code == 422
    event = game["events"][-1]
    game["events"][-1] = event | {"action": event["action"] | {"note": text * 400}, "dropped": True}
    assert send(client, document_of(game)).status_code == 422 or text == "x" * 300
    for page in ("json", "zip", "csv"):
        assert client.get(f"/history/export.{page}").status_code == 200


@pytest.mark.parametrize("state", [{"note": "x" * 90_000}, {"points": [1] * 9_000}])
def test_the_command_line_takes_more_in_one_file_than_a_page(state: Json) -> None:
    game = GameRecord("ABCDEF", "custom", {}, state, datetime(2026, 1, 1, tzinfo=UTC), None, "", ())
    data = to_json([game] * 200)
    with pytest.raises(ArchiveError, match=r"too large for this page: .*`tallystone import FILE`"):
        list(arrivals.Arrival(data).games())
    assert sum(1 for _ in arrivals.Arrival(data, arrivals.OWNER).games()) == 200


def test_a_page_says_how_many_games_a_file_may_hold() -> None:
    game = GameRecord("ABCDEF", "custom", {}, {}, datetime(2026, 1, 1, tzinfo=UTC), None, "", ())
    with pytest.raises(ArchiveError, match=r"more than 1,000 games.*`tallystone import FILE`"):
        list(arrivals.Arrival(to_json([game] * 1_001)).games())


def test_the_longest_log_that_is_kept_comes_in_again() -> None:
    rules = GAMES["custom"]
    players = [{"name": f"Player {seat}", "colour": "red"} for seat in range(8)]
    setup, state = started(rules, {"players": players, "options": {"board": BOARD}})
    at = datetime(2026, 1, 1, tzinfo=UTC)
    by = {"name": "Ann", "role": "host", "seat": 0}
    events = [EventRecord(0, at, by, {"type": "start"}, state)]
    size = size_of_event({}, state)
    while size < MOST_LOG_BYTES:
        action = {"type": "extra", "seat": len(events) % 8, "points": len(events)}
        state = rules.act(state, action, by)
        size += size_of_event(action, state)
        events.append(EventRecord(len(events), at, by, action, state))
    game = GameRecord("ABCDEF", "custom", setup, state, at, None, "", tuple(events))
    (read,) = arrivals.parse(to_json([game])).games()
    assert read.state == state

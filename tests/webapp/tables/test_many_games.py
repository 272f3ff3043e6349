"""Pages that list games cost the same however many games there are."""

import io
import re
from collections import Counter

import pytest
from fakes import TokenClient
from flask import Flask
from seats import device
from sqlalchemy import event
from tables.many_games import fill, setup_of

from webapp.tables.devices import token_hash


def counted(app: Flask, client: TokenClient, page: str) -> tuple[int, str]:
    """How many statements a page takes, and the page."""
    statements: Counter[str] = Counter()

    def count(_: object, __: object, statement: str, *___: object) -> None:
        statements[statement] += 1

    engine = app.extensions["tallystone_store"].engine
    event.listen(engine, "before_cursor_execute", count)
    answer = client.get(page)
    event.remove(engine, "before_cursor_execute", count)
    assert answer.status_code == 200
    return sum(statements.values()), answer.get_data(as_text=True)


def device_of(client: TokenClient) -> str:
    client.token()
    with client.session_transaction() as session:
        return token_hash(session["device"])


@pytest.mark.parametrize(
    "page", ["/", "/api/games", "/start/custom", "/history", "/history/statistics"]
)
def test_a_page_takes_few_statements_for_many_games(
    app: Flask, client: TokenClient, page: str
) -> None:
    fill(app.extensions["tallystone_store"], 120, device_of(client))
    times, _ = counted(app, client, page)
    assert times <= 6


def test_the_history_is_turned_page_by_page(app: Flask, client: TokenClient) -> None:
    fill(app.extensions["tallystone_store"], 120, device_of(client))
    codes: list[str] = []
    for number, games in enumerate((50, 50, 20), 1):
        _, page = counted(app, client, f"/history?page={number}")
        found = re.findall(r"/g/([A-Z0-9]{6})/after", page)
        assert len(found) == games
        assert ('rel="next"' in page, 'rel="prev"' in page) == (number < 3, number > 1)
        codes += found
    assert len(set(codes)) == 120
    for odd in ("0", "-1", "x", "9" * 30):
        assert client.get(f"/history?page={odd}").status_code == 200


def test_statistics_of_many_games_say_what_is_left_out(app: Flask, client: TokenClient) -> None:
    fill(app.extensions["tallystone_store"], 2100, device_of(client))
    page = client.get("/history/statistics").get_data(as_text=True)
    assert "newest 2000 games" in page
    assert len(page) < 300_000


def test_old_games_that_are_taken_in_hide_none_that_goes_on(
    app: Flask, client: TokenClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.tables.games.MOST_LISTED", 3)
    other = device(app)
    fill(app.extensions["tallystone_store"], 4, device_of(other))
    old = other.get("/history/export.json").data
    answer = client.send_json("/api/games", {"kind": "stones", "setup": setup_of("stones", 1)})
    code = answer.get_json()["code"]
    sent = {"csrf_token": client.token(), "file": (io.BytesIO(old), "old.json")}
    assert "4 games taken in" in client.post("/history/import", data=sent).get_data(as_text=True)
    assert code in client.get("/").get_data(as_text=True)


def test_the_last_game_of_a_kind_is_offered_however_long_ago(
    app: Flask, client: TokenClient
) -> None:
    fill(app.extensions["tallystone_store"], 120, device_of(client))  # none of them of time
    form = {"player": ["Ann", "Bob"], "colour": ["spring", "winter"], "csrf_token": client.token()}
    client.post("/games", data=form | {"kind": "time"})
    with client.session_transaction() as session:
        device = session["device"]
    tables = app.extensions["tallystone_tables"]
    for _ in range(21):
        tables.games.start("seasons", setup_of("seasons", 1), device, 0)
    page = client.get("/start/time").get_data(as_text=True)
    assert "as-last" in page
    known = page.split('id="known-people"')[1].split(">")[0]
    assert "hidden" not in known  # what comes late pushes the fields down
    assert "as-last" not in client.get("/start/villagers").get_data(as_text=True)

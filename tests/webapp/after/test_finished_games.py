"""After a game: history, statistics, audit, reports, export, import and deletion."""

import csv
import io
import json
import re
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import unquote

import numpy as np
import pytest
import zxingcpp
from click.testing import CliRunner
from fakes import STATE, TokenClient
from flask import Flask, render_template
from seats import device, join, member
from sqlalchemy import select

from scorer.games import GAMES
from scorer.record import read
from webapp import MAX_UPLOAD_BYTES
from webapp.__main__ import cli
from webapp.after import archive, arrivals, exchange
from webapp.after.pages import _figure
from webapp.after.replay import played_again
from webapp.store import Event, Game

SETUP: dict[str, Any] = {
    "players": [{"name": "Ann", "colour": "red"}, {"name": "李明", "colour": "green"}],
    "options": {},
}


def act(client: TokenClient, code: str, **action: Any) -> Any:
    answer = client.send_json(f"/api/games/{code}/actions", {"action": action})
    assert answer.status_code == 200, answer.get_json()
    return answer.get_json()


SEASONS: dict[str, Any] = {
    "players": [{"name": "Ann", "colour": "spring"}, {"name": "Bob", "colour": "autumn"}]
}


@pytest.fixture
def code(client: TokenClient, photo: bytes) -> str:
    """A finished game of stones: photo, correction, three scored cards, one mistake on the pad."""
    answer = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
    code = str(answer.get_json()["code"])
    sent = client.post(
        f"/api/games/{code}/photos",
        data={"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": client.token()},
    )
    number = sent.get_json()["photo"]
    corrected = STATE.replace("tree", "boat")
    act(
        client,
        code,
        type="board",
        text=corrected,
        photo=number,
        corrections=[[1, 0, "tree", "boat"]],
    )
    act(client, code, type="cell", row=0, col=0, label="moon")
    act(client, code, type="award", seat=0, card=1)
    act(client, code, type="award", seat=0, card=50)
    act(client, code, type="award", seat=1, card=56)
    act(client, code, type="finish")
    act(client, code, type="claim", seat=0, lines={"points": 3, "total": 4})
    return code


def test_the_history_shows_the_game_with_its_photo(
    client: TokenClient, code: str, app: Flask
) -> None:
    page = client.get("/history").get_data(as_text=True)
    assert "Shifting Stones" in page
    assert "Ann" in page
    picture = re.search(rf"/history/{code}/\d+\.jpg", page)
    assert picture
    answer = client.get(picture[0])
    assert answer.mimetype == "image/jpeg"
    assert answer.data[:2] == b"\xff\xd8"
    stranger = app.test_client()
    assert "Shifting Stones" not in stranger.get("/history").get_data(as_text=True)
    assert stranger.get(picture[0]).status_code == 403


@pytest.mark.usefixtures("code", "unreadable_photos")
def test_a_photo_that_cannot_be_read_costs_nothing_else(client: TokenClient, code: str) -> None:
    for page in (f"/g/{code}/report.html", f"/g/{code}/report.pdf", "/history/export.zip"):
        assert client.get(page).status_code == 200
    for picture in (f"/history/{code}/1.jpg", f"/g/{code}/photo/1.jpg"):
        assert client.get(picture).status_code == 404
    assert "damaged are left out of the file" in client.get("/history").get_data(as_text=True)


def test_an_empty_history_says_what_will_be_there(client: TokenClient) -> None:
    assert "No game yet" in client.get("/history").get_data(as_text=True)
    assert "No finished game yet" in client.get("/history/statistics").get_data(as_text=True)


def test_statistics_count_finished_games(client: TokenClient, code: str) -> None:
    page = client.get("/history/statistics").get_data(as_text=True)
    assert "Ann: 1 of 1" in page
    act(client, code, type="resume")
    assert "No finished game yet" in client.get("/history/statistics").get_data(as_text=True)


@pytest.mark.parametrize("kind", ["stones", "time", "villagers"])
def test_statistics_leave_out_a_game_that_had_not_begun(client: TokenClient, kind: str) -> None:
    setup = SEASONS if kind == "time" else SETUP
    answer = client.send_json("/api/games", {"kind": kind, "setup": setup, "seat": 0})
    act(client, answer.get_json()["code"], type="finish")
    assert "No finished game yet" in client.get("/history/statistics").get_data(as_text=True)


def test_one_short_game_is_one_game_of_minutes(client: TokenClient, code: str) -> None:
    page = client.get("/history/statistics").get_data(as_text=True)
    assert "1 game, 1 min on average" in page
    assert "1 games" not in page
    assert "<dd>1 min</dd>" in page


@pytest.mark.parametrize(
    ("played_on", "minutes", "end"), [(5, 40, "2026-11-21 19:40"), (50, 90, "2026-11-22 10:50")]
)
def test_a_correction_on_the_next_day_changes_neither_date_nor_minutes(
    client: TokenClient,
    monkeypatch: pytest.MonkeyPatch,
    played_on: int,
    minutes: int,
    end: str,
) -> None:
    clock = Mock(now=Mock(return_value=datetime(2026, 11, 21, 19, tzinfo=UTC)))
    monkeypatch.setattr("webapp.store.models.datetime", clock)
    answer = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
    code = answer.get_json()["code"]
    act(client, code, type="award", seat=0, card=1)
    for passed, kind in ((40, "finish"), (860, "resume"), (played_on, "finish")):
        clock.now.return_value += timedelta(minutes=passed)
        act(client, code, type=kind)
    with client.application.test_request_context():
        (game,) = archive.records(client.application.extensions["tallystone_store"])
    (listed,) = csv.DictReader(client.get("/history/export.csv").text.splitlines()[:2])
    assert (game.minutes, f"{game.played_utc:%Y-%m-%d %H:%M}") == (minutes, end)
    assert listed["minutes"] == str(minutes)
    assert f"<dd>{minutes} min</dd>" in client.get("/history/statistics").text


def test_figures_on_the_pad_of_an_old_game_do_not_move_it_above_newer_ones(
    client: TokenClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Mock(now=Mock(return_value=datetime(2026, 11, 21, 19, tzinfo=UTC)))
    monkeypatch.setattr("webapp.store.models.datetime", clock)
    codes = []
    for _game in range(2):
        answer = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
        codes.append(answer.get_json()["code"])
        act(client, codes[-1], type="finish")
        clock.now.return_value += timedelta(days=1)
    act(client, codes[0], type="claim", seat=0, lines={"total": 3})
    here = client.application.extensions["tallystone_tables"]
    newest_first = codes[::-1]
    assert [game.code for game in archive.records(here.store)] == newest_first
    assert [one["code"] for one in client.get("/api/games").get_json()["games"]] == newest_first
    page = client.get("/history").text
    assert page.index(f"/g/{codes[1]}") < page.index(f"/g/{codes[0]}")


@pytest.mark.parametrize("is_over", [True, False])
def test_a_break_before_the_last_change_counts_though_it_was_noted_a_moment_later(
    client: TokenClient, code: str, is_over: bool
) -> None:
    store = client.application.extensions["tallystone_store"]
    begun = datetime(2026, 11, 21, 19)
    end = begun + timedelta(hours=12)
    with store.writing() as session:
        (game,) = session.scalars(select(Game))
        game.created_utc, game.changed_utc, game.finished_utc = begun, end, end if is_over else None
        log = session.scalars(select(Event).order_by(Event.seq)).all()
        for minute, event in enumerate(log):
            event.at_utc = begun + timedelta(minutes=minute)
        log[-1].at_utc = end + timedelta(milliseconds=1)
    (kept,) = archive.records(store)
    assert kept.minutes == len(log) - 2


def test_a_finished_game_is_not_among_those_to_go_on_with(client: TokenClient, code: str) -> None:
    page = client.get("/").get_data(as_text=True)
    assert "Go on with" not in page
    assert f'href="/g/{code}/after"' in page.split("Played lately")[1]
    client.send_json("/api/games", {"kind": "time", "setup": SETUP | SEASONS, "seat": 0})
    going = client.get("/").get_data(as_text=True).split("Go on with")[1].split("Played lately")[0]
    assert "Turn of Time" in going
    assert "Shifting Stones" not in going


def test_the_winner_comes_first(client: TokenClient, code: str) -> None:
    page = client.get(f"/g/{code}/after").get_data(as_text=True)
    result = page.split('<ol class="podium">')[1]
    winner, loser = re.findall('class="name">(Ann|李明)', result)
    lines = page.split("Where the points come from")[1]
    assert lines.index(winner) < lines.index(loser)


def test_the_result_says_how_the_game_ended(client: TokenClient) -> None:
    """In a game alone the points do not: it has a rank, or it is lost."""
    setup = {"players": [{"name": "Ann"}], "options": {"monastery": True}}
    answer = client.send_json("/api/games", {"kind": "villagers", "setup": setup, "seat": 0})
    code = answer.get_json()["code"]
    assert act(client, code, type="supply", seat=0, gold=130)["can_add_player"] is False
    act(client, code, type="finish")
    for path in ("after", "report.html"):
        page = client.get(f"/g/{code}/{path}").get_data(as_text=True)
        assert "Village with 130 gold: you have won!" in page


def test_a_name_in_the_ending_is_text_and_no_html(client: TokenClient) -> None:
    players = [{"name": "<b>Ann", "colour": "red"}, {"name": "Ben", "colour": "blue"}]
    setup = {"players": players, "options": {"board": {"name": "field", "rows": 1, "cols": 2}}}
    answer = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
    code = answer.get_json()["code"]
    act(client, code, type="extra", seat=0, points=1)
    act(client, code, type="finish")
    for path in ("after", "report.html"):
        page = client.get(f"/g/{code}/{path}").get_data(as_text=True)
        assert "&lt;b&gt;Ann wins with 1 point!" in page
    for path in ("after", "report.html", "screen"):
        page = client.get(f"/g/{code}/{path}", headers={"Accept-Language": "zh"}).text
        assert re.search("&lt;b&gt;Ann[^<>]+！&lt;b&gt;Ann", page)


@pytest.mark.parametrize("kind", ["stones", "seasons", "time", "villagers", "custom"])
def test_nobody_wins_a_game_in_which_nothing_was_done(client: TokenClient, kind: str) -> None:
    setup = SETUP | (SEASONS if kind in ("seasons", "time") else {})
    if kind == "custom":
        setup = setup | {"options": {"board": {"name": "field", "rows": 2, "cols": 2}}}
    answer = client.send_json("/api/games", {"kind": kind, "setup": setup, "seat": 0})
    code = answer.get_json()["code"]
    if kind == "time":
        act(client, code, type="board", text=".")
    game = act(client, code, type="finish")
    assert [row["winner"] for row in game["result"]] == [False, False]
    assert game["ending"] == ["Nobody has won."]


def test_who_hears_the_boards_hears_them_in_the_language_of_the_page(
    client: TokenClient, code: str
) -> None:
    client.post("/language", data={"csrf_token": client.token(), "language": "de"})
    report = client.get(f"/g/{code}/report.html").get_data(as_text=True)
    course = client.get(f"/g/{code}/review").get_data(as_text=True)
    heard = re.findall('aria-label="(Mond, [^"]*)"|<title>(Boot)</title>', report)
    assert len(heard) >= 2
    assert '"says": "Mond, ' in course


def test_typed_names_are_never_translated(client: TokenClient) -> None:
    board = {"name": "sun", "rows": 1, "cols": 2}
    setup = SETUP | {"options": {"board": board}}
    answer = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
    code = answer.get_json()["code"]
    act(client, code, type="board", seat=0, text="moon tree")
    act(client, code, type="finish")
    client.post("/language", data={"csrf_token": client.token(), "language": "de"})
    for path in ("after", "report.html", "audit"):
        page = client.get(f"/g/{code}/{path}").get_data(as_text=True)
        assert "sun" in page
        assert not re.search(">(Sonne|Mond|Baum)<", page)
    assert ">moon<" in client.get(f"/g/{code}/report.html").get_data(as_text=True)


def test_the_rules_of_an_own_board_keep_their_names(client: TokenClient) -> None:
    names = ["Winter", "gold", "coins"]
    rules = [{"rule": "piece", "name": name, "points": at} for at, name in enumerate(names, 1)]
    board = {"name": "field", "rows": 1, "cols": 2, "score": rules}
    setup = SETUP | {"options": {"board": board}}
    answer = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
    code = answer.get_json()["code"]
    act(client, code, type="board", seat=0, text="moon tree")
    act(client, code, type="extra", seat=0, points=1)
    act(client, code, type="worth", label="moon", points=1)
    told = act(client, code, type="finish")["ending"]
    assert told[-1] == "What decided it: coins, 6 against 0."
    client.post("/language", data={"csrf_token": client.token(), "language": "de"})
    own = ["Punkte der Teile", "Andere Punkte", "Summe"]
    report = client.get(f"/g/{code}/report.html").get_data(as_text=True)
    assert [label for label in names + own if f"<td>{label}<" not in report] == []
    page = client.get(f"/g/{code}/audit").get_data(as_text=True)
    assert [label for label in names + own[1:] if f"<span>{label}</span>" not in page] == []


def test_the_audit_names_the_difference(client: TokenClient, code: str) -> None:
    lines = client.get(f"/api/games/{code}/audit").get_json()["lines"]
    assert [(line["item"], line["agrees"]) for line in lines] == [
        ("points", True),
        ("total", False),
    ]
    assert lines[1]["why"]
    page = client.get(f"/g/{code}/audit").get_data(as_text=True)
    assert "One figure differs" in page


def test_a_card_that_would_explain_a_difference_is_shown(client: TokenClient, code: str) -> None:
    act(client, code, type="claim", seat=0, lines={"points": 4})
    line = client.get(f"/api/games/{code}/audit").get_json()["lines"][0]
    assert "this would fit: the card of 1 point (" in line["why"]
    assert "was counted twice" in line["why"]
    assert "card 1 " not in line["why"]
    page = client.get(f"/g/{code}/audit").get_data(as_text=True)
    assert page.count('class="card-art"') == 1
    assert "cards.css" in page


def test_the_pad_is_entered_in_a_form(client: TokenClient, code: str) -> None:
    fields = {"csrf_token": client.token(), "0-total": "6", "1-points": "1", "0-points": "  "}
    assert client.post(f"/g/{code}/audit", data=fields).status_code == 303
    lines = client.get(f"/api/games/{code}/audit").get_json()["lines"]
    assert {(line["player"], line["item"], line["claimed"]) for line in lines} == {
        ("Ann", "total", 6),
        ("李明", "points", 1),
    }
    for wrong in ("six", "5²"):
        answer = client.post(f"/g/{code}/audit", data=fields | {"0-total": wrong})
        assert answer.status_code == 422
        assert "whole numbers" in answer.get_data(as_text=True)


def test_a_pad_that_is_refused_keeps_what_was_typed_and_names_the_line(
    client: TokenClient, code: str
) -> None:
    form = {"csrf_token": client.token(), "0-points": "9", "1-total": "many"}
    answer = client.post(f"/g/{code}/audit", data=form)
    assert answer.status_code == 422
    assert "李明, Total: the pad has whole numbers up to 1,000,000." in answer.text
    assert 'value="many"' in answer.text
    assert 'name="0-points"' in answer.text.split('value="9"')[0]
    assert client.get(f"/api/games/{code}/audit").get_json()["lines"][0]["claimed"] == 3


def pad_of(client: TokenClient, code: str) -> dict[str, str]:
    """The fields of the pad as the page has them for a device."""
    page = client.get(f"/g/{code}/audit").get_data(as_text=True).split('id="pads"')[1]
    return dict(re.findall(r'name="([^"]+)"[^>]* value="([^"]*)"', page))


def test_columns_of_two_devices_are_both_kept_and_one_column_of_two_is_told(
    app: Flask, client: TokenClient, code: str
) -> None:
    bob = join(app, code, seat="1")
    mine, bobs = pad_of(client, code), pad_of(bob, code)
    assert client.post(f"/g/{code}/audit", data=mine | {"0-points": "11"}).status_code == 303
    assert bob.post(f"/g/{code}/audit", data=bobs | {"1-points": "21"}).status_code == 303
    kept = pad_of(client, code)
    assert (kept["0-points"], kept["0-total"], kept["1-points"]) == ("11", "4", "21")
    told = bob.post(f"/g/{code}/audit", data=bobs | {"0-points": "many"})
    version = f'name="version" value="{bobs["version"]}"'
    assert (told.status_code, version in told.text) == (422, True)
    told = bob.post(f"/g/{code}/audit", data=bobs | {"0-points": "12"})
    assert (told.status_code, pad_of(client, code)["0-points"]) == (409, "11")
    assert "Somebody else changed “Ann” meanwhile" in told.text
    assert 'value="12"' in told.text
    assert 'name="1-points"' in told.text.split('value="21"')[1]
    again = pad_of(bob, code) | {"0-points": "12"}
    assert bob.post(f"/g/{code}/audit", data=again).status_code == 303
    assert pad_of(client, code)["0-points"] == "12"


def test_a_viewer_reads_the_pad_and_is_told_who_fills_it(
    app: Flask, client: TokenClient, code: str
) -> None:
    page = join(app, code, name="Zoe").get(f"/g/{code}/audit").get_data(as_text=True)
    assert "You are watching: changes are up to the players." in page
    assert 'name="0-points"' not in page
    assert "<span>Total</span> <span>4</span>" in page


@pytest.mark.parametrize(
    ("typed", "figure"),
    [
        ("−5", -5),
        ("+5", 5),
        ("１２", 12),
        ("1000000", 1_000_000),
        ("-1,000", -1000),
        ("1.000.000", 1_000_000),
        ("12\u202f345", 12_345),
        ("\ufeff\u200e 5\u200b", 5),
        ("5.0", None),
        ("5,5", None),
        ("1,00", None),
        ("1,000.000", None),
    ],
)
def test_a_figure_of_the_pad_may_be_written_in_several_ways(typed: str, figure: int | None) -> None:
    assert _figure(typed) == figure


def test_a_figure_of_the_pad_may_be_written_as_its_limit_is(client: TokenClient, code: str) -> None:
    form = {"csrf_token": client.token(), "0-points": "\u200e1,000,000"}
    assert client.post(f"/g/{code}/audit", data=form).status_code == 303
    (line,) = client.get(f"/api/games/{code}/audit").get_json()["lines"]
    assert line["claimed"] == 1_000_000
    assert client.post(f"/g/{code}/audit", data=form | {"0-points": "1,000,001"}).status_code == 422


def test_the_report_of_a_game_that_goes_on_names_no_winner(client: TokenClient, code: str) -> None:
    assert "<td>won</td>" in client.get(f"/g/{code}/report.html").text
    act(client, code, type="resume")
    assert "<td>won</td>" not in client.get(f"/g/{code}/report.html").text


def test_a_board_that_was_set_by_hand_was_not_corrected(client: TokenClient) -> None:
    answer = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
    code = answer.get_json()["code"]
    act(client, code, type="board", text=STATE)
    act(client, code, type="cell", row=0, col=0, label="moon")
    act(client, code, type="cell", row=0, col=0, label="horse")
    report = client.get(f"/g/{code}/report.html").text
    assert "A cell was set. (2 times)" in report
    assert "orrected" not in report


def test_files_and_charts_have_the_day_of_this_computer(
    client: TokenClient, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Mock(now=Mock(return_value=datetime(2026, 11, 21, 23, tzinfo=UTC)))
    monkeypatch.setattr("webapp.store.models.datetime", clock)
    act(client, code, type="resume")
    act(client, code, type="finish")
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        named = client.get("/history/export.csv").headers["Content-Disposition"]
        report = client.get(f"/g/{code}/report.pdf").headers["Content-Disposition"]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "tallystone-2026-11-22.csv" in named
    assert "2026-11-22-shifting-stones" in report


def test_the_html_report_needs_nothing_beside_it(client: TokenClient, code: str) -> None:
    answer = client.get(f"/g/{code}/report.html")
    page = answer.get_data(as_text=True)
    assert "data:image/jpeg;base64," in page
    assert not re.search(r"<script|<link|(?:src|href)=\"(?!data:|#)", page)
    shown = set(re.findall(r'<use href="#([^"]+)"', page))
    assert {"stone-moon", "stone-horse"} <= shown <= set(re.findall(r'<symbol id="([^"]+)"', page))
    assert 'class="card-art"' in page  # of the cards that earned the points
    assert "李明" in page
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "'sha256-" in policy


def test_the_pdf_report_shows_every_letter(client: TokenClient, code: str) -> None:
    answer = client.get(f"/g/{code}/report.pdf")
    assert answer.mimetype == "application/pdf"
    assert answer.data.startswith(b"%PDF-")
    assert f"shifting-stones-{code}.pdf" in answer.headers["Content-Disposition"]


def test_large_scores_are_written_out_everywhere(
    client: TokenClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def drawn(template: str, **values: Any) -> str:
        written.extend(row["score"] for row in values["rows"])
        return render_template(template, **values)

    monkeypatch.setattr(
        "webapp.after.pdf._Page.rows", lambda _, head, rows, *__: written.extend(rows[0])
    )
    monkeypatch.setattr("webapp.after.result_picture.render_template", drawn)
    board = {"name": "meadow", "rows": [1, 9], "cols": [1, 9], "empty": True}
    setup = SETUP | {"options": {"board": board}}
    for _ in range(2):
        game = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
        code = game.get_json()["code"]
        act(client, code, type="extra", seat=0, points=1_000_000)
        act(client, code, type="finish")
    for path in ("report.pdf", "result-wide.png"):
        written.clear()
        german = {"Accept-Language": "de"}
        assert client.get(f"/g/{code}/{path}", headers=german).status_code == 200
        assert "1.000.000" in written
        assert "1e+06" not in written
    page = client.get("/history/statistics").get_data(as_text=True)
    assert "Ann: 1,000,000, 1,000,000" in page
    assert ">1,000,000.0</td>" in page


@pytest.mark.parametrize("path", ["after", "audit", "report.html", "report.pdf"])
def test_outsiders_see_nothing(app: Flask, code: str, path: str) -> None:
    assert app.test_client().get(f"/g/{code}/{path}").status_code == 403


def test_the_page_of_a_game_opens_bg_stats(client: TokenClient, code: str) -> None:
    page = client.get(f"/g/{code}/after").get_data(as_text=True)
    assert "https://app.bgstatsapp.com/createPlay.html?data=" in page


def test_the_code_of_a_play_is_read_by_a_camera_and_leads_on(
    app: Flask, client: TokenClient, code: str
) -> None:
    page = client.get(f"/g/{code}/after").get_data(as_text=True)
    address = read_qr(page)
    path = re.sub(r"^http://[^/]+", "", address)
    assert path.startswith(f"/bgstats/{code}/")
    answer = app.test_client().get(path)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("https://app.bgstatsapp.com/createPlay.html?data=")
    assert app.test_client().get(path[:-1] + "x").status_code == 404


def read_qr(page: str) -> str:
    """What a camera reads of the code on the page: its path is drawn as squares."""
    found = re.search(
        r'viewBox="0 0 (\d+) \d+" class="segno".*?class="qrline"[^>]* d="([^"]*)"', page, re.S
    )
    assert found
    side, drawn = int(found[1]), found[2]
    image = np.full((side, side), 255, np.uint8)
    x = y = 0.0
    for letter, first, second in re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", drawn):
        if letter == "h":
            image[int(y), int(x) : int(x) + int(first)] = 0
            x += int(first)
        else:
            x, y = (x, y) if letter == "m" else (0.0, 0.0)
            x, y = x + float(first), y + float(second)
    grown = np.kron(image, np.ones((6, 6), np.uint8))
    (code,) = zxingcpp.read_barcodes(grown)
    return str(code.text)


def play_of(client: TokenClient, code: str) -> str:
    """By what BG Stats knows a game again."""
    page = unquote(client.get(f"/g/{code}/after").text)
    return re.findall(r'"sourcePlayId":"([^"]+)"', page)[0]


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_export_import_export_gives_the_same_bytes_under_a_new_code(
    app: Flask, client: TokenClient, code: str
) -> None:
    first = client.get("/history/export.zip").data
    plain = client.get("/history/export.json").data
    assert json.loads(plain)["games"][0]["code"] == code
    play = play_of(client, code)
    fields = {"csrf_token": client.token()}
    assert client.post(f"/g/{code}/delete", data=fields).status_code == 303
    assert client.get("/history/export.json").get_json()["games"] == []

    answer = client.post("/history/import", data=fields | {"file": (io.BytesIO(first), "all.zip")})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert "1 game taken in" in answer.get_data(as_text=True)
    (game,) = client.get("/history/export.json").get_json()["games"]
    new = game["code"]
    assert new != code
    assert play_of(client, new) == play
    files = unpacked(client.get("/history/export.zip").data)
    assert {
        name: data.replace(new.encode(), code.encode()) for name, data in files.items()
    } == unpacked(first)
    assert client.get("/history/export.json").data.replace(new.encode(), code.encode()) == plain
    assert client.get("/history/export.zip").data == client.get("/history/export.zip").data
    again = client.post("/history/import", data=fields | {"file": (io.BytesIO(first), "all.zip")})
    assert "1 was here already" in again.get_data(as_text=True)
    left = client.send_json(f"/api/games/{new}/leave", {})  # the others of it have no device here
    assert left.get_json()["error"]["code"] == "alone"


def test_an_import_says_nothing_about_the_games_of_others(
    app: Flask, client: TokenClient, code: str
) -> None:
    """The same answer whether a code is taken or not: a file of many codes guesses none."""
    packed = client.get("/history/export.zip").data
    stranger = app.test_client()
    assert isinstance(stranger, TokenClient)
    fields = {"csrf_token": stranger.token(), "file": (io.BytesIO(packed), "all.zip")}
    page = stranger.post("/history/import", data=fields).get_data(as_text=True)
    assert "1 game taken in, 0 were here already" in page
    assert code not in page


def test_who_left_a_game_takes_it_in_again(app: Flask, client: TokenClient, code: str) -> None:
    bob = join(app, code, seat="1")
    file = bob.get("/history/export.json").data
    assert bob.send_json(f"/api/games/{code}/leave", {}).status_code == 200
    for says in ("1 game taken in", "1 was here already"):
        fields = {"csrf_token": bob.token(), "file": (io.BytesIO(file), "games.json")}
        page = bob.post("/history/import", data=fields).get_data(as_text=True)
        assert says in page
        assert page.count('class="game-link"') == 1


def test_who_imports_is_called_the_host_in_the_language_of_the_page(
    app: Flask, client: TokenClient, code: str
) -> None:
    packed = client.get("/history/export.zip").data
    other = app.test_client()
    assert isinstance(other, TokenClient)
    fields = {"csrf_token": other.token(), "file": (io.BytesIO(packed), "all.zip")}
    other.post("/history/import", data=fields, headers={"Accept-Language": "de"})
    (game,) = other.get("/history/export.json").get_json()["games"]
    told = other.get(f"/api/games/{game['code']}").get_json()["you"]
    assert (told["role"], told["name"]) == ("host", "Gastgeber")


def test_results_are_a_table(client: TokenClient, code: str) -> None:
    text = client.get("/history/export.csv").data.decode("utf-8-sig")
    head, *rows = text.splitlines()
    assert head.startswith("game,code,started_utc")
    assert len(rows) == 2


def test_games_that_go_on_are_not_exported(client: TokenClient, code: str) -> None:
    act(client, code, type="resume")
    assert client.get("/history/export.json").get_json()["games"] == []


EARLIER = Path(__file__).with_name("earlier.json")
"""Games as an earlier version exported them: it counted a card that was taken back, and a last
round, otherwise, and let a player be without a season."""


def test_an_archive_of_an_earlier_version_is_counted_anew(client: TokenClient) -> None:
    def taken_in(data: bytes) -> str:
        fields = {"csrf_token": client.token(), "file": (io.BytesIO(data), "all.json")}
        return client.post("/history/import", data=fields).get_data(as_text=True)

    page = taken_in(EARLIER.read_bytes())
    assert "3 games taken in, 0 were here already. 3 games were counted anew: today" in page
    packed = client.get("/history/export.json").data
    hand, time, _ = json.loads(packed)["games"]
    assert hand["state"]["seats"][0]["count"] == 4
    assert [event["dropped"] for event in time["events"]] == [False, False, True, False, False]
    for game in json.loads(packed)["games"]:
        client.post(f"/g/{game['code']}/delete", data={"csrf_token": client.token()})
    assert "counted anew" not in taken_in(packed)


@pytest.mark.parametrize(
    "change", [{"strikes": 7}, {"seats": []}, {"seats": None}, {"finished": "perhaps"}, {"more": 1}]
)
def test_a_state_that_is_written_in_an_archive_is_not_believed(
    client: TokenClient, code: str, tmp_path: Path, change: dict[str, Any]
) -> None:
    document = client.get("/history/export.json").get_json()
    (game,) = document["games"]
    right = game["state"]
    game["state"] = right | change
    file, data = tmp_path / "changed.json", tmp_path / "data"
    file.write_text(json.dumps(document))
    result = CliRunner().invoke(cli, ["import", str(file), "--data", str(data)])
    assert "1 game was counted anew" in result.stdout
    file.unlink()
    CliRunner().invoke(cli, ["export", str(file), "--data", str(data)])
    assert json.loads(file.read_bytes())["games"][0]["state"] == right


def test_an_archive_that_has_less_in_its_states_is_taken_in_as_written(
    client: TokenClient, code: str
) -> None:
    document = client.get("/history/export.json").get_json()
    for kept in (document["games"][0], *document["games"][0]["events"]):
        del kept["state"]["has_ended"]
    (game,) = arrivals.parse(json.dumps(document).encode()).games()
    assert played_again(game, lambda: None)[1]


def test_a_changed_step_changes_the_game_and_an_end_without_its_step_is_refused(
    client: TokenClient, code: str
) -> None:
    document = client.get("/history/export.json").get_json()
    document["games"][0]["events"][1]["action"]["text"] = "sun sun sun / sun sun sun / sun sun sun"
    (game,) = arrivals.parse(json.dumps(document).encode()).games()
    assert not played_again(game, lambda: None)[1]
    document["games"][0]["finished_utc"] = None
    with pytest.raises(exchange.ArchiveError, match="both that it is over"):
        arrivals.parse(json.dumps(document).encode())


def test_games_that_take_too_long_are_refused_while_they_are_written_too(
    app: Flask, client: TokenClient, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrival = arrivals.parse(client.get("/history/export.json").data)
    store, photos = app.extensions["tallystone_store"], Mock()
    seconds = iter([0.0, 61.0])
    monkeypatch.setattr(arrivals.time, "monotonic", lambda: next(seconds))
    with pytest.raises(exchange.ArchiveError, match="takes too long"):
        archive.take_in(store, photos, arrival, "somebody")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"PK\x03\x04 nothing",
        b'{"format": "tallystone-archive", "version": 2, "games": []}',
        b'{"format": "tallystone-archive", "version": 1, "games": [{"code": 3}]}',
        b'{"format": "tallystone-archive", "version": 1, "games": [null]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_what_is_no_archive_is_refused_in_one_sentence(client: TokenClient, data: bytes) -> None:
    fields = {"csrf_token": client.token(), "file": (io.BytesIO(data), "x.json")}
    answer = client.post("/history/import", data=fields)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    ("ending", "told"),
    [("csv", "a table of results"), ("txt", "the record of one game")],
)
def test_a_file_that_is_exported_but_no_archive_is_named(
    client: TokenClient, code: str, ending: str, told: str
) -> None:
    address = "/history/export.csv" if ending == "csv" else f"/g/{code}/record.txt"
    with pytest.raises(exchange.ArchiveError, match=rf"{told}.*\.zip or \.json"):
        list(arrivals.parse(client.get(address).data).games())


def test_a_photo_with_other_bytes_is_refused(client: TokenClient, code: str) -> None:
    packed = client.get("/history/export.zip").data
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data[:-1] + b"\0" if name.startswith("photos/") else data)
    with pytest.raises(exchange.ArchiveError, match="changed or damaged"):
        arrivals.parse(out.getvalue())


@pytest.mark.parametrize("around", ["", "tallystone-2026-11-29/"])
def test_an_export_that_was_unpacked_and_packed_again_is_taken_in(
    client: TokenClient, code: str, around: str
) -> None:
    def packed_again(*more: str) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
            for name in "games/", "photos/", ".DS_Store", "photos/Thumbs.db", *files, *more:
                new.writestr(around + name, files.get(name, b""))
            new.writestr("__MACOSX/._games", b"")
        return out.getvalue()

    files = unpacked(client.get("/history/export.zip").data)
    arrival = arrivals.parse(packed_again())
    (game,) = arrival.games()
    assert all(arrival.picture(photo.sha256) for photo in game.photos)
    with pytest.raises(exchange.ArchiveError, match=r"does not belong there: 'notes\.txt'\.$"):
        arrivals.parse(packed_again("notes.txt"))


def test_an_archive_that_is_too_large_for_the_page_is_sent_to_the_command(
    client: TokenClient,
) -> None:
    body = bytes(MAX_UPLOAD_BYTES + 1)
    answer = client.post("/history/import", data=body, content_type="multipart/form-data")
    assert answer.status_code == 413
    assert "larger than 25 MB" in answer.text
    assert "tallystone import FILE" in answer.text
    assert "tallystone import FILE" in client.get("/history").text


def test_deleting_removes_rows_and_photos(app: Flask, client: TokenClient, code: str) -> None:
    folder = app.extensions["tallystone_tables"].photos.folder.folder
    assert list(folder.iterdir())
    client.post(f"/g/{code}/delete", data={"csrf_token": client.token()})
    assert list(folder.iterdir()) == []
    assert client.get(f"/g/{code}/after").status_code == 403


def test_a_finished_game_has_a_record_that_is_played_again(client: TokenClient, code: str) -> None:
    answer = client.get(f"/g/{code}/record.txt?save")
    assert answer.mimetype == "text/plain"
    assert re.search(
        rf'filename="[\d-]+-shifting-stones-{code}.txt"', answer.headers["Content-Disposition"]
    )
    record = read(answer.get_data(as_text=True))
    (kept,) = client.get("/history/export.json").get_json()["games"]
    assert record.state == kept["state"]
    assert [step.after for step in record.steps] == [one["state"] for one in kept["events"][1:]]
    assert f'href="/g/{code}/record.txt' in client.get(f"/g/{code}/after").get_data(as_text=True)


def test_a_game_that_goes_on_has_no_record_yet(app: Flask, client: TokenClient, code: str) -> None:
    act(client, code, type="resume")
    answer = client.get(f"/g/{code}/record.txt")
    assert answer.status_code == 409
    assert "once the game is finished" in answer.get_data(as_text=True)
    assert app.test_client().get(f"/g/{code}/record.txt").status_code == 403


def test_replay_prints_a_game_and_refuses_a_wrong_one(client: TokenClient, code: str) -> None:
    text = client.get(f"/g/{code}/record.txt").get_data(as_text=True)
    told = CliRunner().invoke(cli, ["replay"], input=text)
    assert told.exit_code == 0
    assert "    moon horse bird / boat seed seed / horse bird boat\n" in told.stdout
    assert "steps, all by the rules: Ann 6 (won), 李明 3" in told.stdout
    assert told.stdout.count("(won)") == 1  # nobody has won while the game goes on
    lines = CliRunner().invoke(cli, ["replay", "--json"], input=text).stdout.splitlines()
    assert json.loads(lines[-1])["result"][0]["score"] == 6
    assert json.loads(lines[-1])["result"][0]["winner"]
    scored = [row for line in lines[:-2] for row in json.loads(line)["scores"]]
    assert not any(row["winner"] for row in scored)
    wrong = CliRunner().invoke(cli, ["replay"], input=text.replace("add 1 from", "add 99 from"))
    assert wrong.exit_code == 1
    assert re.match(r"Error: line \d+: There is no such card in the deck", wrong.stderr)


LEAVING: dict[str, Callable[[TokenClient, TokenClient, str, int], Any]] = {
    "leave": lambda ann, bob, code, _: bob.send_json(f"/api/games/{code}/leave", {}),
    "remove": lambda ann, bob, code, number: ann.send_json(
        f"/api/games/{code}/members/{number}", {}, "DELETE"
    ),
    "watch": lambda ann, bob, code, number: ann.send_json(
        f"/api/games/{code}/members/{number}", {"role": "viewer"}
    ),
    "new seat": lambda ann, bob, code, _: bob.post(
        f"/g/{code}/join", data={"seat": 2, "csrf_token": bob.token()}
    ),
}
"""How Bob goes from his seat, by the devices of both, the code and his number in the game."""


@pytest.mark.parametrize("how", LEAVING)
def test_what_a_player_did_who_then_went_is_taken_in_as_it_was(
    app: Flask, client: TokenClient, how: str
) -> None:
    players = [
        {"name": "Ann", "colour": "red"},
        {"name": "Bob", "colour": "green"},
        {"name": "Cem", "colour": "yellow"},
    ]
    setup = {"kind": "stones", "setup": {"players": players, "options": {}}, "seat": 0}
    code = client.send_json("/api/games", setup).get_json()["code"]
    bob = join(app, code, seat="1")
    act(client, code, type="board", text=STATE)
    act(bob, code, type="hand", seat=1, cards=[28, 38, 50, 72])
    act(client, code, type="end_turn", turn=0)
    act(bob, code, type="move", flip=[0, 0], discard=72)
    act(bob, code, type="score", card=38)
    act(bob, code, type="end_turn", turn=1)
    answer = LEAVING[how](client, bob, code, member(client, code, "Bob")["id"])
    assert answer.status_code < 400, answer.text
    act(client, code, type="finish")

    packed = client.get("/history/export.json").data
    other = device(app)
    fields = {"csrf_token": other.token(), "file": (io.BytesIO(packed), "all.json")}
    page = other.post("/history/import", data=fields).text
    assert ("1 game taken in" in page, "counted anew" in page) == (True, False)
    (written,), (taken,) = (
        json.loads(data)["games"] for data in (packed, other.get("/history/export.json").data)
    )
    assert taken["state"] == written["state"]
    won = {row["player"]: row["winner"] for row in GAMES["stones"].result(taken["state"])}
    assert won == {"Ann": False, "Bob": True, "Cem": False}

"""BG Stats, statistics and charts: functions over finished games."""

import io
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import pytest

from webapp.after import bgstats, charts, exchange
from webapp.after.games import GameRecord, time_played
from webapp.after.statistics import figures

START = datetime(2026, 11, 21, 19, 0, tzinfo=UTC)
FIELDS = {
    "sourceName": str,
    "sourcePlayId": str,
    "playDate": str,
    "durationMin": int,
    "board": str,
    "location": str,
    "comments": str,
    "game": dict,
    "players": list,
}
"""The documented fields of a play."""


def game(
    *scores: tuple[str, int], kind: str = "stones", day: int = 0, minutes: int = 40, **state: Any
) -> GameRecord:
    best = max(points for _, points in scores)
    result = tuple(
        {
            "player": name,
            "score": points,
            "rank": 1 + sum(other > points for _, other in scores),
            "winner": points == best,
        }
        for name, points in scores
    )
    start = START + timedelta(days=day)
    setup = {"players": [{"name": name} for name, _ in scores], "options": {}}
    played = timedelta(minutes=minutes)
    return GameRecord(
        f"AAAA{day:02}",
        kind,
        setup,
        state,
        start,
        start + played,
        "At home",
        result=result,
        played=played,
    )


@pytest.mark.parametrize(
    ("minutes", "end", "played"),
    [
        ([], None, 0),
        ([0, 10, 40], None, 40),
        ([0, 10, 40], 40, 40),
        ([0, 30, -30, -19], -19, 41),  # the clock was set back by an hour
        ([0, 30, 8000, 8010], 8010, 40),  # or set forth
        ([0, 40, 900, 905], 40, 40),  # corrected on the next day
        ([0, 40, 900, 950], 950, 90),  # or played on
        ([0, 10, 41], 40, 40),
        ([8000, 8010, 8040], 90, 40),  # the end alone was taken back from a clock that was ahead
    ],
)
def test_time_is_played_between_changes(minutes: list[int], end: int | None, played: int) -> None:
    log = [START + timedelta(minutes=minute) for minute in minutes]
    finished = None if end is None else START + timedelta(minutes=end)
    assert time_played(log, finished) == timedelta(minutes=played)


@pytest.mark.parametrize("count", range(1, 9))
def test_a_play_has_every_documented_field_for_any_number_of_players(count: int) -> None:
    names = ["Ann", "Bärbel", "李明", "Chloé", "Đorđe", "Ελένη", "Фёдор", "Æ & Œ"][:count]
    played = game(*((name, 10 * at) for at, name in enumerate(names)), kind="custom", first=0)
    link = bgstats.link(played)
    head, _, data = link.partition("?data=")
    assert head == "https://app.bgstatsapp.com/createPlay.html"
    assert re.fullmatch(r"[A-Za-z0-9%._~-]+", data)
    play = json.loads(unquote(data))
    assert {key: type(value) for key, value in play.items()} == FIELDS
    assert play["playDate"] == "2026-11-21 19:40:00"
    assert type(play["game"]["bggId"]) is int
    assert play["game"]["highestWins"] is True
    assert play["game"]["noPoints"] is False
    assert [player["name"] for player in play["players"]] == names
    for seat, player in enumerate(play["players"]):
        assert player["startPlayer"] is (seat == 0)
        assert player["winner"] is (seat == count - 1)
        assert type(player["rank"]) is int


def test_the_number_at_boardgamegeek_is_given_where_it_is_known() -> None:
    assert bgstats.play(game(("Ann", 1), kind="villagers"))["game"]["bggId"] == 241724


def test_figures_count_games_and_wins_of_everybody() -> None:
    games = [
        game(("Ann", 12), ("Ben", 7)),
        game(("ann ", 5), ("Ben", 9), day=1),
        game(("Ann", 30), ("Cem", 30), day=2, kind="time"),
    ]
    found = figures(games)
    assert (found.games, found.minutes) == (3, 120)
    ann, ben, cem = sorted(found.players, key=lambda player: player.name.casefold())
    assert (ann.games, ann.wins, ann.average) == (3, 2, None)
    assert (ben.games, ben.wins) == (2, 1)
    assert (cem.games, cem.wins) == (1, 1)
    stones = next(kind for kind in found.kinds if kind.kind == "stones")
    assert {player.name: (player.average, player.best) for player in stones.players} == {
        "ann": (8.5, 12),
        "Ben": (8, 9),
    }


def test_a_name_is_one_player_however_its_letters_are_written() -> None:
    found = figures([game(("Ann  Lee", 1), ("Chloé", 2)), game(("Ann Lee", 1), ("Chloe\u0301", 2))])
    assert [player.games for player in found.players] == [2, 2]


def test_points_of_a_game_alone_count_only_where_they_compare() -> None:
    games = [
        game(("Ann", 30), ("Ben", 20), kind="time"),
        game(("Ann", 7), kind="time", day=1),
        game(("Ann", 12), day=2),
    ]
    time, stones = sorted(figures(games).kinds, key=lambda kind: kind.kind, reverse=True)
    ann = next(player for player in time.players if player.name == "Ann")
    assert (ann.games, ann.average, ann.best) == (2, 30, 30)
    assert stones.players[0].best == 12


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (0, 1), (3, 47), (-12, 5), (0, 999_999), (0.5, 0.7), (120, 120)]
)
def test_an_axis_holds_its_values_with_few_rules(low: float, high: float) -> None:
    bottom, top, step = charts.scale(low, high)
    assert bottom <= min(low, 0)
    assert high <= top
    assert 1 <= round((top - bottom) / step) <= 7


def test_charts_say_what_they_show_and_take_names_as_they_are() -> None:
    chart = charts.lines("Points", "<b>: 1, 2", ["1.1.", "2.1."], [charts.Series("<b>", [1, None])])
    assert "<b>" not in chart
    assert 'role="img"' in chart
    assert 'aria-label="Points. &lt;b&gt;: 1, 2"' in chart
    assert "<b>" not in charts.bars("Won", "x", [("<b>", 0, "0 of 1")])


@pytest.mark.parametrize("score", [47, 1_000, 1_000_000, -20_000_000])
def test_the_numbers_of_an_axis_are_written_out_and_have_room(score: float) -> None:
    chart = charts.lines("", "", ["1.1."], [charts.Series("Ann", [score])])
    ticks = re.findall(r'x="([\d.]+)" y="[\d.]+" text-anchor="end">([^<]*)<', chart)
    told = f"{score if abs(score) > 50 else 50:,}".replace("-", "−")
    assert told in [text for _, text in ticks]
    assert all(float(end) >= 7.3 * len(text) for end, text in ticks)  # digits of 13 px


def test_a_bar_is_full_only_for_every_game_won() -> None:
    rows = [("Ann", 1.0, "2 of 2"), ("Ben", 0.5, "1 of 2"), ("Cem", 0.0, "0 of 2")]
    widths = [
        float(w) for w in re.findall(r'<rect[^>]*width="([\d.]+)"', charts.bars("", "", rows))
    ]
    assert widths[1] == widths[0] / 2
    assert widths[2] < 5


def test_a_table_of_results_runs_nothing_in_a_spreadsheet() -> None:
    out = io.BytesIO()
    exchange.write_csv(out, [game(("=cmd()", 3), ("+1", 2))])
    text = out.getvalue().decode("utf-8-sig")
    assert "'=cmd()" in text
    assert "'+1" in text

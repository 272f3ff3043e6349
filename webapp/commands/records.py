"""The command about records of games: ``replay``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

import click

from scorer.text import counted
from webapp.commands.common import file_argument, json_option, print_json, tell

if TYPE_CHECKING:
    from scorer.game import Json
    from scorer.record import Record


@click.command()
@file_argument
@json_option
def replay(file: TextIO, as_json: bool) -> None:
    """Print the game of a record and check it: every step by the rules, and the result.

    FILE is a record that the page offers after a game; '-' or nothing is stdin.
    """
    from scorer.record import MOST_LETTERS, line_of, read

    record = read(file.read(MOST_LETTERS + 1))
    if not as_json:
        click.echo(_title(record))
    before = record.start
    for line in record.lines():
        after = line[-1].after
        news = _news(record, before, after)
        before = after
        if as_json:
            print_json(
                {"turn": line[0].number, "player": line[0].who, "text": line_of(line), **news}
            )
            continue
        click.echo(line_of(line))
        for board in news["boards"]:
            click.echo(f"    {board['text']}")
        if news["scores"]:
            click.echo(f"    {_told(record, after)}")
    result = _result(record, record.state)
    document = {"game": record.kind, "steps": len(record.steps), "result": result}
    words = f"{counted(len(record.steps), 'step')}, all by the rules: {_told(record, record.state)}"
    tell(document, words, as_json)


def _title(record: Record) -> str:
    from scorer.games import GAMES

    players = (
        f"{player['name']} ({player['colour']})" if player.get("colour") else player["name"]
        for player in record.setup["players"]
    )
    head = f"{GAMES[record.kind].setup_form().title}: {', '.join(players)}"
    return ", ".join(filter(None, (head, record.played, record.place)))


def _news(record: Record, before: Json, after: Json) -> Json:
    """The boards and the scores that a line has changed."""
    from scorer.games import GAMES

    game = GAMES[record.kind]
    known = {seat: board["text"] for seat, board in game.boards(before)}
    scores = _result(record, after)
    return {
        "boards": [
            {"seat": seat, "text": board["text"]}
            for seat, board in game.boards(after)
            if known.get(seat) != board["text"]
        ],
        "scores": scores if _standing(scores) != _standing(_result(record, before)) else [],
    }


def _result(record: Record, state: Json) -> list[Json]:
    """The scores; nobody is a winner while something is left to play."""
    from scorer.games import GAMES

    game = GAMES[record.kind]
    is_over = game.over(state)
    return [row | {"winner": bool(is_over and row["winner"])} for row in game.result(state)]


def _standing(rows: list[Json]) -> list[tuple[int, int]]:
    return [(row["score"], row["rank"]) for row in rows]


def _told(record: Record, state: Json) -> str:
    """The scores, and who has won."""
    return ", ".join(
        f"{row['player']} {row['score']}" + " (won)" * row["winner"]
        for row in _result(record, state)
    )

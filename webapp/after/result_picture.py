"""A picture of the result to send: a PNG with the board, the places and what decided it."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from unicodedata import category, east_asian_width

from flask import render_template

from scorer.ending import ending
from scorer.game import Json
from scorer.games import GAMES
from scorer.notation import split_rows
from webapp.after import drawing
from webapp.after.games import GameRecord
from webapp.i18n import decimal
from webapp.i18n import gettext as _

SIZES = {"wide": (1200, 630), "square": (1200, 1200)}
"""Width and height in pixels: for previews of links, and for the rest."""

MOST_ROWS = 5
"""Players for whom there is room; of more the first places are shown."""

MARGIN, HEAD, LINE = 90, 112, 34
"""Pixels around everything, of the title with the day, and of a line of text."""

LETTERS = {"wide": 42, "square": 78}
"""Letters of a line of text beside or below the board, in the mean of their widths."""


def picture(game: GameRecord, shape: str, when: str, pieces: Mapping[str, str]) -> bytes:
    """The result of *game* as a PNG; *when* is its day in the language of the reader, *pieces* has
    the addresses of pictures of taught pieces."""
    width, height = SIZES[shape]
    is_wide = shape == "wide"
    side = 470 if is_wide else 560
    left, top = (620, MARGIN) if is_wide else (MARGIN, side + MARGIN + 40)
    rows = sorted(game.result, key=lambda row: int(row["rank"]))[:MOST_ROWS]
    step = 64 if len(rows) <= 4 else 52
    below = top + HEAD + len(rows) * step + 40
    letters = LETTERS[shape]
    board = _board(game)
    svg = render_template(
        "after/result.svg",
        width=width,
        height=height,
        is_wide=is_wide,
        side=side,
        left=left,
        top=top,
        room=width - left - MARGIN + 10,
        first=top + HEAD,
        step=step,
        size=32 if len(rows) <= 4 else 28,
        below=below,
        line=LINE,
        board=drawing.board(game.kind, board, pictures=pieces)
        if board
        else drawing.emblem(game.kind),
        viewbox=_around(board) if board else drawing.EMBLEM_BOX,
        title=shortened(game.title, letters * 5 // 9),
        facts=shortened(" · ".join(fact for fact in (when, game.location) if fact), letters),
        rows=[_row(row, letters // 2) for row in rows],
        says=_says(game, letters, (height - MARGIN - below) // LINE + 1),
    )
    return drawing.png(game.kind, svg, width)


def _says(game: GameRecord, letters: int, most: int) -> list[str]:
    """Who has won, by how much and why, in lines: as many whole sentences as there is room for."""
    found: list[str] = []
    told = ""
    for sentence in ending(GAMES[game.kind], game.state):
        told = f"{told} {_(sentence)}".strip()
        lines = list(wrapped(told, letters))
        if len(lines) > most:
            break
        found = lines
    return found


def _row(row: Json, room: int) -> Json:
    return {
        "rank": row["rank"],
        "name": shortened(str(row["player"]), room),
        "won": row["winner"],
        "score": decimal(row["score"]),
    }


def _board(game: GameRecord) -> str:
    """The board of the table, or that of the first place; empty where there is none."""
    boards = {seat: board["text"] for seat, board in GAMES[game.kind].boards(game.state)}
    order = sorted(range(len(game.result)), key=lambda seat: int(game.result[seat]["rank"]))
    return next((boards[seat] for seat in (None, *order) if seat in boards), "")


def _around(board: str) -> str:
    """The square around a board, in its own units."""
    rows = split_rows(board)
    width, height = drawing.SIDE * max(map(len, rows)), drawing.SIDE * len(rows)
    side = max(width, height)
    return f"{(width - side) / 2} {(height - side) / 2} {side} {side}"


def breadth(text: str) -> int:
    """How wide a text is in letters; Chinese ones count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def shortened(text: str, room: int) -> str:
    """The beginning of a text that fits into *room* letters, without those that cannot be shown.

    >>> shortened("Annabelle", 6), shortened("Ann", 6)
    ('Annab…', 'Ann')
    """
    text = "".join(letter for letter in text if letter.isprintable())
    if breadth(text) <= room:
        return text
    while breadth(text) > room - 1:
        text = text[:-1]
    return f"{text}…"


def wrapped(text: str, room: int) -> Iterator[str]:
    """A text in lines of at most *room* letters, broken at spaces or between Chinese letters.

    >>> list(wrapped("Ann wins with 9 points!", 12))
    ['Ann wins', 'with 9', 'points!']
    """
    line = ""
    for word in _words(text):
        if line and breadth(line + word.rstrip()) > room:
            yield shortened(line.rstrip(), room)
            line = ""
        line += word
    if line.strip():
        yield shortened(line.rstrip(), room)


def _words(text: str) -> Iterator[str]:
    """Where a line may be broken; closing punctuation stays with the letter before it."""
    word = ""
    for letter, following in zip_longest(text, text[1:], fillvalue=" "):
        word += letter
        is_wide = east_asian_width(letter) in "WF" and category(following) not in ("Pe", "Po")
        if letter == " " or is_wide:
            yield word
            word = ""
    yield word

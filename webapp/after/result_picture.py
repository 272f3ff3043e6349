"""A picture of the result to send: a PNG with the board, the places and what decided it."""

from collections.abc import Mapping

from flask import render_template

from scorer.game import Json
from scorer.games import GAMES
from scorer.notation import split_rows
from webapp.after import drawing
from webapp.after.fonts import BOLD, SERIF, breadth, readable, shortened, shown, wrapped
from webapp.after.games import GameRecord
from webapp.i18n import decimal, sentences

SIZES = {"wide": (1200, 630), "square": (1200, 1200)}
"""Width and height in pixels: for previews of links, and for the rest."""

MOST_ROWS = 5
"""Rows for which there is room; of more players the first places are shown, and how many follow."""

MARGIN, HEAD, LINE = 90, 112, 34
"""Pixels around everything, of the title with the day, and of a line of text."""

NAME_AT = 52
"""Pixels from the left at which names begin."""


def picture(game: GameRecord, shape: str, when: str, pieces: Mapping[str, str]) -> bytes:
    """The result of *game* as a PNG; *when* is its day in the language of the reader, *pieces* has
    the addresses of pictures of taught pieces."""
    game = readable(game)
    width, height = SIZES[shape]
    is_wide = shape == "wide"
    side = 470 if is_wide else 560
    left, top = (620, MARGIN) if is_wide else (MARGIN, side + MARGIN + 40)
    places = sorted(game.result, key=lambda row: int(row["rank"]))
    count_shown = len(places) if len(places) <= MOST_ROWS else MOST_ROWS - 1
    count = min(len(places), MOST_ROWS)
    step, size = (64, 32) if count <= 4 else (52, 28)
    room = width - left - MARGIN + 10
    title_size = 46 if is_wide else 50
    below = top + HEAD + count * step + 40
    board = _board(game)
    svg = render_template(
        "after/result.svg",
        width=width,
        height=height,
        is_wide=is_wide,
        side=side,
        left=left,
        top=top,
        room=room,
        name_at=NAME_AT,
        first=top + HEAD,
        step=step,
        size=size,
        title_size=title_size,
        below=below,
        line=LINE,
        board=drawing.board(game.kind, board, pictures=pieces)
        if board
        else drawing.emblem(game.kind),
        viewbox=_around(board) if board else drawing.EMBLEM_BOX,
        title=shortened(shown(game.title), room, SERIF, title_size),
        facts=shortened(shown(" · ".join(fact for fact in (when, game.location) if fact)), room),
        rows=[row_of(row, room, size) for row in places[:count_shown]],
        left_out=len(places) - count_shown,
        says=_says(game, room, (height - MARGIN - below) // LINE + 1),
    )
    return drawing.png(game.kind, svg, width)


def _says(game: GameRecord, room: int, most: int) -> list[str]:
    """Who has won, by how much and why, in lines: as many whole sentences as there is room for."""
    found: list[str] = []
    for count in range(1, len(game.ending) + 1):
        lines = list(wrapped(shown(sentences(game.ending[:count])), room))
        if len(lines) > most:
            break
        found = lines
    return found


def row_of(row: Json, room: int, size: int) -> Json:
    """A place in *room* pixels: the crown stands before the score, the name before both."""
    score = shown(decimal(row["score"]))
    crown = room - 4 - breadth(score, BOLD, size) - 1.6 * size
    free = crown if row["winner"] else crown + 1.2 * size
    return {
        "rank": row["rank"],
        "name": shortened(shown(str(row["player"])), free - NAME_AT - size / 2, BOLD, size),
        "won": row["winner"],
        "crown": crown,
        "score": score,
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

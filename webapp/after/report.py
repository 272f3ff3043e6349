"""The report of a game to print or to send: a PDF and one HTML file that needs nothing beside it.

Both hold the result, where every point comes from, each board as it was photographed, read and
corrected, and the audit of the pad.
"""

import base64
import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib import metadata

from flask import render_template
from markupsafe import Markup

from scorer.notation import Cell
from webapp.after import audit, drawing, evidence
from webapp.after.evidence import BoardEvidence
from webapp.after.games import GameRecord, as_utc
from webapp.i18n import board_words, word_of
from webapp.i18n import gettext as _
from webapp.service import picture_address


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report says; *pictures* are JPEGs by sha256, *pieces* the addresses of pictures of
    taught pieces by label."""

    game: GameRecord
    boards: tuple[evidence.BoardEvidence, ...]
    lines: tuple[evidence.ScoreLine, ...]
    answers: tuple[audit.Answer, ...]
    log: tuple[evidence.LogLine, ...]
    pictures: Mapping[str, bytes]
    pieces: Mapping[str, str]
    made_utc: datetime

    @property
    def version(self) -> str:
        return metadata.version("tallystone")

    def drawn(self, text: str, cells: Collection[Cell] = ()) -> Markup:
        """A board of this game."""
        return drawing.board(self.game.kind, text, cells, pictures=self.pieces)

    def earned(self, line: evidence.ScoreLine) -> list[Markup]:
        """What shows a line of the score."""
        return earned(self.game.kind, line, self.pieces)


def earned(kind: str, line: evidence.ScoreLine, pieces: Mapping[str, str]) -> list[Markup]:
    """What shows a line of the score: the board with its cells, or its cards."""
    board = line.board and drawing.board(kind, line.board, line.cells, lit=True, pictures=pieces)
    cards = [drawing.card(card.points, str(card.pattern)) for card in line.cards]
    return [Markup(board), *cards] if board else cards


def report(
    game: GameRecord, pictures: Mapping[str, bytes], pieces: Mapping[str, str], made_utc: datetime
) -> Report:
    """The report of *game*, which must come with its log."""
    return Report(
        game,
        evidence.boards(game),
        evidence.score_lines(game),
        audit.answers(game),
        evidence.log(game),
        pictures,
        pieces,
        made_utc,
    )


def html(of: Report) -> str:
    """One file with everything inside: styles, photos as data, no script."""
    drawings = [of.drawn(text) for board in of.boards for text in (board.text, board.read) if text]
    drawings += [one for line in of.lines for one in of.earned(line)]
    return render_template(
        "after/report.html",
        report=of,
        pictures={sha256: picture_address(jpeg, "jpeg") for sha256, jpeg in of.pictures.items()},
        sprite=drawing.sprite(of.game.kind, *drawings),
        drawing_style=Markup(drawing.STYLE),
        when=when,
        board_title=board_title,
        word_of=partial(word_of, board=of.game.kind),
        board_words=partial(board_words, board=of.game.kind),
    )


def content_policy(page: str) -> str:
    """Policy of the HTML report: its own style and pictures, nothing else."""
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    hashes = (
        base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
        for style in styles
    )
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    return (
        f"default-src 'none'; img-src data:; style-src {allowed}; base-uri 'none'; "
        "frame-ancestors 'none'"
    )


def when(moment: datetime) -> str:
    """A time for people everywhere: in UTC and saying so."""
    return f"{as_utc(moment):%Y-%m-%d %H:%M} UTC"


def board_title(board: BoardEvidence) -> str:
    """Whose board it is."""
    return (
        _("The board of %(name)s", name=board.owner) if board.owner else _("The board on the table")
    )

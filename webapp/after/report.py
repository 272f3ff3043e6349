"""The report of a game to print or to send: a PDF and one HTML file that needs nothing beside it.

Both hold the result, where every point comes from, each board as it was photographed, read and
corrected, and the audit of the pad.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib import metadata
from pathlib import Path

from flask import render_template
from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import FontFace, TTFFont

from webapp.after import audit, evidence
from webapp.after.evidence import BoardEvidence
from webapp.after.games import GameRecord, as_utc
from webapp.i18n import game_word
from webapp.i18n import gettext as _

FONTS = Path(__file__).parent / "fonts"

INK, MUTED, LINE, ACCENT, BAD = "#20241f", "#5a5d54", "#d8d0be", "#17594f", "#a8252f"

MARGIN_MM = 18
PHOTO_WIDTH_MM = 108
PHOTO_HEIGHT_MM = 92
CELL_MM = 9.5

_UNKNOWN = "?"
"""Shown for letters that no font of ours has."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report says; *pictures* are JPEGs by sha256."""

    game: GameRecord
    boards: tuple[evidence.BoardEvidence, ...]
    lines: tuple[evidence.ScoreLine, ...]
    answers: tuple[audit.Answer, ...]
    log: tuple[evidence.LogLine, ...]
    pictures: Mapping[str, bytes]
    made_utc: datetime

    @property
    def version(self) -> str:
        return metadata.version("tallystone")


def report(game: GameRecord, pictures: Mapping[str, bytes], made_utc: datetime) -> Report:
    """The report of *game*, which must come with its log."""
    return Report(
        game,
        evidence.boards(game),
        evidence.score_lines(game),
        audit.answers(game),
        evidence.log(game),
        pictures,
        made_utc,
    )


def html(of: Report) -> str:
    """One file with everything inside: styles, photos as data, no script."""
    return render_template(
        "after/report.html",
        report=of,
        pictures={
            sha256: "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")
            for sha256, jpeg in of.pictures.items()
        },
        when=when,
        board_title=board_title,
        said=partial(said, kind=of.game.kind),
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


def said(word: str, kind: str) -> str:
    """What lies in a cell of a *kind* of game, in the language of the reader.

    Pieces of own boards stay as they were typed.

    >>> said("spring*", "seasons"), said("spring/.", "time"), said(".", "custom")
    ('spring*', 'spring/.', '')
    """
    if word == "." or kind == "custom":
        return word.removeprefix(".")
    marked = word.endswith("*")
    return "/".join(game_word(part) for part in word.removesuffix("*").split("/")) + "*" * marked


def pdf(of: Report) -> bytes:
    """The report on A4 pages."""
    page = _Page(of)
    page.head()
    page.result()
    page.audit()
    page.points()
    for board in of.boards:
        page.board(board)
    page.log()
    return bytes(page.output())


class _Page(FPDF):
    """The pages of one report."""

    def __init__(self, of: Report) -> None:
        super().__init__(format="A4")
        self.of = of
        self.set_margins(MARGIN_MM, MARGIN_MM)
        self.set_auto_page_break(True, 20)
        self.add_font("sans", "", FONTS / "NotoSans-Regular.ttf")
        self.add_font("sans", "B", FONTS / "NotoSans-Bold.ttf")
        self.add_font("serif", "", FONTS / "NotoSerif-Bold.ttf")
        self.add_font("cjk", "", FONTS / "DroidSansFallback.ttf")
        self.set_fallback_fonts(["cjk"], exact_match=False)
        self.set_title(of.game.title)
        self.set_creator(f"Tallystone {of.version}")
        self.set_creation_date(as_utc(of.made_utc))
        self.add_page()

    def footer(self) -> None:
        self.set_y(-14)
        self.set_font("sans", "", 8)
        self.set_text_color(MUTED)
        made = _(
            "Made by Tallystone %(version)s on %(when)s",
            version=self.of.version,
            when=when(self.of.made_utc),
        )
        self.cell(0, 5, self.shown(made))
        self.set_x(MARGIN_MM)
        self.cell(0, 5, _("Page %(number)s", number=self.page_no()), align="R")

    def shown(self, text: str) -> str:
        """*text* with a box for each letter that no font has."""
        fonts = (self.fonts[key] for key in ("sans", "cjk"))
        known = [font.cmap for font in fonts if isinstance(font, TTFFont)]
        return "".join(
            letter if letter.isspace() or any(ord(letter) in cmap for cmap in known) else _UNKNOWN
            for letter in text
        )

    def text_line(self, text: str, size: float = 10, colour: str = INK, style: str = "") -> None:
        self.set_font("sans", style, size)
        self.set_text_color(colour)
        self.multi_cell(
            0, size * 0.5, self.shown(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT, align="L"
        )

    def heading(self, text: str, room_mm: float = 40) -> None:
        """A heading that does not stand alone at the foot of a page."""
        if self.get_y() + room_mm > self.page_break_trigger:
            self.add_page()
        self.ln(6)
        self.set_font("serif", "", 13)
        self.set_text_color(ACCENT)
        self.multi_cell(0, 7, self.shown(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT, align="L")
        self.ln(1.5)

    def rows(
        self,
        head: tuple[str, ...],
        rows: Sequence[tuple[str, ...]],
        widths: tuple[int, ...],
        align: str,
    ) -> None:
        """A table; the letters of *align* say where each column stands."""
        self.set_font("sans", "", 9)
        self.set_text_color(INK)
        self.set_draw_color(LINE)
        names = {"l": "LEFT", "r": "RIGHT"}
        with self.table(
            col_widths=widths,
            text_align=tuple(names[letter] for letter in align),
            borders_layout="HORIZONTAL_LINES",
            line_height=5,
            padding=1.2,
            headings_style=FontFace(emphasis="B", color=MUTED),
        ) as table:
            for cells in (head, *rows):
                row = table.row()
                for cell in cells:
                    row.cell(self.shown(cell))

    def head(self) -> None:
        game = self.of.game
        self.set_font("sans", "B", 8)
        self.set_text_color(MUTED)
        self.cell(0, 5, "TALLYSTONE", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.set_font("serif", "", 24)
        self.set_text_color(INK)
        self.multi_cell(
            0, 11, self.shown(game.title), new_x=XPos.LMARGIN, new_y=YPos.NEXT, align="L"
        )
        facts = [
            when(game.played_utc),
            game.location,
            _("%(count)s min", count=game.minutes),
            game.code,
        ]
        self.text_line(" · ".join(fact for fact in facts if fact), 10, MUTED)
        self.ln(2)
        self.set_draw_color(ACCENT)
        self.set_line_width(0.7)
        self.line(MARGIN_MM, self.get_y(), self.w - MARGIN_MM, self.get_y())
        self.set_line_width(0.2)

    def result(self) -> None:
        self.heading(_("Result") if self.of.game.finished_utc else _("Result so far"))
        rows = [
            (
                str(row["rank"]),
                str(row["player"]),
                f"{row['score']:g}",
                _("won") if row["winner"] else "",
            )
            for row in sorted(self.of.game.result, key=lambda row: row["rank"])
        ]
        self.rows((_("Place"), _("Player"), _("Points"), _("Won")), rows, (14, 72, 22, 22), "rlrl")

    def audit(self) -> None:
        if not self.of.answers:
            return
        self.heading(_("What the pad says"))
        rows = [
            (
                answer.player,
                answer.label,
                str(answer.claimed),
                str(answer.points),
                _("agrees") if answer.agrees else answer.why,
            )
            for answer in self.of.answers
        ]
        head = (_("Player"), _("Line"), _("Pad"), _("Rules"), _("Why"))
        self.rows(head, rows, (24, 34, 14, 14, 74), "llrrl")

    def points(self) -> None:
        if not self.of.lines:
            return
        self.heading(_("Where the points come from"))
        rows = [(line.player, line.label, f"{line.points:g}", line.why) for line in self.of.lines]
        self.rows((_("Player"), _("Line"), _("Points"), _("Why")), rows, (24, 44, 16, 76), "llrl")

    def board(self, board: BoardEvidence) -> None:
        self.heading(board_title(board), 80)
        picture = self.of.pictures.get(board.photo.sha256) if board.photo else None
        if board.photo and picture:
            self.photo(board, picture)
        elif board.photo:
            self.text_line(_("The photo was removed; what was read from it is kept."), 9, MUTED)
            self.ln(2)
        self.grid(board)
        if board.photo:
            taken = _(
                "Photo taken %(when)s, SHA-256 %(hash)s",
                when=when(board.photo.taken_utc),
                hash=board.photo.sha256,
            )
            self.text_line(taken, 7, MUTED)
        self.ln(2)
        if board.corrections:
            self.rows(
                (_("Row"), _("Column"), _("Read as"), _("Corrected to"), _("By")),
                [
                    (
                        str(one.row),
                        str(one.col),
                        said(one.read, self.of.game.kind),
                        said(one.now, self.of.game.kind),
                        f"{one.by}, {when(one.at_utc)}",
                    )
                    for one in board.corrections
                ],
                (14, 18, 36, 36, 70),
                "rrlll",
            )
        else:
            self.text_line(_("Nothing was corrected by hand."), 9, MUTED)

    def photo(self, board: BoardEvidence, picture: bytes) -> None:
        """The photo with every cell that was read outlined; doubtful ones dashed."""
        assert board.photo is not None
        scale = min(PHOTO_WIDTH_MM / board.photo.width, PHOTO_HEIGHT_MM / board.photo.height)
        width, height = board.photo.width * scale, board.photo.height * scale
        if self.get_y() + height > self.page_break_trigger:
            self.add_page()
        left, top = MARGIN_MM, self.get_y()
        self.image(
            io.BytesIO(picture), left, top, width, height, alt_text=_("The photo of the board")
        )
        self.set_line_width(0.5)
        for cell in board.photo.reading.get("cells", ()):
            sure = bool(cell.get("sure"))
            self.set_draw_color("#6ff0cb" if sure else "#ffb347")
            self.set_dash_pattern(0 if sure else 1.4, 0 if sure else 1)
            self.polygon([(left + x * scale, top + y * scale) for x, y in cell["quad"]], style="D")
        self.set_dash_pattern()
        self.set_line_width(0.2)
        self.set_y(top + height + 3)

    def grid(self, board: BoardEvidence) -> None:
        """The board redrawn as a table of words, corrected cells with a heavy frame."""
        columns = max(len(row) for row in board.rows)
        width = min(CELL_MM * 2.4, (self.w - 2 * MARGIN_MM) / columns)
        if self.get_y() + CELL_MM * len(board.rows) > self.page_break_trigger:
            self.add_page()
        top = self.get_y()
        self.set_font("sans", "", 8 if width > 16 else 6.5)
        self.set_text_color(INK)
        heavy = []
        for row, words in enumerate(board.rows):
            for col, word in enumerate(words):
                x, y = MARGIN_MM + col * width, top + row * CELL_MM
                self.set_draw_color(LINE)
                self.rect(x, y, width, CELL_MM)
                if (row + 1, col + 1) in board.corrected:
                    heavy.append((x, y))
                self.set_xy(x, y + CELL_MM / 2 - 2)
                self.cell(width, 4, self.shown(said(word, self.of.game.kind)), align="C")
        self.set_draw_color(ACCENT)
        self.set_line_width(0.7)
        for x, y in heavy:
            self.rect(x, y, width, CELL_MM)
        self.set_line_width(0.2)
        self.set_xy(MARGIN_MM, top + CELL_MM * len(board.rows) + 2)

    def log(self) -> None:
        if not self.of.log:
            return
        self.heading(_("What happened"))
        rows = [(when(line.at_utc), line.by, line.what) for line in self.of.log]
        self.rows((_("When"), _("Who"), _("What")), rows, (40, 30, 104), "lll")

"""The report of a game on A4 pages."""

import io
import re
from collections.abc import Sequence
from typing import Any

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import FontFace
from markupsafe import Markup

from webapp.after import drawing, evidence, fonts
from webapp.after.evidence import BoardEvidence
from webapp.after.fonts import FONTS
from webapp.after.games import as_utc
from webapp.after.report import Report, board_title, when
from webapp.i18n import decimal, sentences, word_of
from webapp.i18n import gettext as _

INK, MUTED, LINE, ACCENT = "#20241f", "#5a5d54", "#d8d0be", "#17594f"

MARGIN_MM = 18
PHOTO_WIDTH_MM = 98
BOARD_MM = 78
"""Height of a photo and of the board beside it."""

LINE_ART_MM = 17.0
"""Height of what earned a line of the score."""

LABEL_MM = 70
"""Width of a line of the score, beside what earned it."""

MOST_CARDS = 6
"""Pattern cards beside a line; a winner has ten at most, and more do not fit."""

PX_A_MM = 8
"""Sharpness of drawings: 200 dots an inch."""

_BOX = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


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
        self.set_title(of.game.title)
        self.set_creator(f"Tallystone {of.version}")
        self.set_creation_date(as_utc(of.made_utc))
        self.add_page()

    def footer(self) -> None:
        self.set_y(-14)
        self.ink(8, MUTED)
        made = _(
            "Made by Tallystone %(version)s on %(when)s",
            version=self.of.version,
            when=when(self.of.made_utc),
        )
        self.cell(0, 5, self.shown(made))
        self.set_x(MARGIN_MM)
        number = _("Page %(number)s", number=self.page_no())
        self.cell(0, 5, self.shown(number), align="R")

    def cell(self, *args: Any, **kwargs: Any) -> Any:
        self._keep_font()
        return super().cell(*args, **kwargs)

    def multi_cell(self, *args: Any, **kwargs: Any) -> Any:
        self._keep_font()
        return super().multi_cell(*args, **kwargs)

    def _keep_font(self) -> None:
        """Choose the font for the page. The library would do so within the next text, and believe
        it chosen for the rest of the page, too, where that text begins with another font's letter.
        """
        if self.current_font is not None and not self.current_font_is_set_on_page:
            self._out(self._set_font_for_page(self.current_font, self.font_size_pt))

    def shown(self, text: str) -> str:
        """*text* in letters of our fonts."""
        text = fonts.shown(text)
        if fonts.FALLBACK.lower() not in self.fonts and fonts.needs_fallback(text):
            self.add_font(fonts.FALLBACK, "", FONTS / f"{fonts.FALLBACK}.ttf")  # takes long
            self.set_fallback_fonts([fonts.FALLBACK], exact_match=False)
        return text

    def ink(self, size: float, colour: str = INK, style: str = "", family: str = "sans") -> None:
        """How what follows is written."""
        self.set_font(family, style, size)
        self.set_text_color(colour)

    def write_lines(
        self, text: str, height: float, width: float = 0, left: float = MARGIN_MM
    ) -> None:
        """Text in as many lines as it needs, and the next below it; a page ends between lines."""
        self.set_x(left)
        text = self.shown(text)
        lines = self.multi_cell(width, height, text, align="L", dry_run=True, output="LINES")
        for line in lines:
            self.room(height)
            self.set_x(left)
            self.cell(width, height, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def text_line(self, text: str, size: float = 10, colour: str = INK, style: str = "") -> None:
        self.ink(size, colour, style)
        self.write_lines(text, size * 0.5)

    def heading(self, text: str, room_mm: float = 40) -> None:
        """A heading that does not stand alone at the foot of a page."""
        self.room(room_mm)
        self.ln(6)
        self.ink(13, ACCENT, family="serif")
        self.write_lines(text, 7)
        self.ln(1.5)

    def rows(
        self,
        head: tuple[str, ...],
        rows: Sequence[tuple[str, ...]],
        widths: tuple[int, ...],
        align: str,
    ) -> None:
        """A table; the letters of *align* say where each column stands."""
        self.ink(9)
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
        self.ink(8, MUTED, "B")
        self.cell(0, 5, "TALLYSTONE", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ink(24, family="serif")
        self.write_lines(game.title, 11)
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
                decimal(row["score"]),
                _("won") if row["winner"] and self.of.game.finished_utc else "",
            )
            for row in sorted(self.of.game.result, key=lambda row: row["rank"])
        ]
        self.rows((_("Place"), _("Player"), _("Points"), _("Won")), rows, (14, 72, 22, 22), "rlrl")
        if self.of.game.ending:
            self.ln(2)
            self.text_line(sentences(self.of.game.ending))

    def audit(self) -> None:
        if not self.of.answers:
            return
        self.heading(_("What the pad says"))
        rows = [
            (
                answer.player,
                answer.label,
                decimal(answer.claimed),
                decimal(answer.points),
                _("agrees") if answer.agrees else answer.why,
            )
            for answer in self.of.answers
        ]
        head = (_("Player"), _("Line"), _("Pad"), _("Rules"), _("Why"))
        self.rows(head, rows, (24, 34, 14, 14, 74), "llrrl")

    def points(self) -> None:
        if not self.of.lines:
            return
        first_mm = LINE_ART_MM + 10
        self.heading(_("Where the points come from"), first_mm + 15)
        player = ""
        for line in self.of.lines:
            if line.player != player:
                player = line.player
                self.room(first_mm)
                self.ln(2)
                self.text_line(player, 11, style="B")
            self.score_line(line)

    def score_line(self, line: evidence.ScoreLine) -> None:
        """A line of the score, with what earned it beside it."""
        drawings = self.of.earned(line)[:MOST_CARDS]
        height = LINE_ART_MM if drawings else 7.0
        self.room(height + 2)
        page, top = self.page, self.get_y() + 1
        self.set_draw_color(LINE)
        self.line(MARGIN_MM, top - 1, self.w - MARGIN_MM, top - 1)
        at = float(MARGIN_MM + 92)
        for one in drawings:
            at += self.art(one, at, top, height - 1) + 1.5
        self.set_y(top)
        self.ink(9.5, style="B" if line.is_total else "")
        self.cell(14, 5, self.shown(decimal(line.points)), align="R")
        self.write_lines(line.label, 5, LABEL_MM, MARGIN_MM + 18)
        if line.why:
            self.ink(8, MUTED)
            self.write_lines(line.why, 4, LABEL_MM, MARGIN_MM + 18)
        if self.page == page:
            self.set_y(max(self.get_y(), top + height - 0.5))

    def room(self, height_mm: float) -> None:
        """Go on to the next page where so much does not fit any more."""
        if self.get_y() + height_mm > self.page_break_trigger:
            self.add_page()

    def art(self, drawn: Markup, left: float, top: float, height: float) -> float:
        """A drawing of that height, in millimetres; gives its width."""
        wide, high = (float(number) for number in _BOX.findall(drawn)[0])
        width = height * wide / high
        png = drawing.png(self.of.game.kind, drawn, round(width * PX_A_MM))
        self.image(io.BytesIO(png), left, top, width, height)
        return width

    def board(self, board: BoardEvidence) -> None:
        self.heading(board_title(board), BOARD_MM + 28)
        top = self.get_y()
        picture = self.of.pictures.get(board.photo.sha256) if board.photo else None
        left, bottom = float(MARGIN_MM), 0.0
        if board.photo and picture:
            left += self.photo(board, picture) + 6
            bottom = self.get_y()
        elif board.photo:
            self.text_line(_("The photo was removed; what was read from it is kept."), 9, MUTED)
            top = self.get_y() + 1
        drawings = [(board.text, _("At the end"))]
        if board.read and board.read != board.text:
            drawings.insert(0, (board.read, _("As it was read")))
        high = BOARD_MM if left == MARGIN_MM or len(drawings) == 1 else BOARD_MM / 2 - 4
        for text, says in drawings:
            cells = board.corrected if text == drawings[0][0] else ()
            self.framed(self.of.drawn(text, cells), left, top, high, says)
            top = self.get_y() + 2
        self.set_y(max(bottom, top))
        self.corrections(board)

    def framed(self, drawn: Markup, left: float, top: float, high: float, says: str) -> None:
        """A drawing no higher than *high* and no wider than the rest of the page, with a line."""
        wide, tall = (float(number) for number in _BOX.findall(drawn)[0])
        height = min(high, (self.w - MARGIN_MM - left) * tall / wide)
        if top + height + 6 > self.page_break_trigger:
            self.add_page()
            top = self.get_y()
        self.art(drawn, left, top, height)
        self.set_xy(left, top + height + 0.5)
        self.ink(8, MUTED)
        self.cell(0, 4, self.shown(says), new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def corrections(self, board: BoardEvidence) -> None:
        if board.photo is None:
            return
        taken = _(
            "Photo taken %(when)s, SHA-256 %(hash)s",
            when=when(board.photo.taken_utc),
            hash=board.photo.sha256,
        )
        self.text_line(taken, 7, MUTED)
        self.ln(2)
        if not board.corrections:
            self.text_line(_("Nothing was corrected by hand."), 9, MUTED)
            return
        self.rows(
            (_("Row"), _("Column"), _("Read as"), _("Corrected to"), _("By")),
            [
                (
                    str(one.row),
                    str(one.col),
                    word_of(one.read, self.of.game.kind),
                    word_of(one.now, self.of.game.kind),
                    f"{one.by}, {when(one.at_utc)}",
                )
                for one in board.corrections
            ],
            (14, 18, 36, 36, 70),
            "rrlll",
        )

    def photo(self, board: BoardEvidence, picture: bytes) -> float:
        """The photo with every cell that was read outlined, doubtful ones dashed; its width."""
        assert board.photo is not None
        scale = min(PHOTO_WIDTH_MM / board.photo.width, BOARD_MM / board.photo.height)
        width, height = board.photo.width * scale, board.photo.height * scale
        self.room(height)
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
        return width

    def log(self) -> None:
        if not self.of.log:
            return
        self.heading(_("What happened"))
        rows = [(when(line.at_utc), line.by, line.what) for line in self.of.log]
        self.rows((_("When"), _("Who"), _("What")), rows, (40, 30, 104), "lll")

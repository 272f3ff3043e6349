"""The report on paper: where its pages end."""

import re
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from flask import Flask

from webapp.after.evidence import ScoreLine
from webapp.after.games import GameRecord
from webapp.after.pdf import _Page
from webapp.after.report import Report

NOW = datetime(2026, 11, 21, 19, tzinfo=UTC)
GAME = GameRecord("ABCDEF", "custom", {"options": {"board": {"name": "草地"}}}, {}, NOW)
FIELDS = ", ".join(f"块{number}：wheat lake" for number in range(1, 60))


def page_of(*lines: ScoreLine) -> _Page:
    """The first page of a report of these lines; nothing but its head is written."""
    page = _Page(Report(GAME, (), lines, (), (), {}, {}, NOW))
    page.set_compression(False)
    return page


def unwritten(page: _Page) -> int:
    """How many pieces of text are drawn while no font is chosen: no reader shows them."""
    found = 0
    for content in re.findall(rb"stream\n(.*?)\nendstream", bytes(page.output()), re.DOTALL):
        has_font, kept = False, []
        for token in re.findall(rb"(?<!\S)(q|Q|Tf|Tj|TJ)(?!\S)", content):
            if token == b"q":
                kept.append(has_font)
            elif token == b"Q":
                has_font = kept.pop()
            elif token == b"Tf":
                has_font = True
            else:
                found += not has_font
    return found


def test_a_page_that_ends_within_a_text_loses_no_word(app: Flask) -> None:
    """Nor does it push the next line down to where this one began."""
    with app.test_request_context():
        page = page_of(ScoreLine("小红", "地块", 9, FIELDS))
        page.set_y(page.page_break_trigger - 25)
        page.score_line(page.of.lines[0])
        assert (page.page, page.get_y() < page.h / 2) == (2, True)
        assert unwritten(page) == 0


@pytest.mark.parametrize("free", [21, 24, 27, 30])
def test_a_name_stands_on_the_page_of_its_first_line(app: Flask, free: int) -> None:
    with app.test_request_context():
        page = page_of(ScoreLine("Ann", "Land", 9, "", "wood wood / wood wood", ((0, 0),)))
        page.set_y(page.page_break_trigger - free)
        with patch.object(page, "heading"), patch.object(page, "score_line") as line:
            page.points()
            pages = [page.page]
        line.assert_called_once()
        page.score_line(page.of.lines[0])
        page.output()  # closes the fonts
    assert pages == [page.page]


def test_no_sign_of_a_number_is_lost(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    """The library leaves out what the font lacks, and says so in the log."""
    with app.test_request_context():
        page = page_of(ScoreLine("Ann", "Other points", -3, "−3"))
        page.points()
        page.output()
    assert caplog.text == ""

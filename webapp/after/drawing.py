"""Boards drawn with the symbols of their game, for pages, reports and pictures.

A drawing is SVG that uses the symbols of a sprite. Pages have the sprite anyway; ``picture`` adds
it and makes a PNG without a browser.
"""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cache
from html import escape, unescape

from flask import current_app, render_template
from jinja2 import TemplateNotFound
from markupsafe import Markup

from scorer.notation import EMPTY, Cell, by_cell, split_rows
from webapp.after.fonts import BOLD, FONT_FILES, shortened, shown
from webapp.i18n import game_word

SIDE = 64
"""Side of a cell in the units of a drawing."""

GAP = 4
"""Gap between the pieces of neighbouring cells."""

_SYMBOL = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
_USED = re.compile(r'href="#([^"]+)"')
_WORD = re.compile(r'(?<=<text class="drawn-text" )([^>]*>)([^<]*)')

WORD_PX = 13
"""Size of the letters of a piece's name, as the style sheet of pages has it."""

STYLE = (
    ".drawn-blank{fill:#8b857a;fill-opacity:.14}"
    ".drawn-word{fill:#fffdf8;stroke:#8b857a}"
    ".drawn-text{fill:#20241f;font:600 13px 'Noto Sans',sans-serif;text-anchor:middle}"
    ".drawn-other{opacity:.22}"
    ".drawn-mark{fill:none;stroke:#17594f;stroke-width:5}"
    ".card-back{fill:#2b342a;stroke:#1b211b;stroke-width:1.5}"
    ".card-frame{fill:none;stroke:#8f8b77;stroke-width:1}"
    ".card-any{fill:#8b8778;fill-opacity:.55}"
    ".card-value{fill:#efe7d3;font:700 22px 'Noto Serif',serif;text-anchor:middle}"
)
"""Styles of boards outside of pages, which have a style sheet."""


def board(
    kind: str,
    text: str,
    cells: Collection[Cell] = (),
    *,
    lit: bool = False,
    says: str = "",
    pictures: Mapping[str, str] | None = None,
    on_page: Collection[str] = (),
) -> Markup:
    """A board as SVG; *cells* have a frame, or if *lit* the others are pale.

    *pictures* are addresses of pictures of pieces by label; *on_page* are labels whose symbol the
    page has. *says* tells what it is to who cannot see it; without it the drawing is passed over.
    """
    rows = split_rows(text)
    known = {*symbols(kind), *(symbol_of(kind, label) for label in on_page)}
    width, height = SIDE * max(len(words) for words in rows), SIDE * len(rows)
    parts = [
        _cell(kind, word, cell, lit and cell not in cells, pictures or {}, known)
        for cell, word in by_cell(rows)
    ]
    if not lit:
        parts += [
            Markup(
                '<rect class="drawn-mark" x="{}" y="{}" width="{}" height="{}" rx="10"/>'
            ).format(col * SIDE + 2, row * SIDE + 2, SIDE - 4, SIDE - 4)
            for row, col in cells
        ]
    label = (
        Markup('role="img" aria-label="{}"').format(says) if says else Markup('aria-hidden="true"')
    )
    return Markup('<svg class="drawn-board {}" viewBox="0 0 {} {}" {}>{}</svg>').format(
        kind, width, height, label, Markup("").join(parts)
    )


def _cell(
    kind: str,
    word: str,
    cell: Cell,
    is_pale: bool,
    pictures: Mapping[str, str],
    known: Collection[str],
) -> Markup:
    x, y = cell[1] * SIDE + GAP // 2, cell[0] * SIDE + GAP // 2
    side = SIDE - GAP
    box = Markup('x="{}" y="{}" width="{}" height="{}"').format(x, y, side, side)
    symbol = symbol_of(kind, word)
    if word == EMPTY:
        drawn = Markup('<rect class="drawn-blank" {} rx="9"/>').format(box)
    elif word in pictures:
        drawn = Markup('<image href="{}" {} preserveAspectRatio="xMidYMid slice"/>').format(
            pictures[word], box
        )
    elif symbol in known:
        drawn = Markup('<use href="#{}" {}/>').format(symbol, box)
    else:
        drawn = Markup(
            '<rect class="drawn-word" {} rx="9"/><text class="drawn-text" x="{}" y="{}">{}</text>'
        ).format(
            box,
            x + side / 2,
            y + side / 2 + 5,
            short(kind, word),
        )
    return Markup('<g class="drawn-other">{}</g>').format(drawn) if is_pale else drawn


EMBLEM_BOX = "0 0 48 48"


def emblem(kind: str) -> Markup:
    """The emblem of a game, for where it has no board."""
    return Markup('<use href="#emblem-{}" width="48" height="48"/>').format(kind)


def short(kind: str, word: str) -> str:
    """The name of a piece in the language of the reader, as much of it as a cell has room for.

    >>> short("custom", "wheat+1"), short("custom", "Donaudampf"), short("custom", "松树林的大房子")
    ('wheat+1', 'Donau…', '松树林…')
    """
    return _fitting(word if kind == "custom" else game_word(word))


def _fitting(text: str) -> str:
    return shortened(text, SIDE - 2 * GAP, BOLD, WORD_PX)


def symbol_of(kind: str, word: str) -> str:
    """The id of the symbol that shows a word of the notation of a game."""
    if kind == "stones":
        return f"stone-{word}"
    up = word.split("/")[0] if kind == "time" else word
    return f"piece-{kind}-{'unknown' if up == '?' else up}"


@cache
def symbols(kind: str) -> Mapping[str, str]:
    """The symbols of a game as SVG, by their ids."""
    own = ""
    with suppress(TemplateNotFound):
        own = render_template(f"play/_symbols_{kind}.svg")
    common = ("_symbols.svg", "_emblems.svg", "after/_symbols.svg")
    sprite = "".join(map(render_template, common)) + own
    return {found[1]: found[0] for found in _SYMBOL.finditer(sprite)}


def sprite(kind: str, *drawings: str) -> Markup:
    """The symbols that drawings use, as SVG that shows nothing by itself."""
    known = symbols(kind)
    needed = [name for one in drawings for name in _USED.findall(one)]
    for name in needed:
        needed += (one for one in _USED.findall(known.get(name, "")) if one not in needed)
    parts = "".join(known[name] for name in dict.fromkeys(needed) if name in known)
    return Markup('<svg class="sprite" width="0" height="0" aria-hidden="true">{}</svg>').format(
        Markup(parts)
    )


def png(kind: str, drawing: str, width_px: int) -> bytes:
    """A PNG of a drawing, so many pixels wide, made without a browser.

    *drawing* is one SVG element. Its words are in the fonts that the program brings.
    """
    import resvg_py

    head, _, body = str(drawing).partition(">")
    if "xmlns=" not in head:
        head += ' xmlns="http://www.w3.org/2000/svg"'
    body = _WORD.sub(lambda word: word[1] + escape(_fitting(shown(unescape(word[2])))), body)
    svg = f"{head}><style>{STYLE}</style>{sprite(kind, drawing)}{body}"
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width_px,
            skip_system_fonts=True,
            font_files=list(FONT_FILES) if "<text" in svg else [],
            font_family="Noto Sans",
            sans_serif_family="Noto Sans",
            serif_family="Noto Serif",
        )
    )


def card(points: int, pattern: str) -> Markup:
    """A pattern card of Shifting Stones, as pages draw it."""
    macros = current_app.jinja_env.get_template("_card.svg").module
    drawn: Markup = macros.card_svg({"points": points, "pattern": pattern})  # type: ignore[attr-defined]
    return Markup(drawn.strip())

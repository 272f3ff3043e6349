"""The letters of the fonts that the program brings: which there are, and how wide a text is."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from unicodedata import category, east_asian_width, name

from fpdf import FPDF
from fpdf.fonts import TTFFont

from webapp.after.games import GameRecord, Json
from webapp.i18n import gettext as _

FONTS = Path(__file__).parent
REGULAR, BOLD, SERIF = "NotoSans-Regular", "NotoSans-Bold", "NotoSerif-Bold"
FALLBACK = "DroidSansFallback"
"""The font of letters that the others lack."""

FONT_FILES = tuple(str(FONTS / f"{font}.ttf") for font in (REGULAR, BOLD, SERIF, FALLBACK))

TEXT = 24
"""Size of the letters of sentences in pictures, in pixels."""

UNKNOWN = "?"
"""Shown for a letter that no font of ours has."""


@cache
def _widths(font: str) -> Mapping[int, float]:
    """The letters of a font by code point, with their widths as parts of the size of the font.

    The fonts of Noto have the same letters.
    """
    ruler = FPDF()
    ruler.add_font(font, fname=FONTS / f"{font}.ttf")
    read = ruler.fonts[font.lower()]
    assert isinstance(read, TTFFont)
    read.close()
    return {code: read.cw[code] / 1000 for code in read.cmap}


def shown(text: str) -> str:
    """A text in letters of our fonts: other symbols by their English names, other letters as "?".

    >>> shown("Zoë 李明 🐑+1"), shown("🐑🐮 farm"), shown("ราม"), shown("wood\\u200b"), shown("−2")
    ('Zoë 李明 sheep+1', 'sheep cow face farm', '???', 'wood', '–2')
    """
    told, was_word = "", False
    for part in filter(None, map(_shown, text.replace("−", "–"))):
        is_word = len(part) > 1
        if (is_word or was_word) and told[-1:].isalnum() and part[0].isalnum():
            told += " "
        told, was_word = told + part, is_word
    return told


@cache
def _shown(letter: str) -> str:
    what = category(letter)
    if letter.isspace() or ord(letter) in _widths(REGULAR) or ord(letter) in _widths(FALLBACK):
        return letter if letter.isprintable() or letter.isspace() else ""
    if what[0] in "MC" or what == "Sk":  # changes the letter before it, or shows nothing
        return ""
    return name(letter, UNKNOWN).lower() if what[0] == "S" else UNKNOWN


def needs_fallback(text: str) -> bool:
    """Whether a shown text has letters that the fonts of Noto lack."""
    return any(not letter.isspace() and ord(letter) not in _widths(REGULAR) for letter in text)


def readable(game: GameRecord) -> GameRecord:
    """The game with players' names in letters of our fonts.

    Symbols are left out where the rest tells the players apart. A name of which no letter is left
    becomes "Player" with the number of the seat.
    """
    bare = [_without_symbols(name) for name in game.players]
    names = {}
    for number, (one, left) in enumerate(zip(game.players, bare, strict=True), 1):
        if shown(one) != one and not set(shown(left)) - {UNKNOWN, " "}:
            names[one] = _("Player %(number)s", number=number)
        elif bare.count(left) == 1:
            names[one] = left
    if all(one == new for one, new in names.items()):
        return game

    def renamed(row: Json, key: str) -> Json:
        return row | {key: names.get(row[key], row[key])}

    def with_names(state: Json) -> Json:
        return state | {"players": [renamed(player, "name") for player in state["players"]]}

    return replace(
        game,
        state=with_names(game.state),
        result=tuple(renamed(row, "player") for row in game.result),
        events=tuple(
            replace(event, by=renamed(event.by, "name"), state=with_names(event.state))
            for event in game.events
        ),
    )


def _without_symbols(name: str) -> str:
    """A name without the symbols that no font of ours has."""
    left = (one for one in name if _shown(one) in (one, UNKNOWN))
    return " ".join("".join(left).split())


def breadth(text: str, font: str = REGULAR, size: float = TEXT) -> float:
    """How wide a text is, in pixels; Chinese letters are square."""
    return sum(_breadth(letter, font) * size for letter in text)


@cache
def _breadth(letter: str, font: str) -> float:
    """How wide a letter is, as a part of its size."""
    if category(letter) in ("Mn", "Me", "Cf"):
        return 0
    if east_asian_width(letter) in "WF":
        return 1
    return _widths(font).get(ord(letter), 0.6)


def shortened(text: str, room: float, font: str = REGULAR, size: float = TEXT) -> str:
    """The beginning of a text that is no wider than *room*, in pixels.

    >>> shortened("Annabelle", 80), shortened("Ann", 80)
    ('Anna…', 'Ann')
    """
    if breadth(text, font, size) <= room:
        return text
    while text and breadth(f"{text}…", font, size) > room:
        text = text[:-1]
    return f"{text}…"


def wrapped(text: str, room: float) -> Iterator[str]:
    """A text in lines of at most *room* pixels, broken at spaces or between Chinese letters.

    >>> list(wrapped("Ann wins with 9 points!", 120))
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

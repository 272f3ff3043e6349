"""The languages of the page, and texts, pieces and boards in them.

``gettext`` may be called anywhere: outside of a request, and in a language without a catalogue,
texts stay English.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from babel.numbers import format_decimal
from babel.support import Translations
from flask import Blueprint, Flask, abort, has_request_context, jsonify, redirect, request, session
from flask.typing import ResponseReturnValue
from flask_babel import Babel, get_locale
from jinja2 import pass_context
from jinja2.runtime import Context

from scorer.games import GAMES
from scorer.notation import EMPTY, split_rows
from scorer.setup import texts_of
from scorer.stones.board import Symbol
from scorer.text import Term, Text, listed
from scorer.time.cards import UNKNOWN
from vision.boards import BOARDS

LANGUAGES = {"en": "English", "de": "Deutsch", "zh": "中文"}
"""The languages by code, each under its own name."""

_PATH = re.compile(r"/(?![/\\])[^\x00-\x1f\x7f\\]*")
"""A path of this server. Browsers drop tabs and line feeds and take a backslash for a slash."""

_MARKS = ("*", "!")
"""What stands behind the label of a precious or a framed piece."""

_AS_ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})

blueprint = Blueprint("i18n", __name__)


def gettext(text: str, **values: Any) -> str:
    """*text* in the language of the request, its ``%(name)s`` filled in.

    A ``Text`` is known by its template, and so are those among its values. Any other text is one
    of the catalogue or stays as it is.
    """
    return _in(language(), Text(text, **values))


def _in(code: str, text: Text) -> str:
    return _told(text, _texts(code))


_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""A letter of those scripts, by the blocks that Unicode keeps for them."""


MINUS = str.maketrans("-", "−")
"""The sign of a number below zero as people read it; the hyphen is for programs."""


def for_people(value: Any) -> Any:
    """A value for a gap of a sentence: a number below zero has the sign for people, and what is
    written from right to left turns nothing around it.

    It stays bare outside of a request: what is written there is read by programs.
    """
    if not has_request_context():
        return value
    if isinstance(value, int | float) and value < 0:
        return str(value).translate(MINUS)
    if not isinstance(value, str):
        return value
    return "\u2068" + value + "\u2069" if _RIGHT_TO_LEFT.search(value) else value


_BETWEEN = re.compile(r"(?<=\)s)(, |; )(?=%\(part\d+\)s)")
"""What stands between the parts of a list, as `scorer.text.listed` makes it."""

_AFTER_STOP = re.compile("(?<=[。！？]) ")
"""What stands behind a Chinese sentence where a list has another one; Chinese has nothing there."""

_DIVIDERS = (Text(", "), Text("; "))
"""Marked as texts, for some languages have marks of their own for lists."""


def _told(text: Text, known: Mapping[str, str]) -> str:
    template = known.get(text.template)
    if template is None:
        template = _BETWEEN.sub(lambda between: known.get(between[0], between[0]), text.template)
    if not text.values:
        return template
    told = template % {
        name: _told(value, known) if isinstance(value, Text) else for_people(value)
        for name, value in text.values.items()
    }
    return _AFTER_STOP.sub("", told) if "part1" in text.values else told


def in_language(value: Any, code: str | None = None) -> Any:
    """A view of a game with its texts in a language, or in that of the request.

    Mere strings and names are what scripts compare and look up, so they stay as they are.
    """
    code = code or language()
    if isinstance(value, Term):
        return value
    if isinstance(value, Text):
        return _in(code, value)
    if isinstance(value, dict):
        return {key: in_language(one, code) for key, one in value.items()}
    return [in_language(one, code) for one in value] if isinstance(value, list | tuple) else value


_FIELD = re.compile(r"[a-z]+: expected ")
"""How it begins to be told that a field is wrong: with its name, as a file has to write it."""


def sentence(clause: str) -> str:
    """A text that may begin small and lack its full stop, told as a sentence."""
    told = gettext(clause)
    end = "" if told.endswith((*".!?。！？",)) else "。" if language() == "zh" else "."
    if _FIELD.match(clause) or _begins_with_name(Text(clause), _texts(language())):
        return told + end
    return told[:1].upper() + told[1:] + end


def _begins_with_name(text: Text, known: Mapping[str, str]) -> bool:
    """Whether a value that is no text comes first: a name, as somebody typed it."""
    gap = re.match(r"%\((\w+)\)s", known.get(text.template, text.template))
    value = text.values.get(gap[1]) if gap else None
    return _begins_with_name(value, known) if isinstance(value, Text) else value is not None


def sentences(texts: Iterable[str]) -> str:
    """Whole sentences one after the other, with what the language puts between them."""
    return gettext(listed(texts, " "))


def ngettext(one: str, many: str, num: int, **values: Any) -> str:
    """*one* for 1, *many* for all other numbers; both are texts of their own, as in the scripts."""
    return gettext(one if num == 1 else many, num=num, **values)


def decimal(value: float, pattern: str | None = None) -> str:
    """A number as the language of the request writes it."""
    return str(format_decimal(value, pattern, locale=language())).translate(MINUS)


def signed(value: float) -> str:
    """The same with its sign, and one digit after the point."""
    return format_decimal(value, format="+0.0;−0.0", locale=language())


def game_word(text: str) -> str:
    """A text of the games' own forms, a stone or a season in the language of the request.

    Any other text, such as a name that somebody typed, stays as it is. Templates use this for
    values: ``_`` takes its argument for a text of the program, which need not be escaped.
    """
    return gettext(text) if text in _game_words() else text


def word_of(label: str, board: str) -> str:
    """A piece in words; those of somebody's own board are as they were typed.

    >>> word_of("spring*", "seasons"), word_of("spring/winter", "time"), word_of("cow", "custom")
    ('spring, precious', 'spring, below it winter', 'cow')
    """
    if label == EMPTY:
        return gettext("empty")
    if board not in BOARDS:
        return label
    if label.endswith("*") and label[:-1]:
        return gettext("%(what)s, precious", what=game_word(label[:-1]))
    if label.endswith("!") and label[:-1]:
        return gettext("%(what)s, framed", what=label[:-1])
    up, is_card, back = label.partition("/")
    return _card(game_word(up), game_word(back)) if is_card else game_word(label)


def _card(up: str, back: str) -> str:
    """A card of Turn of Time in words."""
    if up == UNKNOWN:
        return gettext("a card flipped to an unknown side, below it %(back)s", back=back)
    if back == UNKNOWN:
        return gettext("%(up)s, other side unknown", up=up)
    if up == back:
        return gettext("%(up)s on both sides", up=up)
    return gettext("%(up)s, below it %(back)s", up=up, back=back)


def board_words(text: str, board: str) -> str:
    """All pieces of a board in words, row by row.

    >>> board_words("sun moon / . fish", "stones")
    'sun, moon; empty, fish'
    """
    rows = split_rows(text)
    said = [gettext(", ").join(word_of(label, board) for label in row) for row in rows]
    return gettext("; ").join(said)


def plate_of(label: str, board: str) -> str:
    """A label as short as it is written on a photo, whose letters are those of ASCII.

    It stays English in a language that has others.
    """
    if board not in BOARDS:
        return label
    told = game_word(label.rstrip("".join(_MARKS))).translate(_AS_ASCII)
    mark = label[-1] if label.endswith(_MARKS) else ""
    return told + mark if told.isascii() else label


@cache
def _game_words() -> frozenset[str]:
    forms = (game.setup_form() for game in GAMES.values())
    return frozenset(text for form in forms for text in texts_of(form)) | {
        symbol.value for symbol in Symbol
    }


@cache
def _texts(code: str) -> dict[str, str]:
    """Every text of a language by its English one."""
    found = Translations.load(str(Path(__file__).parent / "translations"), [code])
    texts = getattr(found, "_catalog", {})  # what gettext's own classes call their texts
    return {key: text for key, text in texts.items() if isinstance(key, str) and key and text}


def language() -> str:
    """The code of the language of this request."""
    locale = get_locale()
    return str(locale.language) if locale else "en"


def _chosen() -> str | None:
    if not has_request_context():
        return None
    wanted = session.get("language")
    if wanted in LANGUAGES:
        return str(wanted)
    asked = (
        name.partition("-")[0].lower() for name, quality in request.accept_languages if quality
    )
    return next((name for name in asked if name in LANGUAGES), "en")


@blueprint.post("/language")
def choose() -> ResponseReturnValue:
    """Change the language of this device and go back to where it came from."""
    wanted = request.form.get("language")
    if wanted in LANGUAGES:
        session["language"] = wanted
    back = request.form.get("back", "/")
    return redirect(back if _PATH.fullmatch(back) else "/")


@blueprint.get("/i18n/<code>.json")
def catalogue(code: str) -> ResponseReturnValue:
    """Every text of a language for the scripts of the page: ``{"English": "..."}``."""
    if code not in LANGUAGES:
        abort(404)
    answer = jsonify(_texts(code))
    # asked for by every page, sent only when it is new
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.add_etag()
    return answer.make_conditional(request)


def register(app: Flask) -> None:
    """Give *app* its languages."""
    Babel(
        app,
        default_locale="en",
        locale_selector=_chosen,
        default_translation_directories="translations",
    )
    told: Any = app.jinja_env.globals["gettext"]

    @pass_context
    def filled(context: Context, text: str, /, **values: Any) -> Any:
        """``_`` of the templates, which escapes the values."""
        return told(context, text, **{name: for_people(value) for name, value in values.items()})

    app.jinja_env.globals |= {"gettext": filled, "ngettext": ngettext}
    app.add_template_filter(game_word)
    app.add_template_filter(decimal, "decimalformat")
    app.add_template_filter(sentences)
    app.register_blueprint(blueprint)

    @app.context_processor
    def names() -> dict[str, Any]:
        return {"languages": LANGUAGES, "language": language()}

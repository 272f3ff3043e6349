"""Routes to a finished game: its record and its review."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from babel.dates import format_date
from flask import Blueprint, Response, abort, current_app, render_template
from flask.blueprints import BlueprintSetupState

from scorer import record
from scorer.game import ActionError, Json
from scorer.notation import split_rows
from scorer.review.games import Review, review
from scorer.review.moments import MOST_MOMENTS, Chart, Figures, Insight, Moment
from scorer.stones.cards import cards_by_id
from webapp.after import charts, drawing
from webapp.after import result_picture as picture
from webapp.after.games import GameRecord, as_utc
from webapp.after.pages import game_of, named
from webapp.current import tables
from webapp.guard.gate import long_turn, pass_gate
from webapp.guard.security import device_token
from webapp.i18n import board_words, language, sentence, signed
from webapp.i18n import gettext as _
from webapp.tables.errors import TableError

blueprint = Blueprint("review", __name__)

MOST_COSTLY = 6
"""Most insights that a page shows at once."""

MOST_KEPT = 16
"""Records and reviews that are kept in memory; those of a long game take a few megabytes."""

Made = TypeVar("Made")


@blueprint.record
def keep_made(state: BlueprintSetupState) -> None:
    """Give the app a place for what was made of its games."""
    state.app.extensions["tallystone_made"] = {}


@blueprint.get("/g/<code>/record.txt")
def record_file(code: str) -> Response:
    """The record to look at; ``?save`` sends it as a file."""
    game = game_of(code)
    response = Response(_made(code, record.write), mimetype="text/plain")
    return named(response, f"{game.file_name}.txt")


@blueprint.get("/g/<code>/review")
def page(code: str) -> str:
    """A finished game looked back on: its boards, its points, and what would have given more."""
    game = game_of(code)
    pieces = tables().copies.pictures(code, device_token())
    found = _made(code, review)
    costly = sorted((one for one in found.chapter.insights if one.cost), key=lambda one: -one.cost)[
        :MOST_COSTLY
    ]
    notes = [_(note) for note in found.chapter.notes]
    if found.is_cut:
        notes.append(
            _("The game is long: shown are its first %(count)s moments.", count=MOST_MOMENTS)
        )
    return render_template(
        "after/review.html",
        game=game,
        pieces=pieces,
        moments=len(found.moments),
        course=_course(game, found),
        charts=[_drawn(chart) for chart in (found.points, *found.chapter.charts)]
        if len(found.moments) > 1
        else [],
        figures=[_told(table) for table in found.chapter.figures],
        costly=[_insight(game, one, pieces) for one in costly],
        others=[_insight(game, one, pieces) for one in found.chapter.insights if one not in costly],
        notes=notes,
    )


def _made(code: str, make: Callable[[record.Record], Made]) -> Made:
    """What *make* gives of the record of a game; kept, for a finished game does not change.

    Only members may ask.
    """
    kept: dict[Any, Made] = current_app.extensions["tallystone_made"]
    key = (make, code, tables().games.version(code, device_token()))
    if (made := kept.get(key)) is None:
        with long_turn("reviews"):
            if (made := kept.get(key)) is None:
                made = kept[key] = make(record_of(game_of(code, with_log=True)))
                for oldest in list(kept)[:-MOST_KEPT]:
                    del kept[oldest]
    return made


def _told(table: Figures) -> Json:
    """A table of figures in the language of the reader."""
    return {
        "title": _(table.title),
        "head": [_(word) for word in table.head],
        "rows": [
            (_(name), [one if isinstance(one, str) else signed(one) for one in values])
            for name, values in table.rows
        ],
    }


def _insight(game: GameRecord, one: Insight, pieces: Mapping[str, str]) -> Json:
    """An insight in the language of the reader, with its boards drawn."""
    return {
        "title": _(one.title),
        "cost": one.cost,
        "moment": one.moment,
        "says": [sentence(says) for says in one.says],
        "pictures": [
            {
                "drawn": drawing.board(game.kind, picture.text, picture.cells, pictures=pieces),
                "says": _(picture.says) if picture.says else "",
            }
            for picture in one.pictures
        ],
        "cards": [
            {"points": card.points, "pattern": str(card.pattern)}
            for card in (cards_by_id()[number] for number in one.cards)
        ],
    }


@blueprint.get("/g/<code>/result-<shape>.png")
def result_picture(code: str, shape: str) -> Response:
    """The result to send, ``wide`` (1200 x 630) or ``square``; ``?save`` sends it as a file."""
    if shape not in picture.SIZES:
        abort(404)
    game = game_of(code)
    if game.finished_utc is None:
        raise not_finished()
    pass_gate()
    pieces = tables().copies.pictures(code, device_token())
    day = str(format_date(game.played_utc.astimezone(), "long", locale=language()))
    response = Response(picture.picture(game, shape, day, pieces), mimetype="image/png")
    response.headers["Cache-Control"] = "private, no-cache"
    return named(response, f"{game.file_name}-{shape}.png")


def _course(game: GameRecord, found: Review) -> Json:
    """What the page needs to show the boards one after the other."""
    boards = (split_rows(text) for moment in found.moments for _seat, text in moment.boards)
    words = {word for rows in boards for row in rows for word in row}
    return {
        "kind": game.kind,
        "players": list(found.players),
        "short": {word: drawing.short(game.kind, word) for word in words},
        "moments": [
            {
                "title": _title(moment, at, len(found.moments)),
                "says": [_(text) for text in moment.says],
                "words": moment.words,
                "boards": [
                    {
                        "seat": seat,
                        "text": text,
                        "changed": changed,
                        "says": board_words(text, game.kind),
                    }
                    for (seat, text), changed in zip(moment.boards, moment.changed, strict=True)
                ],
                "scores": moment.scores,
            }
            for at, moment in enumerate(found.moments)
        ],
    }


def _title(moment: Moment, at: int, count: int) -> str:
    if moment.turn is None:
        return _("Moment %(number)s of %(count)s", number=at + 1, count=count)
    return _("Turn %(number)s: %(name)s", number=moment.turn, name=moment.who)


def _drawn(chart: Chart) -> Json:
    """A chart with its title in the language of the reader."""
    title = _(chart.title)
    rows = [(_(name), values) for name, values in chart.rows]
    says = _("; ").join(f"{name}: {values[0]}–{values[-1]}" for name, values in rows)
    labels = [str(number) for number in range(1, len(rows[0][1]) + 1)]
    series = [charts.Series(name, values) for name, values in rows]
    return {"title": title, "art": charts.lines(title, says, labels, series)}


def record_of(game: GameRecord) -> record.Record:
    """The record of a finished *game*, which must come with its log.

    Raises TableError for a game that goes on: its log holds hidden hands.
    """
    if game.finished_utc is None:
        raise not_finished()
    actions = (
        event.action
        for event in game.events
        if event.seq and not event.undone and not event.dropped
    )
    when = as_utc(game.played_utc).replace(microsecond=0).isoformat()
    try:
        return record.played(game.kind, game.setup, actions, when, game.location)
    except ActionError as error:
        raise TableError(
            409,
            "old_log",
            "The log of this game cannot be played again: %(reason)s",
            reason=error.message,
        ) from None


def not_finished() -> TableError:
    """The refusal of what a game has only once it is finished."""
    return TableError(
        409, "goes_on", "This is there once the game is finished: until then hands are hidden."
    )

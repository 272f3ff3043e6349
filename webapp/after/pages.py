"""Routes after the game: audit, report, history, statistics, export, import, BG Stats, deletion."""

import hmac
import re
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import BinaryIO
from unicodedata import category

import cv2
import numpy as np
from babel.dates import format_date, format_skeleton, format_time
from babel.numbers import format_decimal
from flask import (
    Blueprint,
    Response,
    abort,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from scorer.game import MOST_FIGURE, ActionError, column_key
from scorer.text import Refused
from vision.headers import MAX_BYTES
from webapp.after import (
    archive,
    arrivals,
    audit,
    bgstats,
    charts,
    evidence,
    exchange,
    report,
    statistics,
)
from webapp.after.fonts import readable
from webapp.after.games import GameRecord
from webapp.current import tables
from webapp.errors import TOO_LARGE
from webapp.guard.addresses import address_for_others
from webapp.guard.gate import leave_gate, long_turn, pass_gate, picture_turn
from webapp.guard.security import device_token, signed
from webapp.i18n import decimal, language, ngettext, sentences
from webapp.i18n import gettext as _
from webapp.store.models import now_utc
from webapp.tables.errors import StaleChange, not_a_member

blueprint = Blueprint("after", __name__)

THUMBNAIL_PX = 320
"""Long side of the small photos of the history."""

_FIGURE = re.compile(r"[+-]?(?:[0-9]{1,7}|[0-9]{1,3}([.,'’\s])[0-9]{3}(?:\1[0-9]{3})?)")
"""A figure of the pad, bare or with what a language puts between its groups of three digits."""
_AS_ASCII = str.maketrans("０１２３４５６７８９＋－−，．", "0123456789+--,.")
"""Full-width digits and signs, and a true minus."""

GAMES_A_PAGE = 50
MOST_PAGES = 10**6
MOST_COUNTED = 2_000
"""Most games in the statistics: one each evening for five years."""

MOST_KINDS, MOST_PLAYERS = 20, 100
"""Games and players that the statistics show; those with fewer games or wins are left out."""

MOST_IN_CHART, MOST_LINES = 60, 8
"""Games and players that a chart can show so that they are told apart."""

PART_BYTES = 1 << 18

EXPORTS = {"zip": "application/zip", "json": "application/json", "csv": "text/csv"}


@blueprint.app_template_filter("local_time")
def local_time(moment: datetime) -> str:
    """A time in the time zone of this computer, as the reader's language writes it."""
    here = moment.astimezone().replace(tzinfo=None)
    return (
        f"{format_date(here, locale=language())}, {format_time(here, 'short', locale=language())}"
    )


@blueprint.app_template_filter("duration")
def duration(minutes: float) -> str:
    """Minutes, from two hours on hours, as the reader's language writes them."""
    if minutes < 120:
        return _("%(count)s min", count=round(minutes))
    return _("%(count)s h", count=format_decimal(minutes / 60, "0.0", locale=language()))


@blueprint.get("/history")
def history(message: str = "", is_good: bool = True) -> str:
    """The games of this device, below what is to be said of an import."""
    store, page = tables().store, max(1, request.args.get("page", 1, int))
    first = (min(page, MOST_PAGES) - 1) * GAMES_A_PAGE
    games = archive.listed(store, device_token(), first, GAMES_A_PAGE + 1)
    shown = games[:GAMES_A_PAGE]
    covers = archive.covers(store, [game.code for game in shown])
    return render_template(
        "after/history.html",
        here=url_for("after.history"),
        games=shown,
        covers=covers,
        page=page,
        has_older=len(games) > GAMES_A_PAGE,
        message=message,
        is_good=is_good,
        most_mb=round(MAX_BYTES / 1e6),
        most_games=arrivals.GUEST.games,
        too_large=_(TOO_LARGE["/history/import"]),
    )


@blueprint.get("/history/statistics")
def figures() -> str:
    """Figures and charts over the finished games of this device that had begun."""
    games = archive.listed(tables().store, device_token(), most=MOST_COUNTED + 1, finished=True)
    found = statistics.figures(game for game in games[:MOST_COUNTED] if game.is_begun)
    kinds = [(kind, _chart_of(kind)) for kind in found.kinds[:MOST_KINDS]]
    best = found.players[:10]
    wins = charts.bars(
        _("Games won"),
        _("; ").join(
            _("%(name)s: %(wins)s of %(games)s", name=one.name, wins=one.wins, games=one.games)
            for one in best
        ),
        [
            (one.name, one.win_share, _("%(wins)s of %(games)s", wins=one.wins, games=one.games))
            for one in best
        ],
    )
    return render_template(
        "after/statistics.html",
        figures=found,
        kinds=kinds,
        wins=wins,
        most_players=MOST_PLAYERS,
        is_cut=len(games) > MOST_COUNTED
        or len(found.kinds) > MOST_KINDS
        or len(found.players) > MOST_PLAYERS,
        most_counted=MOST_COUNTED,
    )


def _chart_of(kind: statistics.KindFigures) -> str:
    """Scores of one kind of game over time; empty for a single game, which has no chart."""
    scores = [score for player in kind.players for score in player.scores]
    when = {score.code: score.when for score in scores if score.points is not None}
    ordered = sorted(when, key=lambda code: when[code])[-MOST_IN_CHART:]
    if len(ordered) < 2:
        return ""
    series = []
    sentences = []
    for player in kind.players[:MOST_LINES]:
        points = {one.code: one.points for one in player.scores if one.points is not None}
        if not points:
            continue
        told = _(", ").join(decimal(points[code]) for code in ordered if code in points)
        series.append(charts.Series(player.name, [points.get(code) for code in ordered]))
        sentences.append(f"{player.name}: {told}")
    title = _("Points in %(game)s, game by game", game=kind.title)
    dates = [format_skeleton("Md", when[code].astimezone(), locale=language()) for code in ordered]
    return charts.lines(title, _("; ").join(sentences), dates, series)


@blueprint.get("/history/export.<ending>")
def export(ending: str) -> Response:
    """The finished games of this device as a file; games that go on hold hidden hands."""
    if ending not in EXPORTS:
        abort(404)
    with long_turn("exports"):
        out = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it was sent)
        games = archive.Kept(tables().store, tables().photos.folder, device_token())
        exchange.write(ending, out, games, games.picture)
    size = out.tell()
    out.seek(0)
    response = Response(_sent(out), mimetype=EXPORTS[ending])
    response.content_length = size
    return named(response, f"tallystone-{now_utc().astimezone():%Y-%m-%d}.{ending}", kept=True)


def _sent(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while part := file.read(PART_BYTES):
            yield part


@blueprint.post("/history/import")
def take_in() -> ResponseReturnValue:
    """Games of a file that was exported, here or on another computer."""
    upload = request.files.get("file")
    leave_gate()
    try:
        with long_turn("imports"):
            data = upload.read() if upload else b""
            message, status = _taken_in(data)
    finally:
        if upload:
            upload.close()
    return history(message, status == 200), status


def _taken_in(data: bytes) -> tuple[str, int]:
    """What to say of a file, and the status: 200 where its games were taken in."""
    here = tables()
    try:
        if not data:
            raise exchange.ArchiveError(_("Please choose a file that was exported before."))
        arrival = arrivals.parse(data, turn=picture_turn)
        done = archive.take_in(here.store, here.photos.folder, arrival, device_token(), here.quotas)
    except exchange.ArchiveError as error:
        return str(error), 422
    message = _(
        "%(added)s, %(already)s.",
        added=ngettext("1 game taken in", "%(num)s games taken in", len(done.added)),
        already=ngettext("1 was here already", "%(num)s were here already", done.already),
    )
    if done.recounted:
        recounted = ngettext(
            "1 game was counted anew: today's rules do not give what the file says.",
            "%(num)s games were counted anew: today's rules do not give what the file says.",
            len(done.recounted),
        )
        message = sentences([message, recounted])
    if done.refusal:
        return sentences([message, _(done.refusal.message)]), done.refusal.status
    return message, 200


@blueprint.get("/history/<code>/<int:photo>.jpg")
def thumbnail(code: str, photo: int) -> Response:
    """A photo of a game, small."""
    stored = tables().photos.jpeg(code, device_token(), photo)
    pass_gate()
    image = cv2.imdecode(np.frombuffer(stored, np.uint8), cv2.IMREAD_REDUCED_COLOR_4)
    if image is None:
        abort(404)
    scale = min(1.0, THUMBNAIL_PX / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    done, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
    if not done:
        abort(404)
    return Response(
        jpeg.tobytes(), mimetype="image/jpeg", headers={"Cache-Control": "private, max-age=86400"}
    )


@blueprint.get("/g/<code>/after")
def after_page(code: str) -> str:
    """A game looked back on: result, reports, BG Stats, deleting."""
    game = game_of(code)
    short = url_for("after.open_in_bgstats", code=code, signature=_signature(code))
    pieces = tables().copies.pictures(code, device_token())
    return render_template(
        "after/game.html",
        game=game,
        bgstats=bgstats.link(game) if game.finished_utc else "",
        qr=bgstats.qr_svg(address_for_others(short)) if game.finished_utc else "",
        boards=evidence.boards(game),
        board_title=report.board_title,
        lines=[
            (line, report.earned(game.kind, line, pieces)) for line in evidence.score_lines(game)
        ],
        answers=audit.answers(game),
        is_host=tables().games.snapshot(code, device_token())["you"]["role"] == "host",
    )


@blueprint.get("/bgstats/<code>/<signature>")
def open_in_bgstats(code: str, signature: str) -> ResponseReturnValue:
    """Where the QR code leads: on to the link, for the phone that scanned it."""
    if not hmac.compare_digest(signature.encode(), _signature(code).encode()):
        abort(404)
    found = [game for game in archive.records(tables().store, code=code) if game.finished_utc]
    if not found:
        abort(404)
    return redirect(bgstats.link(found[0]))


def _signature(code: str) -> str:
    """The secret part of a play's address: whoever has it need be no member."""
    return signed(f"bgstats:{code}")[:20]


@blueprint.get("/g/<code>/audit")
def audit_page(
    code: str,
    problem: str = "",
    typed: Mapping[str, str] | None = None,
    version: int | None = None,
) -> str:
    """The pad to fill in, and what the rules say to it; a viewer only reads it.

    After a problem what was *typed* stays, and *version* is what its sender had seen.
    """
    seen = tables().games.snapshot(code, device_token())  # no newer than the figures below
    game = game_of(code)
    answers = audit.answers(game)
    return render_template(
        "after/audit.html",
        here=url_for("after.audit_page", code=code),
        game=game,
        is_viewer=seen["you"]["role"] == "viewer",
        version=seen["version"] if version is None else version,
        pads=audit.pads(game),
        key=column_key,
        answers=answers,
        wrong=[answer for answer in answers if not answer.agrees],
        problem=problem,
        typed=typed or {},
    )


@blueprint.post("/g/<code>/audit")
def audit_form(code: str) -> ResponseReturnValue:
    """Figures of the pad, each ``<seat or shared>-<item>``; an empty field is not claimed.

    A column that says what was ``shown-`` in it is left as it is now.
    """
    changed = [pad for pad in audit.pads(game_of(code)) if _typed(pad) != _typed(pad, "shown-")]
    typed = {name: text for pad in changed for name, text in _typed(pad).items()}
    version = request.form.get("version", type=int)
    try:
        for pad, lines in [(pad, _lines(pad)) for pad in changed]:
            action = {"type": "claim", "seat": pad.seat, "lines": lines}
            tables().changes.act(code, device_token(), action, version)
    except StaleChange:
        problem = _(
            "Somebody else changed “%(name)s” meanwhile: the list below has those figures. "
            "Choose “Compare” again to keep yours.",
            name=pad.name,
        )
        return audit_page(code, problem, typed), 409
    except Refused as error:
        return audit_page(code, _(error.message), typed, version), getattr(error, "status", 422)
    return redirect(url_for("after.audit_page", code=code) + "#answer", 303)


def _typed(pad: audit.Pad, before: str = "") -> dict[str, str]:
    """The fields of a column, or those whose names have something *before*, as they were sent."""
    names = [f"{column_key(pad.seat)}-{question.item}" for question in pad.questions]
    return {name: request.form.get(before + name, "").strip() for name in names}


def _lines(pad: audit.Pad) -> dict[str, int]:
    """The figures that were entered in a column. Raises ActionError, which names the line."""
    lines = {}
    for question, entered in zip(pad.questions, _typed(pad).values(), strict=True):
        if entered:
            figure = _figure(entered)
            if figure is None or abs(figure) > MOST_FIGURE:
                raise ActionError(
                    "claim",
                    "%(name)s, %(line)s: the pad has whole numbers up to %(most)s.",
                    name=pad.name,
                    line=question.label,
                    most=decimal(MOST_FIGURE),
                )
            lines[question.item] = figure
    return lines


def _figure(entered: str) -> int | None:
    """The number that was entered; None if it is no whole one. Invisible marks do not count.

    >>> _figure("\\u200e−1.000"), _figure("12"), _figure("5.0")
    (-1000, 12, None)
    """
    text = "".join(letter for letter in entered if category(letter) != "Cf")
    text = text.strip().translate(_AS_ASCII)
    return int(re.sub(r"[^0-9+-]", "", text)) if _FIGURE.fullmatch(text) else None


@blueprint.get("/api/games/<code>/audit")
def api_audit(code: str) -> Response:
    """Every figure that was claimed, checked."""
    return jsonify(
        {
            "lines": [
                {
                    "player": answer.player,
                    "item": answer.item,
                    "claimed": answer.claimed,
                    "points": answer.points,
                    "difference": answer.claimed - answer.points,
                    "agrees": answer.agrees,
                    "why": answer.why,
                }
                for answer in audit.answers(game_of(code))
            ]
        }
    )


@blueprint.get("/g/<code>/report.<ending>")
def report_file(code: str, ending: str) -> Response:
    """The report: ``report.html`` to look at, ``report.pdf`` to print; ``?save`` sends a file."""
    if ending not in ("html", "pdf"):
        abort(404)
    game = game_of(code, with_log=True)
    pass_gate()
    shown = (board.photo for board in evidence.boards(game))
    pictures = {
        photo.sha256: jpeg
        for photo in shown
        if photo and photo.file and (jpeg := tables().photos.folder.read(photo.file))
    }
    pieces = tables().copies.pictures(code, device_token())
    shown_game = readable(game) if ending == "pdf" else game
    of = report.report(shown_game, pictures, pieces, now_utc())
    if ending == "pdf":
        from webapp.after.pdf import pdf  # its library takes long to load

        response = Response(pdf(of), mimetype="application/pdf")
    else:
        page = report.html(of)
        response = Response(page, mimetype="text/html")
        response.headers["Content-Security-Policy"] = report.content_policy(page)
    return named(response, f"{game.file_name}.{ending}", kept=ending == "pdf")


def named(response: Response, name: str, *, kept: bool = False) -> Response:
    """A file to look at; it is sent to be *kept* for ``?save``, too."""
    how = "attachment" if kept or "save" in request.args else "inline"
    response.headers["Content-Disposition"] = f'{how}; filename="{name}"'
    return response


@blueprint.post("/g/<code>/delete")
def delete(code: str) -> ResponseReturnValue:
    """The host deletes the game for real: rows and photos."""
    tables().games.delete(code, device_token())
    return redirect(url_for("after.history"), 303)


def game_of(code: str, *, with_log: bool = False) -> GameRecord:
    """A game of this device. To outsiders it looks like none."""
    found = archive.records(tables().store, device_token(), code, with_log=with_log)
    if not found:
        raise not_a_member()
    return found[0]

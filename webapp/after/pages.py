"""Routes after the game: audit, report, history, statistics, export and import, the link to BG Stats, deleting."""

from __future__ import annotations

import hmac
import threading
from datetime import datetime

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from webapp.addresses import address_for_others
from webapp.after import archive, arrivals, audit, bgstats, charts, evidence, exchange, report, statistics
from webapp.after.games import GameRecord
from webapp.gate import pass_gate
from webapp.i18n import gettext as _
from webapp.i18n import language
from webapp.lobby import tables
from webapp.play import ActionError
from webapp.security import device_token
from webapp.store.models import now_utc
from webapp.tables import TableError

blueprint = Blueprint("after", __name__)

THUMBNAIL_PX = 320
"""Long side of the small photos of the history."""

MOST_CLAIM_DIGITS = 5

_taking_in = threading.Lock()
"""Held while a file is taken in: one at a time, because each takes memory and time."""

EXPORTS = {
    "zip": "application/zip",
    "json": "application/json",
    "csv": "text/csv",
}


@blueprint.app_template_filter("local_time")
def local_time(moment: datetime) -> str:
    """A time in the time zone of this computer, which is that of the table, as the reader's language writes it."""
    from babel.dates import format_date, format_time

    here = moment.astimezone().replace(tzinfo=None)
    return f"{format_date(here, locale=language())}, {format_time(here, 'short', locale=language())}"


@blueprint.get("/history")
def history() -> str:
    """The games of this device."""
    return render_template("after/history.html", games=_mine(), cover=_cover)


@blueprint.get("/history/statistics")
def figures() -> str:
    """Figures and charts over the finished games of this device."""
    games = [game for game in _mine() if game.finished_utc]
    found = statistics.figures(games)
    kinds = [(kind, _chart_of(kind)) for kind in found.kinds]
    wins = charts.bars(
        _("Games won"),
        "; ".join(_share(player) for player in found.players),
        [(player.name, player.wins, _share_short(player)) for player in found.players[:10]],
    )
    return render_template("after/statistics.html", figures=found, kinds=kinds, wins=wins)


def _share(player: statistics.PlayerFigures) -> str:
    return _("%(name)s: %(wins)s of %(games)s", name=player.name, wins=player.wins, games=player.games)


def _share_short(player: statistics.PlayerFigures) -> str:
    return _("%(wins)s of %(games)s", wins=player.wins, games=player.games)


def _chart_of(kind: statistics.KindFigures) -> str:
    """The scores of one kind of game over time; empty for a single game, whose chart would be dots."""
    from babel.dates import format_skeleton

    codes: dict[str, str] = {}
    for player in kind.players:
        for score in player.scores:
            codes[score.code] = format_skeleton("Md", score.when, locale=language())
    ordered = sorted(
        codes, key=lambda code: min(s.when for p in kind.players for s in p.scores if s.code == code)
    )
    if len(ordered) < 2:
        return ""
    series = []
    sentences = []
    for player in kind.players:
        points = {score.code: score.points for score in player.scores}
        series.append(charts.Series(player.name, [points.get(code) for code in ordered]))
        sentences.append(
            f"{player.name}: {', '.join(f'{points[code]:g}' for code in ordered if code in points)}"
        )
    title = _("Points in %(game)s, game by game", game=kind.title)
    return charts.lines(title, "; ".join(sentences), [codes[code] for code in ordered], series)


@blueprint.get("/history/export.<ending>")
def export(ending: str) -> Response:
    """The finished games of this device as a file. Games that go on are left out: they hold hidden hands."""
    if ending not in EXPORTS:
        abort(404)
    pass_gate()
    everything = archive.archive(tables().store, tables().photos, device_token())
    games = tuple(game for game in everything.games if game.finished_utc)
    if ending == "csv":
        data = exchange.to_csv(games).encode("utf-8-sig")
    elif ending == "json":
        data = exchange.to_json(games)
    else:
        shown = {photo.sha256 for game in games for photo in game.photos}
        pictures = {sha256: jpeg for sha256, jpeg in everything.pictures.items() if sha256 in shown}
        data = exchange.to_zip(exchange.Archive(games, pictures))
    return _download(data, EXPORTS[ending], f"tallystone-{now_utc():%Y-%m-%d}.{ending}")


@blueprint.post("/history/import")
def take_in() -> ResponseReturnValue:
    """Games of a file that was exported, here or on another computer."""
    upload = request.files.get("file")
    message, is_good = "", True
    if not _taking_in.acquire(blocking=False):
        raise TableError(
            429, "busy", "Other games are being taken in just now: please try again in a minute."
        )
    try:
        data = upload.read() if upload else b""
        if not data:
            raise exchange.ArchiveError(_("Please choose a file that was exported before."))
        here = tables()
        done = archive.take_in(here.store, here.photos, arrivals.parse(data), device_token(), here.quotas)
        message = _(
            "%(added)s games taken in, %(already)s were here already.",
            added=len(done.added),
            already=done.already,
        )
    except exchange.ArchiveError as error:
        message, is_good = str(error), False
    finally:
        _taking_in.release()
        if upload:
            upload.close()
    page = render_template(
        "after/history.html", games=_mine(), cover=_cover, message=message, is_good=is_good
    )
    return page, 200 if is_good else 422


@blueprint.get("/history/<code>/<int:photo>.jpg")
def thumbnail(code: str, photo: int) -> Response:
    """A photo of a game, small."""
    import cv2
    import numpy as np

    path = tables().photo_file(code, device_token(), photo)
    pass_gate()
    image = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_REDUCED_COLOR_4)
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
    game = _game(code)
    address = bgstats.link(game) if game.finished_utc else ""
    return render_template(
        "after/game.html",
        game=game,
        bgstats=address,
        qr=bgstats.qr_svg(_short_address(code)) if address else "",
        boards=evidence.boards(game),
        board_title=report.board_title,
        lines=evidence.score_lines(game),
        answers=audit.answers(game),
        is_host=_is_host(code),
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
    key = current_app.secret_key
    assert isinstance(key, bytes)
    return bgstats.signature(key, code)


def _short_address(code: str) -> str:
    return address_for_others(url_for("after.open_in_bgstats", code=code, signature=_signature(code)))


@blueprint.get("/g/<code>/audit")
def audit_page(code: str) -> str:
    """The pad to fill in, and what the rules say to it."""
    return _audit_page(code)


@blueprint.post("/g/<code>/audit")
def audit_form(code: str) -> ResponseReturnValue:
    """Figures of the pad, each ``<seat or shared>-<item>``; an empty field is not claimed."""
    game = _game(code)
    try:
        for pad in audit.pads(game):
            lines = {}
            for question in pad.questions:
                entered = request.form.get(f"{audit.claim_key(pad.seat)}-{question.item}", "").strip()
                if entered:
                    lines[question.item] = _claimed(entered)
            if lines != {q.item: q.claimed for q in pad.questions if q.claimed is not None}:
                action = {"type": "claim", "seat": pad.seat, "lines": lines}
                tables().act(code, device_token(), action)
    except ActionError as error:
        return _audit_page(code, _(error.message)), 422
    return redirect(url_for("after.audit_page", code=code) + "#answer", 303)


def _claimed(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= MOST_CLAIM_DIGITS):
        raise ActionError("claim", "The pad has whole numbers only.")
    return int(text)


def _audit_page(code: str, problem: str = "") -> str:
    game = _game(code)
    answers = audit.answers(game)
    return render_template(
        "after/audit.html",
        game=game,
        pads=audit.pads(game),
        key=audit.claim_key,
        answers=answers,
        wrong=[answer for answer in answers if not answer.agrees],
        problem=problem,
    )


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
                for answer in audit.answers(_game(code))
            ]
        }
    )


@blueprint.get("/g/<code>/report.<ending>")
def report_file(code: str, ending: str) -> Response:
    """The report: ``report.html`` to look at, ``report.pdf`` to print; with ``?save`` as a file to keep."""
    if ending not in ("html", "pdf"):
        abort(404)
    game = _game(code, with_log=True)
    pass_gate()
    pictures = {
        photo.sha256: path.read_bytes()
        for photo in game.photos
        if photo.file and (path := tables().photos.path(photo.file)).is_file()
    }
    of = report.report(game, pictures, now_utc())
    if ending == "pdf":
        response = Response(report.pdf(of), mimetype="application/pdf")
    else:
        page = report.html(of)
        response = Response(page, mimetype="text/html")
        response.headers["Content-Security-Policy"] = report.content_policy(page)
    how = "attachment" if "save" in request.args or ending == "pdf" else "inline"
    response.headers["Content-Disposition"] = f'{how}; filename="{of.file_name}.{ending}"'
    return response


@blueprint.post("/g/<code>/delete")
def delete(code: str) -> ResponseReturnValue:
    """The host deletes the game for real: rows and photos."""
    tables().delete(code, device_token())
    return redirect(url_for("after.history"), 303)


def _mine() -> list[GameRecord]:
    return archive.records(tables().store, device_token())


def _game(code: str, *, with_log: bool = False) -> GameRecord:
    """A game of this device. To outsiders it looks like none."""
    found = archive.records(tables().store, device_token(), code, with_log=with_log)
    if not found:
        raise TableError(403, "not_a_member", "You are not in this game: join it with its code first.")
    return found[0]


def _cover(game: GameRecord) -> str | None:
    """The address of the newest photo that is kept, small."""
    kept = [photo for photo in game.photos if photo.file]
    return url_for("after.thumbnail", code=game.code, photo=kept[-1].id) if kept else None


def _is_host(code: str) -> bool:
    return bool(tables().snapshot(code, device_token())["you"]["role"] == "host")


def _download(data: bytes, mimetype: str, name: str) -> Response:
    response = Response(data, mimetype=mimetype)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response

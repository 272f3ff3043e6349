"""Routes of a game: its page, its API, its events and its photos."""

import hashlib
import io

import segno
from flask import (
    Blueprint,
    Response,
    current_app,
    jsonify,
    redirect,
    render_template,
    request,
    send_file,
    url_for,
)
from flask.typing import ResponseReturnValue

from scorer.games import GAMES
from vision.find.corners import Corners
from webapp import live
from webapp.camera_pages import chosen_camera
from webapp.current import tables
from webapp.guard.addresses import address_for_others, is_only_here
from webapp.guard.security import device_token, joinable
from webapp.i18n import language
from webapp.pages import photo_of_request
from webapp.serving.incoming import gone_check, json_object
from webapp.tables.devices import tidy_code
from webapp.tables.errors import TableError, no_game, no_such_player, not_a_member

blueprint = Blueprint("table", __name__)


@blueprint.get("/g/<code>")
def table_page(code: str) -> ResponseReturnValue:
    """The table of a game; for somebody who is not in it, the page to join it."""
    tidy = tidy_code(code)
    if tidy != code and len(tidy) == len(code):
        return redirect(url_for("table.table_page", code=tidy))
    if tables().games.version(code, device_token()) is not None:
        game = tables().games.snapshot(code, device_token())
        return render_template(
            "table.html",
            game=game,
            form=GAMES[game["kind"]].setup_form(),
            address=address_for_others(f"/g/{code}"),
            is_only_here=is_only_here(),
            pieces=tables().copies.pictures(code, device_token()),
        )
    return join_page("join.html", code)


def join_page(template: str, code: str) -> str:
    """A page that asks to join a game. Raises TableError if there is none."""
    game = joinable(code)
    if game is None:
        raise no_game()
    return render_template(template, game=game)


@blueprint.get("/g/<code>/qr.svg")
def qr_code(code: str) -> Response:
    """The address of the game as a QR code, for members."""
    _members_only(code)
    out = io.BytesIO()
    segno.make(address_for_others(f"/g/{code}"), micro=False, error="m").save(
        out,
        kind="svg",
        scale=8,
        border=3,
        dark="#14201c",
        light="#ffffff",
        xmldecl=False,
        svgns=True,
    )
    return Response(
        out.getvalue(), mimetype="image/svg+xml", headers={"Cache-Control": "private, no-store"}
    )


@blueprint.get("/g/<code>/photo/<int:photo>.jpg")
def photo_file(code: str, photo: int) -> Response:
    """A kept photo, for members."""
    jpeg = tables().photos.jpeg(code, device_token(), photo)
    etag = hashlib.sha256(jpeg).hexdigest()
    return send_file(io.BytesIO(jpeg), mimetype="image/jpeg", etag=etag, max_age=3600)


@blueprint.get("/api/games/<code>")
def snapshot(code: str) -> Response:
    """The game; with ``?since=`` only ``{"version"}`` if it is no newer than that."""
    since = request.args.get("since", type=int)
    if since is not None and tables().games.version(code, device_token()) == since:
        return jsonify({"version": since})
    return _json(tables().games.told(code, device_token()))


@blueprint.post("/api/games/<code>/actions")
def act(code: str) -> Response:
    """Do ``{"action", "base_version", "key"}`` and answer with the game."""
    body = json_object()
    return _json(
        tables().changes.act(
            code, device_token(), body.get("action"), body.get("base_version"), body.get("key")
        )
    )


@blueprint.post("/api/games/<code>/undo")
def undo(code: str) -> Response:
    """Go back one change: ``{"base_version", "key"}``."""
    body = json_object()
    return _json(
        tables().changes.undo(code, device_token(), body.get("base_version"), body.get("key"))
    )


@blueprint.post("/api/games/<code>/redo")
def redo(code: str) -> Response:
    """Do it again: ``{"base_version", "key"}``."""
    body = json_object()
    return _json(
        tables().changes.redo(code, device_token(), body.get("base_version"), body.get("key"))
    )


@blueprint.get("/api/games/<code>/log")
def log(code: str) -> Response:
    """Every change since the start."""
    return jsonify({"events": tables().games.log(code, device_token())})


@blueprint.get("/api/games/<code>/events")
def events(code: str) -> ResponseReturnValue:
    """Server-sent events: the game at every change, first what is newer than ``?since=``."""
    here, token = tables(), device_token()
    member = here.games.member(code, token)
    streams: live.Streams = current_app.extensions["tallystone_streams"]
    if not streams.enter(token):
        raise TableError(
            429, "streams", "Too many devices listen at once: ask every second instead."
        )
    last = request.headers.get("Last-Event-ID") or request.args.get("since", "")
    chunks = live.stream(
        here.announcements,
        code,
        member,
        language(),
        lambda: here.games.scene(code),
        int(last) if last.isascii() and last.isdecimal() and len(last) < 10 else None,
        is_gone=gone_check(request.environ),
    )
    response = Response(chunks, mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    response.call_on_close(lambda: streams.leave(token))
    return response


@blueprint.get("/api/games/<code>/boards/<board>")
def board(code: str, board: str) -> Response:
    """Shape and labels of a board, and the profiles that read it."""
    return jsonify(tables().copies.board(code, device_token(), board))


@blueprint.post("/api/games/<code>/boards/<board>/copy")
def choose_copy(code: str, board: str) -> Response:
    """Say which copy lies on the table: ``{"profile"}``, null to find it from the next photo."""
    _members_only(code)
    profile = json_object().get("profile")
    if profile is not None and not isinstance(profile, str):
        raise TableError(400, "profile", "The name of a copy is a text.")
    tables().copies.choose(code, device_token(), board, profile)
    return jsonify(tables().copies.board(code, device_token(), board))


@blueprint.post("/api/games/<code>/photos")
def add_photo(code: str) -> ResponseReturnValue:
    """Read and keep a photo: multipart ``photo``.

    Optional are ``board``, that of the game unless given, ``seat``, ``profile``, where it is:
    ``corners``, with ``rows`` and ``cols`` between them, and the sender's own number of it:
    ``key``.
    """
    _members_only(code)
    data = photo_of_request()
    corners = request.form.get("corners")
    rows, cols = _small_number("rows"), _small_number("cols")
    answer = tables().photos.add(
        code,
        device_token(),
        data,
        request.form.get("board"),
        _small_number("seat"),
        request.form.get("profile") or None,
        Corners.parse(corners) if corners else None,
        None if rows is None or cols is None else (rows, cols),
        chosen_camera(),
        request.form.get("key") or None,
    )
    return jsonify(answer), 201


@blueprint.post("/api/games/<code>/look")
def look(code: str) -> Response:
    """Read a picture and keep nothing of it: what the live camera sees."""
    _members_only(code)
    board, profile = request.form.get("board"), request.form.get("profile") or None
    return jsonify(
        tables().photos.look(
            code, device_token(), photo_of_request(), board, profile, chosen_camera()
        )
    )


@blueprint.post("/api/games/<code>/cards")
def cards(code: str) -> Response:
    """Read a photo of pattern cards and keep nothing of it: which cards somebody holds."""
    _members_only(code)
    profile = request.form.get("profile") or None
    return jsonify(tables().photos.cards(code, device_token(), photo_of_request(), profile))


@blueprint.get("/api/games/<code>/photos/<int:photo>")
def photo_reading(code: str, photo: int) -> Response:
    """A kept photo's reading, to go on correcting it."""
    return jsonify(tables().photos.reading(code, device_token(), photo))


@blueprint.post("/g/<code>/join")
def join(code: str) -> ResponseReturnValue:
    """Take a seat, or watch."""
    joinable(code)
    tables().members.join(code, device_token(), _small_number("seat"), request.form.get("name", ""))
    to = "screen.page" if request.form.get("to") == "screen" else "table.table_page"
    return redirect(url_for(to, code=code), 303)


@blueprint.post("/api/games/<code>/members/<int:member>")
def set_member(code: str, member: int) -> Response:
    """The host lets somebody play or only watch: ``{"role", "seat"}``."""
    _members_only(code)
    body = json_object()
    seat = body.get("seat")
    if seat is not None and (isinstance(seat, bool) or not isinstance(seat, int)):
        raise no_such_player()
    return _json(tables().members.set(code, device_token(), member, str(body.get("role")), seat))


@blueprint.delete("/api/games/<code>/members/<int:member>")
def remove_member(code: str, member: int) -> Response:
    """The host takes a device out of the game."""
    return _json(tables().members.remove(code, device_token(), member))


@blueprint.delete("/api/games/<code>/viewers")
def remove_viewers(code: str) -> Response:
    """The host takes all who only watch out of the game."""
    return _json(tables().members.remove_viewers(code, device_token()))


@blueprint.post("/api/games/<code>/members/<int:member>/host")
def hand_over(code: str, member: int) -> Response:
    """The host makes somebody else the host in the own place."""
    _members_only(code)
    return _json(tables().members.hand_over(code, device_token(), member))


@blueprint.post("/api/games/<code>/leave")
def leave(code: str) -> Response:
    """Leave the game; a last host hands it over to somebody who stays."""
    _members_only(code)
    tables().members.leave(code, device_token())
    return jsonify({"left": code})


@blueprint.post("/api/games/<code>/timer")
def timer(code: str) -> Response:
    """Start the timer of the table: ``{"seconds": 60}``; 0 stops it."""
    _members_only(code)
    seconds = json_object().get("seconds")
    if type(seconds) is not int:
        raise TableError(400, "timer", "The timer needs a whole number of seconds.")
    return _json(tables().changes.start_timer(code, device_token(), seconds))


@blueprint.post("/api/games/<code>/door")
def door(code: str) -> Response:
    """The host lets new people in or not: ``{"open": true}``."""
    _members_only(code)
    is_open = json_object().get("open")
    if not isinstance(is_open, bool):
        raise TableError(400, "open", "The door is open (true) or closed (false).")
    return _json(tables().members.set_open(code, device_token(), is_open))


@blueprint.delete("/api/games/<code>")
def delete(code: str) -> Response:
    """The host deletes the game for real."""
    tables().games.delete(code, device_token())
    return jsonify({"deleted": code})


def _json(text: str) -> Response:
    return Response(text, mimetype="application/json")


def _small_number(field: str) -> int | None:
    """A number of a form, None where it is left out."""
    text = request.form.get(field, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 4):
        raise TableError(400, field, "The field %(field)s is a small whole number.", field=field)
    return int(text)


def _members_only(code: str) -> None:
    if tables().games.version(code, device_token()) is None:
        raise not_a_member()

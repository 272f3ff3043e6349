"""The quick look without a game: a page, its API, and the same without JavaScript."""

from functools import partial
from typing import Any

from flask import Blueprint, Response, abort, jsonify, render_template, request, url_for
from flask.typing import ResponseReturnValue

from scorer.actions import MOST_TEXT
from scorer.games import GAMES
from scorer.stones.board import Symbol
from vision.find.corners import Corners
from webapp import bundled
from webapp.camera_pages import chosen_camera
from webapp.cards import all_cards, match_grid
from webapp.current import table_reader
from webapp.errors import BadRequestError
from webapp.guard.security import stateless
from webapp.i18n import plate_of
from webapp.quick_look import QuickLook, problems_of, score_of
from webapp.service import overlay_jpeg, picture_address
from webapp.serving.incoming import json_object

blueprint = Blueprint("pages", __name__)

SYMBOLS = tuple(symbol.value for symbol in Symbol)


@blueprint.app_context_processor
def names() -> dict[str, Any]:
    """What every template may use."""
    return {"symbols": SYMBOLS}


@blueprint.get("/look")
def look() -> str:
    """The page."""
    boards = quick_look().boards()
    return render_template(
        "index.html",
        boards=boards,
        samples=bundled.demo_names("stones"),
        facts={"cards": all_cards(), "boards": boards, "specs": quick_look().shapes()},
    )


@blueprint.post("/api/score")
@stateless
def api_score() -> Response:
    """What a board scores by itself: ``{"game", "text"}`` gives ``{"score", "problems"}``.

    Of stones that is nothing, nor of villagers: their points come in a game.
    """
    refusal = BadRequestError(
        "no_text", 'Expected a JSON object such as {"game": "time", "text": "spring summer"}.'
    )
    body = json_object(refusal)
    game, text = body.get("game"), body.get("text")
    if not isinstance(game, str) or not isinstance(text, str):
        raise refusal
    if game not in GAMES or len(text) > MOST_TEXT:
        raise refusal
    score = score_of(game, text)
    return jsonify({"text": text, "score": score, "problems": problems_of(game, text)})


@blueprint.post("/api/read")
@stateless
def api_read() -> Response:
    """Read an uploaded multipart ``photo``; ``board``, ``profile`` and ``corners`` are optional.

    ``board=auto`` finds out which known game lies there.
    """
    look = quick_look().read(photo_of_request(), *_board_and_profile(), _corners(), chosen_camera())
    return jsonify(look.to_document())


@blueprint.post("/api/matches")
@stateless
def api_matches() -> Response:
    """Which cards match the grid ``{"text": ...}``."""
    refusal = BadRequestError(
        "no_text", 'Expected a JSON object such as {"text": "sun fish ... / ... / ..."}.'
    )
    text = json_object(refusal).get("text")
    if not isinstance(text, str):
        raise refusal
    return jsonify(match_grid(text))


@blueprint.get("/api/cards")
def api_cards() -> Response:
    """The whole deck."""
    return jsonify({"cards": all_cards()})


@blueprint.get("/samples/<name>")
def sample(name: str) -> ResponseReturnValue:
    """A bundled demo photo."""
    data = bundled.demo_photo(name)
    if data is None:
        abort(404)
    kind = {"png": "image/png", "webp": "image/webp"}.get(name.rpartition(".")[2], "image/jpeg")
    return Response(data, mimetype=kind)


@blueprint.post("/read")
@stateless
def read_form() -> str:
    """The form sent without JavaScript: the photo comes back with what was read drawn on it."""
    name = request.form.get("sample")
    data = bundled.demo_photo(name) if name else photo_of_request()
    if data is None:
        abort(404)
    look = quick_look().read(data, *_board_and_profile(), _corners(), chosen_camera())
    plates = partial(plate_of, board=look.reading.board)
    picture = picture_address(overlay_jpeg(data, look.reading, plates), "jpeg")
    return _board_page(look.to_document(), picture)


@blueprint.get("/board")
def board() -> str:
    """The matches of ``?text=``, or of nine ``?cell=``, without JavaScript."""
    cells = request.args.getlist("cell")
    text = request.args.get("text", "")
    if cells:
        text = " / ".join(" ".join(cells[first : first + 3]) for first in range(0, len(cells), 3))
    return _board_page(match_grid(text), None)


def _board_page(answer: dict[str, Any], picture: str | None) -> str:
    if "matches" not in answer:
        titles = quick_look().boards()
        here = url_for("pages.look")
        return render_template(
            "scored.html", here=here, answer=answer, picture=picture, titles=titles
        )
    doubtful = {(cell["row"], cell["col"]) for cell in answer.get("cells", ()) if not cell["sure"]}
    return render_template(
        "board.html",
        here=url_for("pages.board", text=answer["text"]),
        rows=[row.split() for row in answer["text"].split(" / ")],
        doubtful=doubtful,
        answer=answer,
        picture=picture,
    )


def quick_look() -> QuickLook:
    """The quick look of this application."""
    return QuickLook(table_reader())


def photo_of_request() -> bytes:
    """The bytes of the first photo of the form; its name and declared type mean nothing."""
    uploads = request.files.getlist("photo")
    photos = [(upload.filename, upload.read()) for upload in uploads]
    for upload in uploads:
        upload.close()
    for name, data in photos:
        if data or name:
            return bytes(data)
    raise BadRequestError("no_photo", "No photo arrived. Please take or choose one.")


def _corners() -> Corners | None:
    text = request.form.get("corners")
    return Corners.parse(text) if text else None


def _board_and_profile() -> tuple[str, str | None]:
    return request.form.get("board") or "stones", request.form.get("profile") or None

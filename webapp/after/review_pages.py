"""Routes to a finished game: its record and its review."""

from __future__ import annotations

from flask import Blueprint, Response, request

from scorer import record
from webapp.after.pages import game_of
from webapp.after.records import record_of

blueprint = Blueprint("review", __name__)


@blueprint.get("/g/<code>/record.txt")
def record_file(code: str) -> Response:
    """The record to look at; ``?save`` sends it as a file."""
    game = game_of(code, with_log=True)
    response = Response(record.write(record_of(game)), mimetype="text/plain")
    how = "attachment" if "save" in request.args else "inline"
    response.headers["Content-Disposition"] = f'{how}; filename="{game.file_name}.txt"'
    return response

"""Questions that a game answers without changing: what a new photo changes, for instance.

The game gets the state as the one who asks may have it.
"""

from flask import Blueprint, Response, jsonify, request

from scorer.games import GAMES
from webapp.current import tables
from webapp.errors import BadRequestError
from webapp.guard.security import device_token
from webapp.i18n import in_language
from webapp.serving.incoming import json_object
from webapp.tables.errors import TableError

blueprint = Blueprint("questions", __name__)

MOST_BYTES = 20_000
"""Size of a question; a board as text has a few hundred bytes."""


@blueprint.post("/api/games/<code>/ask")
def ask(code: str) -> Response:
    """Answer ``{"question": {"type", ...}}`` with ``{"version", "answer"}``; keep nothing."""
    game = tables().games.snapshot(code, device_token())
    rules = GAMES[game["kind"]]
    if (request.content_length or 0) > MOST_BYTES:
        raise TableError(413, "too_large", "That question is too large.")
    question = json_object().get("question")
    if not isinstance(question, dict):
        raise BadRequestError("not_json", "Expected a JSON object with a question.")
    return jsonify(
        {
            "version": game["version"],
            "answer": in_language(rules.ask(game["state"], question, game["you"])),
        }
    )

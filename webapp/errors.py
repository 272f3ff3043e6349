"""Answers refusals: JSON for the API, a page for others; always a 4xx and one sentence."""

from __future__ import annotations

from typing import Any

from flask import Flask, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from calibration.profiles import ProfileError
from scorer.game import ActionError
from scorer.notation import NotationError
from vision.errors import PhotoRejected, VisionError
from vision.find.corners import CornersRejected
from webapp.i18n import gettext
from webapp.service import NotTaughtError, UnknownBoardError, UnknownProfileError
from webapp.tables.errors import StaleChange, TableError

SENTENCES = {
    400: "The request cannot be understood.",
    404: "There is nothing at this address.",
    405: "This address does not take that kind of request.",
    413: "The photo is larger than 25 MB. Please send a smaller one.",
    500: "Something went wrong on the table computer. Its terminal says more.",
}

CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 500: "internal"}

TITLES = {
    400: "That did not arrive well",
    403: "Not for this device",
    404: "Nothing here",
    413: "That photo is too large",
    415: "That is not a photo we can open",
    422: "That cannot be read",
    429: "Please wait a little",
    500: "Something went wrong",
}

REJECTED_STATUS = {
    "empty": 400,
    "cut_off": 400,
    "damaged": 400,
    "file_too_large": 413,
    "too_many_pixels": 413,
    "too_small": 422,
}
"""Status of each code of refused bytes; 415 for every other one."""


class BadRequestError(Exception):
    """The request lacks something that only a wrong client leaves out."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def register(app: Flask) -> None:
    """Answer every refusal of *app*."""

    @app.errorhandler(VisionError)
    def refused(error: VisionError) -> ResponseReturnValue:
        status = REJECTED_STATUS.get(error.code, 415) if isinstance(error, PhotoRejected) else 422
        return answer(status, error.code, error.message)

    @app.errorhandler(ProfileError)
    def bad_profile(error: ProfileError) -> ResponseReturnValue:
        return answer(422, "profile", _sentence(str(error)))

    @app.errorhandler(BadRequestError)
    def bad_request(error: BadRequestError) -> ResponseReturnValue:
        return answer(400, error.code, error.message)

    @app.errorhandler(NotationError)
    def bad_notation(error: NotationError) -> ResponseReturnValue:
        return answer(400, "notation", _sentence(str(error)))

    @app.errorhandler(CornersRejected)
    def bad_corners(error: CornersRejected) -> ResponseReturnValue:
        return answer(400, "corners", _sentence(str(error)))

    @app.errorhandler(UnknownBoardError)
    def unknown_board(error: UnknownBoardError) -> ResponseReturnValue:
        return answer(400, "unknown_board", _sentence(str(error)))

    @app.errorhandler(UnknownProfileError)
    def unknown_profile(error: UnknownProfileError) -> ResponseReturnValue:
        return answer(400, "unknown_profile", _sentence(str(error)))

    @app.errorhandler(NotTaughtError)
    def not_taught(error: NotTaughtError) -> ResponseReturnValue:
        return answer(422, "not_taught", str(error))

    @app.errorhandler(ActionError)
    def impossible(error: ActionError) -> ResponseReturnValue:
        return answer(422, error.code, error.message)

    @app.errorhandler(TableError)
    def not_done(error: TableError) -> ResponseReturnValue:
        newer = {"game": error.newer} if isinstance(error, StaleChange) else {}
        return answer(error.status, error.code, error.message, **newer)

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> ResponseReturnValue:
        status = error.code or 500
        if status < 400:
            return error.get_response()
        sentence = SENTENCES.get(status) or error.description or SENTENCES[400]
        return answer(status, CODES.get(status, "bad_request"), sentence)


def answer(status: int, code: str, message: str, **more: Any) -> ResponseReturnValue:
    """One refusal, in the form the client can use."""
    message = gettext(message)
    if request.path.startswith("/api/"):
        return jsonify({"error": {"code": code, "message": message}} | more), status
    title = gettext(TITLES.get(status, TITLES[400]))
    return render_template("error.html", title=title, message=message), status


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")

"""Answers refusals: JSON for the API and for scripts, which send their token in a header; a page
for others; one sentence each.

What somebody sent is refused with a 4xx; 503 says that the database does not answer, 507 that the
disk takes nothing, or that the data folder is gone.
"""

from functools import partial
from pathlib import PurePosixPath
from typing import Any

from flask import Flask, current_app, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from calibration.taught import ProfileError
from scorer.notation import NotationError
from scorer.text import Refused, Text, Told
from vision.errors import PhotoRejected, VisionError
from vision.find.corners import CornersRejected
from vision.headers import MAX_BYTES
from vision.reading import kinds_field
from webapp.i18n import gettext, sentence
from webapp.service import NotTaughtError, UnknownBoardError, UnknownProfileError
from webapp.store.engine import LOST, FolderGone, reason_of, takes_nothing
from webapp.tables.errors import StaleChange

SENTENCES = {
    400: Text("The request cannot be understood."),
    404: Text("There is nothing at this address."),
    405: Text("This address does not take that kind of request."),
    413: Text(
        "The photo is larger than %(most)s MB. Please send a smaller one.",
        most=f"{MAX_BYTES / 1e6:.0f}",
    ),
    500: Text("Something went wrong on the table computer. Its terminal says more."),
    503: Text("The games cannot be reached just now: please try again in a moment."),
    507: Text("The table computer cannot save: its disk is full, or may not be written to."),
}

TOO_LARGE = {
    "/history/import": Text(
        "The file is larger than %(most)s MB: take it in on the table computer with "
        "`tallystone import FILE`.",
        most=f"{MAX_BYTES / 1e6:.0f}",
    ),
    "/teach/camera/new": Text(
        "The photos are larger than %(most)s MB together: choose fewer of them.",
        most=f"{MAX_BYTES / 1e6:.0f}",
    ),
}
"""What is said of a form that is too large, where it holds no single photo, by its address."""

FOLDER_GONE = Text(
    "The data folder of the table computer is gone or was replaced: start Tallystone there again."
)

CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 500: "internal"}

TITLES = {
    400: Text("That did not arrive well"),
    403: Text("Not for this device"),
    404: Text("Nothing here"),
    405: Text("That is not possible here"),
    413: Text("That is too large"),
    415: Text("That is not a photo we can open"),
    422: Text("That cannot be read"),
    429: Text("Please wait a little"),
    500: Text("Something went wrong"),
    503: Text("Please wait a little"),
    507: Text("That could not be saved"),
}

PAGES_OF_FORMS = {"/games": "lobby.setup_page", "/read": "pages.look"}
"""The pages of forms that do not lie above the form's own address."""

REJECTED_STATUS = {
    "empty": 400,
    "incomplete": 400,
    "damaged": 400,
    "file_too_large": 413,
    "too_many_pixels": 413,
    "too_small": 422,
}
"""HTTP status by the code of refused bytes; 415 for every other code."""


CLAUSES: dict[type[Told], tuple[int, str]] = {
    ProfileError: (422, "profile"),
    NotationError: (400, "notation"),
    CornersRejected: (400, "corners"),
    UnknownBoardError: (400, "unknown_board"),
    UnknownProfileError: (400, "unknown_profile"),
    NotTaughtError: (422, "not_taught"),
}
"""Status and code of the errors that begin with a small letter, as a terminal shows them."""


class BadRequestError(Refused):
    """The request lacks something that only a wrong client leaves out."""

    status = 400


def register(app: Flask) -> None:
    """Answer every refusal of *app*."""

    @app.errorhandler(VisionError)
    def refused(error: VisionError) -> ResponseReturnValue:
        status = REJECTED_STATUS.get(error.code, 415) if isinstance(error, PhotoRejected) else 422
        return answer(status, error.code, error.message, **kinds_field(error.kinds))

    for kind, (status, code) in CLAUSES.items():
        app.register_error_handler(kind, partial(_clause, status, code))

    @app.errorhandler(Refused)
    def not_done(error: Refused) -> ResponseReturnValue:
        newer = {"game": error.newer} if isinstance(error, StaleChange) else {}
        return answer(getattr(error, "status", 422), error.code, error.message, **newer)

    def no_database(error: Exception) -> ResponseReturnValue:
        if takes_nothing(error) or not app.extensions["tallystone_store"].is_server:
            return no_disk(error)
        app.logger.error("the database does not answer: %s", reason_of(error))
        return answer(503, "unreachable", SENTENCES[503])

    def no_disk(error: Exception) -> ResponseReturnValue:
        if not takes_nothing(error):
            raise error
        app.logger.error("the disk takes nothing: %s", reason_of(error))
        return answer(507, "disk_full", SENTENCES[507])

    @app.errorhandler(FolderGone)
    def no_folder(error: FolderGone) -> ResponseReturnValue:
        app.logger.error("the data folder is gone: %s", reason_of(error))
        return answer(507, "folder_gone", FOLDER_GONE)

    for lost in LOST:
        app.register_error_handler(lost, no_database)
    app.register_error_handler(OSError, no_disk)

    @app.errorhandler(MethodNotAllowed)
    def page_of_form(error: MethodNotAllowed) -> ResponseReturnValue:
        """For whoever opens again the address that a refused form leaves."""
        if request.method != "GET" or request.path.startswith("/api/"):
            return http_error(error)
        return redirect(_page_of_form(), 303)

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> ResponseReturnValue:
        status = error.code or 500
        if status < 400:
            return error.get_response()
        message = SENTENCES.get(status) or error.description or SENTENCES[400]
        if status == 413:
            message = TOO_LARGE.get(request.path, message)
            if (request.content_length or 0) <= MAX_BYTES:  # too many fields
                message = Text("That change is too large.")
        return answer(status, CODES.get(status, "bad_request"), message)


def answer(status: int, code: str, message: str, **more: Any) -> ResponseReturnValue:
    """One refusal, in the form the client can use."""
    message = gettext(message)
    if request.path.startswith("/api/") or "X-CSRF-Token" in request.headers:
        return jsonify({"error": {"code": code, "message": message}} | more), status
    title = gettext(TITLES.get(status, TITLES[400]))
    return render_template("error.html", title=title, message=message), status


def _page_of_form() -> str:
    """The address of the page of the form that was sent to this one: the nearest page above."""
    if request.path in PAGES_OF_FORMS:
        return url_for(PAGES_OF_FORMS[request.path])
    routes = current_app.url_map.bind("")
    above = map(str, PurePosixPath(request.path).parents)
    endpoint, values = routes.match(next(path for path in above if routes.test(path, "GET")))
    return url_for(endpoint, **values)


def _clause(status: int, code: str, error: Told) -> ResponseReturnValue:
    return answer(status, code, sentence(error.message))

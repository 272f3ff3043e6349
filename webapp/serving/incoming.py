"""What arrives in a request, checked once: JSON bodies, and the numbers and texts of addresses."""

import socket
from collections.abc import Callable
from functools import partial
from typing import Any
from wsgiref.types import WSGIEnvironment

from flask import Flask, request
from werkzeug.routing import IntegerConverter, UnicodeConverter, ValidationError

from scorer.fields import UnreadableError, read_json
from scorer.game import Json
from webapp.errors import BadRequestError
from webapp.tables.errors import TableError
from webapp.tables.values import checked_json

MOST_JSON_BYTES = 400_000
"""Size of a JSON request; the largest action has a few thousand bytes."""

MOST_ROW = 2**31 - 1
"""Largest number of a row that every database can hold."""


class RowNumber(IntegerConverter):
    """``<int:photo>`` in a route: the number of a row; there is nothing at a larger one."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **({"max": MOST_ROW} | options))


class Text(UnicodeConverter):
    """``<code>`` in a route: any text that a file or a database can be asked for."""

    def to_python(self, value: str) -> str:
        if "\0" in value:
            raise ValidationError
        return str(super().to_python(value))


def register(app: Flask) -> None:
    """Check the numbers and texts in the addresses of all routes that are added from now on."""
    app.url_map.converters |= {"int": RowNumber, "default": Text, "string": Text}


def json_object(refusal: BadRequestError | None = None) -> Json:
    """The JSON object of the request; *refusal* says what the route expects.

    Raises
    ------
    BadRequestError
        If there is none, or if it holds NaN or Infinity, which are no JSON, or a key twice.
    TableError
        If it is too large, nested too deeply, or holds what no database can keep.
    """
    if (request.content_length or 0) > MOST_JSON_BYTES:
        raise TableError(413, "too_large", "That change is too large.")
    refusal = refusal or BadRequestError("not_json", "Expected a JSON object.")
    if not request.is_json:
        raise refusal
    try:
        body: Any = read_json(request.get_data())
    except (UnreadableError, ValueError, RecursionError):
        raise refusal from None
    if not isinstance(body, dict):
        raise refusal
    checked: Json = checked_json(body)
    return checked


def gone_check(environ: WSGIEnvironment) -> Callable[[], bool]:
    """Tells whether the device that asked has hung up, as far as the server lets us know."""
    if "gunicorn.socket" in environ:
        return partial(_is_closed, environ["gunicorn.socket"])
    known: Callable[[], bool] = environ.get("waitress.client_disconnected", bool)
    return known


def _is_closed(connection: socket.socket) -> bool:
    """Whether the other end has closed a connection on which it has nothing more to say."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True

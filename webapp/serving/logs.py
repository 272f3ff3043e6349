"""Keeps guests from writing lines of the terminal of their own, or steering it."""

import logging

from flask import Flask
from flask.logging import default_handler

from webapp.commands.common import plain


class PlainFormatter(logging.Formatter):
    """Writes control characters as ``\\x1b``; a traceback keeps its line ends."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (the name is the library's)
        record.message = plain(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: object) -> str:  # noqa: N802
        lines = super().formatException(ei).split("\n")  # type: ignore[arg-type]
        return "\n".join(map(plain, lines))


def register(app: Flask) -> None:
    """Log what goes wrong in *app* in plain lines."""
    default_handler.setFormatter(
        PlainFormatter("[%(asctime)s] %(levelname)s in %(module)s: %(message)s")
    )
    app.logger.addHandler(default_handler)

"""The outermost layer: the ``tallystone`` command and the Flask application.

Routes read a request, call one function of ``webapp.service`` and render; commands do the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

MAX_UPLOAD_BYTES = 25 * 1024 * 1024
"""Largest request that is looked at; a photo shrunk by the page has well under one megabyte."""


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Build the application.

    *config* may hold ``DATA_DIR`` (where the taught profiles are), ``OPEN_READER`` (in place of
    ``calibration.reader.open_reader``) and any Flask setting.
    """
    from flask import Flask

    from webapp import errors, pages, security
    from webapp.commands.common import default_data_dir
    from webapp.service import TableReader

    app = Flask(__name__)
    app.config.update(MAX_CONTENT_LENGTH=MAX_UPLOAD_BYTES, TALLYSTONE_READS_AT_ONCE=2)
    app.config.update(config or {})
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["tallystone"] = TableReader(
        app.config.get("DATA_DIR") or default_data_dir(),
        app.config.get("OPEN_READER"),
        app.config["TALLYSTONE_READS_AT_ONCE"],
    )
    app.register_blueprint(pages.blueprint)
    errors.register(app)
    security.register(app)
    return app

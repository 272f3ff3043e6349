"""The outermost layer: the ``tallystone`` command and the Flask application.

Routes read a request, call one function of ``webapp.service`` and render; commands do the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vision.headers import MAX_BYTES

if TYPE_CHECKING:
    from flask import Flask

MAX_UPLOAD_BYTES = MAX_BYTES + 1_000_000
"""Largest request that is looked at: the largest photo, and the form around it."""

PHOTO_DAYS = 90
"""Days that photos of games are kept; their readings stay."""

MOST_STREAMS = 100
"""Most pages that listen to changes, each on a thread of the server; others ask every second."""


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Build the application.

    *config* may hold any Flask setting and these:

    - ``DATA_DIR``: the data folder. ``DATABASE_URL``: a database in place of the SQLite file there.
    - ``PHOTO_DAYS``: how long photos of games are kept. ``QUOTAS``: how much is kept
      (``webapp.guard.quotas.Limits``).
    - ``HOST``: the address that the server listens on.
    - ``HOST_NAMES``: names of this computer that it does not know itself. ``BEHIND_PROXY``: whether
      a proxy says who asks.
    - ``SCHEDULER``: the address of a Dask cluster that reads the photos.
    - ``OPEN_READER``: what opens readers in place of ``calibration.reader.open_reader``.

    Raises
    ------
    webapp.store.StoreError
        If the database cannot be opened.
    """
    import os

    from flask import Flask
    from werkzeug.middleware.proxy_fix import ProxyFix

    from webapp.guard.quotas import Limits

    app = Flask(__name__)
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_UPLOAD_BYTES,
        PHOTO_DAYS=PHOTO_DAYS,
        MOST_STREAMS=MOST_STREAMS,
        QUOTAS=Limits(),
        HOST="0.0.0.0",
        BEHIND_PROXY=False,
        DATABASE_URL=os.environ.get("DATABASE_URL"),
    )
    app.config.update(config or {})
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    _open_data(app)
    _add_routes(app)
    if app.config["BEHIND_PROXY"]:
        app.wsgi_app = ProxyFix(app.wsgi_app)  # type: ignore[method-assign]
    app.extensions["tallystone_tables"].pruning.prune()
    return app


def _add_routes(app: Flask) -> None:
    """Add the routes, after all that every request and answer passes."""
    from webapp import errors, i18n, lobby, openapi, pages, questions, scripts, table_pages
    from webapp import teach_pages as teach
    from webapp.after import pages as after
    from webapp.after import review_pages, secure
    from webapp.around import people, screen
    from webapp.guard import addresses, gate, pin, security
    from webapp.serving import compress, health, incoming, logs

    for part in (logs, compress, incoming, addresses, gate, security, i18n, scripts):
        part.register(app)
    tables = (health, lobby, table_pages, questions, people, screen)
    for module in (*tables, pages, after, review_pages, secure, openapi, teach, pin):
        app.register_blueprint(module.blueprint)
    errors.register(app)


def _open_data(app: Flask) -> None:
    """Open the reader, the database and the tables of the data folder."""
    from pathlib import Path

    from webapp import live
    from webapp.batch.elsewhere import Elsewhere, here
    from webapp.commands.common import default_data_dir
    from webapp.guard import gate, security
    from webapp.guard.quotas import Quotas
    from webapp.service import TableReader
    from webapp.store import open_store, shared
    from webapp.store.photos import PhotoFolder
    from webapp.tables import Tables

    data_dir = Path(app.config.get("DATA_DIR") or default_data_dir())
    scheduler = app.config.get("SCHEDULER")
    reader = TableReader(
        data_dir,
        app.config.get("OPEN_READER"),
        app.config.get("OPEN_CARD_READER"),
        Elsewhere(scheduler, gate.aside) if scheduler else here,
    )
    store = open_store(data_dir, app.config["DATABASE_URL"])
    app.secret_key = security.secret_key(data_dir)
    if store.is_server:
        app.secret_key = shared.create(store, security.KEY_FILE, app.secret_key)
    app.extensions["tallystone"] = reader
    app.extensions["tallystone_store"] = store
    app.extensions["tallystone_streams"] = live.Streams(app.config["MOST_STREAMS"])
    app.extensions["tallystone_tables"] = Tables(
        store,
        reader,
        PhotoFolder(data_dir / "photos"),
        live.Announcements(live.Watch(store).start),
        Quotas(data_dir, app.config["QUOTAS"], security.address, is_shared=store.tells_changes),
        app.config["PHOTO_DAYS"],
    )

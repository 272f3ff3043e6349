"""Whether this process lives, and whether it can serve: for proxies and supervisors."""

from flask import Blueprint, Response, current_app, jsonify
from flask.typing import ResponseReturnValue

from webapp.store import Store

blueprint = Blueprint("health", __name__)


@blueprint.get("/livez")
def live() -> Response:
    """The process answers; nothing else is looked at."""
    return jsonify({"live": True})


@blueprint.get("/readyz")
def ready() -> ResponseReturnValue:
    """The database answers, too; otherwise 503 with one sentence, or 507 if its file is gone."""
    store: Store = current_app.extensions["tallystone_store"]
    store.refuse_gone()
    store.versions([""])
    return jsonify({"ready": True})

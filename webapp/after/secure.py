"""What needs https: trusting this computer, installing the page, an answer when it is away."""

from pathlib import Path

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, url_for

from webapp.after.games import Json
from webapp.current import data_dir
from webapp.guard.addresses import host_and_port
from webapp.i18n import gettext as _
from webapp.serving.tls import FOLDER, Certificates, authority_der

blueprint = Blueprint("secure", __name__)


def secure_address() -> str | None:
    """The https address of this page, if https is served."""
    port = current_app.config.get("TLS_PORT")
    if not port:
        return None
    return f"https://{host_and_port()[0]}:{port}/"


@blueprint.app_context_processor
def names() -> Json:
    """For every template: where https is served, and whether this is it."""
    return {"secure_address": secure_address()}


@blueprint.get("/trust")
def trust() -> str:
    """How a phone is told to trust this computer."""
    address = secure_address()
    if address is None:
        abort(404)
    folder = data_dir() / FOLDER
    files = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    return render_template("after/trust.html", address=address, fingerprint=files.fingerprint())


@blueprint.get("/trust/tallystone.crt")
def authority() -> Response:
    """The certificate of this computer's authority; it holds nothing secret."""
    found = authority_der(data_dir()) if secure_address() else None
    if found is None:
        abort(404)
    response = Response(found, mimetype="application/x-x509-ca-cert")
    response.headers["Content-Disposition"] = 'attachment; filename="tallystone.crt"'
    return response


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """What the page is called and looks like when it is installed."""
    icons = [
        {
            "src": url_for("static", filename=f"after/icon-{size}.png"),
            "sizes": f"{size}x{size}",
            "type": "image/png",
        }
        for size in (192, 512)
    ]
    maskable = {"src": url_for("static", filename="after/icon-maskable.png"), "sizes": "512x512"}
    response = jsonify(
        {
            "name": "Tallystone",
            "short_name": "Tallystone",
            "description": _("Photograph the table, know the score."),
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": "#f3efe6",
            "theme_color": "#17594f",
            "icons": [*icons, maskable | {"type": "image/png", "purpose": "maskable"}],
        }
    )
    response.mimetype = "application/manifest+json"
    return response


@blueprint.get("/service-worker.js")
def service_worker() -> Response:
    """The service worker; it lies at the root, because it serves only what lies beside or below
    it."""
    script = Path(current_app.root_path) / "static" / "after" / "service-worker.js"
    response = Response(script.read_text(encoding="utf-8"), mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.get("/away")
def away() -> str:
    """Shown by the installed page when the computer at the table does not answer."""
    return render_template("after/away.html")

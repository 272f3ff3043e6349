"""Who asks, and whether their browser means it: cookies, CSRF, rate limits, and headers.

The headers keep the page to itself: nothing from other hosts, nothing inline, no framing. A device
is known by a secret in a signed cookie; the key of the signature lies in the data folder.
"""

import hmac
import os
import secrets
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from flask import Flask, Response, current_app, has_request_context, request, session

from calibration.files import write_whole
from scorer.game import Json
from webapp.current import tables
from webapp.guard.device_cookie import DeviceCookie
from webapp.guard.tries import RateLimit, network, tries_of
from webapp.store import StoreError
from webapp.tables.devices import new_token
from webapp.tables.errors import TableError

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' blob: data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=()",
}


KEY_FILE = "secret.key"
"""Signs the cookies; whoever deletes it signs every device out of its games."""

KEY_BYTES = 32

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

DEVICE_DAYS = 400
"""How long a device is remembered; browsers cut anything longer."""

Route = TypeVar("Route", bound=Callable[..., Any])

_STATELESS = "tallystone_stateless"


def stateless(route: Route) -> Route:
    """Mark a POST route that keeps nothing and changes nothing: it needs no token."""
    setattr(route, _STATELESS, True)
    return route


def secret_key(data_dir: Path) -> bytes:
    """The key of the data folder, made if it is missing. Raises StoreError if it is too short."""
    path = data_dir / KEY_FILE
    if not path.is_file():
        part = write_whole(
            path.with_suffix(f".{secrets.token_hex(8)}.part"), secrets.token_bytes(KEY_BYTES)
        )
        try:
            os.link(part, path)  # unlike a rename, this never replaces the key of another process
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            os.replace(part, path)
        part.unlink(missing_ok=True)
    key = path.read_bytes()
    if len(key) < KEY_BYTES:
        raise StoreError(
            f"{path} holds {len(key)} bytes instead of {KEY_BYTES}, so cookies could be forged: "
            "put the file of"
            " a backup there, or delete it, which signs every device out of its games"
        )
    return key


def address() -> str:
    """Where the request comes from, as limits know it; empty outside of one."""
    return network(request.remote_addr or "") if has_request_context() else ""


def device_token() -> str:
    """The secret of the device that asks; a new one for a new device."""
    token = session.get("device")
    if not isinstance(token, str):
        token = session["device"] = new_token()
        session.permanent = True
    return token


def signed(text: str) -> str:
    """Digits that only this table computer can make of a text, by the key of its cookies."""
    key = current_app.secret_key
    assert isinstance(key, bytes)
    return hmac.digest(key, text.encode(), "sha256").hex()


def csrf_token() -> str:
    """The token that unsafe requests of this device must carry."""
    return signed(f"csrf:{device_token()}")


def joinable(code: str) -> Json | None:
    """What somebody who may join a game sees; None if there is none, which counts as a wrong code.

    Raises TableError if this address tried too many wrong ones.
    """
    limit: RateLimit = current_app.extensions["tallystone_code_limit"]
    asked_from = request.remote_addr or ""
    if limit.exceeded(asked_from):
        raise TableError(
            429, "too_many_tries", "Too many wrong codes: please wait a minute and try again."
        )
    found = tables().members.joinable(code, device_token())
    if found is None:
        limit.count(asked_from)
    return found


def _check_origin_and_token() -> None:
    if request.method in SAFE_METHODS:
        return
    origin = request.headers.get("Origin")
    # Browsers send "null" with forms, because the pages ask them to send no referrer.
    if origin not in (None, "null") and origin.partition("://")[2] != request.host:
        raise TableError(
            403, "foreign_origin", "That request came from another page and was not carried out."
        )
    view = current_app.view_functions.get(request.endpoint or "")
    if view is None or getattr(view, _STATELESS, False):
        return
    given = request.headers.get("X-CSRF-Token") or request.form.get("csrf_token") or ""
    if not request.cookies:
        raise TableError(
            403,
            "csrf",
            "This browser sent no cookie: allow cookies for this page, then reload it and try "
            "again.",
        )
    if "device" not in session or not hmac.compare_digest(given.encode(), csrf_token().encode()):
        raise TableError(403, "csrf", "This page is too old: please reload it and try again.")


def register(app: Flask) -> None:
    """Give *app* its key, cookies and checks, and headers on every response, errors included."""
    app.config.setdefault("CODE_TRIES", (10, 60, 60.0))
    app.config.update(
        SESSION_COOKIE_NAME="tallystone",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=timedelta(days=DEVICE_DAYS),
    )
    app.session_interface = DeviceCookie()
    tries = tries_of(app.extensions["tallystone_store"], "code")
    app.extensions["tallystone_code_limit"] = RateLimit(*app.config["CODE_TRIES"], tries=tries)
    app.before_request(_check_origin_and_token)
    app.context_processor(lambda: {"csrf_token": csrf_token})

    @app.after_request
    def harden(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if response.mimetype in ("application/json", "text/html"):
            response.headers.setdefault("Cache-Control", "no-store")
        elif request.endpoint != "static":  # photos above all: only for the device that asked
            response.cache_control.public = False
            response.cache_control.private = True
        return response

"""The PIN of the table computer: whoever knows it may change what other devices taught.

It lies in the data folder and is shown by ``serve``. A device that gave it is remembered until
there is a new one.
"""

import hmac
import re
import secrets
from pathlib import Path

from flask import Blueprint, current_app, redirect, render_template, request, session, url_for
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue

from calibration.files import write_whole
from webapp.current import data_dir
from webapp.guard.security import device_token, signed
from webapp.guard.tries import RateLimit, tries_of
from webapp.i18n import gettext as _
from webapp.store.engine import FolderGone
from webapp.tables.errors import TableError

blueprint = Blueprint("pin", __name__)

FILE = "pin"
DIGITS = 8
"""Digits of a PIN: at the rate of ``TRIES`` one address needs a century for half of them."""

TRIES = 10
"""Most wrong PINs of one address within ``TRIES_SECONDS``.

There is none for all addresses together, so a guesser locks nobody else out.
"""

TRIES_SECONDS = 600.0

UNLIMITED = 2**31

TRUSTED = "trusted"
"""Field of the cookie by which a device that gave the PIN is known."""

_PIN = re.compile(r"[0-9]{6,20}")
_BACK = re.compile(r"/people|/teach[!-\[\]-~]*")
"""Where the page may lead back to."""


def pin_of(data_dir: Path) -> str:
    """The PIN of a data folder, made when there is none. Only its owner can read the file.

    Raises FolderGone if there is no such folder.
    """
    try:
        pin = (data_dir / FILE).read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        if not data_dir.is_dir():
            raise FolderGone(f"there is no folder {data_dir}") from None
        pin = ""
    return pin if _PIN.fullmatch(pin) else new_pin(data_dir)


def new_pin(data_dir: Path) -> str:
    """Choose another PIN; no device is trusted any more."""
    pin = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    write_whole(data_dir / FILE, pin.encode())
    return pin


def is_trusted() -> bool:
    """Whether the device that asks gave the PIN."""
    given = session.get(TRUSTED)
    return isinstance(given, str) and hmac.compare_digest(given.encode(), _mark().encode())


def _mark() -> str:
    """What the cookie of a trusted device holds: made of the PIN, so that it ends with it."""
    return signed(f"pin:{pin_of(data_dir())}:{device_token()}")


@blueprint.record
def limit_tries(state: BlueprintSetupState) -> None:
    """Count for this application, or for all on its database."""
    tries = tries_of(state.app.extensions["tallystone_store"], "pin")
    state.app.extensions["tallystone_pin_limit"] = RateLimit(
        TRIES, UNLIMITED, TRIES_SECONDS, tries=tries
    )


@blueprint.get("/pin")
def ask() -> str:
    """The page that asks for the PIN; ``?back=`` is the page that it leads back to."""
    return _page(request.args.get("back", ""))


@blueprint.post("/pin")
def give() -> ResponseReturnValue:
    """Check ``pin`` and trust the device that knew it."""
    limit: RateLimit = current_app.extensions["tallystone_pin_limit"]
    address, back = request.remote_addr or "", request.form.get("back", "")
    if limit.exceeded(address):
        raise TableError(
            429, "too_many_tries", "Too many wrong PINs: please wait ten minutes and try again."
        )
    given = "".join(request.form.get("pin", "").split())
    if not hmac.compare_digest(given.encode(errors="replace"), pin_of(data_dir()).encode()):
        limit.count(address)
        return _page(back, _("That is not the PIN: it stands where Tallystone was started.")), 403
    session[TRUSTED] = _mark()
    session.permanent = True
    return redirect(back if _BACK.fullmatch(back) else "/teach", 303)


def _page(back: str, problem: str = "") -> str:
    here = url_for("pin.ask", back=back or None)
    return render_template(
        "teach/pin.html", here=here, back=back, problem=problem, trusted=is_trusted()
    )

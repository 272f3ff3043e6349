"""Routes of the people with whom a device has played: looking, forgetting, merging."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from webapp.current import tables
from webapp.guard.pin import is_trusted
from webapp.guard.security import device_token
from webapp.tables.errors import TableError

blueprint = Blueprint("people", __name__)


@blueprint.get("/people")
def page() -> str:
    """The names that this device is offered, and whether the table computer remembers any."""
    people = tables().people
    return render_template(
        "around/people.html",
        people=people.known(device_token()),
        is_on=people.is_on(),
        trusted=is_trusted(),
        count=people.count() if is_trusted() else 0,
    )


@blueprint.post("/people/forget")
def forget() -> ResponseReturnValue:
    """Forget ``name``, or everybody where there is none."""
    tables().people.forget(device_token(), request.form.get("name"))
    return _back()


@blueprint.post("/people/merge")
def merge() -> ResponseReturnValue:
    """``name`` is the same person as ``into``."""
    people = tables().people
    people.merge(device_token(), request.form.get("name", ""), request.form.get("into", ""))
    return _back()


@blueprint.post("/people/remember")
def remember() -> ResponseReturnValue:
    """Remember people on this computer (``on``), or nobody any more; with the PIN only."""
    if not is_trusted():
        raise TableError(
            403, "pin", "Only who knows the PIN of the table computer can change this."
        )
    tables().people.turn(request.form.get("on") == "yes")
    return _back()


def _back() -> ResponseReturnValue:
    return redirect(url_for("people.page"), 303)

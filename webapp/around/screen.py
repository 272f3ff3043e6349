"""The big screen: a game for a television or tablet beside the table, without controls."""

from functools import partial

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from webapp.after import drawing
from webapp.current import tables
from webapp.guard.addresses import address_for_others, is_only_here
from webapp.guard.security import device_token
from webapp.table_pages import join_page

blueprint = Blueprint("screen", __name__)


@blueprint.get("/g/<code>/screen")
def page(code: str) -> ResponseReturnValue:
    """The game as everybody at the table may see it, whoever's device shows it.

    A device that is not in the game is asked to join it as a screen first.
    """
    if tables().games.version(code, device_token()) is not None:
        game = tables().games.screen(code, device_token())
        address = address_for_others(f"/g/{code}")
        pieces = tables().copies.pictures(code, device_token())
        drawn = partial(drawing.board, game["kind"], on_page=pieces)
        shown = {"game": game, "address": address, "pieces": pieces, "drawn": drawn}
        return render_template("around/screen.html", **shown, is_only_here=is_only_here())
    return join_page("around/screen_join.html", code)

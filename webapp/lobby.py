"""Routes before the game: the start page, starting a game, joining one."""

import json
from typing import Any

from flask import (
    Blueprint,
    Response,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from scorer.custom.board import BoardSpecError, CustomBoard, described
from scorer.custom.game import unusable
from scorer.game import ActionError, Json, SetupForm
from scorer.games import GAMES
from scorer.notation import MOST_SIDE
from scorer.text import Refused
from webapp import bundled
from webapp.current import data_dir, table_reader, tables
from webapp.guard.security import device_token, joinable
from webapp.i18n import gettext
from webapp.own_boards import own_boards, shape_of_copy, taught_boards
from webapp.service import spelt
from webapp.serving.incoming import json_object
from webapp.tables.devices import tidy_code
from webapp.tables.errors import TableError, no_game, no_such_player
from webapp.tables.values import tidied

blueprint = Blueprint("lobby", __name__)

MOST_MINE = {False: 20, True: 5}
"""Most games that the start page lists, by whether they are finished; the history has them all."""


@blueprint.get("/")
def start_page(**more: str) -> str:
    """What this is, and everything one can begin with."""
    games, device = tables().games, device_token()
    return render_template(
        "start.html",
        forms=_forms(),
        mine=[
            (finished, games.of_device(device, most + 1, finished=finished), most)
            for finished, most in MOST_MINE.items()
        ],
        samples=bundled.demo_names("stones"),
        **more,
    )


@blueprint.get("/start")
@blueprint.get("/start/<kind>")
def setup_page(kind: str | None = None) -> str:
    """The questions of one game."""
    if kind is None:
        return render_template("choose.html", forms=_forms())
    return _setup_page(_kind(kind))


def _setup_page(kind: str, problem: str = "", given: Any = None) -> str:
    """The questions of a game, answered as *given*, or as for the game that ``?again=`` names."""
    form = GAMES[kind].setup_form()
    again = request.args.get("again", "")
    before = tables().games.again(again, device_token()) if again and not given else None
    if before is not None and before["kind"] == kind:
        given = _given(before)
    boards, chosen = _boards(given) if form.board == "custom" else ([], None)
    return render_template(
        "lobby.html",
        kind=kind,
        here=url_for("lobby.setup_page", kind=kind),
        form=form,
        problem=problem,
        given=given or {},
        boards=boards,
        chosen=chosen,
        is_readable=_is_readable(form.board, boards),
        people=[  # who played last comes first, those of one game in the order of their seats
            {"name": one["name"], "colour": one["colours"].get(kind, "")}
            for one in tables().people.known(device_token(), kind)
        ],
        last=tables().games.latest(kind, device_token()),
    )


def _boards(given: Any) -> tuple[list[dict[str, Any]], Json | None]:
    """The boards to choose from and the one that is chosen; None for a new one.

    It is that of *given*, or of the copy ``?copy=`` of the game ``?of=``, or the first of that
    name, or the first of all.
    """
    played = tables().games.boards_of_device(device_token())
    of, copy = request.args.get("of", ""), request.args.get("copy", "")
    if given:
        chosen = _described(given.get("known", ""))
    else:
        chosen = shape_of_copy(copy, of, data_dir()) if copy else None
    boards = own_boards(table_reader(), [chosen, *played] if chosen else played)
    if chosen or given:
        return boards, chosen
    named = (one["board"] for one in boards if of in ("", one["board"]["name"]))
    return boards, next(named, None)


def _is_readable(board: str | None, boards: list[dict[str, Any]]) -> bool:
    """Whether photos of the game, or of one that is offered, can be read before anything is
    taught."""
    if board == "custom":
        return any(one["pictures"] for one in boards)
    known = table_reader().describe(board) if board else {}
    return bool(known.get("bundled") or known.get("profiles"))


def _described(text: str) -> Json | None:
    """The board that a form describes as JSON; None if it describes none."""
    try:
        board: Json | None = json.loads(text or "null")
        if not isinstance(board, dict):
            return None
        CustomBoard.from_table(board)
    except (ValueError, RecursionError):
        return None
    return board


def _given(before: Json) -> MultiDict[str, str]:
    """The form as it would be filled in for a game of before."""
    given: MultiDict[str, str] = MultiDict({"after": before["code"]})
    given["me"] = "" if before["seat"] is None else str(before["seat"])
    for player in before["players"]:
        given.add("player", player["name"])
        given.add("colour", player["colour"] or "")
    for name, answer in before["options"].items():
        field = f"option-{name}"
        match answer:
            case dict():
                given["known"] = json.dumps(answer)
            case list():
                given.setlist(field, answer)
            case True:
                given[field] = "on"
            case None | False:
                pass
            case _:
                given[field] = str(answer)
    return given


@blueprint.post("/games")
def start_form() -> ResponseReturnValue:
    """Start a game from the form and go to its table."""
    kind = _kind(request.form.get("kind", ""))
    form = GAMES[kind].setup_form()
    try:
        setup, seat = _setup_of(form)
        code = tables().games.start(
            kind,
            setup,
            device_token(),
            seat,
            request.form.get("location", ""),
            request.form.get("after") or None,
        )
    except ActionError as error:
        return _setup_page(kind, gettext(error.message), request.form), 422
    return redirect(url_for("table.table_page", code=code, _anchor="started"), 303)


@blueprint.post("/api/games")
def start_json() -> ResponseReturnValue:
    """Start a game: ``{"kind", "setup", "seat"}`` gives ``{"code"}``."""
    body = json_object()
    if not isinstance(body.get("setup"), dict):
        raise TableError(400, "setup", 'Expected {"kind": "stones", "setup": {"players": [...]}}.')
    seat = body.get("seat")
    if seat is not None and (isinstance(seat, bool) or not isinstance(seat, int)):
        raise no_such_player()
    after = body.get("after")
    if after is not None and not isinstance(after, str):
        raise no_game()
    kind = _kind(str(body.get("kind")))
    code = tables().games.start(kind, body["setup"], device_token(), seat, after=after)
    return jsonify({"code": code}), 201


@blueprint.get("/api/games")
def my_games() -> Response:
    """The games of this device."""
    return jsonify({"games": tables().games.of_device(device_token())})


@blueprint.post("/join")
def join_form() -> ResponseReturnValue:
    """A code typed in leads to the page of the game; with a seat or a name one is in at once."""
    code = tidy_code(request.form.get("code", ""))
    if joinable(code) is None:
        return start_page(join_problem=gettext(no_game().message), code=code[:12]), 404
    if "seat" in request.form:
        seat = _whole(request.form["seat"], no_such_player())
        tables().members.join(code, device_token(), seat, request.form.get("name", ""))
    return redirect(url_for("table.table_page", code=code), 303)


def _forms() -> dict[str, SetupForm]:
    return {kind: game.setup_form() for kind, game in GAMES.items()}


def _kind(kind: str) -> str:
    if kind not in GAMES:
        raise TableError(404, "kind", "This program does not know that game.")
    return kind


def _whole(text: str, wrong: Refused) -> int | None:
    """A number of a form; None for an empty field. Raises *wrong* for anything else."""
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise wrong
    return int(text)


def _setup_of(form: SetupForm) -> tuple[Json, int | None]:
    """The setup of the form and the seat of its sender; rows without a name are no players."""
    names, colours = request.form.getlist("player"), request.form.getlist("colour")
    me = _whole(request.form.get("me", ""), no_such_player())
    players: list[Json] = []
    seat = None
    for at, name in enumerate(names):
        if not name.strip():
            continue
        if at == me:
            seat = len(players)
        colour = colours[at] if at < len(colours) else None
        players.append({"name": name, "colour": colour or None})
    options: Json = {}
    for option in form.options:
        field = f"option-{option.name}"
        match option.kind:
            case "switch":
                options[option.name] = field in request.form
            case "many":
                options[option.name] = request.form.getlist(field)
            case _:
                options[option.name] = request.form.get(field)
    if form.board == "custom":
        options["board"] = _board_of_form()
    return {"players": players, "options": options}, seat


def _board_of_form() -> Json:
    """The board's description: a chosen one, a file's text, or the fields.

    The name of a taught game, however its letters are written, stands for all of it, unless
    the fields say another size.
    """
    known = request.form.get("known", "")
    if known:
        try:
            board: Json = json.loads(known)
        except (ValueError, RecursionError):
            raise ActionError("board", "Please choose the game again.") from None
        return board
    text = request.form.get("board", "")
    if text.strip():
        try:
            table = described(text)
        except BoardSpecError as error:
            raise unusable(error) from None
        alike = taught_boards(table["name"], table_reader())
        return table | {"name": spelt(table["name"], [board["name"] for board in alike])}
    name = tidied(request.form.get("board-name", ""))
    taught = taught_boards(name, table_reader())
    wrong = ActionError(
        "board",
        "Please give rows and columns as whole numbers from 1 to %(most)s.",
        most=MOST_SIDE,
    )
    sizes = {}
    for side in ("rows", "cols"):
        least, most = (
            _whole(request.form.get(f"board-{side}-{end}", ""), wrong) for end in ("least", "most")
        )
        if least is not None:
            sizes[side] = (least, least if most is None else most)
    if len(sizes) < 2 and not taught:
        raise ActionError("board", "Please say how many rows and columns the board has.")
    for board in taught:
        same = CustomBoard.from_table(board)
        if len(sizes) < 2 or (same.rows, same.cols) == (*sizes.values(),):
            return board
    return {
        "name": spelt(name, [board["name"] for board in taught]),
        **{side: [*span] for side, span in sizes.items()},
        "empty": "board-empty" in request.form,
        "turns": _whole(request.form.get("board-turns", ""), wrong) or 1,
    }

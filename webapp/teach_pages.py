"""Teaching from the phone: lay, photograph, review, save; and the list of profiles.

Photos are looked at and forgotten; what is kept of them are the crops of pieces in the profile.
"""

import json
import threading
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import cv2
from babel.dates import format_date
from flask import (
    Blueprint,
    Response,
    abort,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage

from calibration.corrections import Learnt, learn_corrections
from calibration.lessons import Lesson
from calibration.profiles import (
    MOST_BYTES,
    damaged_profiles,
    delete_profile,
    export_profile,
    import_profile,
    list_profiles,
    load_taught,
    own_name,
    profile_path,
    save_anew,
    save_taught,
)
from calibration.reader import Reader
from calibration.selfcheck import likeness_of_crops
from calibration.taught import NoProfileError, ProfileError, TaughtSet
from calibration.teach import TeachReport, learn, report_of
from scorer.custom.board import BoardSpecError
from scorer.games import GAMES
from scorer.seasons.board import Hand, lesson_boards
from scorer.text import Text
from vision.boards import BOARDS, BoardSpec
from vision.errors import VisionError
from vision.find.corners import Corners, CornersRejected
from webapp import camera_pages
from webapp.bundled import sheets
from webapp.current import data_dir, table_reader, tables
from webapp.guard import owners
from webapp.guard.gate import pass_gate
from webapp.guard.pin import is_trusted
from webapp.guard.renaming import rename_copy
from webapp.guard.security import device_token
from webapp.i18n import gettext as _
from webapp.i18n import in_language, language, plate_of, sentence, word_of
from webapp.pages import photo_of_request
from webapp.service import overlay_jpeg, picture_address, with_empty
from webapp.table_lessons import table_lessons
from webapp.tables.errors import TableError, no_copy
from webapp.tables.values import checked_key

blueprint = Blueprint("teach", __name__, url_prefix="/teach")
blueprint.register_blueprint(camera_pages.blueprint)

MOST_LESSONS = 8
REFUSALS = (VisionError, BoardSpecError, ProfileError, CornersRejected, TableError)
"""What may be wrong with lessons; scripts show its sentence."""
CUSTOM = "custom"
"""The address of boards that come as a description, in the field ``spec``."""
TITLES = {board: GAMES[board].setup_form().title for board in BOARDS}
LAYOUTS: dict[str, tuple[str, ...]] = {
    "stones": (
        "sun fish fish / horse horse horse / seed seed seed",
        "moon bird bird / boat boat boat / tree tree tree",
    ),
    "time": (
        "spring spring spring spring / summer summer summer summer / autumn autumn autumn autumn"
        " / winter winter winter winter",
        "spring summer autumn winter / summer autumn winter spring / autumn winter spring summer"
        " / winter spring summer autumn",
    ),
}
"""A layout for each photo; those of season boards follow the numbers of the copy."""

_keeping = threading.Lock()
"""Held while a name is looked up and taken."""


@blueprint.record
def prefer_own_copies(state: BlueprintSetupState) -> None:
    """From now on a device that chose no copy reads with its own."""
    state.app.extensions["tallystone"].preference = owners.preference


@blueprint.app_template_filter("in_words")
def in_words(text: str) -> str:
    """A text of the readers in the language of the page; a % in it stays a %."""
    return _(text)


@blueprint.app_template_filter("local_day")
def local_day(created: str) -> str:
    """The day of an ISO 8601 time in the time zone of this computer, as the language writes it.

    Imported profiles may hold any text there.
    """
    try:
        return str(format_date(datetime.fromisoformat(created).astimezone(), locale=language()))
    except (ValueError, OverflowError):
        return created[:10]


@blueprint.get("")
def start() -> str:
    """Choose the game, or a profile that was taught."""
    return render_template(
        "teach/start.html",
        titles=TITLES,
        profiles=list_profiles(data_dir()),
        damaged=damaged_profiles(data_dir()),
        may_delete=is_trusted(),
        sheets=[name for name, _data in sheets()],
    )


@blueprint.get("/print/<name>")
def sheet(name: str) -> Response:
    """A printable sheet."""
    for known, data in sheets():
        if known == name:
            return Response(data, mimetype="application/pdf")
    abort(404)


@blueprint.get(f"/<any({', '.join([*TITLES, CUSTOM])}):board>")
def lay(board: str) -> ResponseReturnValue:
    """The page that leads from the layouts to a saved profile.

    ``?add=NAME`` adds photos to one; ``?game=CODE`` leads back to that game, which uses it then.
    """
    add, shape, layouts = request.args.get("add"), None, LAYOUTS.get(board, ())
    name = request.args.get("of", "") if board == CUSTOM else board
    if add is not None:
        taught = load_taught(add, name, data_dir())
        owners.only_owner(_path(name, add), taught.created)
        shape = taught.shape
        if board == CUSTOM:
            layouts = (" ".join(taught.profile.labels[: taught.spec.cols[1]]),)
    game = request.args.get("game", "")
    if game:
        described = tables().copies.board(game, device_token(), board)
        name = described["name"]
        shape = described["own"]
    taken = sorted({info.name for info in list_profiles(data_dir()) if info.board == name})
    return render_template(
        "teach/lay.html",
        board=board,
        title=TITLES.get(board, name),
        layouts=layouts,
        most_lessons=MOST_LESSONS,
        numbered={hand.name: lesson_boards(hand) for hand in Hand},
        add=add,
        shape=toml_of(shape) if shape else "",
        taken=taken,
        game=game,
        labels=with_empty(BOARDS[board].labels, BOARDS[board].empty) if board in BOARDS else (),
    )


@blueprint.post("/<board>/look")
def look(board: str) -> ResponseReturnValue:
    """Teach without keeping: multipart ``photo``, ``layout`` and ``corners``, each repeated."""
    try:
        taught, report = _learnt(board, _("new"))
    except REFUSALS as error:
        return _refused(error)
    return jsonify({"faces": faces_of(taught, report), "warnings": in_language(report.warnings)})


@blueprint.post("/<board>/save")
def save(board: str) -> ResponseReturnValue:
    """Keep what the photos teach under ``name``; ``replace`` allows a name that is taken.

    ``key`` is the sender's own number of the request: the same one again is answered, not repeated.
    The ``game`` that it was taught for reads with it from then on.
    """
    game = request.form.get("game", "")
    try:
        name = own_name(" ".join(request.form.get("name", "").split()))
        key = checked_key(request.form.get("key") or None)
        wanted = tables().copies.board(game, device_token(), board)["name"] if game else None
        spec = _spec(board)
        if wanted is not None and wanted.casefold() != spec.name.casefold():
            raise no_copy()
        if owners.is_made_by(_path(spec.name, name), key):
            taught = load_taught(name, spec.name, data_dir())
            report = report_of(taught, taught.spec)
        else:
            taught, report = _learnt(board, name)
            with _keeping:
                _keep(taught, key)
        if game:
            tables().copies.choose(game, device_token(), board, taught.profile.name)
    except REFUSALS as error:
        return _refused(error)
    target = url_for("teach.profile", board=taught.profile.board, name=taught.profile.name)
    if game:
        target = url_for("table.table_page", code=game)
    return jsonify(in_language(report.to_document()) | {"page": target})


def _keep(taught: TaughtSet, key: str | None) -> None:
    """Save a taught set for the device that sent it; another device's copy stays as it is."""
    path = _path(taught.profile.board, taught.profile.name)
    if owners.is_made_by(path, key):
        return
    if request.form.get("add"):
        save_taught(taught, data_dir())
        owners.made_again(path, taught.created, key)
        return
    if path.exists():
        if not request.form.get("replace"):
            raise ProfileError(
                "there is a profile %(name)s already: choose another name, or replace it",
                name=repr(taught.profile.name),
            )
        _only_owner(taught.profile.board, taught.profile.name)
    else:
        owners.refuse_too_many()
    save_anew(taught, data_dir())
    owners.claim(path, taught.created, key)


@blueprint.get("/profiles/<path:board>/<name>")
def profile(board: str, name: str, **more: Any) -> str:
    """One profile: its crops, its self-check, and what can be done with it."""
    pass_gate()
    taught = load_taught(name, board, data_dir())
    report = report_of(taught, taught.spec)
    return render_template(
        "teach/profile.html",
        board=board,
        name=name,
        title=TITLES.get(board, board),
        taught=taught,
        may_change=owners.may_change(_path(board, name), taught.created),
        report=report,
        faces=faces_of(taught, report),
        can_add=board in TITLES or taught.shape is not None,
        drawn=BOARDS[board].labels if board in BOARDS else (),
        shape=toml_of(taught.shape) if taught.shape else "",
        at_table=[]
        if more.get("learnt")
        else table_lessons(tables().store, device_token(), taught),
        here=url_for("teach.profile", board=board, name=name),
        **more,
    )


@blueprint.post("/try/<path:board>/<name>")
def try_out(board: str, name: str) -> str:
    """Read a photo with the profile; it comes back with what was read drawn on it."""
    data = photo_of_request()
    taught = load_taught(name, board, data_dir())
    reader = table_reader().through_camera(
        Reader(taught.spec, taught.with_details()),
        camera_pages.chosen_camera(),
    )
    try:
        reading = table_reader().place(reader.read, data)
    except VisionError as error:
        return profile(board, name, problem=_(error.message))
    plates = partial(plate_of, board=reading.board)
    picture = picture_address(overlay_jpeg(data, reading, plates), "jpeg")
    return profile(board, name, reading=reading, picture=picture)


@blueprint.post("/learn/<path:board>/<name>")
def learn_from_table(board: str, name: str) -> str:
    """Learn what was corrected on photos of this device's games."""
    _only_owner(board, name)
    pass_gate()
    cells = 0
    refused: list[Text] = []
    taught = load_taught(name, board, data_dir())
    for lesson in table_lessons(tables().store, device_token(), taught):
        photo = tables().photos.folder.path(lesson.file)
        if photo.is_file():
            done = learn_corrections(
                name, board, photo.read_bytes(), lesson.cells, lesson.source, data_dir()
            )
            cells += done.cells
            refused += done.refused
    owners.made_again(_path(board, name), _made(board, name))
    return profile(board, name, learnt=Learnt(cells, tuple(refused)))


@blueprint.get("/<any(try, learn, rename, delete):_what>/<path:board>/<name>")
def page_again(_what: str, board: str, name: str) -> ResponseReturnValue:
    """Where a phone loads the answer to one of the forms again."""
    return redirect(url_for("teach.profile", board=board, name=name), 303)


@blueprint.get("/file/<path:board>/<name>")
def file(board: str, name: str) -> Response:
    """The profile as a file."""
    _only_owner(board, name)
    data = export_profile(name, board, data_dir())
    saved_as = quote(f"{name}.{board}.tallyprofile")
    heads = {"Content-Disposition": f"attachment; filename*=UTF-8''{saved_as}"}
    return Response(data, mimetype="application/octet-stream", headers=heads)


@blueprint.post("/rename/<path:board>/<name>")
def rename(board: str, name: str) -> ResponseReturnValue:
    """Give the profile another name."""
    _only_owner(board, name)
    new_name = " ".join(request.form.get("name", "").split())
    with _keeping:
        rename_copy(name, new_name, board, data_dir(), tables())
    return redirect(url_for("teach.profile", board=board, name=new_name))


@blueprint.post("/delete/<path:board>/<name>")
def delete(board: str, name: str) -> ResponseReturnValue:
    """Forget the profile."""
    _only_owner(board, name)
    delete_profile(name, board, data_dir())
    owners.forget(_path(board, name))
    return redirect(url_for("teach.start"))


@blueprint.post("/profiles/import")
def import_file() -> ResponseReturnValue:
    """Check a profile's file and keep it; where its name is taken, under a fresh one."""
    sent = request.files.get("file")
    if sent is None or not sent.filename:
        raise ProfileError("choose a .tallyprofile file first")
    data = _closed(sent)
    owners.refuse_too_many()
    with _keeping:
        info = import_profile(data, sent.filename, data_dir(), if_taken="rename")
        owners.claim(_path(info.board, info.name), info.created)
    return redirect(url_for("teach.profile", board=info.board, name=info.name))


def _learnt(board: str, name: str) -> tuple[TaughtSet, TeachReport]:
    """The lessons of the request, learnt; nothing is saved."""
    spec = _spec(board)
    photos, layouts = request.files.getlist("photo"), request.form.getlist("layout")
    corners = request.form.getlist("corners")
    data = [_closed(photo) for photo in photos]
    if not 1 <= len(photos) <= MOST_LESSONS or len(layouts) != len(photos):
        raise ProfileError("send one to eight photos, each with its layout")
    lessons = [
        Lesson(
            data[i],
            layout,
            photo.filename or f"photo {i + 1}",
            Corners.parse(corners[i]) if i < len(corners) and corners[i] else None,
        )
        for i, (photo, layout) in enumerate(zip(photos, layouts, strict=True))
    ]
    add = request.form.get("add")
    base = load_taught(add, spec.name, data_dir()) if add else None
    if base:
        owners.only_owner(_path(spec.name, base.profile.name), base.created)
    taught, notes = learn(add or name, spec, lessons, None, base)
    return taught, report_of(taught, spec, notes)


def _path(board: str, name: str) -> Path:
    return profile_path(name, board, data_dir())


def _made(board: str, name: str) -> str:
    """Time of teaching; empty for a damaged profile, which no device owns.

    Raises NoProfileError.
    """
    try:
        return load_taught(name, board, data_dir()).created
    except NoProfileError:
        raise
    except ProfileError:
        return ""


def _only_owner(board: str, name: str) -> None:
    """Raise TableError unless the device that asks may change the profile."""
    owners.only_owner(_path(board, name), _made(board, name))


def _closed(sent: FileStorage) -> bytes:
    """The bytes of an uploaded file, which may lie in a temporary one."""
    with sent.stream as stream:
        return bytes(stream.read(MOST_BYTES + 1))


def toml_of(table: Mapping[str, Any]) -> str:
    """A board's description as its file would say it, a line for each rule of the score."""
    lines = [
        f"{key} = {_value(value)}" for key, value in table.items() if key not in ("score", "counts")
    ]
    if score := table.get("score"):
        lines += ["score = [", *(f"  {_value(rule)}," for rule in score), "]"]
    if counts := table.get("counts"):
        lines += ["[counts]", *(f"{_value(label)} = {most}" for label, most in counts.items())]
    return "\n".join(lines)


def _value(value: Any) -> str:
    """A value as TOML writes it; JSON writes all but tables in the same way."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _spec(board: str) -> BoardSpec:
    if board in BOARDS:
        return BOARDS[board]
    if board != CUSTOM:
        abort(404)
    return BoardSpec.from_toml(request.form.get("spec", ""))


def faces_of(taught: TaughtSet, report: TeachReport) -> list[dict[str, Any]]:
    """For each face: label, words, likeness to itself, nearest other face, crops with doubts."""
    likeness = likeness_of_crops(taught.profile.prototypes, taught.spec.turns)
    found = []
    for check in report.faces:
        pngs = [
            bytes(cv2.imencode(".png", crop[..., ::-1])[1]) for crop in taught.pictures(check.label)
        ]
        crops = [
            {"picture": picture_address(png, "png"), "own": round(own, 2), "odd": odd}
            for png, (own, odd) in zip(pngs, likeness[check.label], strict=True)
        ]
        word = word_of(check.label, taught.profile.board)
        found.append(check.to_document() | {"word": word, "crops": crops})
    return found


@blueprint.errorhandler(NoProfileError)
def _gone(error: NoProfileError) -> ResponseReturnValue:
    """What the page of a profile says that was renamed or deleted."""
    page = render_template(
        "error.html",
        title=_("Nothing here"),
        message=_("This copy is not here any more: it was renamed or deleted."),
        onward=(url_for("teach.start"), _("All copies")),
    )
    return page, 404


def _refused(error: Exception) -> ResponseReturnValue:
    """A refusal as JSON with one sentence."""
    code = error.code if isinstance(error, VisionError | TableError) else "refused"
    status = error.status if isinstance(error, TableError) else 422
    message = sentence(getattr(error, "message", str(error)))
    return jsonify({"error": {"code": code, "message": message}}), status

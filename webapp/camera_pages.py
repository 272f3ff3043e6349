"""Pages of the camera of a phone: calibrate it from photos of the sheet, choose it."""

from flask import (
    Blueprint,
    jsonify,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue

from calibration.camera import (
    CameraError,
    calibrated,
    camera_path,
    delete_camera,
    list_cameras,
    load_camera,
    save_camera,
)
from webapp.current import data_dir
from webapp.errors import answer
from webapp.guard import owners
from webapp.i18n import gettext as _
from webapp.i18n import sentence, sentences
from webapp.tables.errors import TableError

blueprint = Blueprint("camera", __name__, url_prefix="/camera")

MOST_PHOTOS = 12
CHOSEN = "camera"
"""Field of the cookie that holds the camera of this device."""


def chosen_camera() -> str | None:
    """The camera of the device that asks; None if it chose none."""
    name = session.get(CHOSEN)
    return name if isinstance(name, str) else None


@blueprint.get("")
def cameras() -> str:
    """The cameras there are, which one this device uses, and how to calibrate another."""
    known = []
    for name in list_cameras(data_dir()):
        try:
            known.append(load_camera(name, data_dir()))
        except CameraError:  # a damaged file can only be replaced
            continue
    mine = {
        camera.name
        for camera in known
        if owners.may_change(camera_path(camera.name, data_dir()), camera.made)
    }
    return render_template("teach/camera.html", cameras=known, chosen=chosen_camera(), mine=mine)


@blueprint.post("/new")
def calibrate() -> ResponseReturnValue:
    """Calibrate from multipart ``photo``s, keep the camera as ``name`` and use it here."""
    name = " ".join(request.form.get("name", "").split())
    photos = []
    sent_photos = request.files.getlist("photo")
    for number, sent in enumerate(sent_photos, 1):
        with sent.stream as stream:
            if number <= MOST_PHOTOS:
                photos.append((_("Photo %(n)s", n=number), bytes(stream.read())))
    try:
        _check_name(name)
        camera, left_out = calibrated(name, photos)
    except (CameraError, TableError) as error:
        return _refused(error)
    owners.claim(save_camera(camera, data_dir()), camera.made)
    session[CHOSEN] = name
    session.permanent = True
    unused = [_(text) for text in left_out]
    if len(sent_photos) > MOST_PHOTOS:
        unused.append(_("Only the first %(n)s photos were looked at.", n=MOST_PHOTOS))
    return jsonify(camera.to_document() | {"left_out": unused})


def _check_name(name: str) -> None:
    """Raise CameraError or TableError unless the device may calibrate a camera of that name."""
    if name not in list_cameras(data_dir()):
        owners.refuse_too_many()
    elif not request.form.get("replace"):
        raise CameraError(
            "there is a camera %(name)s already: choose another name, or replace it",
            name=repr(name),
        )
    else:
        owners.only_owner(camera_path(name, data_dir()), _made(name))


def _made(name: str) -> str:
    """When the camera was calibrated; empty for a damaged one, which no device owns."""
    try:
        return load_camera(name, data_dir()).made
    except CameraError:
        return ""


@blueprint.post("/choose")
def choose() -> ResponseReturnValue:
    """Use a camera on this device; an empty ``name`` uses none."""
    name = request.form.get("name", "")
    if name in list_cameras(data_dir()):
        session[CHOSEN] = name
        session.permanent = True
    else:
        session.pop(CHOSEN, None)
    return redirect(url_for("teach.camera.cameras"))


@blueprint.post("/<name>/delete")
def delete(name: str) -> ResponseReturnValue:
    """Forget a camera."""
    try:
        path = camera_path(name, data_dir())
        if path.is_file():
            owners.only_owner(path, _made(name))
        delete_camera(name, data_dir())
        owners.forget(path)
    except CameraError as error:
        return answer(422, "camera", sentence(error.message))
    return redirect(url_for("teach.camera.cameras"))


def _refused(error: CameraError | TableError) -> ResponseReturnValue:
    message = sentences([sentence(error.message), *getattr(error, "left_out", ())])
    return jsonify({"error": {"code": "camera", "message": message}}), getattr(error, "status", 422)

"""What people confirmed on a photo stays confirmed on the next one, where nothing was changed, and
teaches how the pieces look in this game."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from calibration.confirmed import MOST_BOARDS, ConfirmedBoard, as_confirmed
from scorer.game import Json
from scorer.notation import by_cell, split_rows
from vision.errors import PhotoRejected
from vision.name.unchanged import look_the_same
from webapp.service import BUNDLED
from webapp.store.models import Photo
from webapp.store.photos import PhotoFolder
from webapp.tables.visit import Visit


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The last photo of a board that was used: its file, its reading, and the labels that people
    let stand, by place."""

    file: str
    reading: Json
    labels: dict[tuple[int, int], str]


def last_confirmed(visit: Visit, board: str, seat: int | None) -> Confirmed | None:
    """None if no photo of that board was used yet, or as another grid than it was read."""
    for action, photo in _used(visit, board):
        if action.get("seat") == seat:
            return _confirmed(action, photo)
    return None


def confirmed_boards(
    visit: Visit, board: str, folder: PhotoFolder
) -> dict[str, list[ConfirmedBoard]]:
    """The last boards of that kind that people let stand, whosever they are, by the copy that read
    them; none of the copy that comes with the program, which cannot learn."""
    found: dict[str, list[ConfirmedBoard]] = {}
    seen: set[int] = set()
    for action, photo in _used(visit, board):
        shown = _confirmed(action, photo)
        if photo.profile in (None, BUNDLED) or photo.id in seen or shown is None:
            continue
        cells = shown.reading["cells"]
        read = [cell["label"] for cell in cells]
        stands = [shown.labels[cell["row"], cell["col"]].split("/")[0] for cell in cells]
        load = partial(folder.read, shown.file)
        quads = [cell["quad"] for cell in cells]
        lesson = as_confirmed(shown.file, load, read, stands, quads)
        if lesson is not None:
            found.setdefault(str(photo.profile), []).append(lesson)
            seen.add(photo.id)
        if len(seen) == MOST_BOARDS:
            break
    return found


def _used(visit: Visit, board: str) -> Iterator[tuple[Json, Photo]]:
    """The photos of a board that were used, with what was done, the last one first."""
    for action in visit.standing_actions():
        if action["type"] == "board" and action.get("photo"):
            photo = visit.session.get(Photo, action["photo"])
            if photo is not None and photo.board == board:
                yield action, photo


def _confirmed(action: Json, photo: Photo) -> Confirmed | None:
    """What people let stand; None if it is another grid than was read, or the photo is gone."""
    shape = dict(by_cell(split_rows(str(action["text"]))))
    places = {(cell["row"], cell["col"]) for cell in photo.reading["cells"]}
    if photo.file is None or action.get("turns") or places != {*shape}:
        return None
    return Confirmed(photo.file, photo.reading, shape)


def still_confirmed(document: Json, jpeg: bytes, before: Confirmed, earlier: bytes) -> Json:
    """A reading without the doubts about cells that read as they were confirmed, and look so.

    If the earlier photo is damaged, all doubts stay.
    """
    then = {(cell["row"], cell["col"]): cell for cell in before.reading["cells"]}
    pairs = [
        (cell, then[place])
        for cell in document["cells"]
        if not cell["sure"]
        and (place := (cell["row"], cell["col"])) in then
        and cell["label"] == then[place]["label"] == before.labels[place].split("/")[0]
    ]
    if not pairs:
        return document
    now_xy, then_xy = (np.array([pair[at]["quad"] for pair in pairs], np.float32) for at in (0, 1))
    try:
        same = look_the_same(jpeg, now_xy, earlier, then_xy)
    except PhotoRejected:
        return document
    sure = [
        [cell["row"], cell["col"]]
        for (cell, _), is_same in zip(pairs, same, strict=True)
        if is_same
    ]
    cells = [
        cell | {"sure": cell["sure"] or [cell["row"], cell["col"]] in sure}
        for cell in document["cells"]
    ]
    doubts = []
    for doubt in document["doubts"]:
        left = [place for place in doubt["cells"] if list(place) not in sure]
        if doubt["kind"] != "cell" or left:
            doubts.append(doubt)
    return document | {"cells": cells, "doubts": doubts, "sure": not doubts}

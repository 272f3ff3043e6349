"""What people confirmed on a photo stays confirmed on the next one, where nothing was changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import select

from scorer.game import Json
from scorer.notation import split_rows
from webapp.store.models import Event, Photo
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
    events = visit.session.scalars(
        select(Event)
        .where(Event.game_id == visit.game.id, Event.undone.is_(False), Event.dropped.is_(False))
        .order_by(Event.seq.desc())
    )
    for event in events:
        action = event.action
        if action["type"] != "board" or action.get("seat") != seat or not action.get("photo"):
            continue
        photo = visit.session.get(Photo, action["photo"])
        if photo is None or photo.board != board:
            continue
        rows = split_rows(str(action["text"]))
        shape = {(r, c): word for r, row in enumerate(rows) for c, word in enumerate(row)}
        places = {(cell["row"], cell["col"]) for cell in photo.reading["cells"]}
        if photo.file is None or action.get("turns") or places != {*shape}:
            return None
        return Confirmed(photo.file, photo.reading, shape)
    return None


def still_confirmed(document: Json, jpeg: bytes, before: Confirmed, earlier: bytes) -> Json:
    """A reading without the doubts about cells that read as they were confirmed, and look so."""
    from vision.name.unchanged import look_the_same

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
    same = look_the_same(jpeg, now_xy, earlier, then_xy)
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

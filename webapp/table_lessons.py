"""Corrections made at the table, as lessons for the profile that read it, once somebody asks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from calibration.confirmed import LEAST_AGREEING
from calibration.corrections import Correction
from calibration.taught import TaughtSet
from scorer.notation import EMPTY
from webapp.after import archive
from webapp.after.games import GameRecord, Json, PhotoRecord
from webapp.store import Store

MOST_GAMES = 100
"""Games of a device that are looked through for lessons, the newest ones."""


@dataclass(frozen=True, slots=True)
class TableLesson:
    """The misread or unsure cells of a kept photo, with the players' answers.

    ``source`` names it among the lessons of a profile, ``file`` is its name in the photo folder.
    """

    source: str
    file: str
    cells: tuple[Correction, ...]


def table_lessons(store: Store, token: str, taught: TaughtSet) -> list[TableLesson]:
    """What the games of a device can teach a profile that it has not learnt yet."""
    known = {note.source for note in taught.lessons}
    found = []
    for game in archive.records(store, token, most=MOST_GAMES):
        if not any(_read_with(photo, game, taught) for photo in game.photos):
            continue
        (whole,) = archive.records(store, token, game.code, with_log=True)
        found += [lesson for lesson in _of_game(whole, taught) if lesson.source not in known]
    return found


def _read_with(photo: PhotoRecord, game: GameRecord, taught: TaughtSet) -> bool:
    board, meant = photo.board, taught.profile.board
    is_meant = (
        game.title.casefold() == meant.casefold()
        if board == game.kind == "custom"
        else board == meant
    )
    return is_meant and photo.file is not None and photo.profile == taught.profile.name


def _of_game(game: GameRecord, taught: TaughtSet) -> Iterator[TableLesson]:
    used = {
        event.action.get("photo"): event.action
        for event in game.events
        if event.action.get("type") == "board" and not event.undone and not event.dropped
    }
    for photo in game.photos:
        if photo.id in used and photo.file is not None and _read_with(photo, game, taught):
            cells = _to_learn(photo, used[photo.id], taught)
            if cells:
                yield TableLesson(f"{game.code}, photo {photo.id}", photo.file, cells)


def _size(places: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Rows and columns of a grid that ends at the last of these places."""
    return tuple(max(along) + 1 for along in zip(*places, strict=True))


def _to_learn(photo: PhotoRecord, action: Json, taught: TaughtSet) -> tuple[Correction, ...]:
    """The wrong or doubtful cells; none if the board was turned or enlarged after reading."""
    said = {
        (row, col): word.split("/")[0]
        for row, line in enumerate(str(action["text"]).split(" / "))
        for col, word in enumerate(line.split())
    }
    cells = photo.reading["cells"]
    read = [(cell["row"], cell["col"]) for cell in cells]
    if action.get("turns") or _size(said) != _size(read) or not said.keys() >= {*read}:
        return ()
    pairs = [(cell, said[place]) for cell, place in zip(cells, read, strict=True)]
    if sum(cell["label"] == now for cell, now in pairs) < LEAST_AGREEING * len(pairs):
        return ()
    return tuple(
        Correction(np.array(cell["quad"], np.float32), now)
        for cell, now in pairs
        if (cell["label"] != now or not cell["sure"])
        and (now != EMPTY or taught.spec.printed_cells)
    )

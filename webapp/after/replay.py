"""Every game of an archive held to the rules: it is played again from its log."""

import json
from collections.abc import Callable
from dataclasses import replace

from scorer.games import GAMES
from scorer.setup import started
from vision.boards import BOARDS
from vision.errors import PhotoRejected
from vision.photo import decode_photo
from webapp.after.exchange import ArchiveError
from webapp.after.games import GameRecord, Json, PhotoRecord
from webapp.after.shapes import canonical
from webapp.i18n import gettext as _
from webapp.store.photos import LONG_SIDE_PX
from webapp.tables.members import MOST_EVER


def check_log(game: GameRecord) -> None:
    events = game.events
    if not events or [event.seq for event in events] != list(range(len(events))):
        raise ArchiveError(_("its steps are not numbered one after the other."))
    kept = [event.undone for event in events if not event.dropped]
    if (
        events[0].action != {"type": "start"}
        or events[0].undone
        or events[0].dropped
        or kept != sorted(kept)
    ):
        raise ArchiveError(_("what was undone in it cannot have been undone."))
    if len({json.dumps(event.by) for event in events}) > MOST_EVER:
        raise ArchiveError(_("more people changed it than can join a game."))
    numbers = {photo.id for photo in game.photos}
    used = {event.action.get("photo") for event in events if event.action.get("photo") is not None}
    if len(numbers) < len(game.photos) or not used <= numbers:
        raise ArchiveError(_("its steps name photos that are not there."))
    if bool(game.state.get("finished")) != (game.finished_utc is not None):
        raise ArchiveError(_("it says both that it is over and that it goes on."))


def check_photo(game: GameRecord, photo: PhotoRecord) -> None:
    if photo.board not in BOARDS and photo.board != GAMES[game.kind].setup_form().board:
        raise ArchiveError(_("a photo shows the board of another game."))


def check_picture(photo: PhotoRecord, picture: bytes) -> None:
    said = (photo.width, photo.height, photo.size)
    if not is_bare_jpeg(picture) or (*_size_of(picture), len(picture)) != said:
        raise ArchiveError(_("A photo of the archive is none that this program wrote."))


def _size_of(picture: bytes) -> tuple[int, int]:
    """Width and height of a picture; none if it cannot be decoded or is larger than stored ones."""
    try:
        photo = decode_photo(picture, LONG_SIDE_PX)
    except PhotoRejected as error:
        raise ArchiveError(_("A photo of the archive is none that this program wrote.")) from error
    height, width = photo.full_hw
    return (width, height) if max(width, height) <= LONG_SIDE_PX else (0, 0)


def is_bare_jpeg(data: bytes) -> bool:
    """True for a JPEG of one scan without EXIF, comment or other metadata.

    >>> is_bare_jpeg(bytes.fromhex("ffd8ffe1000845786966ffda"))
    False
    """
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        return False
    at = 2
    is_baseline = False
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            return is_baseline
        if 0xE1 <= marker <= 0xEF or marker == 0xFE or length < 2:
            return False
        is_baseline |= marker == 0xC0
        at += 2 + length
    return False


def played_again(game: GameRecord, hurry: Callable[[], None] = lambda: None) -> GameRecord:
    """The game with the states that its log gives, with what can be redone.

    Raises ArchiveError where a step does not give the state that is written there, but for what
    earlier versions counted otherwise (``scorer.game.Game.recounted``). What was dropped is
    evidence that nobody can come back to; it is not played.
    """
    rules = GAMES[game.kind]
    setup, state = started(rules, game.setup)
    if setup != game.setup:
        raise ArchiveError(_("it was not started as this program starts games."))

    def agrees(written: Json, played: Json) -> bool:
        one, other = (
            canonical({key: value for key, value in each.items() if key not in rules.recounted})
            for each in (written, played)
        )
        return one == other

    current = state
    events = []
    for event in game.events:
        hurry()
        if event.dropped:
            events.append(event)
            continue
        if event.seq:
            # as a host: roles and seats of today may be others than those of then
            whoever = {"role": "host", "seat": event.action.get("seat", event.by["seat"])}
            state = rules.act(state, event.action, whoever)
        if not agrees(event.state, state):
            raise ArchiveError(
                _(
                    "its step %(step)s does not lead to the state that is written there.",
                    step=event.seq,
                )
            )
        events.append(replace(event, state=state))
        if not event.undone:
            current = state
    if not agrees(game.state, current):
        raise ArchiveError(_("its steps do not lead to the state that is written there."))
    return replace(game, state=current, events=tuple(events))

"""Every game of an archive held to the rules: it is played again from its log."""

import json
from collections.abc import Callable
from dataclasses import replace

from scorer.game import ActionError, Game
from scorer.games import GAMES
from scorer.record import act
from scorer.setup import started
from vision.boards import BOARDS
from vision.errors import PhotoRejected
from vision.photo import decode_photo
from webapp.after.exchange import ArchiveError
from webapp.after.games import EventRecord, GameRecord, Json, PhotoRecord
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


def played_again(game: GameRecord, hurry: Callable[[], None]) -> tuple[GameRecord, bool]:
    """The game with the states that its log gives, and whether they are as they were written.

    Only what was done counts: a state that is written is compared, never kept. What today's rules
    refuse changes nothing and is dropped. What was dropped is evidence that nobody can come back
    to; it is not played. Raises ActionError or ArchiveError for a setup of no game, and for an
    end that is not that of the log.
    """
    rules = GAMES[game.kind]
    setup, state = started(rules, game.setup)
    if setup != game.setup:
        raise ArchiveError(_("it was not started as this program starts games."))
    current = state
    events = []
    is_as_written = True
    for event in game.events:
        hurry()
        if event.dropped:
            events.append(event)
            continue
        played = _played(rules, state, event)
        events.append(played)
        state = played.state
        is_as_written &= not played.dropped and _holds(event.state, state)
        if not played.undone:
            current = state
    if current["finished"] != (game.finished_utc is not None):
        raise ArchiveError(_("it says both that it is over and that it goes on."))
    is_as_written &= _holds(game.state, current)
    return replace(game, state=current, events=tuple(events)), is_as_written


def _played(rules: Game, state: Json, event: EventRecord) -> EventRecord:
    """The event after that state; dropped if the rules refuse it."""
    if event.seq == 0:
        return replace(event, state=state)
    try:
        return replace(event, state=act(rules, state, event.action))
    except ActionError:
        return replace(event, state=state, undone=True, dropped=True)


def _holds(written: Json, played: Json) -> bool:
    """Whether a state has all that is written; earlier versions wrote less of some."""
    return canonical(played | written) == canonical(played)

"""The record of a game from its log; ``scorer.record`` knows how it is written."""

from __future__ import annotations

from scorer import record
from scorer.game import ActionError
from scorer.record import Record
from webapp.after.games import GameRecord, as_utc
from webapp.tables.errors import TableError


def record_of(game: GameRecord) -> Record:
    """The record of a finished *game*, which must come with its log.

    Raises TableError for a game that goes on: its log holds hidden hands.
    """
    if game.finished_utc is None:
        raise not_finished()
    actions = (
        event.action
        for event in game.events
        if event.seq and not event.undone and not event.dropped
    )
    when = as_utc(game.played_utc).replace(microsecond=0).isoformat()
    try:
        return record.played(game.kind, game.setup, actions, when, game.location)
    except ActionError as error:
        raise TableError(
            409,
            "old_log",
            "The log of this game cannot be played again: %(reason)s",
            reason=error.message,
        ) from None


def not_finished() -> TableError:
    """The refusal of what a game has only once it is finished."""
    return TableError(
        409, "goes_on", "This is there once the game is finished: until then hands are hidden."
    )

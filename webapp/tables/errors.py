"""What people are told when something cannot be done at a table."""

from typing import Any

from scorer.game import Json
from scorer.text import Refused


class TableError(Refused):
    """Something cannot be done: ``status`` is the HTTP status, ``message`` one sentence."""

    def __init__(self, status: int, code: str, template: str, /, **values: Any) -> None:
        super().__init__(code, template, **values)
        self.status = status


class StaleChange(TableError):
    """Somebody else changed the same thing meanwhile; ``newer`` is the game as it is now."""

    def __init__(self, template: str, /, *, newer: Json) -> None:
        super().__init__(409, "changed_meanwhile", template)
        self.newer = newer


def no_game() -> TableError:
    """There is no game with the code, or nobody can join it any more."""
    return TableError(
        404, "no_game", "There is no game with that code: please check its six letters and digits."
    )


def not_a_member() -> TableError:
    """The device is not in the game. To outsiders a game that is not theirs looks like none."""
    return TableError(
        403,
        "not_a_member",
        "You are not in this game, or it was deleted: join it with its code first.",
    )


def removed() -> TableError:
    """The host took the device out of the game."""
    return TableError(
        403, "removed", "You were taken out of this game: ask the host to let you in again."
    )


def only_watching() -> TableError:
    """The device watches and wants to play."""
    return TableError(403, "viewer", "You are watching: ask the host to let you play.")


def not_the_host() -> TableError:
    """Only the host may do that."""
    return TableError(403, "not_the_host", "Only the host of the game can do that.")


def no_such_player() -> TableError:
    """The game has no such seat."""
    return TableError(400, "seat", "There is no such player in this game.")


def no_copy() -> TableError:
    """No taught copy of that name is one of the game's board."""
    return TableError(404, "no_copy", "There is no such taught copy of this game.")


def no_such_member() -> TableError:
    """The game has no such device, or nobody may change it."""
    return TableError(404, "member", "There is no such member to change.")

"""Compares the pad with the rules: the lines to ask for, and the answer with its reasons."""

from dataclasses import dataclass

from scorer.game import column_key
from scorer.games import GAMES
from scorer.stones.cards import PatternCard, cards_by_id
from webapp.after.games import GameRecord
from webapp.i18n import gettext as _


@dataclass(frozen=True, slots=True)
class Question:
    """A figure on the pad: ``item`` is its name in documents, ``claimed`` what was entered."""

    item: str
    label: str
    claimed: int | None


@dataclass(frozen=True, slots=True)
class Pad:
    """The column of one player, or of the table where the game has no players' columns."""

    seat: int | None
    name: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One figure of the pad, checked."""

    player: str
    item: str
    label: str
    claimed: int
    points: int
    why: str
    cards: tuple[PatternCard, ...] = ()

    @property
    def agrees(self) -> bool:
        return self.claimed == self.points


def pads(game: GameRecord) -> tuple[Pad, ...]:
    """The lines that the pad of *game* has."""
    rules, claims = GAMES[game.kind], game.state.get("claims", {})
    return tuple(
        Pad(
            column.seat,
            _("The table") if column.seat is None else game.players[column.seat],
            tuple(
                Question(
                    item, _(rules.label(item)), claims.get(column_key(column.seat), {}).get(item)
                )
                for item in column.items
            ),
        )
        for column in rules.pad(game.state)
    )


def answers(game: GameRecord) -> tuple[Answer, ...]:
    """Every figure that was entered, checked; in the order of the pad."""
    rules = GAMES[game.kind]
    return tuple(
        Answer(
            found.player or "",
            found.item,
            _(rules.label(found.item)),
            found.claimed,
            found.points,
            _(found.why),
            tuple(cards_by_id()[card] for card in found.cards),
        )
        for found in rules.audit(game.state)
    )

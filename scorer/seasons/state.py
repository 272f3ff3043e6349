"""Shifting Seasons: what the state of a game means in terms of the rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scorer.game import ActionError, Json, placed
from scorer.notation import NotationError
from scorer.season import Season
from scorer.seasons.board import CLOCKWISE, ORDERS, OTHER_WAY, Hand, Layout, SeasonBoard
from scorer.seasons.cards import CARDS, ScoreCard, ShortDiagonals
from scorer.seasons.score import Player, PlayerScore, score_player

HANDS = {hand.name: hand for hand in Hand}


def season_in(value: Any) -> Season:
    try:
        return Season.named(value if isinstance(value, str) else "")
    except NotationError:
        raise ActionError("season", "Every player needs one of the four seasons.") from None


def layout_in(document: Json) -> Layout:
    """A layout: ``hand`` and ``order``, or ``clockwise`` as older games say it."""
    hand, order = document.get("hand", "A"), document.get("order")
    if order is None:
        clockwise = document.get("clockwise", True)
        order = CLOCKWISE if clockwise is True else OTHER_WAY if clockwise is False else ()
    given = tuple(order) if isinstance(order, list | tuple) else ()
    found = next((one for one in ORDERS if one == given), None)
    if not isinstance(hand, str) or hand not in HANDS or found is None:
        raise ActionError("layout", "Please choose where the printed numbers of your boards are.")
    return Layout(HANDS[hand], found)


def layout_of(state: Json) -> Layout:
    return layout_in(state["layout"])


def layout_document(layout: Layout) -> Json:
    return {"hand": layout.hand.name, "order": list(layout.order)}


def cards_in(value: Any) -> list[str]:
    """The chosen score cards in the order of the box.

    Raises ActionError for none, or for an unknown one.
    """
    if not isinstance(value, list) or not all(
        isinstance(name, str) and name in CARDS for name in value
    ):
        raise ActionError(
            "cards", "One of the chosen score cards is not known; please choose again."
        )
    if not value:
        raise ActionError("cards", "Please choose the score cards that are in play.")
    return [name for name in CARDS if name in value]


def no_board(layout: Layout) -> Json:
    return {
        "text": str(SeasonBoard.empty(layout)),
        "photo": None,
        "corrections": [],
        "numbered": 0,
        "turns": 0,
    }


def board_in(text: str) -> SeasonBoard:
    try:
        return SeasonBoard.parse(text)
    except NotationError as error:
        raise ActionError(
            "notation", "That is not a board of this game: %(error)s.", error=error.message
        ) from None


def boards_of(state: Json) -> list[SeasonBoard]:
    return [SeasonBoard.parse(board["text"]) for board in state["boards"]]


def cards_in_play(state: Json) -> list[ScoreCard]:
    return [_card(name, state) for name in state["cards"]]


def _card(name: str, state: Json) -> ScoreCard:
    if name == ShortDiagonals.name and state["short_diagonals"] is not None:
        return ShortDiagonals(
            [[(row, col) for row, col in cells] for cells in state["short_diagonals"]]
        )
    return CARDS[name]


def scores_of(state: Json) -> list[PlayerScore]:
    cards = cards_in_play(state)
    return [
        score_player(Player(player["name"], Season(player["season"]), board), cards)
        for player, board in zip(state["players"], boards_of(state), strict=True)
    ]


def is_begun(boards: Iterable[SeasonBoard]) -> bool:
    """Whether a tile lies on any of the boards."""
    return any(board.tiles for board in boards)


def result_of(state: Json) -> list[Json]:
    """Points, rank and victory of every player.

    Who is equal in points and in precious tiles shares a rank.
    """
    scores = scores_of(state)
    rows = [(one.player.name, one.total, (one.total, one.precious)) for one in scores]
    return placed(rows, is_begun=is_begun(one.player.board for one in scores))

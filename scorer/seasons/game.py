"""Shifting Seasons at the table: boards, score cards in play, every point with its cells.

A board is kept as its text. The printed numbers in it say which layout a copy has; the game
remembers that layout, so that empty boards are drawn like the copy on the table.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

from scorer.actions import list_in, seat_of, text_in, unknown_action
from scorer.audit import Finding
from scorer.change import Change
from scorer.game import (
    TOTAL,
    Choice,
    Game,
    Json,
    Option,
    PadColumn,
    ScoreLine,
    SetupForm,
    paths,
)
from scorer.notation import Problem
from scorer.season import SEASONS
from scorer.seasons import actions, audit, change, view
from scorer.seasons.board import Layout, SeasonBoard
from scorer.seasons.cards import CARDS, View
from scorer.seasons.record import NOTATION
from scorer.seasons.score import FIRST_GAME, score_card
from scorer.seasons.state import (
    board_in,
    boards_of,
    cards_in,
    is_begun,
    layout_document,
    layout_in,
    layout_of,
    no_board,
    result_of,
    scores_of,
    season_in,
)
from scorer.setup import newcomer
from scorer.text import NOTHING, Text, plural

MOST_PLAYERS = 4


class Seasons(Game):
    """The game ``seasons``. Besides the actions of all games it takes

    - ``cell`` (seat, row, col, label): ``summer*``, ``.`` for none, ``1`` or ``1!`` on a number;
    - ``move`` (seat, origin, target): a tile to a free space, as a bonus token allows;
    - ``cards`` (cards), ``season`` (seat, season), ``layout`` (hand, order);
    - ``numbers`` (seat): the printed numbers that were completed on that board are right;
    - ``short_diagonals`` (diagonals or null): the print of the table's own card.
    """

    code = "seasons"
    notation = NOTATION
    told_by_photos = frozenset({"cell", "move"})

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Shifting Seasons",
            "Photograph or tap each player's board; every point is shown on the tiles that "
            "earn it.",
            most_players=MOST_PLAYERS,
            seat_label="Season",
            seats=tuple(
                Choice(season.value, season.value.capitalize(), f"season-{season.value}")
                for season in SEASONS
            ),
            options=(
                Option(
                    "cards",
                    "Score cards in play",
                    "many",
                    tuple(
                        Choice(card.name, card.label, f"scorecard-{card.name}")
                        for card in CARDS.values()
                    ),
                    default=list(FIRST_GAME),
                    help="Four cards: two that look at places and two that look at seasons.",
                ),
                Option(
                    "hand",
                    "Printed numbers on your boards",
                    "choice",
                    (
                        Choice("A", "1 beside the top left corner", "seasons-hand-A"),
                        Choice("B", "1 below the top left corner", "seasons-hand-B"),
                    ),
                    default="A",
                    help="A photo of a board sets this by itself.",
                ),
                Option(
                    "clockwise",
                    "The numbers go round clockwise",
                    "switch",
                    default=True,
                    help="Off: 3 is at the bottom left and 4 at the bottom right.",
                ),
            ),
            board="seasons",
        )

    def start(self, setup: Json) -> Json:
        players, options = setup["players"], setup["options"]
        layout = layout_in(options)
        return {
            "players": [{"name": player["name"], "season": player["colour"]} for player in players],
            "cards": cards_in(options["cards"] or list(FIRST_GAME)),
            "layout": layout_document(layout),
            "short_diagonals": None,
            "boards": [no_board(layout) for _ in players],
            "claims": {},
            "finished": False,
        }

    def change(self, new: Json, action: Json, by: Json) -> None:
        match action.get("type"):
            case "board":
                actions.set_board(new, seat_of(action, new), action)
            case "cell":
                actions.set_cell(new, seat_of(action, new), action)
            case "move":
                actions.move(new, seat_of(action, new), action)
            case "cards":
                new["cards"] = cards_in(list_in(action, "cards"))
                new["claims"] = {
                    seat: {
                        item: figure
                        for item, figure in lines.items()
                        if item in [*new["cards"], TOTAL]
                    }
                    for seat, lines in new["claims"].items()
                }
            case "season":
                actions.set_season(new, seat_of(action, new), season_in(text_in(action, "season")))
            case "layout":
                actions.set_layout(new, layout_in(action))
            case "player":
                players = [{"name": one["name"], "colour": one["season"]} for one in new["players"]]
                player = newcomer(self.setup_form(), players, action)
                new["players"].append({"name": player["name"], "season": player["colour"]})
                new["boards"].append(no_board(layout_of(new)))
            case "numbers":
                new["boards"][seat_of(action, new)]["numbered"] = 0
            case "short_diagonals":
                actions.set_short_diagonals(new, action.get("diagonals"))
            case _:
                raise unknown_action(action)

    def touches(self, action: Json) -> Sequence[str]:
        """A change of one cell leaves the rest of the board to others."""
        seat = action.get("seat")
        match action.get("type"):
            case "move":
                return paths(f"board/{seat}", (action.get("origin"), action.get("target")))
            case "season":
                return (f"season/{seat}",)
            case "numbers":
                return (f"board/{seat}",)
            case "layout":
                return ("board",)
            case "cards" | "short_diagonals" as kind:
                return (kind,)
        return super().touches(action)

    def glance(self, text: str) -> list[ScoreLine]:
        """What each score card gives for a board, whoever's it is: no season is the own one."""
        view = View(_glanced(text), own=0)
        lines = []
        for row in (score_card(card, view) for card in CARDS.values()):
            why = plural(
                "1 tile, %(precious)s precious",
                "%(tiles)s tiles, %(precious)s precious",
                tiles=row.tiles,
                precious=row.precious,
            )
            lines.append(ScoreLine("", row.card.label, row.points, why, row.cells))
        return sorted(lines, key=lambda line: -line.points)

    def glance_problems(self, text: str) -> Sequence[Problem]:
        return _glanced(text).problems()

    def difference(self, state: Json, action: Json) -> Change:
        """The tiles that were added and moved since the player's board before."""
        text, _ = actions.with_numbers(text_in(action, "text"), layout_of(state))
        return change.change(state, seat_of(action, state), text)

    def decisive(self, state: Json) -> Text:
        """The precious tiles, where they decided between equal points."""
        return view.tie(scores_of(state)) or NOTHING

    def view(self, state: Json, viewer: Json) -> Json:
        return view.shown(state, viewer)

    def ask(self, state: Json, question: Json, viewer: Json) -> Json:
        """What a changed copy of a board would score: ``{"type": "what_if", "seat", "text"}``.

        Nothing of it is kept.
        """
        if question.get("type") != "what_if":
            return super().ask(state, question, viewer)
        seat = seat_of(question, state)
        board = board_in(text_in(question, "text"))
        copied = copy.deepcopy(state)
        copied["boards"][seat]["text"] = str(board)
        return self.view(copied, viewer)

    def is_begun(self, state: Json) -> bool:
        return is_begun(boards_of(state))

    def result(self, state: Json) -> list[Json]:
        return result_of(state)

    def boards(self, state: Json) -> list[tuple[int | None, Json]]:
        return list(enumerate(state["boards"]))

    def score_lines(self, state: Json) -> list[ScoreLine]:
        lines = []
        for score in scores_of(state):
            name = score.player.name
            for row in score.cards:
                why = plural(
                    "1 tile, %(precious)s precious, %(own)s of the own season",
                    "%(tiles)s tiles, %(precious)s precious, %(own)s of the own season",
                    tiles=row.tiles,
                    precious=row.precious,
                    own=row.own,
                )
                lines.append(ScoreLine(name, row.card.name, row.points, why, row.cells))
            lines.append(ScoreLine(name, TOTAL, score.total))
        return lines

    def pad(self, state: Json) -> list[PadColumn]:
        return [PadColumn(seat, (*state["cards"], TOTAL)) for seat in range(len(state["players"]))]

    def audit(self, state: Json) -> list[Finding]:
        scores = scores_of(state)
        return [
            finding
            for seat, lines in state["claims"].items()
            for finding in audit.audit(scores[int(seat)], lines.items())
        ]


def _glanced(text: str) -> SeasonBoard:
    """The board of a photo without a game. Raises NotationError."""
    text, _ = actions.with_numbers(text, Layout())
    return SeasonBoard.parse(text)

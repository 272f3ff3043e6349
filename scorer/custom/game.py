"""Other games: grids of pieces that the players describe, with points for each piece."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence

from scorer.actions import (
    evidence_in,
    int_in,
    seat_of,
    text_in,
    unknown_action,
)
from scorer.audit import Finding
from scorer.custom import audit as custom_audit
from scorer.custom.board import MOST_LABELS, BoardSpecError, CustomBoard, new_board
from scorer.custom.documents import player_document
from scorer.custom.labels import by_number, is_label
from scorer.custom.record import NOTATION
from scorer.custom.rules import EXTRA, WORTH, Rule, label_of_line
from scorer.custom.score import PlayerScore, score_player
from scorer.fields import problem_document
from scorer.game import (
    MOST_FIGURE,
    TOTAL,
    ActionError,
    Choice,
    Game,
    Json,
    Option,
    PadColumn,
    ScoreLine,
    SetupForm,
    column_key,
    placed,
)
from scorer.notation import EMPTY, Cell, NotationError, by_cell, join_rows, split_rows
from scorer.setup import newcomer
from scorer.text import NOTHING, Text, listed

COLOURS = ("red", "blue", "yellow", "green", "white", "black")


def unusable(error: BoardSpecError) -> ActionError:
    """What is said of a description that no game can be started with."""
    return ActionError(
        "board", "The description of the board cannot be used: %(error)s.", error=error.message
    )


class Custom(Game):
    """A game of which only the board's description is known, with its score rules if it has any.

    ``options["board"]`` is the parsed description (see
    ``scorer.custom.board.CustomBoard.from_table``); the points of each piece are set during the
    game.
    """

    code = "custom"
    notation = NOTATION

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Another game",
            "Any grid of tiles or cards that you describe: read from a photo, counted, with "
            "points for each piece.",
            most_players=8,
            seats=tuple(Choice(colour, colour) for colour in COLOURS),
            distinct=False,
            options=(
                Option(
                    "shared",
                    "One board for all",
                    "switch",
                    default=False,
                    help="Off: every player has a board, which is scored. On: the board belongs to "
                    "nobody and earns nothing; note the points of each player by hand.",
                ),
            ),
            board="custom",
        )

    def start(self, setup: Json) -> Json:
        table = setup["options"].get("board")
        if not isinstance(table, dict):
            raise ActionError(
                "board", "Please describe the board first: its name, rows and columns."
            )
        try:
            CustomBoard.from_table(table)
        except BoardSpecError as error:
            raise unusable(error) from None
        return {
            "players": setup["players"],
            "board": copy.deepcopy(table),
            "shared": setup["options"]["shared"],
            "boards": {},
            "worth": {},
            "extra": {},
            "claims": {},
            "finished": False,
        }

    def expect_new(self, setup: Json) -> None:
        try:
            new_board(setup["options"]["board"])
        except BoardSpecError as error:
            raise unusable(error) from None

    def change(self, new: Json, action: Json, by: Json) -> None:
        match action.get("type"):
            case "board":
                seat = _board_seat(action, new)
                new["boards"][column_key(seat)] = {
                    "text": join_rows(_grid(new, text_in(action, "text"))),
                    "photo": evidence_in(action)["photo"],
                }
            case "cell":
                self._set_cell(new, action)
            case "worth":
                new["worth"][_label(text_in(action, "label"))] = _points(action)
                if len(new["worth"]) > MOST_LABELS:
                    raise ActionError(
                        "label",
                        "At most %(most)s kinds of pieces can have points.",
                        most=MOST_LABELS,
                    )
            case "player":
                new["players"].append(newcomer(self.setup_form(), new["players"], action))
            case "extra":
                new["extra"][column_key(seat_of(action, new))] = _points(action)
            case _:
                raise unknown_action(action)

    def touches(self, action: Json) -> Sequence[str]:
        match action.get("type"):
            case "extra":
                return (f"extra/{action.get('seat')}",)
            case "worth":
                return (f"worth/{action.get('label')}",)
        return super().touches(action)

    def _set_cell(self, new: Json, action: Json) -> None:
        board = new["boards"].get(column_key(_board_seat(action, new)))
        if board is None:
            raise ActionError(
                "no_board", "There is no board yet: photograph it or type it in first."
            )
        rows = _grid(new, board["text"])
        row, col = int_in(action, "row"), int_in(action, "col")
        if not (0 <= row < len(rows) and 0 <= col < len(rows[row])):
            raise ActionError("cell", "That cell is not on the board; please reload the page.")
        rows[row][col] = _word(text_in(action, "label"))
        board["text"] = join_rows(rows)

    def view(self, state: Json, viewer: Json) -> Json:
        scores = self._scores(state)
        grids = [split_rows(board["text"]) for board in state["boards"].values()]
        laid = {word for rows in grids for row in rows for word in row if word != EMPTY}
        labels = set() if state["shared"] else {*laid, *state["worth"]}
        problems = CustomBoard.from_table(state["board"]).problems(grids)
        return {
            "board": state["board"],
            "shared": state["shared"],
            "boards": state["boards"],
            "problems": [problem_document(problem) for problem in problems],
            "labels": sorted(labels, key=by_number),
            "worth": state["worth"],
            "players": scores,
            "may_edit": viewer.get("role") != "viewer",
        }

    def _scores(self, state: Json) -> list[Json]:
        """Each player's score as pages have it, with the worth of each piece that lies there."""
        found = []
        for player, score in zip(state["players"], scores_of(state), strict=True):
            counts = Counter(label for row in score.grid for label in row if label != EMPTY)
            lines = [
                {"label": label, "count": count, "worth": worth, "points": count * worth}
                for label in sorted(counts, key=by_number)
                for count, worth in ((counts[label], state["worth"].get(label, 0)),)
            ]
            row = player_document(score)
            row["rules"] = [rule for rule in row["rules"] if rule["rule"] != WORTH]
            found.append(row | {"colour": player.get("colour"), "lines": lines})
        return found

    def glance(self, text: str) -> list[ScoreLine]:
        """How often each piece lies there: the text alone says no rules."""
        cells: dict[str, list[Cell]] = {}
        for cell, word in by_cell(split_rows(text)):
            cells.setdefault(word, []).append(cell)
        return [
            ScoreLine("", word, len(cells[word]), cells=tuple(cells[word]))
            for word in sorted(cells, key=by_number)
            if word != EMPTY
        ]

    def is_begun(self, state: Json) -> bool:
        return bool(state["boards"] or state["extra"])

    def result(self, state: Json) -> list[Json]:
        scores = scores_of(state)
        rows = [(score.name, score.total, score.total) for score in scores]
        rules, worth = _earning(state)
        counts = bool(rules or any(worth.values()) or state["extra"])  # else no piece has points
        return placed(rows, is_begun=counts and self.is_begun(state))

    def boards(self, state: Json) -> list[tuple[int | None, Json]]:
        return [
            (None if key == "shared" else int(key), board)
            for key, board in sorted(state["boards"].items())
        ]

    def score_lines(self, state: Json) -> list[ScoreLine]:
        lines = []
        for score in scores_of(state):
            for item in score.items:
                why = listed([one.why for one in item.earned]) if item.earned else NOTHING
                lines.append(ScoreLine(score.name, item.name, item.points, why, item.cells))
            if score.extra and score.items:
                lines.append(ScoreLine(score.name, EXTRA, score.extra))
            lines.append(ScoreLine(score.name, TOTAL, score.total))
        return lines

    def label(self, item: str) -> Text:
        return label_of_line(item)

    def pad(self, state: Json) -> list[PadColumn]:
        rules, worth = _earning(state)
        parts = [rule.name for rule in rules]
        if any(worth.values()):
            parts.append(WORTH)
        items = (*parts, *([EXTRA] if parts else []), TOTAL)
        return [PadColumn(seat, items) for seat in range(len(state["players"]))]

    def audit(self, state: Json) -> list[Finding]:
        scores = scores_of(state)
        return [
            finding
            for seat, lines in state["claims"].items()
            for finding in custom_audit.audit(scores[int(seat)], lines.items())
        ]


def scores_of(state: Json) -> list[PlayerScore]:
    """Every player's score; the one board of all is counted for nobody."""
    (rules, worth), found = _earning(state), []
    for seat, player in enumerate(state["players"]):
        board = None if state["shared"] else state["boards"].get(column_key(seat))
        grid = split_rows(board["text"]) if board else []
        extra = state["extra"].get(column_key(seat), 0)
        found.append(score_player(player["name"], grid, rules, worth, extra))
    return found


def _earning(state: Json) -> tuple[Sequence[Rule], Mapping[str, int]]:
    """What earns points on the boards: the rules, and the worth of pieces. Nothing does on the one
    board of all."""
    if state["shared"]:
        return (), {}
    return CustomBoard.from_table(state["board"]).score, state["worth"]


def _board_seat(action: Json, state: Json) -> int | None:
    """Whose board it is; None for the one board of all."""
    is_shared = state["shared"] and action.get("seat") is None
    return None if is_shared else seat_of(action, state)


def _grid(state: Json, text: str) -> list[list[str]]:
    try:
        rows = CustomBoard.from_table(state["board"]).rows_in(text)
    except NotationError as error:
        raise ActionError(
            "notation", "That is not a board of this game: %(error)s.", error=error.message
        ) from None
    return [[_word(word) for word in row] for row in rows]


def _points(action: Json) -> int:
    points = int_in(action, "points")
    if abs(points) > MOST_FIGURE:
        raise ActionError("points", "That is more than any game gives; please check the number.")
    return points


def _word(word: str) -> str:
    return word if word == EMPTY else _label(word)


def _label(word: str) -> str:
    if not is_label(word):
        raise ActionError(
            "label", "A piece's name is one word of at most 40 letters without a slash."
        )
    return word

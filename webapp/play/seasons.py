"""Shifting Seasons at the table: boards by photo or by hand, score cards in play, every point with its cells.

A board is kept as its text. The printed numbers in it say which of the four layouts a copy has; the game
remembers that layout, so that empty boards are drawn like the copy on the table.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from scorer.fields import UnreadableError, problem_document
from scorer.notation import EMPTY, NotationError, join_rows, split_grid
from scorer.season import SEASONS, Season
from scorer.seasons import documents
from scorer.seasons.board import (
    FRAME_MARK,
    SIDE,
    TILES_A_PLAYER,
    Cells,
    Hand,
    Layout,
    Number,
    SeasonBoard,
    Tile,
    as_cells,
    cells_of,
    table_notes,
    table_problems,
)
from scorer.seasons.cards import (
    AREA_SEASONS,
    CARDS,
    SHORT_DIAGONALS,
    AreaColour,
    ColourSets,
    PositionCard,
    ScoreCard,
    ShortDiagonals,
    View,
)
from scorer.seasons.score import FIRST_GAME, CardScore, Player, PlayerScore, score_player, winners
from scorer.seasons.turn import AREAS, legal_cells
from webapp.play import ActionError, Choice, Json, Option, SetupForm
from webapp.play.common import (
    dict_in,
    evidence_in,
    int_in,
    list_in,
    players_of,
    seat_of,
    text_in,
    unknown_action,
)

MOST_PLAYERS = 4

CARD_LABELS = {
    "six-diagonals": "Six diagonals",
    "six-columns": "Six columns",
    "connections": "Connections",
    "outer-edge": "Outer edge",
    "number-neighbours": "Number neighbours",
    "short-diagonals": "Short diagonals",
    "centre": "Centre",
    "area-colour": "Area colour",
    "largest-group": "Largest group",
    "colour-diagonals": "Colour diagonals",
    "colour-lines": "Colour lines",
    "colour-squares": "Colour squares",
    "colour-pairs": "Colour pairs",
    "colour-sets": "Colour sets",
}
"""Names of the score cards for people; the printed numbers are known for few of them."""

LEAST_NUMBERS = 2
"""Printed numbers that a reading must have at their cells before the others are believed to be there, too."""

HANDS = {hand.name: hand for hand in Hand}
TOTAL = "total"


class Seasons:
    """The game ``seasons``. Besides the actions of all games it takes

    - ``cell`` (seat, row, col, label): a tile such as ``summer*``, ``.`` for none, ``1`` or ``1!`` on a number;
    - ``move`` (seat, origin, target): a tile to a free space, as a bonus token allows;
    - ``cards`` (cards), ``season`` (seat, season), ``layout`` (hand, clockwise);
    - ``short_diagonals`` (diagonals or null): the print of the table's own card.
    """

    code = "seasons"

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Shifting Seasons",
            "Photograph or tap each player's board; every point is shown on the tiles that earn it.",
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
                    tuple(Choice(name, CARD_LABELS[name], f"scorecard-{name}") for name in CARDS),
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
        options = setup.get("options") or {}
        players = players_of(setup)
        if len(players) > MOST_PLAYERS:
            raise ActionError("players", f"Up to {MOST_PLAYERS} people can play Shifting Seasons.")
        seasons = [_season(player.get("colour") or player.get("season")) for player in players]
        for season in seasons:
            if seasons.count(season) > 1:
                raise ActionError(
                    "season", f"Two players have {season.value}: every player needs a season of their own."
                )
        layout = _layout(options.get("hand", "A"), options.get("clockwise", True))
        return {
            "players": [
                {"name": player["name"].strip(), "season": season.value}
                for player, season in zip(players, seasons, strict=True)
            ],
            "cards": _cards(options.get("cards") or list(FIRST_GAME)),
            "layout": _layout_document(layout),
            "short_diagonals": None,
            "boards": [_no_board(layout) for _ in players],
            "claims": {},
            "finished": False,
        }

    def act(self, state: Json, action: Json, by: Json) -> Json:
        new = copy.deepcopy(state)
        match action.get("type"):
            case "board":
                _set_board(new, _seat(action, state), action)
            case "cell":
                _set_cell(new, _seat(action, state), action)
            case "move":
                _move(new, _seat(action, state), action)
            case "cards":
                new["cards"] = _cards(list_in(action, "cards"))
                new["claims"] = {
                    seat: {item: figure for item, figure in lines.items() if item in [*new["cards"], TOTAL]}
                    for seat, lines in new["claims"].items()
                }
            case "season":
                _set_season(new, _seat(action, state), _season(text_in(action, "season")))
            case "layout":
                _set_layout(new, _layout(action.get("hand"), action.get("clockwise")))
            case "short_diagonals":
                _set_short_diagonals(new, action.get("diagonals"))
            case "claim":
                new["claims"][str(_seat(action, state))] = _claim(new, dict_in(action, "lines"))
            case "finish" | "resume" as kind:
                new["finished"] = kind == "finish"
            case _:
                raise unknown_action(action)
        return new

    def touches(self, action: Json) -> Sequence[str]:
        """What an action overwrites: a change of one cell leaves the rest of the board to others."""
        seat = action.get("seat")
        match action.get("type"):
            case "cell":
                return (f"board/{seat}/{action.get('row')}/{action.get('col')}",)
            case "move":
                return tuple(
                    f"board/{seat}/{cell[0]}/{cell[1]}"
                    for cell in (action.get("origin"), action.get("target"))
                    if isinstance(cell, list) and len(cell) == 2
                )
            case "board" | "claim" | "season" as kind:
                return (f"{kind}/{seat}",)
            case "layout":
                return ("board",)
            case "cards" | "short_diagonals" as kind:
                return (kind,)
        return ()

    def view(self, state: Json, viewer: Json) -> Json:
        scores = _scores(state)
        boards = [score.player.board for score in scores]
        cards = _cards_in_play(state)
        ranks = _ranks(scores)
        return {
            "players": [
                _player_view(state, seat, score, cards) | {"rank": ranks[seat], "winner": ranks[seat] == 1}
                for seat, score in enumerate(scores)
            ],
            "cards": [_card_view(card) for card in cards],
            "all_cards": [_card_view(card) for card in CARDS.values()],
            "tie": _tie(scores),
            "layout": state["layout"],
            "layouts": [_layout_document(board.layout) for board in boards],
            "layouts_differ": len({board.layout for board in boards}) > 1,
            "short_diagonals": state["short_diagonals"] or [[list(c) for c in d] for d in SHORT_DIAGONALS],
            "short_diagonals_are_own": state["short_diagonals"] is not None,
            "problems": _problems(boards),
            "notes": list(table_notes(boards)),
            "tiles_a_player": TILES_A_PLAYER,
            "claims": state["claims"],
            "finished": state["finished"],
            "may_edit": viewer.get("role") != "viewer",
        }

    def ask(self, state: Json, question: Json, viewer: Json) -> Json:
        """What a changed copy of a board would score: ``{"type": "what_if", "seat", "text"}``.

        Nothing of it is kept.
        """
        if question.get("type") != "what_if":
            raise ActionError("question", "This game knows no such question; please reload the page.")
        seat = _seat(question, state)
        board = _board(text_in(question, "text"))
        copied = copy.deepcopy(state)
        copied["boards"][seat]["text"] = str(board)
        return self.view(copied, viewer)

    def result(self, state: Json) -> list[Json]:
        scores = _scores(state)
        ranks = _ranks(scores)
        return [
            {"player": score.player.name, "score": score.total, "rank": rank, "winner": rank == 1}
            for score, rank in zip(scores, ranks, strict=True)
        ]

    def documents(self, state: Json) -> list[Json]:
        return [_document(state)]


def _seat(action: Json, state: Json) -> int:
    seat = seat_of(action, state)
    assert seat is not None  # only an optional seat can be None
    return seat


def _season(value: Any) -> Season:
    try:
        return Season.named(value if isinstance(value, str) else "")
    except NotationError:
        raise ActionError("season", "Every player needs one of the four seasons.") from None


def _layout(hand: Any, clockwise: Any) -> Layout:
    if not isinstance(hand, str) or hand not in HANDS or not isinstance(clockwise, bool):
        raise ActionError("layout", "Please choose where the printed numbers of your boards are.")
    return Layout(HANDS[hand], clockwise)


def _layout_of(state: Json) -> Layout:
    return _layout(state["layout"]["hand"], state["layout"]["clockwise"])


def _layout_document(layout: Layout) -> Json:
    return {"hand": layout.hand.name, "clockwise": layout.clockwise}


def _cards(value: Any) -> list[str]:
    """The chosen score cards in the order of the box. Raises ActionError for none, or for an unknown one."""
    if not isinstance(value, list) or not all(isinstance(name, str) and name in CARDS for name in value):
        raise ActionError("cards", "One of the chosen score cards is not known; please choose again.")
    if not value:
        raise ActionError("cards", "Please choose the score cards that are in play.")
    return [name for name in CARDS if name in value]


def _no_board(layout: Layout) -> Json:
    return {
        "text": str(SeasonBoard.empty(layout)),
        "photo": None,
        "corrections": [],
        "numbered": 0,
        "turns": 0,
    }


def _board(text: str) -> SeasonBoard:
    try:
        return SeasonBoard.parse(text)
    except NotationError as error:
        raise ActionError("notation", f"That is not a board of this game: {error}.") from None


def _boards(state: Json) -> list[SeasonBoard]:
    return [SeasonBoard.parse(board["text"]) for board in state["boards"]]


def _set_board(state: Json, seat: int, action: Json) -> None:
    """Takes a reading. The first board with other numbers says how those of the copy are printed."""
    evidence = evidence_in(action)
    text, numbered = _numbered(text_in(action, "text"), _layout_of(state))
    board = _board(text)
    state["boards"][seat] = {
        "text": str(board),
        "photo": evidence["photo"],
        "corrections": _merged([*evidence["corrections"], *numbered]),
        "numbered": len(numbered),
        "turns": action.get("turns") or 0,
    }
    others = [other for at, other in enumerate(_boards(state)) if at != seat]
    if board.layout != _layout_of(state) and not any(other.tiles for other in others):
        _set_layout(state, board.layout)


def _numbered(text: str, layout: Layout) -> tuple[str, list[list[Any]]]:
    """A reading whose printed numbers are those of no copy, with the numbers of this one in their places.

    Only where numbers are read at the number cells of one hand and nowhere else, so that no tile is touched.
    The changes are given as corrections; they are empty for a reading that can stay as it is.
    """
    try:
        SeasonBoard.parse(text)
        rows: list[list[str]] = []
    except NotationError:
        try:
            rows = split_grid(text, (SIDE, SIDE), (SIDE, SIDE))
        except NotationError:
            rows = []
    words = {(row, col): word for row, line in enumerate(rows) for col, word in enumerate(line)}
    read = {cell for cell, word in words.items() if word[0].isdigit()}
    for hand in Hand:
        cells = Layout(hand, layout.clockwise).numbers
        if (
            len(read) >= LEAST_NUMBERS
            and read <= set(cells)
            and all(words[c] == EMPTY for c in {*cells} - read)
        ):
            changes: list[list[Any]] = []
            for cell, number in zip(cells, AREAS, strict=True):
                printed = str(Number(number, words[cell].endswith(FRAME_MARK)))
                if words[cell] != printed:
                    changes.append([*cell, words[cell], printed])
                    rows[cell[0]][cell[1]] = printed
            return join_rows(rows), changes
    return text, []


def _merged(corrections: list[Any]) -> list[Any]:
    """One correction a cell: what was read there, and what people say. A cell that is as it was read has none."""
    found: dict[tuple[Any, Any], list[Any]] = {}
    for correction in corrections:
        if not isinstance(correction, list) or len(correction) != 4 or not _on_board(correction[:2]):
            raise ActionError("action", "The corrections did not arrive well; please reload the page.")
        row, col, before, after = correction
        kept = found.setdefault((row, col), [row, col, before, after])
        kept[3] = after
    return [correction for correction in found.values() if correction[2] != correction[3]]


def _change(state: Json, seat: int, board: SeasonBoard) -> None:
    """Keeps a changed board; what differs from a photo is a correction of its reading."""
    kept = state["boards"][seat]
    if kept["photo"] is not None:
        before = _board(kept["text"])
        changes = [
            [*cell, _word(before[cell]), _word(content)]
            for cell, content in board.items()
            if content != before[cell]
        ]
        kept["corrections"] = _merged([*kept["corrections"], *changes])
    kept["text"] = str(board)


def _word(content: Tile | Number | None) -> str:
    return EMPTY if content is None else str(content)


def _set_cell(state: Json, seat: int, action: Json) -> None:
    board = _board(state["boards"][seat]["text"])
    cell = (int_in(action, "row"), int_in(action, "col"))
    if not all(0 <= at < SIDE for at in cell):
        raise ActionError("cell", "That cell is not on the board; please reload the page.")
    content = _content(text_in(action, "label"))
    if isinstance(board[cell], Number) != isinstance(content, Number):
        raise ActionError("cell", "A number is printed there: no tile can lie on it.")
    if isinstance(content, Number) and content.value != board.layout.numbers.index(cell) + 1:
        raise ActionError("cell", "Another number is printed there.")
    _change(state, seat, SeasonBoard.of(dict(board.items()) | {cell: content}))


def _content(label: str) -> Tile | Number | None:
    """What a cell may show: nothing, a tile, or a number with or without a frame."""
    if label == ".":
        return None
    value, framed = label.removesuffix("!"), label.endswith("!")
    if value in map(str, AREAS):
        return Number(int(value), framed)
    try:
        return Tile.parse(label)
    except NotationError:
        raise ActionError("cell", f"There is no tile {label[:40]!r} in Shifting Seasons.") from None


def _move(state: Json, seat: int, action: Json) -> None:
    board = _board(state["boards"][seat]["text"])
    origin, target = (_cell(action, name) for name in ("origin", "target"))
    tile = board[origin]
    if not isinstance(tile, Tile):
        raise ActionError("cell", "There is no tile to move.")
    if board[target] is not None:
        raise ActionError("cell", "A tile can only move to a free space.")
    _change(state, seat, board.with_tile(origin, None).with_tile(target, tile))


def _cell(action: Json, name: str) -> tuple[int, int]:
    cell = list_in(action, name)
    if _on_board(cell):
        return cell[0], cell[1]
    raise ActionError("cell", "That cell is not on the board; please reload the page.")


def _on_board(cell: list[Any]) -> bool:
    return len(cell) == 2 and all(type(at) is int and 0 <= at < SIDE for at in cell)


def _set_season(state: Json, seat: int, season: Season) -> None:
    """Gives a player another season; whoever has it takes the one that is given up."""
    own = state["players"][seat]
    for player in state["players"]:
        if player["season"] == season.value:
            player["season"] = own["season"]
    own["season"] = season.value


def _set_layout(state: Json, layout: Layout) -> None:
    """Prints the numbers of all boards elsewhere, if no tile lies there."""
    changed = []
    for player, board in zip(state["players"], _boards(state), strict=True):
        contents: dict[tuple[int, int], Tile | Number | None] = {
            cell: content for cell, content in board.items() if isinstance(content, Tile)
        }
        if any(cell in contents for cell in layout.numbers):
            raise ActionError(
                "layout",
                f"The board of {player['name']} has a tile where that print has a number; please check it first.",
            )
        framed = [board.framed >> (row * SIDE + col) & 1 for row, col in board.layout.numbers]
        for cell, value, frame in zip(layout.numbers, AREAS, framed, strict=True):
            contents[cell] = Number(value, bool(frame))
        changed.append(str(SeasonBoard.of(contents)))
    for kept, text in zip(state["boards"], changed, strict=True):
        kept["text"] = text
    state["layout"] = _layout_document(layout)


def _set_short_diagonals(state: Json, diagonals: Any) -> None:
    asked = copy.deepcopy(state)
    asked["cards"] = [ShortDiagonals.name]
    asked["short_diagonals"] = copy.deepcopy(diagonals)
    try:
        documents.score(_document(asked))
    except UnreadableError:
        raise ActionError(
            "short_diagonals", "The card shows four diagonals of three different spaces without a number."
        ) from None
    state["short_diagonals"] = asked["short_diagonals"]


def _claim(state: Json, lines: Json) -> Json:
    items = [*state["cards"], TOTAL]
    for item, figure in lines.items():
        if item not in items or type(figure) is not int or not 0 <= figure < 1000:
            raise ActionError("claim", "The pad has a whole number for each score card and the total.")
    return {item: lines[item] for item in items if item in lines}


def _cards_in_play(state: Json) -> list[ScoreCard]:
    return [_card(name, state) for name in state["cards"]]


def _card(name: str, state: Json) -> ScoreCard:
    if name == ShortDiagonals.name and state["short_diagonals"] is not None:
        return ShortDiagonals([[(row, col) for row, col in cells] for cells in state["short_diagonals"]])
    return CARDS[name]


def _scores(state: Json) -> list[PlayerScore]:
    cards = _cards_in_play(state)
    return [
        score_player(Player(player["name"], Season(player["season"]), board), cards)
        for player, board in zip(state["players"], _boards(state), strict=True)
    ]


def _ranks(scores: Sequence[PlayerScore]) -> list[int]:
    """1 for the winners; who is equal in points and in precious tiles shares a rank."""
    ranks = []
    for score in scores:
        ahead = [other for other in scores if (other.total, other.precious) > (score.total, score.precious)]
        ranks.append(1 + len(ahead))
    return ranks


def _tie(scores: Sequence[PlayerScore]) -> Json | None:
    """Whether the most points were shared, and what then decided."""
    best = max(score.total for score in scores)
    tied = [score for score in scores if score.total == best]
    if len(tied) < 2 or not best:
        return None
    won = [player.name for player in winners(scores)]
    return {
        "points": best,
        "players": [{"name": score.player.name, "precious": score.precious} for score in tied],
        "winners": won,
        "shared": len(won) > 1,
    }


def _problems(boards: Sequence[SeasonBoard]) -> list[Json]:
    """What cannot lie on the table; ``seat`` says on whose board, or null if only all together cannot be."""
    found = [
        problem_document(problem) | {"seat": seat}
        for seat, board in enumerate(boards)
        for problem in board.problems()
    ]
    known = {problem["message"] for problem in found}
    return found + [
        problem_document(problem) | {"seat": None}
        for problem in table_problems(boards)
        if problem.message not in known
    ]


def _document(state: Json) -> Json:
    """The document of ``tallystone score`` and ``audit`` for this table."""
    document: Json = {
        "game": "seasons",
        "cards": list(state["cards"]),
        "players": [
            {"name": player["name"], "season": player["season"], "board": board["text"]}
            for player, board in zip(state["players"], state["boards"], strict=True)
        ],
    }
    if state["short_diagonals"] is not None:
        document["short_diagonals"] = state["short_diagonals"]
    claimed = {state["players"][int(seat)]["name"]: lines for seat, lines in state["claims"].items() if lines}
    if claimed:
        document["claimed"] = claimed
    return document


def _card_view(card: ScoreCard) -> Json:
    return {
        "card": card.name,
        "label": CARD_LABELS[card.name],
        "number": card.number,
        "family": card.family.value,
        "most": card.most,
        "times": card.times,
    }


def _player_view(state: Json, seat: int, score: PlayerScore, cards: Sequence[ScoreCard]) -> Json:
    player, board = score.player, score.player.board
    kept = state["boards"][seat]
    view = View.of(board, player.season)
    words = str(board).replace(" / ", " ").split()
    return {
        "seat": seat,
        "name": player.name,
        "season": player.season.value,
        "text": str(board),
        "cells": [words[at : at + SIDE] for at in range(0, SIDE * SIDE, SIDE)],
        "photo": kept["photo"],
        "corrections": len(kept["corrections"]),
        "numbered": kept["numbered"],
        "tiles": board.tiles.bit_count(),
        "precious": score.precious,
        "own": view.own.bit_count(),
        "total": score.total,
        "cards": [_score_view(row, view) for row in score.cards],
        "legal": {str(number): _cells(legal_cells(board, number)) for number in AREAS},
        "areas": [_area_view(board, number) for number in AREAS],
    }


def _area_view(board: SeasonBoard, number: int) -> Json:
    area = board.layout.plan.areas[number - 1]
    place = board.layout.numbers[number - 1]
    return {
        "number": number,
        "cell": list(place),
        "cells": _cells(cells_of(area)),
        "tiles": (area & board.tiles).bit_count(),
        "spaces": area.bit_count(),
        "framed": bool(board.framed >> (place[0] * SIDE + place[1]) & 1),
        "season": AREA_SEASONS[number - 1].value,
    }


def _score_view(row: CardScore, view: View) -> Json:
    """One field of the pad: the points, every group of cells with what it gives, and what each cell gives.

    Cells of two groups count once; ``shared`` names them and ``twice`` what they would give too much.
    """
    seen = shared = 0
    for group in row.groups:
        shared |= group & seen
        seen |= group
    groups = [_group_view(row, group, view) for group in row.groups]
    found: Json = {
        "card": row.card.name,
        "points": row.points,
        "tiles": row.tiles,
        "precious": row.precious,
        "own": row.own,
        "times": row.card.times,
        "groups": groups,
        "cells": [
            [row_of, col, row.card.times * view.value(as_cells([(row_of, col)]))]
            for row_of, col in cells_of(seen)
        ],
        "shared": _cells(cells_of(shared)),
        "twice": row.card.times * sum(map(view.value, row.groups)) - row.points,
        "open": [],
    }
    if isinstance(row.card, PositionCard):
        tiles = view.board.tiles
        found["open"] = [
            {"cells": _cells(cells_of(place & tiles)), "missing": _cells(cells_of(place & ~tiles))}
            for place in row.card.places(view.board)
            if place & ~tiles
        ]
    return found


def _group_view(row: CardScore, group: Cells, view: View) -> Json:
    tiles = group & view.board.tiles
    seasons = [season.value for season, held in zip(SEASONS, view.board.seasons, strict=True) if tiles & held]
    areas = [number for number, area in zip(AREAS, view.board.layout.plan.areas, strict=True) if tiles & area]
    return {
        "cells": _cells(cells_of(group)),
        "tiles": tiles.bit_count(),
        "precious": (tiles & view.board.precious).bit_count(),
        "own": (tiles & view.own).bit_count(),
        "points": row.card.times * view.value(group),
        "season": seasons[0] if len(seasons) == 1 else None,
        "area": areas[0] if isinstance(row.card, AreaColour | ColourSets) else None,
    }


def _cells(cells: Sequence[tuple[int, int]]) -> list[list[int]]:
    return [list(cell) for cell in cells]


GAME = Seasons()

"""Shifting Stones at the table: the nine stones, whose turn it is, hands, scored cards and the end.

The stones, the scored cards and how many cards somebody holds lie open; which cards they hold is
theirs alone, so only the view of a seat shows its hand. What is told of the turns is checked
against the rules; what happened unseen is added afterwards (``award``, ``turn``, ``board``), and
from then on the deck is no longer counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.actions import is_own, seat_of, text_in, unknown_action
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
from scorer.setup import newcomer
from scorer.stones import actions, audit, change, view
from scorer.stones.cards import CARDS
from scorer.stones.documents import ITEMS
from scorer.stones.record import NOTATION
from scorer.stones.rounds import HAND
from scorer.stones.solo import SOLO_CARDS
from scorer.stones.state import (
    deck_card,
    is_alone,
    is_begun,
    is_lost_alone,
    is_over,
    is_won_alone,
    new_seat,
    result_of,
    scores_of,
    turn_seat,
)
from scorer.text import NOTHING, Text

MOST_PLAYERS = 5
"""Players of the box; the rules for five hold for more, but the deck does not."""

COLOURS = ("yellow", "red", "purple", "turquoise", "green")


class Stones(Game):
    """See the module. Actions besides those of every game:

    - ``cell`` (row, col, label): correct what was read; costs nothing
    - ``move`` (``shift``: two cells, or ``flip``: a cell; ``discard``: an own card or null)
    - ``score`` (card), ``end_turn``, ``skip``: anybody may tell what the one whose turn it is did.
      These and ``move`` may say with ``turn`` the number of that turn: they are refused once it
      has ended
    - ``award`` (seat, cards), ``unscore`` (seat, card), ``turn``, ``first`` (seat): what was not
      told in time
    - ``hand`` (seat, cards): only by the seat itself
    """

    code = "stones"
    notation = NOTATION
    told_by_photos = frozenset({"move"})

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Shifting Stones",
            "Nine stones and a hand of pattern cards: what matches now, what is a move away, "
            "who has won.",
            most_players=MOST_PLAYERS,
            seats=tuple(Choice(colour, colour) for colour in COLOURS),
            options=(
                Option(
                    "advice",
                    "Allow advice",
                    "switch",
                    default=True,
                    help="Shows how far away a card is and the best turn to whoever asks. "
                    "Matches are always shown.",
                ),
                Option(
                    "skip_is_strike",
                    "Playing alone, a skipped turn is a strike",
                    "switch",
                    default=True,
                    help="The rulebook does not settle it.",
                    alone=True,
                ),
            ),
            board="stones",
        )

    def start(self, setup: Json) -> Json:
        players = setup["players"]
        deck = SOLO_CARDS if len(players) == 1 else len(CARDS)
        return {
            "players": players,
            "options": setup["options"],
            "board": None,
            "first": 0,
            "turn": 0,
            "has_acted": False,
            "scored_now": [],
            "paid_now": [],
            "known_now": [],
            "has_ended": False,
            "seats": [new_seat() for _ in players],
            "deck": deck - HAND * len(players),
            "discards": 0,
            "counted": True,
            "strikes": 0,
            "claims": {},
            "finished": False,
        }

    def change(self, new: Json, action: Json, by: Json) -> None:
        match action.get("type"):
            case "board":
                actions.set_board(new, action)
            case "cell":
                actions.set_cell(new, action)
            case "hand":
                actions.set_hand(new, action, by)
            case "move":
                actions.move(new, action, by)
            case "score":
                actions.score(new, action)
            case "end_turn":
                actions.end_turn(new, action, skipped=False)
            case "skip":
                actions.end_turn(new, action, skipped=True)
            case "award":
                actions.award(new, action)
            case "unscore":
                actions.unscore(new, action)
            case "turn":
                actions.pass_turn_to(new, seat_of(action, new))
            case "player":
                actions.join(new, newcomer(self.setup_form(), new["players"], action))
            case "first":
                actions.expect_not_begun(new)
                new["first"] = seat_of(action, new)
            case _:
                raise unknown_action(action)

    def turn_of(self, state: Json) -> tuple[int, int] | None:
        return state["turn"] + 1, turn_seat(state)

    def touches(self, action: Json) -> Sequence[str]:
        """The stones that change, the turn when it passes on, one's own hand and claims."""
        match action.get("type"):
            case "board":
                return ("board",)
            case "cell":
                return (f"board/{action.get('row')}/{action.get('col')}",)
            case "move":
                shift = action.get("shift")
                cells = shift if isinstance(shift, list) else [action.get("flip")]
                return paths("board", cells)
            case "end_turn" | "skip" | "turn" | "first":
                return ("turn",)
            case "hand" | "claim" as kind:
                return (f"{kind}/{action.get('seat')}",)
            case _:
                return ()

    def difference(self, state: Json, action: Json) -> Change:
        """The fewest discards between the stones as they lay and as they lie now."""
        return change.change(state, text_in(action, "text"))

    def over(self, state: Json) -> bool:
        return super().over(state) or is_over(state)

    def told(self, before: Json, action: Json, after: Json) -> Text:
        name = before["players"][turn_seat(before)]["name"]
        match action.get("type"):
            case "move" if action.get("shift") is not None:
                return Text("%(name)s swaps two stones.", name=name)
            case "move":
                return Text("%(name)s flips a stone.", name=name)
            case "score":
                return Text("%(name)s scores a card.", name=name)
            case "end_turn" | "skip" | "turn" | "first":
                seat = self.turn(after)
                if seat is None:
                    return Text("The last turn is over.")
                return Text("It is the turn of %(name)s.", name=after["players"][seat]["name"])
        return super().told(before, action, after)

    def alone(self, state: Json) -> Text:
        if is_won_alone(state):
            return Text("All 16 cards: you have won!")
        lost = is_lost_alone(state)
        return Text("The last strike: this game is lost.") if lost else NOTHING

    def view(self, state: Json, viewer: Json) -> Json:
        return view.shown(state, viewer)

    def public(self, state: Json, viewer: Json) -> Json:
        """The state without the cards of other hands, and without those just scored from them."""
        seats = [
            held if is_own(seat, viewer) else held | {"hand": [], "excess": 0}
            for seat, held in enumerate(state["seats"])
        ]
        known = state.get("known_now", []) if is_own(turn_seat(state), viewer) else []
        return state | {"seats": seats, "known_now": known}

    def public_action(self, action: Json, viewer: Json, *, undone: bool = False) -> Json:
        """An action of the log without the cards of other hands.

        Which card paid for a move is left out for all: an undo or a redo by anybody must not tell.
        """
        match action.get("type"):
            case "hand" if not is_own(action.get("seat"), viewer):
                return action | {"cards": []}
            case "move":
                return action | {"discard": None}
            case "board" if moves := action.get("moves"):
                return action | {"moves": [move | {"discard": None} for move in moves]}
        return action

    def is_begun(self, state: Json) -> bool:
        return is_begun(state)

    def result(self, state: Json) -> list[Json]:
        return result_of(state)

    def boards(self, state: Json) -> list[tuple[int | None, Json]]:
        return [(None, state["board"])] if state["board"] else []

    def score_lines(self, state: Json) -> list[ScoreLine]:
        lines = []
        for row, held in zip(scores_of(state), state["seats"], strict=True):
            ones = tuple(card for card in held["scored"] if deck_card(card).points == 1)
            bonus = ScoreLine(
                row.name,
                "bonus",
                row.bonus,
                Text("cards with 1 point: %(ones)s", ones=row.ones),
                cards=ones if row.bonus else (),
            )
            lines += [
                ScoreLine(row.name, "points", row.points, cards=tuple(held["scored"])),
                *([] if is_alone(state) else [bonus]),
                ScoreLine(row.name, TOTAL, row.total),
            ]
        return lines

    def pad(self, state: Json) -> list[PadColumn]:
        items = ("points", TOTAL) if is_alone(state) else tuple(ITEMS)
        return [PadColumn(seat, items) for seat in range(len(state["players"]))]

    def audit(self, state: Json) -> list[Finding]:
        rows = scores_of(state)
        scores = {row.name: row for row in rows}
        return [
            finding
            for seat, lines in sorted(state["claims"].items())
            for finding in audit.audit(
                scores,
                [deck_card(card) for card in state["seats"][int(seat)]["scored"]],
                rows[int(seat)].name,
                lines.items(),
            )
        ]

"""Villagers at the table: villages card by card, and every figure with its reasons.

A village is kept as a list of cards that name the card they lie on, so that two people can add to
it at once. The reasons of a figure are small objects (``{"kind": "covered", "by": [...]}``): the
page puts them into words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scorer.actions import dict_in, seat_of, unknown_action
from scorer.audit import Finding
from scorer.game import (
    TOTAL,
    ActionError,
    Choice,
    Game,
    Json,
    Option,
    PadColumn,
    ScoreLine,
    SetupForm,
)
from scorer.setup import newcomer
from scorer.text import NOTHING, Text
from scorer.villagers import actions, audit, view
from scorer.villagers.actions import HAND_ACTIONS, VILLAGE_ACTIONS
from scorer.villagers.record import NOTATION
from scorer.villagers.score import FIGURES
from scorer.villagers.solo import rank
from scorer.villagers.state import (
    START_GOLD,
    is_begun,
    keeps_hand,
    may_see_hand,
    monastery_of,
    result_of,
    tables_of,
)

MOST_PLAYERS = 5

BOXES = {
    "base": "Villagers",
    "seasons": "Shifting Seasons",
    "profiteers": "Profiteers",
    "saints": "Saints",
    "scoundrels": "Scoundrels",
    "promo": "Promo cards",
    "stretch": "Stretch goal cards",
}

FIRST_BOXES = ("base", "seasons")
"""What is in play where nobody chooses."""


class Villagers(Game):
    """The game ``villagers``. Besides the actions of all games it takes

    - ``add`` (seat, name, on or null, between, from_hand): a card, with what must lie below it;
    - ``replace`` (seat, id, name), ``remove`` (seat, id, above), ``shift`` (seat, id, on or null);
    - ``coins`` (seat, id, coins), ``supply`` (seat, gold);
    - ``hand_add``, ``hand_drop`` (seat, name);
    - ``take`` (seat, what, id or name): gold of a market, event, bronze villager or Inventor;
    - ``unlock`` (seat, name, id, holder): the gold for a padlock; with ``id``, the number of the
      villager, a padlock paid twice is refused;
    - ``custom_card`` (row): a card that is not published;
    - ``next_round`` (round), ``stacks`` (empty), ``priority`` (suits), ``road`` (cards): the
      Monastery; with ``round``, the number of the round that ends, an end told twice is refused.
    """

    code = "villagers"
    notation = NOTATION

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Villagers",
            "Tap the cards into their chains; gold, silver, coins and events are counted and "
            "explained.",
            most_players=MOST_PLAYERS,
            options=(
                Option(
                    "expansion",
                    "With the Shifting Seasons expansion",
                    "switch",
                    default=True,
                    help="Its events are offered, and the Monastery has a sixth round.",
                ),
                Option(
                    "boxes",
                    "Cards in play",
                    "many",
                    tuple(Choice(box, label) for box, label in BOXES.items()),
                    default=list(FIRST_BOXES),
                    help="Only decides which cards are shown first; all can be found.",
                ),
                Option(
                    "monastery",
                    "Alone: the Monastery",
                    "switch",
                    default=False,
                    help="The solo game, with its rounds and its ranks.",
                    alone=True,
                ),
            ),
        )

    def start(self, setup: Json) -> Json:
        players, options = setup["players"], setup["options"]
        solo = options["monastery"]
        if solo and len(players) != 1:
            raise ActionError("players", "The Monastery is played alone; please enter one player.")
        boxes = options["boxes"] or FIRST_BOXES
        return {
            "players": players,
            "expansion": options["expansion"],
            "boxes": [box for box in BOXES if box in boxes],
            "monastery": {
                "finished_rounds": 0,
                "stacks_are_empty": False,
                "priority": [],
                "road": [],
            }
            if solo
            else None,
            "villages": [_village() for _ in players],
            "next_id": 1,
            "custom": [],
            "claims": {},
            "finished": False,
        }

    def change(self, new: Json, action: Json, by: Json) -> None:
        kind = action.get("type")
        if isinstance(kind, str) and kind in VILLAGE_ACTIONS:
            seat = seat_of(action, new)
            if actions.touches_hand(action) and not keeps_hand(seat, by):
                raise ActionError("not_yours", "Only the player may use the cards of a hand.")
            VILLAGE_ACTIONS[kind](new, seat, action)
            return
        match kind:
            case "player":
                if new["monastery"] is not None:
                    raise ActionError(
                        "players", "The Monastery is played alone; please start another game."
                    )
                new["players"].append(newcomer(self.setup_form(), new["players"], action))
                new["villages"].append(_village())
            case "custom_card":
                actions.add_custom(new, dict_in(action, "row"))
            case "next_round" | "stacks" | "priority" | "road" as step:
                actions.track(new, step, action)
            case "board":
                raise ActionError("board", "Villagers has no board to photograph: tap its cards.")
            case _:
                raise unknown_action(action)

    def touches(self, action: Json) -> Sequence[str]:
        """What an action overwrites. Adding a card overwrites nothing.

        ``coins`` would overwrite the gold that others lay on villagers meanwhile, or take off.
        """
        seat, holder = action.get("seat"), action.get("holder")
        match action.get("type"):
            case "coins":
                return (f"village/{seat}/{action.get('id')}", f"coins/{seat}/{action.get('id')}")
            case "replace" | "remove" | "shift":
                return (f"village/{seat}/{action.get('id')}",)
            case "take" if action.get("what") in ("travellers", "inventor"):
                return (f"supply/{seat}", f"coins/{seat}")
            case "unlock" if holder is not None:
                return (f"supply/{seat}", f"coins/{holder}")
            case "supply" | "take" | "unlock":
                return (f"supply/{seat}",)
            case "next_round" | "stacks" | "priority" | "road" as kind:
                return (kind,)
        return super().touches(action)

    def view(self, state: Json, viewer: Json) -> Json:
        return view.shown(state, viewer)

    def told(self, before: Json, action: Json, after: Json) -> Text:
        if action.get("type") != "add":
            return super().told(before, action, after)
        card = after["villages"][action["seat"]]["cards"][-1]["name"]
        name = after["players"][action["seat"]]["name"]
        return Text("%(name)s plays %(card)s.", name=name, card=card)

    def over(self, state: Json) -> bool:
        is_played_out = state["monastery"] is not None and monastery_of(state).is_over
        return super().over(state) or is_played_out

    def alone(self, state: Json) -> Text:
        if state["monastery"] is None or not self.over(state):
            return NOTHING
        gold = tables_of(state)[0].final
        reached = rank(gold)
        if reached is None:
            return Text("%(gold)s gold: not yet a hamlet, this game is lost.", gold=gold)
        return Text("%(rank)s with %(gold)s gold: you have won!", rank=reached.title, gold=gold)

    def decisive(self, state: Json) -> Text:
        """The number of villagers, where it decided between equal gold."""
        return view.tie(tables_of(state)) or NOTHING

    def public(self, state: Json, viewer: Json) -> Json:
        """The state without the hands of others, until the game is over."""
        villages = [
            village if may_see_hand(state, seat, viewer) else village | {"hand": []}
            for seat, village in enumerate(state["villages"])
        ]
        return state | {"villages": villages}

    def public_action(self, action: Json, viewer: Json, *, undone: bool = False) -> Json:
        """An action of the log without the cards that others took, or have again, in hand."""
        is_hidden = actions.touches_hand(action) if undone else action.get("type") in HAND_ACTIONS
        if is_hidden and not keeps_hand(action.get("seat"), viewer):
            return {key: value for key, value in action.items() if key != "name"}
        return action

    def is_begun(self, state: Json) -> bool:
        return is_begun(tables_of(state))

    def result(self, state: Json) -> list[Json]:
        return result_of(state)

    def boards(self, state: Json) -> list[tuple[int | None, Json]]:
        return []

    def score_lines(self, state: Json) -> list[ScoreLine]:
        lines = []
        for table in tables_of(state):
            for line in table.second_market.lines:
                lines.append(ScoreLine(table.name, str(line.villager.card), line.points, line.why))
            lines.append(ScoreLine(table.name, "supply", table.supply))
            lines.append(ScoreLine(table.name, TOTAL, table.final))
        return lines

    def pad(self, state: Json) -> list[PadColumn]:
        return [PadColumn(seat, FIGURES) for seat in range(len(state["players"]))]

    def audit(self, state: Json) -> list[Finding]:
        return [
            replace(finding, player=table.name)
            for table in tables_of(state)
            for finding in audit.audit_market(
                table.second_market, table.village, state["claims"].get(str(table.seat), {}).items()
            )
        ]


def _village() -> Json:
    """What a player begins with."""
    return {"cards": [], "hand": [], "supply": START_GOLD, "taken": []}

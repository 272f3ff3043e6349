"""Turn of Time: what each action changes in the state."""

from __future__ import annotations

from itertools import chain

from scorer.actions import evidence_in, int_in, list_in, seat_of, text_in
from scorer.game import ActionError, Json
from scorer.notation import EMPTY, NotationError, box_of
from scorer.season import SEASONS, Season
from scorer.time.board import SIDE, TimeGrid
from scorer.time.cards import SeasonCard
from scorer.time.laying import laid_over, merged
from scorer.time.state import (
    TABLE,
    most_seasons,
    start_grid,
    turn_view,
)
from scorer.time.turn import after_meetings, cards_beside, legal_cells, meetings


def set_seasons(new: Json, action: Json) -> None:
    seat = seat_of(action, new)
    if len(new["players"]) == 1:
        raise ActionError("alone", "Playing alone, all four seasons are yours.")
    try:
        wanted = [Season.named(season).value for season in list_in(action, "seasons")]
    except (NotationError, AttributeError):
        raise ActionError(
            "season", "There are four seasons: spring, summer, autumn and winter."
        ) from None
    most = most_seasons(len(new["players"]))
    if len(set(wanted)) != len(wanted) or not 1 <= len(wanted) <= most:
        raise ActionError(
            "season", "Two players have two seasons each, three or four players one each."
        )
    before = start_grid(new)
    # Whoever loses a season gets a free one, at first of those that are given up.
    held = {*wanted, *chain.from_iterable(new["seasons"])}
    free = [season for season in new["seasons"][seat] if season not in wanted]
    free += [season.value for season in SEASONS if season.value not in held]
    for other, own in enumerate(new["seasons"]):
        if other != seat:
            new["seasons"][other] = [
                season if season not in wanted else free.pop(0)
                for season in own
                if season not in wanted or free
            ]
    new["seasons"][seat] = wanted
    for player, seasons in zip(new["players"], new["seasons"], strict=True):
        if seasons and player["colour"] not in seasons:
            player["colour"] = seasons[0]
    if new["grid"] == before:
        new["grid"] = start_grid(new)


def set_board(new: Json, action: Json) -> None:
    text = text_in(action, "text")
    try:
        seen = TimeGrid.parse(text)
    except NotationError:
        raise ActionError(
            "notation", "That is not a grid of up to four by four season cards."
        ) from None
    evidence = evidence_in(action)
    laid = laid_over(TimeGrid.parse(new["grid"]), text)
    new["grid"] = str(seen if laid is None else laid)
    new |= {"last": None, "moved": False} | evidence


def set_cell(new: Json, action: Json) -> None:
    cell = (int_in(action, "row"), int_in(action, "col"))
    label = text_in(action, "label")
    cards = dict(TimeGrid.parse(new["grid"]).cards)
    if label == EMPTY:
        cards.pop(cell, None)
    else:
        card = _card(label)
        lying = cards.get(cell)
        settles = lying is not None and None in (lying.up, lying.back) and lying.up is None
        cards[cell] = merged(lying, card) if settles else card
    if cards:
        (top, left), (bottom, right) = box_of(list(cards))
        if bottom - top >= SIDE or right - left >= SIDE:
            raise ActionError("box", "The cards never take more than four rows and four columns.")
    new["grid"] = str(TimeGrid.of(cards))
    new["last"] = None


def _card(text: str) -> SeasonCard:
    try:
        return SeasonCard.parse(text)
    except NotationError:
        raise ActionError(
            "card", "That is no season card: say which season is up and which is below."
        ) from None


def _one_side_unknown() -> ActionError:
    return ActionError("card", "Please say both sides of the card that is played.")


def place(new: Json, action: Json) -> None:
    if new["finished"]:
        raise ActionError("over", "The game is over: undo or go on with it to change something.")
    grid = TimeGrid.parse(new["grid"])
    card = _card(text_in(action, "card"))
    if card.up is None:
        raise _one_side_unknown()
    cell = (int_in(action, "row"), int_in(action, "col"))
    if len(grid.cards) == TABLE or cell not in legal_cells(grid):
        raise ActionError(
            "cell",
            "A card goes beside another one, within four rows and four columns; choose a "
            "marked cell.",
        )
    lying = dict(grid.cards)
    near = cards_beside(lying, cell)
    order = [
        tuple(entry) if isinstance(entry, list) else entry for entry in list_in(action, "order")
    ]
    if sorted(order, key=str) != sorted(near, key=str):
        raise ActionError("order", "Every card beside it is met once: say in which order.")
    if any(lying[other].up is None for other in near):
        raise ActionError("unknown_side", "Say first which season shows on the cards beside it.")
    steps = []
    for step in meetings(lying, card, order):
        if step["flips_placed"] and card.back is None:
            raise _one_side_unknown()
        steps.append(step)
    after = TimeGrid.of(after_meetings(lying, cell, card, steps))
    (top, left), _ = box_of([at for at, _ in after.cards])
    seat = turn_view(new)["seat"]
    new["last"] = {
        "seat": seat,
        "card": str(card),
        "cell": [cell[0] - top, cell[1] - left],
        "steps": [
            step | {"cell": [step["cell"][0] - top, step["cell"][1] - left]} for step in steps
        ],
    }
    new |= {"grid": str(after), "moved": True}

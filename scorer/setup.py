"""Starts a game: its setup is held to the form of the game before the game sees it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from scorer.actions import players_of, text_in
from scorer.game import ActionError, Game, Json, Option, SetupForm
from scorer.notation import span
from scorer.text import Text, listed


def texts_of(form: SetupForm) -> Iterator[str]:
    """Every English text of a form."""
    yield from (form.title, form.summary, form.seat_label)
    for option in form.options:
        yield from filter(None, (option.label, option.help))
        yield from (choice.label for choice in option.choices)
    yield from (choice.label for choice in form.seats)


def started(game: Game, setup: Json) -> tuple[Json, Json]:
    """The setup as its form has it, and the first state of the game.

    Raises ActionError with the first thing to mend.
    """
    setup = checked_setup(game.setup_form(), setup)
    return setup, game.start(setup)


def checked_setup(form: SetupForm, setup: Json) -> Json:
    """The setup with every option present and of its kind.

    Raises ActionError with the first thing to mend.
    """
    return {
        "players": [_player(form, player) for player in _seated(form, players_of(setup))],
        "options": _options(form, setup.get("options") or {}),
    }


def newcomer(form: SetupForm, players: Sequence[Json], action: Json) -> Json:
    """The player whom an action of the type ``player`` adds to *players*.

    Raises ActionError if the game has no room for another one, or not for this one.
    """
    asked = {"name": text_in(action, "name"), "colour": action.get("colour")}
    return _player(form, _seated(form, players_of({"players": [*players, asked]}))[-1])


def has_room(game: Game, state: Json) -> bool:
    """Whether one more could join the game as it stands, on a seat that is free."""
    seats: list[str | None] = [choice.value for choice in game.setup_form().seats]
    return not state["finished"] and any(_takes(game, state, seat) for seat in seats or [None])


def _takes(game: Game, state: Json, seat: str | None) -> bool:
    try:
        game.act(state, {"type": "player", "name": "?", "colour": seat}, {"role": "host"})
    except ActionError:
        return False
    return True


def _player(form: SetupForm, player: Json) -> Json:
    known = [choice.value for choice in form.seats]
    colour = player.get("colour") if known else None
    if known and colour not in known:
        raise ActionError(
            "players",
            "Please choose for %(name)s: %(choices)s.",
            name=player["name"],
            choices=listed(map(Text, known)),
        )
    return {"name": player["name"].strip(), "colour": colour}


def _seated(form: SetupForm, players: list[Json]) -> list[Json]:
    """The players, if they are not too many and differ where they have to."""
    if len(players) > form.most_players:
        raise ActionError(
            "players",
            "This game is for %(span)s players, not %(count)s.",
            span=span(1, form.most_players),
            count=len(players),
        )
    taken: dict[Any, str] = {}
    words = {choice.value: Text(choice.value) for choice in form.seats}
    for player in players:
        colour = player.get("colour")
        if form.seats and form.distinct and isinstance(colour, str):
            if colour in taken:
                raise ActionError(
                    "players",
                    "%(one)s and %(other)s both chose %(colour)s: please choose another for one.",
                    one=taken[colour],
                    other=player["name"],
                    colour=words.get(colour, colour),
                )
            taken[colour] = player["name"]
    return players


def _options(form: SetupForm, given: Any) -> Json:
    if not isinstance(given, dict):
        raise ActionError("options", "The answers did not arrive well; please reload the page.")
    options = {option.name: _answer(option, given.get(option.name)) for option in form.options}
    if form.board == "custom":
        options["board"] = copy.deepcopy(given.get("board"))
    return options


def _answer(option: Option, value: Any) -> Any:
    if value is None:
        value = option.default
    known = [choice.value for choice in option.choices]
    match option.kind:
        case "switch" if isinstance(value, bool | None):
            return bool(value)
        case "choice" if value in known:
            return value
        case "many" if isinstance(value, list | tuple | None):
            chosen = list(value or [])
            if all(isinstance(one, str) and one in known for one in chosen) and len(
                set(chosen)
            ) == len(chosen):
                return chosen
    raise ActionError(
        "options", "%(label)s: please choose one of those on the page.", label=Text(option.label)
    )

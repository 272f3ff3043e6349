"""Archives of a forger: games changed at random, and files that unpack to far too much."""

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from changes import BAD

from scorer.game import Json
from scorer.games import GAMES
from scorer.setup import started

SURROGATE = "\ud800"


def document_of(*games: Json) -> bytes:
    return json.dumps({"format": "tallystone-archive", "version": 1, "games": games}).encode()


def packed(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in files.items():
            new.writestr(name, data)
    return out.getvalue()


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where every value of a document stands."""
    yield at
    if isinstance(value, dict):
        for key, one in value.items():
            yield from paths(one, (*at, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from paths(one, (*at, number))


def changed(game: Json, dice: random.Random) -> Json:
    """The game with something in it replaced, left out, doubled or exchanged."""
    game = copy.deepcopy(game)
    part = dice.choice(["events", "photos", "setup", None])
    places = [path for path in paths(game) if path and (part is None or path[0] == part)]
    if not places:
        return game
    path = dice.choice(places)
    holder = game
    for step in path[:-1]:
        holder = holder[step]
    match dice.randrange(4):
        case 0:
            holder[path[-1]] = copy.deepcopy(
                dice.choice([*BAD, SURROGATE, "\0", 2**70, "0001-01-01"])
            )
        case 1:
            del holder[path[-1]]
        case 2 if isinstance(holder, list):
            holder.insert(path[-1], copy.deepcopy(holder[path[-1]]))
        case _:
            other: Any = game
            for step in dice.choice(places):
                other = other[step]
            holder[path[-1]] = copy.deepcopy(other)
    return game


def played(game: Json) -> Json:
    """The game with the states that its changed actions lead to, as a forger writes them."""
    rules = GAMES[game["kind"]]
    _, state = started(rules, game["setup"])
    for event in game["events"]:
        if not event["dropped"]:
            if event["seq"]:
                by = {"role": "host", "seat": event["action"].get("seat", event["by"]["seat"])}
                state = rules.act(state, event["action"], by)
            event["state"] = state
            if not event["undone"]:
                game["state"] = state
    return game


def mutations(game: Json, count: int, seed: int) -> Iterator[Json]:
    """Changed copies of a game; half of them have the states that their changed log leads to."""
    dice = random.Random(seed)
    for number in range(count):
        mutant = changed(game, dice)
        if number % 5 == 0:
            mutant = changed(mutant, dice)
        if number % 2:
            with suppress(ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
                mutant = played(mutant)  # or else it stays as it is, its states wrong
        yield mutant


def deep() -> bytes:
    return packed(**{"games/0001.json": b'{"games": [' + b"[" * 50 + b"]" * 50 + b"]}"})


def many_values() -> bytes:
    return packed(**{"games/0001.json": b'{"games": [' + b"[]," * 4_000_000 + b"[]]}"})


def many_entries() -> bytes:
    return packed(**{f"games/{number}.json": b"{}" for number in range(3000)})


def large_text() -> bytes:
    return packed(**{"games/0001.json": b'{"games": ["' + b"x" * 250_000_000 + b'"]}'})


def large_photo() -> bytes:
    return packed(
        **{
            "games/0001.json": document_of(),
            f"photos/{'0' * 64}.jpg": b"\xff\xd8" + bytes(250_000_000),
        }
    )


BOMBS: list[Callable[[], bytes]] = [deep, many_values, many_entries, large_text, large_photo]

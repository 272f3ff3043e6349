"""What stands on a table as documents of ``tallystone score`` and ``audit``.

The command and the table must count alike, so tests ask both.
"""

from typing import Any

from scorer.fields import Json
from scorer.time.state import season_order
from scorer.villagers.board import Chain
from scorer.villagers.score import Market
from scorer.villagers.state import Table, tables_of


def documents_of(kind: str, state: Json) -> list[Json]:
    """The documents that say the same as the state of a game."""
    match kind:
        case "stones":
            return [_stones(state) | _claimed(state)]
        case "seasons":
            return [_seasons(state) | _claimed(state)]
        case "time":
            return [_time(state)]
        case "villagers":
            return [_village(state, table) for table in tables_of(state)]
        case _:
            return [_custom(state) | _claimed(state)]


def _claimed(state: Json) -> Json:
    """What was entered from the pad, if anything was."""
    claimed = {
        state["players"][int(seat)]["name"]: lines
        for seat, lines in state["claims"].items()
        if lines
    }
    return {"claimed": claimed} if claimed else {}


def _stones(state: Json) -> Json:
    return {
        "game": "stones",
        "players": [
            {"name": player["name"], "cards": list(seat["scored"])}
            for player, seat in zip(state["players"], state["seats"], strict=True)
        ],
    }


def _seasons(state: Json) -> Json:
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
    return document


def _time(state: Json) -> Json:
    document: Json = {
        "game": "time",
        "grid": state["grid"],
        "order": [season.value for season in season_order(state)],
    }
    if len(state["players"]) > 1:
        names = [player["name"] for player in state["players"]]
        document["players"] = dict(zip(names, map(list, state["seasons"]), strict=True))
    if state["claims"]:
        document["claimed"] = {
            season: figure for lines in state["claims"].values() for season, figure in lines.items()
        }
    return document


def _custom(state: Json) -> Json:
    players = []
    for seat, player in enumerate(state["players"]):
        board = None if state["shared"] else state["boards"].get(str(seat))
        entry = {"name": player["name"], "extra": state["extra"].get(str(seat), 0)}
        players.append(entry | ({"board": board["text"]} if board else {}))
    uncounted = {"score": []} if state["shared"] else {}
    return {
        "game": "custom",
        "description": state["board"] | uncounted,
        "worth": {} if state["shared"] else state["worth"],
        "players": players,
    }


def _village(state: Json, table: Table) -> Json:
    """One player's second market; ``id`` is the player."""
    village = table.village
    coins: dict[str, list[int]] = {}
    for villager in village.villagers:
        coins.setdefault(villager.card.name, []).append(village.coins.get(villager.index, 0))
    document: Json = {
        "game": "villagers",
        "id": table.name,
        "market": Market.SECOND.value,
        "village": {
            "chains": [_chain(chain) for chain in village.chains],
            "coins": {
                name: amounts if len(amounts) > 1 else amounts[0]
                for name, amounts in coins.items()
                if any(amounts)
            },
        },
        "supply": table.supply,
        "hand": [str(card) for card in village.hand],
    }
    if state["custom"]:
        document["custom"] = state["custom"]
    claimed = state["claims"].get(str(table.seat))
    if claimed:
        document["claimed"] = claimed
    return document


def _chain(chain: Chain) -> list[Any]:
    return [*map(str, chain.cards), *map(_chain, chain.branches)]

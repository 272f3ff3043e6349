"""A few changes of every game, bad values for their fields, and the pages to open after."""

from typing import Any

from fakes import TokenClient

from scorer.game import Json
from scorer.games import GAMES
from scorer.setup import started

BOARD = {"name": "meadow", "rows": [2, 2], "cols": [2, 2], "empty": True}
STONES = "sun horse bird / tree seed seed / horse bird boat"
PLAYERS = [{"name": "Ann", "colour": "red"}, {"name": "Bob", "colour": "green"}]
SEASON_PLAYERS = [{"name": "Ann", "colour": "spring"}, {"name": "Bob", "colour": "winter"}]

SETUPS: dict[str, Json] = {
    "stones": {"players": PLAYERS, "options": {}},
    "seasons": {"players": SEASON_PLAYERS, "options": {}},
    "time": {"players": SEASON_PLAYERS, "options": {}},
    "villagers": {"players": PLAYERS, "options": {}},
    "custom": {"players": PLAYERS, "options": {"board": BOARD}},
}


def season_board() -> str:
    _, state = started(GAMES["seasons"], SETUPS["seasons"])
    return str(state["boards"][0]["text"])


def read(text: str, before: str, after: str) -> Json:
    return {"text": text, "photo": None, "corrections": [[0, 0, before, after]], "turns": 1}


CHANGES: dict[str, list[Json]] = {
    "stones": [
        {"type": "board", **read(STONES, "sun", "moon")},
        {"type": "cell", "row": 0, "col": 0, "label": "moon"},
        {"type": "hand", "seat": 0, "cards": [2, 3]},
        {"type": "award", "seat": 0, "card": 1},
        {"type": "move", "flip": [0, 0], "shift": None, "discard": None},
        {"type": "score", "card": 2},
        {"type": "end_turn"},
        {"type": "skip"},
        {"type": "turn", "seat": 1},
        {"type": "first", "seat": 1},
        {"type": "unscore", "seat": 0, "card": 1},
        {"type": "claim", "seat": 0, "lines": {"points": 3, "total": 4}},
    ],
    "seasons": [
        {"type": "board", "seat": 0, **read(season_board(), ".", "spring")},
        {"type": "cell", "seat": 0, "row": 0, "col": 0, "label": "spring"},
        {"type": "move", "seat": 0, "origin": [0, 0], "target": [0, 1]},
        {"type": "cards", "cards": ["six-diagonals"]},
        {"type": "season", "seat": 0, "season": "summer"},
        {"type": "layout", "hand": "LEFT", "clockwise": True},
        {"type": "short_diagonals", "diagonals": [[[0, 0], [1, 1], [2, 2]]] * 4},
        {"type": "claim", "seat": 0, "lines": {"total": 4}},
    ],
    "time": [
        {"type": "board", **read("spring summer", "spring", "summer")},
        {"type": "cell", "row": 0, "col": 0, "label": "autumn"},
        {"type": "place", "card": "spring/winter", "row": 0, "col": 2, "order": [[0, 1]]},
        {"type": "seasons", "seat": 0, "seasons": ["spring", "summer"]},
        {"type": "first", "seat": 1},
        {"type": "claim", "seat": 0, "lines": {"spring": 4}},
    ],
    "villagers": [
        {
            "type": "add",
            "seat": 0,
            "name": "Miner",
            "on": None,
            "between": False,
            "from_hand": False,
        },
        {"type": "replace", "seat": 0, "id": 1, "name": "Miner"},
        {"type": "coins", "seat": 0, "id": 1, "coins": 2},
        {"type": "supply", "seat": 0, "gold": 12},
        {"type": "shift", "seat": 0, "id": 1, "on": None},
        {"type": "hand_add", "seat": 0, "name": "Miner"},
        {"type": "hand_drop", "seat": 0, "name": "Miner"},
        {"type": "take", "seat": 0, "what": "bronze", "id": 1, "name": "Miner"},
        {"type": "unlock", "seat": 0, "name": "Miner", "holder": 1},
        {"type": "custom_card", "row": {"name": "Baker", "suit": "grains", "gold": "2"}},
        {"type": "claim", "seat": 0, "lines": {"total": 4}},
        {"type": "remove", "seat": 0, "id": 1, "above": True},
    ],
    "custom": [
        {"type": "board", "seat": 0, **read("oak elm / elm .", "oak", "elm")},
        {"type": "cell", "seat": 0, "row": 0, "col": 0, "label": "ash"},
        {"type": "worth", "label": "oak", "points": 3},
        {"type": "extra", "seat": 0, "points": 3},
        {"type": "claim", "seat": 0, "lines": {"total": 4}},
    ],
}

LONG = "x" * 60_000
BAD: list[Any] = [
    None,
    True,
    -1,
    2**40,
    1.5,
    "",
    " ",
    "/",
    LONG,
    [],
    [[]],
    [["x", 0, "a", "b"]],
    [[0, 0, ["a"], {"b": 1}]],
    [[0, 0, LONG, "b"]],
    [[99, 0, "a", "b"]],
    [[0, 0, "a", "b"]] * 2000,
    {},
    {"total": "many"},
    {"total": [2**40]},
    {"x" * 9000: 1},
]

PAGES = (
    "/g/{}",
    "/g/{}/after",
    "/g/{}/audit",
    "/g/{}/report.html",
    "/g/{}/report.pdf",
    "/api/games/{}",
    "/api/games/{}/audit",
    "/api/games/{}/log",
    "/history",
    "/history/statistics",
    "/history/export.zip",
    "/history/export.json",
    "/history/export.csv",
    "/",
)


def expect_pages(client: TokenClient, code: str) -> None:
    for page in PAGES:
        answer = client.get(page.format(code))
        assert answer.status_code == 200, (page, answer.get_data(as_text=True)[:500])


def begin(client: TokenClient, kind: str) -> str:
    answer = client.send_json("/api/games", {"kind": kind, "setup": SETUPS[kind], "seat": 0})
    assert answer.status_code == 201, answer.get_json()
    return str(answer.get_json()["code"])

"""A data folder with many games, and how long its pages take.

python tests/webapp/tables/many_games.py 20000
"""

import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from sqlalchemy import insert

from scorer.game import Json
from scorer.games import GAMES
from scorer.setup import checked_setup
from webapp import create_app
from webapp.store import Event, Game, Member, Player, Store
from webapp.store.models import now_utc
from webapp.tables.devices import token_hash

KINDS = ("stones", "custom", "seasons", "custom")
PAGES = ("/", "/start/custom", "/api/games", "/history", "/history?page=200", "/history/statistics")
FIRST = 1001
"""Number of the first game; there is room for those that are there."""

HOST = {"role": "host", "seat": 0}
BOARD = ". 1 sp . . . / . . . . . 2 / . . . . . . / . . . . . . / 4 . . . . . / . . . . 3 ."
FIRST_ACTIONS = {
    "stones": {"type": "award", "seat": 0, "card": 1},
    "seasons": {"type": "board", "seat": 0, "text": BOARD},
    "custom": {"type": "extra", "seat": 0, "points": 7},
}
"""What begins a game of each kind: only such games are counted."""
LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


def setup_of(kind: str, number: int) -> Json:
    seats = {
        "stones": ("red", "green"),
        "seasons": ("spring", "winter"),
        "custom": ("red", "green"),
    }[kind]
    players = [
        {"name": f"{name} {number % 50}", "colour": colour}
        for name, colour in zip(("Ann", "Bob"), seats, strict=True)
    ]
    board = {"name": f"meadow {number}", "rows": [2, 5], "cols": [2, 5], "empty": True}
    given = {"players": players, "options": {"board": board}}
    return checked_setup(GAMES[kind].setup_form(), given)


def fill(store: Store, games: int, device: str) -> None:
    """Add finished games hosted by one device, which is known by the hash of its token."""
    begin = now_utc() - timedelta(days=3000)
    rows: dict[type, list[dict[str, object]]] = {
        table: [] for table in (Game, Player, Member, Event)
    }
    for number in range(FIRST, FIRST + games):
        kind = KINDS[number % len(KINDS)]
        setup = setup_of(kind, number)
        began = GAMES[kind].act(GAMES[kind].start(setup), FIRST_ACTIONS[kind], HOST)
        state = began | {"finished": True}
        at = begin + timedelta(hours=3 * number)
        code = "".join(LETTERS[number // 31**place % 31] for place in range(6))
        rows[Game].append(
            {
                "id": number,
                "code": code,
                "kind": kind,
                "setup": setup,
                "version": 1,
                "event_seq": 1,
                "created_utc": at,
                "changed_utc": at + timedelta(hours=1),
                "finished_utc": at + timedelta(hours=1),
                "log_bytes": 5000,
                "result": GAMES[kind].result(state),
            }
        )
        for seat, player in enumerate(setup["players"]):
            rows[Player].append({"game_id": number, "seat": seat, "name": player["name"]})
        rows[Member].append(
            {"game_id": number, "token_hash": device, "role": "host", "name": "Ann"}
        )
        for seq, action in enumerate(({"type": "start"}, {"type": "finish"})):
            event = {
                "game_id": number,
                "seq": seq,
                "version": seq,
                "action": action,
                "state": state,
            }
            rows[Event].append(event | {"at_utc": at})
    with store.writing() as session:
        for table, found in rows.items():
            for start in range(0, len(found), 1000):
                session.execute(insert(table), found[start : start + 1000])


def main(games: int) -> int:
    """Fill a folder and print the milliseconds of each page; gives the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"DATA_DIR": Path(folder)})
        client = app.test_client()
        client.get("/")
        with client.session_transaction() as session:
            token = session["device"]
        fill(app.extensions["tallystone_store"], games, token_hash(token))
        for page in PAGES:
            times = []
            for _ in range(5):
                start = time.perf_counter()
                answer = client.get(page)
                times.append((time.perf_counter() - start) * 1000)
                assert answer.status_code == 200, page
            print(f"{page}: {sorted(times)[2]:.0f} ms, {len(answer.data) // 1024} kB")
        app.extensions["tallystone_store"].close()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000))

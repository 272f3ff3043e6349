"""A finished game as a link that opens the import dialog of BG Stats on the phone.

The format is that of "Push plays to BG Stats from other apps or websites" (bgstatsapp.com/support).
Nothing is sent by us: the phone opens the link, and the app asks before it stores anything.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

import segno

from webapp.after.games import GameRecord, as_utc

ADDRESS = "https://app.bgstatsapp.com/createPlay.html?data="

SOURCE = "Tallystone"

BGG_IDS: Mapping[str, int] = {"villagers": 241724}
"""Numbers of the games at BoardGameGeek; with 0 the app matches by name and remembers it."""


def play(game: GameRecord) -> dict[str, Any]:
    """The play as BG Stats takes it: ``bggId`` a number, every boolean present, the date in UTC.

    A score that does not exist is left out as the app's own field is optional; whether there are
    points at all says ``noPoints``.
    """
    points = [row for row in game.result if row.get("score") is not None]
    first = _first_seat(game.state)
    return {
        "sourceName": SOURCE,
        "sourcePlayId": _play_id(game),
        "playDate": date_text(game.played_utc),
        "durationMin": game.minutes,
        "board": "",
        "location": game.location,
        "comments": "",
        "game": {
            "name": game.title,
            "sourceGameId": game.kind
            if game.kind != "custom"
            else f"custom-{game.title.casefold()}",
            "bggId": BGG_IDS.get(game.kind, 0),
            "highestWins": True,
            "noPoints": not points,
        },
        "players": [_player(row, seat, first) for seat, row in enumerate(game.result)],
    }


def _play_id(game: GameRecord) -> str:
    """What stays the same when the game is taken in elsewhere, where its code is another."""
    known = [game.kind, as_utc(game.created_utc).isoformat(), game.setup]
    text = json.dumps(known, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _player(row: Mapping[str, Any], seat: int, first: int | None) -> dict[str, Any]:
    player: dict[str, Any] = {
        "name": str(row["player"]),
        "sourcePlayerId": str(row["player"]).casefold(),
        "rank": int(row.get("rank") or 0),
        "role": str(row.get("role") or ""),
        "startPlayer": seat == first,
        "winner": bool(row.get("winner")),
    }
    if row.get("score") is not None:
        player["score"] = row["score"]
    return player


def _first_seat(state: Mapping[str, Any]) -> int | None:
    """Who began, where the game keeps a turn order."""
    order = state.get("order")
    if isinstance(order, Sequence) and order and isinstance(order[0], int):
        return int(order[0])
    first = state.get("first")
    return first if isinstance(first, int) else None


def date_text(moment: datetime) -> str:
    """``yyyy-MM-dd HH:mm:ss`` in UTC.

    >>> from datetime import timezone, timedelta
    >>> date_text(datetime(2026, 11, 21, 0, 30, tzinfo=timezone(timedelta(hours=1))))
    '2026-11-20 23:30:00'
    """
    return f"{as_utc(moment):%Y-%m-%d %H:%M:%S}"


def link(game: GameRecord) -> str:
    """The address that opens BG Stats with this play."""
    return ADDRESS + quote(
        json.dumps(play(game), ensure_ascii=False, separators=(",", ":")), safe=""
    )


def qr_svg(address: str) -> str:
    """*address* as a QR code with the quiet zone it needs.

    A play as a link has 700 to 2000 letters, too many for a code that a phone reads from a screen;
    the code holds the short address, which leads on to the link.
    """
    code = segno.make(address, error="m", micro=False)
    return str(code.svg_inline(border=4, dark="#000", light="#fff", omitsize=True))

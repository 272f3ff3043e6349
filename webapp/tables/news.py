"""The news of a game: what happened last, told to every device in the language of its reader."""

from scorer.game import Json
from scorer.text import Text
from webapp.store.models import Game, Member, now_utc

MOST_NEWS = 8
"""How many are kept: a device that was away for longer looks at the game itself."""


def add_news(game: Game, by: Member, says: Text, key: str | None = None) -> None:
    """Add a sentence to the news of the version that the game has now; an empty one tells nothing.

    *by* is whose device did it; *key* is the request's own.
    """
    if says:
        one = {
            "version": game.version,
            "says": says.to_json(),
            "by": by.id,
            "at": now_utc().isoformat(),
        } | ({"key": key} if key else {})
        game.news = [*game.news, one][-MOST_NEWS:]


def is_told(game: Game, key: str | None) -> bool:
    """Whether the request of that key is among the news: it arrived before."""
    return key is not None and any(one.get("key") == key for one in game.news)


def news_of(game: Game) -> list[Json]:
    """The news for a page, the newest last; ``says`` is a text. Keys stay here."""
    shown = ({name: one[name] for name in one if name != "key"} for one in game.news)
    return [one | {"says": Text.from_json(one["says"])} for one in shown]

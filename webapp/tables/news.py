"""The news of a game: what happened last, told to every device in the language of its reader."""

from scorer.game import Json
from scorer.text import Text
from webapp.store.models import Game, Member, now_utc

MOST_NEWS = 8
"""How many are kept: a device that was away for longer looks at the game itself."""


def add_news(
    game: Game, by: Member, says: Text, key: str | None = None, *, is_coming: bool = False
) -> None:
    """Add a sentence to the news of the version that the game has now; an empty one tells nothing.

    *by* is whose device did it; *key* is the request's own. Where there are too many, the oldest of
    those goes first that tell who comes or goes (*is_coming*), unless there is only one.
    """
    if not says:
        return
    one: Json = {
        "version": game.version,
        "says": says.to_json(),
        "by": by.id,
        "at": now_utc().isoformat(),
    }
    news = [
        *game.news,
        one | ({"key": key} if key else {}) | ({"coming": True} if is_coming else {}),
    ]
    comings = [old for old in news if old.get("coming")]
    if len(news) > MOST_NEWS:
        news.remove(comings[0] if len(comings) > 1 else news[0])
    game.news = news


def is_told(game: Game, key: str | None) -> bool:
    """Whether the request of that key is among the news: it arrived before."""
    return key is not None and any(one.get("key") == key for one in game.news)


def news_of(game: Game) -> list[Json]:
    """The news for a page, the newest last; ``says`` is a text."""
    return [
        {name: one[name] for name in ("version", "by", "at")}
        | {"says": Text.from_json(one["says"])}
        for one in game.news
    ]

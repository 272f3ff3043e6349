"""Figures over finished games: who plays, who wins, how scores went."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from scorer.actions import name_key
from scorer.games import GAMES
from webapp.after.games import GameRecord


@dataclass(frozen=True, slots=True)
class Score:
    """One player's end of one game."""

    when: datetime
    code: str
    points: float | None
    """None where they compare with those of no other game."""
    won: bool


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """One player, over one kind of game or over all."""

    name: str
    games: int
    wins: int
    average: float | None
    """Points a game; None where none can be compared, as over different games."""
    best: float | None
    scores: tuple[Score, ...] = ()

    @property
    def win_share(self) -> float:
        return self.wins / self.games


@dataclass(frozen=True, slots=True)
class KindFigures:
    """One kind of game."""

    kind: str
    title: str
    games: int
    minutes: int
    """Minutes of all its games together."""
    players: tuple[PlayerFigures, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that the statistics page shows."""

    games: int
    minutes: int
    players: tuple[PlayerFigures, ...]
    kinds: tuple[KindFigures, ...]


def figures(games: Iterable[GameRecord]) -> Figures:
    """Figures of finished *games*; names that differ in case or spaces are one player.

    A shared win is a win for each; a solo game counts as won where the game says so.
    """
    ordered = sorted(games, key=lambda game: game.played_utc)
    by_title: dict[tuple[str, str], list[GameRecord]] = defaultdict(list)
    for game in ordered:
        by_title[game.kind, game.title].append(game)
    kinds = [
        KindFigures(
            kind,
            title,
            len(of_kind),
            sum(game.minutes for game in of_kind),
            _players(of_kind, True),
        )
        for (kind, title), of_kind in by_title.items()
    ]
    return Figures(
        len(ordered),
        sum(game.minutes for game in ordered),
        _players(ordered, len(kinds) == 1),
        tuple(sorted(kinds, key=lambda kind: (-kind.games, kind.title))),
    )


def _players(games: Sequence[GameRecord], is_one_kind: bool) -> tuple[PlayerFigures, ...]:
    shown: dict[str, str] = {}
    scores: dict[str, list[Score]] = defaultdict(list)
    for game in games:
        compares = is_one_kind and (len(game.result) > 1 or GAMES[game.kind].alone_on_points)
        for row in game.result:
            name = str(row["player"]).strip()
            key = name_key(name)
            shown[key] = name  # as written last
            scores[key].append(
                Score(
                    game.played_utc,
                    game.code,
                    float(row.get("score") or 0) if compares else None,
                    bool(row.get("winner")),
                )
            )
    players = []
    for key, of_player in scores.items():
        points = [score.points for score in of_player if score.points is not None]
        players.append(
            PlayerFigures(
                shown[key],
                len(of_player),
                sum(score.won for score in of_player),
                sum(points) / len(points) if points else None,
                max(points, default=None),
                tuple(of_player),
            )
        )
    return tuple(
        sorted(players, key=lambda player: (-player.wins, -player.games, player.name.casefold()))
    )

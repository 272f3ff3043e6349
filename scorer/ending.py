"""The end of a game in sentences: who has won, by how much, and what decided it."""

from __future__ import annotations

from collections import Counter

from scorer.game import TOTAL, Game, Json
from scorer.text import NOTHING, Text, listed, plural


def ending(rules: Game, state: Json) -> tuple[Text, ...]:
    """Who has won, the margin and what decided it, as far as there is something to tell."""
    told = (verdict(rules, state), _margin(rules, state), _decided(rules, state))
    return tuple(one for one in told if one)


def verdict(rules: Game, state: Json) -> Text:
    """Who has won with how many points; of a game alone how it stands."""
    result = rules.result(state)
    if len(result) == 1:
        alone = Text(
            "%(name)s has %(points)s.", name=result[0]["player"], points=_points(result[0]["score"])
        )
        return rules.alone(state) or alone
    won = [row for row in result if row["winner"]]
    if not won:
        return Text("Nobody has won.")
    names = listed([row["player"] for row in won])
    points = _points(won[0]["score"])
    if len(won) > 1:
        return Text("%(names)s share the win with %(points)s!", names=names, points=points)
    return Text("%(name)s wins with %(points)s!", name=names, points=points)


def _margin(rules: Game, state: Json) -> Text:
    """How far the winner is ahead; nothing where the win is shared or a tie-break decides."""
    pair = _first_two(rules, state)
    if pair is None or pair[0]["score"] == pair[1]["score"]:
        return NOTHING
    first, second = pair
    return Text(
        "%(name)s is %(points)s ahead of %(other)s.",
        name=first["player"],
        points=_points(first["score"] - second["score"]),
        other=second["player"],
    )


def _decided(rules: Game, state: Json) -> Text:
    """What the game says of it, or the line in which the winner gained most on the second."""
    pair = _first_two(rules, state)
    own = rules.decisive(state) if pair or _is_tie_broken(rules, state) else NOTHING
    if own or pair is None:
        return own
    first, second = (_lines(rules, state, row["player"]) for row in pair)
    items = {*first, *second}
    if len(items) < 2:
        return NOTHING
    best = max(sorted(items), key=lambda item: first[item] - second[item])
    if first[best] <= second[best]:
        return NOTHING
    return Text(
        "What decided it: %(item)s, %(more)s against %(less)s.",
        item=rules.label(best),
        more=first[best],
        less=second[best],
    )


def _first_two(rules: Game, state: Json) -> tuple[Json, Json] | None:
    """The rows of a single winner and of the best of the others."""
    result = rules.result(state)
    won = [row for row in result if row["winner"]]
    others = sorted((row for row in result if not row["winner"]), key=lambda row: int(row["rank"]))
    return (won[0], others[0]) if len(won) == 1 and others else None


def _is_tie_broken(rules: Game, state: Json) -> bool:
    """Whether somebody has as many points as a winner and has not won."""
    result = rules.result(state)
    won = {row["score"] for row in result if row["winner"]}
    return any(row["score"] in won and not row["winner"] for row in result)


def _lines(rules: Game, state: Json, player: str) -> Counter[str]:
    points: Counter[str] = Counter()
    for line in rules.score_lines(state):
        if line.player == player and line.item != TOTAL:
            points[line.item] += line.points
    return points


def _points(count: int) -> Text:
    return plural("%(n)s point", "%(n)s points", n=count)

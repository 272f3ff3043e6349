"""What the rules promise: impossible states are said, and points add up."""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attacks.harness import Figure

from scorer.game import TOTAL, Game
from scorer.notation import join_rows
from scorer.seasons.board import SeasonBoard
from scorer.stones.board import BOX, SIDE, StoneGrid
from scorer.time.board import TimeGrid
from scorer.time.cards import KINDS

sys.path.append(str(Path(__file__).parents[2] / "scorer"))

from random_games import PLAYERS, a_game

SEASONS = ("spring", "summer", "autumn", "winter")
NUMBERED = {(0, 1): "1", (1, 5): "2", (5, 4): "3", (4, 0): "4"}
SPACES = [(row, col) for row in range(6) for col in range(6) if (row, col) not in NUMBERED]


def impossible(count: int) -> Iterator[Figure]:
    """States of three games, one in two broken in one place, against what ``problems`` says."""
    missed, alarms = 0, 0
    makers = (stones_grid, season_board, time_grid)
    for number in range(2 * count):
        dice = random.Random(number)
        broken = number % 2 == 1
        found = bool(makers[number // 2 % len(makers)](dice, broken))
        missed += broken and not found
        alarms += found and not broken
    yield Figure(f"of {count} impossible states not flagged", missed, 0)
    yield Figure(f"of {count} possible states flagged", alarms, 0)


def stones_grid(dice: random.Random, broken: bool) -> Any:
    """The problems of nine stones of the box; broken: one is of another kind."""
    kinds = [kind for kind, held in BOX.items() for _ in range(held)]
    if broken:
        at = dice.randrange(len(kinds))
        kinds[at] = dice.choice([kind for kind in BOX if kind is not kinds[at]])
    dice.shuffle(kinds)
    faces = [dice.choice(kind.value).value for kind in kinds]
    rows = (faces[at : at + SIDE] for at in range(0, SIDE * SIDE, SIDE))
    return StoneGrid.parse(join_rows(rows)).problems()


def season_board(dice: random.Random, broken: bool) -> Any:
    """The problems of a board; broken: a tile too many, or too many of a season or kind.

    The box holds 28 tiles of each season, 14 of them precious, and a player has 24.
    """
    if not broken:
        box = [season + star for season in SEASONS for star in ("",) * 14 + ("*",) * 14]
        tiles = dice.sample(box, dice.randint(0, 24))
    else:
        season = dice.choice(SEASONS)
        tiles = dice.choice(
            (
                [
                    dice.choice(SEASONS) + dice.choice(("", "*"))
                    for _ in range(dice.randint(25, 32))
                ],
                [season + "*"] * dice.randint(15, 24),
                [season] * dice.randint(15, 24),
            )
        )
    cells = dict(NUMBERED) | dict(zip(dice.sample(SPACES, len(tiles)), tiles, strict=True))
    rows = ([cells.get((row, col), ".") for col in range(6)] for row in range(6))
    return SeasonBoard.parse(join_rows(rows)).problems()


def time_grid(dice: random.Random, broken: bool) -> Any:
    """The problems of cards that touch; broken: a card more than the box has, or a stray one."""
    box = [str(kind) for kind in KINDS for _ in range(1 if kind.up is kind.back else 2)]
    cards = dice.sample(box, dice.randint(4, 12))
    cells = [(0, 0)]
    while len(cells) < len(cards):
        row, col = dice.choice(cells)
        near = dice.choice(((row + 1, col), (row, col + 1)))
        if near not in cells and max(near) < 4:
            cells.append(near)
    if broken and dice.random() < 0.5:
        single = dice.choice([str(kind) for kind in KINDS if kind.up is kind.back])
        cards[0] = cards[1] = single
    elif broken:
        cells = [*[cell for cell in cells if max(cell) < 2][:3], (3, 3)]
        cards = cards[: len(cells)]
    laid = dict(zip(cells, cards, strict=True))
    rows = ([laid.get((row, col), ".") for col in range(4)] for row in range(4))
    return TimeGrid.parse(join_rows(rows)).problems()


def points_add_up(count: int) -> Iterator[Figure]:
    """Random games of each kind: the lines of a player add up to the player's total."""
    for kind in PLAYERS:
        wrong, of, games = 0, 0, 0
        while of < count:
            log = a_game(kind, random.Random(f"{kind} {games}"))
            games += 1
            for state in log.states[::5]:
                for lines, total in sums(log.game, state):
                    of += 1
                    wrong += sum(lines) != total
        yield Figure(f"{kind}: of {of} totals not the sum of their lines", wrong, 0)


def sums(game: Game, state: Any) -> Iterator[tuple[list[int], int]]:
    """The points of each player's lines, and the player's total."""
    of_player = defaultdict(list)
    for line in game.score_lines(state):
        of_player[line.player].append((line.item, line.points))
    seasons = state.get("seasons", [[]] * len(state["players"]))
    for player, own in zip(state["players"], seasons, strict=True):
        lines = of_player[player["name"]]
        lines += [(item, points) for item, points in of_player[""] if item in own]
        totals = [points for item, points in lines if item == TOTAL]
        points = [points for item, points in lines if item != TOTAL]
        if points and totals:
            yield points, totals[0]

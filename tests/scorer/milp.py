"""The points of the 14 score cards by integer programs: a second opinion, and a race.

python tests/scorer/milp.py     prints how much faster the rules are, in processor time
"""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from scorer.bench import random_board
from scorer.notation import Cell
from scorer.season import SEASONS, Season
from scorer.seasons.board import SIDE, SeasonBoard, Tile, cells_of
from scorer.seasons.cards import AREA_SEASONS, CARDS, SHORT_DIAGONALS, connected
from scorer.seasons.score import Player, score_player

Group = Sequence[Cell]

ROUNDS = 5


def times_faster(boards: int, rng: random.Random) -> float:
    """How many times faster the rules are than the programs."""
    drawn = [random_board(rng) for _ in range(boards)]
    return _seconds(milp_points, drawn) / _seconds(_card_points, drawn)


def _seconds(
    answer: Callable[[SeasonBoard, Season], dict[str, int]], boards: Sequence[SeasonBoard]
) -> float:
    """The processor time of one board: of each the quickest round, of all the median."""
    quickest = []
    for board in boards:
        rounds = []
        for _ in range(ROUNDS):
            start = time.process_time()
            answer(board, SEASONS[0])
            rounds.append(time.process_time() - start)
        quickest.append(min(rounds))
    return statistics.median(quickest)


def _card_points(board: SeasonBoard, season: Season) -> dict[str, int]:
    score = score_player(Player("", season, board), tuple(CARDS.values()))
    return {card.card.name: card.points for card in score.cards}


def milp_points(board: SeasonBoard, season: Season) -> dict[str, int]:
    """The points of all 14 cards by ``scipy.optimize.milp``, one program a card."""
    tiles = {cell: content for cell, content in board.items() if isinstance(content, Tile)}
    worth = {cell: 1 + tile.precious + (tile.season is season) for cell, tile in tiles.items()}
    areas = [cells_of(area) for area in board.layout.plan.areas]

    def full(groups: Sequence[Group]) -> int:
        is_full = [all(cell in tiles for cell in group) for group in groups]
        return _program(worth, groups, may_be_chosen=is_full)

    def once_a_season(groups: Sequence[Group]) -> int:
        of_one = [
            group
            for group in groups
            if len({tiles[cell].season if cell in tiles else None for cell in group}) == 1
        ]
        of_one = [group for group in of_one if group[0] in tiles]
        limits = [
            [at for at, group in enumerate(of_one) if tiles[group[0]].season is s] for s in SEASONS
        ]
        return _program(worth, of_one, limits)

    every = range(SIDE)
    ring, edge = range(1, SIDE - 1), (0, SIDE - 1)
    spaces = [cell for cell, content in board.items() if cell not in board.layout.numbers]
    pairs = [
        (one, other)
        for one in tiles
        for other in ((one[0], one[1] + 1), (one[0] + 1, one[1]))
        if other in tiles
        and tiles[one].season is tiles[other].season
        and not any(one in area and other in area for area in areas)
    ]
    groups = [cells_of(group) for cells in board.seasons for group in connected(cells)]
    most = max(map(len, groups), default=0)
    largest = [group for group in groups if len(group) == most]
    matching = [
        tuple(cell for cell in area if cell in tiles and tiles[cell].season is own)
        for area, own in zip(areas, AREA_SEASONS, strict=True)
    ]
    return {
        "six-diagonals": full([[(i, i) for i in every], [(i, SIDE - 1 - i) for i in every]]),
        "six-columns": full([[(i, col) for i in every] for col in (2, 3)]),
        "connections": full(
            [[(at, i) for i in ring] for at in (1, 4)] + [[(i, at) for i in ring] for at in (1, 4)]
        ),
        "outer-edge": full(
            [[cell for cell in spaces if cell[axis] == at] for axis in (0, 1) for at in edge]
        ),
        "number-neighbours": full(
            [
                [cell for cell in spaces if abs(cell[0] - r) + abs(cell[1] - c) == 1]
                for r, c in board.layout.numbers
            ]
        ),
        "short-diagonals": full(SHORT_DIAGONALS),
        "centre": 2 * full([[(2, 2), (2, 3), (3, 2), (3, 3)]]),
        "area-colour": full([group for group in matching if group]),
        "largest-group": _program(worth, largest, [list(range(len(largest)))]),
        "colour-diagonals": once_a_season(_runs(((1, 1), (1, -1)), 3)),
        "colour-lines": once_a_season(_runs(((0, 1), (1, 0)), 4)),
        "colour-squares": once_a_season(
            [
                [(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)]
                for r, _ in pairwise(every)
                for c, _ in pairwise(every)
            ]
        ),
        "colour-pairs": _program(
            worth, pairs, [[at for at, pair in enumerate(pairs) if cell in pair] for cell in tiles]
        ),
        "colour-sets": sum(_sets_program(worth, tiles, area) for area in areas),
    }


def _runs(steps: Sequence[Cell], length: int) -> list[Group]:
    return [
        [(row + i * down, col + i * right) for i in range(length)]
        for row in range(SIDE)
        for col in range(SIDE)
        for down, right in steps
        if 0 <= row + (length - 1) * down < SIDE and 0 <= col + (length - 1) * right < SIDE
    ]


def _program(
    worth: dict[Cell, int],
    groups: Sequence[Group],
    limits: Sequence[Sequence[int]] = (),
    may_be_chosen: Sequence[bool] | None = None,
) -> int:
    """Choose groups, at most one of each set in *limits*.

    A cell scores once if any chosen group has it.
    """
    if not groups:
        return 0
    cells = sorted({cell for group in groups for cell in group})
    size = len(groups) + len(cells)
    rows = np.zeros((len(cells) + len(limits), size))
    upper = np.zeros(len(rows))
    for at, cell in enumerate(cells):
        rows[at, len(groups) + at] = 1
        rows[at, [number for number, group in enumerate(groups) if cell in group]] = -1
    for at, limit in enumerate(limits, len(cells)):
        rows[at, list(limit)] = 1
        upper[at] = 1
    gains = np.array([0] * len(groups) + [worth.get(cell, 0) for cell in cells])
    solved = milp(
        -gains,
        integrality=np.ones(size),
        bounds=Bounds(0, [*(may_be_chosen or [True] * len(groups)), *(True for _ in cells)]),
        constraints=LinearConstraint(rows, -np.inf, upper),
    )
    return round(-float(solved.fun))


def _sets_program(worth: dict[Cell, int], tiles: dict[Cell, Tile], area: Group) -> int:
    """Choose up to two sets in one area: as many tiles of each season as there are sets."""
    cells = [cell for cell in area if cell in tiles]
    rows = np.zeros((len(SEASONS), len(cells) + 1))
    for at, season in enumerate(SEASONS):
        rows[at, [number for number, cell in enumerate(cells) if tiles[cell].season is season]] = 1
        rows[at, -1] = -1
    solved = milp(
        -np.array([*(worth[cell] for cell in cells), 0]),
        integrality=np.ones(len(cells) + 1),
        bounds=Bounds(0, [*(1 for _ in cells), 2]),
        constraints=LinearConstraint(rows, 0, 0),
    )
    return round(-float(solved.fun))


if __name__ == "__main__":
    print(f"{times_faster(20, random.Random(1)):.0f} times faster")

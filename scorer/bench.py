"""How fast the rules are on this machine: ``tallystone bench rules`` prints the rows of `run`.

Times are processor time of this process, so that a busy machine does not blur them.
"""

import json
import random
import statistics
import time
from collections.abc import Iterator
from typing import Any

from scorer.documents import answer_lines
from scorer.season import SEASONS
from scorer.seasons.board import LAYOUTS, TILES_A_PLAYER, SeasonBoard, Tile
from scorer.seasons.cards import CARDS
from scorer.stones.board import BOX, StoneGrid
from scorer.stones.cards import CARDS as PATTERN_CARDS
from scorer.stones.turn import MOST_CARDS, best_turn

DOCUMENTS = 10_000
PLAYERS = 4
TURNS = 1_000


def run(seed: int = 1) -> Iterator[dict[str, Any]]:
    """Measure everything, one row at a time. The targets are those of the project."""
    rng = random.Random(seed)
    yield _documents(rng)
    yield _best_turns(rng)


def _documents(rng: random.Random) -> dict[str, Any]:
    lines = [json.dumps(_score_document(rng)) for _ in range(DOCUMENTS)]
    start = time.process_time()
    size = sum(len(json.dumps(answer)) for answer in answer_lines("score", lines))
    return {
        "measure": f"score documents of {PLAYERS} players, JSON to JSON",
        "documents": DOCUMENTS,
        "seconds": round(time.process_time() - start, 2),
        "target_seconds": 10,
        "answer_bytes": size,
    }


def _score_document(rng: random.Random) -> dict[str, Any]:
    position, colour = tuple(CARDS)[:7], tuple(CARDS)[7:]
    return {
        "game": "seasons",
        "cards": [*rng.sample(position, 2), *rng.sample(colour, 2)],
        "players": [
            {"name": f"player {number}", "season": season.value, "board": str(random_board(rng))}
            for number, season in enumerate(SEASONS[:PLAYERS], 1)
        ],
    }


def _best_turns(rng: random.Random) -> dict[str, Any]:
    milliseconds = []
    for _ in range(TURNS):
        grid, hand = random_grid(rng), rng.sample(PATTERN_CARDS, MOST_CARDS)
        start = time.process_time()
        best_turn(grid, hand)
        milliseconds.append(1000 * (time.process_time() - start))
    return {
        "measure": f"best turn with {MOST_CARDS} cards",
        "turns": TURNS,
        "median_ms": round(statistics.median(milliseconds), 1),
        "target_median_ms": 50,
        "worst_ms": round(max(milliseconds), 1),
        "target_worst_ms": 300,
    }


def random_board(rng: random.Random) -> SeasonBoard:
    """A full board of any layout."""
    empty = SeasonBoard.empty(rng.choice(LAYOUTS))
    spaces = [cell for cell, content in empty.items() if content is None]
    tiles = {
        cell: Tile(rng.choice(SEASONS), rng.random() < 0.5)
        for cell in rng.sample(spaces, TILES_A_PLAYER)
    }
    return SeasonBoard.of(dict(empty.items()) | tiles)


def random_grid(rng: random.Random) -> StoneGrid:
    """Nine stones as the box holds them."""
    kinds = [kind for kind, count in BOX.items() for _ in range(count)]
    rng.shuffle(kinds)
    return StoneGrid(tuple(rng.choice(kind.value) for kind in kinds))

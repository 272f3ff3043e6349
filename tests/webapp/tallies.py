"""Claimed tallies of every game, whose figures are drawn at random."""

import random
from collections.abc import Iterator
from typing import Any


def seasons() -> Iterator[dict[str, Any]]:
    """Boards filled at random, with a figure that is wrong for every card."""
    from scorer.seasons.cards import CARDS

    chance = random.Random(7)
    numbers = {(0, 1): "1", (1, 5): "2", (5, 4): "3", (4, 0): "4"}
    for _ in range(25):
        cells = [
            [
                numbers.get((row, col))
                or chance.choice(["sp", "su", "au", "wi", "sp*", "su*", "au*", "wi*"])
                for col in range(6)
            ]
            for row in range(6)
        ]
        for row, col in chance.sample(
            [(r, c) for r in range(6) for c in range(6) if (r, c) not in numbers], 8
        ):
            cells[row][col] = "."
        board = " / ".join(" ".join(row) for row in cells)
        yield {
            "game": "seasons",
            "cards": list(CARDS),
            "players": [{"name": "Ann", "season": "spring", "board": board}],
            "claimed": {
                "Ann": {card: chance.randrange(30) for card in CARDS}
                | {"total": chance.randrange(150)}
            },
        }


def others() -> Iterator[dict[str, Any]]:
    chance = random.Random(8)
    for _ in range(40):
        cards = chance.sample(range(1, 73), 8)
        yield {
            "game": "stones",
            "players": [{"name": "Ann", "cards": cards[:4]}, {"name": "Ben", "cards": cards[4:]}],
            "claimed": {
                "Ann": {
                    "points": chance.randrange(20),
                    "ones": 9,
                    "bonus": 1,
                    "total": chance.randrange(20),
                }
            },
        }
        row = [chance.choice(["spring", "summer", "autumn", "winter"]) for _ in range(8)]
        yield {
            "game": "time",
            "grid": " ".join(row[:4]) + " / " + " ".join(row[4:]),
            "order": ["spring", "summer", "autumn", "winter"],
            "claimed": {
                season: chance.randrange(5) for season in ("spring", "summer", "autumn", "winter")
            },
        }
        yield {
            "game": "villagers",
            "market": chance.choice([1, 2]),
            "village": {
                "chains": [["Hayer", ["Grazier", "Milk Maid"]], ["Chandler"], ["Miner", "Seeker"]]
            },
            "supply": 5,
            "claimed": {
                item: chance.randrange(12)
                for item in ("gold", "silver", "coins", "supply", "total")
            },
        }

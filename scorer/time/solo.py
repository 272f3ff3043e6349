"""Turn of Time, played alone: the goals."""

from scorer.time.board import SIDE, TimeGrid
from scorer.time.score import ranking

DOMINANCE_GROUP = 7
BALANCE_CARDS = 4


def is_dominance(grid: TimeGrid) -> bool:
    """Solo goal: all cards are played and seven or more of one season are connected."""
    return len(grid.cards) == SIDE * SIDE and any(
        rank.group >= DOMINANCE_GROUP for rank in ranking(grid)
    )


def is_balance(grid: TimeGrid) -> bool:
    """Solo goal: all cards are played and every season shows four."""
    return len(grid.cards) == SIDE * SIDE and all(
        rank.cards == BALANCE_CARDS for rank in ranking(grid)
    )


def is_won(grid: TimeGrid, goal: str) -> bool:
    """Whether the goal is reached: ``dominance``, ``balance`` or ``either``."""
    return (goal != "balance" and is_dominance(grid)) or (goal != "dominance" and is_balance(grid))

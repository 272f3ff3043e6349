"""Shifting Stones: how many cards are held and drawn, and when the last round begins."""

HAND = 4
"""Cards to which a hand is refilled (rulebook, end of the turn)."""

SKIP_CARDS = 2
"""Cards that a player draws instead of a turn (rulebook, skipping)."""

LAST_ROUND_AT = {2: 10, 3: 9, 4: 8}
"""Scored cards of one player that end the game, by the number of players (rulebook, end)."""

LAST_ROUND_AT_MOST_PLAYERS = 7
"""The same with five players or more."""


def last_round_at(players: int) -> int:
    """Scored cards of one player with which the last round begins."""
    return LAST_ROUND_AT.get(players, LAST_ROUND_AT_MOST_PLAYERS)

"""Shifting Stones, played alone: sixteen cards, four strikes."""

SOLO_STRIKES = 4
"""Turns without a scored card that lose a solo game."""

SOLO_DECK = {1: 8, 2: 4, 3: 3, 5: 1}
"""Cards of a solo game, by their points; all of them scored wins."""

SOLO_CARDS = sum(SOLO_DECK.values())

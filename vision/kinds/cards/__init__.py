"""Pattern cards: any number, anywhere in the photo, any way round.

Kept out: boards, whose pieces lie in a grid.
"""

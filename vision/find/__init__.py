"""Where the pieces are: detector, lattice, every corner refined, places that hold a piece, and
corners that a person showed.

Kept out: what the pieces are (``vision.name``).
"""

"""Where the pieces are: detector, lattice, refined corners, places, corners from a person.

Kept out: what the pieces are (``vision.name``).
"""

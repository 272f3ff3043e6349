"""What differs by kind of board.

Kept out: what all boards share (``vision.find``, ``vision.name``, ``vision.decode``).
"""

"""What each piece looks like: likeness to taught faces, networks that know a published set, and the
light.

Kept out: the rules of the box, which decide together (``vision.decode``).
"""

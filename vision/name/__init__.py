"""What each piece looks like: likeness to taught faces, networks of published sets, light.

Kept out: the rules of the box, which decide together (``vision.decode``).
"""

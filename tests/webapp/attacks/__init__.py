"""Attacks of a hostile guest on a real server; ``hostile.py`` runs them and prints what they cost.

Each module is one topic with a function ``attack(target)`` that yields the `Figure`s it measured.
Tests of single refusals live in the ``test_`` files; here is what needs a real server, many at
once, or many tries.
"""

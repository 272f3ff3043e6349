"""Measurements of single promises; ``promises.py`` runs them by number.

Each function takes how many times to do it and yields figures with the most that is allowed.
"""

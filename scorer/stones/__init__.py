"""Shifting Stones: nine stones on the table, and cards that show a pattern of them."""

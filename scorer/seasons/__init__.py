"""Shifting Seasons: a board of tiles for every player, and cards that say what scores on it."""

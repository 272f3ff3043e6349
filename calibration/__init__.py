"""Teaches the reader one physical copy of a game: profiles, lessons, cameras, corrections."""

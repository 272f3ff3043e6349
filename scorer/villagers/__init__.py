"""Villagers: a village of production chains, and the gold that it earns."""

"""Generates the training pictures and trains the networks. Needs the ``training`` extra."""

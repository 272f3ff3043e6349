"""Trained networks: the manifest, the weights and the one module that runs them.

Knows no game rules and no photos; arrays go in, arrays come out. The code that trains the networks
lies in ``models.training`` and needs the ``training`` extra; running them does not.
"""

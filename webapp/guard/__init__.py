"""Who may do what, how often and how much: addresses, cookies, PIN, owners, quotas, the gate.

Knows devices and requests, no rule of any game.
"""

"""The rules of the games: boards, patterns, scores and their explanations.

Knows nothing of photos or of the web; imports only the standard library.
"""

"""The server that listens: connections, certificates, its log and its memory.

Knows nothing of the pages behind it.
"""

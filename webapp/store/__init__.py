"""Keeps games, players, members, logs of changes and photos. Knows nothing of Flask.

``open_store`` gives a ``Store`` whose tables are up to date; ``Store.reading()`` and
``Store.writing()`` are transactions. On SQLite every writing transaction is immediate and is on the
disk when it returns.
"""

from webapp.store.engine import Store, open_store
from webapp.store.models import Event, Game, Member, Photo, Player
from webapp.store.schema import StoreAway, StoreError

__all__ = [
    "Event",
    "Game",
    "Member",
    "Photo",
    "Player",
    "Store",
    "StoreAway",
    "StoreError",
    "open_store",
]

"""What people at the table can do: start a game, join it, change it, keep photos. Knows no Flask.

Everything that goes in or out is text, bytes or plain JSON values. A change is in the database
before it is answered or announced. Who asks is told by the secret of their device; only its hash is
stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.live import Announcements
from webapp.service import TableReader
from webapp.store.engine import Store
from webapp.store.photos import PhotoFolder
from webapp.tables.changes import Changes
from webapp.tables.copies import Copies
from webapp.tables.desk import Desk
from webapp.tables.games import Games
from webapp.tables.members import Members
from webapp.tables.people import People
from webapp.tables.photos import Photos
from webapp.tables.pruning import Pruning

if TYPE_CHECKING:
    from webapp.guard.quotas import Quotas


class Tables:
    """All tables of one data folder, part by part: ``tables.members.join(code, token, seat)``.

    ``photo_days`` is how long photos are kept: None for ever, 0 until the game is finished.
    """

    def __init__(
        self,
        store: Store,
        reader: TableReader,
        folder: PhotoFolder,
        announcements: Announcements,
        quotas: Quotas,
        photo_days: int | None = None,
    ) -> None:
        self.store = store
        self.announcements = announcements
        self.quotas = quotas
        self.pruning = Pruning(store, folder, photo_days)
        desk = Desk(store, announcements, quotas, self.pruning)
        self.games = Games(desk, folder)
        self.members = Members(desk)
        self.people = People(desk)
        self.changes = Changes(desk)
        self.copies = Copies(desk, reader)
        self.photos = Photos(desk, reader, folder, self.copies)

"""Tells every device that a game has changed: server-sent events, with the database as truth.

``Announcements`` knows who listens in this process, ``Watch`` hears what other processes change,
``stream`` is what one device is sent.
"""

from webapp.live.announcements import Announcements, Audience
from webapp.live.streams import Streams, stream
from webapp.live.watch import Watch

__all__ = ["Announcements", "Audience", "Streams", "Watch", "stream"]

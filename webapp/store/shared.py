"""Keys that all processes on one database server share."""

from sqlalchemy.exc import IntegrityError

from webapp.store.engine import Store
from webapp.store.models import SharedValue


def create(store: Store, name: str, value: bytes) -> bytes:
    """Set a value unless it is there already; gives the one that counts."""
    try:
        with store.writing() as session:
            session.add(SharedValue(name=name, value=value))
    except IntegrityError:
        with store.reading() as session:
            return session.get_one(SharedValue, name).value
    return value

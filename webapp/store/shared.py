"""What several processes may write at once, such as the keys that they share on one server."""

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.store.engine import Store
from webapp.store.models import Base, SharedValue


def added(session: Session, row: Base) -> bool:
    """Add a row; False if it is there, because somebody else did so at the same moment."""
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return False
    return True


def create(store: Store, name: str, value: bytes) -> bytes:
    """Set a value unless it is there already; gives the one that counts."""
    with store.writing() as session:
        added(session, SharedValue(name=name, value=value))
        return session.get_one(SharedValue, name).value

"""Keys that all processes on one database server share."""

from __future__ import annotations

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from webapp.store.engine import Store
from webapp.store.models import SharedValue


def read(store: Store, name: str) -> bytes | None:
    """The value of that name, None if there is none."""
    with store.reading() as session:
        return session.scalar(select(SharedValue.value).where(SharedValue.name == name))


def write(store: Store, name: str, value: bytes) -> None:
    """Set a value."""
    if create(store, name, value) != value:
        with store.writing() as session:
            changed = update(SharedValue).where(SharedValue.name == name)
            session.execute(changed.values(value=value))


def create(store: Store, name: str, value: bytes) -> bytes:
    """Set a value unless it is there already; gives the one that counts."""
    try:
        with store.writing() as session:
            session.add(SharedValue(name=name, value=value))
    except IntegrityError:
        return read(store, name) or value
    return value

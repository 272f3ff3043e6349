"""Devices and codes: the secret that tells a device, and the code that joins a game."""

import hashlib
import secrets
from collections.abc import Sequence
from typing import Literal

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from webapp.store.models import CODE_LETTERS, Game, Member

Role = Literal["host", "player", "viewer", "removed", "left"]
"""What a device is in a game; one that was removed stays out until the host lets it in, one that
left comes back as it came at first."""

GONE = ("removed", "left")
NOBODY = "-"
"""How the hash of those begins who have no device here; no hash of a secret does."""

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""The 31 symbols of a code: no 0 and O, no 1, I and L."""


def new_token() -> str:
    """A secret for a device."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What the database knows of a secret."""
    return hashlib.sha256(token.encode()).hexdigest()


def hash_of_nobody() -> str:
    """In place of the hash of a secret, for those who have no device here."""
    return NOBODY + token_hash(new_token())[1:]


def has_device(member: Member) -> bool:
    """Whether a member could come back: those of an imported game have no device here."""
    return not member.token_hash.startswith(NOBODY)


def is_here(member: Member) -> bool:
    """Whether a member has a device here, and is not gone."""
    return member.role not in GONE and has_device(member)


def of_device(token: str) -> ColumnElement[bool]:
    """The condition that a member is the device of *token*, and not gone."""
    return and_(Member.token_hash == token_hash(token), Member.role.not_in(GONE))


def device_among(members: Sequence[Member], token: str) -> Member | None:
    """The member that is the device of *token*, or was before it left or was removed."""
    wanted = token_hash(token)
    return next((one for one in members if one.token_hash == wanted), None)


def tidy_code(text: str) -> str:
    """A code as people type it: in any case, with spaces or dashes.

    >>> tidy_code(" ab7-k2q ")
    'AB7K2Q'
    """
    return "".join(c for c in text.upper() if c.isalnum())


def free_code(session: Session) -> str:
    """A code that no game has."""
    while True:
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
        if session.scalar(select(Game.id).where(Game.code == code)) is None:
            return code

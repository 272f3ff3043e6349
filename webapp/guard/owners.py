"""Who may change, download and delete taught copies and cameras: the device that made them.

The record of an owner lies beside the data, not in the exported file. It holds the hash of the
device's secret and the time at which the thing was made, so another thing of the same name has no
owner. What was taught on the command line has none either: it is changed with the PIN.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from flask import has_request_context

from calibration.files import write_whole
from calibration.profiles import ProfileInfo, profile_path
from calibration.taught import now
from webapp.current import data_dir
from webapp.guard.pin import is_trusted
from webapp.guard.security import device_token
from webapp.service import FOREIGN, Devices
from webapp.tables.devices import token_hash
from webapp.tables.errors import TableError

FOLDER = "owners"
HOLD = ("profiles", "cameras")
"""Folders of the things that have owners."""

MOST_OF_ONE = 24
"""Copies and cameras that one device may own; a family with all games has about ten."""

MOST_IN_ALL = 240
"""Copies and cameras of a computer that devices without the PIN may add to."""


MOST_BYTES = 2**30
"""Bytes of all copies and cameras beyond which a device without the PIN adds none."""

LEAST_FREE_BYTES = 2**30
"""Bytes that copies and cameras leave free on the disk, for the games that go on."""


def claim(path: Path, made: str, key: str | None = None) -> None:
    """Note that what was *made* at a time and lies at *path* belongs to the device that asks.

    *key* is the device's own number of the request that made it.
    """
    device = token_hash(device_token())
    before = _read(_record(path))
    since = before.get("since", "") if before.get("device") == device else ""
    owner = {"made": made, "device": device, "since": since or now(), "key": key or ""}
    _write(path, owner | ({"trusted": "yes"} if is_trusted() else {}))


def may_change(path: Path, made: str) -> bool:
    """Whether the device that asks owns what lies at *path*, or gave the PIN."""
    owner = _read(_record(path))
    is_owned = owner.get("made") == made
    return is_trusted() or (is_owned and owner.get("device") == token_hash(device_token()))


def preference(copy: ProfileInfo, at_table: Devices = frozenset()) -> tuple[int, str]:
    """Which copy a device reads with that chose none; the least comes first.

    First come its own and those of the devices at its table, then those of the table computer and
    of devices that gave the PIN. The one that another device brought first is next, so that whoever
    comes later cannot put a false copy before it.
    """
    if not has_request_context():
        return 1, ""
    owner = _read(_record(profile_path(copy.name, copy.board, data_dir())))
    is_owned = owner.get("made") == copy.created
    if is_owned and owner.get("device") in {token_hash(device_token()), *at_table}:
        return 0, ""
    if not is_owned or "trusted" in owner:
        return 1, ""
    return FOREIGN, owner.get("since", "")


def only_owner(path: Path, made: str) -> None:
    """Raise TableError unless the device that asks may change what lies at *path*."""
    if not may_change(path, made):
        raise TableError(
            403,
            "not_yours",
            "This was taught by another device: enter the PIN of the table computer first.",
        )


def made_again(path: Path, made: str, key: str | None = None) -> None:
    """Keep the owner of a thing that was changed, by the request of that *key*."""
    owner = _read(_record(path))
    if owner:
        _write(path, {**owner, "made": made, "key": key or ""})


def is_made_by(path: Path, key: str | None) -> bool:
    """Whether the device that asks made what lies at *path* with its request of that *key*."""
    owner = _read(_record(path))
    is_mine = owner.get("device") == token_hash(device_token())
    return path.is_file() and is_mine and key is not None and owner.get("key") == key


def moved(old: Path, new: Path) -> None:
    """Keep the owner of a thing that got another name."""
    if _record(old).is_file():
        _record(old).replace(_record(new))
    else:
        forget(new)


def forget(path: Path) -> None:
    """What lies at *path* belongs to nobody."""
    _record(path).unlink(missing_ok=True)


def refuse_too_many() -> None:
    """Raise TableError if the device that asks may add no further copy or camera."""
    if is_trusted():
        return
    owners = [
        _read(record)
        for record in (data_dir() / FOLDER).glob("*")
        if any((data_dir() / folder / record.name).is_file() for folder in HOLD)
    ]
    mine = sum(owner.get("device") == token_hash(device_token()) for owner in owners)
    sizes = [path.stat().st_size for folder in HOLD for path in (data_dir() / folder).glob("*")]
    is_full = sum(sizes) > MOST_BYTES or shutil.disk_usage(data_dir()).free < LEAST_FREE_BYTES
    if mine >= MOST_OF_ONE or len(owners) >= MOST_IN_ALL or is_full:
        raise TableError(
            403,
            "too_many",
            "There are too many copies and cameras already: delete one, or enter the PIN of "
            "the table computer.",
        )


def _record(path: Path) -> Path:
    return path.parents[1] / FOLDER / path.name


def _read(record: Path) -> Mapping[str, str]:
    try:
        owner = json.loads(record.read_bytes())
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def _write(path: Path, owner: Mapping[str, str]) -> None:
    write_whole(_record(path), json.dumps(owner).encode())

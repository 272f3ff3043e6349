"""Profiles on disk: one portable file for each physical copy of a game."""

import io
import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from models.registry import manifest
from vision.profile import Profile

FORMAT = 1
"""Version of the file's layout."""
DEFAULT_NAME = "default"
"""Name of the profile that comes with the program."""
_NAME = re.compile(r"[\w][\w .+-]{0,59}")


class ProfileError(Exception):
    """A profile is missing, unreadable, or made for another board or model; the message says what to do."""


@dataclass(frozen=True, slots=True)
class ProfileInfo:
    """What a list of profiles shows: ``crops`` is how many lesson crops were learnt, ``created`` an ISO 8601 time."""

    name: str
    board: str
    labels: tuple[str, ...]
    crops: int
    created: str


def embedding_version() -> str:
    """The version that every vector of a profile must come from."""
    return manifest()["embedding"].version


def checked_name(name: str) -> str:
    """The name if it can be a file's. Raises ProfileError."""
    if not _NAME.fullmatch(name) or name.strip(". ") != name:
        raise ProfileError(f"a profile's name has up to 60 letters, digits, spaces or . _ + -, got {name!r}")
    return name


def profile_path(name: str, board: str, data_dir: Path) -> Path:
    """Where a profile lies in the data folder."""
    return data_dir / "profiles" / f"{checked_name(name)}.{checked_name(board)}.tallyprofile"


def pack(profile: Profile, created: str) -> bytes:
    """The profile as one file: a zip of plain arrays and a JSON description; no code in it."""
    meta = {
        "format": FORMAT,
        "name": profile.name,
        "board": profile.board,
        "model": profile.model,
        "created": created,
        "labels": list(profile.labels),
    }
    arrays: dict[str, Any] = {  # Any: the stubs would take the values for keyword options
        f"prototypes_{i}": np.asarray(p, np.float16) for i, p in enumerate(profile.prototypes.values())
    }
    arrays |= {
        f"colours_{i}": profile.colours[label].astype(np.float16) for i, label in enumerate(profile.labels)
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
    return buffer.getvalue()


def unpack(data: bytes, source: str) -> tuple[Profile, Mapping[str, Any]]:
    """Read what ``pack`` wrote. Raises ProfileError if it is damaged or of another version."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            meta = json.loads(archive["meta"].tobytes())
            if meta["format"] != FORMAT:
                raise ProfileError(f"{source}: made by another version of tallystone; teach this copy again")
            prototypes, colours = {}, {}
            for i, label in enumerate(meta["labels"]):
                vectors = archive[f"prototypes_{i}"].astype(np.float32)
                colours[str(label)] = archive[f"colours_{i}"].astype(np.float32)
                shapes_fit = vectors.ndim == 3 and vectors.shape[1] == 4
                shapes_fit &= colours[str(label)].shape == (len(vectors), 3)
                if (
                    not shapes_fit
                    or not np.isfinite(vectors).all()
                    or not np.isfinite(colours[str(label)]).all()
                ):
                    raise ProfileError(
                        f"{source}: the vectors of {label!r} are damaged; import or teach it again"
                    )
                prototypes[str(label)] = vectors / np.maximum(
                    np.linalg.norm(vectors, axis=2, keepdims=True), 1e-6
                )
            return Profile(
                str(meta["name"]), str(meta["board"]), prototypes, str(meta["model"]), colours
            ), meta
    except ProfileError:
        raise
    except Exception as error:  # zip, JSON and array readers raise many types on damaged files
        raise ProfileError(
            f"{source}: not a tallystone profile, or damaged; import or teach it again"
        ) from error


def save_profile(profile: Profile, data_dir: Path) -> Path:
    """Write the profile so that a crash leaves either the old file or the new one."""
    path = profile_path(profile.name, profile.board, data_dir)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = pack(profile, datetime.now(UTC).isoformat(timespec="seconds"))
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


def load_profile(name: str | None, board: str, data_dir: Path) -> Profile:
    """The named profile of a board; None is the one that comes with the program.

    Raises
    ------
    ProfileError
        If there is none, it is damaged, or its vectors come from another version of the network.
    """
    if name is None or name == DEFAULT_NAME:
        return default_profile(board)
    path = profile_path(name, board, data_dir)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        known = sorted({info.name for info in list_profiles(data_dir) if info.board == board})
        have = f"; there is {', '.join(known)}" if known else ""
        raise ProfileError(
            f"no profile {name!r} for {board}{have}: teach one with `tallystone teach`"
        ) from None
    profile, _ = unpack(data, path.name)
    if profile.board != board:
        raise ProfileError(f"profile {name!r} was taught for {profile.board!r}, not for {board!r}")
    if profile.model != embedding_version():
        raise ProfileError(f"profile {name!r} was taught with another model version; teach it again")
    return profile


def default_profile(board: str) -> Profile:
    """The bundled profile of a board. Raises ProfileError for boards whose look is not published."""
    if board != "stones":
        raise ProfileError(
            f"the look of {board} is not known beforehand: teach your copy first"
            " with `tallystone teach NAME --board ...` and read with `--profile NAME`"
        )
    return Profile(DEFAULT_NAME, board, {}, manifest()["stones"].version, published=True)


def list_profiles(data_dir: Path) -> list[ProfileInfo]:
    """Every readable profile of the data folder, by name."""
    found = []
    for path in sorted((data_dir / "profiles").glob("*.tallyprofile")):
        try:
            profile, meta = unpack(path.read_bytes(), path.name)
        except ProfileError:
            continue
        crops = sum(len(p) for p in profile.prototypes.values())
        found.append(ProfileInfo(profile.name, profile.board, profile.labels, crops, str(meta["created"])))
    return found

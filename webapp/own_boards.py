"""Games of one's own that can be started without a word: those that were taught, then those that
this device has played."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.profiles import list_profiles, load_taught
from calibration.taught import ProfileError
from scorer.custom.board import CustomBoard
from scorer.game import Json
from vision.boards import BOARDS
from vision.geometry import Images
from webapp.service import TableReader, picture_address

MOST_TAUGHT = 24
"""Taught games that are offered."""

MOST_PICTURES = 4
"""Pieces that show which game it is."""

LEAST_SPREAD = 128
"""Grey levels between the dark and the light of a piece: half of them, so that a plain one is not
made to glare."""


def own_boards(reader: TableReader, played: list[Json]) -> list[dict[str, Any]]:
    """Each as ``board``, its description, ``about``, its size and rules in short, and ``pictures``
    of its pieces; those that the device that asks taught come first, then the newest.

    Of one name it is the game played last and all that were taught, each description once.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    infos = [info for info in list_profiles(reader.data_dir) if info.board not in BOARDS]
    infos.sort(key=lambda info: info.created, reverse=True)
    infos.sort(key=lambda info: reader.preference(info, frozenset())[0])
    for info in infos[:MOST_TAUGHT]:
        try:
            taught = load_taught(info.name, info.board, reader.data_dir)
            if taught.shape is None:
                continue
            pictures = [
                _png(taught.pictures(label)[0]) for label in [*taught.strips][:MOST_PICTURES]
            ]
        except (ProfileError, IndexError):
            continue
        one = _offer(dict(taught.shape), pictures)
        others = found.setdefault(info.board.casefold(), [])
        if not any(_are_alike(one, other) for other in others):
            others.append(one)
    latest: dict[str, Json] = {}
    for board in played:
        latest.setdefault(str(board["name"]).casefold(), board)
    for name, board in latest.items():
        one, others = _offer(board, []), found.get(name, [])
        alike = [other for other in others if _are_alike(one, other)]
        for other in [*alike, *others][:1]:
            one["pictures"] = other["pictures"]
        found[name] = [one, *(other for other in others if other not in alike)]
    return [one for offers in found.values() for one in offers]


def _offer(board: Json, pictures: list[str]) -> dict[str, Any]:
    described = CustomBoard.from_table(board)
    sides = (described.rows, described.cols)
    size = " × ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in sides)
    about = " · ".join([size, *(rule.name for rule in described.score)])
    return {"board": board, "about": about, "pictures": pictures}


def _are_alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return CustomBoard.from_table(one["board"]) == CustomBoard.from_table(other["board"])


def taught_boards(name: str, reader: TableReader) -> list[Json]:
    """The descriptions of the taught games of that name, however its letters are written."""
    boards = [one["board"] for one in own_boards(reader, [])]
    return [board for board in boards if board["name"].casefold() == name.casefold()]


def shape_of_copy(copy: str, board: str, data_dir: Path) -> Json | None:
    """The description that a taught copy carries; None if it has none, or there is no such copy."""
    try:
        shape = load_taught(copy, board, data_dir).shape
    except ProfileError:
        return None
    return None if shape is None else dict(shape)


def piece_pictures(profile: str, board: str, data_dir: Path) -> dict[str, str]:
    """The first lesson crop of each piece of a taught copy, as the address of a small picture.

    Nothing where there is no such copy, or none that kept its pictures.
    """
    try:
        taught = load_taught(profile, board, data_dir)
        crops = {label: taught.pictures(label) for label in taught.strips}
    except ProfileError:
        return {}
    return {label: _png(found[0]) for label, found in crops.items() if len(found)}


def _png(crop_rgb: Images) -> str:
    """A crop with its darkest and lightest parts spread out, so that lessons look alike."""
    low, high = np.percentile(crop_rgb, (1, 99))
    even = (crop_rgb - low) * (255 / max(high - low, LEAST_SPREAD))
    even_bgr = even.clip(0, 255).astype(np.uint8)[..., ::-1]
    data = cv2.imencode(".png", even_bgr)[1].tobytes()
    return picture_address(data, "png")

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
from webapp.service import picture_address

MOST_TAUGHT = 24
"""Taught games that are offered, the newest ones."""

MOST_PICTURES = 4
"""Pieces that show which game it is."""

LEAST_SPREAD = 128
"""Grey levels between the dark and the light of a piece: half of them, so that a plain one is not
made to glare."""


def own_boards(data_dir: Path, played: list[Json]) -> list[dict[str, Any]]:
    """Each as ``board``, its description, ``about``, its size and rules in short, and ``pictures``
    of its pieces; the newest first.

    Of one name it is the game played last and, where that differs, the one taught last.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    infos = [info for info in list_profiles(data_dir) if info.board not in BOARDS]
    for info in sorted(infos, key=lambda info: info.created, reverse=True)[:MOST_TAUGHT]:
        name = info.board.casefold()
        if name in found:
            continue
        try:
            taught = load_taught(info.name, info.board, data_dir)
            if taught.shape is None:
                continue
            pictures = [
                _png(taught.pictures(label)[0]) for label in [*taught.strips][:MOST_PICTURES]
            ]
        except (ProfileError, IndexError):
            continue
        found[name] = [_offer(dict(taught.shape), pictures)]
    latest: dict[str, Json] = {}
    for board in played:
        latest.setdefault(str(board["name"]).casefold(), board)
    for name, board in latest.items():
        others = found.get(name, [])
        one = _offer(board, others[0]["pictures"] if others else [])
        found[name] = [one, *(other for other in others if not _are_alike(one, other))]
    return [one for offers in found.values() for one in offers]


def _offer(board: Json, pictures: list[str]) -> dict[str, Any]:
    described = CustomBoard.from_table(board)
    sides = (described.rows, described.cols)
    size = " × ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in sides)
    about = " · ".join([size, *(rule.name for rule in described.score)])
    return {"board": board, "about": about, "pictures": pictures}


def _are_alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return CustomBoard.from_table(one["board"]) == CustomBoard.from_table(other["board"])


def taught_board(name: str, data_dir: Path) -> Json | None:
    """The description of the taught game of that name, however its letters are written."""
    boards = own_boards(data_dir, [])
    same = (one["board"] for one in boards if one["board"]["name"].casefold() == name.casefold())
    return next(same, None)


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

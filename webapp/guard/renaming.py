"""Gives a taught copy another name, wherever the old one stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from calibration.profiles import profile_path, rename_profile
from webapp.guard import owners

if TYPE_CHECKING:
    from webapp.tables import Tables


def rename_copy(
    name: str, new_name: str, board: str, data_dir: Path, tables: Tables | None
) -> None:
    """Rename a copy of *board* with its owner, and in the games and photos of *tables*.

    *tables* is None for a data folder without games. Raises ProfileError, with nothing renamed, if
    there is no such copy or the new name is taken.
    """
    rename_profile(name, new_name, board, data_dir)
    owners.moved(profile_path(name, board, data_dir), profile_path(new_name, board, data_dir))
    if tables is not None:
        tables.copies.renamed(board, name, new_name)

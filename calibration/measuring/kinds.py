"""Measures how often a photo is taken for another game, where nobody says which one it shows.

PHOTOS are folders that hold a ``truth.json`` (or folders of such folders), as the judge of readings
takes them. All sets are taught first. Each photo is then read with the copies of the sets of its
own name, one for each board, those of the sets below ``real``, and the untaught stones::

    python -m calibration.measuring.kinds PHOTOS
"""

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from calibration.any_game import AnyGame, open_any
from calibration.lessons import Lesson
from calibration.teach import teach
from models.training.arguments import parser_of
from vision.errors import VisionError
from vision.find.corners import Corners

REAL = "real"
Sets = dict[Path, dict[str, Any]]


def sets_in(folders: list[Path]) -> Sets:
    """The truth of each set, by its folder."""
    files = sorted({file for folder in folders for file in folder.rglob("truth.json")})
    return {file.parent: json.loads(file.read_text(encoding="utf-8")) for file in files}


def copy_name(folder: Path) -> str:
    """What the copy of a set is called."""
    return "-".join(folder.parts[-3:])


def teach_all(sets: Sets, data: Path) -> None:
    """Teach each set from its lessons."""
    for folder, truth in sets.items():
        board = str(truth["board"])
        lessons = [
            Lesson(photo=(folder / photo).read_bytes(), layout=layout, source=photo)
            for photo, layout in truth["teach"]
        ]
        where = truth.get("lesson_corners")
        described = str(folder / board) if board.endswith(".toml") else board
        corners = Corners.parse(where) if where else None
        teach(copy_name(folder), described, lessons, data, corners)


def household(every: AnyGame, folder: Path) -> AnyGame:
    """The readers of one table: one art for each board, the real games, untaught stones."""
    own = copy_name(folder)
    kept = {
        reader.spec.name: reader
        for reader in every.readers
        if reader.profile.name.endswith("-" + folder.name)
    }
    others = [
        reader
        for reader in every.readers
        if reader.profile.published
        or reader.profile.name == own
        or f"{REAL}-" in reader.profile.name
    ]
    names = {reader.profile.name for reader in others}
    more = [one for name, one in kept.items() if one.profile.name not in names]
    taken = {reader.spec.name for reader in others if reader.profile.name == own}
    return AnyGame((*others, *(one for one in more if one.spec.name not in taken)), every.cards)


def answer(readers: AnyGame, photo: Path) -> str:
    """The board that a photo is taken for; the reason if it is refused."""
    try:
        return readers.read(photo.read_bytes()).board
    except VisionError as error:
        return f"refused: {error.code}"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("photos", nargs="+", type=Path)
    args = parser.parse_args()
    sets = sets_in(args.photos)
    with TemporaryDirectory() as data:
        teach_all(sets, Path(data))
        every = open_any(Path(data))
        tally: dict[str, Counter[str]] = {}
        for folder, truth in sets.items():
            readers = household(every, folder)
            board = next(
                one.spec.name for one in every.readers if one.profile.name == copy_name(folder)
            )
            for entry in truth["photos"]:
                found = answer(readers, folder / entry["photo"])
                right = "right" if found == board else found
                tally.setdefault(board, Counter())[right] += 1
                if right != "right":
                    print(f"{folder / entry['photo']}: {found}")
    for board, counts in tally.items():
        print(f"{board:12s} {counts.total():4d} photos: {dict(counts)}")


if __name__ == "__main__":
    main()

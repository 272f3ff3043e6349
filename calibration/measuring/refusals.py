"""Measures how often a photo without the board is refused, on tables of art that no training saw.

Half of the photos show no game, half show other games: cards, heaps of tiles, single pieces, boards
of another kind. Each is read for stones with nothing taught, and for stones, seasons and time with
a set that does not lie there. Needs the ``training`` extra and the icon bank::

    python -m calibration.measuring.refusals BANK.npz --count 300
"""

from collections import Counter

import numpy as np

from calibration.measuring.generated import PHOTO_HW, as_photo, drawn_set, lesson_profile
from calibration.profiles import default_profile
from models.training.arguments import bank_parser
from models.training.faces import SetPainter, held_out_painter
from models.training.scenes import SceneKind, render_scene
from vision.boards import BOARDS
from vision.errors import VisionError
from vision.photo import Photo
from vision.profile import Profile
from vision.read import read_board

OTHER_GAMES: tuple[SceneKind, ...] = ("cards", "dense", "single", "time", "seasons")


def table_without(rng: np.random.Generator, painter: SetPainter, board: str) -> Photo:
    """A photo in which the board does not lie: no game, or another one."""
    others = [kind for kind in OTHER_GAMES if kind != board]
    kind: SceneKind = "negative" if rng.random() < 0.5 else others[int(rng.integers(len(others)))]
    return as_photo(render_scene(rng, painter.scene_faces, PHOTO_HW, kind))


def stranger_to(
    rng: np.random.Generator, painter: SetPainter, board: str, default: bool
) -> tuple[Photo, Profile]:
    """A photo without the board, and a profile that reads it: another set's, or the bundled one."""
    if default:  # other games in the published look of the stones would show what is asked for
        return table_without(rng, painter.without_stones(), board), default_profile(board)
    photo = table_without(rng, painter, board)
    return photo, lesson_profile(
        rng, drawn_set(rng, painter, BOARDS[board].labels[:8], False), board
    )


def answer(rng: np.random.Generator, painter: SetPainter, board: str, default: bool) -> str:
    """Outcome of one photo: "refused", "flagged" or "sure"."""
    photo, profile = stranger_to(rng, painter, board, default)
    try:
        return "sure" if read_board(photo, BOARDS[board], profile).sure else "flagged"
    except VisionError:
        return "refused"


def main() -> None:
    args = bank_parser(__doc__, count=300, seed=99).parse_args()
    painter = held_out_painter(args.bank)
    rng = np.random.default_rng(args.seed)
    readers = (("stones", True), ("stones", False), ("seasons", False), ("time", False))
    tally: dict[str, Counter[str]] = {}
    for i in range(args.count):
        board, default = readers[i % len(readers)]
        name = f"{board}, {'nothing' if default else 'another set'} taught"
        tally.setdefault(name, Counter())[answer(rng, painter, board, default)] += 1
    for name, found in tally.items():
        print(
            f"{name:30s} refused {found['refused'] / found.total():.1%}  flagged "
            f"{found['flagged']}  sure {found['sure']}"
        )
    together = sum(tally.values(), Counter())
    print(
        f"{'together':30s} refused {together['refused'] / together.total():.1%}  flagged "
        f"{together['flagged']}  sure {together['sure']}"
    )


if __name__ == "__main__":
    main()

"""Measures what a copy learns while it is played, on photos with known answers.

The photos of a set are the evening of a game, in their order. Each is read with the lessons alone,
and with the last boards before it, whose true state people confirmed::

    python -m calibration.measuring.evenings ../shared/photos/rendered ../shared/photos/more
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.boards import open_board
from calibration.confirmed import ConfirmedBoard, with_confirmed
from calibration.lessons import Lesson
from calibration.measuring.kinds import sets_in
from calibration.reader import Reader
from calibration.teach import learn
from models.training.arguments import parser_of
from scorer.notation import split_rows
from vision.errors import VisionError
from vision.find.corners import Corners
from vision.reading import Reading

REMEMBERED = 2
"""Boards before it that help a photo to be read."""


class Told(NamedTuple):
    """Whether a photo is read exactly, and how many questions are asked; refused photos ask none
    and are wrong."""

    exact: bool
    questions: int
    found: bool = True

    @property
    def silent(self) -> bool:
        return self.found and not self.exact and not self.questions


Truth = dict[tuple[int, int], str]


def evening(folder: Path, truth: dict[str, Any]) -> Iterator[tuple[Told, Told]]:
    """How each photo of a set after the first is read: by the lessons, and by what they and the
    evening taught."""
    board = str(truth["board"])
    spec = open_board(str(folder / board) if board.endswith(".toml") else board)
    lessons = [
        Lesson((folder / photo).read_bytes(), layout, photo) for photo, layout in truth["teach"]
    ]
    profile = learn("evening", spec, lessons, _corners(truth.get("lesson_corners")))[0].profile
    confirmed: list[ConfirmedBoard] = []
    for number, photo in enumerate(truth["photos"]):
        data, corners = (folder / photo["photo"]).read_bytes(), _corners(photo.get("corners"))
        laid = _labels(photo["text"])
        readings = [
            _read(Reader(spec, known), data, corners)
            for known in (profile, with_confirmed(profile, confirmed[-REMEMBERED:]))
        ]
        if number:
            yield _told(readings[0], laid), _told(readings[1], laid)
        if readings[1] is not None and {*_labels(readings[1].text)} == {*laid}:
            cells = [
                (laid[cell.row, cell.col], tuple(np.ravel(cell.quad_xy).tolist()))
                for cell in readings[1].cells
            ]
            confirmed.append(ConfirmedBoard(data, tuple(cells)))


def _corners(told: Any) -> Corners | None:
    if not told:
        return None
    return Corners.parse(told if isinstance(told, str) else " ".join(f"{x},{y}" for x, y in told))


def _read(reader: Reader, data: bytes, corners: Corners | None) -> Reading | None:
    try:
        return reader.read(data, corners)
    except VisionError:
        return None


def _told(reading: Reading | None, laid: Truth) -> Told:
    if reading is None:
        return Told(False, 0, found=False)
    return Told(_labels(reading.text) == laid, len(reading.doubts))


def _labels(text: str) -> Truth:
    """The labels of a state by their places; the back of a card is left out."""
    return {
        (r, c): word.split("/")[0]
        for r, row in enumerate(split_rows(text))
        for c, word in enumerate(row)
    }


def line(name: str, told: Sequence[Told]) -> str:
    """What is said of some photos."""
    right = [one for one in told if one.exact]
    asked = np.mean([one.questions for one in right]) if right else np.nan
    sure = sum(not one.questions for one in right)
    return (
        f"{name:24} photos {len(told):4d}  exact {len(right) / len(told):6.1%}  hands-free"
        f" {sure / len(told):6.1%}  silent {sum(one.silent for one in told)}  questions a right"
        f" board {asked:.2f}"
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="folders with truth.json")
    found: dict[str, list[tuple[Told, Told]]] = defaultdict(list)
    for folder, truth in sets_in(parser.parse_args().folders).items():
        if truth.get("teach"):
            found[str(truth["board"]).removesuffix(".toml")] += evening(folder, truth)
    for board, told in found.items():
        print(line(f"{board}, lessons", [one for one, _ in told]))
        print(line(f"{board}, played", [other for _, other in told]))


if __name__ == "__main__":
    main()

"""Measures what a copy learns during an evening, on generated editions of stones.

An edition is taught by one lesson photo, which lacks some faces. Then ten photos of new states,
each in new light, are read one after the other; after each, people let the true board stand, as in
a game (``calibration.confirmed``). The same photos are read with that one lesson alone, and with a
second lesson photo, after which all faces are known. Needs the ``training`` extra and the icon
bank::

    python -m calibration.measuring.evening BANK.npz --count 40 --figures docs/images
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from calibration.confirmed import MOST_BOARDS, ConfirmedBoard, as_confirmed, with_confirmed
from calibration.measuring.figures import exact_svg, questions_svg
from calibration.measuring.generated import (
    Edition,
    Outcome,
    Shot,
    Task,
    compared,
    legal_stones,
    lesson_profile,
    new_edition,
    state_shots,
    stone_pictures,
)
from calibration.reader import Reader
from models.training.arguments import bank_parser
from models.training.faces import SetPainter, held_out_painter
from vision.errors import VisionError
from vision.profile import Profile
from vision.reading import Reading

PHOTOS = 10
FROM = 3
"""The photo from which a copy should know all its faces."""
CONFIRMED, ALONE, TWO = "one lesson, boards confirmed", "one lesson", "two lessons"


class Photographed(NamedTuple):
    """A photo of a state, and its bytes as a phone sends them."""

    shot: Shot
    jpeg: bytes


def evening(
    seed: int, number: int, painter: SetPainter, task: Task
) -> dict[str, tuple[Outcome, ...]]:
    """Outcomes of the photos of an evening in their order, by what the copy knows. The same seed
    and number give the same evening."""
    rng = np.random.default_rng([seed, number])
    edition = new_edition(rng, painter, task)
    both = with_second_lesson(rng, edition)
    photos = [
        Photographed(shot, bytes(cv2.imencode(".jpg", shot.photo.image_bgr)[1]))
        for _ in range(PHOTOS)
        for shot in state_shots(rng, painter, task, edition)
    ]

    def reader_of(profile: Profile) -> Callable[[bytes], Reading]:
        return Reader(edition.spec, profile).read

    return {
        CONFIRMED: tuple(outcomes(photos, learning(edition.profile), reader_of)),
        ALONE: tuple(outcomes(photos, lambda _: edition.profile, reader_of)),
        TWO: tuple(outcomes(photos, lambda _: both, reader_of)),
    }


def with_second_lesson(rng: np.random.Generator, edition: Edition) -> Profile:
    """The edition's profile together with a second lesson, which shows all faces it lacks."""
    first = edition.profile
    missing = {*edition.faces} - {*first.prototypes}
    shown = {*legal_stones(rng)}
    while not missing <= shown:
        shown = {*legal_stones(rng)}
    faces = {label: face for label, face in edition.faces.items() if label in shown}
    second = lesson_profile(rng, faces, edition.spec.name, 1)
    prototypes, colours, inks, details = (
        {
            label: np.concatenate([known[label] for known in both if label in known])
            for label in edition.faces
            if any(label in known for known in both)
        }
        for both in (
            (first.prototypes, second.prototypes),
            (first.colours, second.colours),
            (first.inks, second.inks),
            (first.details, second.details),
        )
    )
    return replace(first, prototypes=prototypes, colours=colours, inks=inks, details=details)


def learning(profile: Profile) -> Callable[[Sequence[ConfirmedBoard]], Profile]:
    """What the profile becomes after the boards that were confirmed, as in a game."""
    return lambda boards: with_confirmed(profile, boards[-MOST_BOARDS:])


def outcomes(
    photos: Sequence[Photographed],
    knowing: Callable[[Sequence[ConfirmedBoard]], Profile],
    reader_of: Callable[[Profile], Callable[[bytes], Reading]],
) -> Iterator[Outcome]:
    """Read photos in their order; what truly lies there stands after each."""
    boards: list[ConfirmedBoard] = []
    for shot, jpeg in photos:
        try:
            reading = reader_of(knowing(boards))(jpeg)
        except VisionError:
            yield Outcome(False, False, False, (), shot.tier)
            continue
        yield compared(reading, shot.truth, shot.tier)
        cells = reading.cells
        if {(cell.row, cell.col) for cell in cells} == {*shot.truth}:
            read = [cell.label for cell in cells]
            stands = [shot.truth[cell.row, cell.col][0] for cell in cells]
            quads_xy = np.stack([cell.quad_xy for cell in cells])
            name = hashlib.sha256(jpeg).hexdigest()
            board = as_confirmed(name, partial(bytes, jpeg), read, stands, quads_xy)
            boards += [board] if board is not None else []


class Row(NamedTuple):
    """Shares of boards that are exact, and exact and sure; questions an exact board; boards that
    are sure and wrong."""

    exact: float
    sure: float
    asks: float
    silent: int


def row_of(boards: Sequence[Outcome]) -> Row:
    exact = [board for board in boards if board.exact]
    return Row(
        len(exact) / len(boards),
        sum(board.sure for board in exact) / len(boards),
        float(np.mean([board.asks for board in exact])) if exact else float("nan"),
        sum(board.sure and not board.exact for board in boards),
    )


def by_photo(evenings: Sequence[Mapping[str, Sequence[Outcome]]], known: str) -> list[Row]:
    """One row for each number of the photo."""
    return [row_of(boards) for boards in zip(*(one[known] for one in evenings), strict=True)]


def report(evenings: Sequence[Mapping[str, Sequence[Outcome]]]) -> str:
    """The tables of a run: a column a photo, and one of all from the third on."""
    head = "".join(f"{number:8d}" for number in range(1, len(evenings[0][ALONE]) + 1))
    lines = [f"{len(evenings)} evenings", f"{'photo':24}{head}{f'{FROM} on':>8}"]
    for known in (CONFIRMED, ALONE, TWO):
        late = row_of([board for one in evenings for board in one[known][FROM - 1 :]])
        rows = [*by_photo(evenings, known), late]
        lines += [
            known,
            f"{'  exact':24}" + "".join(f"{row.exact:8.1%}" for row in rows),
            f"{'  exact and sure':24}" + "".join(f"{row.sure:8.1%}" for row in rows),
            f"{'  questions if exact':24}" + "".join(f"{row.asks:8.2f}" for row in rows),
            f"{'  silent':24}" + "".join(f"{row.silent:8d}" for row in rows),
        ]
    return "\n".join(lines)


def main() -> None:
    parser = bank_parser(__doc__, count=40, seed=9101)
    parser.add_argument("--default", action="store_true", help="the published look of the stones")
    parser.add_argument(
        "--pictures", type=stone_pictures, metavar="DIR", help="one edition, LABEL.png"
    )
    parser.add_argument("--figures", type=Path, metavar="DIR", help="write two diagrams as SVG")
    args = parser.parse_args()
    task = Task("stones", args.default, pictures=args.pictures, one_lesson=True)
    painter = held_out_painter(args.bank)
    evenings = [evening(args.seed, number, painter, task) for number in range(args.count)]
    print(report(evenings))
    if args.figures is not None:
        args.figures.mkdir(parents=True, exist_ok=True)
        name = "own" if args.pictures else "published" if args.default else "any"
        rows = {known: by_photo(evenings, known) for known in (CONFIRMED, ALONE, TWO)}
        exact = {known: [row.exact for row in each] for known, each in rows.items()}
        asks = {known: [row.asks for row in each] for known, each in rows.items()}
        for figure, text in (("exact", exact_svg(exact)), ("questions", questions_svg(asks))):
            (args.figures / f"evening-{figure}-{name}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

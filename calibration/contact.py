"""The contact sheet of a profile: every crop that was learnt, for a person to look over."""

from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from calibration.selfcheck import likenesses, own_and_rival
from calibration.taught import ProfileError, TaughtSet
from vision.boards import BOARDS
from vision.geometry import Images

CELL_PX, GAP_PX, NAME_PX, ROW_CROPS = 64, 10, 150, 10
PAPER, INK, FAINT = (246, 244, 238), (44, 54, 48), (120, 124, 118)
DOUBTFUL = (208, 122, 20)
FONT = cv2.FONT_HERSHEY_SIMPLEX


def contact_sheet(taught: TaughtSet, suffix: str = ".png") -> bytes:
    """One row (or more) a face: its name, its crops, how like each is to the others of the face.

    A crop that looks more like another face is framed. Raises ProfileError if the profile keeps no
    pictures.
    """
    if not taught.has_pictures:
        raise ProfileError(
            "profile %(name)s keeps no pictures: teach it again to see them",
            name=repr(taught.profile.name),
        )
    likeness = likeness_of_crops(taught)
    rows = []
    for label in taught.profile.labels:
        crops = taught.pictures(label)
        for start in range(0, len(crops), ROW_CROPS):
            part = slice(start, start + ROW_CROPS)
            rows.append(
                _row(label if start == 0 else "", len(crops), crops[part], likeness[label][part])
            )
    sheet = np.concatenate(
        [_title(taught), *rows, np.full((GAP_PX, rows[0].shape[1], 3), PAPER, np.uint8)]
    )
    return bytes(cv2.imencode(suffix, sheet[..., ::-1])[1])


def likeness_of_crops(taught: TaughtSet) -> Mapping[str, list[tuple[float, bool]]]:
    """Likeness of each crop to its face (-1: it is alone), and whether another face fits better."""
    prototypes = taught.profile.prototypes
    labels = [label for label, vectors in prototypes.items() for _ in vectors]
    spec = BOARDS.get(taught.profile.board)
    alike = likenesses(np.concatenate(list(prototypes.values())), spec.turns if spec else 1)
    own, rival, _ = own_and_rival(alike, labels, stems=True)
    found: dict[str, list[tuple[float, bool]]] = {label: [] for label in prototypes}
    for label, mine, other in zip(labels, own, rival, strict=True):
        found[label].append((float(mine), bool(-1 < mine < other)))
    return found


def _row(
    label: str, count: int, crops: Images, likeness: list[tuple[float, bool]]
) -> npt.NDArray[np.uint8]:
    width = NAME_PX + ROW_CROPS * (CELL_PX + GAP_PX) + GAP_PX
    row = np.full((CELL_PX + 26, width, 3), PAPER, np.uint8)
    if label:
        _write(row, label, (14, 40), 0.5, INK)
        _write(row, f"{count} crop{'s' if count != 1 else ''}", (14, 60), 0.36, FAINT)
    for i, (crop, (own, odd)) in enumerate(zip(crops, likeness, strict=True)):
        x = NAME_PX + i * (CELL_PX + GAP_PX)
        row[6 : 6 + CELL_PX, x : x + CELL_PX] = crop
        if odd:
            cv2.rectangle(row, (x - 2, 4), (x + CELL_PX + 1, 7 + CELL_PX), DOUBTFUL, 3)
        text = "alone" if own < 0 else f"{own:.2f}" + (" ?" if odd else "")
        _write(row, text, (x + 2, CELL_PX + 20), 0.36, DOUBTFUL if odd else FAINT)
    return row


def _title(taught: TaughtSet) -> npt.NDArray[np.uint8]:
    title = np.full((46, NAME_PX + ROW_CROPS * (CELL_PX + GAP_PX) + GAP_PX, 3), PAPER, np.uint8)
    _write(title, f"{taught.profile.name}: {taught.profile.board}", (14, 30), 0.62, INK)
    _write(
        title,
        f"taught {taught.created[:10]}, {len(taught.lessons)} photos",
        (NAME_PX + 300, 30),
        0.4,
        FAINT,
    )
    return title


def _write(
    image: npt.NDArray[np.uint8],
    text: str,
    at: tuple[int, int],
    size: float,
    colour: tuple[int, int, int],
) -> None:
    cv2.putText(image, text, at, FONT, size, colour, 1, cv2.LINE_AA)

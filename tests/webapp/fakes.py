"""A table without a camera: a device, a reader that sees the same nine stones, and one of cards."""

from typing import Any

import cv2
import numpy as np
from flask.testing import FlaskClient

from scorer.stones.cards import cards_by_id
from scorer.text import Text
from vision.doubts import Doubt
from vision.errors import BoardNotFound
from vision.find.corners import Corners
from vision.photo import decode_photo
from vision.reading import CellReading, Reading

STATE = "sun horse bird / tree seed seed / horse bird boat"
"""What the fake reader sees: a grid of the rulebook, possible in the box."""

DOUBTFUL = (1, 0)
"""The cell that the fake reader is not sure of: tree, perhaps boat."""

ALTERNATIVE = "boat"


def encode(image: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".jpg", image)[1].tobytes())


class TokenClient(FlaskClient):
    """A device whose page carries its token, as every page does; ``plain`` requests go without."""

    def token(self) -> str:
        page = self.get("/").get_data(as_text=True)
        return page.split('name="csrf-token" content="')[1].split('"')[0]

    def send_json(self, path: str, body: Any, method: str = "POST") -> Any:
        """The answer to JSON sent with the token."""
        return self.open(path, method=method, json=body, headers={"X-CSRF-Token": self.token()})


class FakeReader:
    """Reads each photo as `STATE`; refuses a black one unless corners are given."""

    def __init__(self) -> None:
        self.reads = 0
        self.corners: Corners | None = None
        self.problems: tuple[Text, ...] = ()
        others = ((ALTERNATIVE, 0.3),)
        self.doubts: tuple[Doubt, ...] = (
            Doubt("cell", 0.38, Text("What lies here?"), (DOUBTFUL,), others),
        )

    def read(self, data: bytes, corners: Corners | None = None) -> Reading:
        self.reads += 1
        self.corners = corners
        decoded = decode_photo(data)
        if decoded.image_bgr.max() < 10 and corners is None:
            raise BoardNotFound(
                "too_dark", "The photo is too dark: switch a lamp on and try again."
            )
        height, width = decoded.full_hw
        asked = {place for doubt in self.doubts if doubt.kind == "cell" for place in doubt.cells}
        cells = []
        for row, words in enumerate(STATE.split(" / ")):
            for col, label in enumerate(words.split()):
                left, top = width * (0.1 + 0.27 * col), height * (0.1 + 0.27 * row)
                right, bottom = left + width * 0.25, top + height * 0.25
                quad = np.array(
                    [[left, top], [right, top], [right, bottom], [left, bottom]], np.float32
                )
                sure = (row, col) not in asked
                others = () if sure else ((ALTERNATIVE, 0.3), ("fish", 0.05))
                cells.append(
                    CellReading(row, col, label, 0.998 if sure else 0.62, sure, quad, others)
                )
        low, high = 0.1, 0.89
        outline = np.array([[low, low], [high, low], [high, high], [low, high]]) * [width, height]
        ms = {"decode": 1.0, "locate": 2.0, "read": 3.0, "total": 6.0}
        return Reading(
            "stones",
            STATE,
            tuple(cells),
            outline.astype(np.float32),
            "default",
            "fake-1",
            self.problems,
            ms,
            self.doubts,
        )


class FakeCardReader:
    """Sees three cards on every photo: 36 and 41 surely, and one that may be 72 or 58."""

    def read(self, data: bytes) -> "FakeCardReader":
        decode_photo(data)
        return self

    def to_document(self, photo: str) -> dict[str, Any]:
        def card(number: int, sure: bool, others: list[list[float]]) -> dict[str, Any]:
            known = cards_by_id()[number]
            left = 60 * number % 500
            quad = [[left, 100], [left + 80, 100], [left + 80, 210], [left, 210]]
            shown = {
                "id": number,
                "points": known.points,
                "pattern": str(known.pattern),
                "quad": quad,
            }
            return shown | {
                "confidence": 0.99 if sure else 0.6,
                "sure": sure,
                "alternatives": others,
            }

        cards = [card(36, True, []), card(72, False, [[58, 0.3], [15, 0.05]]), card(41, True, [])]
        return {"photo": photo, "board": "cards", "cards": cards, "sure": False, "problems": []}

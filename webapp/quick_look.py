"""The quick look: what one photo shows by itself, without a game. Knows nothing of Flask."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from calibration.any_game import AnyGame
from calibration.card_reader import CardReader
from calibration.reader import Reader
from scorer.fields import problem_document
from scorer.game import Json
from scorer.games import GAMES
from scorer.text import Text
from vision.boards import BOARDS
from vision.find.corners import Corners
from vision.kinds.cards.reading import CardsReading
from vision.reading import Reading
from webapp.cards import with_matches
from webapp.i18n import gettext
from webapp.own_boards import own_boards, piece_pictures, shape_of_copy
from webapp.service import (
    BUNDLED,
    NotTaughtError,
    TableReader,
    UnknownBoardError,
    copies_to_try,
    spec_of,
    unknown_board,
)

AUTO = "auto"
"""The board that is asked for where nobody has said which game lies on the table."""
CARDS = "cards"
STONES = "stones"
OWN = "custom"
"""The game that is played on boards of one's own."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was read of a photo; ``spec`` describes the board, None for pattern cards.

    ``pictures`` are addresses of pictures of taught pieces by label.
    """

    reading: Reading | CardsReading
    spec: Json | None = None
    profile: str = BUNDLED
    pictures: Mapping[str, str] = field(default_factory=dict)

    def to_document(self) -> Json:
        """The document of the reading, with what the board scores. ``game`` is what is played
        there; problems are objects."""
        document = self.reading.to_document("photo") | {"profile": self.profile}
        board = document["board"]
        if board == STONES:
            return with_matches(document) | {"game": STONES, "spec": self.spec}
        document["problems"] = [
            {"code": "photo", "message": gettext(problem), "cells": []}
            for problem in document["problems"]
        ]
        if self.spec is None:
            return document | {"game": STONES}
        game = board if board in GAMES else OWN
        score = score_of(game, self.reading.text)
        shown = {"pictures": self.pictures} if game == OWN else {}
        return document | {"game": game, "spec": self.spec, "score": score} | shown


class QuickLook:
    """Reads photos of any game that is known here, with the copies of ``reader``."""

    def __init__(self, reader: TableReader) -> None:
        self._reader = reader

    def boards(self) -> dict[str, str]:
        """What may lie on the table, by the name of its board: what the games are called."""
        titles = {board: gettext(GAMES[board].setup_form().title) for board in BOARDS}
        cards = gettext(Text("Pattern cards"))
        return titles | {CARDS: cards} | {name: name for name in self._own()}

    def shapes(self) -> dict[str, Json]:
        """Rows and columns of the boards that photos can be read of, by name."""
        own = self._own()
        described = {
            board: self._reader.describe(board, own.get(board)) for board in (*BOARDS, *own)
        }
        return {
            board: {"rows": one["rows"], "cols": one["cols"]}
            for board, one in described.items()
            if one["bundled"] or one["profiles"]
        }

    def read(
        self,
        data: bytes,
        board: str = STONES,
        profile: str | None = None,
        corners: Corners | None = None,
        camera: str | None = None,
    ) -> Looked:
        """Read a photo.

        Raises VisionError, UnknownBoardError, UnknownProfileError and NotTaughtError.
        """
        own = self._own()
        if board == CARDS:
            reading = self._reader.place(self._reader.card_reader(profile).read, data)
            return Looked(reading, None, profile or BUNDLED)
        if board == AUTO and corners is None:
            return self._any(data, own, camera)
        if board == AUTO:
            raise UnknownBoardError("Please say which game lies between the corners.")
        if board not in self.boards():
            raise unknown_board(board, [*self.boards(), AUTO])
        read = self._reader.read_board(
            data,
            board,
            profile,
            corners,
            own.get(board),
            camera=camera,
            shape_of=lambda name: self._shape(board, name, own),
        )
        return self._looked(read.reading, read.spec, read.document["profile"])

    def _own(self) -> dict[str, Json]:
        """The taught boards of one's own, by name; the first one of each."""
        boards = (one["board"] for one in reversed(own_boards(self._reader, [])))
        return {str(board["name"]): board for board in boards}

    def _shape(self, board: str, copy: str, own: Mapping[str, Json]) -> Json | None:
        """The description that a copy was taught with: editions of one name may differ in it."""
        taught = shape_of_copy(copy, board, self._reader.data_dir) if board in own else None
        return taught or own.get(board)

    def _any(self, data: bytes, own: Mapping[str, Json], camera: str | None) -> Looked:
        """Whichever known game lies there."""
        readers, described = [], {}
        for board in (*BOARDS, *own):
            described[board] = self._reader.describe(board, own.get(board))
            try:
                names = copies_to_try(described[board])
            except NotTaughtError:
                continue
            for name in names:
                spec = spec_of(board, self._shape(board, name, own))
                opened = self._reader.reader(spec, name or None)
                reader = self._reader.through_camera(opened, camera)
                if not isinstance(reader, Reader):  # one that stands in for all of them
                    return Looked(reader.read(data), described[board], name or BUNDLED)
                readers.append(reader)
        cards = self._reader.card_reader(None)
        any_game = AnyGame(tuple(readers), cards if isinstance(cards, CardReader) else None)
        found = self._reader.place(any_game.found, data)
        if found.reader is None:
            return Looked(found.reading)
        board, copy = found.reading.board, found.reader.profile.name
        shown = self._reader.describe(board, self._shape(board, copy, own))
        return self._looked(found.reading, shown | {"labels": [*found.reader.labels]}, copy)

    def _looked(self, reading: Reading | CardsReading, spec: Json, profile: str) -> Looked:
        pictures = piece_pictures(profile, reading.board, self._reader.data_dir)
        return Looked(reading, spec, profile, pictures)


def problems_of(game: str, text: str) -> list[Json]:
    """Why no table can show a board that ``score_of`` scores. Raises NotationError."""
    return [problem_document(problem) for problem in GAMES[game].glance_problems(text)]


def score_of(game: str, text: str) -> list[dict[str, Any]]:
    """What a board scores by itself, line by line.

    Raises NotationError, and UnknownBoardError for a game that scores no board by itself.
    """
    lines = GAMES[game].glance(text)
    if lines is None:
        raise UnknownBoardError(
            "A board of this game has no points by itself: start a game to count them."
        )
    return [
        {
            "item": line.item if game == OWN else gettext(line.item),
            "points": line.points,
            "why": gettext(line.why),
            "cells": [list(cell) for cell in line.cells],
        }
        for line in lines
    ]

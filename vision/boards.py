"""What a board is, as data: how many rows and columns, what may lie on it and how often."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from scorer.custom.board import ANY_SIDE, FROM_PIECES, CustomBoard, described
from scorer.notation import EMPTY
from scorer.season import SEASONS
from scorer.seasons import board as seasons
from scorer.seasons.board import FRAME_MARK, PRECIOUS_A_SEASON, PRECIOUS_MARK
from scorer.seasons.turn import AREAS
from scorer.stones import board as stones
from scorer.text import Text
from scorer.time import board as time


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """A grid of pieces that can be found and read.

    Attributes
    ----------
    name : ``stones``, ``seasons``, ``time`` or the name of a custom board.
    rows, cols : (least, most).
    empty : whether cells may be without a piece.
    printed_cells : whether the cells are printed on a board, so that an empty one can be seen, too.
    aspect : width over height of a piece that lies upright; None if not known.
    turns : in how many ways a piece may lie: 1 all pieces point the way of the grid, 2 also upside
        down, 4 any way.
    direction : ``any`` if the pieces look the same turned and do not tell which side is up, else
        ``pieces``.
    connected : whether the rules make every piece touch another along an edge.
    labels : every label a piece may have; empty if only the profile knows them.
    counts : the most pieces of a label that the box holds, where that is known.
    score : the score rules of a described board as its file has them; reading does not use them.
    """

    name: str
    rows: tuple[int, int]
    cols: tuple[int, int]
    empty: bool = False
    printed_cells: bool = False
    aspect: float | None = 1.0
    turns: int = 1
    direction: str = FROM_PIECES
    connected: bool = False
    labels: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    score: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether pieces lie on the bare table, any number of them."""
        return self.empty and not self.printed_cells

    @property
    def is_full(self) -> bool:
        """Whether a loose piece lies on every cell."""
        return not self.empty and not self.printed_cells

    @property
    def is_always_full(self) -> bool:
        """Whether a loose piece lies on every cell of a grid that always has the same size."""
        return self.is_full and self.has_one_size

    @property
    def has_one_size(self) -> bool:
        """Whether the grid has the same rows and columns in every game."""
        return self.rows[0] == self.rows[1] and self.cols[0] == self.cols[1]

    @property
    def is_directed(self) -> bool:
        """Whether the pieces tell which side of the board is up."""
        return self.turns == 1 and self.direction != ANY_SIDE

    @property
    def sides(self) -> tuple[Self, ...]:
        """The board as its rows and columns may run in a photo: as it is, and turned by a quarter
        where that has other sizes.

        >>> [side.rows for side in BoardSpec("mine", (2, 3), (4, 4)).sides]
        [(2, 3), (4, 4)]
        """
        if self.rows == self.cols:
            return (self,)
        return self, replace(self, rows=self.cols, cols=self.rows)

    @property
    def parts(self) -> Self:
        """The board with any number of its rows and columns, if a piece lies on every cell.

        >>> BoardSpec("mine", (3, 3), (2, 4)).parts.rows
        (1, 3)
        """
        if not self.is_full:
            return self
        return replace(self, rows=(1, self.rows[1]), cols=(1, self.cols[1]))

    @property
    def most_cells(self) -> int:
        return self.rows[1] * self.cols[1]

    def word(self, label: str) -> str:
        """A label in a sentence: a text if the program names it, unlike what somebody typed."""
        if label not in self.labels:
            return label
        bare = label.rstrip(PRECIOUS_MARK + FRAME_MARK)
        if bare.isdigit():
            framed = "the framed number %(number)s"
            return Text(framed if bare != label else "the number %(number)s", number=bare)
        return Text(bare) if bare == label else Text("precious %(season)s", season=Text(bare))

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """A described board. Raises BoardSpecError naming the field.

        >>> table = {"name": "set", "rows": [1, 5], "cols": [1, 5], "aspect": 1.5, "turns": 2}
        >>> BoardSpec.from_table(table).cols
        (1, 5)
        """
        board = CustomBoard.from_table(table)
        return cls(
            board.name,
            board.rows,
            board.cols,
            empty=board.empty,
            aspect=board.aspect,
            turns=board.turns,
            direction=board.direction,
            counts=board.counts,
            score=tuple(table.get("score", ())),
        )

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read the text of a TOML description. Raises BoardSpecError."""
        return cls.from_table(described(text))

    def to_table(self) -> dict[str, Any]:
        """What ``from_table`` reads, for a board that came from it.

        >>> size = {"name": "set", "rows": [1, 5], "cols": [2, 2]}
        >>> table = size | {"empty": True, "aspect": 1.5, "turns": 2}
        >>> BoardSpec.from_table(table).to_table() == table
        True
        """
        table = {
            "name": self.name,
            "rows": list(self.rows),
            "cols": list(self.cols),
            "empty": self.empty,
            "aspect": self.aspect,
            "turns": self.turns,
        }
        if self.direction != FROM_PIECES:
            table["direction"] = self.direction
        if self.score:
            table["score"] = [dict(rule) for rule in self.score]
        return table | ({"counts": dict(self.counts)} if self.counts else {})


SEASON_NAMES = tuple(season.value for season in SEASONS)
TILE_NAMES = (*SEASON_NAMES, *(season + PRECIOUS_MARK for season in SEASON_NAMES))
"""Plain and precious tiles."""
NUMBERS = "".join(map(str, AREAS))
"""What is printed on a season board, each number once."""

STONES = BoardSpec(
    Text("stones"),
    (stones.SIDE, stones.SIDE),
    (stones.SIDE, stones.SIDE),
    labels=tuple(symbol.value for symbol in stones.Symbol),
)
"""Shifting Stones: nine stones, all the same way up."""

SEASONS_BOARD = BoardSpec(
    Text("seasons"),
    (seasons.SIDE, seasons.SIDE),
    (seasons.SIDE, seasons.SIDE),
    empty=True,
    printed_cells=True,
    labels=(
        *TILE_NAMES,
        *(number + frame for frame in ("", FRAME_MARK) for number in NUMBERS),
        EMPTY,
    ),
    counts=dict.fromkeys(TILE_NAMES, PRECIOUS_A_SEASON),
)
"""Shifting Seasons: a player board of printed cells, four of them numbers."""

TIME = BoardSpec(
    Text("time"),
    (1, time.SIDE),
    (1, time.SIDE),
    empty=True,
    aspect=None,
    connected=True,
    labels=SEASON_NAMES,
)
"""Turn of Time: season cards that touch."""

BOARDS: dict[str, BoardSpec] = {spec.name: spec for spec in (STONES, SEASONS_BOARD, TIME)}
"""The boards that come with the program, by name."""

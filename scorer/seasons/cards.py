"""Shifting Seasons: the 14 score cards, each with its rule and its exact best choice.

Every scored tile gives 1 point, 1 more if it is precious and 1 more if it has the player's season
(rulebook, scoring). A space counts at most once a card; where a card leaves a choice, the score is
the best choice. A card answers with groups: the sets of cells that it scores, such as the filled
diagonals.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import ClassVar

from scorer.notation import Cell
from scorer.season import SEASONS, Season
from scorer.seasons.board import SIDE, Cells, SeasonBoard, as_cells, beside, each
from scorer.text import Term, Text

Groups = list[Cells]


class Family(Enum):
    """What a card looks at; a game has two cards of each family (rulebook, set-up)."""

    POSITION = "position"
    COLOUR = "colour"


@dataclass(frozen=True, slots=True)
class View:
    """A board as its owner scores it: a cell is worth what the bits of the three sets say."""

    board: SeasonBoard
    own: Cells
    """The tiles of the player's season; none where it is nobody's board."""

    @classmethod
    def of(cls, board: SeasonBoard, season: Season) -> "View":
        return cls(board, board.seasons[SEASONS.index(season)])

    def value(self, cells: Cells) -> int:
        """Points of the tiles on *cells*, each counted once."""
        tiles = cells & self.board.tiles
        return (
            tiles.bit_count()
            + (tiles & self.board.precious).bit_count()
            + (tiles & self.own).bit_count()
        )


class ScoreCard(ABC):
    """One of the 14 score cards."""

    name: ClassVar[Term]
    rule: ClassVar[Text]
    family: ClassVar[Family]
    number: ClassVar[int | None] = None
    """The number printed on the card, where a source gives it."""
    most: ClassVar[int]
    """Groups that the card can score at most."""
    times: ClassVar[int] = 1
    """How often the points of the card count."""

    @property
    def label(self) -> str:
        """The name for people, such as ``Six diagonals``."""
        return self.name.replace("-", " ").capitalize()

    @abstractmethod
    def groups(self, view: View) -> Groups:
        """The groups of the best choice, none of them empty."""


class PositionCard(ScoreCard):
    """Scores each of certain sets of cells that is filled, whatever the seasons."""

    family = Family.POSITION
    _places: Sequence[Cells] = ()

    def places(self, board: SeasonBoard) -> Sequence[Cells]:
        """The sets of cells that score when filled."""
        return self._places

    def groups(self, view: View) -> Groups:
        tiles = view.board.tiles
        return [place for place in self.places(view.board) if place & tiles == place]


_EVERY = range(SIDE)


class SixDiagonals(PositionCard):
    name = Term("six-diagonals")
    number = 1
    rule = Text("each filled diagonal of 6")
    most = 2
    _places = (as_cells([(i, i) for i in _EVERY]), as_cells([(i, SIDE - 1 - i) for i in _EVERY]))


class SixColumns(PositionCard):
    name = Term("six-columns")
    number = 3
    rule = Text("each filled column of 6: the two without a number")
    most = 2
    _places = tuple(as_cells([(row, col) for row in _EVERY]) for col in (2, 3))


class Connections(PositionCard):
    name = Term("connections")
    number = 5
    rule = Text("each filled straight line of 4 between two numbers")
    most = 4
    # The same ring on both hands of the board. Its corners belong to two lines and count once.
    _places = (
        as_cells([(1, col) for col in range(1, 5)]),
        as_cells([(row, 4) for row in range(1, 5)]),
        as_cells([(4, col) for col in range(1, 5)]),
        as_cells([(row, 1) for row in range(1, 5)]),
    )


class OuterEdge(PositionCard):
    name = Term("outer-edge")
    rule = Text("each border row or column whose 5 spaces are filled")
    most = 4

    def places(self, board: SeasonBoard) -> Sequence[Cells]:
        return board.layout.plan.borders


class NumberNeighbours(PositionCard):
    name = Term("number-neighbours")
    rule = Text("the 3 orthogonal neighbours of each number, all filled")
    most = 4

    def places(self, board: SeasonBoard) -> Sequence[Cells]:
        return board.layout.plan.neighbours


SHORT_DIAGONALS: tuple[tuple[Cell, ...], ...] = (
    ((0, 2), (1, 1), (2, 0)),
    ((0, 3), (1, 4), (2, 5)),
    ((3, 0), (4, 1), (5, 2)),
    ((3, 5), (4, 4), (5, 3)),
)
"""The four diagonals of exactly three cells. Unconfirmed: the print of this card is lost."""


class ShortDiagonals(PositionCard):
    name = Term("short-diagonals")
    rule = Text("each complete diagonal of 3 as printed on the card (our print is unconfirmed)")
    most = 4

    def __init__(self, print_of_card: Sequence[Sequence[Cell]] = SHORT_DIAGONALS) -> None:
        self._places = tuple(as_cells(diagonal) for diagonal in print_of_card)


class Centre(PositionCard):
    name = Term("centre")
    rule = Text("the 4 cells in the centre, all filled, scored twice")
    most = 1
    times = 2
    _places = (as_cells([(2, 2), (2, 3), (3, 2), (3, 3)]),)


class ColourCard(ScoreCard):
    """Scores tiles by their seasons."""

    family = Family.COLOUR


AREA_SEASONS = (Season.AUTUMN, Season.SUMMER, Season.SPRING, Season.WINTER)
"""The season of the areas 1, 2, 3 and 4."""


class AreaColour(ColourCard):
    name = Term("area-colour")
    number = 8
    rule = Text("the tiles that have the season of their area")
    most = 4
    _INDEX = tuple(SEASONS.index(season) for season in AREA_SEASONS)

    def groups(self, view: View) -> Groups:
        seasons = view.board.seasons
        areas = view.board.layout.plan.areas
        return [
            found
            for area, index in zip(areas, self._INDEX, strict=True)
            if (found := area & seasons[index])
        ]


class LargestGroup(ColourCard):
    name = Term("largest-group")
    number = 13
    rule = Text("one orthogonally connected group of one season with the most tiles")
    most = 1

    def groups(self, view: View) -> Groups:
        groups = [group for tiles in view.board.seasons for group in connected(tiles)]
        best = max(groups, key=lambda group: (group.bit_count(), view.value(group)), default=0)
        return [best] if best else []


def connected(cells: Cells) -> Iterator[Cells]:
    """The orthogonally connected groups of *cells*."""
    while cells:
        group = cells & -cells
        grown = (group | beside(group)) & cells
        while grown != group:
            group, grown = grown, (grown | beside(grown)) & cells
        yield group
        cells ^= group


class Shape:
    """A shape of cells that may lie anywhere, or at *starts*, but neither turned nor mirrored."""

    __slots__ = ("_cells", "_offsets", "_starts")

    def __init__(self, *cells: Cell, starts: Sequence[Cell] = ()) -> None:
        self._offsets = tuple(row * SIDE + col for row, col in cells)
        self._cells = sum(1 << offset for offset in self._offsets)
        self._starts = as_cells(
            [
                (row, col)
                for row, col in starts or product(_EVERY, repeat=2)
                if all(row + down in _EVERY and col + right in _EVERY for down, right in cells)
            ]
        )

    def found_in(self, cells: Cells) -> Groups:
        """Every place of the shape that lies wholly in *cells*."""
        starts = self._starts
        for offset in self._offsets:
            starts &= cells >> offset
        return [start * self._cells for start in each(starts)]


class OnceASeason(ColourCard):
    """Scores at most one shape of each season: the one worth most."""

    most = 4
    shapes: ClassVar[tuple[Shape, ...]]

    def groups(self, view: View) -> Groups:
        found = []
        for tiles in view.board.seasons:
            places = [place for shape in self.shapes for place in shape.found_in(tiles)]
            if places:
                found.append(max(places, key=view.value))
        return found


class ColourDiagonals(OnceASeason):
    name = Term("colour-diagonals")
    rule = Text("3 consecutive tiles of one season on a diagonal, across areas; once a season")
    shapes = (Shape((0, 0), (1, 1), (2, 2)), Shape((0, 0), (1, -1), (2, -2)))


class ColourLines(OnceASeason):
    name = Term("colour-lines")
    rule = Text("4 consecutive tiles of one season in a row or column; once a season")
    shapes = (Shape((0, 0), (0, 1), (0, 2), (0, 3)), Shape((0, 0), (1, 0), (2, 0), (3, 0)))


class ColourSquares(OnceASeason):
    name = Term("colour-squares")
    rule = Text("a 2x2 of one season, across areas; once a season")
    shapes = (Shape((0, 0), (0, 1), (1, 0), (1, 1)),)


class ColourPairs(ColourCard):
    name = Term("colour-pairs")
    rule = Text(
        "two orthogonally adjacent tiles of one season in two different areas; each tile once"
    )
    most = 10
    _LEVEL = Shape((0, 0), (0, 1), starts=[(row, 2) for row in _EVERY])
    _UPRIGHT = Shape((0, 0), (1, 0), starts=[(2, col) for col in _EVERY])
    _CENTRE = as_cells([(2, 2), (2, 3), (3, 2), (3, 3)])

    def groups(self, view: View) -> Groups:
        # Areas touch along the middle of the board, where a tile has one neighbour in another area.
        # Only the four centre cells have two: each level pair shares a tile with each upright one.
        found: Groups = []
        level: Groups = []
        upright: Groups = []
        for tiles in view.board.seasons:
            for pair in self._LEVEL.found_in(tiles):
                (level if pair & self._CENTRE else found).append(pair)
            for pair in self._UPRIGHT.found_in(tiles):
                (upright if pair & self._CENTRE else found).append(pair)
        if upright and sum(map(view.value, upright)) > sum(map(view.value, level)):
            return found + upright
        return found + level


class ColourSets(ColourCard):
    name = Term("colour-sets")
    rule = Text("4 tiles of the 4 seasons in one area, at most 2 sets an area; each tile once")
    most = 8
    _SETS_AN_AREA = 2

    def groups(self, view: View) -> Groups:
        found = []
        for area in view.board.layout.plan.areas:
            seasons = [area & tiles for tiles in view.board.seasons]
            if all(seasons):
                sets = min(self._SETS_AN_AREA, *map(int.bit_count, seasons))
                # The seasons do not compete for tiles, so each gives its own best ones.
                best = [_best_tiles(tiles, sets, view) for tiles in seasons]
                found += [sum(tiles) for tiles in zip(*best, strict=True)]
        return found


def _best_tiles(tiles: Cells, count: int, view: View) -> Groups:
    """The *count* tiles worth most; tiles of one season differ only by being precious."""
    precious = view.board.precious
    return [*each(tiles & precious), *each(tiles & ~precious)][:count]


CARDS: dict[str, ScoreCard] = {
    card.name: card
    for card in (
        SixDiagonals(),
        SixColumns(),
        Connections(),
        OuterEdge(),
        NumberNeighbours(),
        ShortDiagonals(),
        Centre(),
        AreaColour(),
        LargestGroup(),
        ColourDiagonals(),
        ColourLines(),
        ColourSquares(),
        ColourPairs(),
        ColourSets(),
    )
}
"""The score cards by name, position cards first."""

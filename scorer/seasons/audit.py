"""Shifting Seasons: claimed points, and the slip that explains each difference."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import combinations
from operator import or_

from scorer.audit import Finding, Mistake, check
from scorer.game import TOTAL
from scorer.season import SEASONS, Season
from scorer.seasons.board import SIDE, Cells, SeasonBoard, as_cells, beside, cells_of
from scorer.seasons.cards import (
    AREA_SEASONS,
    AreaColour,
    ColourPairs,
    ColourSets,
    LargestGroup,
    OnceASeason,
    PositionCard,
    View,
    connected,
)
from scorer.seasons.score import CardScore, PlayerScore

MOST_LOST_GROUPS = 2
"""Groups that a player overlooks at once; with more, any figure could be explained."""


def audit(score: PlayerScore, claims: Iterable[tuple[str, int]]) -> Iterator[Finding]:
    """Check the claimed points of cards, by their names, and the ``total`` of one player."""
    player = score.player
    view = View.of(player.board, player.season)
    claimed_items = dict(claims)
    by_name = {row.card.name: row for row in score.cards}
    for item, claimed in claimed_items.items():
        if item == TOTAL:
            parts = " + ".join(str(row.points) for row in score.cards)
            mistakes = _total_mistakes(score, claimed_items)
            yield check(
                player.name, item, claimed, score.total, mistakes, f"{parts} = {score.total}"
            )
        else:
            row = by_name[item]
            yield check(
                player.name,
                item,
                claimed,
                row.points,
                card_mistakes(row, view),
                _sum(row),
                cells_of(_union(row.groups)),
            )


def _total_mistakes(score: PlayerScore, claims: Mapping[str, int]) -> Iterator[Mistake]:
    parts = [claims.get(row.card.name, row.points) for row in score.cards]
    if sum(parts) != score.total:
        yield Mistake(
            sum(parts),
            f"it follows from the cards as claimed: {' + '.join(map(str, parts))} = {sum(parts)}",
        )
    for row in score.cards:
        if row.points:
            yield Mistake(
                score.total - row.points,
                f"the {row.points} points of {row.card.name} were not added",
                cells_of(_union(row.groups)),
            )
            yield Mistake(
                score.total + row.points,
                f"the {row.points} points of {row.card.name} were added twice",
            )
    for what, extra in (
        ("precious tiles", sum(row.card.times * row.precious for row in score.cards)),
        ("tiles of the own season", sum(row.card.times * row.own for row in score.cards)),
    ):
        if extra:
            yield Mistake(
                score.total - extra,
                f"the {extra} extra points of {what} were not counted on any card",
            )


def _sum(row: CardScore) -> str:
    if not row.groups:
        return f"nothing scores: {row.card.rule}"
    parts = f"{row.tiles} tiles + {row.precious} precious + {row.own} of the own season"
    twice = ", counted twice," if row.card.times > 1 else ""
    return f"{parts}{twice} = {row.points}"


def card_mistakes(row: CardScore, view: View) -> Iterator[Mistake]:
    """The usual slips with one card, the most usual first."""
    scored = _union(row.groups)
    if row.groups:
        yield from _forgotten_extras(row, view, scored)
        if row.card.times > 1:
            yield Mistake(
                row.points // row.card.times,
                "the card scores its tiles twice, they were counted once",
                cells_of(scored),
            )
        yield from _shared_cells(row, view)
    yield from _lost_groups(row, view)
    yield from _wrong_groups(row, view, scored)


def _forgotten_extras(row: CardScore, view: View, scored: Cells) -> Iterator[Mistake]:
    precious, own = scored & view.board.precious, scored & view.own
    times = row.card.times
    if precious:
        yield Mistake(
            row.points - times * row.precious,
            f"the extra points of the {row.precious} precious tiles were not counted",
            cells_of(precious),
        )
    if own:
        yield Mistake(
            row.points - times * row.own,
            f"the extra points of the {row.own} tiles of the own season were not counted",
            cells_of(own),
        )
    if precious and own:
        yield Mistake(
            times * row.tiles,
            "neither precious tiles nor the own season were counted",
            cells_of(precious | own),
        )


def _shared_cells(row: CardScore, view: View) -> Iterator[Mistake]:
    """A tile of two groups, such as the corner of two full edges, counts once."""
    shared = [
        cell
        for cell in _each(_union(row.groups))
        if sum(bool(cell & group) for group in row.groups) > 1
    ]
    for count in range(1, len(shared) + 1):
        for cells in combinations(shared, count):
            twice = reduce(or_, cells)
            what = (
                "a tile that two groups share was"
                if count == 1
                else f"{count} tiles that two groups share were"
            )
            yield Mistake(
                row.points + view.value(twice),
                f"{what} counted twice: {_places(twice)}",
                cells_of(twice),
            )


def _lost_groups(row: CardScore, view: View) -> Iterator[Mistake]:
    for count in range(1, min(MOST_LOST_GROUPS, len(row.groups)) + 1):
        for lost in combinations(row.groups, count):
            kept = _union([group for group in row.groups if group not in lost])
            names = " and ".join(describe(group, view.board) for group in lost)
            yield Mistake(
                row.card.times * view.value(kept),
                f"{names} {'was' if count == 1 else 'were'} not counted",
                cells_of(_union(lost) & ~kept),
            )


def _wrong_groups(row: CardScore, view: View, scored: Cells) -> Iterator[Mistake]:
    """Tiles that were taken for scoring ones, by the rule of the card."""
    card, board = row.card, view.board
    if isinstance(card, PositionCard):
        for place in card.places(board):
            open_cells = place & ~board.tiles
            if open_cells and place & board.tiles:
                missing = open_cells.bit_count()
                yield Mistake(
                    card.times * view.value(scored | place),
                    f"{describe(place, board)} was counted, but {missing} of its spaces"
                    f" {'is' if missing == 1 else 'are'} empty: {_places(open_cells)}",
                    cells_of(open_cells),
                )
    elif isinstance(card, OnceASeason):
        yield from _wrong_shapes(card, row, view, scored)
    elif isinstance(card, LargestGroup):
        yield from _wrong_largest(view, scored)
    elif isinstance(card, AreaColour):
        yield from _wrong_areas(row, view, scored)
    elif isinstance(card, ColourPairs):
        yield from _wrong_pairs(row, view, scored)
    elif isinstance(card, ColourSets):
        yield from _wrong_sets(row, view)


def _wrong_shapes(
    card: OnceASeason, row: CardScore, view: View, scored: Cells
) -> Iterator[Mistake]:
    for season, tiles in zip(SEASONS, view.board.seasons, strict=True):
        best = tiles & scored
        for shape in card.shapes:
            for other in shape.found_in(tiles):
                if other == best:
                    continue
                name = describe(other, view.board)
                yield Mistake(
                    row.points - view.value(best) + view.value(other),
                    f"{name} was counted, {describe(best, view.board)} gives more",
                    cells_of(best),
                )
                yield Mistake(
                    row.points + view.value(other & ~best),
                    f"{name} was counted too, but {season.value} scores one group only",
                    cells_of(other & ~best),
                )


def _wrong_largest(view: View, scored: Cells) -> Iterator[Mistake]:
    for season, tiles in zip(SEASONS, view.board.seasons, strict=True):
        for group in connected(tiles):
            if group != scored:
                why = (
                    f"another group was counted, {describe(scored, view.board)} has more tiles"
                    if group.bit_count() < scored.bit_count()
                    else (
                        f"another group of {group.bit_count()} tiles was counted, the best one "
                        "gives more"
                    )
                )
                yield Mistake(view.value(group), why, cells_of(scored))
        if tiles & scored:
            for tile in _each(tiles & ~scored):
                touches = "diagonally" if _touches_corner(tile, scored) else "not at all"
                yield Mistake(
                    view.value(scored | tile),
                    (
                        f"{_tile(season)} was counted that touches the group {touches}: "
                        f"{_places(tile)}"
                    ),
                    cells_of(tile),
                )
            for tile in _each(scored):
                yield Mistake(
                    view.value(scored & ~tile),
                    f"a tile of the group was missed: {_places(tile)}",
                    cells_of(tile),
                )


def _wrong_areas(row: CardScore, view: View, scored: Cells) -> Iterator[Mistake]:
    layout = view.board.layout
    for area, season in zip(layout.plan.areas, AREA_SEASONS, strict=True):
        for tile in _each(area & scored):
            yield Mistake(
                row.points - view.value(tile),
                f"{_tile(season)} of its area was missed: {_places(tile)}",
                cells_of(tile),
            )
        for tile in _each(area & view.board.tiles & ~scored):
            yield Mistake(
                row.points + view.value(tile),
                (
                    f"a tile was counted that is not {season.value}, the season of its area: "
                    f"{_places(tile)}"
                ),
                cells_of(tile),
            )
    exchanged = tuple({3: 4, 4: 3}.get(number, number) for number in layout.order)
    turned = replace(view.board, layout=replace(layout, order=exchanged))
    other = _union(row.card.groups(View(turned, view.own)))
    yield Mistake(
        view.value(other),
        "the seasons of the areas 3 and 4 were exchanged",
        cells_of(other ^ scored),
    )


def _wrong_pairs(row: CardScore, view: View, scored: Cells) -> Iterator[Mistake]:
    for tiles in view.board.seasons:
        for first in _each(tiles):
            for second in _each(beside(first) & tiles & ~(first - 1) & ~first):
                pair = first | second
                if pair in row.groups:
                    continue
                inside = any(pair & area == pair for area in view.board.layout.plan.areas)
                why = "lie in the same area" if inside else "share a tile with a better pair"
                yield Mistake(
                    row.points + view.value(pair),
                    f"two tiles were counted as a pair that {why}: {_places(pair)}",
                    cells_of(pair),
                )


def _wrong_sets(row: CardScore, view: View) -> Iterator[Mistake]:
    for group in row.groups:
        for index, tiles in enumerate(view.board.seasons):
            area = next(area for area in view.board.layout.plan.areas if group & area)
            used = tiles & area & _union(row.groups)
            for better in _each(group & tiles):
                for other in _each(tiles & area & ~used):
                    yield Mistake(
                        row.points - view.value(better) + view.value(other),
                        f"a better {SEASONS[index].value} tile is in the area: {_places(better)}",
                        cells_of(better),
                    )


def describe(group: Cells, board: SeasonBoard) -> str:
    """A group of tiles in words, such as ``the winter row at the bottom``."""
    if not group:
        return "nothing"
    seasons = [
        season.value for season, tiles in zip(SEASONS, board.seasons, strict=True) if group & tiles
    ]
    adjective = f"{seasons[0]} " if len(seasons) == 1 and not group & ~board.tiles else ""
    cells = cells_of(group)
    rows, cols = {row for row, _ in cells}, {col for _, col in cells}
    if len(rows) == 1 and len(cells) > 1:
        return f"the {adjective}{_ROW_NAMES.get(cells[0][0], f'row {cells[0][0] + 1}')}"
    if len(cols) == 1 and len(cells) > 1:
        return f"the {adjective}{_COLUMN_NAMES.get(cells[0][1], f'column {cells[0][1] + 1}')}"
    if len(cells) > 2 and len(rows) == len(cols) == len(cells):
        return f"the {adjective}diagonal from {_place(cells[0])} to {_place(cells[-1])}"
    if len(cells) == 4 and len(rows) == len(cols) == 2:
        return f"the {adjective}square at {_place(cells[0])}"
    return f"the {adjective}group of {len(cells)} at {_places(group)}"


_ROW_NAMES = {0: "row at the top", SIDE - 1: "row at the bottom"}
_COLUMN_NAMES = {0: "column on the left", SIDE - 1: "column on the right"}


def _tile(season: Season) -> str:
    return f"{'an' if season is Season.AUTUMN else 'a'} {season.value} tile"


def _place(cell: tuple[int, int]) -> str:
    return f"row {cell[0] + 1} column {cell[1] + 1}"


def _places(cells: Cells) -> str:
    return ", ".join(_place(cell) for cell in cells_of(cells))


def _each(cells: Cells) -> list[Cells]:
    return [as_cells([cell]) for cell in cells_of(cells)]


def _union(groups: Iterable[Cells]) -> Cells:
    return reduce(or_, groups, 0)


def _touches_corner(tile: Cells, group: Cells) -> bool:
    (row, col), cells = cells_of(tile)[0], cells_of(group)
    return any((row + down, col + right) in cells for down in (-1, 1) for right in (-1, 1))

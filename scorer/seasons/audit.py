"""Shifting Seasons: claimed points, and the slip that explains each difference."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, pairwise
from operator import or_
from typing import Any

from scorer.audit import Finding, Mistake, added, check, slip_of_claims, slips_of_adding
from scorer.game import TOTAL
from scorer.notation import Cell, in_words
from scorer.season import SEASONS, Season
from scorer.seasons.board import SIDE, Cells, SeasonBoard, beside, cells_of, each
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
from scorer.text import Text, both, listed, plural

LEAST_LINE = 4
"""Tiles of one row or column that are named as a row or column; the lines of the score cards have
4 to 6 (rulebook, score cards)."""

MOST_LOST_GROUPS = 2
"""Groups that a player overlooks at once; with more, any figure could be explained."""


def audit(score: PlayerScore, claims: Iterable[tuple[str, int]]) -> Iterator[Finding]:
    """Check the claimed points of cards, by their names, and the ``total`` of one player."""
    player = score.player
    view = View.of(player.board, player.season)
    claimed_items = dict(claims)
    by_name: dict[str, CardScore] = {row.card.name: row for row in score.cards}
    for item, claimed in claimed_items.items():
        if item == TOTAL:
            mistakes = _total_mistakes(score, claimed_items)
            total = added([row.points for row in score.cards])
            yield check(player.name, item, claimed, score.total, mistakes, total)
        else:
            row = by_name[item]
            yield check(
                player.name,
                item,
                claimed,
                row.points,
                card_mistakes(row, view),
                _sum(row),
                row.cells,
            )


def _total_mistakes(score: PlayerScore, claims: Mapping[str, int]) -> Iterator[Mistake]:
    yield slip_of_claims(claims, {row.card.name: row.points for row in score.cards})
    for row in score.cards:
        if row.points:
            yield from slips_of_adding(score.total, row.card.name, row.points, row.cells)
    if any(row.card.name in claims for row in score.cards):
        return  # what was counted on the cards is known
    precious = sum(row.card.times * row.precious for row in score.cards)
    if precious:
        why = plural(
            "the extra point of the precious tile was not counted on any card",
            "the %(points)s extra points of precious tiles were not counted on any card",
            points=precious,
        )
        yield Mistake(score.total - precious, why)
    own = sum(row.card.times * row.own for row in score.cards)
    if own:
        why = plural(
            "the extra point of the tile of the own season was not counted on any card",
            "the %(points)s extra points of tiles of the own season were not counted on any card",
            points=own,
        )
        yield Mistake(score.total - own, why)


def _sum(row: CardScore) -> Text:
    if not row.groups:
        return Text("nothing scores: %(rule)s", rule=row.card.rule)
    return plural(
        "1 tile + %(precious)s precious + %(own)s of the own season = %(points)s",
        "%(tiles)s tiles + %(precious)s precious + %(own)s of the own season, counted twice, = "
        "%(points)s"
        if row.card.times > 1
        else "%(tiles)s tiles + %(precious)s precious + %(own)s of the own season = %(points)s",
        tiles=row.tiles,
        precious=row.precious,
        own=row.own,
        points=row.points,
    )


def card_mistakes(row: CardScore, view: View) -> Iterator[Mistake]:
    """The usual slips with one card, the most usual first."""
    scored = _union(row.groups)
    if row.groups:
        yield from _forgotten_extras(row, view, scored)
        if row.card.times > 1:
            why = Text("the card scores its tiles twice, they were counted once")
            yield Mistake(row.points // row.card.times, why, cells_of(scored))
        yield from _shared_cells(row, view)
    yield from _lost_groups(row, view)
    yield from _wrong_groups(row, view, scored)


def _forgotten_extras(row: CardScore, view: View, scored: Cells) -> Iterator[Mistake]:
    precious, own = scored & view.board.precious, scored & view.own
    times = row.card.times
    if precious:
        why = plural(
            "the extra point of the precious tile was not counted",
            "the extra points of the %(count)s precious tiles were not counted",
            count=row.precious,
        )
        yield Mistake(row.points - times * row.precious, why, cells_of(precious))
    if own:
        why = plural(
            "the extra point of the tile of the own season was not counted",
            "the extra points of the %(count)s tiles of the own season were not counted",
            count=row.own,
        )
        yield Mistake(row.points - times * row.own, why, cells_of(own))
    if precious and own:
        why = Text("neither precious tiles nor the own season were counted")
        yield Mistake(times * row.tiles, why, cells_of(precious | own))


def _shared_cells(row: CardScore, view: View) -> Iterator[Mistake]:
    """A tile of two groups, such as the corner of two full edges, counts once."""
    shared = [
        cell
        for cell in each(_union(row.groups))
        if sum(bool(cell & group) for group in row.groups) > 1
    ]
    for count in range(1, len(shared) + 1):
        for cells in combinations(shared, count):
            twice = reduce(or_, cells)
            why = plural(
                "a tile that two groups share was counted twice: %(places)s",
                "%(count)s tiles that two groups share were counted twice: %(places)s",
                count=count,
                places=_places(twice),
            )
            yield Mistake(row.points + view.value(twice), why, cells_of(twice))


def _lost_groups(row: CardScore, view: View) -> Iterator[Mistake]:
    for count in range(1, min(MOST_LOST_GROUPS, len(row.groups)) + 1):
        for lost in combinations(row.groups, count):
            kept = _union([group for group in row.groups if group not in lost])
            why = Text(
                "%(group)s was not counted" if count == 1 else "%(group)s were not counted",
                group=both([describe(group, view.board) for group in lost]),
            )
            yield Mistake(row.card.times * view.value(kept), why, cells_of(_union(lost) & ~kept))


def _wrong_groups(row: CardScore, view: View, scored: Cells) -> Iterator[Mistake]:
    """Tiles that were taken for scoring ones, by the rule of the card."""
    card, board = row.card, view.board
    if isinstance(card, PositionCard):
        for place in card.places(board):
            open_cells = place & ~board.tiles
            if open_cells and place & board.tiles:
                missing = open_cells.bit_count()
                why = plural(
                    "%(group)s was counted, but %(count)s of its spaces is empty: %(places)s",
                    "%(group)s was counted, but %(count)s of its spaces are empty: %(places)s",
                    count=missing,
                    group=describe(place, board),
                    places=_places(open_cells),
                )
                yield Mistake(card.times * view.value(scored | place), why, cells_of(open_cells))
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
            found = shape.found_in(tiles)
            for other in found:
                if other == best:
                    continue
                name, name_of_best = _told_apart(other, best, view.board)
                points = row.points - view.value(best) + view.value(other)
                why = Text(
                    "%(group)s was counted, %(best)s gives more", group=name, best=name_of_best
                )
                yield Mistake(points, why, cells_of(best))
                why = (
                    Text(
                        "%(count)s tiles that lie together were counted, but %(season)s scores "
                        "one group of %(most)s only",
                        count=(other | best).bit_count(),
                        season=season.value,
                        most=best.bit_count(),
                    )
                    if other & best and best in found
                    else Text(
                        "%(group)s was counted too, but %(season)s scores one group only",
                        group=name,
                        season=season.value,
                    )
                )
                more = other & ~best
                yield Mistake(row.points + view.value(more), why, cells_of(more))


def _wrong_largest(view: View, scored: Cells) -> Iterator[Mistake]:
    for season, tiles in zip(SEASONS, view.board.seasons, strict=True):
        for group in connected(tiles):
            if group != scored:
                why = (
                    Text(
                        "another group was counted, %(group)s has more tiles",
                        group=describe(scored, view.board),
                    )
                    if group.bit_count() < scored.bit_count()
                    else Text(
                        "another group of %(count)s tiles was counted, the best one gives more",
                        count=group.bit_count(),
                    )
                )
                yield Mistake(view.value(group), why, cells_of(scored))
        if tiles & scored:
            for tile in each(tiles & ~scored):
                why = Text(
                    "%(tile)s was counted that touches the group diagonally: %(places)s"
                    if _touches_corner(tile, scored)
                    else "%(tile)s was counted that touches the group not at all: %(places)s",
                    tile=_tile(season),
                    places=_places(tile),
                )
                yield Mistake(view.value(scored | tile), why, cells_of(tile))
            for tile in each(scored):
                why = Text("a tile of the group was missed: %(places)s", places=_places(tile))
                yield Mistake(view.value(scored & ~tile), why, cells_of(tile))


def _wrong_areas(row: CardScore, view: View, scored: Cells) -> Iterator[Mistake]:
    layout = view.board.layout
    for area, season in zip(layout.plan.areas, AREA_SEASONS, strict=True):
        for tile in each(area & scored):
            why = Text(
                "%(tile)s of its area was missed: %(places)s",
                tile=_tile(season),
                places=_places(tile),
            )
            yield Mistake(row.points - view.value(tile), why, cells_of(tile))
        for tile in each(area & view.board.tiles & ~scored):
            why = Text(
                "a tile was counted that is not %(season)s, the season of its area: %(places)s",
                season=season.value,
                places=_places(tile),
            )
            yield Mistake(row.points + view.value(tile), why, cells_of(tile))
    exchanged = tuple({3: 4, 4: 3}.get(number, number) for number in layout.order)
    turned = replace(view.board, layout=replace(layout, order=exchanged))
    other = _union(row.card.groups(View(turned, view.own)))
    why = Text("the seasons of the areas 3 and 4 were exchanged")
    yield Mistake(view.value(other), why, cells_of(other ^ scored))


def _wrong_pairs(row: CardScore, view: View, scored: Cells) -> Iterator[Mistake]:
    for tiles in view.board.seasons:
        for first in each(tiles):
            for second in each(beside(first) & tiles & ~(first - 1) & ~first):
                pair = first | second
                if pair in row.groups:
                    continue
                inside = any(pair & area == pair for area in view.board.layout.plan.areas)
                why = Text(
                    "two tiles were counted as a pair that lie in the same area: %(places)s"
                    if inside
                    else "two tiles were counted as a pair that share a tile with a better pair: "
                    "%(places)s",
                    places=_places(pair),
                )
                yield Mistake(row.points + view.value(pair), why, cells_of(pair))


def _wrong_sets(row: CardScore, view: View) -> Iterator[Mistake]:
    for group in row.groups:
        for index, tiles in enumerate(view.board.seasons):
            area = next(area for area in view.board.layout.plan.areas if group & area)
            used = tiles & area & _union(row.groups)
            for better in each(group & tiles):
                for other in each(tiles & area & ~used):
                    points = row.points - view.value(better) + view.value(other)
                    why = Text(
                        "a better %(season)s tile is in the area: %(places)s",
                        season=SEASONS[index].value,
                        places=_places(better),
                    )
                    yield Mistake(points, why, cells_of(better))


def _told_apart(one: Cells, other: Cells, board: SeasonBoard) -> tuple[Text, Text]:
    """Two groups of a season in words; two parts of one row or column by their ends."""
    names = describe(one, board), describe(other, board)
    if names[0] != names[1]:
        return names
    return _by_ends(one, board), _by_ends(other, board)


def _by_ends(line: Cells, board: SeasonBoard) -> Text:
    cells = cells_of(line)
    season = next(one for one, tiles in zip(SEASONS, board.seasons, strict=True) if line & tiles)
    return Text(
        "the %(season)s line from %(from)s to %(to)s",
        **{"season": season.value, "from": in_words(cells[0]), "to": in_words(cells[-1])},
    )


def describe(group: Cells, board: SeasonBoard) -> Text:
    """A group of tiles in words, such as ``the winter row at the bottom``."""
    seasons = [
        season.value for season, tiles in zip(SEASONS, board.seasons, strict=True) if group & tiles
    ]
    mixed = len(seasons) != 1 or bool(group & ~board.tiles)
    cells = cells_of(group)
    rows, cols = {row for row, _ in cells}, {col for _, col in cells}
    row, col = cells[0]
    values: dict[str, Any] = {
        "season": seasons[0] if seasons else "",
        "row": row + 1,
        "col": col + 1,
    }
    if len(rows) == 1 and len(cells) >= LEAST_LINE:
        if row == 0:
            return Text(
                "the row at the top" if mixed else "the %(season)s row at the top", **values
            )
        if row == SIDE - 1:
            return Text(
                "the row at the bottom" if mixed else "the %(season)s row at the bottom", **values
            )
        return Text("the row %(row)s" if mixed else "the %(season)s row %(row)s", **values)
    if len(cols) == 1 and len(cells) >= LEAST_LINE:
        if col == 0:
            return Text(
                "the column on the left" if mixed else "the %(season)s column on the left", **values
            )
        if col == SIDE - 1:
            return Text(
                "the column on the right" if mixed else "the %(season)s column on the right",
                **values,
            )
        return Text("the column %(col)s" if mixed else "the %(season)s column %(col)s", **values)
    values |= {"from": in_words(cells[0]), "to": in_words(cells[-1])}
    if len(cells) > 2 and _is_diagonal(cells):
        return Text(
            "the diagonal from %(from)s to %(to)s"
            if mixed
            else "the %(season)s diagonal from %(from)s to %(to)s",
            **values,
        )
    if cells == ((row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)):
        return Text(
            "the square at %(place)s" if mixed else "the %(season)s square at %(place)s",
            **values,
            place=in_words(cells[0]),
        )
    return Text(
        "the group of %(count)s at %(places)s"
        if mixed
        else "the %(season)s group of %(count)s at %(places)s",
        **values,
        count=len(cells),
        places=_places(group),
    )


def _is_diagonal(cells: Sequence[Cell]) -> bool:
    """Whether each of the cells lies one row below the one before, and always on the same side."""
    steps = {(down - row, right - col) for (row, col), (down, right) in pairwise(cells)}
    return steps in ({(1, 1)}, {(1, -1)})


def _tile(season: Season) -> Text:
    return {
        Season.SPRING: Text("a spring tile"),
        Season.SUMMER: Text("a summer tile"),
        Season.AUTUMN: Text("an autumn tile"),
        Season.WINTER: Text("a winter tile"),
    }[season]


def _places(cells: Cells) -> Text:
    return listed(map(in_words, cells_of(cells)))


def _union(groups: Iterable[Cells]) -> Cells:
    return reduce(or_, groups, 0)


def _touches_corner(tile: Cells, group: Cells) -> bool:
    (row, col), cells = cells_of(tile)[0], cells_of(group)
    return any((row + down, col + right) in cells for down in (-1, 1) for right in (-1, 1))

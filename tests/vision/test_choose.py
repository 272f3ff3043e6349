"""Choosing a grid: its signs, whether it shows the set, and what may belong to it."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from drawn_grids import IN_THE_BOX, TAUGHT, boxed, located, season_board

from vision import choose
from vision.boards import SEASONS_BOARD, STONES, TIME, BoardSpec
from vision.choose import (
    LEAST_BELIEF,
    Candidate,
    CellsRead,
    Familiarity,
    best_candidate,
    credible,
    read_cells,
    set_signs,
    too_many,
)
from vision.decode import weigh
from vision.errors import BoardNotFound
from vision.evidence import Evidence
from vision.find.board import LocatedBoard
from vision.find.complete import Extent
from vision.geometry import Pyramid
from vision.kinds.seasons import SeasonBoard
from vision.profile import Profile

PYRAMID = Pyramid(np.zeros((8, 8, 3), np.uint8))
FACE = np.zeros((1, 4, 8), np.float32)


def shown_as(labels_shown: Sequence[str]) -> CellsRead:
    """A grid read clearly as those stones, whatever the box holds."""
    labels = STONES.labels
    scores = np.full((4, 9, len(labels)), -8.0)
    for i, label in enumerate(labels_shown):
        scores[:, i, labels.index(label)] = 0.0
    evidence = Evidence(scores, np.ones((4, 9, len(labels)), np.float32), np.ones((4, 9)))
    board = located(3, 3)
    look = weigh(evidence, board, STONES, labels, (0,))
    return CellsRead(Familiarity(9.0, 0.95, 1.0, 1.0), board, look, Extent())


def test_stones_that_no_box_can_hold_are_a_misfit() -> None:
    """Two strangers may lie on the board; nine suns are another thing."""
    strange = ["sun", "sun", "sun", *IN_THE_BOX[3:]]
    assert set_signs(shown_as(IN_THE_BOX), STONES)["fits"] > -0.1
    assert set_signs(shown_as(strange), STONES)["fits"] > -1.0
    assert set_signs(shown_as(["sun"] * 9), STONES)["fits"] < -3.0


@pytest.mark.parametrize("published", [False, True])
def test_stones_that_no_box_can_hold_are_not_believed(published: bool) -> None:
    strange = ["sun", "sun", "sun", *IN_THE_BOX[3:]]
    for shown, good in ((IN_THE_BOX, True), (strange, True), (["sun"] * 9, False)):
        grid = shown_as(shown)
        likeness = np.full_like(grid.look.likeness, 0.7)
        likeness[np.arange(9), grid.look.way.probabilities.argmax(1)] = 0.85
        grid = grid._replace(
            look=replace(grid.look, likeness=likeness), familiarity=Familiarity(9.0, 0.85, 1.0, 1.0)
        )
        assert (choose.believed(grid, STONES, published) >= LEAST_BELIEF) is good


@pytest.mark.parametrize(
    ("belief", "size_hw", "code"),
    [
        (LEAST_BELIEF, (200, 200), ""),
        (0.1, (200, 200), "unknown_pieces"),
        (0.9, (99, 99), "no_board"),
    ],
)
def test_what_is_something_else_or_cut_off_is_not_the_board(
    belief: float, size_hw: tuple[int, int], code: str
) -> None:
    best = Candidate(shown_as(IN_THE_BOX), belief, STONES)
    pyramid = Pyramid(np.zeros((*size_hw, 3), np.uint8))
    if not code:
        assert credible(best, pyramid, STONES) is best.read
        return
    with pytest.raises(BoardNotFound) as refused:
        credible(best, pyramid, STONES)
    assert refused.value.code == code


def read_as(board: LocatedBoard, turn_probability: float = 1.0) -> CellsRead:
    """A grid read as a box of stones, with its direction that certain."""
    whole = located(3, 3)
    weighed = weigh(boxed({0: 0.0}), whole, STONES, STONES.labels, (0,))
    look = replace(weighed, turn_probability=turn_probability)
    return CellsRead(Familiarity(9.0, 0.95, 1.0, 1.0), board, look, Extent())


def test_signs_say_what_is_bare_directed_and_decided() -> None:
    board = located(3, 3)
    third = replace(
        board,
        cells=tuple(replace(c, presence=0.1 if i < 3 else 1.0) for i, c in enumerate(board.cells)),
    )
    signs = set_signs(read_as(third, 0.6), STONES)
    assert signs["held"] == pytest.approx(2 / 3)
    assert signs["presence"] == 1.0
    assert signs["directed"] == 0.6
    assert signs["pieces"] == 0.0
    read = read_as(board)
    way = replace(read.look.way, probabilities=np.full((9, 8), 1 / 8))
    undecided = set_signs(read._replace(look=replace(read.look, way=way)), STONES)
    assert undecided["decided"] < 0 < signs["decided"]
    assert undecided["clear"] == undecided["unclear"] == pytest.approx(1 / 8)


def test_few_pieces_count_where_the_shape_is_open() -> None:
    assert set_signs(read_as(located(3, 3)), TIME)["pieces"] == pytest.approx(np.log(9))


def taken(
    monkeypatch: pytest.MonkeyPatch,
    spec: BoardSpec,
    *grids: tuple[float, Familiarity],
    least_presence: float = 1.0,
) -> tuple[int, int]:
    """Which grid is taken, by belief and familiarity, and how many were looked at.

    One place of the first grid holds a piece with the given probability.
    """
    board = located(3, 3)
    slipped = replace(
        board, cells=(replace(board.cells[0], presence=least_presence), *board.cells[1:])
    )
    look = weigh(boxed({0: 0.0}), board, STONES, STONES.labels, (0,))
    reads = [
        CellsRead(familiarity, board if i else slipped, look, Extent())
        for i, (_, familiarity) in enumerate(grids)
    ]
    believed = {familiarity: belief for belief, familiarity in grids}
    waiting = iter(reads)
    monkeypatch.setattr(choose, "candidate_boards", lambda *_: [board] * len(grids))
    monkeypatch.setattr(choose, "read_cells", lambda *_, **_side: next(waiting))
    monkeypatch.setattr(choose, "believed", lambda grid, *_: believed[grid.familiarity])
    best, _ = best_candidate(Pyramid(np.zeros((200, 200, 3), np.uint8)), spec, TAUGHT)
    left = len(list(waiting))
    return next(i for i, grid in enumerate(reads) if grid is best.read), len(grids) - left


PART, WHOLE = Familiarity(6.0, 0.95, 0.9, 0.9), Familiarity(9.0, 0.95, 1.0, 1.0)
"""How familiar a grid may look that lies on a part of the board, and the right one."""


@pytest.mark.parametrize(("believed", "looked_at"), [(0.995, 1), (0.93, 2)])
def test_a_grid_that_is_not_surely_the_board_lets_others_be_looked_at(
    believed: float, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However familiar its median piece looks: half of it may be a chequered cloth."""
    assert taken(monkeypatch, STONES, (believed, PART), (0.999, WHOLE)) == (
        looked_at - 1,
        looked_at,
    )


@pytest.mark.parametrize(
    ("least_known", "least_presence", "looked_at"), [(0.9, 0.9, 1), (0.1, 0.9, 2), (0.9, 0.1, 2)]
)
def test_a_grid_with_a_piece_that_is_hardly_one_of_the_set_lets_others_be_looked_at(
    least_known: float, least_presence: float, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have slipped by a row."""
    first = PART._replace(least_known=least_known)
    found = taken(monkeypatch, STONES, (0.99, first), (0.999, WHOLE), least_presence=least_presence)
    assert found == (looked_at - 1, looked_at)


def test_a_large_grid_of_something_else_does_not_outweigh_the_board(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cloth = Familiarity(30.0, 0.5, 0.3, 0.0)
    assert taken(monkeypatch, STONES, (0.9, WHOLE), (0.01, cloth)) == (0, 2)


def test_of_boards_of_any_size_a_part_is_not_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """However probably it shows the set."""
    spec = BoardSpec("set", (1, 5), (1, 5))
    part = Familiarity(6.0, 0.7, 1.0, 1.0)
    assert taken(monkeypatch, spec, (0.98, part), (0.97, WHOLE)) == (1, 2)


@pytest.mark.parametrize(
    ("spec", "typical", "least_known", "whole"),
    [
        (TIME, 0.92, 0.9, True),
        (TIME, 0.89, 0.9, False),
        (TIME, 0.92, 0.1, False),
        (SEASONS_BOARD, 0.8, 0.9, True),
        (STONES, 0.99, 1.0, False),
    ],
)
def test_pieces_are_whole_that_look_much_like_taught_faces(
    spec: BoardSpec, typical: float, least_known: float, whole: bool
) -> None:
    read = read_as(located(3, 3))._replace(
        familiarity=Familiarity(9.0, typical, 1.0, least_known), extent=Extent(stray=1.0)
    )
    found = Candidate(read, 0.9, spec)
    assert found.shows_whole_pieces(spec) is whole
    assert not found.settles(spec)  # something beside it may be a piece, or its belief is too low


@pytest.mark.parametrize("printed", [True, False])
def test_what_the_print_calls_a_tile_is_framed_as_one(
    printed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is looked at; without a print all is looked at as it was found."""
    found, framed = season_board(), replace(season_board(), rows=6)
    asked: list[tuple[list[bool], float | None]] = []
    looked_at: list[LocatedBoard] = []
    profile = Profile("own", "seasons", {".": FACE, "spring": FACE}, "m")
    tiles = np.arange(36) % 3 > 0
    log_p = np.where(tiles[:, None], (-9.0, -0.1), (-0.1, -9.0))

    def even(_: Pyramid, board: LocatedBoard, which: np.ndarray, aspect: float | None) -> object:
        assert board is found
        asked.append((which.tolist(), aspect))
        return framed

    def look(_: Pyramid, board: LocatedBoard, *rest: object) -> object:
        looked_at.append(board)
        return SimpleNamespace(likeness=np.ones((36, 1)), known=np.ones(36))

    shown = np.stack([log_p] * 4) if printed else None
    monkeypatch.setattr(SeasonBoard, "print_log_p", lambda *_: shown)
    monkeypatch.setattr(choose, "with_equal_tiles", even)
    monkeypatch.setattr(choose, "look_at", look)
    read = read_cells(PYRAMID, found, SEASONS_BOARD, profile)
    assert read is not None
    assert asked == ([(tiles.tolist(), 1.0)] if printed else [])
    assert looked_at == [read.board]
    assert read.board is (framed if printed else found)


@pytest.mark.parametrize(
    ("rows", "cols", "place", "likeness", "too_large"),
    [
        (2, 4, (1, -1), 0.95, True),
        (2, 4, (0, 4), 0.95, True),
        (4, 2, (4, 1), 0.95, True),
        (2, 4, (2, 0), 0.95, False),
        (2, 3, (1, -1), 0.95, False),
        (2, 2, (1, -3), 0.95, True),
        (2, 4, (1, -1), 0.8, False),
        (2, 4, None, 0.95, False),
    ],
)
def test_a_piece_in_a_fifth_row_or_column_is_too_many(
    rows: int, cols: int, place: tuple[int, int] | None, likeness: float, too_large: bool
) -> None:
    extent = Extent(stray=likeness, stray_place=place, apart=True)
    assert too_many(located(rows, cols), extent, TIME) is too_large
    assert not too_many(located(rows, cols), extent._replace(apart=False), TIME)  # lies askew

"""Chains of neighbouring quads with whole-numbered places.

Each piece looks for its neighbours in its own frame: perspective and crooked rows do no harm.
"""

from collections import deque
from collections.abc import Collection

import numpy as np

from vision.geometry import Floats, mean_edges, middles_seen_from_each, sides

NEAREST, FARTHEST = 0.72, 1.95
"""How far a neighbour's centre may lie along an axis, in sides of the piece (1 is edge to edge)."""
SIDEWAYS = 0.42
"""How far a neighbour may be out of line, in sides of the piece."""
SIZE_RATIO = 1.75
"""How much larger than its neighbour a piece may look."""
AXIS_TOLERANCE = 0.75
"""Least cosine between an axis of a piece and that of its neighbour."""
MOST_APART, MOST_UNEVEN = 1.35, 1.3
"""Most gap between two halves of a piece, in lengths, and most ratio of their touching edges."""
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps of row and column to the neighbours at the right, below, at the left and above."""
STARTED = (np.arange(4) - np.arange(4)[:, None]) % 4
"""Order of a quad's corners started so many later; four times as fast as ``np.roll``."""

Chain = dict[int, tuple[int, int, int]]
"""The numbers of quads that form a lattice, each with its row, its column and its turn."""
Place = tuple[int, int]
"""Row and column."""


def _neighbours(quads_xy: Floats) -> list[list[tuple[int, int, int]]]:
    """For each quad its neighbours as (index, direction, turn).

    Direction 0 is right along the quad's own first edge, then clockwise: down, left, up. Turn
    says by how many quarter turns the neighbour's corners start later.
    """
    if not len(quads_xy):
        return []
    along, down = mean_edges(quads_xy)
    size = sides(quads_xy)
    unit_along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-6)
    unit_down = down / np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-6)
    local = middles_seen_from_each(quads_xy)
    ratio = size[None] / size[:, None]
    near = (ratio < SIZE_RATIO) & (ratio > 1 / SIZE_RATIO)
    np.fill_diagonal(near, False)
    right, below = local[..., 0], local[..., 1]
    found: list[list[tuple[int, int, int]]] = [[] for _ in quads_xy]
    for direction, (forward, aside) in enumerate(
        ((right, below), (below, right), (-right, below), (-below, right))
    ):
        off = np.abs(aside)
        beside = (
            near
            & (forward > NEAREST)
            & (forward < FARTHEST)
            & (off < SIDEWAYS * np.maximum(1, forward * 0.9))
        )
        i = np.flatnonzero(beside.any(1))
        j = np.where(beside[i], forward[i] + 1.5 * off[i], np.inf).argmin(1)
        same = ((unit_along[j] * unit_along[i]).sum(1) + (unit_down[j] * unit_down[i]).sum(1)) / 2
        quarter = (
            (unit_down[j] * unit_along[i]).sum(1) - (unit_along[j] * unit_down[i]).sum(1)
        ) / 2
        cosines = np.stack([same, quarter, -same, -quarter], 1)
        aligned = cosines.max(1) > AXIS_TOLERANCE
        links = np.stack([i, j, cosines.argmax(1)], 1)[aligned]
        for own, other, turn in links.tolist():
            found[own].append((other, direction, turn))
    return found


def joined_halves(quads_xy: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Neighbours joined as halves of one piece, and pieces of that size; best first.

    A card whose picture is divided, into sky and meadow say, may be seen as two pieces.

    Returns
    -------
    quads of shape (n, 4, 2) and scores of shape (n,)
    """
    joined, values = [], []
    centres = quads_xy.mean(1)
    along, down = mean_edges(quads_xy)
    for i, mine in enumerate(_neighbours(quads_xy)):
        for j, direction, turn in mine:
            if direction > 1:  # seen from the other half
                continue
            axis, edge = (along[i], down[i]) if direction == 0 else (down[i], along[i])
            step = centres[j] - centres[i]
            other = started_at(quads_xy[j], turn)
            own = other[3] - other[0] if direction == 0 else other[1] - other[0]
            apart = float(step @ axis) / max(float(axis @ axis), 1e-6)
            length = float(np.linalg.norm(own)) / max(float(np.linalg.norm(edge)), 1e-6)
            if not (0.6 < apart < MOST_APART and 1 / MOST_UNEVEN < length < MOST_UNEVEN):
                continue
            first, last = quads_xy[i], other
            quad = (
                [first[0], last[1], last[2], first[3]]
                if direction == 0
                else [first[0], first[1], last[2], last[3]]
            )
            joined.append(np.stack(quad))
            values.append(0.9 * float(scores[i] + scores[j]) / 2)
    if not joined:
        return np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32)
    pairs = np.stack(joined).astype(np.float32)
    whole = sides(quads_xy) > 0.8 * float(np.median(sides(pairs)))
    found = np.concatenate([quads_xy[whole], pairs]).astype(np.float32)
    worth = np.concatenate([scores[whole], np.array(values)]).astype(np.float32)
    order = np.argsort(-worth)
    return found[order], worth[order]


def components(quads_xy: Floats, scores: Floats) -> list[Chain]:
    """Chains of mutual neighbours: for each the place (row, column) and turn of its quads."""
    links = _neighbours(quads_xy)
    mutual: list[list[tuple[int, int, int]]] = [
        [
            (j, d, t)
            for j, d, t in mine
            if any(k == i and (d2 + t) % 4 == (d + 2) % 4 for k, d2, _ in links[j])
        ]
        for i, mine in enumerate(links)
    ]
    seen: set[int] = set()
    components = []
    for start in np.argsort(-scores):
        if int(start) in seen:
            continue
        places = {int(start): (0, 0, 0)}
        taken = {(0, 0)}
        queue = deque([int(start)])
        while queue:
            i = queue.popleft()
            row, col, turn = places[i]
            for j, direction, step_turn in mutual[i]:
                if j in places or j in seen:
                    continue
                dr, dc = STEPS[(direction - turn) % 4]
                if (row + dr, col + dc) in taken:
                    continue
                places[j] = (row + dr, col + dc, (turn + step_turn) % 4)
                taken.add((row + dr, col + dc))
                queue.append(j)
        seen.update(places)
        components.append(places)
    return components


def joined_groups(places: Collection[Place]) -> list[list[Place]]:
    """The places in groups that hang together edge to edge."""
    groups: list[list[Place]] = []
    left = set(places)
    while left:
        queue, group = [left.pop()], []
        while queue:
            row, col = queue.pop()
            group.append((row, col))
            near = [(row + dr, col + dc) for dr, dc in STEPS if (row + dr, col + dc) in left]
            left.difference_update(near)
            queue.extend(near)
        groups.append(group)
    return groups


def span(taken: Collection[int], least: int) -> tuple[int, int]:
    """First and number of the rows or columns from the first to the last that is taken."""
    return min(taken), max(least, max(taken) - min(taken) + 1)


def started_at(quad_xy: Floats, turn: int) -> Floats:
    """The quad with its corners rotated so that its first edge runs along a row."""
    return np.asarray(quad_xy[STARTED[turn % 4]], np.float32)


def upright(places: Chain, quads_xy: Floats) -> Chain:
    """Turn the lattice by quarters until its rows run most nearly to the right."""
    run = np.zeros(2)
    for i, (_, _, turn) in places.items():
        quad = started_at(quads_xy[i], turn)
        run += quad[1] + quad[2] - quad[0] - quad[3]
    angle = np.arctan2(run[1], run[0])
    quarter = int(np.round(angle / (np.pi / 2))) % 4
    turned = {}
    for i, (row, col, turn) in places.items():
        for _ in range(quarter):
            row, col = col, -row
        turned[i] = (row, col, (turn + quarter) % 4)
    return turned

"""Fits how a place of a grid without a printed board is judged: as bare, or with a piece.

Grids of art that no training saw are generated and photographed: half of them grids of time, the
others of any size, with wide gaps or none. Examples are the places of each grid that is found, and
of one whose corners are given. ``calibration.measuring.trust`` calls this.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.measuring.generated import Laid, Shot, Task, outline_given, photographed
from models.training.faces import SetPainter, held_out_painter
from models.training.scenes import SceneKind
from vision.find.board import LocatedBoard
from vision.find.candidates import candidate_boards
from vision.find.complete import SURE_BARE, SURE_PIECE, piece_features, places_seen
from vision.find.corners import cells_of_corners, refined_at_corners
from vision.geometry import Floats, Pyramid, sides
from vision.probability import Doubles, PlaceJudge
from vision.profile import Profile

COUNT, SEED = 900, 501
HIDDEN, LEAST_SPREAD = 12, 0.01
STEPS, RATE, DECAY = 900, 0.02, 0.1
DIGITS = 5
"""Digits after the point of the weights that are written."""
LAYOUTS: tuple[SceneKind, ...] = ("time", "cards", "time", "dense")
ANY_SIZE = (1, 8)
HELD_OUT = 3
"""One board in so many is kept back to measure on."""
SAME_PLACE = 0.3
"""A place whose middle is nearer than this to a piece's, in sides, is that piece's."""
SAME_SIZE = 0.25
"""A cell that differs by more than this share from the size of its piece is no whole piece."""
MOST_CANDIDATES = 3
LEAST_FOUND = 0.3
"""Grids with at most this share of pieces are other things, and refused as a whole."""


class Places(NamedTuple):
    """The places of one grid: what is weighed (n, 7), and whether a piece lies there (n,)."""

    features: Floats
    holds: Doubles


def pieces_among(shot: Shot, board: LocatedBoard) -> Doubles:
    """Which cells of a board lie on whole pieces, shape (n,)."""
    true = np.stack(list(shot.pieces_xy.values()))
    quads = board.quads_xy
    distance = np.linalg.norm(quads.mean(1)[:, None] - true.mean(1)[None], axis=2)
    size = sides(quads) / sides(true)[distance.argmin(1)]
    whole = (distance.min(1) < SAME_PLACE * sides(quads)) & (abs(size - 1) < SAME_SIZE)
    return np.asarray(whole, np.float64)


def places_of(pyramid: Pyramid, board: LocatedBoard, profile: Profile, holds: Doubles) -> Places:
    """What is weighed of a grid of which these cells are pieces."""
    features = piece_features(pyramid, board, profile, places_seen(pyramid, board))
    return Places(features, holds)


def given_board(
    rng: np.random.Generator, shot: Shot, pyramid: Pyramid
) -> tuple[LocatedBoard, Doubles] | None:
    """The grid as a person would mark it, and which of its cells are pieces."""
    size = pyramid.levels[0].shape[:2]
    given = outline_given(rng, shot, size)
    if given is None:
        return None
    outline, first, (rows, cols) = given
    board = refined_at_corners(cells_of_corners(outline, rows, cols, size), pyramid)
    taken = {(row - first[0], col - first[1]) for row, col in shot.pieces_xy}
    return board, np.array([(cell.row, cell.col) in taken for cell in board.cells], np.float64)


def laid_grid(seed: int, number: int, painter: SetPainter, planted: bool = False) -> Laid:
    """A grid without a printed board and a photo of it: of time, or of any size and game."""
    layout = LAYOUTS[number % len(LAYOUTS)]
    laid = photographed(seed, number, painter, Task("time", planted=planted, layout=layout))
    return (
        laid
        if layout == "time"
        else replace(laid, spec=replace(laid.spec, rows=ANY_SIZE, cols=ANY_SIZE))
    )


def gather(bank: Path, count: int = COUNT, seed: int = SEED) -> dict[str, list[Places]]:
    """Examples of both kinds of grids."""
    painter = held_out_painter(bank)
    examples: dict[str, list[Places]] = {"found": [], "given": []}
    for number in range(count):
        laid = laid_grid(seed, number, painter)
        shot, spec = laid.shots[0], laid.spec
        pyramid = Pyramid(shot.photo.image_rgb)
        for board in islice(candidate_boards(pyramid, spec), MOST_CANDIDATES):
            holds = pieces_among(shot, board)
            if holds.mean() > LEAST_FOUND:
                examples["found"].append(places_of(pyramid, board, laid.profile, holds))
        given = given_board(np.random.default_rng([seed, number]), shot, pyramid)
        if given is not None:
            board, holds = given
            examples["given"].append(places_of(pyramid, board, laid.profile, holds))
    return examples


def fitted(examples: Sequence[Places]) -> PlaceJudge:
    """The judge of greatest likelihood, with a little decay."""
    import torch  # what was fitted is looked at without the training extra, too
    from torch import nn
    from torch.nn import functional

    features = np.concatenate([grid.features for grid in examples]).astype(np.float64)
    holds = torch.from_numpy(np.concatenate([grid.holds for grid in examples]))
    centre, spread = features.mean(0), np.maximum(features.std(0), LEAST_SPREAD)
    torch.manual_seed(0)
    hidden = nn.Linear(features.shape[1], HIDDEN, dtype=torch.float64)
    out = nn.Linear(HIDDEN, 1, dtype=torch.float64)
    given = torch.from_numpy((features - centre) / spread)
    optimiser = torch.optim.AdamW(
        [*hidden.parameters(), *out.parameters()], lr=RATE, weight_decay=DECAY
    )
    for _ in range(STEPS):
        log_odds = out(torch.tanh(hidden(given)))[:, 0]
        loss = functional.binary_cross_entropy_with_logits(log_odds, holds)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return PlaceJudge(
        centre,
        spread,
        hidden.weight.detach().numpy().T,
        hidden.bias.detach().numpy(),
        out.weight.detach().numpy()[0],
        out.bias.detach().numpy()[0],
    )


def report(judge: PlaceJudge, examples: Sequence[Places]) -> str:
    """Errors of a judge on boards it was not fitted on."""
    likely = [judge.probabilities(grid.features) for grid in examples]
    p, holds = np.concatenate(likely), np.concatenate([grid.holds for grid in examples]) > 0.5
    clear = [
        bool((((q <= SURE_BARE) & (g.holds < 0.5)) | ((q >= SURE_PIECE) & (g.holds > 0.5))).all())
        for q, g in zip(likely, examples, strict=True)
    ]
    return (
        f"{len(p)} places of {len(examples)} boards: wrong {np.mean((p > 0.5) != holds):.1%},"
        f" surely bare and wrong {int(((p <= SURE_BARE) & holds).sum())},"
        f" surely a piece and wrong {int(((p >= SURE_PIECE) & ~holds).sum())},"
        f" boards that leave nothing to ask {np.mean(clear):.1%}"
    )


def without_table(grid: Places) -> Places:
    """The same grid if it fills the photo: then no network compares its places to the table."""
    features = grid.features.copy()
    features[:, -1] = 0
    return grid._replace(features=features)


def place_judges(gathered: Mapping[str, Sequence[Places]]) -> dict[str, PlaceJudge]:
    """The judges of places. Prints what those say of some boards that are fitted on the others."""
    judges = {}
    filled = [without_table(grid) for grid in gathered["given"]]
    for name, examples in {**gathered, "filled": filled}.items():
        learnt = [grid for i, grid in enumerate(examples) if i % HELD_OUT]
        print(f"{name} places: {report(fitted(learnt), examples[::HELD_OUT])}", flush=True)
        judges[name] = rounded(fitted(examples))
    return judges


def rounded(judge: PlaceJudge) -> PlaceJudge:
    """The judge as it is written."""
    return PlaceJudge(*(np.round(part, DIGITS) for part in judge))

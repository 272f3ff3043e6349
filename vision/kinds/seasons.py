"""Season boards: tiles on printed cells, four of which are numbers, framed or not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import numpy.typing as npt

from scorer.notation import EMPTY
from scorer.seasons.board import FRAME_MARK, PRECIOUS_MARK, Hand
from vision.boards import NUMBERS, SEASONS_BOARD
from vision.evidence import Evidence, Look
from vision.find.board import LocatedBoard
from vision.geometry import Floats, Pyramid
from vision.kinds.kind import Kind
from vision.name.season_cells import cell_log_p, even_quads
from vision.probability import Doubles, Real, log_shares, logsumexp, sigmoid
from vision.profile import Profile, tints

DIGIT_LIKENESS = 0.3
"""Weight of likeness between two digits, which differ less than two boards do. Chosen on generated
boards (docs/experiments.md)."""
FRAME_APART = 0.1
"""How far apart a frame moves a number's vectors (1 less their scalar product). Where lessons show
them further apart, their light and their prints add to it. Chosen on generated boards
(docs/experiments.md)."""
MOST_TOLD = 6.0
"""Most log odds by which likeness, or the print, tells a bare cell from a tile, and a number from a
framed one. In glare a tile looks like the print, so neither decides against the other alone. Chosen
on generated season boards (docs/experiments.md)."""
USUAL_ODDS, USUAL_COUNT, ROUNDS = 7.0, 4.0, 3
"""Log odds of the right side on boards like those that the cell reader was trained on, how many
such cells the photo's are weighed against, and rounds of estimating."""
UNTAUGHT_NUMBER = -50.0
"""Log probability of a number that no lesson showed."""
LEAST_BARE = 6
"""From so many bare cells on, they alone tell where all cells are printed."""
TAUGHT_APART = 0.1
"""Least distance between the tints of two tiles in lessons that says anything."""


def number_evidence(log_p: Doubles, labels: Sequence[str]) -> tuple[float, Doubles]:
    """How well the four number cells of a hand show the numbers 1 to 4, each once, framed or not.

    Parameters
    ----------
    log_p : ndarray of shape (4, labels), log probabilities of each of the cells taken alone

    Returns
    -------
    log evidence, and the probabilities of the labels of each of the cells, shape (4, labels)
    """
    faces = [[k for k, label in enumerate(labels) if label[0] == digit] for digit in NUMBERS]
    each = np.full((len(log_p), len(NUMBERS)), UNTAUGHT_NUMBER)
    for digit, which in enumerate(faces):
        if which:
            each[:, digit] = logsumexp(log_p[:, which], 1)
    orders = np.array(list(permutations(range(len(NUMBERS)))))  # of each cell its digit
    values = each[np.arange(len(log_p)), orders].sum(1)
    evidence = logsumexp(values)
    weights = np.exp(values - evidence)
    marginals = np.zeros_like(log_p)
    for digit, which in enumerate(faces):
        held = weights @ (orders == digit)
        marginals[:, which] = held[:, None] * np.exp(log_p[:, which] - each[:, [digit]])
    return float(evidence), marginals


def borne_out(
    scores: Doubles, print_log_p: Doubles, labels: Sequence[str]
) -> tuple[Doubles, Doubles]:
    """Likeness and print, each as far as it may be believed where the question is whether a tile
    or a frame lies there; shapes (4, n, labels)."""
    tiles = [k for k, label in enumerate(labels) if label != EMPTY and label[0] not in NUMBERS]
    scores, found = scores.copy(), print_log_p.copy()
    if EMPTY in labels and tiles:
        bare = labels.index(EMPTY)
        either = np.logaddexp(print_log_p[:, :, bare], print_log_p[:, :, tiles[0]])
        odds = print_log_p[:, :, bare] - print_log_p[:, :, tiles[0]]
        likest = scores[:, :, tiles].max(2)
        alike, told = _weighed(odds, scores[:, :, bare] - likest, np.exp(either))
        scores[:, :, bare] = likest + alike
        found[:, :, bare] = either - np.logaddexp(0, -told)
        found[:, :, tiles] = (either - np.logaddexp(0, told))[:, :, None]
    framed = [k for k, label in enumerate(labels) if label.endswith(FRAME_MARK)]
    plain = [labels.index(labels[k][0]) for k in framed if labels[k][0] in labels]
    if framed and len(plain) == len(framed):
        each = np.logaddexp(print_log_p[:, :, framed], print_log_p[:, :, plain])
        odds = logsumexp(print_log_p[:, :, framed], 2) - logsumexp(print_log_p[:, :, plain], 2)
        best = scores[:, :, plain].max(2), scores[:, :, framed].max(2)
        alike, told = _weighed(odds, best[1] - best[0], np.exp(each).sum(2))
        scores[:, :, framed] += (np.maximum(*best) + np.minimum(alike, 0) - best[1])[:, :, None]
        scores[:, :, plain] += (np.maximum(*best) - np.maximum(alike, 0) - best[0])[:, :, None]
        found[:, :, framed] = each - np.logaddexp(0, -told)[:, :, None]
        found[:, :, plain] = each - np.logaddexp(0, told)[:, :, None]
    return scores, found


def _weighed(odds: Doubles, alike: Doubles, held: Doubles) -> tuple[Doubles, Doubles]:
    """Log odds by likeness and by the print, each as far as it may be believed; (4, n) each.

    A print that the cell reader never saw may look to it like tiles or frames. So its ``odds`` of
    cells that look one way are compared with those of cells that look the other way, as ``alike``
    says. Both are taken to spread alike around their middles (linear discriminant analysis).
    ``USUAL_COUNT`` usual cells are added to each. Where the two middles are near, the odds tell
    nothing. ``held`` is how probably the question arises for each cell.
    """
    alike = np.clip(alike, -MOST_TOLD, MOST_TOLD)
    seems, told = sigmoid(alike) * held, odds
    for _ in range(ROUNDS):
        middles = [
            (side * USUAL_ODDS * USUAL_COUNT + (share * odds).sum(1, keepdims=True))
            / (USUAL_COUNT + share.sum(1, keepdims=True))
            for side, share in ((1, seems), (-1, held - seems))
        ]
        gain = np.clip((middles[0] - middles[1]) / (2 * USUAL_ODDS), 0, 1)
        told = gain * (odds - (middles[0] + middles[1]) / 2)
        seems = sigmoid(alike + told) * held
    return alike, np.clip(told, -MOST_TOLD, MOST_TOLD)


def printed_quads(board: LocatedBoard, bare: npt.NDArray[np.bool_]) -> Floats | None:
    """The cells (n, 4, 2) as they are seen where they are ``bare``; None if that cannot be told.

    Tiles seem moved against the print, by their thickness: where few cells are bare, these say
    by how much.
    """
    if bare.sum() >= LEAST_BARE:
        return even_quads(board, bare)
    quads = even_quads(board)
    if quads is None or not bare.any():
        return None
    moved = board.quads_xy[bare].mean(1) - quads[bare].mean(1)
    return np.asarray(quads + moved.mean(0), np.float32)


def tints_apart(names: Sequence[str], shades: Floats, profile: Profile) -> Doubles:
    """How far apart each tile is in tint from the tiles of other seasons, as far as lessons show
    them apart, shape (n,): 0 if it has the tint of another season, at most 1.

    ``shades`` are the tints (n, 2). Haze takes from all tints of a photo alike, so the median pair
    is the measure.
    """
    apart = np.ones(len(names))
    kinds = sorted(
        {
            name
            for name in names
            if name in profile.colours and name[0] not in NUMBERS and name != EMPTY
        }
    )
    if not kinds:
        return apart
    taught = [tints(profile.colours[kind]) for kind in kinds]
    between = np.array(
        [
            [np.linalg.norm(one[:, None] - other[None], axis=2).min() for other in taught]
            for one in taught
        ]
    )
    seasons = np.array([kind.removesuffix(PRECIOUS_MARK) for kind in kinds])
    between[(seasons[:, None] == seasons[None]) | (between < TAUGHT_APART)] = np.nan
    tiles = np.array([i for i, name in enumerate(names) if name in kinds])
    which = np.array([kinds.index(names[i]) for i in tiles])
    seen = np.linalg.norm(shades[tiles][:, None] - shades[tiles][None], axis=2)
    kept = seen / between[which][:, which]  # nan where they say nothing
    told = kept[np.isfinite(kept)]
    if len(told):
        least = np.where(np.isfinite(kept), kept, np.inf).min(1)
        apart[tiles] = np.minimum(least / max(min(float(np.median(told)), 1.0), 1e-6), 1.0)
    return apart


def frames_apart(names: Sequence[str], likeness: Floats, labels: Sequence[str]) -> Doubles:
    """How much more each number looks like itself with the frame it was read with than with the
    other, shape (n,); 0 for all other cells.

    ``likeness`` has the shape (n, labels).
    """
    apart = np.zeros(len(names))
    for i, name in enumerate(names):
        other = name[:-1] if name.endswith(FRAME_MARK) else name + FRAME_MARK
        if name[0] in NUMBERS and other in labels:
            apart[i] = likeness[i, labels.index(name)] - likeness[i, labels.index(other)]
    return apart


class SeasonBoard(Kind):
    """Shifting Seasons."""

    judge = "seasons"
    faces = frozenset(label for label in SEASONS_BOARD.labels if label[0] not in NUMBERS)

    def completed(self, profile: Profile) -> Profile:
        """With all numbers, bare and framed, also those that no lesson showed.

        Until taught, a number looks like itself with or without its frame, or like any number: the
        print decides.
        """
        taught = {label for label in profile.prototypes if label[0] in NUMBERS}
        if not taught:
            return profile
        sources = {
            label: [other] if other in taught else sorted(taught)
            for number in NUMBERS
            for label, other in ((number, number + FRAME_MARK), (number + FRAME_MARK, number))
            if label not in taught
        }

        def with_untaught(values: Mapping[str, Floats]) -> Mapping[str, Floats]:
            untaught = {
                label: np.concatenate([values[k] for k in alike])
                for label, alike in sources.items()
                if {*alike} <= values.keys()
            }
            return {**values, **untaught}

        return replace(
            profile,
            prototypes=with_untaught(profile.prototypes),
            colours=with_untaught(profile.colours),
            inks=with_untaught(profile.inks),
        )

    def print_log_p(
        self,
        pyramid: Pyramid,
        board: LocatedBoard,
        labels: Sequence[str],
        seen: Look | None = None,
    ) -> Doubles | None:
        if seen is None:
            return cell_log_p(pyramid, board, labels, even_quads(board))
        names = [labels[k] for k in seen.way.probabilities.argmax(1)]
        return cell_log_p(pyramid, board, labels, printed_quads(board, self.bare(names)))

    def with_print(
        self, evidence: Evidence, print_log_p: Doubles | None, labels: Sequence[str]
    ) -> Evidence:
        """A number is a number whoever printed it: it need not look like the taught ones to be
        known. What its frame looks like, only a lesson tells.
        """
        numbers = [k for k, label in enumerate(labels) if label[0] in NUMBERS]
        if print_log_p is None or not numbers:
            return evidence
        a_number = np.exp(print_log_p[:, :, numbers]).sum(2).clip(0, 1)
        scores, print_log_p = borne_out(evidence.scores, print_log_p, labels)
        best = scores[:, :, numbers].max(2, keepdims=True)
        for digit in NUMBERS:
            faces = [k for k in numbers if labels[k][0] == digit]
            if faces:
                either = scores[:, :, faces].max(2, keepdims=True)
                own = scores[:, :, faces] - either
                scores[:, :, faces] = best + DIGIT_LIKENESS * (either - best) + own
        known = 1 - (1 - evidence.known) * (1 - a_number)
        return replace(evidence, scores=scores + print_log_p, known=known)

    def with_shared_marks(self, likeness: npt.NDArray[Real], profile: Profile) -> npt.NDArray[Real]:
        """Likeness (..., labels) in which all numbers together say whether a frame lies there.

        A frame looks the same around every number, but each number was seen framed only once or
        twice, and perhaps in another light or on another print. The difference between framed and
        bare is averaged over all numbers that were taught both ways. Where light or print makes a
        part of it, the square of the frame's share counts: the other part misleads.
        """
        faces: Mapping[str, Floats] = profile.prototypes
        labels: list[str] = [*faces]
        both = [digit for digit in NUMBERS if {digit, digit + FRAME_MARK} <= {*labels}]
        if not both:
            return likeness
        bare = [labels.index(digit) for digit in both]
        framed = [labels.index(digit + FRAME_MARK) for digit in both]
        alike = [(faces[k][:, 0] @ faces[k + FRAME_MARK][:, 0].T).max() for k in both]
        share = FRAME_APART / np.maximum(1 - np.array(alike, np.float32), FRAME_APART)
        believed = share**2
        difference = (believed * (likeness[..., framed] - likeness[..., bare])).mean(-1)
        best = np.maximum(likeness[..., framed], likeness[..., bare])
        shared = likeness.copy()
        shared[..., framed] = best + np.minimum(difference, 0)[..., None]
        shared[..., bare] = best - np.maximum(difference, 0)[..., None]
        return shared

    def interpreted(
        self, alone: Doubles, board: LocatedBoard, labels: Sequence[str], turn: int
    ) -> tuple[Doubles, float]:
        """Numbers on the cells of one hand, tiles on all others: both hands weighed by how well
        they explain the photo."""
        is_number = np.array([label[0] in NUMBERS for label in labels])
        at = {place: i for i, place in enumerate(board.upright(turn))}
        tile_log = alone.copy()
        tile_log[:, is_number] = -np.inf
        tile_total = logsumexp(tile_log, 1)
        evidences, results = [], []
        for hand in Hand:
            cells = hand.clockwise
            marginals = np.exp(tile_log - tile_total[:, None])
            if not all(cell in at for cell in cells):
                continue
            rows = [at[cell] for cell in cells]
            evidence, numbers = number_evidence(alone[rows], labels)
            evidences.append(evidence + float(np.delete(tile_total, rows).sum()))
            marginals[rows] = numbers
            results.append(marginals)
        if not results:
            return np.exp(log_shares(alone, 1)), -np.inf
        weights = np.exp(log_shares(np.array(evidences)))
        mixed = np.asarray(sum(w * m for w, m in zip(weights, results, strict=True)), np.float64)
        return mixed, float(logsumexp(np.array(evidences)))

    def answer(self, label: str) -> str:
        if label == EMPTY:
            return "seasons bare"
        return "seasons number" if self.is_printed(label) else self.judge

    def is_printed(self, label: str) -> bool:
        return label[0] in NUMBERS

    def picture_of(self, label: str) -> str:
        return label[0] if self.is_printed(label) else label

    def bare(self, names: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which cells hold no tile, shape (n,)."""
        return np.array([name == EMPTY or self.is_printed(name) for name in names])

    def marks(
        self, names: Sequence[str], shades: Floats | None, likeness: Floats, profile: Profile
    ) -> Doubles:
        frames = frames_apart(names, likeness, profile.labels)
        apart = np.ones(len(names)) if shades is None else tints_apart(names, shades, profile)
        return np.where(self.bare(names), frames, apart)

    def shown_quads(self, board: LocatedBoard, names: Sequence[str]) -> Floats:
        """Of the piece, or of the printed cell where none lies."""
        quads = super().shown_quads(board, names)
        bare = self.bare(names)
        printed = printed_quads(board, bare)
        return quads if printed is None else np.where(bare[:, None, None], printed, quads)

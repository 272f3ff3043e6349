"""Stones: the box decides what can lie on the table."""

from collections.abc import Iterator

import numpy as np
import pytest

from vision.kinds.stones import STONE_KINDS, likeliest_stones, stone_marginals

SYMBOLS = ("sun", "moon", "fish", "bird", "horse", "boat", "seed", "tree")


def layouts(counts: list[int]) -> Iterator[tuple[int, ...]]:
    """Every order in which the kinds of stones can lie, given how many there are of each."""
    if not any(counts):
        yield ()
    for kind, count in enumerate(counts):
        if count:
            for rest in layouts([c - (k == kind) for k, c in enumerate(counts)]):
                yield (kind, *rest)


def brute_force(log_p: np.ndarray) -> tuple[np.ndarray, float]:
    """Marginals by adding up every grid of the box, kind layout by kind layout."""
    kinds = [[SYMBOLS.index(s) for s in pair] for pair, _ in STONE_KINDS]
    p = np.exp(log_p)
    kind_p = np.stack([p[:, members].sum(1) for members in kinds], 1)
    marginals, total = np.zeros_like(p), 0.0
    for layout in layouts([count for _, count in STONE_KINDS]):
        weight = float(np.prod(kind_p[np.arange(len(layout)), layout]))
        total += weight
        for cell, kind in enumerate(layout):
            for label in kinds[kind]:
                marginals[cell, label] += weight * p[cell, label] / kind_p[cell, kind]
    return marginals / total, float(np.log(total))


def test_stone_marginals_agree_with_adding_up_every_grid() -> None:
    rng = np.random.default_rng(3)
    log_p = np.log(rng.dirichlet(np.full(8, 0.4), 9))
    marginals, total = stone_marginals(log_p, SYMBOLS)
    expected, expected_total = brute_force(log_p)
    np.testing.assert_allclose(marginals, expected, atol=1e-9)
    assert total == pytest.approx(expected_total)


def test_a_second_sun_is_read_as_what_else_it_may_be() -> None:
    labels = "sun fish fish horse horse horse seed seed seed".split()
    p = np.full((9, 8), 1e-4)
    p[np.arange(9), [SYMBOLS.index(s) for s in labels]] = 0.9
    p[1, SYMBOLS.index("sun")], p[1, SYMBOLS.index("fish")] = 0.6, 0.3
    marginals, _ = stone_marginals(np.log(p), SYMBOLS)
    assert SYMBOLS[int(marginals[1].argmax())] == "fish"
    np.testing.assert_allclose(marginals.sum(1), 1.0, atol=1e-9)


def test_symbols_that_were_never_taught_do_not_break_the_box() -> None:
    log_p = np.log(np.full((9, 4), 0.25))
    marginals, total = stone_marginals(log_p, ("sun", "fish", "horse", "seed"))
    assert np.isfinite(total)
    np.testing.assert_allclose(marginals.sum(1), 1.0, atol=1e-9)


def test_the_chosen_grid_always_fits_the_box_and_is_the_best_that_does() -> None:
    kinds = [[SYMBOLS.index(s) for s in pair] for pair, _ in STONE_KINDS]
    for seed in range(5):
        log_p = np.log(np.random.default_rng(seed).dirichlet(np.full(8, 0.3), 9) + 1e-9)
        chosen = likeliest_stones(log_p, SYMBOLS)
        assert chosen is not None
        counts = [sum(label in members for label in chosen) for members in kinds]
        assert counts == [count for _, count in STONE_KINDS]
        best_of_kind = np.stack([log_p[:, members].max(1) for members in kinds], 1)
        best = max(
            sum(best_of_kind[i, k] for i, k in enumerate(layout))
            for layout in layouts([1, 2, 3, 3])
        )
        assert sum(log_p[i, label] for i, label in enumerate(chosen)) == pytest.approx(best)


def test_a_box_that_cannot_be_filled_gives_no_grid() -> None:
    assert likeliest_stones(np.zeros((9, 1)), ("sun",)) is None
    marginals, evidence = stone_marginals(np.zeros((9, 2)), ("sun", "moon"))
    assert evidence == -np.inf
    assert not marginals.any()

"""A confidence is a probability: the curve that makes it one, and the figures that show it."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from calibration import sureness
from calibration.measuring.figures import (
    reliability_bins,
    reliability_svg,
    risk_coverage,
    risk_coverage_svg,
)
from calibration.sureness import Curve, calibrated, curves, fitted, kind_of, store
from vision.reading import CellReading, Reading


def too_bold(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Confidences of a reader with doubled log odds, and whether each answer was right."""
    rng = np.random.default_rng(3)
    odds = rng.normal(2, 1.5, count)
    right = rng.random(count) < 1 / (1 + np.exp(-odds))
    return 1 / (1 + np.exp(-2 * odds)), right


def test_a_bold_reader_is_brought_down() -> None:
    confidence, right = too_bold(20_000)
    curve = fitted(confidence, right)
    assert curve.low == pytest.approx(0.5, abs=0.04)
    assert curve.high == pytest.approx(0.5, abs=0.04)
    assert curve.shift == pytest.approx(0.0, abs=0.08)
    values = np.array([curve.of(c) for c in confidence])
    assert abs(values.mean() - right.mean()) < 0.005


def test_what_the_reader_says_of_its_doubts_may_mean_little() -> None:
    """Low confidences turn out right in three of five cases; high ones are too low as well."""
    rng = np.random.default_rng(4)
    confidence = np.concatenate(
        [rng.uniform(0.01, 0.5, 5_000), 1 - rng.exponential(0.1, 20_000).clip(0.001, 0.9)]
    )
    truth = Curve(0.0, 1.4, 0.3)
    right = rng.random(len(confidence)) < [truth.of(c) for c in confidence]
    curve = fitted(confidence, right)
    for said in (0.02, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99):
        assert curve.of(said) == pytest.approx(truth.of(said), abs=0.04)


def test_a_curve_never_falls() -> None:
    """Not even where the doubtful cells of a few boards are right more often."""
    confidence = np.concatenate([np.full(200, 0.05), np.full(200, 0.45), np.full(2_000, 0.99)])
    right = np.concatenate([np.arange(200) < 160, np.arange(200) < 80, np.ones(2_000, bool)])
    curve = fitted(confidence, right)
    assert curve.low >= 0
    assert curve.of(0.05) <= curve.of(0.45) <= curve.of(0.99)


def test_few_cells_change_little() -> None:
    curve = fitted([0.9] * 5, [True] * 5)
    assert curve.of(0.9) == pytest.approx(0.9, abs=0.09)
    assert curve.of(0.0) < curve.of(0.5) < curve.of(1.0) <= 1.0


def a_reading() -> Reading:
    cell = CellReading(
        0, 0, "sun", 0.9, True, np.zeros((4, 2), np.float32), (("moon", 0.06), ("fish", 0.03))
    )
    return Reading("stones", "sun", (cell,), np.zeros((4, 2), np.float32), "mine", "1")


def test_only_the_numbers_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sureness, "curves", lambda: {"stones": Curve(0.5, 0.5, 0.0)})
    before, after = a_reading().cells[0], calibrated(a_reading(), published=False).cells[0]
    assert (after.label, after.sure) == (before.label, before.sure)
    assert after.confidence == pytest.approx(0.75)
    assert [label for label, _ in after.alternatives] == ["moon", "fish"]
    assert after.confidence + sum(p for _, p in after.alternatives) <= 1 + 1e-9
    assert (
        calibrated(a_reading(), published=True) == a_reading()
        or kind_of("stones", True) == "published"
    )


def test_a_curve_belongs_to_one_version_of_the_networks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store("stones", Curve(0.8, 0.9, 0.1), tmp_path)
    store("time", Curve(0.7, 0.7, 0.0), tmp_path)
    monkeypatch.setattr(sureness.resources, "files", lambda _: tmp_path)
    curves.cache_clear()
    try:
        assert curves() == {"stones": Curve(0.8, 0.9, 0.1), "time": Curve(0.7, 0.7, 0.0)}
        store("time", None, tmp_path)  # a new one did not help: nor will the old one
        curves.cache_clear()
        assert curves() == {"stones": Curve(0.8, 0.9, 0.1)}
        curves.cache_clear()
        monkeypatch.setattr(sureness, "model_version", lambda: "another")
        assert curves() == {}
        store("stones", Curve(0.6, 0.5, 0.0), tmp_path)
        curves.cache_clear()
        assert curves() == {"stones": Curve(0.6, 0.5, 0.0)}
    finally:
        curves.cache_clear()


def test_the_bundled_curves_are_sensible() -> None:
    for curve in curves().values():
        assert 0 <= curve.low < 5
        assert 0.1 < curve.high < 5
        assert curve.of(0.999) > 0.9


def test_bins_and_curves_count_right() -> None:
    assert reliability_bins([0.95] * 10 + [0.15] * 3, [True] * 9 + [False] * 4) == [
        (pytest.approx(0.95), pytest.approx(0.9))
    ]
    assert risk_coverage([0.9, 0.8, 0.2], [True, False, True], 4) == [
        (0.25, 0.0),
        (0.5, 0.5),
        (0.75, 1 / 3),
    ]


def test_figures_are_well_formed() -> None:
    for text in (
        reliability_svg({"as measured": [(0.5, 0.4), (0.9, 0.95)]}),
        risk_coverage_svg({"all": [(0.1, 0.0), (1.0, 0.03)], "hard": []}),
    ):
        root = ElementTree.fromstring(text)
        assert root.tag.endswith("svg")
        assert len(root.findall(".//{http://www.w3.org/2000/svg}polyline")) == 2

"""A small sample of the comparison with the second implementation in `oracle`."""

import random
import subprocess
import sys

import oracle
import pytest


@pytest.mark.parametrize(
    ("what", "count"),
    [("seasons", 400), ("stones", 25), ("time", 150), ("mutations", 1500), ("milp", 5)],
)
def test_a_sample_agrees(what, count):
    assert list(oracle.COMPARISONS[what](count, random.Random(7))) == []


def test_mutations_reach_both_answers_and_refusals():
    """A mutation test that only ever sees refusals, or only answers, would prove nothing."""
    rng = random.Random(5)
    refused = 0
    for _ in range(300):
        command, document = rng.choice(oracle.sample_documents())
        refused += "error" in oracle.ask(command, oracle.mutated(document, rng))
    assert 30 < refused < 270


def test_the_scorer_imports_only_the_standard_library():
    """A score imports neither numpy nor scipy; the bench imports its integer program when asked."""
    code = (
        "import sys; before = set(sys.modules); import scorer.documents, scorer.report, "
        "scorer.bench, scorer.villagers.solo;new = {name.split('.')[0] for name in "
        "set(sys.modules) - before} - {'scorer'};print(sorted(new - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_bench_rows(monkeypatch):
    from scorer import bench

    for name, count in (("MILP_BOARDS", 2), ("DOCUMENTS", 20), ("TURNS", 3)):
        monkeypatch.setattr(bench, name, count)
    cards, documents, turns = bench.run()
    assert cards["same_points"] is True
    assert cards["times_faster"] > 10
    assert documents["documents"] == 20
    assert turns["worst_ms"] >= turns["median_ms"]


def test_bench_says_so_without_scipy(monkeypatch):
    from scorer import bench

    monkeypatch.setattr(bench, "MILP_BOARDS", 1)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    row = next(bench.run())
    assert "scipy is not installed" in row["note"]

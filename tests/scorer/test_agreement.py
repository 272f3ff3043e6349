"""A small sample of the comparison with the second implementation in `oracle`."""

import random
import subprocess
import sys

import milp
import oracle
import pytest

from scorer import bench


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
    """A score imports neither numpy nor scipy."""
    code = (
        "import sys; before = set(sys.modules); import scorer.documents, scorer.report, "
        "scorer.bench, scorer.villagers.solo;new = {name.split('.')[0] for name in "
        "set(sys.modules) - before} - {'scorer'};print(sorted(new - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_rules_are_much_faster_than_an_integer_program():
    assert milp.times_faster(2, random.Random(1)) > 10


def test_bench_rows(monkeypatch):
    for name, count in (("DOCUMENTS", 20), ("TURNS", 3)):
        monkeypatch.setattr(bench, name, count)
    documents, turns = bench.run()
    assert documents["documents"] == 20
    assert turns["worst_ms"] >= turns["median_ms"]

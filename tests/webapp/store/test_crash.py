"""A server that is killed in the middle of changes loses none that it acknowledged."""

import sys
from pathlib import Path

import pytest
from store.killing import CHANGES_BEFORE, kill_during_edits

KILLS = 4
"""Enough for every day; `python tests/webapp/store/killing.py 50` is the long run."""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_server_loses_no_acknowledged_change(tmp_path: Path) -> None:
    outcome = kill_during_edits(KILLS, tmp_path)
    assert outcome.lost == set()
    assert outcome.doubled == set()
    assert outcome.integrity == "ok"
    assert len(outcome.acknowledged) >= CHANGES_BEFORE * KILLS

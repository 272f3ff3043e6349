"""Undo and redo against a list and a cursor, and many devices at once, without http.

TALLYSTONE_SEQUENCES and TALLYSTONE_EDITS ask for more than the few of every day.
"""

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seats import SETUP

from webapp.guard.quotas import Quotas
from webapp.live import Announcements
from webapp.service import TableReader
from webapp.store import open_store
from webapp.store.photos import PhotoFolder
from webapp.tables import Tables
from webapp.tables.errors import TableError

HOST, OTHER = "the host's secret", "the other's secret"


def open_tables(folder: Path) -> Tables:
    return Tables(
        open_store(folder),
        TableReader(folder),
        PhotoFolder(folder / "photos"),
        Announcements(),
        Quotas(folder),
    )


def extra(tables: Tables, code: str) -> Any:
    return tables.games.snapshot(code, HOST)["state"]["extra"].get("0")


STEPS = st.lists(
    st.one_of(st.integers(1, 9), st.sampled_from(["undo", "redo", "restart"])), max_size=25
)


@settings(
    max_examples=int(os.environ.get("TALLYSTONE_SEQUENCES", "15")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(steps=STEPS)
def test_undo_and_redo_are_a_cursor_over_what_was_done(
    tmp_path: Path, steps: list[int | str]
) -> None:
    tables = open_tables(tmp_path)
    code = tables.games.start("custom", SETUP, HOST, 0)
    first = tables.games.snapshot(code, HOST)["state"]
    tables.members.join(code, OTHER, 1)
    done: list[int | None] = [None]
    at = 0
    for step in steps:
        match step:
            case "undo" | "redo":
                way = -1 if step == "undo" else 1
                travel = tables.changes.undo if step == "undo" else tables.changes.redo
                if 0 <= at + way < len(done):
                    travel(code, OTHER)
                    at += way
                else:
                    with pytest.raises(TableError, match="nothing to"):
                        travel(code, HOST)
            case "restart":
                tables.store.close()
                tables = open_tables(tmp_path)
            case int():
                tables.changes.act(code, HOST, {"type": "extra", "seat": 0, "points": step})
                done = [*done[: at + 1], step]
                at += 1
        assert extra(tables, code) == done[at]
        game = tables.games.snapshot(code, HOST)
        assert (game["can_undo"], game["can_redo"]) == (at > 0, at + 1 < len(done))
    while at:
        tables.changes.undo(code, HOST)
        at -= 1
    assert tables.games.snapshot(code, HOST)["state"] == first
    tables.store.close()


def test_four_devices_edit_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    edits, devices = int(os.environ.get("TALLYSTONE_EDITS", "25")), 4
    figures = [number % 500 for number in range(1, edits + 1)]
    tables = open_tables(tmp_path)
    players = [{"name": f"P{seat}", "colour": "red"} for seat in range(devices)]
    code = tables.games.start("custom", SETUP | {"players": players}, HOST, 0)
    for seat in range(1, devices):
        tables.members.join(code, f"device {seat}", seat)
    failures: list[BaseException] = []

    def edit(seat: int) -> None:
        try:
            for points in figures:
                action = {"type": "extra", "seat": seat, "points": points}
                tables.changes.act(code, f"device {seat}" if seat else HOST, action)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=edit, args=(seat,)) for seat in range(devices)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    log = tables.games.log(code, HOST)
    assert [event["seq"] for event in log] == list(
        range(devices + edits * devices)
    )  # the first ones: who came
    for seat in range(devices):
        mine = [
            event["action"]["points"] for event in log[devices:] if event["action"]["seat"] == seat
        ]
        assert mine == figures
    assert tables.games.snapshot(code, HOST)["state"]["extra"] == {
        str(seat): figures[-1] for seat in range(devices)
    }
    tables.store.close()

"""How the tests are shared out where two processes run them (``pytest -n 2``).

Files with browser tests go to one process and come first, for they take longest and two browsers
starve each other on two cores. Those of `PATIENT` wait for nothing that must come soon: they come
last, one after the other, to whichever process is done. The tests of any other file stay together
and share what they made.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

PATIENT = (
    "test_every_page.py",
    "test_play_seasons_browser.py",
    "test_screens_browser.py",
    "test_quick_look_browser.py",
    "test_quick_look.py",
    "test_teach_pages.py",
)
"""The longest one first, so that both processes end at about the same time."""


@cache
def uses_a_browser(file: Path) -> bool:
    return "mark.browser" in file.read_text(encoding="utf-8")


def place_of(item: pytest.Item) -> int:
    """When a test runs: the smallest first."""
    if item.path.name in PATIENT:
        return 2 + PATIENT.index(item.path.name)
    return 0 if uses_a_browser(item.path) else 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=place_of)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False  # as sorted above

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            name = nodeid.split("::")[0]
            file = config.rootpath / name
            return "browser" if uses_a_browser(file) and file.name not in PATIENT else name

    return ByFile(config, log)

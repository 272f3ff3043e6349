"""How the tests are shared out where two processes run them (``pytest -n 2``).

All files with browser tests go to one process, for two browsers at once starve each other on two
cores. They come first, for they take longest. The tests of any other file stay together and share
what they made.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pytest


@cache
def uses_a_browser(file: Path) -> bool:
    return "mark.browser" in file.read_text(encoding="utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not uses_a_browser(item.path))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            name = nodeid.split("::")[0]
            return "browser" if uses_a_browser(config.rootpath / name) else name

    return ByFile(config, log)

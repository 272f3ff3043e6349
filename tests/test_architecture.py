"""Which folder may import which, and how large modules and folders may be: held by reading them."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ARROWS = {
    "webapp": {"calibration", "vision", "models", "scorer"},
    "calibration": {"vision", "models", "scorer"},
    "vision": {"models", "scorer"},
    "models": set(),
    "scorer": set(),
}
"""What each folder may import besides itself. ``models`` and ``scorer`` do not know each other."""
TRAINING_ONLY = {"torch", "onnx", "onnxscript", "cairosvg", "fontTools", "scipy", "PIL"}
"""What is not installed where the program runs."""
NOT_INSTALLED = ("models.training.", "calibration.measuring.")
"""What makes the weights and the fits, and measures them. The wheel goes without it."""


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def running() -> list[Path]:
    """The modules that run where no training tool is installed."""
    return [
        path
        for folder in ARROWS
        for path in modules(folder)
        if not f"{'.'.join(path.relative_to(ROOT).parts)}.".startswith(NOT_INSTALLED)
    ]


def imports(path: Path) -> Iterator[str]:
    """Dotted names of all modules that a file imports, wherever in it."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            name = ".".join((*base, *filter(None, [node.module])))
            yield from (f"{name}.{alias.name}" for alias in node.names)


def top(name: str) -> str:
    return name.split(".")[0]


@pytest.mark.parametrize("folder", ARROWS)
def test_imports_follow_the_arrows(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(folder)
        for name in imports(path)
        if top(name) in ARROWS.keys() - ARROWS[folder] - {folder}
    ]
    assert modules(folder)
    assert wrong == []


def test_scorer_needs_only_the_standard_library() -> None:
    known = sys.stdlib_module_names | {"scorer"}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("scorer")
        for name in imports(path)
        if top(name) not in known
    ]
    assert wrong == []


def test_nothing_that_runs_needs_the_training_code_or_its_libraries() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in running()
        for name in imports(path)
        if f"{name}.".startswith(NOT_INSTALLED) or top(name) in TRAINING_ONLY
    ]
    assert wrong == []


def test_one_module_runs_networks() -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for path in running()
        if any(top(name) == "onnxruntime" for name in imports(path))
    }
    assert users == {"models/session.py"}


def test_tests_and_fixtures_are_not_imported() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for folder in ARROWS
        for path in modules(folder)
        for name in imports(path)
        if top(name) in {"tests", "fixtures"}
    ]
    assert wrong == []


def test_every_folder_says_what_it_is_for() -> None:
    for folder in ARROWS:
        tree = ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), folder


MOST_LINES, MOST_FUNCTION_LINES, MOST_FILES = 500, 60, 20
"""Of a module, of a function without its docstring, and files of one kind in a folder."""

LONG_FUNCTIONS = {
    "webapp/store/migrations/versions/v0001_tables.py upgrade": "one list of tables",
}
"""Functions that are longer, and why."""


def long_functions(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            first = body[0].lineno if body else node.lineno
            if (node.end_lineno or first) - first + 1 > MOST_FUNCTION_LINES:
                found.add(f"{path.relative_to(ROOT).as_posix()} {node.name}")
    return found


@pytest.mark.parametrize("folder", ARROWS)
def test_modules_can_be_read_at_one_go(folder: str) -> None:
    large = {
        path.relative_to(ROOT).as_posix()
        for path in modules(folder)
        if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES
    }
    assert large == set()


def test_functions_can_be_read_at_one_go_but_for_those_that_say_why() -> None:
    found = {name for folder in ARROWS for path in modules(folder) for name in long_functions(path)}
    assert found - LONG_FUNCTIONS.keys() == set(), "too long"
    assert LONG_FUNCTIONS.keys() - found == set(), "no longer long: take it off the list"


@pytest.mark.parametrize("folder", [*ARROWS, "tests"])
def test_a_folder_can_be_seen_at_one_glance(folder: str) -> None:
    counts = Counter(
        f"{path.parent.relative_to(ROOT).as_posix()}/*{path.suffix}"
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    assert counts
    assert {kind for kind, count in counts.items() if count > MOST_FILES} == set()

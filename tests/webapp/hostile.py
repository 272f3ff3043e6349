"""Attacks a real server as a hostile guest would; prints each attack's cost and limit.

    python tests/webapp/hostile.py              all attacks
    python tests/webapp/hostile.py pictures     one of them

Every attack gets a server of its own. Meanwhile one table goes on editing and another must stay as
it is.
"""

import importlib
import pkgutil
import sys
import tempfile
import time
from pathlib import Path

import attacks
from attacks.harness import Figure, Target

LONGEST_SECONDS = 180
"""An attack ends by itself within this time."""


def topics() -> list[str]:
    """The names of all attacks."""
    return sorted(m.name for m in pkgutil.iter_modules(attacks.__path__) if m.name != "harness")


def run(topic: str) -> list[Figure]:
    """Attack a fresh server; gives what was measured."""
    module = importlib.import_module(f"attacks.{topic}")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        target = Target(Path(folder), getattr(module, "OPTIONS", ()))
        try:
            figures = list(module.attack(target))
        finally:
            common = target.close()
    for error in target.errors[:10]:
        print(f"    answered by an error of the server: {error}")
    seconds = Figure("time", time.monotonic() - start, LONGEST_SECONDS, "s")
    return [*figures, *common, seconds]


def main(chosen: list[str]) -> int:
    """Run the *chosen* attacks; gives the exit status."""
    broken = 0
    for topic in chosen:
        print(topic)
        for figure in run(topic):
            mark = "" if figure.kept else "   TOO MUCH"
            print(
                f"  {figure.what}: {figure.value:,.0f} {figure.unit} (at most "
                f"{figure.most:,.0f}){mark}"
            )
            broken += not figure.kept
        sys.stdout.flush()
    print("all kept" if not broken else f"{broken} figures are too large")
    return 1 if broken else 0


if __name__ == "__main__":
    unknown = sorted(set(sys.argv[1:]) - set(topics()))
    if unknown:
        sys.exit(f"no such attack: {', '.join(unknown)}; there are {', '.join(topics())}")
    sys.exit(main(sys.argv[1:] or topics()))

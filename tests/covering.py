"""Measures which lines of a folder its tests reach, against the least that is allowed.

    python tests/covering.py            every folder, which takes a while
    python tests/covering.py scorer     one of them

Needs the package ``coverage``. Tests that drive a browser are left out.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]

FLOORS = {"scorer": 97, "vision": 91}
"""Least share of the lines of a folder that its own tests reach, in percent."""


def share(folder: str) -> float:
    """Run the tests of a folder; gives the share of its lines that they reach, in percent."""
    with tempfile.TemporaryDirectory() as made:
        data, report = f"--data-file={made}/data", f"{made}/report.json"
        coverage = [sys.executable, "-m", "coverage"]
        tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not browser"]
        ran = [*coverage, "run", data, f"--source={folder}", *tests, f"tests/{folder}"]
        subprocess.run(ran, cwd=ROOT, check=True)
        left_out = "--omit=models/training/*,calibration/measuring/*"
        told = [*coverage, "json", data, "-q", left_out, "-o", report]
        subprocess.run(told, cwd=ROOT, check=True)
        return float(json.loads(Path(report).read_text())["totals"]["percent_covered"])


def main(chosen: list[str]) -> int:
    """Measure the *chosen* folders; gives the exit status."""
    low = 0
    for folder in chosen:
        found = share(folder)
        mark = "" if found >= FLOORS[folder] else "   TOO LITTLE"
        print(f"{folder}: {found:.1f} % of the lines (at least {FLOORS[folder]}){mark}")
        low += bool(mark)
    return 1 if low else 0


if __name__ == "__main__":
    unknown = sorted(set(sys.argv[1:]) - set(FLOORS))
    if unknown:
        sys.exit(f"no floor for {', '.join(unknown)}; there are {', '.join(FLOORS)}")
    sys.exit(main(sys.argv[1:] or list(FLOORS)))

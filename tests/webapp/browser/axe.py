"""What axe finds on an open page."""

from importlib.resources import files
from typing import Any

RULES = {
    "type": "tag",
    "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}

SCRIPT = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
"""What a page must have run before it is looked at."""

RUN = """only => axe.run(document, {
    runOnly: only,
    resultTypes: ['violations'],
    preload: {assets: ['media']},
})"""
"""Styles are loaded once more only for a rule about turned screens, which is not asked for."""


def violations(tab: Any, name: str, only: dict[str, Any] = RULES) -> list[str]:
    """What *only* some rules say against the page, which is called by *name*."""
    result = tab.evaluate(RUN, only)
    return [
        f"{name}: {one['id']}: {node['target']} {node['failureSummary'][:300]}"
        for one in result["violations"]
        for node in one["nodes"][:4]
    ]

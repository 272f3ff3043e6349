"""The colours of the page are told apart by everybody, in light and in dark."""

import re
from pathlib import Path

import pytest

import webapp

STATIC = Path(webapp.__file__).parent / "static"
CSS = (STATIC / "style.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    for block in re.findall(r":root \{(.*?)\}", CSS, re.S)
)

TEXT = [
    ("ink", "bg"),
    ("ink", "surface"),
    ("ink", "accent-soft"),
    ("ink", "bad-soft"),
    ("ink", "doubt-soft"),
    ("muted", "bg"),
    ("muted", "surface"),
    ("muted", "raised"),
    ("on-accent", "accent"),
    ("accent", "bg"),
    ("accent", "surface"),
    ("doubt", "surface"),
    ("doubt", "doubt-soft"),
    ("bad", "bad-soft"),
]
LINES = [
    ("edge", "surface"),
    ("edge", "bg"),
    ("accent", "bg"),
    ("doubt", "surface"),
    ("bad", "surface"),
]


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(scheme: str) -> None:
    """WCAG 2.2 AA: 4.5 for text, 3 for what outlines a control (1.4.3 and 1.4.11)."""
    colours = LIGHT if scheme == "light" else LIGHT | DARK
    weak = [f"{a} on {b}" for a, b in TEXT if contrast(colours[a], colours[b]) < 4.5]
    weak += [f"{a} beside {b}" for a, b in LINES if contrast(colours[a], colours[b]) < 3]
    assert weak == []


def test_nothing_comes_from_another_host() -> None:
    sheets = {path.name: path.read_text(encoding="utf-8") for path in STATIC.rglob("*.css")}
    assert [name for name, text in sheets.items() if re.search(r"@import|url\(", text)] == []

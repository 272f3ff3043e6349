"""Charts as SVG made on the server, without scripts, for both themes and without colour.

Each chart has a title and a sentence with its figures for screen readers; the page shows a table
beside it. Series differ in dash and in the shape of their marks, not in colour alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from webapp.after.fonts import BOLD, shortened
from webapp.i18n import decimal

WIDTH = 420
LEFT, RIGHT, TOP = 36, 8, 12
PLOT_HEIGHT = 190
ROW_HEIGHT = 34
DIGIT_PX = 8
"""Room for a digit beside the axis."""
NAME_PX = 128
"""Room for a name, in letters of 14 pixels."""
MOST_MARKED = 24
"""Most values of a line that have a mark each; more marks would hide the line."""
MOST_SERIES = 6
"""More lines than that cannot be told apart; the table below has them all."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line: a value for each step, None where there is none."""

    name: str
    values: Sequence[float | None]


def lines(title: str, description: str, labels: Sequence[str], series: Sequence[Series]) -> Markup:
    """Values over time, one line for each of at most `MOST_SERIES` series."""
    shown = series[:MOST_SERIES]
    values = [value for one in shown for value in one.values if value is not None]
    low, high, step = scale(min(values, default=0), max(values, default=1))
    ticks = [low + step * number for number in range(round((high - low) / step) + 1)]
    left = max(LEFT, 12 + DIGIT_PX * max(len(decimal(at)) for at in ticks))
    legend_rows = math.ceil(len(shown) / 2)
    height = TOP + PLOT_HEIGHT + 30 + 24 * legend_rows

    def x(index: int) -> float:
        return (
            left
            + 10
            + (WIDTH - left - RIGHT - 20) * (index / (len(labels) - 1) if len(labels) > 1 else 0.5)
        )

    def y(value: float) -> float:
        return TOP + PLOT_HEIGHT * (1 - (value - low) / (high - low))

    parts = []
    for at in ticks:
        parts.append(
            f'<line class="chart-rule" x1="{left}" x2="{WIDTH - RIGHT}" y1="{y(at):.1f}" '
            f'y2="{y(at):.1f}"/>'
            f'<text class="chart-tick" x="{left - 8}" y="{y(at) + 4:.1f}" '
            f'text-anchor="end">{decimal(at)}</text>'
        )
    every = max(1, math.ceil(len(labels) / 5))
    for index, label in enumerate(labels):
        if index % every == 0:
            parts.append(
                f'<text class="chart-tick" x="{x(index):.1f}" y="{TOP + PLOT_HEIGHT + 20}"'
                f' text-anchor="middle">{escape(label)}</text>'
            )
    for number, one in enumerate(shown):
        points = [(x(i), y(value)) for i, value in enumerate(one.values) if value is not None]
        path = " ".join(
            f"{'L' if i else 'M'}{px:.1f} {py:.1f}" for i, (px, py) in enumerate(points)
        )
        parts.append(f'<path class="chart-line series-{number}" d="{path}"/>')
        every = max(1, math.ceil(len(points) / MOST_MARKED))
        parts += [_mark(number, px, py) for px, py in points[::-every]]
        lx, ly = LEFT + (number % 2) * 190, TOP + PLOT_HEIGHT + 44 + 24 * (number // 2)
        parts.append(
            f'<path class="chart-line series-{number}" d="M{lx} '
            f'{ly}h34"/>{_mark(number, lx + 17, ly)}'
            f'<text class="chart-name" x="{lx + 42}" y="{ly + 4}">{escape(_short(one.name))}</text>'
        )
    return _svg(title, description, height, parts)


def bars(title: str, description: str, rows: Sequence[tuple[str, float, str]]) -> Markup:
    """One bar for each (name, share, text at its end); a share of 1 fills it."""
    start, end = 144, WIDTH - 74
    parts = []
    for number, (name, share, text) in enumerate(rows):
        top = 6 + ROW_HEIGHT * number
        length = (end - start) * share
        parts.append(
            f'<text class="chart-name" x="{start - 12}" y="{top + 19}" text-anchor="end">'
            f"{escape(_short(name))}</text>"
            f'<rect class="chart-bar" x="{start}" y="{top + 3}" width="{max(length, 2):.1f}" '
            'height="22" rx="5"/>'
            f'<text class="chart-tick" x="{start + max(length, 2) + 10:.1f}" '
            f'y="{top + 19}">{escape(text)}</text>'
        )
    return _svg(title, description, 12 + ROW_HEIGHT * len(rows), parts)


def scale(low: float, high: float) -> tuple[float, float, float]:
    """The ends of an axis for both values, and its step: 1, 2 or 5 times a power of ten.

    >>> scale(3, 47)
    (0.0, 50.0, 10.0)
    """
    low = min(low, 0)
    step = 10 ** math.floor(math.log10(max(high - low, 1) / 4))
    for factor in (1, 2, 5, 10):
        if (high - low) / (step * factor) <= 5:
            step *= factor
            break
    step = max(step, 1)
    bottom = math.floor(low / step) * step
    return float(bottom), float(max(math.ceil(high / step) * step, bottom + step)), float(step)


def _mark(number: int, x: float, y: float) -> str:
    """A shape of its own for every series: disc, square, triangle, diamond, ring, cross."""
    where = f'class="chart-mark series-{number}"'
    match number:
        case 0:
            return f'<circle {where} cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
        case 1:
            return f'<rect {where} x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9"/>'
        case 2:
            return f'<path {where} d="M{x:.1f} {y - 6:.1f}l6 10.5h-12z"/>'
        case 3:
            return f'<path {where} d="M{x:.1f} {y - 6.5:.1f}l6.5 6.5-6.5 6.5-6.5-6.5z"/>'
        case 4:
            return f'<circle class="chart-mark open series-4" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
        case _:
            return (
                f'<path class="chart-mark open series-5" d="M{x - 5:.1f} {y - 5:.1f}l10 '
                '10m0-10l-10 10"/>'
            )


def _short(name: str) -> str:
    return shortened(name, NAME_PX, BOLD, 14)


def _svg(title: str, description: str, height: int, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}. {escape(description)}">'
        f"{''.join(parts)}</svg>"
    )

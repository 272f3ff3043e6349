"""Draws reliability diagrams, risk-coverage curves and evenings as SVG, readable in light and
dark."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

W, H, LEFT, TOP, RIGHT, BOTTOM = 560, 400, 64, 46, 20, 56
COLOURS = ("#1f6f54", "#c2661a", "#3b5fa8", "#8a3d6b", "#6b6b1f", "#555555")
DASHES = ("", "7 4", "2 3", "9 3 2 3", "4 2", "1 2")
"""Lines differ by pattern, too, so that colour is not needed."""

Points = Sequence[tuple[float, float]]


class Axis(NamedTuple):
    """The name of an axis, its first and last value, in how many steps it is divided, and how its
    values are written."""

    name: str
    first: float
    last: float
    steps: int = 5
    text: Callable[[float], str] = "{:.0%}".format


def reliability_svg(bins: Mapping[str, Points]) -> str:
    """Share of right cells by confidence; each series is (mean confidence, share right) of bins."""
    return _figure(
        "Reliability: how often a cell is right, by how sure the reader says it is",
        Axis("confidence stated", 0.0, 1.0),
        Axis("cells right", 0.0, 1.0),
        {"as it should be": [(0.0, 0.0), (1.0, 1.0)], **bins},
        dots=True,
    )


def risk_coverage_svg(curves: Mapping[str, Points]) -> str:
    """Share of wrong boards among those taken; each series is (coverage, risk)."""
    most = max((risk for points in curves.values() for _, risk in points), default=0.0)
    top = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if most <= step), 1.0)
    return _figure(
        "Risk and coverage: errors among the boards taken without a look",
        Axis("share of boards taken, the surest first", 0.0, 1.0),
        Axis("of these, wrong", 0.0, top, text="{:.1%}".format if top < 0.1 else "{:.0%}".format),
        curves,
    )


def exact_svg(series: Mapping[str, Sequence[float]]) -> str:
    """Share of exact boards by the number of the photo in an evening."""
    return _evening(
        "Boards read exactly, photo by photo of an evening",
        Axis("boards read exactly", 0.0, 1.0),
        series,
        legend_y=H - BOTTOM - 17 * len(series),
    )


def questions_svg(series: Mapping[str, Sequence[float]]) -> str:
    """Questions a rightly read board by the number of the photo in an evening."""
    return _evening(
        "Questions about a board that is read exactly, photo by photo of an evening",
        Axis("questions a board", 0.0, 10.0, text="{:.0f}".format),
        series,
    )


def _evening(
    title: str, y: Axis, series: Mapping[str, Sequence[float]], legend_y: float = TOP + 16
) -> str:
    last = max(map(len, series.values()))
    points = {name: list(enumerate(values, 1)) for name, values in series.items()}
    x = Axis("number of the photo", 1, last, last - 1, "{:.0f}".format)
    return _figure(title, x, y, points, dots=True, legend_y=legend_y)


def _figure(
    title: str,
    x_axis: Axis,
    y_axis: Axis,
    series: Mapping[str, Points],
    dots: bool = False,
    legend_y: float = TOP + 16,
) -> str:
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {H}" role="img" '
            'font-family="sans-serif" font-size="12">'
        ),
        f"<title>{title}</title>",
        f'<rect width="{W}" height="{H}" rx="6" fill="#fbfaf5"/>',
        f'<text x="{LEFT}" y="24" font-size="13" font-weight="bold" fill="#222">{title}</text>',
    ]
    parts += _axes(x_axis, y_axis)
    for k, (name, points) in enumerate(series.items()):
        colour = "#999" if name == "as it should be" else COLOURS[k % len(COLOURS)]
        dash = DASHES[k % len(DASHES)]
        places = [_at(x, y, x_axis, y_axis) for x, y in points]
        path = " ".join(f"{x},{y}" for x, y in places)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>'
        )
        if dots and name != "as it should be":
            parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
        legend = legend_y + 17 * k
        parts += [
            (
                f'<path d="M{LEFT + 12} {legend - 4}h26" stroke="{colour}" stroke-width="2" '
                f'stroke-dasharray="{dash}"/>'
            ),
            f'<text x="{LEFT + 44}" y="{legend}" fill="#222">{name}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def _at(x: float, y: float, x_axis: Axis, y_axis: Axis) -> tuple[float, float]:
    """Where a point lies in the drawing."""
    along, up = (
        (value - axis.first) / (axis.last - axis.first)
        for value, axis in ((x, x_axis), (y, y_axis))
    )
    width, height = W - LEFT - RIGHT, H - TOP - BOTTOM
    return round(LEFT + along * width, 1), round(TOP + height - min(up, 1.0) * height, 1)


def _axes(x_axis: Axis, y_axis: Axis) -> list[str]:
    """Lines of the grid, values and names of both axes."""
    parts = []
    for x in np.linspace(x_axis.first, x_axis.last, x_axis.steps + 1):
        gx, base = _at(x, y_axis.first, x_axis, y_axis)
        parts += [
            f'<path d="M{gx} {TOP}V{base}" stroke="#ddd8c8" stroke-width="1"/>',
            (
                f'<text x="{gx}" y="{base + 17}" text-anchor="middle" '
                f'fill="#444">{x_axis.text(x)}</text>'
            ),
        ]
    for y in np.linspace(y_axis.first, y_axis.last, y_axis.steps + 1):
        left, gy = _at(x_axis.first, y, x_axis, y_axis)
        parts += [
            f'<path d="M{left} {gy}H{W - RIGHT}" stroke="#ddd8c8" stroke-width="1"/>',
            (
                f'<text x="{left - 8}" y="{gy + 4}" text-anchor="end" '
                f'fill="#444">{y_axis.text(y)}</text>'
            ),
        ]
    parts += [
        (
            f'<text x="{(LEFT + W - RIGHT) / 2}" y="{H - 14}" text-anchor="middle" '
            f'fill="#222">{x_axis.name}</text>'
        ),
        (
            f'<text transform="translate(16 {(TOP + H - BOTTOM) / 2}) rotate(-90)" '
            f'text-anchor="middle" fill="#222">{y_axis.name}</text>'
        ),
    ]
    return parts


def reliability_bins(confidence: Sequence[float], right: Sequence[bool], bins: int = 10) -> Points:
    """Mean confidence and share right of equally wide bins that hold at least five cells."""
    values, truth = np.asarray(confidence, float), np.asarray(right, float)
    which = np.minimum((values * bins).astype(int), bins - 1)
    return [
        (float(values[which == b].mean()), float(truth[which == b].mean()))
        for b in range(bins)
        if (which == b).sum() >= 5
    ]


def risk_coverage(confidence: Sequence[float], right: Sequence[bool], total: int) -> Points:
    """Coverage and risk, surest first (El-Yaniv and Wiener, 2010); ``total`` includes refused
    ones."""
    values, truth = np.asarray(confidence, float), np.asarray(right, float)
    order = np.argsort(-values, kind="stable")
    wrong = np.cumsum(1 - truth[order])
    count = np.arange(1, len(order) + 1)
    return [(float(n / total), float(w / n)) for n, w in zip(count, wrong, strict=True)]

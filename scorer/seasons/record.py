"""Shifting Seasons: how a record writes its actions."""

from scorer.forms import Form, Notation

NOTATION = Notation(
    (
        Form("cell", "set {row:row}{col:col} {label:word}"),
        Form("move", "move {origin:cell} to {target:cell}"),
        Form("cards", "cards {cards:words}"),
        Form("season", "plays {season:word}"),
        Form("layout", "numbers {order:ints} on boards {hand:word}"),
        Form("numbers", "numbers right"),
        Form("short_diagonals", "diagonals {diagonals:paths}"),
        Form("short_diagonals", "diagonals as in the box"),
    )
)

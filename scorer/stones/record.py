"""Shifting Stones: how a record writes its actions."""

from scorer.forms import Form, Notation

NOTATION = Notation(
    (
        Form("move", "flip {flip:cell}[ paying {discard:int}]", of_turn=True),
        Form("move", "shift {shift:cells}[ paying {discard:int}]", of_turn=True),
        Form("score", "score {card:int}", of_turn=True),
        Form("end_turn", "end", of_turn=True),
        Form("skip", "skip", of_turn=True),
        Form("hand", "hand {cards:ints}"),
        Form("award", "add {cards:ints}"),
        Form("award", "add {card:int} from the hand"),
        Form("unscore", "take back {card:int}"),
        Form("turn", "has the turn"),
        Form("first", "begins"),
        Form("cell", "set {row:row}{col:col} {label:word}"),
    ),
    idle={told: {"turn": ...} for told in ("move", "score", "end_turn", "skip")},
)

"""Turn of Time: how a record writes its actions."""

from scorer.forms import Form, Notation

NOTATION = Notation(
    (
        Form("place", "place {card:word} {row:row}{col:col} meets {order:cells}", of_turn=True),
        Form("cell", "set {row:row}{col:col} {label:word}"),
        Form("seasons", "plays {seasons:words}"),
        Form("first", "begins"),
    )
)

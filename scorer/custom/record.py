"""Other games: how a record writes their actions."""

from scorer.forms import Form, Notation

NOTATION = Notation(
    (
        Form("cell", "set {row:row}{col:col} {label:word}"),
        Form("worth", "worth {label:word} {points:int}"),
        Form("extra", "extra {points:int}"),
    )
)

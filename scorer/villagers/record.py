"""Villagers: how a record writes its actions. Cards in a village are named by their numbers."""

from scorer.forms import Form, Notation

NOTATION = Notation(
    (
        Form(
            "add",
            "add {name:name}[, on {on:int}][, {between=slid in}][, {from_hand=from the hand}]"
            "[, {alone=alone}]",
        ),
        Form("replace", "replace {id:int} by {name:name}"),
        Form("remove", "remove {id:int}[ {above=and all above}]"),
        Form("shift", "shift {id:int}[ onto {on:int}]"),
        Form("coins", "coins {coins:int} on {id:int}"),
        Form("supply", "supply {gold:int}"),
        Form("hand_add", "draw {name:name}"),
        Form("hand_drop", "drop {name:name}"),
        Form("take", "take {what:word}[ of {id:int}][ for {name:name}]"),
        Form("unlock", "unlock {name:name}[, of {id:int}][, to player {holder:player}]"),
        Form("custom_card", "new card {row:json}"),
        Form("next_round", "next round"),
        Form("stacks", "stacks empty {empty:yes}"),
        Form("priority", "priority {suits:words}"),
        Form("road", "road {cards:names}"),
    ),
    idle={
        "add": {"between": False, "from_hand": False, "alone": False},
        "remove": {"above": False},
        "next_round": {"round": ...},
    },
)

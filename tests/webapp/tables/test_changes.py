"""Changes that two devices send without having seen each other's."""

from typing import Any

import pytest
from fakes import TokenClient
from flask import Flask
from seats import SETUP, act, game, join

CUSTOM = ("custom", SETUP, [])
STONES = (
    "stones",
    {"players": [{"name": "Ann", "colour": "red"}, {"name": "Bob", "colour": "green"}]},
    [{"type": "board", "text": "bird horse boat / seed sun tree / seed bird horse"}],
)
TIME = (
    "time",
    {"players": [{"name": "Ann", "colour": "spring"}, {"name": "Bob", "colour": "autumn"}]},
    [{"type": "place", "card": "autumn/winter", "row": 0, "col": 0, "order": []}],
)
VILLAGERS = (
    "villagers",
    {"players": [{"name": "Ann", "colour": None}, {"name": "Bob", "colour": None}]},
    [{"type": "add", "seat": 0, "name": "Milk Maid"}],
)
PLACED = {"card": "spring/summer", "row": -1, "col": 0, "order": [[0, 0]]}


def two_at(app: Flask, client: TokenClient, kind: str, setup: Any) -> tuple[str, TokenClient]:
    """The code of a new game of two players, and the device of the second, Bob."""
    code = client.send_json("/api/games", {"kind": kind, "setup": setup, "seat": 0}).json["code"]
    return code, join(app, code, seat="1")


def both(app: Flask, client: TokenClient, begun: Any, *actions: Any) -> tuple[list[int], list[Any]]:
    """What the host and then Bob are answered who act on the same version; the state after each."""
    kind, setup, before = begun
    code, bob = two_at(app, client, kind, setup)
    for action in before:
        assert act(client, code, **action).status_code == 200
    seen = game(client, code)["version"]
    answers, states = [], []
    for device, action in zip((client, bob), actions, strict=True):
        answer = act(device, code, **action, base_version=seen)
        answers.append(answer.status_code)
        states.append(game(client, code)["state"])
    return answers, states


@pytest.mark.parametrize(
    ("begun", "action"),
    [
        (STONES, {"type": "move", "flip": [0, 0]}),
        (STONES, {"type": "end_turn"}),
        (STONES, {"type": "award", "seat": 0, "cards": [1]}),
        (TIME, {"type": "place", **PLACED}),
        (VILLAGERS, {"type": "take", "seat": 0, "what": "market"}),
        (VILLAGERS, {"type": "add", "seat": 0, "name": "Miner"}),
    ],
)
def test_what_two_devices_do_at_once_is_done_once(
    app: Flask, client: TokenClient, begun: Any, action: Any
) -> None:
    answers, states = both(app, client, begun, action, action)
    assert answers == [200, 409]
    assert states[1] == states[0]


@pytest.mark.parametrize(
    ("begun", "action"),
    [
        (STONES, {"type": "turn", "seat": 1}),
        (STONES, {"type": "claim", "seat": 0, "lines": {"total": 3}}),
        (TIME, {"type": "cell", "row": 0, "col": 0, "label": "winter/autumn"}),
        (VILLAGERS, {"type": "supply", "seat": 0, "gold": 9}),
        (CUSTOM, {"type": "extra", "seat": 0, "points": 3}),
        (CUSTOM, {"type": "worth", "label": "cow", "points": 3}),
    ],
)
def test_two_devices_may_set_the_same(
    app: Flask, client: TokenClient, begun: Any, action: Any
) -> None:
    answers, states = both(app, client, begun, action, action)
    assert answers == [200, 200]
    assert states[1] == states[0]


@pytest.mark.parametrize(
    ("begun", "first", "second"),
    [
        (VILLAGERS, {"type": "take", "what": "market"}, {"type": "supply", "gold": 9}),
        (CUSTOM, {"type": "extra", "points": 3}, {"type": "extra", "points": 4}),
        (CUSTOM, *({"type": "worth", "label": "cow", "points": points} for points in (1, 2))),
    ],
)
def test_a_figure_that_somebody_changed_meanwhile_stays(
    app: Flask, client: TokenClient, begun: Any, first: Any, second: Any
) -> None:
    answers, _ = both(app, client, begun, {"seat": 0} | first, {"seat": 0} | second)
    assert answers == [200, 409]


def test_what_was_undone_meanwhile_is_done_again(app: Flask, client: TokenClient) -> None:
    code, bob = two_at(app, client, *VILLAGERS[:2])
    seen = game(client, code)["version"]
    miner = {"type": "add", "seat": 0, "name": "Miner", "base_version": seen}
    assert act(client, code, **miner).status_code == 200
    assert client.send_json(f"/api/games/{code}/undo", {}).status_code == 200
    assert len(act(bob, code, **miner).json["state"]["villages"][0]["cards"]) == 1


def test_a_refusal_does_not_tell_what_lies_in_a_hand(app: Flask, client: TokenClient) -> None:
    drawn = {"type": "hand_add", "seat": 0, "name": "Miner"}
    assert both(app, client, VILLAGERS, drawn, drawn)[0] == [200, 422]
    held = {"type": "hand", "seat": 0, "cards": [3]}
    other = held | {"cards": [4]}
    assert both(app, client, STONES, held, held)[0] == both(app, client, STONES, held, other)[0]


def test_what_is_sent_again_after_a_lost_answer_is_done_once(
    app: Flask, client: TokenClient
) -> None:
    code, bob = two_at(app, client, *VILLAGERS[:2])
    seen = game(client, code)["version"]
    miner = {"type": "add", "seat": 0, "name": "Miner", "base_version": seen, "key": "a"}
    assert act(client, code, **miner).status_code == 200
    assert act(bob, code, type="add", seat=1, name="Miner").status_code == 200
    again = act(client, code, **miner)
    assert again.status_code == 200
    assert len(again.json["state"]["villages"][0]["cards"]) == 1


@pytest.mark.parametrize("key", [5, {"a": 1}, "", "k" * 41])
def test_a_key_that_is_none_is_refused(app: Flask, client: TokenClient, key: Any) -> None:
    code, _ = two_at(app, client, *CUSTOM[:2])
    answer = act(client, code, type="extra", seat=0, points=1, key=key)
    assert (answer.status_code, answer.json["error"]["code"]) == (400, "key")


def test_a_step_that_is_sent_again_after_a_lost_answer_is_one_step(
    app: Flask, client: TokenClient
) -> None:
    code, bob = two_at(app, client, *CUSTOM[:2])
    for points in (1, 2):
        act(client, code, type="extra", seat=0, points=points)
    for way, points in (("undo", 1), ("redo", 2)):
        step = {"base_version": game(client, code)["version"], "key": way}
        assert client.send_json(f"/api/games/{code}/{way}", step).status_code == 200
        assert bob.send_json(f"/api/games/{code}/timer", {"seconds": 9}).status_code == 200
        for again in (step, {"key": way}):
            answer = client.send_json(f"/api/games/{code}/{way}", again)
            assert answer.status_code == 200
            assert answer.json["view"]["players"][0]["extra"] == points
        other = client.send_json(f"/api/games/{code}/{way}", step | {"key": "b"})
        assert other.status_code == 409
    assert "key" not in answer.json["news"][-1]

"""Every field of every change keeps its kind and length, so no page breaks later."""

import io
import json
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from changes import BAD, BOARD, CHANGES, LONG, SETUPS, begin, expect_pages
from fakes import FakeReader, TokenClient
from flask import Flask
from table_documents import documents_of

from scorer.custom.board import BoardSpecError
from scorer.game import ActionError, Json
from scorer.games import GAMES
from scorer.setup import started
from vision.boards import BoardSpec
from webapp.after import archive, evidence
from webapp.service import MOST_READERS, TableReader
from webapp.store import Event


def spoilt(action: Json) -> Iterator[Json]:
    """The action with each field, and each part of a nested one, replaced by each bad value."""
    for name in action:
        if name != "type":
            yield from (action | {name: bad} for bad in BAD)
            if isinstance(action[name], dict):
                for key in action[name]:
                    yield from (action | {name: action[name] | {key: bad}} for bad in BAD)
            if isinstance(action[name], list):
                yield from (action | {name: [bad, *action[name][1:]]} for bad in BAD)


def standing(kind: str, at: int) -> Json:
    """The state in which the change *at* of a kind can be made."""
    rules = GAMES[kind]
    _, state = started(rules, SETUPS[kind])
    for action in CHANGES[kind][:at]:
        try:
            state = rules.act(state, action, {"role": "host", "seat": 0})
        except ActionError:
            continue  # some changes exclude each other
    return state


@pytest.mark.parametrize("kind", list(SETUPS))
def test_a_wrong_field_is_refused_with_a_sentence_and_breaks_no_page(
    client: TokenClient, kind: str
) -> None:
    rules = GAMES[kind]
    code = begin(client, kind)
    by = {"role": "host", "seat": 0}
    for at, good in enumerate(CHANGES[kind]):
        state = standing(kind, at)
        for action in spoilt(good):
            refusal = ""
            try:
                after = rules.act(state, action, by)
            except ActionError as error:
                refusal = error.message
            if refusal:
                assert refusal.endswith("."), refusal
                assert len(refusal) < 600, refusal
                continue
            assert len(json.dumps(after)) < 100_000, action
            for viewer in (by, {"role": "player", "seat": 1}, {"role": "viewer", "seat": None}):
                rules.view(after, viewer)
            rules.result(after)
            documents_of(kind, after)
        client.send_json(f"/api/games/{code}/actions", {"action": good})
        for action in list(spoilt(good))[::7]:
            answer = client.send_json(f"/api/games/{code}/actions", {"action": action})
            assert answer.status_code == 200 or 400 <= answer.status_code < 500
    expect_pages(client, code)
    client.send_json(f"/api/games/{code}/actions", {"action": {"type": "finish"}})
    expect_pages(client, code)


@pytest.mark.parametrize(
    ("kind", "action"),
    [
        (kind, action | {field: bad})
        for kind in ("stones", "seasons", "time", "custom")
        for action in CHANGES[kind][:1]
        for field, bad in [
            ("corrections", [["x", 0, "a", "b"]]),
            ("corrections", [[0, 0, ["a"], "b"]]),
            ("corrections", [[0, 0, "a", LONG]]),
            ("corrections", [[0, 0, "a", "b"]] * 2000),
            ("corrections", "all"),
            ("photo", True),
            ("photo", "one"),
            ("photo", -1),
            ("turns", []),
            ("text", LONG),
        ]
    ]
    + [
        ("custom", {"type": "claim", "seat": 0, "lines": {"total": "many"}}),
        ("custom", {"type": "claim", "seat": 0, "lines": {"wood": 3}}),
        ("custom", {"type": "claim", "seat": 0, "lines": {"total": 2**40}}),
    ],
)
def test_evidence_of_the_wrong_kind_is_refused(kind: str, action: Json) -> None:
    with pytest.raises(ActionError):
        GAMES[kind].act(standing(kind, 1), action, {"role": "host", "seat": 0})


def test_evidence_that_is_stored_broken_leaves_the_report_whole(
    app: Flask, client: TokenClient, photo: bytes
) -> None:
    code = begin(client, "stones")
    sent = client.post(
        f"/api/games/{code}/photos",
        data={"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": client.token()},
    )
    turned = "horse boat sun / bird seed horse / boat seed bird"
    used = CHANGES["stones"][0] | {"photo": sent.get_json()["photo"], "text": turned}
    client.send_json(f"/api/games/{code}/actions", {"action": used})
    with app.extensions["tallystone_store"].writing() as session:
        event = session.query(Event).filter_by(seq=1).one()
        event.action = event.action | {"corrections": [["x", 0, None, {}], 7, [0, 1, "a", "b"]]}
    expect_pages(client, code)
    (game,) = archive.records(app.extensions["tallystone_store"], code=code, with_log=True)
    (board,) = evidence.boards(game)
    assert board.corrected == {(0, 1)}


def test_states_do_not_grow_without_end() -> None:
    by = {"role": "host", "seat": 0}
    growing: dict[str, list[Json]] = {
        "villagers": [
            {"type": "custom_card", "row": {"name": f"Baker {n}", "gold": "2"}} for n in range(2000)
        ],
        "custom": [{"type": "worth", "label": f"{n:x<40}", "points": 1} for n in range(9000)],
    }
    for kind, actions in growing.items():
        state = standing(kind, 0)
        refused = 0
        for action in actions:
            try:
                state = GAMES[kind].act(state, action, by)
            except ActionError:
                refused += 1
        assert refused > len(actions) / 2
        assert len(json.dumps(state)) < 100_000


HOSTILE_BOARDS = {
    "dotted": "a." * 30_000 + "a=1",
    "dotted but short": "a." * 3_000 + "a=1",
    "a dotted table": "[" + "a." * 3_000 + "a]",
    "deep lists": "rows = " + "[" * 3_000 + "]" * 3_000,
    "deep tables": "name = " + "{a=" * 1_000 + "1" + "}" * 1_000,
    "long": 'name = "' + "x" * 60_000 + '"',
    "many labels": 'name = "m"\nrows = 2\ncols = 2\n[counts]\n'
    + "".join(f"l{n}=1\n" for n in range(800)),
}


@pytest.mark.parametrize("text", HOSTILE_BOARDS.values(), ids=HOSTILE_BOARDS)
def test_a_hostile_description_is_refused_at_once(client: TokenClient, text: str) -> None:
    client.token()
    form = {
        "kind": "custom",
        "player": "Ann",
        "colour": "red",
        "board": text,
        "csrf_token": client.token(),
    }
    tracemalloc.start()
    start = time.process_time()
    answer = client.post("/games", data=form)
    seconds = time.process_time() - start
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert answer.status_code == 422
    assert seconds < 3
    assert most < 20_000_000


@pytest.mark.parametrize(
    "change",
    [
        {"name": "x" * 61},
        {"name": "a\nb"},
        {"name": {"a": {"b": 1}}},
        {"rows": [1, 33]},
        {"rows": list(range(5000))},
        {"counts": {"x" * 41: 1}},
        {"counts": {str(n): 1 for n in range(201)}},
        {"counts": {"a": 10**9}},
        {"aspect": float("nan")},
        {"deep": [[[[]]]]},
    ],
)
def test_the_fields_of_a_description_have_lengths(client: TokenClient, change: Json) -> None:
    with pytest.raises(BoardSpecError):
        BoardSpec.from_table(BOARD | change)
    if change.get("aspect") is None:
        setup = SETUPS["custom"] | {"options": {"board": BOARD | change}}
        answer = client.send_json("/api/games", {"kind": "custom", "setup": setup})
        assert answer.status_code in (400, 422)


def test_boards_of_ones_own_keep_few_readers_open(tmp_path: Path) -> None:
    opened: list[BoardSpec] = []

    def open_reader(spec: BoardSpec, *_: object) -> FakeReader:
        opened.append(spec)
        return FakeReader()

    reader = TableReader(tmp_path, open_reader)
    for number in range(3 * MOST_READERS):
        reader.reader(BoardSpec(f"meadow {number}", (2, 2), (2, 2)), None)
    assert len(opened) == 3 * MOST_READERS
    reader.reader(opened[-1], None)
    assert len(opened) == 3 * MOST_READERS
    reader.reader(opened[0], None)
    assert len(opened) == 3 * MOST_READERS + 1

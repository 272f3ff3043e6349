"""Every picture passes one gate: one at a time, addresses in turn, no endless wait."""

import io
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from fakes import FakeReader, TokenClient
from flask import Flask

from vision.find.corners import Corners
from vision.reading import Reading
from webapp.guard.gate import MOST_FORM_BYTES, Gate
from webapp.tables.errors import TableError

PATIENCE_S = 10.0


class Queue:
    """Devices that wait at a gate, each in a thread; ``let_in`` is the order they came in."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.let_in: list[str] = []
        self.threads: list[threading.Thread] = []

    def join(self, address: str) -> None:
        """Let another one wait; comes back when it does."""
        waiting = len(self.threads) + 1
        self.threads.append(threading.Thread(target=self._pass, args=(address,)))
        self.threads[-1].start()
        end = time.monotonic() + PATIENCE_S
        while self.gate.waiting < waiting and time.monotonic() < end:
            time.sleep(0.001)

    def _pass(self, address: str) -> None:
        with self.gate.turn(address):
            self.let_in.append(address)


def test_addresses_take_turns() -> None:
    gate = Gate()
    queue = Queue(gate)
    with gate.turn("greedy"):
        for address in ("greedy", "greedy", "greedy", "modest"):
            queue.join(address)
        assert queue.let_in == []
    for thread in queue.threads:
        thread.join()
    assert queue.let_in[0] == "modest"
    assert sorted(queue.let_in) == ["greedy", "greedy", "greedy", "modest"]


def test_one_address_cannot_fill_the_queue_and_all_together_not_the_server() -> None:
    gate = Gate(most_waiting=3, most_of_one=2)
    queue = Queue(gate)
    with gate.turn("a"):
        queue.join("a")
        queue.join("a")
        with pytest.raises(TableError, match="try again"):
            gate.enter("a")
        queue.join("b")
        with pytest.raises(TableError, match="try again"):
            gate.enter("c")
    for thread in queue.threads:
        thread.join()


def test_who_waits_too_long_is_told_so_and_the_next_one_is_let_in() -> None:
    gate = Gate(longest_wait=0.05)
    with gate.turn("a"), pytest.raises(TableError) as refused:
        gate.enter("b")
    assert (refused.value.status, refused.value.code) == (429, "busy")
    with gate.turn("b"):
        pass


def test_only_so_many_pictures_are_read_elsewhere_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webapp.guard.gate.MOST_ASIDE", 1)
    gate = Gate(longest_wait=0.01)
    for _ in range(2):  # whoever comes back makes room for the next
        with (
            gate.turn("a"),
            gate.aside(),
            gate.turn("b"),
            gate.aside(),
            pytest.raises(TableError),
            gate.turn("c"),
        ):
            pass


def test_nothing_is_read_for_a_phone_that_has_hung_up(
    client: TokenClient, app: Flask, photo: bytes
) -> None:
    gone = {"waitress.client_disconnected": lambda: True}
    sent = {"photo": (io.BytesIO(photo), "p.jpg")}
    assert client.post("/api/read", data=sent, environ_overrides=gone).status_code == 429
    with app.extensions["tallystone_gate"].turn("somebody"):
        pass


class SlowReader(FakeReader):
    """Notes how many read at once."""

    def __init__(self) -> None:
        super().__init__()
        self.at_work = self.most_at_work = 0

    def read(self, data: bytes, corners: Corners | None = None) -> Reading:
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        time.sleep(0.02)
        self.at_work -= 1
        return super().read(data, corners)


def test_photos_are_read_one_after_another(
    app: Flask, reader: FakeReader, photo: bytes, dark_photo: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowReader()
    monkeypatch.setattr(reader, "read", slow.read)
    found = []

    def upload(data: bytes) -> None:
        answer = app.test_client().post("/api/read", data={"photo": (io.BytesIO(data), "p.jpg")})
        found.append(answer.status_code)

    threads = [threading.Thread(target=upload, args=(one,)) for one in [photo, dark_photo] * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200] * 4 + [422] * 4
    assert slow.most_at_work == 1


def test_every_way_to_a_picture_leads_through_the_gate(
    app: Flask, client: TokenClient, photo: bytes
) -> None:
    setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
    code = client.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0}).get_json()[
        "code"
    ]
    token = {"X-CSRF-Token": client.token()}
    kept = client.post(
        f"/api/games/{code}/photos", data={"photo": (io.BytesIO(photo), "p")}, headers=token
    ).get_json()["photo"]
    views = [
        f"/history/{code}/{kept}.jpg",
        f"/g/{code}/report.html",
        f"/g/{code}/report.pdf",
        "/teach/profiles/stones/mine",
    ]
    posts = [
        rule.rule.replace("<code>", code)
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and "<" not in rule.rule.replace("<code>", "")
    ]
    gate = app.extensions["tallystone_gate"] = Gate(longest_wait=0.01)
    with gate.turn("somebody"):
        for path in views:
            assert client.get(path).status_code == 429, path
        for path in posts:
            form = {"photo": (io.BytesIO(photo), "p"), "file": (io.BytesIO(photo), "f")}
            answer = client.post(path, data=form, headers=token)
            assert answer.status_code == 429, path
            assert "try again in a moment" in answer.get_data(as_text=True)
    for path in views[:3]:
        assert client.get(path).status_code == 200, path
    with gate.turn("somebody"):
        pass


def test_looking_back_exporting_and_importing_make_neither_photos_nor_each_other_wait(
    app: Flask, client: TokenClient, photo: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
    code = client.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0}).get_json()[
        "code"
    ]
    client.send_json(f"/api/games/{code}/actions", {"action": {"type": "finish"}})
    games = client.get("/history/export.json").data
    form = {"csrf_token": client.token()}
    sends: dict[str, Callable[[], Any]] = {
        "photos": lambda: client.post("/api/read", data={"photo": (io.BytesIO(photo), "p")}),
        "reviews": lambda: client.get(f"/g/{code}/review"),
        "exports": lambda: client.get("/history/export.zip"),
        "imports": lambda: client.post(
            "/history/import", data=form | {"file": (io.BytesIO(games), "f")}
        ),
    }
    long = app.extensions["tallystone_long"] = {
        name: Gate(longest_wait=0.01) for name in sends if name != "photos"
    }
    for busy, gate in long.items():
        monkeypatch.setitem(app.extensions, "tallystone_made", {})
        with gate.turn("somebody"):
            for name, send in sends.items():
                assert send().status_code == (429 if name == busy else 200), (busy, name)
    monkeypatch.setattr("webapp.after.review_pages.record_of", None)  # the review is kept
    with app.extensions["tallystone_gate"].turn("somebody"), long["reviews"].turn("somebody"):
        assert sends["reviews"]().status_code == 200
    monkeypatch.undo()
    for kind in ("resume", "finish"):
        client.send_json(f"/api/games/{code}/actions", {"action": {"type": kind}})
    with long["reviews"].turn("somebody"):
        assert sends["reviews"]().status_code == 429, "the game was changed"


def test_only_photos_may_be_large(client: TokenClient) -> None:
    answer = client.post(
        "/api/matches", data=b" " * (MOST_FORM_BYTES + 1), content_type="application/json"
    )
    assert answer.status_code == 413
    form = b"name=" + b"a" * MOST_FORM_BYTES
    answer = client.post(
        "/people/forget", data=form, content_type="application/x-www-form-urlencoded"
    )
    assert "That change is too large" in answer.get_data(as_text=True)
    many = {f"field {number}": "1" for number in range(1_001)}
    answer = client.post("/read", data=many, content_type="multipart/form-data")
    assert answer.status_code == 413
    assert "That change is too large" in answer.get_data(as_text=True)

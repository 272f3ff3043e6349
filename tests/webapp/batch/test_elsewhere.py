"""Photos of the app are read on a cluster, and in the process while the cluster cannot."""

import io
import logging
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from changes import SETUPS
from fakes import TokenClient

pytest.importorskip("distributed", exc_type=ImportError)
import dask
from distributed import Client, LocalCluster

from calibration.reader import open_reader
from vision.boards import STONES
from vision.errors import BoardNotFound, PhotoRejected
from webapp import create_app
from webapp.batch import cluster, elsewhere
from webapp.batch.elsewhere import Elsewhere
from webapp.guard.gate import Gate
from webapp.quick_look import AUTO, QuickLook

PHOTO = Path(__file__).parents[3] / "fixtures" / "photos" / "easy_1.jpg"
PATIENCE_S = 30.0


def local_cluster(**more: Any) -> LocalCluster:
    return LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
        silence_logs="CRITICAL",
        **more,
    )


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    """A cluster of one process, as `dask worker` would start it."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), local_cluster() as local:
        yield local


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "AGAIN_S", 0.05)
    monkeypatch.setattr(cluster, "CONNECT_S", 1)


def wait_until(said: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not said():
        assert time.monotonic() < end
        time.sleep(0.01)


def connected(address: str) -> Elsewhere:
    place = Elsewhere(address)
    place.connect()
    wait_until(lambda: place.is_connected)
    return place


@pytest.fixture
def place(workers: LocalCluster) -> Iterator[Elsewhere]:
    place = connected(workers.scheduler_address)
    yield place
    place.close()


def test_photos_of_the_app_are_read_on_a_worker(
    workers: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = open_reader(STONES, None, tmp_path).read(PHOTO.read_bytes())
    app = create_app(
        {"TESTING": True, "DATA_DIR": tmp_path, "SCHEDULER": workers.scheduler_address}
    )
    app.test_client_class = TokenClient
    table_reader = app.extensions["tallystone"]
    table_reader.warm_up()
    wait_until(lambda: bool(table_reader.place.is_connected))
    for name in ("reader", "card_reader", "any_game"):  # of this process; a worker has its own
        monkeypatch.setattr(f"calibration.{name}.decode_photo", None)
    client: Any = app.test_client()
    setup = {"kind": "stones", "setup": SETUPS["stones"], "seat": 0}
    code = client.send_json("/api/games", setup).get_json()["code"]
    sent = client.post(
        f"/api/games/{code}/photos",
        data={"photo": (io.BytesIO(PHOTO.read_bytes()), "table.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": client.token()},
    )
    assert (sent.status_code, sent.get_json()["reading"]["text"]) == (201, expected.text)
    looked = QuickLook(table_reader).read(PHOTO.read_bytes(), AUTO)
    assert (looked.reading.text, looked.profile) == (expected.text, "default")
    with pytest.raises(BoardNotFound):
        table_reader.read_cards(PHOTO.read_bytes())
    table_reader.place.close()
    app.extensions["tallystone_store"].close()


def test_a_refusal_of_a_worker_is_that_of_the_reader(place: Elsewhere) -> None:
    def refuse(data: bytes) -> None:
        error = BoardNotFound("no_board", "Nothing of %(game)s is seen.", game="stones")
        error.kinds = (("stones", 0.1),)
        raise error

    with pytest.raises(BoardNotFound, match=r"Nothing of stones is seen\.") as refused:
        place(refuse, b"")
    error = refused.value
    assert (error.code, error.kinds) == ("no_board", (("stones", 0.1),))
    assert error.message.template == "Nothing of %(game)s is seen."
    assert place.is_connected


def test_a_table_does_not_wait_for_an_archive(workers: LocalCluster, place: Elsewhere) -> None:
    with Client(workers, set_as_default=False) as client:
        archive = client.map(time.sleep, [0.05] * 40, pure=False)
        place(len, b"")
        assert sum(one.done() for one in archive) < len(archive) / 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other heaps")
def test_a_worker_keeps_the_memory_of_a_picture_for_the_next_one(place: Elsewhere) -> None:
    def faults_of_pictures(data: bytes) -> int:
        import resource

        import numpy as np

        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(50):
            np.ones(4_000_000, np.uint8)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    assert place(faults_of_pictures, b"") < 10 * 4_000_000 / resource.getpagesize()


def test_a_photo_that_ends_workers_is_read_nowhere(place: Elsewhere) -> None:
    here = os.getpid()

    def kill(data: bytes) -> None:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(PhotoRejected, match="damaged"):
        place(kill, b"")


def test_a_worker_that_stands_still_is_named(
    workers: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 0.5)
    with Client(workers, set_as_default=False) as client:
        client.wait_for_workers(1)
        ((worker, process),) = client.run(os.getpid).items()
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(cluster.ClusterError, match=f"{worker} does not answer: end it"):
                cluster.check(client)
        finally:
            os.kill(process, signal.SIGCONT)


# what takes too long ends the worker a moment later: nothing may be asked of it after that
@pytest.mark.parametrize("what", ["fails", "has another version", "takes too long"])
def test_a_photo_is_read_here_where_a_worker_cannot(
    what: str,
    place: Elsewhere,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    here = os.getpid()

    def read(data: bytes) -> str:
        if os.getpid() == here:
            return "here"
        if what == "fails":
            raise RuntimeError("out of order")
        if what == "takes too long":
            time.sleep(1)
        return "there"

    if what == "takes too long":
        monkeypatch.setattr(elsewhere, "LONGEST_S", 0.2)
    if what == "has another version":
        monkeypatch.setattr(elsewhere, "own_version", lambda: "0.0.1")
    with caplog.at_level(logging.WARNING):
        assert place(read, b"") == "here"
    assert "photos are read in this process meanwhile" in caplog.text
    wait_until(lambda: place.is_connected)  # again


def test_a_table_plays_on_while_the_scheduler_is_away(caplog: pytest.LogCaptureFixture) -> None:
    def read(data: bytes) -> str:
        return threading.current_thread().name

    with local_cluster(processes=False, protocol="tcp") as local:
        address = local.scheduler_address
        place = connected(address)
        assert place(read, b"") != threading.current_thread().name
    start = time.monotonic()
    assert place(read, b"") == threading.current_thread().name
    assert time.monotonic() - start < PATIENCE_S / 3
    wait_until(lambda: f"no scheduler answers at {address}" in caplog.text)
    assert not place.is_connected
    with local_cluster(
        processes=False, protocol="tcp", scheduler_port=int(address.rpartition(":")[2])
    ):
        wait_until(lambda: place.is_connected)
        assert place(read, b"") != threading.current_thread().name
    place.close()


def test_others_pass_the_gate_while_a_picture_is_read_elsewhere() -> None:
    gate = Gate(longest_wait=PATIENCE_S)
    order: list[str] = []
    aside, back = threading.Event(), threading.Event()

    def first() -> None:
        with gate.turn("a"):
            with gate.aside():
                aside.set()
                back.wait(PATIENCE_S)
            order.append("a is back")

    def last() -> None:
        with gate.turn("c"):
            order.append("c")

    threads = [threading.Thread(target=first), threading.Thread(target=last)]
    threads[0].start()
    aside.wait(PATIENCE_S)
    with gate.turn("b"):
        order.append("b")
        threads[1].start()
        wait_until(lambda: gate.waiting == 1)
        back.set()
        wait_until(lambda: gate._returning == 1)
    for thread in threads:
        thread.join()
    assert order == ["b", "a is back", "c"]

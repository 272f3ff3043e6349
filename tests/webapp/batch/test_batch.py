"""Archives: a row a photo on Dask and without it, gone on with, in Parquet and in JSON Lines."""

import asyncio
import errno
import itertools
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.text import Text
from vision.boards import BoardSpec
from vision.doubts import Doubt
from vision.errors import PhotoRejected
from webapp.__main__ import cli
from webapp.batch import cluster, pool
from webapp.batch import photos as where
from webapp.batch.job import Job, OverlayError, is_scored, scored
from webapp.batch.photos import PhotosNotFound, numbered, pictures_of
from webapp.batch.results import Results, ResultsError
from webapp.commands.one_photo import content_of

needs_dask = pytest.mark.skipif(not cluster.is_installed(), reason="the extra `cluster`")
PHOTOS = Path(__file__).parents[3] / "fixtures" / "photos"


@dataclass
class Seen:
    text: str

    def to_document(self, photo: str) -> dict[str, Any]:
        cell = {"row": 0, "col": 0, "label": self.text, "confidence": 0.9, "sure": False}
        cell |= {"quad": [[0.0, 1.0]] * 4, "alternatives": [["moon", 0.1]]}
        return {
            "photo": photo,
            "board": "stones",
            "found": True,
            "text": self.text,
            "sure": False,
            "cells": [cell],
            "outline": [[0.0, 1.0]] * 4,
            "problems": [],
            "profile": "p",
            "model": "m",
            "ms": {"total": 1.0},
        }


@dataclass
class Stub:
    """Reads the text of a file; some texts end the process or never end."""

    folder: Path

    def read(self, data: bytes, _corners: None = None) -> Seen:
        text = data.decode()
        if text == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if text.startswith("once"):
            mark = self.folder / f"{text}.seen"
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        if text == "hang":
            time.sleep(600)
        if text == "memory":
            raise MemoryError
        if text == "dark":
            raise PhotoRejected("too_dark", "The photo is too dark.")
        return Seen(text)


@pytest.fixture(params=[".jsonl", ".parquet"])
def suffix(request: pytest.FixtureRequest) -> str:
    """How the name of a file of results ends; without pyarrow there is one."""
    if request.param == ".parquet":
        pytest.importorskip("pyarrow", exc_type=ImportError)
    return str(request.param)


def photos_of(source: str, recursive: bool) -> list[str]:
    return pictures_of(source, recursive).photos


def archive(folder: Path, texts: list[str]) -> list[str]:
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"{number:03}.jpg").write_text(text)
    return photos_of(str(folder), False)


WAYS = [
    pytest.param(lambda job, tasks: pool.rows(job, tasks, 2), id="processes"),
    pytest.param(lambda job, tasks: cluster.rows(job, tasks, None, 2), id="dask", marks=needs_dask),
]


@pytest.mark.parametrize("rows", WAYS)
def test_every_photo_has_one_row_whatever_ends_its_process(rows: Any, tmp_path: Path) -> None:
    texts = ["a", "dark", "once", "b", "kill", "c", "hang", "memory", *(f"n{i}" for i in range(9))]
    photos = archive(tmp_path / "photos", texts)
    job: Any = Job(Stub(tmp_path), "", limit_s=1)  # type: ignore[arg-type]
    found = list(rows(job, numbered(photos)))
    assert [row["photo"] for row in found] == photos
    told = {
        text: row.get("reason", row.get("text")) for text, row in zip(texts, found, strict=True)
    }
    reasons = {"dark": "too_dark", "kill": "crashed", "hang": "crashed", "memory": "crashed"}
    assert told == {text: reasons.get(text, text) for text in texts}


@pytest.mark.parametrize("rows", WAYS)
def test_overlays_that_cannot_be_written_end_the_run(rows: Any, tmp_path: Path) -> None:
    photos = archive(tmp_path / "photos", ["a", "b"])
    (tmp_path / "seen").touch()
    job: Any = Job(Stub(tmp_path), "", tmp_path / "seen")  # type: ignore[arg-type]
    with pytest.raises(OverlayError, match=f"overlays cannot be written to {tmp_path / 'seen'}: "):
        list(rows(job, numbered(photos)))


def test_relative_names_begin_where_the_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos = archive(tmp_path / "photos", ["a"])
    name = Path(photos[0]).name
    job: Any = Job(Stub(tmp_path), "", folder=tmp_path / "photos")  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    row = job.row((0, name, "a.overlay.jpg"))
    assert (row["photo"], row["text"]) == (name, "a")


def test_a_file_is_gone_on_with_by_what_photos_hold(suffix: str, tmp_path: Path) -> None:
    photos = archive(tmp_path / "photos", ["a", "b", "dark"])
    out = tmp_path / f"rows{suffix}"

    def go_on(resume: bool, most: int) -> list[dict[str, Any]]:
        results = Results(out, resume)
        job: Any = Job(Stub(tmp_path), "", score=False, done=results.done())  # type: ignore[arg-type]
        added = []
        with results.growing() as add:
            for row in itertools.islice(pool.rows(job, numbered(photos), 1), most):
                if row is not None:
                    add(row)
                    added.append(row)
        return added

    first = go_on(False, 2)
    with pytest.raises(ResultsError, match="add --resume"):
        Results(out, False)
    (tmp_path / "photos" / "000.jpg").rename(tmp_path / "photos" / "zzz.jpg")
    photos = photos_of(str(tmp_path / "photos"), False)
    second = go_on(True, 9)
    assert [row.get("text") for row in first] == ["a", "b"]
    assert [row["reason"] for row in second] == ["too_dark"]
    assert list(Results(out, True).rows()) == first + second


@pytest.mark.parametrize(
    ("suffix", "kept"), [(".jsonl", "n\udcff.jpg"), (".parquet", "n\\udcff.jpg")]
)
def test_a_name_that_is_no_text_has_its_row(suffix: str, kept: str, tmp_path: Path) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", exc_type=ImportError)
    results = Results(tmp_path / f"rows{suffix}", False)
    with results.growing() as add:
        add({"photo": "n\udcff.jpg", "sha256": "aa"})
    assert [row["photo"] for row in results.rows()] == [kept]


def test_a_row_that_was_cut_short_is_read_again(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text('{"sha256": "aa"}\n{"sha2')
    assert Results(out, True).done() == {"aa"}
    assert out.read_text() == '{"sha256": "aa"}\n'


def test_a_photo_that_could_not_be_opened_is_tried_again_for_its_one_row(
    suffix: str, tmp_path: Path
) -> None:
    for resume in (False, True, True):
        results = Results(tmp_path / f"rows{suffix}", resume, ["gone.jpg"])
        with results.growing() as add:
            if not resume:
                add({"photo": "a.jpg", "found": True, "sha256": "aa"})
            add({"photo": "gone.jpg", "found": False, "reason": "no_file"})
    last = Results(tmp_path / f"rows{suffix}", True, ["gone.jpg"])
    assert last.done() == {"aa"}
    with last.growing() as add:
        add({"photo": "gone.jpg", "found": True, "sha256": "bb"})
    assert [row["sha256"] for row in last.rows()] == ["aa", "bb"]


def test_rows_of_photos_that_are_not_read_now_stay(suffix: str, tmp_path: Path) -> None:
    first = Results(tmp_path / f"rows{suffix}", False)
    with first.growing() as add:
        add({"photo": "elsewhere.jpg", "found": False, "reason": "no_file"})
        add({"photo": "read.jpg", "found": True, "text": "sun"})
    second = Results(tmp_path / f"rows{suffix}", True, ["a.jpg", "read.jpg"])
    with second.growing() as add:
        add({"photo": "a.jpg", "found": True, "sha256": "aa"})
    assert [row["photo"] for row in second.rows()] == ["elsewhere.jpg", "read.jpg", "a.jpg"]


@pytest.mark.parametrize("note", ['{"my": "note"}', '{"photo": "a.jpg"}', '"note"'])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_file_of_other_lines_is_refused_and_left_as_it_is(
    note: str, end: str, tmp_path: Path
) -> None:
    out = tmp_path / "notes.jsonl"
    out.write_text(f'{{"photo": "a.jpg", "found": true}}\n{note}{end}')
    before = out.read_bytes()
    with pytest.raises(ResultsError, match="line 2 is no row that batch wrote: name another file"):
        Results(out, True).done()
    assert out.read_bytes() == before


def test_a_file_that_cannot_be_begun_is_not_said_to_hold_rows(tmp_path: Path) -> None:
    with (
        pytest.raises(ResultsError, match=r"cannot be written \(No such file.*name another"),
        Results(tmp_path / "nodir" / "r.jsonl", False).growing(),
    ):
        pass


def test_a_parquet_file_holds_all_that_a_doubt_says(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    doubt = Doubt("cell", 0.25, Text("What lies here?"), ((0, 1),), (("sun", 0.75),))
    row = {"photo": "a.jpg", "found": True, "sha256": "5", "doubts": [doubt.to_document()]}
    results = Results(tmp_path / "rows.parquet", False)
    with results.growing() as add:
        add(row)
    assert list(results.rows()) == [json.loads(json.dumps(row))]


def test_results_of_another_shape_are_left_alone(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", exc_type=ImportError)
    pq = pytest.importorskip("pyarrow.parquet", exc_type=ImportError)
    out = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"other": [1]}), out)
    with pytest.raises(ResultsError, match="other columns"):
        Results(out, True).done()
    out.write_bytes(b"no parquet")
    with pytest.raises(ResultsError, match="no Parquet file"):
        Results(out, True).done()
    (tmp_path / "five.jsonl").write_text("5\n")
    with pytest.raises(ResultsError, match="line 1 is no row"):
        Results(tmp_path / "five.jsonl", True).done()
    with pytest.raises(ResultsError, match=r"expected a \.jsonl or \.parquet file"):
        Results(tmp_path / "rows.csv", False)


def test_photos_come_from_folders_globs_files_and_addresses(tmp_path: Path) -> None:
    archive(tmp_path, ["a", "b"])
    (tmp_path / "notes.txt").touch()
    both = [str(tmp_path / "000.jpg"), str(tmp_path / "001.jpg")]
    assert photos_of(str(tmp_path), False) == both
    assert photos_of(str(tmp_path / "*"), False) == both
    assert photos_of(both[1], False) == both[1:]
    overlay = tmp_path / "overlays" / "a.overlay.jpg"
    overlay.parent.mkdir()
    overlay.write_bytes(b"")
    assert photos_of(str(tmp_path), True) == photos_of(str(tmp_path / "**"), False) == both
    assert photos_of(str(overlay), False) == [str(overlay)]
    for wrong in ("gone", "*.none", "nowhere://x"):
        with pytest.raises(PhotosNotFound):
            photos_of(wrong, False)
    pytest.importorskip("fsspec", exc_type=ImportError)
    assert photos_of(f"file://{tmp_path}", False) == [f"file://{one}" for one in both]


def test_every_ending_of_a_picture_is_listed(tmp_path: Path) -> None:
    """Windows calls JPEG .jfif; .mpo has two of them; .hif and .nef come from cameras."""
    for name in ("a.jfif", "b.JPE", "c.mpo", "d.apng", "e.HIF", "f.nef", "g.cr2", "h.txt"):
        (tmp_path / name).touch()
    photos, others = pictures_of(str(tmp_path), False)
    assert [Path(one).name for one in photos] == ["a.jfif", "b.JPE", "c.mpo", "d.apng"]
    assert [Path(one).name for one in others] == ["e.HIF", "f.nef", "g.cr2"]


def test_what_is_hidden_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    """A folder that is asked for by its name may be hidden itself."""
    folder = tmp_path / ".card"
    (shown,) = archive(folder, ["a"])
    for name in ("._000.jpg", ".trashed-1-000.jpg", ".thumbnails/1.jpg", "@eaDir/000.jpg"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    assert photos_of(str(folder), True) == [shown]
    pytest.importorskip("fsspec", exc_type=ImportError)
    assert photos_of(f"file://{folder}", True) == [f"file://{shown}"]


def test_other_pictures_are_told_and_alone_refused(tmp_path: Path) -> None:
    heic = tmp_path / "a.HEIC"
    heic.write_bytes(b"\0\0\0\x18ftypheic")
    (tmp_path / "folder.heic").mkdir()
    with pytest.raises(PhotosNotFound, match=r"a\.HEIC: This is a HEIC photo, which is not read"):
        pictures_of(str(tmp_path), False)
    assert photos_of(str(heic), False) == [str(heic)]
    assert archive(tmp_path, ["a"]) == [str(tmp_path / "000.jpg")]
    assert pictures_of(str(tmp_path), False).others == [str(heic)]


class Locked:
    """Addresses that nobody may look into, as a library of object stores says it."""

    class core:  # noqa: N801 (the name is the library's)
        @staticmethod
        def url_to_fs(source: str) -> Any:
            raise RuntimeError(f"Access Denied\n{source}")

    @staticmethod
    def open(photo: str, mode: str) -> Any:
        raise RuntimeError("Access Denied")


def test_an_address_without_rights_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(where, "_fsspec", lambda: Locked)
    with pytest.raises(PhotosNotFound, match="s3://club cannot be opened: Access Denied s3://club"):
        photos_of("s3://club", False)
    row = content_of("s3://club/1.jpg")
    assert isinstance(row, dict)
    assert (row["reason"], row["message"]) == (
        "no_file",
        "The file cannot be opened: Access Denied.",
    )


def add_many(results: Results) -> None:
    with results.growing() as add:
        for number in range(100):
            add({"photo": f"{number:050}.jpg", "found": False, "sha256": f"{number:064}"})


def test_a_file_that_cannot_be_made_holds_nothing_to_go_on_with(tmp_path: Path) -> None:
    results = Results(tmp_path / "gone" / "rows.jsonl", False)
    with pytest.raises(ResultsError, match="another file with --out"), results.growing():
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be moved there")
@pytest.mark.parametrize("last", [1, 2])
def test_a_file_that_vanishes_is_told_and_gone_on_with_once_it_is_back(
    last: int, tmp_path: Path
) -> None:
    out, away = tmp_path / "rows.jsonl", tmp_path / "away.jsonl"

    def grow() -> None:
        with Results(out, False).growing() as add:
            for number in range(2):
                add({"photo": f"{number}.jpg", "found": False, "sha256": str(number)})
                if number == last - 1:
                    out.rename(away)

    with pytest.raises(ResultsError, match="is gone or was replaced: put it back"):
        grow()
    away.rename(out)
    assert Results(out, True).done() == {*map(str, range(last))}


def test_a_run_that_could_not_start_leaves_nothing_to_go_on_with(
    suffix: str, tmp_path: Path
) -> None:
    (tmp_path / f"rows{suffix}").touch()
    with pytest.raises(ZeroDivisionError), Results(tmp_path / f"rows{suffix}", False).growing():
        raise ZeroDivisionError
    again = Results(tmp_path / f"rows{suffix}", False)
    add_many(again)
    assert sum(1 for _ in again.rows()) == 100


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_a_disk_that_is_full_keeps_the_rows_so_far(suffix: str, tmp_path: Path) -> None:
    """The largest file that this process may write stands for the disk."""
    import resource

    results = Results(tmp_path / f"rows{suffix}", False)
    now, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (900, most))
    try:
        with pytest.raises(ResultsError, match="make room and go on with --resume"):
            add_many(results)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (now, most))
    again = Results(tmp_path / f"rows{suffix}", True)
    assert again.done() == {f"{number:064}" for number in range(len(again.done()))} != set()


class Workers:
    """A cluster whose workers have that version, or cannot say which."""

    def __init__(self, version: str | None) -> None:
        self.version = version

    def nthreads(self) -> dict[str, int]:
        return {"tcp://10.0.0.7:4040": 1}

    def sync(self, asks: Any, *given: Any) -> Any:
        return asyncio.run(asks(*given))

    async def run(self, _: Any, workers: list[str]) -> dict[str, str]:
        if self.version is None:
            raise ModuleNotFoundError("No module named 'webapp'")
        return {"tcp://10.0.0.7:4040": self.version}


@needs_dask
@pytest.mark.parametrize(
    ("version", "told"),
    [
        (
            "0.0.1",
            r"tcp://10.0.0.7:4040 has tallystone 0.0.1, this is .*: install the same version",
        ),
        (None, "the workers cannot load tallystone .*: No module named 'webapp'"),
    ],
)
def test_workers_of_another_version_are_named(version: str | None, told: str) -> None:
    workers: Any = Workers(version)
    with pytest.raises(cluster.ClusterError, match=told):
        cluster.check(workers)


@needs_dask
def test_a_worker_of_another_version_that_comes_later_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "own_version", lambda: "0.0.1")
    photos = archive(tmp_path / "photos", ["a"])
    job: Any = Job(Stub(tmp_path), "")  # type: ignore[arg-type]
    with pytest.raises(cluster.ClusterLost, match=r"a worker has .*, this is 0\.0\.1: install"):
        list(cluster.rows(job, numbered(photos), None, 1))


class Waiting:
    """A task of workers that go away twice before it is done; it is the client, too."""

    def __init__(self) -> None:
        self.threads = [{}, {}, {"tcp://10.0.0.7:4040": 1}, {}]

    def done(self) -> bool:
        return not self.threads

    def result(self, timeout: float | None = None) -> list[dict[str, Any]]:
        if self.threads:
            raise TimeoutError(f"timed out after {timeout} s.")
        return [{"photo": "a.jpg"}]

    def nthreads(self) -> dict[str, int]:
        return self.threads.pop(0)


def test_a_cluster_that_has_lost_its_workers_is_told_each_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    waiting: Any = Waiting()
    assert cluster._result(waiting, waiting) == [{"photo": "a.jpg"}]
    assert capsys.readouterr().err.count("the scheduler has no workers: start some") == 2


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_a_file_of_another_format_is_wrong_usage(tmp_path: Path) -> None:
    photo = PHOTOS / "easy_1.jpg"
    refused = run("batch", photo, "--board", "stones", "--out", tmp_path / "rows.csv")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "expected a .jsonl or .parquet file, got rows.csv" in refused.stderr


def test_lines_on_the_screen_have_the_score() -> None:
    photo = PHOTOS / "easy_1.jpg"
    result = run("batch", photo, "--board", "stones", "--score", "--workers", "1")
    assert "  (sure)\n    matching cards: 2, 7, 23\n1 read," in result.stdout


def test_a_described_board_is_scored_by_its_rules() -> None:
    """Only a board without rules of its own has no score; then a note says so."""
    table = {"name": "ours", "rows": 1, "cols": 2}
    rule = {"rule": "piece", "pieces": "sun", "points": 3}
    bare, ruled = (BoardSpec.from_table(one) for one in (table, table | {"score": [rule]}))
    readers: list[Any] = [SimpleNamespace(spec=spec) for spec in (bare, ruled)]
    assert [is_scored("ours.toml", reader) for reader in readers] == [False, True]
    assert [is_scored(board, readers[0]) for board in ("time", "seasons")] == [True, False]
    (player,) = scored("ours.toml", readers[1], "sun moon")["score"]["players"]
    assert player["total"] == 3
    photo = PHOTOS.parent / "cards" / "prints_1.jpg"
    told = run("batch", photo, "--board", "cards", "--score", "--workers", "1")
    assert "note: --score adds nothing: a board of cards alone has no score" in told.stderr


def test_an_archive_has_the_rows_that_read_gives(tmp_path: Path) -> None:
    names = [PHOTOS / "easy_1.jpg", PHOTOS / "medium_1.jpg"]
    out = tmp_path / "rows.jsonl"
    result = run("batch", *names, "--board", "stones", "--out", out, "--score", "--workers", "1")
    assert (result.exit_code, result.stdout.splitlines()[-1][:7]) == (0, "2 read,")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    read = [
        json.loads(line)
        for line in run("read", *names, "--board", "stones", "--json").stdout.splitlines()
    ]
    for row, document in zip(rows, read, strict=True):
        assert row.pop("sha256")
        assert row.pop("score")["matches"]
        del row["ms"], document["ms"]
        assert row == document


def test_workers_have_ended_before_an_error_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = []

    def rows(*_: Any) -> Iterator[dict[str, Any]]:
        try:
            yield {"photo": "a.jpg", "found": True, "ms": object()}  # no JSON
        finally:
            ended.append(True)

    monkeypatch.setattr("webapp.commands.batch._rows", rows)
    archive(tmp_path / "photos", ["a"])
    result = run("batch", tmp_path / "photos", "--board", "stones", "--out", tmp_path / "r.jsonl")
    assert (result.exit_code, ended) == (1, [True])


@needs_dask
def test_ctrl_c_is_left_to_the_process_that_started_the_workers() -> None:
    with cluster._client(None, 1) as client:
        (handled,) = client.run(signal.getsignal, signal.SIGINT).values()
    assert handled == signal.SIG_IGN


@needs_dask
def test_a_cluster_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 1)
    archive(tmp_path / "photos", ["a"])
    result = run(
        *("batch", tmp_path / "photos", "--board", "stones"),
        *("--scheduler", "tcp://127.0.0.1:9", "--json"),
    )
    assert result.exit_code == 1
    assert "no scheduler answers at tcp://127.0.0.1:9" in result.stderr


def test_no_two_overlays_have_one_name() -> None:
    photos = ["x/a.jpg", "y/a.jpg", "a-2.jpg", "z/a.jpg", "a-2.png"]
    names = [overlay for _, _, overlay in numbered(photos)]
    assert names[0] == "a.overlay.jpg"
    assert len({*names}) == len(photos)


@pytest.mark.parametrize("source", ["ovs", "./ovs/", "ovs/*/*.jpg", "s3://club/ovs"])
def test_a_photo_that_is_added_leaves_the_overlays_of_others(source: str) -> None:
    start = "s3://club/" if "://" in source else ""
    (before,) = numbered([f"{start}ovs/b/IMG.jpg"], [source])
    added, same = numbered([f"{start}ovs/a/IMG.jpg", f"{start}ovs/b/IMG.jpg"], [source])
    assert before[2] == same[2] == "b/IMG.overlay.jpg"
    assert added[2] == "a/IMG.overlay.jpg"


def test_overlays_stay_in_their_folder() -> None:
    for source, photo in (("*/../../x.jpg", "a/../../x.jpg"), ("x.jpg", "x.jpg")):
        ((_, _, overlay),) = numbered([photo], [source])
        assert overlay == "x.overlay.jpg"


@pytest.mark.parametrize("later", ["a.jpeg", "a.png", "a.JPG"])
def test_an_overlay_of_an_earlier_run_is_never_that_of_another_photo(later: str) -> None:
    (before,) = numbered(["ovs/a.jpg"], ["ovs"])
    names = dict(one[1:] for one in numbered([f"ovs/{later}", "ovs/a.jpg"], ["ovs"]))
    assert names == {"ovs/a.jpg": before[2], f"ovs/{later}": f"{later}.overlay.jpg"}


def test_a_folder_may_be_called_as_a_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "Abend [2024]"
    photos = archive(folder, ["a"])
    assert [one[2] for one in numbered(photos, [str(folder)])] == ["000.overlay.jpg"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_no_photo_is_left_out_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, other, shut = tmp_path / "box", tmp_path / "other", tmp_path / "box" / "shut"
    archive(box, ["a"])
    archive(other, ["b"])
    for folder in (shut, box / "folder.jpg"):
        folder.mkdir()
    (box / "gone.jpg").symlink_to(tmp_path / "nothing")
    (box / "linked").symlink_to(other)
    (box / "again").symlink_to(box)
    os.mkfifo(box / "pipe.jpg")
    scandir = os.scandir

    def without_rights(path: Any) -> Any:
        if str(path) == str(shut):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", without_rights)
    here = [str(box / "000.jpg"), str(box / "gone.jpg")]
    assert photos_of(str(box), False) == photos_of(str(box / "*"), False) == here
    below = [str(box / "linked" / "000.jpg"), str(shut)]
    assert photos_of(str(box), True) == here + below
    row = content_of(here[1])
    assert isinstance(row, dict)
    assert row["message"] == "The file cannot be opened: No such file or directory."


@pytest.mark.usefixtures("in_this_process")
def test_the_name_of_a_photo_steers_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "es\x1b[31mred.jpg").write_text("no photo")
    told = run("batch", tmp_path, "--board", "stones").stderr
    assert "es\\x1b[31mred.jpg: " in told
    assert "\x1b" not in told


@pytest.mark.usefixtures("in_this_process")
def test_a_photo_of_several_sources_has_one_row(tmp_path: Path) -> None:
    first, _ = archive(tmp_path, ["no photo", "neither"])
    (tmp_path / "c.heic").touch()
    told = run("batch", tmp_path, first, tmp_path / "*", "--board", "stones").stdout
    assert "2 refused" in told
    assert "1 not read (HEIC 1)" in told


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests have the processes that read."""
    monkeypatch.setattr(cluster, "is_installed", lambda: False)
    monkeypatch.setattr(pool, "rows", lambda job, tasks, _: (job.row(task) for task in tasks))


def rows_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_a_resumed_run_has_the_rows_of_one_that_was_not_ended(tmp_path: Path) -> None:
    """Photos that are there twice have two rows; one that was renamed has one."""
    photos = archive(tmp_path / "photos", ["a", "b", "a", "c"])
    out = tmp_path / "rows.jsonl"
    for most in (1, 9):
        results = Results(out, most > 1, photos)
        job: Any = Job(Stub(tmp_path), "", done=results.done())  # type: ignore[arg-type]
        with results.growing() as add:
            for row in filter(None, map(job.row, [*numbered(photos)][:most])):
                add(row)
    assert [(row["photo"], row["text"]) for row in rows_of(out)] == [
        *zip(photos, "abac", strict=True)
    ]
    Path(photos[3]).rename(tmp_path / "photos" / "new.jpg")
    photos = photos_of(str(tmp_path / "photos"), False)
    job = Job(Stub(tmp_path), "", done=Results(out, True, photos).done())  # type: ignore[arg-type]
    assert [*map(job.row, numbered(photos))] == [None] * 4


@pytest.mark.usefixtures("in_this_process")
def test_a_file_of_another_board_is_not_gone_on_with(tmp_path: Path) -> None:
    photo, out = PHOTOS / "easy_1.jpg", tmp_path / "rows.jsonl"
    rows: list[str | Path] = ["batch", photo, "--out", out]
    assert run(*rows, "--board", "stones").exit_code == 0
    before = out.read_bytes()
    result = run(*rows, "--board", "cards", "--resume")
    told = "has rows of board stones, but board cards is asked for now: name another file"
    assert (result.exit_code, told in result.stderr) == (1, True)
    assert out.read_bytes() == before


@pytest.mark.usefixtures("in_this_process")
def test_photos_whose_rows_lack_what_is_asked_are_read_again(tmp_path: Path) -> None:
    photo, out = PHOTOS / "easy_1.jpg", tmp_path / "rows.jsonl"
    rows: list[str | Path] = ["batch", photo, "--board", "stones", "--out", out, "--resume"]
    overlay = tmp_path / "seen" / "easy_1.overlay.jpg"
    told = [
        run(*rows, *more).stdout[:7]
        for more in ([], ["--score"], ["--overlay", overlay.parent], ["--score"])
    ]
    assert told == ["1 read,", "1 read,", "1 read,", "1 read,"]
    ((row,), had) = rows_of(out), run(*rows, "--score", "--overlay", overlay.parent)
    assert row["score"]["matches"]
    assert overlay.is_file()
    assert had.stdout.endswith("1 had a row\n")


@needs_dask
def test_a_scheduler_that_goes_away_is_not_taken_for_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed.comm import CommClosedError

    def lost(*_: Any) -> Iterator[dict[str, Any]]:
        yield {"photo": "a.jpg", "found": True}
        raise CommClosedError("in <TCP>: Stream is closed")

    monkeypatch.setattr(cluster, "_rows", lost)
    archive(tmp_path / "photos", ["a", "b"])
    out = tmp_path / "r.jsonl"
    result = run("batch", tmp_path / "photos", "--board", "stones", "--out", out, "--workers", "1")
    assert (result.exit_code, "the scheduler is gone; go on with" in result.stderr) == (1, True)
    assert [row["photo"] for row in rows_of(out)] == ["a.jpg"]

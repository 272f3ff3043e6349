"""The contract of the command line."""

import errno
import json
import os
import shlex
import socket
import subprocess
import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner, Result
from fakes import STATE, FakeReader

from calibration.files import make_folder
from calibration.profiles import ProfileInfo
from vision.boards import STONES
from vision.doubts import direction_doubt
from vision.errors import VisionError
from vision.find.corners import Corners
from vision.reading import Reading
from webapp import bundled
from webapp.__main__ import cli
from webapp.batch import cluster, pool
from webapp.commands.photos import split_lesson
from webapp.commands.system import listening_on, run_server
from webapp.store.engine import FILE

ROOT = Path(__file__).parents[3]


def run(*arguments: str | Path, **options: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], **options)


def lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, reader: FakeReader) -> list[tuple[Any, ...]]:
    """The fake reader in place of the real one; the calls that opened it."""
    calls: list[tuple[Any, ...]] = []

    def open_reader(*arguments: Any) -> FakeReader:
        calls.append(arguments)
        if arguments[1] == "nobody":
            raise VisionError("unknown_profile", "No profile 'nobody' was taught.")
        return reader

    monkeypatch.setattr("calibration.reader.open_reader", open_reader)
    return calls


@pytest.fixture
def photos(tmp_path: Path, photo: bytes, dark_photo: bytes) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "table.jpg").write_bytes(photo)
    (folder / "dark.jpg").write_bytes(dark_photo)
    (folder / "notes.txt").write_text("not a photo")
    return folder


def test_read_prints_one_json_line_a_photo(opened: list[Any], photos: Path) -> None:
    names = [photos / "table.jpg", photos / "dark.jpg", photos / "gone.jpg", photos / "notes.txt"]
    result = run("read", *names, "--board", "stones", "--json")
    assert result.exit_code == 0
    read, dark, gone, text = lines(result)
    assert read["photo"] == str(names[0])
    assert read["text"] == STATE
    assert read["found"] is True
    assert set(read) >= {"board", "sure", "cells", "outline", "problems", "profile", "model", "ms"}
    assert set(read["cells"][0]) == {
        "row",
        "col",
        "label",
        "confidence",
        "sure",
        "quad",
        "alternatives",
    }
    assert dark == {
        "photo": str(names[1]),
        "found": False,
        "reason": "too_dark",
        "message": "The photo is too dark: switch a lamp on and try again.",
    }
    assert (gone["found"], gone["reason"]) == (False, "no_file")
    assert (text["found"], text["reason"]) == (False, "not_an_image")
    assert len(opened) == 1


def test_read_exits_with_1_only_if_no_photo_was_read(opened: list[Any], photos: Path) -> None:
    assert run("read", photos / "dark.jpg", "--board", "stones", "--json").exit_code == 1
    assert (
        run("read", photos / "dark.jpg", photos / "table.jpg", "--board", "stones").exit_code == 0
    )


def test_a_folder_is_sent_to_batch_and_an_empty_name_is_told(
    opened: list[Any], photos: Path
) -> None:
    told = run("read", photos, "", "--board", "stones").stderr.splitlines()
    assert told == [
        f"{photos}: This is a folder: read it with `tallystone batch`.",
        ": The name is empty: give the path of a photo.",
    ]


def test_read_for_people_names_the_doubtful_cells(opened: list[Any], photos: Path) -> None:
    result = run("read", photos / "table.jpg", photos / "dark.jpg", "--board", "stones")
    assert STATE in result.stdout
    assert "please check row 2, column 1: tree 62%, or boat 30%, fish 5%" in result.stdout
    assert "too dark" in result.stderr


def test_read_for_people_asks_what_is_not_about_a_cell(
    opened: list[Any], photos: Path, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = reader.read

    def doubted(data: bytes, corners: Any = None) -> Reading:
        return replace(read(data, corners), doubts=(direction_doubt([(0, 0.8), (2, 0.2)]),))

    monkeypatch.setattr(reader, "read", doubted)
    result = run("read", photos / "table.jpg", "--board", "stones")
    question = "Which side of the board is up? as read 80%, or upside down 20%"
    assert f"\n  {question}\n" in result.stdout


def test_read_passes_board_profile_and_data_folder(
    opened: list[Any], photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("read", photos / "table.jpg", "--board", "stones", "--profile", "mine")
    run("read", photos / "table.jpg", "--board", "stones", "--data", tmp_path / "other")
    monkeypatch.delenv("TALLYSTONE_DATA")
    run("read", photos / "table.jpg", "--board", "stones")
    assert opened[0] == (STONES, "mine", tmp_path / "data", None)
    assert opened[1] == (STONES, None, tmp_path / "other", None)
    assert opened[2][2].name == "tallystone"


def test_an_unknown_profile_is_one_sentence(opened: list[Any], photos: Path) -> None:
    result = run("read", photos / "table.jpg", "--board", "stones", "--profile", "nobody", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: No profile 'nobody' was taught.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["read", "--board", "stones"],
        ["read", "a.jpg"],
        ["read", "a.jpg", "--board", "chess"],
        ["read", "a.jpg", "--board", "missing.toml"],
        ["read", "a.jpg", "--board", "stones", "--nonsense"],
        ["teach", "mine", "--board", "stones"],
        ["teach", "mine", "--board", "stones", "missing.jpg=sun"],
        ["teach", "mine", "--board", "stones", "no equals sign"],
        ["score", "missing.jsonl"],
        ["serve", "--port", "0"],
        ["batch", "missing", "--board", "stones"],
        ["bench", "read", "a.jpg"],
        ["bench", "read", "--board", "stones"],
        ["bench", "read", "--profile", "mine"],
        ["nonsense"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: " in result.stderr


@pytest.mark.parametrize(("corners", "notes"), [("photo", 1), ("0,0 9,0 9,9 0,9", 0)])
def test_a_doubtful_photo_that_need_not_be_filled_is_told(
    opened: list[Any], photos: Path, corners: str, notes: int
) -> None:
    told = run("read", photos / "table.jpg", "--board", "stones", "--corners", corners)
    assert told.exit_code == 0
    assert told.stderr.count("note: --corners photo takes the whole photo") == notes


@pytest.mark.parametrize("corners", ["", "1,2", "photograph", "1,2 3,4 5,6 x,y"])
def test_wrong_corners_exit_with_2(corners: str) -> None:
    assert run("read", "a.jpg", "--board", "stones", "--corners", corners).exit_code == 2


def test_overlays_are_named_after_their_photos(
    opened: list[Any], photos: Path, tmp_path: Path
) -> None:
    again = photos / "again"
    again.mkdir()
    (again / "table.jpg").write_bytes((photos / "table.jpg").read_bytes())
    overlays = tmp_path / "overlays"
    names = [photos / "table.jpg", again / "table.jpg", photos / "dark.jpg"]
    assert run("read", *names, "--board", "stones", "--overlay", overlays).exit_code == 0
    assert sorted(path.name for path in overlays.iterdir()) == [
        "table-2.overlay.jpg",
        "table.overlay.jpg",
    ]


def test_batch_reads_folders(
    opened: list[Any], photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process: ``test_batch`` has those that read."""
    monkeypatch.setattr(cluster, "is_installed", lambda: False)
    monkeypatch.setattr(pool, "rows", lambda job, tasks, _: (job.row(task) for task in tasks))
    for other in ("a.heic", "b.HEIC", "c.avif"):
        (photos / other).touch()
    result = run("batch", photos, "--board", "stones")
    assert result.exit_code == 0
    assert "1 read, 0 of them sure, 1 with questions, 1 refused (too_dark 1)" in result.stdout
    assert result.stdout.endswith(", 3 not read (AVIF 1, HEIC 2)\n")
    assert len(lines(run("batch", photos, "--board", "stones", "--json"))) == 2
    below = photos / "below"
    below.mkdir()
    (below / "TABLE.JPG").write_bytes((photos / "table.jpg").read_bytes())
    assert len(lines(run("batch", photos, "--board", "stones", "--recursive", "--json"))) == 3
    empty = tmp_path / "empty"
    empty.mkdir()
    result = run("batch", empty, "--board", "stones")
    assert (result.exit_code, result.stdout) == (1, "")


@pytest.mark.parametrize("name", ["a.jpg", "a=b.jpg", "sun=moon=1.jpg"])
def test_a_lesson_is_split_at_the_last_equals_sign_after_a_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"")
    assert split_lesson(f"{path}= sun moon / fish . ") == (path, "sun moon / fish .")
    with pytest.raises(click.BadParameter, match="layout"):
        split_lesson(f"{path}=")


@pytest.mark.parametrize(
    ("photo", "problem"),
    [("", "expected PHOTO=LAYOUT, got '=sun'"), (".", "is no file"), ("gone.jpg", "no such file")],
)
def test_what_is_no_file_teaches_nothing(photo: str, problem: str) -> None:
    with pytest.raises(click.BadParameter, match=problem):
        split_lesson(f"{photo}=sun")


def test_teach_hands_over_the_lessons(
    monkeypatch: pytest.MonkeyPatch, photos: Path, tmp_path: Path
) -> None:
    calls: list[tuple[Any, ...]] = []

    def teach(*arguments: Any) -> Any:
        calls.append(arguments)
        document = {"profile": "mine", "board": "stones", "labels": {"sun": 1}, "warnings": []}
        return types.SimpleNamespace(**document, former=None, to_document=lambda: document)

    fake = types.SimpleNamespace(teach=teach, Lesson=types.SimpleNamespace)
    monkeypatch.setitem(sys.modules, "calibration.teach", fake)  # type: ignore[arg-type]
    result = run(
        "teach", "mine", "--board", "stones", f"{photos / 'table.jpg'}=sun . / . .", "--json"
    )
    assert result.exit_code == 0
    assert lines(result) == [
        {"profile": "mine", "board": "stones", "labels": {"sun": 1}, "warnings": []}
    ]
    name, board, lessons, data_dir, corners = calls[0]
    assert (name, board, data_dir, corners) == ("mine", "stones", tmp_path / "data", None)
    assert (lessons[0].layout, lessons[0].photo) == (
        "sun . / . .",
        (photos / "table.jpg").read_bytes(),
    )


@pytest.mark.parametrize("folder", ["data", "my data"])
def test_the_note_on_a_former_profile_names_the_data_folder(
    monkeypatch: pytest.MonkeyPatch, photos: Path, tmp_path: Path, folder: str
) -> None:
    def teach(name: str, board: str, lessons: Any, data_dir: Path, corners: Any) -> Any:
        former = data_dir / "profiles" / "mine.stones.tallyprofile.before"
        return types.SimpleNamespace(
            profile=name, board=board, labels={}, warnings=[], former=former
        )

    fake = types.SimpleNamespace(teach=teach, Lesson=types.SimpleNamespace)
    monkeypatch.setitem(sys.modules, "calibration.teach", fake)  # type: ignore[arg-type]
    monkeypatch.delenv("TALLYSTONE_DATA", raising=False)
    lesson = f"{photos / 'table.jpg'}=sun . / . ."
    data_dir = tmp_path / folder
    named = ["--data", str(data_dir)] if " " in folder else []
    result = run("teach", "mine", "--board", "stones", lesson, *named)
    words = shlex.split(result.stderr.split("`")[1])
    assert words[:3] == ["tallystone", "profiles", "import"]
    assert words[4:] == ["--replace", *named]


@pytest.mark.parametrize("command", ["profiles", "doctor"])
def test_a_user_without_a_home_is_asked_to_name_a_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    def no_home(*_: Any, **__: Any) -> str:
        raise RuntimeError("could not determine the home directory for '~/.local/share'")

    monkeypatch.delenv("TALLYSTONE_DATA", raising=False)
    monkeypatch.setattr("platformdirs.user_data_dir", no_home)
    refused = run(command)
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert "name a data folder with --data or TALLYSTONE_DATA" in refused.stderr
    missing = run("profiles", "check", "mine", "--data", str(tmp_path))
    assert "no profile" in missing.stderr


def test_the_example_of_teach_can_be_copied(tmp_path: Path) -> None:
    _, _, example = run("teach", "--help").stdout.partition("tallystone teach mine ")
    words = shlex.split(example.partition("\n\n")[0].replace("\\\n", ""))
    for photo in ("first.jpg", "second.jpg"):
        (tmp_path / photo).touch()
    layouts = [split_lesson(f"{tmp_path}/{lesson}")[1] for lesson in words[2:]]
    assert words[:2] == ["--board", "stones"]
    assert [[len(row.split()) for row in text.split(" / ")] for text in layouts] == 2 * [[3, 3, 3]]
    assert "\n" not in "".join(layouts)


@pytest.mark.parametrize("command", ["teach", "learn"])
def test_only_boards_that_can_be_taught_are_offered(command: str, photos: Path) -> None:
    assert "--board stones|seasons|time|FILE.toml" in run(command, "--help").stdout
    refused = run(command, "mine", "--board", "cards", f"{photos / 'table.jpg'}=sun")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "pattern cards are no grid and are not taught" in refused.stderr


@pytest.fixture
def packaged(monkeypatch: pytest.MonkeyPatch, photos: Path) -> Path:
    """A folder in place of the bundled demo: a photo with its truth, a refused one, a sheet."""
    listing = [
        {"photo": "table.jpg", "board": "stones", "text": STATE},
        {"photo": "dark.jpg", "board": "stones", "text": STATE},
    ]
    (photos / "demo.json").write_text(json.dumps({"photos": listing}))
    (photos / "sheet.pdf").write_bytes(b"%PDF-1.7")
    monkeypatch.setattr(bundled, "_folder", lambda: photos)
    return photos


def test_demo_shows_states_matches_and_points(
    opened: list[Any], packaged: Path, tmp_path: Path
) -> None:
    result = run("demo", "--output", tmp_path / "out", env={"COLUMNS": "120"})
    assert result.exit_code == 0
    assert "all cells as they truly lie" in result.stdout
    assert "8 of 72 pattern cards match: 13 points in all" in result.stdout
    assert "switch a lamp on" in result.stdout
    assert "tallystone serve" in result.stdout
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["table.overlay.jpg"]


def test_demo_as_json(opened: list[Any], packaged: Path, tmp_path: Path) -> None:
    read, refused = lines(run("demo", "--output", tmp_path, "--json"))
    assert read["text"] == read["truth"]
    assert sum(card["points"] for card in read["matches"]) == 13
    assert refused["found"] is False


def test_print_writes_the_sheets(packaged: Path, tmp_path: Path) -> None:
    assert run("print", "--output", tmp_path / "sheets").exit_code == 0
    assert (tmp_path / "sheets" / "sheet.pdf").read_bytes() == b"%PDF-1.7"
    (packaged / "sheet.pdf").unlink()
    result = run("print", "--output", tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["demo", "--output"], "--output"),
        (["print", "--output"], "--output"),
        (["read", "table.jpg", "--board", "stones", "--overlay"], "--overlay"),
        (["backup", "--data"], "--data"),
        (["teach", "mine", "table.jpg=sun", "--board", "stones", "--data"], "--data"),
    ],
    ids=["demo", "print", "read", "backup", "teach"],
)
def test_who_may_not_write_to_a_folder_is_told_which_option_names_another(
    opened: list[Any],
    packaged: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    option: str,
) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.chdir(packaged)
    if "backup" in command:
        Path("locked/below").mkdir(parents=True)
        Path("locked/below", FILE).touch()
    monkeypatch.setattr("calibration.teach.teach", lambda *args: make_folder(args[3]))
    monkeypatch.setattr(Path, "mkdir", refuse)
    result = run(*command, "locked/below")
    assert result.exit_code == 1
    assert result.stderr.endswith(f": choose another folder with {option}\n")


def test_bench_times_the_photos_that_are_named(
    opened: list[Any], photos: Path, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed: list[Any] = []

    class Task(NamedTuple):
        name: str
        photo: bytes
        reader: Any
        corners: Any

    def run_bench(tasks: list[Task]) -> Iterator[dict[str, Any]]:
        timed.extend(tasks)
        yield from ({"photo": task.name, "ratio": 1.5} for task in tasks)

    module = types.SimpleNamespace(Task=Task, run=run_bench)
    monkeypatch.setitem(sys.modules, "calibration.bench", module)  # type: ignore[arg-type]
    table = photos / "table.jpg"
    result = run("bench", "read", table, "--board", "stones", "--corners", "photo", "--json")
    assert lines(result) == [{"photo": str(table), "ratio": 1.5}]
    assert opened[0][0] is STONES
    assert timed == [Task(str(table), table.read_bytes(), reader, Corners(None))]


def test_bench_says_that_it_reads_no_cards(photos: Path) -> None:
    result = run("bench", "read", photos / "table.jpg", "--board", "cards")
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: pattern cards are not timed: name another --board\n")


@pytest.mark.parametrize("others", [[], [{"photo": "b.jpg", "ratio": 1.5}]])
def test_bench_fails_only_if_no_photo_could_be_read(
    monkeypatch: pytest.MonkeyPatch, others: list[dict[str, Any]]
) -> None:
    none = {"photo": "a.jpg", "found": False, "reason": "no_board", "message": "No board."}
    module = types.SimpleNamespace(run=lambda: iter([none, *others]))
    monkeypatch.setitem(sys.modules, "calibration.bench", module)  # type: ignore[arg-type]
    result = run("bench", "read")
    assert result.exit_code == (0 if others else 1)
    assert result.stderr == "a.jpg: No board.\n"
    assert ("ratio 1.5" in result.stdout) == bool(others)


@pytest.mark.parametrize("command", ["replay", "score"])
def test_a_file_of_another_encoding_is_refused_with_a_sentence(
    command: str, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text('{"game": "stones"}', encoding="utf-16")
    result = run(command, file)
    assert result.exit_code == 1
    assert "expected text in UTF-8: save the file again in that encoding" in result.output


@pytest.mark.parametrize("name", ["http://x y", "", "http://[", "a:b", "münchen.example"])
def test_a_name_that_no_visitor_can_ask_for_is_refused(name: str, tmp_path: Path) -> None:
    refused = run("serve", "--name", name, "--data", tmp_path)
    assert refused.exit_code == 2
    assert "--name" in refused.stderr


def test_profiles_lists_what_was_taught(monkeypatch: pytest.MonkeyPatch) -> None:
    info = ProfileInfo("mine", "stones", ("sun", "moon"), 6, "2026-11-21")
    known: list[Any] = []
    monkeypatch.setattr("calibration.profiles.list_profiles", lambda _: known)
    assert "No taught profiles" in run("profiles").stdout
    assert run("profiles", "--json").stdout == ""
    known.append(info)
    assert "mine  stones  2 labels  taught 2026-11-21" in run("profiles").stdout
    known[:] = [replace(info, labels=("sun",))]
    assert "mine  stones  1 label  taught 2026-11-21" in run("profiles").stdout
    known[:] = [info]
    assert lines(run("profiles", "--json"))[0]["labels"] == ["sun", "moon"]


def test_cards_lists_the_deck() -> None:
    deck = lines(run("cards", "--json"))
    assert len(deck) == 72
    assert deck[0] == {"id": 1, "points": 1, "pattern": "bird horse"}
    assert len(run("cards").stdout.splitlines()) == 72


def test_cards_that_match_a_grid() -> None:
    matching = lines(run("cards", "--grid", "bi ho bo / se sun tr / se bi ho", "--json"))
    assert [card["id"] for card in matching] == [1, 5, 13, 20, 23, 39, 48]
    assert matching[0]["places"] == [[[0, 0], [0, 1]], [[2, 1], [2, 2]]]
    for grid, says in (("sun", "expected 3 rows"), ("bi ho bo / se sun tr / se bi .", "got '.'")):
        refused = run("cards", "--grid", grid, "--json")
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert says in refused.stderr


def test_score_answers_line_by_line() -> None:
    good = json.dumps({"game": "stones", "id": 7, "players": [{"name": "Änn", "cards": [50]}]})
    result = run("score", "--json", input=f"{good}\n\nnonsense\n{good}\n")
    assert result.exit_code == 1
    first, error, last = lines(result)
    assert first == last
    assert (first["id"], first["players"][0]["total"]) == (7, 2)
    assert set(error["error"]) >= {"code", "message", "where"}
    assert run("score", "-", "--json", input=good).exit_code == 0
    assert "Änn" in run("score", input=good).stdout


def test_score_reads_a_file_with_any_bytes(tmp_path: Path) -> None:
    path = tmp_path / "plays.jsonl"
    path.write_bytes(b"\xef\xbb\xbf{}\n\xff\xfe\n")
    for command in ("score", "moves", "audit"):
        result = run(command, path, "--json")
        assert result.exit_code == 1
        assert all("error" in answer for answer in lines(result))


def test_doctor_reports_every_check() -> None:
    checks = lines(run("doctor", "--json"))
    assert [check["check"] for check in checks] == [
        "python",
        "opencv",
        "onnxruntime",
        "models",
        "data",
        "key",
        "profiles",
        "network",
        "database",
    ]
    assert all(check["ok"] for check in checks if check["check"] != "models")


def test_doctor_leaves_nothing_behind(tmp_path: Path) -> None:
    """Not even onnxruntime's telemetry, which is off in CI anyway."""
    home = tmp_path / "home"
    home.mkdir()
    environ = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(home)}
    for name in ("CI", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        environ.pop(name, None)
    command = [sys.executable, "-m", "webapp", "doctor"]
    subprocess.run(command, env=environ, capture_output=True, cwd=tmp_path, check=True)
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_doctor_fails_for_a_data_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = run("doctor", "--data", tmp_path / "file" / "data", "--json")
    assert result.exit_code == 1
    assert {check["check"]: check["ok"] for check in lines(result)}["data"] is False


def test_serve_tells_that_the_port_is_taken(app: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(click.ClickException, match="cannot listen on") as refused:
            run_server(app, "127.0.0.1", taken.getsockname()[1])
    assert refused.value.message.endswith("or choose another port with --port")


@pytest.mark.parametrize(
    ("host", "network", "where", "advice"),
    [
        ("0.0.0.0", "127.0.0.2", "On a phone in the same network, open", "127.0.0.2"),
        ("0.0.0.0", None, "Only this computer can open", "connect this computer to a network"),
        ("127.0.0.1", "127.0.0.2", "Only this computer can open", "without --host 127.0.0.1"),
    ],
)
def test_serve_tells_who_can_open_it(
    app: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    host: str,
    network: str | None,
    where: str,
    advice: str,
) -> None:
    def served(_: Any, listening: list[Any], streams: int) -> types.SimpleNamespace:
        return types.SimpleNamespace(run=lambda: [one.close() for one, _ in listening])

    monkeypatch.setattr("webapp.serving.server.WebServer", served)
    monkeypatch.setattr("webapp.commands.common.lan_address", lambda: network)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    serving = Thread(target=run_server, args=(app, host, port))
    serving.start()
    serving.join()
    told = capsys.readouterr().out
    assert f"Tallystone is ready. {where}\n" in told
    assert advice in told


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="no IPv6")
def test_who_listens_on_all_addresses_of_ipv6_is_reached_by_ipv4() -> None:
    with listening_on("::", 0) as server:
        socket.create_connection(("127.0.0.1", server.getsockname()[1])).close()


def test_serve_tells_that_the_ports_of_its_processes_are_not_there(tmp_path: Path) -> None:
    pytest.importorskip("gunicorn")
    result = run("serve", "--processes", "4", "--port", "65534", "--data", tmp_path)
    assert result.exit_code == 2
    assert "takes the ports 65534 to 65538, but the last is 65535" in result.stderr


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys, contextlib, webapp.__main__ as m\n"
        "with contextlib.suppress(SystemExit): m.cli(['--help'])\n"
        "print(sorted({'cv2', 'numpy', 'onnxruntime', 'flask', 'rich', 'torch'} & "
        "set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Commands:" in done.stdout


@pytest.mark.parametrize(("probability", "said"), [(0.62, "62%"), (0.997, "99%"), (0.004, "0%")])
def test_what_somebody_is_asked_to_check_is_never_certain(
    opened: list[Any],
    photos: Path,
    reader: FakeReader,
    monkeypatch: pytest.MonkeyPatch,
    probability: float,
    said: str,
) -> None:
    read = reader.read

    def doubted(data: bytes, corners: Any = None) -> Reading:
        reading = read(data, corners)
        cells = [
            cell if cell.sure else replace(cell, confidence=probability) for cell in reading.cells
        ]
        return replace(reading, cells=tuple(cells))

    monkeypatch.setattr(reader, "read", doubted)
    result = run("read", photos / "table.jpg", "--board", "stones")
    assert f"please check row 2, column 1: tree {said}, or" in result.stdout

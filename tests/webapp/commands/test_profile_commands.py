"""Teaching, carrying and improving profiles from the command line."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result
from taught_copies import taught, with_meta

from calibration import selfcheck
from calibration.camera import Camera, save_camera
from vision.lens import Lens
from webapp.__main__ import cli

PHOTOS = Path(__file__).parents[3] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
LESSONS = [f"{PHOTOS / name}={layout}" for name, layout in TRUTH["teach"]]


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def command(*arguments: object) -> Result:
        return CliRunner().invoke(
            cli, [str(a) for a in arguments], env={"TALLYSTONE_DATA": str(tmp_path)}
        )

    return command


def test_a_profile_is_taught_added_to_carried_and_forgotten(run: Any, tmp_path: Path) -> None:
    first = run("teach", "mine", "--board", "stones", LESSONS[0], "--json")
    assert first.exit_code == 0, first.stderr
    document = json.loads(first.stdout)
    assert document["labels"]["horse"] == 3
    assert {face["label"] for face in document["faces"]} == {"sun", "fish", "horse", "seed"}
    assert any("not taught yet: moon" in warning for warning in document["warnings"])
    added = run("teach", "mine", "--board", "stones", LESSONS[1], "--add", "--json")
    assert len(json.loads(added.stdout)["labels"]) == 8
    assert "seen once" in run("profiles", "check", "mine").stdout
    file = tmp_path / "carried.tallyprofile"
    assert run("profiles", "export", "mine", "--output", file).exit_code == 0
    assert run("profiles", "export", "mine", "--output", os.devnull).stdout == ""
    taken = run("profiles", "export", "mine", "--output", file)
    assert (taken.exit_code, f"{file} is there already" in taken.stderr) == (1, True)
    folder = tmp_path / "stick" / "copies"
    assert run("profiles", "export", "mine", "--output", folder).exit_code == 0
    assert (folder / "mine.stones.tallyprofile").read_bytes() == file.read_bytes()
    assert run("profiles", "delete", "mine").exit_code == 0
    assert "No taught profiles" in run("profiles").stdout
    assert run("profiles", "import", file).exit_code == 0
    assert (tmp_path / "profiles" / "mine.stones.tallyprofile").read_bytes() == file.read_bytes()
    again = run("profiles", "import", file)
    assert (again.exit_code, "already" in again.stderr) == (1, True)
    assert run("profiles", "rename", "mine", "ours").exit_code == 0
    listed = json.loads(run("profiles", "--json").stdout)
    assert (listed["name"], listed["crops"]) == ("ours", 18)
    missing = run("profiles", "delete", "mine")
    assert (missing.exit_code, "no profile 'mine'" in missing.stderr) == (1, True)
    missing = run("profiles", "delete", "mine", "--board", "stones")
    assert missing.stderr == "Error: no profile 'mine' for stones; there is ours\n"


def test_a_wrong_layout_is_refused_in_one_sentence(run: Any) -> None:
    photo = PHOTOS / TRUTH["teach"][0][0]
    refused = run("teach", "mine", "--board", "stones", f"{photo}=sun fish / horse horse")
    assert refused.exit_code == 1
    assert "The photo shows 3 rows of 3, but the layout has 2 rows of 2" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_profile_learns_from_a_photo_that_was_doubtful(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("teach", "mine", "--board", "stones", *LESSONS).exit_code == 0
    photo = next(p for p in TRUTH["photos"] if p["tier"] == "medium")
    lesson = f"{PHOTOS / photo['photo']}={photo['text']}"
    wrong = run("learn", "mine", "--board", "stones", lesson, "gone.jpg=sun")
    assert "PHOTO=LAYOUT: gone.jpg: no such file" in wrong.stderr
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    monkeypatch.setattr(selfcheck, "ALIKE", 0.0)
    learnt = run("learn", "mine", "--board", "stones", lesson, "--json")
    document = json.loads(learnt.stdout)
    assert (document["learnt"], document["refused"]) == (3, [])
    assert "note: mine was taught before; `tallystone profiles import" in learnt.stderr
    assert "look alike in this light" in learnt.stderr
    kinds = run("profiles", "check", "mine", "--json")
    assert sum(json.loads(kinds.stdout)["labels"].values()) == 21


def test_several_photos_of_one_state_give_one_answer(run: Any) -> None:
    photo = PHOTOS / TRUTH["photos"][0]["photo"]
    answer = run("read", "--board", "stones", "--same", photo, photo, "--json")
    document = json.loads(answer.stdout)
    assert (document["photos"], document["left_out"]) == ([str(photo)] * 2, [])
    wrong = run("read", "--board", "stones", "--same", "--corners", "photo", photo)
    assert wrong.exit_code == 2


def test_what_is_no_photo_of_the_same_state_is_left_out(run: Any, tmp_path: Path) -> None:
    photo, text, nothing = PHOTOS / TRUTH["photos"][0]["photo"], tmp_path / "t.jpg", tmp_path / "n"
    text.write_text("hello")
    same = ("read", "--board", "stones", "--same", "--json")
    told = run(*same[:-1], text, photo, nothing).stderr.splitlines()
    assert [line.split(": ")[:2] for line in told] == [
        ["  not used", str(text)],
        ["  not used", str(nothing)],
    ]
    document = json.loads(run(*same, text, photo, nothing).stdout)
    assert (document["photo"], document["photos"]) == (str(photo), [str(photo)])
    assert [one for one, _ in document["left_out"]] == [str(text), str(nothing)]
    refused = json.loads(run(*same, text).stdout)
    assert (refused["photo"], refused["reason"]) == (str(text), "not_an_image")
    assert json.loads(run(*same, nothing).stdout)["reason"] == "no_file"


def test_where_no_photo_shows_the_state_each_is_refused(run: Any, tmp_path: Path) -> None:
    text, nothing, grey = (str(tmp_path / name) for name in ("text.jpg", "nothing.jpg", "grey.png"))
    Path(text).write_text("hello")
    cv2.imwrite(grey, np.full((1000, 1200, 3), 120, np.uint8))
    why = {text: "not_an_image", nothing: "no_file", grey: "blurred"}
    for photos in ([nothing, nothing], [text, text, nothing], [text, grey, nothing]):
        answer = run("read", "--board", "stones", "--same", "--json", *photos)
        refused = [json.loads(line) for line in answer.stdout.splitlines()]
        assert [(one["photo"], one["reason"]) for one in refused] == [(p, why[p]) for p in photos]


def test_a_photo_of_a_board_teaches_no_single_piece(run: Any) -> None:
    photo = PHOTOS / TRUTH["photos"][0]["photo"]
    refused = run("teach", "one", "--board", "stones", f"{photo}=moon")
    assert refused.exit_code == 1
    assert "shows 3 rows of 3, but the layout has 1 row of 1" in refused.stderr
    assert run("profiles").stdout.startswith("No taught profiles yet")


def test_labels_stand_in_one_column_however_long_they_are(run: Any) -> None:
    own = PHOTOS.parent / "own_games"
    layout = json.loads((own / "answers.json").read_text(encoding="utf-8"))["ribbons_lesson"]
    lesson = f"{own / 'ribbons_lesson.jpg'}={layout}"
    learnt = run("teach", "ours", "--board", own / "ribbons.toml", lesson).stdout
    assert len({line.index("1 crop") for line in learnt.splitlines() if "1 crop" in line}) == 1
    checked = run("profiles", "check", "ours").stdout
    assert len({line.index("1 crop") for line in checked.splitlines()}) == 1


def test_a_label_of_a_description_that_was_never_taught_is_told(run: Any, tmp_path: Path) -> None:
    own = PHOTOS.parent / "custom"
    lessons = json.loads((own / "answers.json").read_text(encoding="utf-8"))["teach"]
    toml = (own / "harbour.toml").read_text(encoding="utf-8")
    board, slip = tmp_path / "harbour.toml", tmp_path / "slip.toml"
    board.write_text(toml, encoding="utf-8")
    slip.write_text(toml.replace("moon = 2", "mon = 2"), encoding="utf-8")
    photos = [f"{own / name}={layout}" for name, layout in lessons]
    assert run("teach", "ours", "--board", board, *photos).exit_code == 0
    told = [
        run("read", "--board", one, "--profile", "ours", own / "game_1.jpg").stderr
        for one in (board, slip)
    ]
    assert told[0] == ""
    assert told[1].startswith("note: not taught yet: mon; ")
    assert "moon" in run("profiles", "check", "ours", "--board", board).stdout
    refused = run("profiles", "check", "ours", "--board", tmp_path / "gone.toml")
    assert "no profile 'ours' for" in refused.stderr


def test_a_name_that_is_empty_or_taken_is_refused(run: Any, tmp_path: Path) -> None:
    assert run("teach", "mine", "--board", "stones", *LESSONS).exit_code == 0
    file = tmp_path / "mine.tallyprofile"
    assert run("profiles", "export", "mine", "--output", file).exit_code == 0
    refused = run("profiles", "import", file, "--name", "", "--replace")
    assert refused.exit_code == 1
    taken = run("profiles", "import", file)
    assert taken.exit_code == 1
    assert "import it with --name under another, or with --replace" in taken.stderr


def test_an_export_that_fails_leaves_no_file(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("teach", "mine", "--board", "stones", *LESSONS).exit_code == 0
    file = tmp_path / "mine.tallyprofile"

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    before = set(tmp_path.iterdir())
    assert run("profiles", "export", "mine", "--output", file).exit_code == 1
    assert (file.exists(), set(tmp_path.iterdir())) == (False, before)


def test_cameras_are_listed_beside_a_damaged_one_and_a_missing_one_is_refused(
    run: Any, tmp_path: Path
) -> None:
    assert "No camera is calibrated yet" in run("camera").stdout
    save_camera(Camera("wide", Lens(0.75, -0.28, 0.06), 0.75, 0.5, 4, "2026-11-01"), tmp_path)
    (tmp_path / "cameras" / "torn.json").write_bytes(b"\xff")
    listed = run("camera")
    assert (listed.exit_code, listed.stdout.split()[0]) == (0, "wide")
    assert "the file of camera 'torn' is damaged" in listed.stderr
    for name, reason in (("foo", "no camera 'foo'; there is torn, wide"), ("torn", "is damaged")):
        refused = run("camera", "--name", name)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert reason in refused.stderr


def test_a_profile_of_an_older_version_is_listed_and_forgotten(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "profiles" / "ours.meadow.tallyprofile"
    file.parent.mkdir()
    file.write_bytes(with_meta(taught("cow"), lambda meta: meta.update(format=1)))
    older = "ours.meadow.tallyprofile: made by an older tallystone; teach it again"
    assert run("profiles").stdout == f"ours  meadow  {older}\n"
    listed = json.loads(run("profiles", "--json").stdout)
    assert listed == {"name": "ours", "board": "meadow", "problem": older}
    photo = PHOTOS / TRUTH["photos"][0]["photo"]
    for refused in (
        run("profiles", "check", "ours"),
        run("read", "--board", "auto", "--profile", "ours", photo),
    ):
        assert (refused.exit_code, refused.stderr) == (1, f"Error: {older}\n")
    assert f"FAIL profiles     {older}" in run("doctor").stdout
    assert run("profiles", "delete", "ours").exit_code == 0
    assert not file.exists()


def test_a_file_that_no_name_leads_to_is_listed_and_is_no_profile(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "profiles" / "ours.tallyprofile"
    file.parent.mkdir()
    file.write_bytes(b"junk")
    assert run("profiles").stdout.endswith("import or teach it again, or delete this file\n")
    refused = run("profiles", "delete", file.name)
    assert "no profile 'ours.tallyprofile': see `tallystone profiles`" in refused.stderr

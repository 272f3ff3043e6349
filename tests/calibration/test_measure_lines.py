"""What the measurements count: boards found and exact, and those that nobody can read. What stands
in for a part of the pipeline can be called as that part is."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

from calibration.measuring import generated
from calibration.measuring.ablations import PARTS, as_guessed
from calibration.measuring.boards import arguments, report
from vision.find import detect
from vision.photo import Photo


def outcome(found: bool, exact: bool, unreadable: bool) -> generated.Outcome:
    cells = (generated.CellOutcome(0.9, 0 if exact else 1, sure=False),) if found else ()
    return generated.Outcome(found, exact, False, cells, "easy", unreadable)


def test_boards_that_nobody_can_read_are_counted_apart() -> None:
    boards = [outcome(True, True, False), outcome(True, False, False), outcome(False, False, True)]
    lines = {line.split()[0]: line for line in report(boards).splitlines()}
    assert "boards     3  found  66.7%  exact  33.3%" in lines["all"]
    assert "boards     2  found 100.0%  exact  50.0%" in lines["clear"]


def test_second_guesses_on_clear_boards_are_counted_apart() -> None:
    unreadable = generated.Outcome(
        True, False, False, (generated.CellOutcome(0.9, -1, sure=False),), "easy", True
    )
    told = report([outcome(True, False, False), unreadable])
    assert "wrong cells 2  right answer among the first two alternatives 50.0%" in told
    apart = "clear boards: wrong cells 1  right answer among the first two alternatives 100.0%"
    assert apart in told


def test_cells_of_grids_in_the_wrong_shape_are_told_apart() -> None:
    second = generated.CellOutcome(0.6, 1, sure=False)
    no_place = generated.CellOutcome(0.99, -1, sure=False)
    right = generated.CellOutcome(0.9, 0, sure=False)
    boards = [
        generated.Outcome(True, False, False, (right, second), "easy"),
        generated.Outcome(True, False, False, (no_place, no_place), "easy"),
    ]
    lines = report(boards).splitlines()
    assert "wrong cells 3  right answer among the first two alternatives 33.3%" in lines
    told = next(line for line in lines if line.startswith("grids of the right shape"))
    assert told.endswith("wrong cells 1  right answer among the first two alternatives 100.0%")
    assert not any("right shape" in line for line in report(boards[:1]).splitlines())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--board time --default", "--default is for stones"),
        ("--printed", "--printed goes with --default"),
        ("--photos 2 --planted", "--planted is for one photo of each state"),
        ("--pictures .", "argument --pictures: there is no picture "),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bank.npz").touch()
    monkeypatch.setattr(sys, "argv", ["boards", "bank.npz", *options.split()])
    with pytest.raises(SystemExit):
        arguments()
    assert told in capsys.readouterr().err


def test_where_all_boards_are_clear_nothing_is_counted_apart() -> None:
    assert "clear" not in report([outcome(True, True, False)])


def test_a_piece_is_burnt_out_where_the_photo_is_white() -> None:
    photo = np.full((100, 100, 3), 90, np.uint8)
    photo[20:80, 20:50] = 255
    photo[20:80, 50:80, :2] = 255  # yellow is not white
    quad = np.array([[20, 20], [80, 20], [80, 80], [20, 80]], np.float32)
    assert generated.white_share(generated.flattened(photo, quad, (60, 60))) == pytest.approx(
        0.5, abs=0.03
    )


def test_a_piece_that_is_covered_by_more_than_a_half_cannot_be_read() -> None:
    quad = np.array([[20, 20], [80, 20], [80, 80], [20, 80]], np.float32)
    photo = Photo(np.full((100, 100, 3), 90, np.uint8), (100, 100), 1.0, "jpeg")

    def unreadable(least_in_sight: float) -> bool:
        return generated.Shot(photo, {}, "easy", {(0, 0): quad}, least_in_sight).unreadable

    assert unreadable(0.45)
    assert not unreadable(0.55)


def test_what_stands_in_for_refinement_is_called_like_it() -> None:
    assert (
        inspect.signature(as_guessed).parameters.keys()
        == inspect.signature(detect.refine_quads).parameters.keys()
    )


@pytest.mark.parametrize("part", PARTS)
def test_every_part_that_is_taken_out_is_there_to_be_taken_out(part: str) -> None:
    for change in PARTS[part]():
        with change:
            pass

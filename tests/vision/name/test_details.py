"""Fine detail: what tells faces that differ by a small mark, in whatever light they lie."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_grids import located

from vision.boards import SEASONS_BOARD, STONES, BoardSpec
from vision.evidence import Evidence, Interpretation, Look
from vision.geometry import Floats, Images
from vision.kinds.seasons import SeasonBoard
from vision.name.details import (
    TaughtDetails,
    pictured,
    templates_of,
    told_by_details,
)
from vision.name.look import look_at
from vision.probability import Doubles
from vision.profile import Profile

EITHER = np.log(0.5)


def face(mark: str) -> Images:
    """A picture (64, 64, 3) with a small letter on it."""
    picture = np.full((64, 64, 3), (90, 140, 60), np.uint8)
    cv2.circle(picture, (22, 24), 12, (200, 180, 40), -1)
    cv2.putText(picture, mark, (36, 52), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (240, 240, 240), 2)
    return picture


def in_haze(crop: Images) -> Images:
    """The picture in dull red light, brighter at one side, and shifted by two pixels."""
    lit = crop * np.linspace(0.3, 0.5, 64)[None, :, None] * (1.0, 0.8, 0.7) + 40
    return np.asarray(np.roll(lit, (2, -1), (0, 1)), np.uint8)


def unsure(labels: Sequence[str], cells: int, turn: int = 0) -> Look:
    """A look at cells, each of which shows any of the labels."""
    scores = np.full((4, cells, len(labels)), -60.0)
    scores[turn] = EITHER
    evidence = Evidence(scores, scores.astype(np.float32), np.ones((4, cells)))
    way = Interpretation(turn, np.exp(scores[turn]), 0.0)
    return Look(evidence, way, scores[turn].astype(np.float32), np.ones(cells), 1.0)


def taught(board: str, faces: dict[str, Images]) -> Profile:
    alike = {label: np.ones((1, 4, 2), np.float32) for label in faces}
    printed = SeasonBoard().is_printed
    details = {label: templates_of(found[None], printed(label)) for label, found in faces.items()}
    return Profile("own", board, alike, "test", details=details)


@pytest.mark.parametrize("turn", range(4))
def test_a_small_mark_is_told_in_any_light_from_any_side(turn: int) -> None:
    profile = taught("time", {letter: face(letter) for letter in "EF"})
    board = BoardSpec("own", (1, 4), (1, 4))
    crops = np.stack([np.rot90(in_haze(face(letter)), turn) for letter in "EFFE"])
    told = told_by_details(crops, unsure("EF", 4, turn), board, profile)
    assert np.abs(np.diff(told[turn], axis=1)).min() > 2
    assert told[turn].argmax(1).tolist() == [0, 1, 1, 0]
    np.testing.assert_allclose(np.exp(told[turn] + EITHER).sum(1), 1)  # as probable together
    assert not np.delete(told, turn, 0).any()  # nobody asked for other directions


def test_a_piece_that_may_lie_upside_down_is_compared_both_ways() -> None:
    profile = taught("time", {letter: face(letter) for letter in "EF"})
    crops = np.stack([np.rot90(face("E"), 2), face("F")])
    one_way = BoardSpec("own", (1, 4), (1, 4))
    either_way = replace(one_way, turns=2)
    told = told_by_details(crops, unsure("EF", 2), either_way, profile)
    assert told[0].argmax(1).tolist() == [0, 1]
    alone = told_by_details(crops, unsure("EF", 2), one_way, profile)
    assert np.ptp(told[0, 0]) > np.ptp(alone[0, 0])


def test_what_is_far_less_likely_or_has_no_picture_is_not_compared() -> None:
    profile = taught("time", {letter: face(letter) for letter in "EF"})
    bare = replace(profile, details={"E": profile.details["E"]})
    board, crops = BoardSpec("own", (1, 4), (1, 4)), face("E")[None]
    assert not told_by_details(crops, unsure("EF", 1), board, bare).any()
    seen = unsure("EF", 1)
    seen.evidence.scores[0, 0] = [0.0, -20.0]
    assert not told_by_details(crops, seen, board, profile).any()


@pytest.mark.parametrize("turn", range(4))
def test_pictures_confirm_a_name_or_speak_against_it(turn: int) -> None:
    labels = ("E", "F", "O")
    profile = taught("time", {letter: face(letter) for letter in labels})
    board = BoardSpec("own", (1, 4), (1, 4))
    crops = np.stack([np.rot90(in_haze(face(letter)), turn) for letter in "EF"])
    seen = unsure(labels, 2, turn)
    seen.way.probabilities[:] = [0.7, 0.2, 0.1]
    found = pictured(crops, seen, board, profile)
    assert found[0, 0] > 0.9 > found[0, 1] > 0  # an E
    assert found[1, 1] > 0.9 > found[1, 0] > 0  # an F that was named E
    assert not found[:, 2].any()  # only the two likeliest are asked for


def test_no_picture_speaks_of_a_bare_cell() -> None:
    profile = taught("seasons", {"spring": face("s"), ".": face("b")})
    profile = replace(
        profile,
        details=TaughtDetails(SEASONS_BOARD, [*profile.prototypes], lambda _: face("s")[None]),
    )
    seen = unsure(("spring", "."), 1)
    seen.way.probabilities[:] = [0.3, 0.7]
    assert not pictured(face("b")[None], seen, SEASONS_BOARD, profile).any()


def test_pictures_are_decoded_when_they_are_asked_for() -> None:
    asked: list[str] = []

    def crops_of(label: str) -> Images:
        asked.append(label)
        return face(label)[None]

    details = TaughtDetails(BoardSpec("own", (1, 4), (1, 4)), ["E", ".", "F"], crops_of)
    assert [*details] == ["E", "F"]
    assert len(details) == 2
    assert not asked
    np.testing.assert_array_equal(details["F"], templates_of(face("F")[None], False))
    assert details["F"] is details["F"]
    assert asked == ["F"]
    with pytest.raises(KeyError):
        details["."]


def digit(number: str, frame: bool = False) -> Images:
    cell = np.full((64, 64, 3), (150, 170, 120), np.uint8)
    cv2.putText(cell, number, (24, 42), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 90), 2)
    if frame:
        cv2.rectangle(cell, (3, 3), (60, 60), (120, 60, 20), 9)
    return cell


def test_digits_are_told_by_their_middle_whatever_frames_them() -> None:
    shown = {label: digit(label[0], label.endswith("!")) for label in ("1", "4!")}
    profile = SeasonBoard().completed(taught("seasons", {**shown, "spring": face("s")}))
    labels = profile.labels
    crops = np.stack([in_haze(digit("4")), in_haze(digit("1", frame=True))])
    told = told_by_details(crops, unsure(labels, 2), SEASONS_BOARD, profile)[0]
    one, four = labels.index("1"), labels.index("4")
    assert told[0, four] > told[0, one] + 2
    assert told[1, one] > told[1, four] + 2
    assert told[0, four] == told[0, labels.index("4!")]  # frames are told elsewhere
    assert not told[:, labels.index("spring")].any()  # a tile is not compared with numbers
    assert not told[:, labels.index("2")].any()  # nor what no lesson showed


def test_where_vectors_leave_a_doubt_detail_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    faces = {label: face(letter) for label, letter in zip(STONES.labels, "ABCDEFGH", strict=True)}
    laid = [label for label in STONES.labels if label != "sun"] + ["horse", "seed"]
    crops = np.stack([in_haze(faces[label]) for label in laid])

    class Shown:
        """A photo whose crops are given."""

        def crops(self, quads: object, side: int) -> Images:
            return crops

    def nothing_told(*args: object) -> Evidence:
        scores = np.zeros((4, 9, 8))
        return Evidence(scores, scores.astype(np.float32), np.ones((4, 9)))

    monkeypatch.setattr("vision.name.look.cell_evidence", nothing_told)
    monkeypatch.setattr("vision.name.look.vectors_at", lambda pyramid, quads: np.zeros((9, 2)))
    profile = taught("stones", faces)

    def named(profile: Profile) -> Doubles:
        seen = look_at(Shown(), located(3, 3), STONES, profile, (0,), None)  # type: ignore[arg-type]
        return seen.way.probabilities

    assert [STONES.labels[k] for k in named(profile).argmax(1)] == laid
    assert named(replace(profile, details={})).max() < 0.5

    def confirmed() -> Floats | None:
        seen = look_at(Shown(), located(3, 3), STONES, profile, (0,), None)  # type: ignore[arg-type]
        return seen.evidence.pictured

    found = confirmed()
    assert found is not None
    assert [STONES.labels[k] for k in found.argmax(1)] == laid
    monkeypatch.setattr("vision.evidence.DECIDED", 0.5)
    assert confirmed() is None  # nothing is left to confirm

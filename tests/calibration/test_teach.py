"""Two lesson photos make a stranger's set readable."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from calibration import corrections
from calibration.boards import open_board
from calibration.corrections import (
    MOST_CELLS,
    NO_OUTLINE,
    Correction,
    learn_corrections,
    learn_from_states,
    wrong_cells,
)
from calibration.lessons import Lesson, LessonRejected, parse_layout
from calibration.profiles import load_taught, profile_path
from calibration.reader import open_reader
from calibration.selfcheck import FaceCheck, warnings_of
from calibration.taught import ProfileError
from calibration.teach import add_lessons, learn, teach
from scorer.custom.board import BoardSpecError
from vision.boards import SEASONS_BOARD, STONES, TIME, BoardSpec
from vision.errors import PhotoRejected
from vision.find.corners import Corners
from vision.geometry import sides

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
CUSTOM = PHOTOS.parent / "custom"
HARBOUR = BoardSpec.from_toml((CUSTOM / "harbour.toml").read_text(encoding="utf-8"))
HARBOUR_LESSON = cv2.imread(str(CUSTOM / "lesson_1.jpg"))
HARBOUR_GAME = cv2.imread(str(CUSTOM / "game_1.jpg"))
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
LESSONS = [Lesson((PHOTOS / name).read_bytes(), layout, name) for name, layout in TRUTH["teach"]]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    report = teach("ours", "stones", LESSONS, data)
    assert report.labels == {
        "sun": 1, "fish": 2, "horse": 3, "seed": 3, "moon": 1, "bird": 2, "boat": 3, "tree": 3,
    }  # fmt: skip
    return data


@pytest.mark.parametrize(
    "photo", [p for p in TRUTH["photos"] if p["tier"] == "easy"], ids=lambda p: p["photo"]
)
def test_a_taught_set_is_read_exactly(photo: dict[str, object], taught: Path) -> None:
    reading = open_reader(STONES, "ours", taught).read((PHOTOS / str(photo["photo"])).read_bytes())
    assert reading.text == photo["text"]
    true = np.array([photo["quads"][f"{c.row},{c.col}"] for c in reading.cells])  # type: ignore[index]
    found = np.array([c.quad_xy for c in reading.cells])
    errors = np.linalg.norm(found - true, axis=2).mean(1) / sides(true.astype(np.float32))
    assert float(errors.mean()) < 0.06


@pytest.mark.parametrize("photo", TRUTH["photos"], ids=lambda p: p["photo"])
def test_wrong_cells_are_few_and_flagged(photo: dict[str, object], taught: Path) -> None:
    reading = open_reader(STONES, "ours", taught).read((PHOTOS / str(photo["photo"])).read_bytes())
    true = [row.split() for row in str(photo["text"]).split(" / ")]
    wrong = [cell for cell in reading.cells if cell.label != true[cell.row][cell.col]]
    assert len(wrong) <= 2
    assert not any(cell.sure for cell in wrong)


@pytest.mark.parametrize("photo", TRUTH["photos"], ids=lambda p: p["photo"])
def test_no_reading_is_sure_and_wrong(photo: dict[str, object], taught: Path) -> None:
    data = (PHOTOS / str(photo["photo"])).read_bytes()
    for profile in ("ours", None):
        reading = open_reader(STONES, profile, taught).read(data)
        assert reading.text == photo["text"] or not reading.sure


def test_corners_given_by_hand_are_enough(taught: Path) -> None:
    photo = TRUTH["photos"][0]
    corners = Corners(tuple((float(x), float(y)) for x, y in photo["outline"]))
    reading = open_reader(STONES, "ours", taught).read(
        (PHOTOS / photo["photo"]).read_bytes(), corners
    )
    assert reading.text == photo["text"]


@pytest.mark.parametrize(
    ("points", "told"),
    [
        (((300, 300), (310, 300), (310, 310), (300, 310)), "pieces are too small in the photo"),
        (((300, 300), (305, 300), (305, 305), (300, 305)), "pieces are too small in the photo"),
        (((300, 300), (300, 900), (900, 900), (900, 300)), "four corners do not outline a board"),
        (((5e3, 300), (6e3, 300), (6e3, 900), (5e3, 900)), "corners lie outside the photo"),
    ],
)
def test_corners_that_outline_no_lesson_are_refused(
    points: tuple[tuple[float, float], ...], told: str
) -> None:
    with pytest.raises(LessonRejected, match=told):
        learn("ours", STONES, LESSONS[:1], Corners(points))


def test_a_lesson_whose_layout_has_another_size_is_refused(tmp_path: Path) -> None:
    lesson = Lesson(LESSONS[0].photo, " / ".join(["sun " * 6] * 6), "lesson.jpg")
    with pytest.raises(LessonRejected, match=r"lesson\.jpg"):
        teach("ours", "stones", [lesson], tmp_path)


@pytest.mark.parametrize(
    ("text", "spec", "rows"),
    [
        (
            "su mo fi / bi ho bo / se tr tr",
            STONES,
            [["sun", "moon", "fish"], ["bird", "horse", "boat"], ["seed", "tree", "tree"]],
        ),
        ("fall/spring .\n. wi", TIME, [["autumn", "."], [".", "winter"]]),
        ("sp* 1! su .", SEASONS_BOARD, [["spring*", "1!", "summer", "."]]),
    ],
)
def test_layouts_read_prefixes(text: str, spec: BoardSpec, rows: list[list[str]]) -> None:
    assert parse_layout(text, spec) == rows


@pytest.mark.parametrize("text", ["", "sun moon / fish", "sun moon dragon", "s s s", "sun . moon"])
def test_layouts_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(LessonRejected):
        parse_layout(text, STONES)


@pytest.mark.parametrize("word", ["a/b", "m" * 41, "a\u200d"])
def test_labels_that_no_game_takes_are_not_taught(word: str) -> None:
    with pytest.raises(LessonRejected, match="one word of at most 40 letters without a slash"):
        parse_layout(f"sun {word}", HARBOUR)


@pytest.mark.parametrize("layout", ["sun, moon", "sun moon,", "sun、 moon"])
def test_commas_between_labels_are_no_part_of_them(layout: str) -> None:
    with pytest.raises(LessonRejected, match=r"without commas, got '(sun|moon)[,、]'"):
        parse_layout(layout, HARBOUR)


def test_a_picture_that_is_joined_of_several_is_a_label() -> None:
    farmer = "\N{WOMAN}\u200d\N{EAR OF RICE}"
    assert parse_layout(f"{farmer} {'m' * 40}", HARBOUR) == [[farmer, "m" * 40]]


def test_pattern_cards_are_not_taught_but_the_stones_whose_pictures_they_print() -> None:
    with pytest.raises(BoardSpecError, match="teach the stones"):
        open_board("cards")


def turned(data: bytes, quarters: int) -> bytes:
    """The photo as if taken from another side of the table."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    return bytes(cv2.imencode(".jpg", np.rot90(image, quarters))[1])


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_lesson_taken_from_another_side_is_turned(quarters: int, tmp_path: Path) -> None:
    lessons = [Lesson(turned(each.photo, quarters), each.layout, each.source) for each in LESSONS]
    report = teach("turned", "stones", lessons, tmp_path)
    assert sum("turned upright" in warning for warning in report.warnings) == 2
    photo = TRUTH["photos"][0]
    reading = open_reader(STONES, "turned", tmp_path).read((PHOTOS / photo["photo"]).read_bytes())
    assert reading.text == photo["text"]


@pytest.mark.parametrize(
    ("layout", "code"),
    [
        (
            "horse sun seed / fish horse seed / seed fish horse",
            "wrong_layout",
        ),  # nothing in its place
        (
            "fish fish sun / horse horse horse / seed seed seed",
            "wrong_layout",
        ),  # the first row mirrored
        (
            "sun fish fish horse / horse horse seed seed / sun fish fish horse",
            "wrong_layout",
        ),  # another size
        ("sun fish / horse horse", "wrong_layout"),  # a part only
    ],
)
def test_a_layout_that_the_photo_does_not_show_is_refused(
    layout: str, code: str, tmp_path: Path
) -> None:
    with pytest.raises(LessonRejected, match=r"first\.jpg") as caught:
        teach("ours", "stones", [Lesson(LESSONS[0].photo, layout, "first.jpg")], tmp_path)
    assert caught.value.code == code
    assert not (tmp_path / "profiles").exists()


def shown_in(image: np.ndarray, layout: str) -> Lesson:
    return Lesson(bytes(cv2.imencode(".jpg", image)[1]), layout, "lesson.jpg")


@pytest.mark.parametrize(
    ("image", "layout", "says"),
    [
        (
            HARBOUR_LESSON,
            "sun moon fish seed / bird boat tree horse",
            "2 rows of 3, but .* 2 rows of 4",
        ),
        (
            HARBOUR_LESSON,
            "sun moon fish / bird boat tree / a b c",
            "2 rows of 3, but .* 3 rows of 3",
        ),
        (
            HARBOUR_GAME,
            "fish seed boat sun / fish boat horse bird / whale tree moon moon",
            r"no piece where the layout has 'seed' \(row 1, column 2\)",
        ),
    ],
    ids=["a column", "a row", "gaps"],
)
def test_bare_table_is_not_learnt(image: np.ndarray, layout: str, says: str) -> None:
    with pytest.raises(LessonRejected, match=says) as caught:
        learn("ours", HARBOUR, [shown_in(image, layout)])
    assert caught.value.code == "wrong_layout"


@pytest.mark.parametrize(
    ("image", "layout"),
    [
        (HARBOUR_LESSON, "sun moon / fish bird / boat tree"),
        (np.rot90(HARBOUR_LESSON, 1), "sun moon fish / bird boat tree"),
        (np.rot90(HARBOUR_LESSON, -1), "sun moon fish / bird boat tree"),
    ],
    ids=["layout across", "from the left", "from the right"],
)
def test_a_layout_that_lies_across_is_refused_if_no_equal_pieces_tell_the_side(
    image: np.ndarray, layout: str
) -> None:
    with pytest.raises(LessonRejected, match="write it down as it lies in the photo"):
        learn("ours", HARBOUR, [shown_in(image, layout)])


def test_a_layout_that_the_board_has_only_turned_is_doubted() -> None:
    image, layout = np.rot90(HARBOUR_LESSON, 1), "fish tree / moon boat / sun bird"
    low = replace(HARBOUR, rows=(2, 2))
    for spec, doubts in ((low, 1), (HARBOUR, 0), (replace(low, turns=4), 0)):
        _, sentences = learn("ours", spec, [shown_in(image, layout)])
        assert sum("3 rows of 2, which this board has only" in one for one in sentences) == doubts


def test_a_whole_board_is_not_one_piece() -> None:
    photo = cv2.imdecode(np.frombuffer(LESSONS[0].photo, np.uint8), cv2.IMREAD_COLOR)
    side = min(photo.shape[:2])
    top, left = ((np.array(photo.shape[:2]) - side) // 2).tolist()
    square = photo[top : top + side, left : left + side]
    with pytest.raises(LessonRejected, match="3 rows of 3, but the layout has 1 row of 1"):
        learn("ours", STONES, [shown_in(square, "sun")])


def test_the_same_photo_cannot_show_two_layouts(tmp_path: Path) -> None:
    second = Lesson(LESSONS[0].photo, LESSONS[1].layout, "second.jpg")
    with pytest.raises(
        LessonRejected, match=r"second\.jpg: Most pieces contradict.*lesson_a\.jpg"
    ) as caught:
        teach("ours", "stones", [LESSONS[0], second], tmp_path)
    assert caught.value.code == "wrong_photo"


def test_the_same_photo_is_not_taught_twice(taught: Path, tmp_path: Path) -> None:
    again = replace(LESSONS[0], source="copy.jpg")
    same = r"copy\.jpg: It is the same photo as the earlier lesson_a\.jpg: take another one"
    with pytest.raises(LessonRejected, match=same):
        teach("ours", "stones", [*LESSONS, again], tmp_path)
    with pytest.raises(LessonRejected, match=same):
        add_lessons("ours", "stones", [again], taught)


def test_the_other_faces_of_the_published_stones_are_noticed(tmp_path: Path) -> None:
    """Both lessons have the same shape, so only the pictures tell one from the other."""
    lesson = Lesson(LESSONS[1].photo, LESSONS[0].layout, "first.jpg")
    with pytest.raises(
        LessonRejected, match=r"first\.jpg: The photo shows moon bird bird"
    ) as caught:
        teach("ours", "stones", [lesson], tmp_path)
    assert caught.value.code == "wrong_photo"


def test_a_lesson_in_glare_is_asked_for_again(taught: Path, tmp_path: Path) -> None:
    """A face that the lamp burnt out is learnt as a white square."""
    lesson = LESSONS[0]
    image = cv2.imdecode(np.frombuffer(lesson.photo, np.uint8), cv2.IMREAD_COLOR)
    reading = open_reader(STONES, "ours", taught).read(lesson.photo)
    lamp = np.zeros(image.shape[:2], np.float32)
    quad = next(cell.quad_xy for cell in reading.cells if (cell.row, cell.col) == (1, 2))
    cv2.fillConvexPoly(lamp, quad.round().astype(np.int32), 1.0)
    burnt = np.clip(image + 255 * cv2.GaussianBlur(lamp, (0, 0), 9)[..., None] * 0.97, 0, 255)
    photo = bytes(cv2.imencode(".jpg", burnt.astype(np.uint8))[1])
    report = teach("ours", "stones", [Lesson(photo, lesson.layout, "/table/lamp.jpg")], tmp_path)
    asked = [warning for warning in report.warnings if "glare" in warning]
    assert len(asked) == 1
    assert "row 2 column 3" in asked[0]
    assert "take lamp.jpg again" in asked[0]
    clear = teach("ours", "stones", [lesson], tmp_path)
    assert not any("again" in warning for warning in clear.warnings)


@pytest.mark.parametrize(("grey", "says"), [(120, "blurred"), (8, "too dark")])
def test_a_photo_without_a_board_teaches_nothing(grey: int, says: str, tmp_path: Path) -> None:
    photo = bytes(cv2.imencode(".jpg", np.full((600, 800, 3), grey, np.uint8))[1])
    with pytest.raises(LessonRejected, match=rf"table\.jpg.*{says}"):
        teach("ours", "stones", [Lesson(photo, LESSONS[0].layout, "table.jpg")], tmp_path)


def test_faces_that_look_alike_are_named(tmp_path: Path) -> None:
    photo = cv2.imdecode(np.frombuffer(LESSONS[0].photo, np.uint8), cv2.IMREAD_COLOR)
    quads = TRUTH["photos"][0]  # any picture of a stone will do: the same one is given two names
    whole = cv2.imread(str(PHOTOS / quads["photo"]))
    corners = np.array(quads["quads"]["0,0"], np.float32)
    target = np.array([[0, 0], [200, 0], [200, 200], [0, 200]], np.float32)
    one = cv2.warpPerspective(whole, cv2.getPerspectiveTransform(corners, target), (200, 200))
    crop = bytes(cv2.imencode(".png", one)[1])
    assert photo is not None
    report = teach(
        "alike",
        "stones",
        [Lesson(crop, "fish", "fish.png"), Lesson(crop, "bird", "bird.png")],
        tmp_path,
        Corners(None),
    )
    assert any(
        w.startswith("fish and bird look alike") and "one more" in w for w in report.warnings
    )
    by_label = {face.label: face for face in report.faces}
    assert by_label["fish"].rival == "bird"
    assert by_label["fish"].own is None


def test_photos_can_be_added_later(taught: Path, tmp_path: Path) -> None:
    shutil.copytree(taught, tmp_path / "copy")
    photo = TRUTH["photos"][0]
    more = Lesson((PHOTOS / photo["photo"]).read_bytes(), photo["text"], "third.jpg")
    report = add_lessons("ours", "stones", [more], tmp_path / "copy")
    assert sum(report.labels.values()) == 27
    stored = load_taught("ours", "stones", tmp_path / "copy")
    assert [note.source for note in stored.lessons] == ["lesson_a.jpg", "lesson_b.jpg", "third.jpg"]
    assert stored.origins["sun"][0] == 0


def test_corrections_are_learnt(taught: Path, tmp_path: Path) -> None:
    shutil.copytree(taught, tmp_path / "copy")
    photo = TRUTH["photos"][0]
    data = (PHOTOS / photo["photo"]).read_bytes()
    label = photo["text"].split()[0]
    quad = np.array(photo["quads"]["0,0"], np.float32)
    learnt = learn_corrections(
        "ours", "stones", data, [Correction(quad, label)], "table.jpg", tmp_path / "copy"
    )
    assert (learnt.cells, learnt.refused) == (1, ())
    stored = load_taught("ours", "stones", tmp_path / "copy")
    assert (
        len(stored.profile.prototypes[label])
        == len(load_taught("ours", "stones", taught).profile.prototypes[label]) + 1
    )
    assert stored.lessons[-1].kind == "table"


def test_a_slip_of_the_finger_is_not_learnt(taught: Path, tmp_path: Path) -> None:
    shutil.copytree(taught, tmp_path / "copy")
    photo = TRUTH["photos"][0]
    data = (PHOTOS / photo["photo"]).read_bytes()
    label = photo["text"].split()[0]
    wrong = "tree" if label != "tree" else "sun"
    quad = np.array(photo["quads"]["0,0"], np.float32)
    learnt = learn_corrections(
        "ours", "stones", data, [Correction(quad, wrong)], "t.jpg", tmp_path / "copy"
    )
    assert learnt.cells == 0
    assert label in learnt.refused[0]
    with pytest.raises(ProfileError, match="bundled"):
        learn_corrections(
            "default", "stones", data, [Correction(quad, label)], "t.jpg", tmp_path / "copy"
        )


def test_what_cannot_be_learnt_is_said_of_the_first_cells(taught: Path) -> None:
    data = (PHOTOS / TRUTH["photos"][0]["photo"]).read_bytes()
    flat = np.zeros((4, 2), np.float32)
    many = [Correction(flat, "dragon"), Correction(flat, "."), Correction(NO_OUTLINE, "sun")]
    many += [Correction(flat, "sun")] * (MOST_CELLS - 2)
    learnt = learn_corrections("ours", "stones", data, many, "t.jpg", taught)
    assert learnt.cells == 0
    said = ["is not a face", "nothing lies", *["has no outline"] * (MOST_CELLS - 2)]
    said.append("only the first 12 of 13")
    assert all(one in told for one, told in zip(said, learnt.refused, strict=True))


def test_wrong_and_unsure_pieces_of_a_state_are_learnt() -> None:
    read = [("spring", True), ("summer", True), ("autumn", False), ("winter", True)]
    cells = [
        SimpleNamespace(row=at // 2, col=at % 2, label=label, sure=sure, quad_xy=at)
        for at, (label, sure) in enumerate(read)
    ]
    seen = SimpleNamespace(cells=cells, text="spring summer . / autumn winter .")
    reader = SimpleNamespace(spec=TIME, read=lambda *_: seen)
    assert wrong_cells(reader, Lesson(b"", ". su wi / au sp .", "x")) == [  # type: ignore[arg-type]
        Correction(0, "."),
        Correction(NO_OUTLINE, "winter"),
        Correction(2, "autumn"),
        Correction(3, "spring"),
    ]


def test_a_state_that_is_not_the_photos_is_not_learnt(taught: Path) -> None:
    data = (PHOTOS / TRUTH["photos"][0]["photo"]).read_bytes()
    other = Lesson(data, "tree tree tree / boat boat boat / bird bird moon", "x")
    with pytest.raises(LessonRejected, match="half"):
        wrong_cells(open_reader(STONES, "ours", taught), other)


def test_photos_are_learnt_together_or_not_at_all(
    taught: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(taught, copy)
    file = profile_path("ours", "stones", copy)
    before = file.read_bytes()
    photo = TRUTH["photos"][0]
    wrong = [Correction(np.array(photo["quads"]["0,0"], np.float32), photo["text"].split()[0])]
    monkeypatch.setattr(corrections, "wrong_cells", lambda *_: wrong)
    lesson = Lesson((PHOTOS / photo["photo"]).read_bytes(), photo["text"], "table.jpg")
    with pytest.raises(PhotoRejected):
        learn_from_states("ours", "stones", [lesson, replace(lesson, photo=b"")], copy)
    assert file.read_bytes() == before
    (learnt,), report = learn_from_states("ours", "stones", [lesson], copy)
    assert report is not None
    assert report.former is not None
    assert (learnt.cells, sum(report.labels.values())) == (1, 19)
    assert report.former.read_bytes() == before
    monkeypatch.setattr(corrections, "wrong_cells", lambda *_: [])
    assert learn_from_states("ours", "stones", [lesson], copy)[1] is None
    assert report.former.read_bytes() == before


def test_pieces_that_only_the_description_names_are_not_taught_yet() -> None:
    spec = BoardSpec.from_table(
        {
            "name": "lands",
            "rows": 3,
            "cols": 3,
            "counts": {"lake": 3, "field+2": 2, "hill": 0},
            "score": [
                {"rule": "piece", "pieces": ["field", "lake", "mine+1"]},
                {"rule": "pattern", "pattern": "field . / . castle"},
            ],
        }
    )
    checks = [FaceCheck("field+2", 2, 0.9, None, -1)]
    (said,) = warnings_of(checks, spec)
    assert said.startswith("not taught yet: lake, mine+1, castle;")


def test_doubts_about_faces_are_told_in_words() -> None:
    checks = [
        FaceCheck("4", 2, 0.9, "4!", 0.97),
        FaceCheck("4!", 2, 0.9, "3", 0.95),
        FaceCheck("spring*", 2, 0.9, "spring", 0.97),
    ]
    said = [warning for warning in warnings_of(checks, SEASONS_BOARD) if "alike" in warning]
    assert said == [
        "precious spring and spring look alike in this light: take one more photo of them",
        "the framed number 4 and the number 3 look alike in this light: take one more photo of "
        "them",
    ]

"""Profiles survive being saved, sent and damaged."""

from collections import Counter
from dataclasses import replace
from errno import EACCES
from pathlib import Path

import numpy as np
import pytest

from calibration.profiles import (
    damaged_profiles,
    delete_profile,
    export_profile,
    import_profile,
    list_profiles,
    load_profile,
    load_taught,
    profile_path,
    rename_profile,
    save_anew,
    save_taught,
)
from calibration.reader import open_reader
from calibration.taught import (
    FORMAT,
    LessonNote,
    ProfileError,
    TaughtSet,
    embedding_version,
    noted,
    pack,
    strip_of,
    unpack,
)
from calibration.teach import _Crop, packed
from vision.boards import STONES, BoardSpec
from vision.name.details import templates_of
from vision.profile import Profile, mean_colours, turned_vectors


def some_set(name: str = "mine", model: str | None = None) -> TaughtSet:
    """A taught set of two labels with three crops each."""
    rng = np.random.default_rng(1)
    crops = {label: rng.integers(0, 256, (3, 64, 64, 3), np.uint8) for label in ("sun", "moon")}
    profile = Profile(
        name,
        "stones",
        {label: turned_vectors(found) for label, found in crops.items()},
        model or embedding_version(),
        {label: mean_colours(found) for label, found in crops.items()},
    )
    strips = {label: strip_of(found) for label, found in crops.items()}
    origins = dict.fromkeys(crops, (0, 0, 1))
    notes = (
        LessonNote("a.jpg", "2026-11-21T12:00:00+00:00"),
        LessonNote("b.jpg", "2026-11-21T12:01:00+00:00"),
    )
    return TaughtSet(profile, "2026-11-21T12:00:00+00:00", strips, origins, notes)


def test_a_profile_is_the_same_after_saving(tmp_path: Path) -> None:
    path = save_taught(some_set(), tmp_path)
    loaded = load_profile("mine", "stones", tmp_path)
    assert loaded.labels == ("sun", "moon")
    np.testing.assert_allclose(
        loaded.prototypes["sun"], some_set().profile.prototypes["sun"], atol=2e-3
    )
    data = path.read_bytes()
    assert pack(unpack(data, "copy")) == data


def test_a_copy_is_read_with_the_detail_of_its_pictures(tmp_path: Path) -> None:
    saved = some_set()
    save_taught(saved, tmp_path)
    details = load_profile("mine", "stones", tmp_path).details
    assert {*details} == {"sun", "moon"}
    np.testing.assert_array_equal(details["sun"], templates_of(saved.pictures("sun"), False))
    broken = replace(saved, strips={**saved.strips, "sun": b"no picture"})
    save_taught(broken, tmp_path)
    with pytest.raises(ProfileError, match="the pictures of 'sun' are damaged"):
        load_profile("mine", "stones", tmp_path)


def test_a_season_board_knows_which_lesson_shows_which_print(tmp_path: Path) -> None:
    crops = np.zeros((3, 64, 64, 3), np.uint8)
    taught = some_set()
    seasons = replace(
        taught,
        profile=replace(
            taught.profile,
            board="seasons",
            prototypes={".": taught.profile.prototypes["sun"]},
            colours={".": mean_colours(crops)},
        ),
        strips={".": strip_of(crops)},
        origins={".": (0, 1, 1)},
    )
    save_taught(seasons, tmp_path)
    assert load_profile("mine", "seasons", tmp_path).bare_lessons == (0, 1, 1)
    save_taught(taught, tmp_path)
    assert not load_profile("mine", "stones", tmp_path).bare_lessons  # nothing is printed


def test_what_lay_on_the_boards_of_lessons_is_kept_and_has_an_end(tmp_path: Path) -> None:
    def with_boards(count: int) -> TaughtSet:
        boards = ({"sun": 1, "moon": 2},) * count
        return replace(some_set(), profile=replace(some_set().profile, boards=boards))

    save_taught(with_boards(2), tmp_path)
    assert load_profile("mine", "stones", tmp_path).boards == ({"sun": 1, "moon": 2},) * 2
    with pytest.raises(ProfileError, match="far longer"):
        unpack(pack(with_boards(1001)), "copy")


def test_no_profile_takes_the_file_of_another(tmp_path: Path) -> None:
    def named(name: str, board: str) -> TaughtSet:
        taught = some_set()
        return replace(taught, profile=replace(taught.profile, name=name, board=board))

    path = save_taught(named("a", "b.c"), tmp_path)
    kept = path.read_bytes()
    with pytest.raises(ProfileError, match=r"would take the place of the profile 'a' for b\.c"):
        save_taught(named("a.b", "c"), tmp_path)
    with pytest.raises(ProfileError, match="would take the place of"):
        import_profile(pack(named("a.b", "c")), "file", tmp_path, None, "replace")
    assert path.read_bytes() == kept
    save_taught(named("a", "b.c"), tmp_path)
    save_taught(named("d.e", "c"), tmp_path)


def test_profiles_are_listed_by_name(tmp_path: Path) -> None:
    assert list_profiles(tmp_path) == []
    save_taught(some_set("second"), tmp_path)
    save_taught(some_set("first"), tmp_path)
    (tmp_path / "profiles" / "a.junk.stones.tallyprofile").write_bytes(b"junk")
    assert [(info.name, info.board, info.crops) for info in list_profiles(tmp_path)] == [
        ("first", "stones", 6),
        ("second", "stones", 6),
    ]
    (junk,) = damaged_profiles(tmp_path)
    assert (junk.name, junk.board) == ("a.junk", "stones")
    assert junk.problem.startswith("a.junk.stones.tallyprofile: not a tallystone profile")
    delete_profile(junk.name, junk.board, tmp_path)
    assert damaged_profiles(tmp_path) == []


@pytest.mark.parametrize(
    ("file", "name", "board"),
    [
        ("home.Dr. Who", "home", "Dr. Who"),
        ("home.0123456789abcdef", "home", "0123456789abcdef"),
        ("home", "home.tallyprofile", ""),
        (".home.stones", ".home.stones.tallyprofile", ""),
        ("Caf\udce9.stones", r"Caf\udce9.stones.tallyprofile", ""),
    ],
)
def test_a_damaged_profile_is_listed_by_the_name_that_deletes_it_if_there_is_one(
    file: str, name: str, board: str, tmp_path: Path
) -> None:
    path = tmp_path / "profiles" / f"{file}.tallyprofile"
    path.parent.mkdir()
    path.write_bytes(b"junk")
    (junk,) = damaged_profiles(tmp_path)
    assert (junk.name, junk.board) == (name, board)
    assert junk.problem.endswith(", or delete this file") is (board == "")
    if board:
        delete_profile(name, board, tmp_path)
        assert not path.exists()


def test_a_file_that_cannot_be_read_is_listed_as_damaged_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_root = save_taught(some_set("of root"), tmp_path)
    save_taught(some_set(), tmp_path)
    (tmp_path / "profiles" / "folder.stones.tallyprofile").mkdir()
    read = Path.read_bytes

    def refusing(path: Path) -> bytes:
        if path == of_root:
            raise PermissionError(EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refusing)
    assert [info.name for info in list_profiles(tmp_path)] == ["mine"]
    folder, locked = damaged_profiles(tmp_path)
    assert (folder.name, folder.board) == ("folder.stones.tallyprofile", "")
    assert folder.problem.endswith("cannot be read: Is a directory, or delete this file")
    assert (locked.name, locked.board) == ("of root", "stones")
    assert locked.problem == "of root.stones.tallyprofile: cannot be read: Permission denied"
    with pytest.raises(ProfileError, match="cannot be read: Permission denied"):
        load_taught("of root", "stones", tmp_path)
    monkeypatch.undo()
    assert [info.name for info in list_profiles(tmp_path)] == ["mine", "of root"]


@pytest.mark.parametrize(
    "name", ["", "../up", "a/b", "x" * 80, ".hidden", "nul\0", "CON", "com1.x"]
)
def test_names_that_are_no_file_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="letters"):
        load_profile(name or " ", "stones", tmp_path)


def test_a_missing_profile_names_those_there_are(tmp_path: Path) -> None:
    save_taught(some_set(), tmp_path)
    with pytest.raises(ProfileError, match="there is mine"):
        load_profile("other", "stones", tmp_path)


@pytest.mark.parametrize(("profile", "camera"), [("mine", None), (None, "wide")])
def test_what_was_taught_is_not_read_without_its_folder(
    profile: str | None, camera: str | None
) -> None:
    with pytest.raises(ProfileError, match="expected the data folder of the profile and camera"):
        open_reader(STONES, profile, None, camera)
    assert open_reader(STONES, "default", None).profile.published


def test_a_damaged_profile_is_refused(tmp_path: Path) -> None:
    path = save_taught(some_set(), tmp_path)
    data = path.read_bytes()
    for broken in (b"", data[:100], data[: len(data) // 2], b"PK\x03\x04" + b"\0" * 50):
        path.write_bytes(broken)
        with pytest.raises(ProfileError, match="damaged"):
            load_profile("mine", "stones", tmp_path)


def test_a_profile_file_put_under_another_board_is_refused(tmp_path: Path) -> None:
    path = save_taught(some_set(), tmp_path)
    path.rename(profile_path("mine", "time", tmp_path))
    with pytest.raises(ProfileError, match="taught for 'stones'"):
        load_profile("mine", "time", tmp_path)


def test_the_published_stones_need_no_lesson(tmp_path: Path) -> None:
    profile = load_profile(None, "stones", tmp_path)
    assert set(profile.labels) == {"sun", "moon", "fish", "bird", "horse", "boat", "seed", "tree"}


@pytest.mark.parametrize(("board", "named"), [("time", "time"), ("harvest", r"FILE\.toml")])
def test_without_a_bundled_profile_those_there_are_are_named(
    board: str, named: str, tmp_path: Path
) -> None:
    with pytest.raises(ProfileError, match=f"teach your copy first with .* --board {named}`"):
        load_profile(None, board, tmp_path)
    for name in ("my copy", "ours"):
        taught = some_set(name)
        save_taught(replace(taught, profile=replace(taught.profile, board=board)), tmp_path)
    with pytest.raises(ProfileError, match=r"read with `--profile 'my copy'` or `--profile ours`$"):
        load_profile(None, board, tmp_path)


def test_a_profile_survives_export_deletion_and_import_bit_for_bit(tmp_path: Path) -> None:
    path = save_taught(some_set(), tmp_path)
    before = path.read_bytes()
    carried = export_profile("mine", "stones", tmp_path)
    delete_profile("mine", "stones", tmp_path)
    assert list_profiles(tmp_path) == []
    info = import_profile(carried, "mine.stones.tallyprofile", tmp_path)
    assert (info.name, info.board, info.crops, info.lessons) == ("mine", "stones", 6, 2)
    assert path.read_bytes() == before == carried
    np.testing.assert_array_equal(unpack(carried, "x").pictures("sun"), some_set().pictures("sun"))


def test_an_import_does_not_replace_unless_asked(tmp_path: Path) -> None:
    save_taught(some_set(), tmp_path)
    data = pack(some_set())
    with pytest.raises(ProfileError, match="already"):
        import_profile(data, "file", tmp_path)
    former = tmp_path / "profiles" / "mine.stones.tallyprofile.before"
    assert import_profile(data, "file", tmp_path, if_taken="replace").name == "mine"
    assert not former.exists()  # nothing was replaced
    later = pack(replace(some_set(), created="2026-11-22T12:00:00+00:00"))
    assert import_profile(later, "file", tmp_path, if_taken="replace").name == "mine"
    assert former.read_bytes() == data
    assert import_profile(data, "file", tmp_path, name="second").name == "second"
    assert load_profile("second", "stones", tmp_path).name == "second"
    with pytest.raises(ProfileError, match="bundled"):
        import_profile(data, "file", tmp_path, name="default")


@pytest.mark.parametrize("harm", ["label", "pictures", "newer", "older", "junk"])
def test_an_import_is_checked(harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taught = some_set()
    if harm == "label":
        renamed = {"sun": "dragon", "moon": "moon"}
        profile = taught.profile
        taught = TaughtSet(
            Profile(
                "mine",
                "stones",
                {renamed[k]: v for k, v in profile.prototypes.items()},
                profile.model,
                {renamed[k]: v for k, v in profile.colours.items()},
            ),
            taught.created,
            {renamed[k]: v for k, v in taught.strips.items()},
            {renamed[k]: v for k, v in taught.origins.items()},
            taught.lessons,
        )
    if harm == "pictures":
        taught = TaughtSet(
            taught.profile,
            taught.created,
            {k: strip_of(np.zeros((2, 64, 64, 3), np.uint8)) for k in taught.strips},
            taught.origins,
            taught.lessons,
        )
    if harm in ("newer", "older"):
        monkeypatch.setattr("calibration.taught.FORMAT", FORMAT + (1 if harm == "newer" else -1))
    data = pack(taught)
    monkeypatch.undo()
    message = {
        "label": "dragon",
        "pictures": "damaged",
        "newer": "newer",
        "older": "older",
    }
    with pytest.raises(ProfileError, match=message.get(harm, "not a tallystone profile")):
        import_profile(data if harm != "junk" else b"PK\x03\x04 no zip", "file", tmp_path)
    assert list_profiles(tmp_path) == []


def labelled(label: str, empty: bool) -> TaughtSet:
    """A set of one face of a described board."""
    taught = some_set()
    crops = taught.pictures("sun")
    spec = BoardSpec("described", (1, 2), (1, 2), empty=empty)
    learnt = [_Crop(label, 0, crops[0], turned_vectors(crops[:1])[0])]
    return packed("mine", spec, learnt, [], taught.lessons)


@pytest.mark.parametrize("label", ["a/b", "/", ".", "m" * 41])
def test_an_import_with_a_label_that_no_game_takes_is_refused(label: str, tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot be a label"):
        import_profile(pack(labelled(label, empty=False)), "file", tmp_path)


@pytest.mark.parametrize("label", [".", "\N{WOMAN}\u200d\N{EAR OF RICE}"])
def test_what_can_be_taught_can_be_imported(label: str, tmp_path: Path) -> None:
    info = import_profile(pack(labelled(label, empty=True)), "file", tmp_path)
    assert info.labels == (label,)


def test_a_later_network_learns_the_same_pictures(tmp_path: Path) -> None:
    old = some_set(model="0-old")
    zeroed = {label: np.zeros_like(v) + 1 for label, v in old.profile.prototypes.items()}
    stale = TaughtSet(
        Profile("mine", "stones", zeroed, "0-old", old.profile.colours),
        old.created,
        old.strips,
        old.origins,
        old.lessons,
    )
    path = save_taught(stale, tmp_path)
    loaded = load_profile("mine", "stones", tmp_path)
    assert loaded.model == embedding_version()
    np.testing.assert_allclose(loaded.prototypes["sun"], old.profile.prototypes["sun"], atol=2e-3)
    assert unpack(path.read_bytes(), "x").profile.model == embedding_version()


def test_a_profile_can_be_renamed(tmp_path: Path) -> None:
    save_taught(some_set(), tmp_path)
    save_taught(some_set("taken"), tmp_path)
    with pytest.raises(ProfileError, match="already"):
        rename_profile("mine", "taken", "stones", tmp_path)
    rename_profile("mine", "ours", "stones", tmp_path)
    assert [info.name for info in list_profiles(tmp_path)] == ["ours", "taken"]
    assert load_profile("ours", "stones", tmp_path).name == "ours"


def test_what_could_not_be_read_again_does_not_replace_a_profile(tmp_path: Path) -> None:
    path = save_taught(some_set(), tmp_path)
    kept = path.read_bytes()
    many = tuple(LessonNote(f"{n}.jpg", "2026-11-21T12:00:00+00:00") for n in range(1001))
    former = save_anew(some_set(), tmp_path)
    assert former is not None
    former.write_bytes(b"former")
    for save in (save_taught, save_anew):
        with pytest.raises(ProfileError, match=r"mine\.stones\.tallyprofile: its list of lessons"):
            save(replace(some_set(), lessons=many), tmp_path)
    assert (path.read_bytes(), former.read_bytes()) == (kept, b"former")


def test_a_damaged_profile_is_not_kept_in_place_of_a_former_one(tmp_path: Path) -> None:
    path = save_taught(some_set(), tmp_path)
    former = save_anew(some_set(), tmp_path)
    assert former is not None
    kept = former.read_bytes()
    path.write_bytes(kept[:100])
    assert save_anew(some_set(), tmp_path) is None
    assert former.read_bytes() == kept == path.read_bytes()


def test_the_former_profile_is_renamed_and_deleted_with_the_new_one(tmp_path: Path) -> None:
    assert save_anew(some_set(), tmp_path) is None
    save_anew(some_set(), tmp_path)
    rename_profile("mine", "ours", "stones", tmp_path)
    files = {path.name: path for path in (tmp_path / "profiles").iterdir()}
    assert set(files) == {"ours.stones.tallyprofile", "ours.stones.tallyprofile.before"}
    data = files["ours.stones.tallyprofile.before"].read_bytes()
    assert import_profile(data, "x", tmp_path, if_taken="replace").name == "ours"
    delete_profile("ours", "stones", tmp_path)
    assert not list((tmp_path / "profiles").iterdir())


def test_the_set_of_many_lessons_and_faces_is_one_that_can_be_read(tmp_path: Path) -> None:
    taught, spec = some_set(), BoardSpec("many", (9, 9), (9, 9))
    crop, vectors = taught.pictures("sun")[0], taught.profile.prototypes["sun"][0]
    learnt = [
        _Crop(f"face{n % 42}", lesson, crop, vectors)
        for lesson, n in zip([0, *range(1, 1202), *[1201] * 1000], range(2202), strict=False)
    ]
    notes = [noted("x" * 210 + f"{n}.jpg") for n in range(1202)]
    save_taught(packed("mine", spec, learnt, [Counter(sun=1)] * 1202, notes), tmp_path)
    kept = load_taught("mine", "many", tmp_path)
    assert (len(kept.lessons), len(kept.profile.boards)) == (1000, 1000)
    assert {len(found) for found in kept.profile.prototypes.values()} == {2000 // 42}
    assert (min(map(min, kept.origins.values())), max(map(max, kept.origins.values()))) == (0, 999)

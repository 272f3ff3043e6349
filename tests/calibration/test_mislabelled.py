"""Profile files that contradict themselves, and profile files made to cost memory."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.lessons import Lesson, LessonRejected
from calibration.mislabelled import exchanged_stones
from calibration.profiles import import_profile
from calibration.taught import ProfileError, TaughtSet, pack, strip_of, unpack
from calibration.teach import learn
from vision.boards import STONES

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
GAME = TRUTH["photos"][0]


@pytest.fixture(scope="module")
def honest() -> TaughtSet:
    """Stones taught from two lessons and a photo of a game."""
    shown = [*TRUTH["teach"], [GAME["photo"], GAME["text"]]]
    lessons = [Lesson((PHOTOS / name).read_bytes(), layout, name) for name, layout in shown]
    taught, _ = learn("ours", STONES, lessons)
    return taught


def renamed(taught: TaughtSet, names: dict[str, str]) -> TaughtSet:
    """The set with its labels exchanged in all lessons."""

    def with_names(values: Any) -> Any:
        return {names.get(label, label): value for label, value in values.items()}

    profile = taught.profile
    profile = replace(
        profile,
        prototypes=with_names(profile.prototypes),
        colours=with_names(profile.colours),
        inks=with_names(profile.inks),
    )
    return replace(
        taught,
        profile=profile,
        strips=with_names(taught.strips),
        origins=with_names(taught.origins),
    )


def exchanged_in_the_game(taught: TaughtSet, one: str, other: str) -> TaughtSet:
    """The set with the crops of the last lesson under each other's names."""
    profile, last = taught.profile, len(taught.lessons) - 1
    moved = {one: other, other: one}
    kept: dict[str, list[Any]] = {label: [] for label in profile.labels}
    for label in profile.labels:
        for at, (picture, origin) in enumerate(
            zip(taught.pictures(label), taught.origins[label], strict=True)
        ):
            name = moved.get(label, label) if origin == last else label
            kept[name].append(
                (
                    picture,
                    origin,
                    profile.prototypes[label][at],
                    profile.colours[label][at],
                    profile.inks[label][at],
                )
            )
    parts = {label: list(zip(*found, strict=True)) for label, found in kept.items()}
    return replace(
        taught,
        profile=replace(
            profile,
            prototypes={label: np.stack(part[2]) for label, part in parts.items()},
            colours={label: np.stack(part[3]) for label, part in parts.items()},
            inks={label: np.stack(part[4]) for label, part in parts.items()},
        ),
        strips={label: strip_of(np.stack(part[0])) for label, part in parts.items()},
        origins={label: tuple(part[1]) for label, part in parts.items()},
    )


def test_an_honest_set_is_imported(honest: TaughtSet, tmp_path: Path) -> None:
    assert import_profile(pack(honest), "file", tmp_path).crops == 27


def test_faces_exchanged_in_one_lesson_are_found(honest: TaughtSet, tmp_path: Path) -> None:
    in_game = sorted(set(GAME["text"].replace("/", "").split()))
    for one, other in combinations(in_game, 2):
        with pytest.raises(ProfileError, match=f"{one}' and '{other}' are exchanged"):
            import_profile(pack(exchanged_in_the_game(honest, one, other)), "file", tmp_path)


def test_published_stones_exchanged_everywhere_are_found(honest: TaughtSet, tmp_path: Path) -> None:
    for one, other in combinations(STONES.labels, 2):
        with pytest.raises(ProfileError, match="the stone named"):
            import_profile(pack(renamed(honest, {one: other, other: one})), "file", tmp_path)


def test_stones_of_another_look_are_not_judged() -> None:
    rng = np.random.default_rng(3)
    drawn = {label: rng.integers(0, 255, (2, 64, 64, 3), np.uint8) for label in STONES.labels}
    assert exchanged_stones(drawn) is None


def test_a_lesson_with_two_faces_exchanged_is_refused(honest: TaughtSet) -> None:
    names = sorted(set(GAME["text"].replace("/", "").split()))[:2]
    words = dict(zip(names, reversed(names), strict=True))
    layout = " ".join(words.get(word, word) for word in GAME["text"].split())
    lessons = [Lesson((PHOTOS / name).read_bytes(), text, name) for name, text in TRUTH["teach"]]
    base, _ = learn("ours", STONES, lessons)
    wrong = Lesson((PHOTOS / GAME["photo"]).read_bytes(), layout, "wrong")
    with pytest.raises(LessonRejected, match=f"The {names[0]} and the {names[1]} are exchanged"):
        learn("ours", STONES, [wrong], None, base)


def test_vectors_of_other_pictures_are_refused(honest: TaughtSet, tmp_path: Path) -> None:
    vectors = honest.profile.prototypes
    swapped = {**vectors, "fish": vectors["seed"][: len(vectors["fish"])]}
    swapped["fish"] = np.resize(swapped["fish"], vectors["fish"].shape)
    forged = replace(honest, profile=replace(honest.profile, prototypes=swapped))
    with pytest.raises(
        ProfileError, match="the pictures of 'fish' are not those it was learnt from"
    ):
        import_profile(pack(forged), "file", tmp_path)


def with_meta(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The file with another description."""
    with np.load(io.BytesIO(data)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    meta = json.loads(arrays.pop("meta").tobytes())
    change(meta)
    out = io.BytesIO()
    np.savez_compressed(out, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
    return out.getvalue()


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "half a letter": lambda meta: meta.update(created="\ud800"),
    "a long date": lambda meta: meta.update(created="2" * 1000),
    "many lessons": lambda meta: meta.update(
        lessons=meta["lessons"] + [{"source": "a", "at": "b", "kind": "lesson"}] * 2000
    ),
    "a path": lambda meta: meta.update(name="../../x"),
    "a name of the bundled one": lambda meta: meta.update(name="default"),
    "an invisible label": lambda meta: meta.update(labels=["\u202esun", *meta["labels"][1:]]),
    "a deep list": lambda meta: meta.update(shape=_deep()),
}


def _deep() -> list[Any]:
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    return deep


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_description_is_checked(
    honest: TaughtSet, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    with pytest.raises(ProfileError):
        import_profile(with_meta(pack(honest), change), "file", tmp_path)
    assert not list(tmp_path.rglob("*.tallyprofile"))


def test_a_board_named_like_a_path_stays_in_the_folder(honest: TaughtSet, tmp_path: Path) -> None:
    named = with_meta(pack(honest), lambda meta: meta.update(board="/etc/passwd"))
    import_profile(named, "file", tmp_path)
    assert [one.parent for one in tmp_path.rglob("*.tallyprofile")] == [tmp_path / "profiles"]


def test_a_long_list_of_arrays_is_not_read(
    honest: TaughtSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.BytesIO(pack(honest))
    with zipfile.ZipFile(out, "a") as archive:
        for number in range(9000):
            archive.writestr(f"padding_of_a_name_{number}.npy", b"")
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(ProfileError, match="holds more than any profile"):
        unpack(out.getvalue(), "file")


@pytest.mark.parametrize("tail", [b"x", b"PK\5\6" + b"\0" * 18 + b"x"])
def test_a_file_with_something_behind_it_is_refused(honest: TaughtSet, tail: bytes) -> None:
    with pytest.raises(ProfileError, match="not a tallystone profile"):
        unpack(pack(honest) + tail, "file")


def test_a_picture_larger_than_its_crops_is_not_decoded(
    honest: TaughtSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import cv2

    large = bytes(cv2.imencode(".png", np.zeros((4000, 4000, 3), np.uint8))[1])
    data = pack(replace(honest, strips={**honest.strips, "sun": large}))
    monkeypatch.setattr("calibration.taught.decode_photo", None)
    with pytest.raises(ProfileError, match="the pictures of 'sun' are damaged"):
        import_profile(data, "file", tmp_path)

"""Profiles survive being saved, sent and damaged."""

from pathlib import Path

import numpy as np
import pytest

from calibration.profiles import (
    ProfileError,
    embedding_version,
    list_profiles,
    load_profile,
    pack,
    profile_path,
    save_profile,
    unpack,
)
from vision.profile import Profile


def some_profile(name: str = "mine", model: str | None = None) -> Profile:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(2, 3, 4, 128)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=3, keepdims=True)
    colours = {label: rng.uniform(0, 255, (3, 3)).astype(np.float32) for label in ("sun", "moon")}
    return Profile(
        name, "stones", {"sun": vectors[0], "moon": vectors[1]}, model or embedding_version(), colours
    )


def test_a_profile_is_the_same_after_saving(tmp_path: Path) -> None:
    path = save_profile(some_profile(), tmp_path)
    loaded = load_profile("mine", "stones", tmp_path)
    assert loaded.labels == ("sun", "moon")
    np.testing.assert_allclose(loaded.prototypes["sun"], some_profile().prototypes["sun"], atol=2e-3)
    data = path.read_bytes()
    again, meta = unpack(data, "copy")
    assert pack(again, meta["created"]) == data


def test_profiles_are_listed_by_name(tmp_path: Path) -> None:
    assert list_profiles(tmp_path) == []
    save_profile(some_profile("second"), tmp_path)
    save_profile(some_profile("first"), tmp_path)
    (tmp_path / "profiles" / "junk.stones.tallyprofile").write_bytes(b"junk")
    assert [(info.name, info.board, info.crops) for info in list_profiles(tmp_path)] == [
        ("first", "stones", 6),
        ("second", "stones", 6),
    ]


@pytest.mark.parametrize("name", ["", "../up", "a/b", "x" * 80, ".hidden", "nul\0"])
def test_names_that_are_no_file_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="letters"):
        load_profile(name or " ", "stones", tmp_path)


def test_a_missing_profile_names_those_there_are(tmp_path: Path) -> None:
    save_profile(some_profile(), tmp_path)
    with pytest.raises(ProfileError, match="there is mine"):
        load_profile("other", "stones", tmp_path)


def test_a_damaged_profile_is_refused(tmp_path: Path) -> None:
    path = save_profile(some_profile(), tmp_path)
    data = path.read_bytes()
    for broken in (b"", data[:100], data[: len(data) // 2], b"PK\x03\x04" + b"\0" * 50):
        path.write_bytes(broken)
        with pytest.raises(ProfileError, match="damaged"):
            load_profile("mine", "stones", tmp_path)


def test_vectors_of_another_network_are_not_compared(tmp_path: Path) -> None:
    save_profile(some_profile(model="0-old"), tmp_path)
    with pytest.raises(ProfileError, match="teach it again"):
        load_profile("mine", "stones", tmp_path)


def test_a_profile_file_put_under_another_board_is_refused(tmp_path: Path) -> None:
    path = save_profile(some_profile(), tmp_path)
    path.rename(profile_path("mine", "time", tmp_path))
    with pytest.raises(ProfileError, match="taught for 'stones'"):
        load_profile("mine", "time", tmp_path)


def test_the_published_stones_need_no_lesson(tmp_path: Path) -> None:
    profile = load_profile(None, "stones", tmp_path)
    assert set(profile.labels) == {"sun", "moon", "fish", "bird", "horse", "boat", "seed", "tree"}
    with pytest.raises(ProfileError, match="teach your copy"):
        load_profile(None, "seasons", tmp_path)

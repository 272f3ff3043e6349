"""The copy that lies on the table is found from its photo, with at most one more look."""

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.fitting import Reads, read_fitting
from calibration.lessons import Lesson
from calibration.reader import Reader, open_reader
from calibration.teach import learn
from vision.boards import STONES
from vision.errors import BoardNotFound
from vision.find.corners import Corners
from vision.profile import Profile
from vision.reading import Reading

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
PHOTO = TRUTH["photos"][0]


@pytest.fixture(scope="module")
def ours() -> Profile:
    lessons = [Lesson((PHOTOS / name).read_bytes(), text, name) for name, text in TRUTH["teach"]]
    return learn("ours", STONES, lessons)[0].profile


def strange(profile: Profile, seed: int) -> Profile:
    """A copy whose faces look like nothing on the table."""
    rng = np.random.default_rng(seed)
    faces = {}
    for label, vectors in profile.prototypes.items():
        noise = rng.normal(size=vectors.shape).astype(np.float32)
        faces[label] = noise / np.linalg.norm(noise, axis=-1, keepdims=True)
    return Profile(f"strange {seed}", "stones", faces, profile.model, profile.colours)


class Counting:
    """Notes which copies read."""

    def __init__(self, profiles: dict[str, Reader]) -> None:
        self.readers = profiles
        self.read_with: list[str] = []

    def __call__(self, name: str) -> Reads:
        reader = self.readers[name]
        counting = self

        class Noting(Reader):
            def read(self, data: bytes, corners: Corners | None = None) -> Reading:
                counting.read_with.append(name)
                return reader.read(data, corners)

        return Noting(reader.spec, reader.profile)


@pytest.mark.parametrize("order", [("a", "b", "ours", "c"), ("ours", "a", "b")])
def test_of_many_taught_copies_the_one_on_the_table_reads(
    ours: Profile, order: tuple[str, ...]
) -> None:
    opened = Counting(
        {
            name: Reader(STONES, ours if name == "ours" else strange(ours, ord(name)))
            for name in order
        }
    )
    name, reading = read_fitting((PHOTOS / PHOTO["photo"]).read_bytes(), order, opened)
    assert (name, reading.text) == ("ours", PHOTO["text"])
    assert opened.read_with == (["ours"] if order[0] == "ours" else [order[0], "ours"])


def test_the_bundled_copy_reads_where_the_taught_one_does_not_fit(
    ours: Profile, tmp_path: Path
) -> None:
    readers = {"a": Reader(STONES, strange(ours, 1)), "": open_reader(STONES, None, tmp_path)}
    data = (PHOTOS / PHOTO["photo"]).read_bytes()
    name, reading = read_fitting(data, ["a", ""], readers.__getitem__)
    assert (name, reading.text) == ("", PHOTO["text"])
    with pytest.raises(BoardNotFound):
        read_fitting(data, ["a"], readers.__getitem__)

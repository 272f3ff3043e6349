"""Taught copies: files of any label, and the fixture stones as files and as lessons of a page."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from fakes import TokenClient

from calibration.lessons import Lesson
from calibration.taught import LessonNote, TaughtSet, embedding_version, now, pack, strip_of
from calibration.teach import learn
from vision.boards import STONES
from vision.profile import Profile, mean_colours, turned_vectors

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
LESSONS = [(PHOTOS / name, layout) for name, layout in TRUTH["teach"]]
GAME = TRUTH["photos"][0]


def piece(text: str) -> str:
    """The text as the name of a piece: one word that can be shown, without a slash."""
    word = text.replace(" ", "_").replace("/", "|")[:40]
    return "".join(filter(str.isprintable, word))


def taught(text: str) -> bytes:
    """A copy of two pieces with *text* in all fields that an import takes as they are."""
    labels = (piece(text), "pig")
    pictures = {
        label: np.full((1, 64, 64, 3), 90 + 50 * i, np.uint8) for i, label in enumerate(labels)
    }
    vectors = {label: turned_vectors(crops) for label, crops in pictures.items()}
    colours = {label: mean_colours(crops) for label, crops in pictures.items()}
    profile = Profile("ours", "meadow", vectors, embedding_version(), colours)
    counts = {text: 3, "hen": 3}
    shape = {"name": "meadow", "rows": [1, 2], "cols": [1, 2], "counts": counts}
    strips = {label: strip_of(one) for label, one in pictures.items()}
    origins = dict.fromkeys(labels, (0,))
    return pack(TaughtSet(profile, text, strips, origins, (LessonNote(text, text),), shape))


def of_faces(profile: Profile) -> TaughtSet:
    """A copy of faces that nobody photographed, with blank pictures."""
    strips = {
        label: strip_of(np.zeros((len(vectors), 64, 64, 3), np.uint8))
        for label, vectors in profile.prototypes.items()
    }
    origins = {label: (0,) * len(vectors) for label, vectors in profile.prototypes.items()}
    return TaughtSet(profile, now(), strips, origins, (LessonNote("lesson.jpg", now()),))


def stones() -> bytes:
    """The stones of the fixtures, taught from their two lessons."""
    lessons = [Lesson(path.read_bytes(), layout, path.name) for path, layout in LESSONS]
    return pack(learn("stones", STONES, lessons)[0])


def with_meta(data: bytes, change: Callable[[dict[str, Any]], None], **more: Any) -> bytes:
    """The file with another description, and with *more* arrays."""
    with np.load(io.BytesIO(data)) as archive:
        arrays = {name: archive[name] for name in archive.files} | more
    meta = json.loads(arrays.pop("meta").tobytes())
    change(meta)
    out = io.BytesIO()
    np.savez_compressed(out, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays)
    return out.getvalue()


def exchanged(data: bytes, one: str, other: str) -> bytes:
    """The file with two labels, of as many crops each, in each other's place."""

    def change(meta: dict[str, Any]) -> None:
        names = {one: other, other: one}
        meta["labels"] = [names.get(label, label) for label in meta["labels"]]
        for key in ("crops", "origins"):
            meta[key] = {names.get(label, label): value for label, value in meta[key].items()}

    return with_meta(data, change)


def small(path: Path) -> bytes:
    """The photo smaller than a phone sends it: the test client leaks files of larger forms."""
    image = cv2.resize(cv2.imread(str(path)), None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])[1])


def sent(*lessons: tuple[Path, str], **more: str) -> dict[str, Any]:
    return {
        "photo": [(io.BytesIO(small(path)), path.name) for path, _ in lessons],
        "layout": [layout for _, layout in lessons],
        "corners": [""] * len(lessons),
        **more,
    }


def saved(client: TokenClient, name: str = "mine", **more: str) -> Any:
    return client.post(
        "/teach/stones/save",
        data=sent(*LESSONS, name=name, **more),
        headers={"X-CSRF-Token": client.token()},
    )

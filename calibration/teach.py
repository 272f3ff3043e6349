"""Turns lesson photos into a named profile, and checks how well it tells the faces apart."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.boards import open_board
from calibration.lessons import (
    SIDES,
    Lesson,
    LessonCrops,
    LessonRejected,
    lesson_crops,
    lies_across,
    parse_layout,
    size_in_words,
)
from calibration.mislabelled import exchanged
from calibration.profiles import default_profile, load_taught, own_name, save_anew, save_taught
from calibration.same_photo import same_photo
from calibration.selfcheck import (
    FaceCheck,
    check_faces,
    contradicting,
    likenesses,
    own_and_rival,
    warnings_of,
)
from calibration.taught import (
    MOST_CROPS_IN_ALL,
    MOST_LESSON_NOTES,
    LessonNote,
    TaughtSet,
    corrections_in,
    embedding_version,
    noted,
    now,
    strip_of,
)
from scorer.text import Text
from vision.boards import BOARDS, STONES, BoardSpec
from vision.errors import BoardNotFound, VisionError
from vision.find.corners import Corners
from vision.geometry import Floats, Images
from vision.name.details import spread
from vision.photo import Photo, decode_photo
from vision.profile import Profile, ink_hues, mean_colours, turned_vectors
from vision.read import read_board

LEAST_LONG_SIDE = 1000
MOST_CROPS = 48
"""Most crops kept of one face, spread over all lessons; fewer if there are many faces."""

PUBLISHED_CLEAR = 0.9
"""Least confidence with which the bundled reader's name of a stone counts as a fact."""
LEAST_PUBLISHED_SHARED = 3
"""Least number of stones on which a lesson and a clear answer of the bundled reader agree."""

LEAST_TO_CONTRADICT = 3
"""Least number of pieces that contradict the earlier lessons; faces of a set may be twins."""


@dataclass(frozen=True, slots=True)
class TeachReport:
    """What was learnt: crops of each label, warnings as sentences, the self-check of each face.

    ``former`` is the file that keeps a profile of this name that was taught before.
    """

    profile: str
    board: str
    labels: dict[str, int]
    warnings: tuple[Text, ...]
    faces: tuple[FaceCheck, ...] = ()
    former: Path | None = None

    def to_document(self) -> dict[str, Any]:
        return {
            "profile": self.profile,
            "board": self.board,
            "labels": dict(self.labels),
            "warnings": list(self.warnings),
            "faces": [face.to_document() for face in self.faces],
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Crop:
    """A crop with its label, the number of its lesson, and its vectors."""

    label: str
    lesson: int
    picture: Images
    vectors: Floats


def teach(
    name: str, board: str, lessons: Sequence[Lesson], data_dir: Path, corners: Corners | None = None
) -> TeachReport:
    """Learn a copy of a game from photos and save it under a name.

    ``corners`` are for lessons that bring none of their own.

    Raises
    ------
    vision.errors.VisionError
        If a photo cannot be used or does not show its layout.
    scorer.custom.board.BoardSpecError, calibration.taught.ProfileError
    """
    own_name(name)
    spec = open_board(board)
    taught, notes = learn(name, spec, lessons, corners)
    former = save_anew(taught, data_dir)
    return replace(report_of(taught, spec, notes), former=former)


def add_lessons(
    name: str, board: str, lessons: Sequence[Lesson], data_dir: Path, corners: Corners | None = None
) -> TeachReport:
    """Learn more photos into a profile that exists. Raises what ``teach`` raises."""
    spec = open_board(board)
    base = load_taught(name, spec.name, data_dir)
    taught, notes = learn(name, spec, lessons, corners, base)
    save_taught(taught, data_dir)
    return report_of(taught, spec, notes)


def learn(
    name: str,
    spec: BoardSpec,
    lessons: Sequence[Lesson],
    corners: Corners | None = None,
    base: TaughtSet | None = None,
) -> tuple[TaughtSet, tuple[Text, ...]]:
    """The set that the lessons teach, on top of an earlier one, and sentences about the photos.

    Saves nothing.

    Raises
    ------
    LessonRejected
        If a photo cannot be used or contradicts its layout or the other lessons.
    """
    learnt, notes = _unpacked(base) if base else [], base.lessons if base else ()
    boards = [*base.profile.boards] if base else []
    sentences: list[Text] = []
    shown: dict[int, LessonCrops] = {}
    for lesson in lessons:
        try:
            photo = decode_photo(lesson.photo, LEAST_LONG_SIDE)
            layout = parse_layout(lesson.layout, spec)
            found = lesson_crops(photo, layout, spec, lesson.corners or corners)
            _check_is_another(found, learnt, shown, notes)
            _check_against_others(found, learnt, notes, spec)
            _check_no_exchange(found, learnt, notes, spec)
            if spec is STONES:
                _check_against_published(found.labels, photo, lesson.corners or corners)
        except VisionError as error:
            raise LessonRejected(
                error.code, "%(source)s: %(message)s", source=lesson.source, message=error.message
            ) from error
        shown[len(notes)] = found
        sentences += _remarks(found, layout, spec, Path(lesson.source).name)
        learnt += [
            _Crop(label, len(notes), crop, vectors)
            for label, crop, vectors in zip(found.labels, found.crops, found.vectors, strict=True)
        ]
        notes = (*notes, noted(Path(lesson.source).name))
        boards += _whole_boards(layout, spec)
    if not learnt:
        raise LessonRejected(
            "nothing_taught", "No lesson showed a piece: give at least one photo with its layout."
        )
    return packed(name, spec, learnt, boards, notes), tuple(sentences)


def _remarks(
    found: LessonCrops, layout: list[list[str]], spec: BoardSpec, photo: str
) -> Iterator[Text]:
    """What to say of a photo that was learnt: how it was turned, and what may be wrong with it."""
    if found.turn:
        yield Text(
            "%(photo)s was taken %(side)s and was turned upright",
            photo=photo,
            side=SIDES[found.turn],
        )
    if lies_across(layout, spec):
        yield Text(
            "%(photo)s shows %(size)s, which this board has only turned: if the pieces do not "
            "stand upright there, turn the photo and teach it again.",
            photo=photo,
            size=size_in_words(len(layout), len(layout[0])),
        )
    for problem in found.problems:
        yield Text(
            "%(problem)s Then take %(photo)s again: faces that it taught are hard to know.",
            problem=problem,
            photo=photo,
        )


def _whole_boards(layout: list[list[str]], spec: BoardSpec) -> list[Mapping[str, int]]:
    """How often each label lies on a layout, if it is a whole board of a game whose rules the
    program does not know; else nothing."""
    rows, cols = len(layout), len(layout[0])
    always_so_large = (spec.rows, spec.cols) == ((rows, rows), (cols, cols))
    if spec.labels or not always_so_large:
        return []
    return [Counter(label for row in layout for label in row)]


def _check_is_another(
    found: LessonCrops,
    learnt: Sequence[_Crop],
    shown: Mapping[int, LessonCrops],
    notes: Sequence[LessonNote],
) -> None:
    """Refuse a photo that was learnt before: in the self-check it would vouch for itself.

    Among the lessons that are ``shown`` now it is known again though its file was made anew.
    """
    known = {(crop.label, crop.picture.tobytes()): crop.lesson for crop in learnt}
    pieces = [
        (label, crop.tobytes()) for label, crop in zip(found.labels, found.crops, strict=True)
    ]
    again = [number for number, other in shown.items() if same_photo(found, other)]
    if pieces and all(piece in known for piece in pieces):
        again.append(known[pieces[0]])
    if again:
        raise LessonRejected(
            "wrong_photo",
            "It is the same photo as the earlier %(source)s: take another one.",
            source=notes[again[0]].source,
        )


def _check_against_others(
    found: LessonCrops, learnt: Sequence[_Crop], notes: Sequence[LessonNote], spec: BoardSpec
) -> None:
    """Refuse a lesson that contradicts earlier lessons.

    That is a photo given twice with two layouts, or one of another set.
    """
    new = len(found.labels)
    if new < LEAST_TO_CONTRADICT or not learnt:
        return
    known = [crop.label for crop in learnt]
    labels = [*found.labels, *known]
    vectors = np.concatenate([found.vectors, np.stack([crop.vectors for crop in learnt])])
    alike = likenesses(vectors, spec.turns)
    across = alike.copy()
    across[:new, :new] = -1.0
    across[new:, new:] = -1.0
    shared = np.array([label in known for label in found.labels])
    against = np.where(
        shared, contradicting(across, labels)[:new], contradicting(alike, labels)[:new]
    )
    if against.mean() <= 0.5:
        return
    i = int(np.flatnonzero(against)[0])
    _, _, which = own_and_rival(across, labels, stems=True)
    other = int(which[i])
    source = notes[learnt[other - new].lesson].source
    raise LessonRejected(
        "wrong_photo",
        "Most pieces contradict the earlier photos: the %(label)s looks like "
        "the %(other)s of %(source)s. Is it the right photo, and the layout "
        "that it shows?",
        label=spec.word(labels[i]),
        other=spec.word(labels[other]),
        source=source,
    )


def _check_no_exchange(
    found: LessonCrops, learnt: Sequence[_Crop], notes: Sequence[LessonNote], spec: BoardSpec
) -> None:
    """Refuse a photo with two faces exchanged, as the earlier lessons show them."""
    if not learnt:
        return
    labels = [*(crop.label for crop in learnt), *found.labels]
    origins = [*(crop.lesson for crop in learnt), *[len(notes)] * len(found.labels)]
    vectors = np.concatenate([np.stack([crop.vectors for crop in learnt]), found.vectors])
    wrong = exchanged(labels, origins, vectors, spec.turns, corrections_in(notes))
    if wrong is not None:
        one, other = wrong
        raise LessonRejected(
            "wrong_photo",
            "The %(one)s and the %(other)s are exchanged: each looks like the "
            "other in the earlier photos. Check the layout, row by row from the "
            "top of the photo.",
            one=spec.word(one),
            other=spec.word(other),
        )


def _check_against_published(labels: Sequence[str], photo: Photo, corners: Corners | None) -> None:
    """Refuse published stones that lie with other faces up than the layout says.

    The two lessons of the stones have one shape, so only the pictures tell them apart. A home-made
    set is never read so clearly.
    """
    try:
        reading = read_board(photo, STONES, default_profile(STONES.name), corners)
    except BoardNotFound:
        return
    seen = Counter(cell.label for cell in reading.cells)
    clear = all(cell.confidence > PUBLISHED_CLEAR for cell in reading.cells)
    whole = len(labels) == len(reading.cells)
    if whole and clear and (seen & Counter(labels)).total() < LEAST_PUBLISHED_SHARED:
        raise LessonRejected(
            "wrong_photo",
            "The photo shows %(text)s, not the layout. Is it the photo of the other faces?",
            text=reading.text,
        )


def packed(
    name: str,
    spec: BoardSpec,
    learnt: Sequence[_Crop],
    boards: Sequence[Mapping[str, int]],
    notes: Sequence[LessonNote],
) -> TaughtSet:
    """The taught set of the crops, as many as a profile holds.

    The oldest notes are forgotten if there are too many; their crops count to the oldest one left.
    """
    prototypes, colours, inks, strips, origins = {}, {}, {}, {}, {}
    labels = dict.fromkeys(crop.label for crop in learnt)
    most = min(MOST_CROPS, max(1, MOST_CROPS_IN_ALL // len(labels)))
    forgotten = max(0, len(notes) - MOST_LESSON_NOTES)
    for label in labels:
        kept = spread([crop for crop in learnt if crop.label == label], most)
        crops = np.stack([crop.picture for crop in kept])
        prototypes[label] = np.stack([crop.vectors for crop in kept])
        colours[label], inks[label] = mean_colours(crops), ink_hues(crops)
        strips[label] = strip_of(crops)
        origins[label] = tuple(max(0, crop.lesson - forgotten) for crop in kept)
    profile = Profile(
        name,
        spec.name,
        prototypes,
        embedding_version(),
        colours,
        inks=inks,
        boards=tuple(boards)[-MOST_LESSON_NOTES:],
    )
    own = spec.name not in BOARDS and spec.aspect is not None  # not only known by its name
    return TaughtSet(
        profile,
        now(),
        strips,
        origins,
        tuple(notes)[forgotten:],
        spec.to_table() if own else None,
    )


def _unpacked(taught: TaughtSet) -> list[_Crop]:
    """The crops of a taught set again, with their vectors."""
    return [
        _Crop(label, lesson, crop, vectors)
        for label, found in taught.profile.prototypes.items()
        for lesson, crop, vectors in zip(
            taught.origins[label], taught.pictures(label), found, strict=True
        )
    ]


def report_of(taught: TaughtSet, spec: BoardSpec, sentences: Sequence[Text] = ()) -> TeachReport:
    """The self-check of a taught set; ``sentences`` come first."""
    prototypes: Mapping[str, Floats] = taught.profile.prototypes
    faces = check_faces(prototypes, spec)
    return TeachReport(
        taught.profile.name,
        spec.name,
        {label: len(vectors) for label, vectors in prototypes.items()},
        (*sentences, *warnings_of(faces, spec)),
        faces,
    )


def corrected(
    taught: TaughtSet, spec: BoardSpec, crops: Images, labels: Sequence[str], source: str
) -> TaughtSet:
    """The set with the crops of corrected cells learnt as well."""
    notes = (*taught.lessons, noted(source, "table"))
    learnt = [
        *_unpacked(taught),
        *(
            _Crop(label, len(taught.lessons), crop, vectors)
            for label, crop, vectors in zip(labels, crops, turned_vectors(crops), strict=True)
        ),
    ]
    return packed(taught.profile.name, spec, learnt, taught.profile.boards, notes)

"""Commands that open photos: ``read``, ``teach``, ``learn`` and ``demo``."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from scorer.text import counted
from webapp.batch.photos import numbered
from webapp.commands.common import (
    AUTO,
    BOARDS,
    GRIDS,
    board_option,
    camera_option,
    complete_profiles,
    corners_option,
    data_option,
    folder_option,
    json_option,
    overlay_option,
    plain,
    print_json,
    profile_option,
)
from webapp.commands.one_photo import content_of, read_file, refusal, write_overlay
from webapp.commands.progress import waited, working

if TYPE_CHECKING:
    from calibration.lessons import Lesson
    from calibration.reader import Reader
    from calibration.teach import TeachReport
    from vision.find.corners import Corners

TURNS = ("as read", "a quarter turn right", "upside down", "a quarter turn left")
"""How the grid may have to be turned, by how many quarters clockwise."""


@click.command()
@click.argument("photos", nargs=-1, required=True, metavar="PHOTO...")
@board_option((AUTO, *BOARDS), ", and auto finds out which of the known and taught games it is")
@profile_option
@corners_option
@camera_option
@click.option(
    "--same", is_flag=True, help="All photos show one board in the same state: read them as one."
)
@overlay_option
@data_option
@json_option
@click.pass_context
def read(
    ctx: click.Context,
    photos: tuple[str, ...],
    board: str,
    profile: str | None,
    corners: Corners | None,
    camera: str | None,
    same: bool,
    overlay_dir: Path | None,
    data_dir: Path,
    as_json: bool,
) -> None:
    """Read the board on each PHOTO.

    The models are loaded once for all photos. A photo that cannot be used is refused with the
    reason; the exit status is 1 only if none could be read.
    """
    if same and corners is not None:
        raise click.UsageError("--corners is for single photos: the board lies elsewhere in each")
    if same and board == "cards":
        raise click.UsageError("--same is for boards: read each photo of cards by itself")
    if same and board == AUTO:
        raise click.UsageError("--same needs the board that all photos show: name it")
    if corners is not None and board == AUTO:
        raise click.UsageError("--corners says where a board is: name the board, too")
    reader = opened_reader(board, profile, data_dir, camera)
    found = doubtful = 0
    documents = (
        _read_same(reader, photos, overlay_dir)
        if same
        else _read_all(reader, photos, corners, overlay_dir)
    )
    for document in waited("reading", documents):
        found += bool(document["found"])
        doubtful += bool(document["found"] and not document["sure"])
        _show(document, as_json)
    if doubtful and corners is not None and corners.points is None:
        click.echo(
            "note: --corners photo takes the whole photo for the board: leave it out if the photo"
            " shows more",
            err=True,
        )
    if not found:
        ctx.exit(1)


@click.command()
@click.argument("name")
@click.argument("lessons", nargs=-1, required=True, metavar="PHOTO=LAYOUT...")
@board_option(GRIDS)
@corners_option
@click.option(
    "--add", is_flag=True, help="Add the lessons to the profile NAME instead of replacing it."
)
@data_option
@json_option
def teach(
    name: str,
    lessons: tuple[str, ...],
    board: str,
    corners: Corners | None,
    add: bool,
    data_dir: Path,
    as_json: bool,
) -> None:
    """Teach the reader your copy of a game as the profile NAME.

    Each lesson is a photo and what lies on it, rows from the top divided by ' / ':

    \b
        tallystone teach mine --board stones \\
            first.jpg="sun fish fish / horse horse boat / seed tree tree" \\
            second.jpg="moon bird bird / horse boat boat / tree seed seed"

    Together the lessons should show every label, better twice. A photo that does not show its
    layout is refused, and nothing is changed.
    """
    from calibration.teach import teach as teach_profile

    taught = _lessons(lessons)
    if add:
        from calibration.teach import add_lessons as teach_profile
    with working("teaching"):
        report = teach_profile(name, board, taught, data_dir, corners)
    _note_former(report, data_dir)
    if as_json:
        print_json(report.to_document())
        return
    labels = counted(len(report.labels), "label")
    click.echo(f"profile {report.profile} ({report.board}) learnt {labels}:")
    width = max(map(len, report.labels), default=0)
    for label, crops in report.labels.items():
        click.echo(f"  {label:<{width}}  {counted(crops, 'crop')}")
    for warning in report.warnings:
        click.echo(f"note: {warning}", err=True)


@click.command()
@click.argument("name", shell_complete=complete_profiles)
@click.argument("lessons", nargs=-1, required=True, metavar="PHOTO=LAYOUT...")
@board_option(GRIDS)
@corners_option
@data_option
@json_option
def learn(
    name: str,
    lessons: tuple[str, ...],
    board: str,
    corners: Corners | None,
    data_dir: Path,
    as_json: bool,
) -> None:
    """Improve the profile NAME by photos that were read wrongly and their true layouts.

    Each photo is read with the profile; cells that were read wrongly or were not sure are learnt as
    what the LAYOUT says. If a photo is refused, nothing is changed. Everything stays on this
    machine.
    """
    from calibration.corrections import learn_from_states

    photos = _lessons(lessons)
    with working("learning"):
        done, report = learn_from_states(name, board, photos, data_dir, corners)
    for photo, learnt in zip(photos, done, strict=True):
        if as_json:
            print_json({"photo": photo.source, **learnt.to_document()})
            continue
        what = counted(learnt.cells, "cell")
        told = f"learnt {what}" if learnt.cells or learnt.refused else "nothing to learn"
        click.echo(f"{photo.source}: {told}")
        for sentence in learnt.refused:
            click.echo(f"note: {sentence}", err=True)
    if report is not None:
        _note_former(report, data_dir)
        for warning in report.warnings:
            click.echo(f"note: {warning}", err=True)


def _lessons(texts: Iterable[str]) -> list[Lesson]:
    """The photos and layouts of ``PHOTO=LAYOUT`` arguments."""
    from calibration.lessons import Lesson

    pairs = [split_lesson(text) for text in texts]
    return [Lesson(path.read_bytes(), layout, str(path)) for path, layout in pairs]


def _note_former(report: TeachReport, data_dir: Path) -> None:
    """Say how the profile comes back that was there before."""
    if report.former is not None:
        source = click.get_current_context().get_parameter_source("data_dir")
        is_default = source is ParameterSource.DEFAULT
        data = "" if is_default else f" --data {shlex.quote(str(data_dir))}"
        click.echo(
            f"note: {report.profile} was taught before; "
            f"`tallystone profiles import {shlex.quote(str(report.former))} --replace{data}` "
            "brings that profile back",
            err=True,
        )


@click.command()
@folder_option(
    "--output",
    "output",
    default=Path("demo-output"),
    show_default=True,
    metavar="DIR",
    help="Where the overlays are written.",
)
@data_option
@json_option
@click.pass_context
def demo(ctx: click.Context, output: Path, data_dir: Path, as_json: bool) -> None:
    """Read the bundled photos: states, matching cards, points and an overlay of each."""
    from webapp.commands.showcase import run_demo

    if not run_demo(output, data_dir, as_json):
        ctx.exit(1)


def opened_reader(board: str, profile: str | None, data_dir: Path, camera: str | None) -> Any:
    """The reader of a board, of pattern cards, or of any game."""
    if board == "cards":
        if camera is not None:
            raise click.UsageError("--camera is for boards: photograph cards from above")
        from calibration.card_reader import open_card_reader

        return open_card_reader(profile, data_dir)
    if board == AUTO:
        from calibration.any_game import open_any

        return open_any(data_dir, profile, camera)
    from calibration.boards import open_board
    from calibration.reader import open_reader
    from calibration.selfcheck import not_taught

    reader = open_reader(open_board(board), profile, data_dir, camera)
    if board not in GRIDS and (
        missing := not_taught(frozenset(reader.profile.labels), reader.spec)
    ):
        click.echo(f"note: {missing}", err=True)
    return reader


def split_lesson(text: str) -> tuple[Path, str]:
    """Split ``PHOTO=LAYOUT`` at the last ``=`` after an existing file: paths may hold one."""
    at = text.rfind("=")
    while at > 0:
        path = Path(text[:at])
        if path.is_file():
            layout = text[at + 1 :].strip()
            if not layout:
                raise click.BadParameter(
                    f"expected a layout after {text!r}", param_hint="PHOTO=LAYOUT"
                )
            return path, layout
        at = text.rfind("=", 0, at)
    photo, equals, _ = text.partition("=")
    if photo and equals:
        problem = f"{photo}: is no file" if Path(photo).exists() else f"{photo}: no such file"
    else:
        problem = f"expected PHOTO=LAYOUT, got {text!r}"
    raise click.BadParameter(problem, param_hint="PHOTO=LAYOUT")


def _read_all(
    reader: Reader, photos: Iterable[str], corners: Corners | None, overlay_dir: Path | None
) -> Iterator[dict[str, Any]]:
    for _, photo, overlay in numbered(photos):
        target = None if overlay_dir is None else overlay_dir / overlay
        yield read_file(reader, photo, corners, target)


def _read_same(
    reader: Reader, photos: tuple[str, ...], overlay_dir: Path | None
) -> Iterator[dict[str, Any]]:
    """One document for all photos, in the pixels of the clearest; ``photos`` names those used.

    If none could be used, a refusal of each.
    """
    from vision.errors import VisionError

    contents = [(photo, content_of(photo)) for photo in photos]
    there = [(photo, data) for photo, data in contents if isinstance(data, bytes)]
    refused = [data for _, data in contents if isinstance(data, dict)]
    if not there:
        yield from refused
        return
    try:
        fused = reader.read_same([data for _, data in there])
    except VisionError as error:
        for (photo, _), one in zip(there, error.each, strict=True):
            yield refusal(photo, one.code, one.message)
        yield from refused
        return
    reference, data = there[fused.reference]
    if overlay_dir is not None:
        ((_, _, overlay),) = numbered([reference])
        write_overlay(data, fused.reading, overlay_dir / overlay)
    left_out = [[there[i][0], reason] for i, reason in fused.left_out]
    left_out += [[line["photo"], line["message"]] for line in refused]
    yield fused.reading.to_document(reference) | {
        "photos": [there[i][0] for i in fused.used],
        "left_out": left_out,
    }


def _show(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(document)
    elif not document["found"]:
        click.echo(f"{plain(document['photo'])}: {document['message']}", err=True)
    else:
        click.echo(f"{plain(document['photo'])}: {named(document)}{summary(document)}")
        for cell in document.get("cells", ()):
            if not cell["sure"]:
                place = f"row {cell['row'] + 1}, column {cell['col'] + 1}"
                click.echo(f"  please check {place}: {_guesses(cell, cell['label'])}")
        for card in document.get("cards", ()):
            if not card["sure"]:
                what = f"card {card['id']} ({card['pattern']}, {counted(card['points'], 'point')})"
                click.echo(f"  please check {_guesses(card, what)}")
        for doubt in document.get("doubts", ()):
            if doubt["kind"] != "cell":
                click.echo(f"  {doubt['question']} {_answers(doubt)}")
        for problem in document.get("problems", ()):
            click.echo(f"  {problem}")
        for photo, reason in document.get("left_out", ()):
            click.echo(f"  not used: {plain(photo)}: {reason}", err=True)


def _guesses(seen: dict[str, Any], what: str) -> str:
    """How sure a cell or card is, and what else it may be."""
    return _likely([(what, seen["confidence"]), *seen["alternatives"][:2]])


def _answers(doubt: dict[str, Any]) -> str:
    """The likely answers to a question."""
    is_turn = doubt["kind"] == "direction"
    return _likely([(TURNS[one] if is_turn else one, p) for one, p in doubt["options"]])


def _likely(options: list[tuple[Any, float]]) -> str:
    """Answers with their probabilities, that of the reading first."""
    first, *others = (f"{answer} {_share(p)}" for answer, p in options)
    return first + (f", or {', '.join(others)}" if others else "")


def _share(probability: float) -> str:
    """Format a confidence in percent; a doubt is never said to be certain."""
    return f"{min(probability, 0.99):.0%}"


def named(document: dict[str, Any]) -> str:
    """Which game was found, where several were looked for."""
    if "kinds" not in document:
        return ""
    (kind, p), *others = document["kinds"]
    second = f", or {others[0][0]} {_share(others[0][1])}" if others else ""
    return f"{kind} {_share(p)}{second}: "


def summary(document: dict[str, Any]) -> str:
    """What was read, in one line."""
    what = "cards " if "cards" in document else ""
    return f"{what}{document['text']}  ({'sure' if document['sure'] else 'please check'})"

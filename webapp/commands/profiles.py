"""Commands about taught profiles: list, look at, carry elsewhere, rename, forget."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.text import counted
from webapp.commands.common import (
    GRIDS,
    complete_profiles,
    data_option,
    data_option_of_group,
    default_data_dir,
    json_option,
    print_json,
    taught_board,
    tell,
)
from webapp.commands.progress import working

if TYPE_CHECKING:
    from webapp.tables import Tables

_board_option = click.option(
    "--board",
    metavar="|".join([*GRIDS, "NAME", "FILE.toml"]),
    help="The board it was taught for; needed only if profiles of several boards have this name.",
)
_name_argument = click.argument("name", shell_complete=complete_profiles)


@click.group(invoke_without_command=True)
@data_option_of_group
@json_option
@click.pass_context
def profiles(ctx: click.Context, data_dir: Path | None, as_json: bool) -> None:
    """List the taught profiles, or carry them elsewhere, rename and delete them."""
    if ctx.invoked_subcommand is not None:
        return
    from calibration.profiles import damaged_profiles, list_profiles

    data_dir = data_dir or default_data_dir()
    known, damaged = list_profiles(data_dir), damaged_profiles(data_dir)
    if not (known or damaged) and not as_json:
        click.echo("No taught profiles yet; the bundled one is used. See: tallystone teach --help")
    for info in known:
        labels = counted(len(info.labels), "label")
        words = f"{info.name}  {info.board}  {labels}  taught {info.created}"
        document = {key: value for key, value in asdict(info).items() if key != "lessons"}
        tell(document, words, as_json)
    for one in damaged:
        tell(asdict(one), f"{one.name}  {one.board}  {one.problem}", as_json)


@profiles.command("export")
@_name_argument
@_board_option
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("."),
    show_default="current folder",
    metavar="FILE|DIR",
    help="Where the file is written.",
)
@data_option
def export(name: str, board: str | None, output: Path, data_dir: Path) -> None:
    """Write the profile NAME as one file, to be imported elsewhere.

    Where --output names neither a file that is there nor a .tallyprofile, it is a folder, and made
    if it is missing.
    """
    from calibration.files import is_stream, new_file
    from calibration.profiles import SUFFIX, export_profile, profile_path

    board = board_of(name, board, data_dir)
    data = export_profile(name, board, data_dir)
    target = output
    if output.is_dir() or not (
        output.suffix.lower() == SUFFIX or output.exists() or is_stream(output)
    ):
        output.mkdir(parents=True, exist_ok=True)
        target = output / profile_path(name, board, data_dir).name
    with new_file(target) as file:
        file.write(data)
    click.echo(f"wrote {target}", err=is_stream(target))


@profiles.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--name", metavar="NAME", help="Keep it under another name.")
@click.option("--replace", "overwrite", is_flag=True, help="Replace a profile of the same name.")
@data_option
def import_(files: tuple[Path, ...], name: str | None, overwrite: bool, data_dir: Path) -> None:
    """Check profile FILES and keep them.

    A damaged file, or one of an older or newer version, is refused.
    """
    from calibration.profiles import MOST_BYTES, import_profile

    if name is not None and len(files) > 1:
        raise click.UsageError("--name is for one file")
    for path in files:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        info = import_profile(data, path.name, data_dir, name, "replace" if overwrite else "refuse")
        click.echo(
            f"imported {info.name} ({info.board}): {counted(len(info.labels), 'label')},"
            f" {counted(info.crops, 'crop')}"
        )


@profiles.command("delete")
@_name_argument
@_board_option
@data_option
def delete(name: str, board: str | None, data_dir: Path) -> None:
    """Forget the profile NAME; a damaged one, too."""
    from calibration.profiles import delete_profile

    board = board_of(name, board, data_dir)
    delete_profile(name, board, data_dir)
    click.echo(f"deleted {name} ({board})")


@profiles.command("rename")
@_name_argument
@click.argument("new_name")
@_board_option
@data_option
def rename(name: str, new_name: str, board: str | None, data_dir: Path) -> None:
    """Give the profile NAME the name NEW_NAME, also in the games that read with it."""
    from webapp.guard.renaming import rename_copy

    board = board_of(name, board, data_dir)
    with _tables(data_dir) as tables:
        rename_copy(name, new_name, board, data_dir, tables)
    click.echo(f"{name} ({board}) is now {new_name}")


@contextmanager
def _tables(data_dir: Path) -> Iterator[Tables | None]:
    """The games of a data folder; None if none was kept there. Raises StoreError."""
    from webapp.guard.quotas import Quotas
    from webapp.live import Announcements
    from webapp.service import TableReader
    from webapp.store import open_store
    from webapp.store.photos import PhotoFolder
    from webapp.store.schema import was_used
    from webapp.tables import Tables

    if not was_used(data_dir):
        yield None
        return
    with closing(open_store(data_dir, os.environ.get("DATABASE_URL"))) as store:
        reader, photos = TableReader(data_dir), PhotoFolder(data_dir / "photos")
        yield Tables(store, reader, photos, Announcements(), Quotas(data_dir))


@profiles.command("check")
@_name_argument
@_board_option
@data_option
@json_option
def check(name: str, board: str | None, data_dir: Path, as_json: bool) -> None:
    """Say how well the profile NAME tells its faces apart."""
    from calibration.profiles import load_taught
    from calibration.teach import report_of

    board = board_of(name, board, data_dir)
    taught = load_taught(name, board, data_dir)
    with working("checking"):
        report = report_of(taught, taught.spec)
    if as_json:
        print_json(report.to_document())
        return
    width = max((len(face.label) for face in report.faces), default=0)
    for face in report.faces:
        own = "seen once" if face.own is None else f"own {face.own:.2f}"
        rival = f"nearest {face.rival} {face.rival_likeness:.2f}" if face.rival else ""
        click.echo(f"{face.label:<{width}}  {counted(face.crops, 'crop'):>8}  {own:<10} {rival}")
    for warning in report.warnings:
        click.echo(f"note: {warning}", err=True)


def board_of(name: str, board: str | None, data_dir: Path) -> str:
    """The board of a profile; asked for only if the name alone does not tell.

    Raises BoardSpecError if *board* is a file that describes none.
    """
    if board is not None:
        return taught_board(board)
    from calibration.profiles import DamagedProfile, ProfileInfo, damaged_profiles, list_profiles

    known: list[ProfileInfo | DamagedProfile] = [
        *list_profiles(data_dir),
        *damaged_profiles(data_dir),
    ]
    boards = sorted({one.board for one in known if one.name == name and one.board})
    if not boards:
        raise click.ClickException(f"no profile {name!r}: see `tallystone profiles`")
    if len(boards) > 1:
        raise click.ClickException(f"{name!r} was taught for {' and '.join(boards)}: add --board")
    return boards[0]

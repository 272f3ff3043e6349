"""Commands that look after what is kept: backups, updates of the tables, export and import."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.text import counted, plural
from webapp.commands.common import data_option, json_option, plain, tell
from webapp.commands.progress import working

if TYPE_CHECKING:
    from webapp.after.keeping import Contents


@click.command()
@click.option(
    "--output",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The ZIP file to write.  [default: backups/<time>.zip in the data folder]",
)
@data_option
@json_option
def backup(target: Path | None, data_dir: Path, as_json: bool) -> None:
    """Copy games and photos to a ZIP file, while the table goes on.

    The copy is checked before it gets its name: every hash, and the database inside. The exit
    status is 1 if photos or the key of the cookies were damaged or missing before.
    """
    from webapp.after import keeping

    if target is not None:
        _ending_of(target, ".zip")
    database = _database_file(data_dir)
    if database is None:
        raise click.ClickException(
            "DATABASE_URL names a database server: back it up with its own tools (pg_dump) and "
            "copy the photos"
        )
    target = target or data_dir / "backups" / f"tallystone-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip"
    with working("copying"):
        contents = keeping.backup(database, data_dir, target)
    size = target.stat().st_size
    photos = counted(contents.photos, "photo")
    words = f"{target}: the games and {photos}, {size // 1024} KiB, checked"
    document = {"backup": str(target), "photos": contents.photos, "bytes": size}
    _tell_faults(contents, document, words, as_json)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--check", "only_check", is_flag=True, help="Only check the file; change nothing.")
@data_option
@json_option
def restore(file: Path, only_check: bool, data_dir: Path, as_json: bool) -> None:
    """Unpack a backup into an empty data folder, after every file in it was checked.

    The games become the file that DATABASE_URL names, if it names one.
    """
    from webapp.after import keeping

    database = _database_file(data_dir)
    if database is None and not only_check:
        raise click.ClickException(
            "DATABASE_URL names a database server, and a backup is restored to a file: unset it"
        )
    with working("checking"):
        contents = (
            keeping.check_backup(file) if only_check else keeping.restore(file, data_dir, database)
        )
    files = len(contents.names)
    shown = counted(files, "file")
    whole, restored = f"{file}: {shown}, all whole", f"{shown} restored in {data_dir}"
    document = {"file": str(file), "files": files, "restored": not only_check}
    _tell_faults(contents, document, whole if only_check else restored, as_json)


def _tell_faults(contents: Contents, document: Any, words: str, as_json: bool) -> None:
    """Print what was done and what was damaged when it was packed; exit with 1 if something was."""
    tell(document | {"faults": contents.faults}, "; ".join((words, *contents.faults)), as_json)
    if contents.faults:
        click.get_current_context().exit(1)


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@data_option
@json_option
def export(file: Path, data_dir: Path, as_json: bool) -> None:
    """Write all games to FILE: .zip with photos, .json without, .csv the results as a table.

    A file that is there already is refused. Photos that are missing or damaged are left out.
    """
    from calibration.files import new_file
    from webapp.after import archive, exchange, keeping
    from webapp.store.photos import PhotoFolder

    ending = _ending_of(file, ".zip", ".json", ".csv")
    database = _database_file(data_dir)
    if database is not None and not database.is_file():
        raise keeping.no_database(database, data_dir)
    with keeping.opened_to_read(data_dir, os.environ.get("DATABASE_URL")) as store:
        games = archive.Kept(store, PhotoFolder(data_dir / "photos"))
        with new_file(file) as out, working("writing"):
            exchange.write(ending[1:], out, games, games.picture)
    words = f"{file}: {counted(games.games, 'game')}"
    if games.damaged:
        words += f"; {counted(games.damaged, 'photo')} missing or damaged, so left out"
    document = {"file": str(file), "games": games.games, "photos": games.pictures}
    tell(document | {"left_out": games.damaged}, words, as_json)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@data_option
@json_option
def import_(file: Path, data_dir: Path, as_json: bool) -> None:
    """Take in the games of a .zip or .json file that export wrote.

    Every game is played again from its log, and counted by the rules of this version. If one
    cannot be, nothing is taken in. Each game gets a new code. Those that go on are open for two
    days: who joins one first is its host.
    """
    from webapp.after import archive, arrivals
    from webapp.store import open_store
    from webapp.store.photos import PhotoFolder

    read = arrivals.parse(file.read_bytes(), arrivals.OWNER)
    with (
        closing(open_store(data_dir, os.environ.get("DATABASE_URL"))) as store,
        working("playing the games again"),
    ):
        done = archive.take_in(store, PhotoFolder(data_dir / "photos"), read)
    added = plural("1 game taken in", "%(num)s games taken in", num=len(done.added))
    already = plural("1 was here already", "%(num)s were here already", num=done.already)
    words = f"{added}, {already}"
    if done.recounted:
        recounted = plural(
            "1 game was counted anew: today's rules do not give what the file says.",
            "%(num)s games were counted anew: today's rules do not give what the file says.",
            num=len(done.recounted),
        )
        words = f"{words}. {recounted}"
    words += "".join(f"\n    {code}  {plain(title)}" for code, title in done.joinable)
    document = {"added": list(done.added), "already": done.already}
    tell(document | {"recounted": list(done.recounted)}, words, as_json)


@click.command()
@data_option
@json_option
def migrate(data_dir: Path, as_json: bool) -> None:
    """Bring the tables of the database up to date, after an update of Tallystone.

    A database server (DATABASE_URL) needs it before the first start, too: there serve changes no
    tables. Two that run at once wait for each other. Make a backup before.
    """
    from webapp.store import open_store

    with working("updating"):
        store = open_store(data_dir, os.environ.get("DATABASE_URL"), migrating=True)
    where = store.shown
    store.close()
    words = f"{where}: its tables are those of this version"
    tell({"database": where, "current": True}, words, as_json)


def _ending_of(file: Path, *endings: str) -> str:
    """Which of the endings the file to write has, in small letters; UsageError for another."""
    ending = file.suffix.lower()
    if ending not in endings:
        expected = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        raise click.UsageError(f"expected a file that ends in {expected}, got {str(file)!r}")
    return ending


def _database_file(data_dir: Path) -> Path | None:
    """The file of the database, wherever DATABASE_URL says; None for a server."""
    from webapp.store.engine import file_of, place_of

    return file_of(place_of(data_dir, os.environ.get("DATABASE_URL")))

"""The ``tallystone`` command."""

import os
import signal
from typing import Any

import click

from webapp.commands.batch import batch
from webapp.commands.camera import camera
from webapp.commands.common import ending_signals
from webapp.commands.completion import completion
from webapp.commands.documents import audit, moves, score
from webapp.commands.games import cards, print_sheets
from webapp.commands.keeping import backup, export, import_, migrate, restore
from webapp.commands.photos import demo, learn, read, teach
from webapp.commands.profiles import profiles
from webapp.commands.records import replay
from webapp.commands.system import bench, doctor, serve


class OneSentenceGroup(click.Group):
    """A group that tells a refusal in one sentence on stderr with exit status 1.

    Only errors that mean "this input cannot be used" are caught; a bug still shows where it
    happened.
    """

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (OSError, ValueError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise click.ClickException(_sentence(error)) from error
        except Exception as error:
            import sqlite3

            from sqlalchemy.exc import DBAPIError

            from models.registry import ModelError
            from scorer.text import Told
            from webapp.store import StoreError
            from webapp.store.engine import reason_of, way_out_of

            if isinstance(error, Told | ModelError | StoreError):
                raise click.ClickException(_sentence(error)) from error
            if isinstance(error, DBAPIError | sqlite3.Error):
                raise click.ClickException(
                    f"the database cannot be used: {reason_of(error)}{way_out_of(error)}"
                ) from error
            raise


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib import metadata

        click.echo(f"tallystone {metadata.version('tallystone')}")
        ctx.exit()


@click.group(
    cls=OneSentenceGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Read a board game from a photo of the table, check it and know the score."""
    if os.environ.get("NO_COLOR"):
        click.get_current_context().color = False


for command in (
    demo,
    serve,
    read,
    teach,
    learn,
    score,
    moves,
    audit,
    replay,
    batch,
    bench,
    print_sheets,
    doctor,
    backup,
    restore,
    migrate,
    export,
    import_,
    profiles,
    camera,
    cards,
    completion,
):
    cli.add_command(command)


def _end(number: int, _: Any) -> None:
    """End by a signal as by an error: what is half written is removed."""
    raise SystemExit(128 + number)


def main() -> None:
    """Entry point of the ``tallystone`` script."""
    for number in ending_signals():
        signal.signal(number, _end)
    cli(prog_name="tallystone")


if __name__ == "__main__":
    main()

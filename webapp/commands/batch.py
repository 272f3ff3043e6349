"""The command ``batch``: reads an archive of photos, a row a photo."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from webapp.commands.common import (
    BOARDS,
    board_option,
    camera_option,
    data_option,
    json_option,
    overlay_option,
    plain,
    print_json,
    profile_option,
    scheduler_option,
)
from webapp.commands.photos import opened_reader, summary

if TYPE_CHECKING:
    from webapp.batch.job import Task


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="DIR...")
@board_option()
@profile_option
@camera_option
@overlay_option
@click.option("--recursive", is_flag=True, help="Look into the folders below as well.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a row a photo to FILE, .jsonl or .parquet, in place of lines on the screen.",
)
@click.option(
    "--resume", is_flag=True, help="Go on with FILE: photos that have a row are left out."
)
@click.option("--score", is_flag=True, help="Add the score where the board alone gives one.")
@click.option(
    "--workers",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Processes that read.  [default: one a processor]",
)
@scheduler_option
@data_option
@json_option
@click.pass_context
def batch(
    ctx: click.Context,
    sources: tuple[str, ...],
    board: str,
    profile: str | None,
    camera: str | None,
    overlay_dir: Path | None,
    recursive: bool,
    out: Path | None,
    resume: bool,
    score: bool,
    workers: int | None,
    scheduler: str | None,
    data_dir: Path,
    as_json: bool,
) -> None:
    """Read all photos of each DIR, which may be a folder, a glob, or an address such as s3://box.

    Prints one line a photo and a summary. The exit status is 1 only if none could be read.
    """
    from webapp.batch import cluster
    from webapp.batch.job import Job, OverlayError
    from webapp.batch.photos import PhotosNotFound, is_there, numbered, pictures_of
    from webapp.batch.results import FormatError, Results, ResultsError

    gone = [source for source in sources if not is_there(source)]
    if gone:
        raise click.BadParameter(f"{gone[0]}: no such folder or file", param_hint="DIR")
    if resume and out is None:
        raise click.UsageError("--resume needs --out: the file to go on with")
    try:
        found = [pictures_of(source, recursive) for source in sources]
        photos = [*dict.fromkeys(photo for pictures in found for photo in pictures.photos)]
        tasks = list(numbered(photos, sources))
        reader = opened_reader(board, profile, data_dir, camera)
        scores = score and _is_scored(board, reader)
        lacks = _lacking(tasks, scores, overlay_dir)
        results = None if out is None else Results(out, resume, photos, lacks)
        done = frozenset() if results is None else results.done(_about(board, reader))
        job = Job(reader, board, overlay_dir, scores, done, folder=Path.cwd())
        tally = Counter(
            f"not read: {Path(other).suffix[1:].upper()}"
            for other in {other for pictures in found for other in pictures.others}
        )
        with ExitStack() as stack:
            add = None if results is None else stack.enter_context(results.growing())
            rows = _rows(job, tasks, workers, scheduler)
            stack.enter_context(closing(rows))  # Dask cannot be ended by the collector of garbage
            for row in _with_progress(rows, len(photos), hidden=out is None):
                _count(tally, row)
                if row is None:
                    continue
                if add is not None:
                    add(row)
                elif as_json:
                    print_json(row)
                elif row["found"]:
                    click.echo(f"{plain(row['photo'])}: {summary(row)}")
                    if "score" in row:
                        click.echo(indent(_scored(row["score"]), "    "))
                else:
                    click.echo(f"{plain(row['photo'])}: {row['message']}", err=True)
    except FormatError as error:
        raise click.BadParameter(str(error), param_hint="--out") from None
    except (OverlayError, cluster.ClusterLost) as error:
        hint = "" if out is None else "; go on with --resume"
        raise click.ClickException(f"{error}{hint}") from None
    except (PhotosNotFound, ResultsError, cluster.ClusterError) as error:
        raise click.ClickException(str(error)) from None
    if not as_json or out is not None:
        click.echo(_told(tally), err=as_json)
    if not tally["read"] + tally["had"]:
        ctx.exit(1)


def _scored(score: dict[str, Any]) -> str:
    """What a board scores, for people."""
    from scorer.report import render

    if "matches" not in score:
        return render(score)
    return f"matching cards: {', '.join(str(card['id']) for card in score['matches']) or 'none'}"


def _name(board: str, reader: Any) -> str:
    return board if board in BOARDS else str(reader.spec.name)


def _is_scored(board: str, reader: Any) -> bool:
    """Whether a board alone gives a score; a note says if it does not."""
    from webapp.batch.job import is_scored

    found = is_scored(board, reader)
    if not found:
        name = _name(board, reader)
        click.echo(f"note: --score adds nothing: a board of {name} alone has no score", err=True)
    return found


def _about(board: str, reader: Any) -> dict[str, str]:
    """What every row of photos that are read has in common."""
    from models.registry import model_version

    profile = reader.profile if board == "cards" else reader.profile.name
    return {"board": _name(board, reader), "profile": profile, "model": model_version()}


def _lacking(
    tasks: list[Task], scored: bool, overlays: Path | None
) -> Callable[[dict[str, Any]], bool]:
    """What tells whether a row has no score, if its board is *scored*, or its photo has no
    overlay."""
    from webapp.batch.job import as_text

    bare = {
        as_text(photo)
        for _, photo, overlay in tasks
        if overlays is not None and not (overlays / overlay).is_file()
    }

    def lacks(row: dict[str, Any]) -> bool:
        without = (scored and "score" not in row) or as_text(row["photo"]) in bare
        return bool(row.get("found")) and without

    return lacks


def _rows(
    job: Any, tasks: list[Any], workers: int | None, scheduler: str | None
) -> Generator[dict[str, Any] | None, None, None]:
    """On Dask if it is installed, else in processes of this machine."""
    from webapp.batch import cluster, pool

    several = min(workers or os.cpu_count() or 1, len(tasks))
    if cluster.is_installed():
        return cluster.rows(job, tasks, scheduler, several)
    return pool.rows(job, tasks, several)


def _with_progress(rows: Iterator[Any], count: int, hidden: bool) -> Iterator[Any]:
    """The same rows, with a bar, their rate and the time left on a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    started = time.monotonic()
    with Progress(
        *columns, TimeRemainingColumn(), console=console, disable=hidden or not console.is_terminal
    ) as shown:
        bar = shown.add_task("photos", total=count, rate="")
        for number, row in enumerate(rows, 1):
            rate = number / max(time.monotonic() - started, 1e-3)
            shown.update(bar, advance=1, rate=f"{rate:.1f} photos/s")
            yield row


def _count(tally: Counter[str], row: dict[str, Any] | None) -> None:
    if row is None:
        tally["had"] += 1
    elif row["found"]:
        tally["read"] += 1
        tally["sure"] += bool(row.get("sure"))
    else:
        tally[f"refused: {row['reason']}"] += 1


def _told(tally: Counter[str]) -> str:
    """The summary: read, sure, asked, refused by reason, other pictures by kind."""
    return (
        f"{tally['read']} read, {tally['sure']} of them sure,"
        f" {tally['read'] - tally['sure']} with questions, {_sum(tally, 'refused') or '0 refused'}"
        + (f", {tally['had']} had a row" if tally["had"] else "")
        + (f", {others}" if (others := _sum(tally, "not read")) else "")
    )


def _sum(tally: Counter[str], what: str) -> str:
    """How many photos there are of *what*, and of which kinds; empty if there are none."""
    kinds = {
        key.removeprefix(f"{what}: "): count
        for key, count in sorted(tally.items())
        if key.startswith(f"{what}: ")
    }
    each = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    return f"{sum(kinds.values())} {what} ({each})" if kinds else ""

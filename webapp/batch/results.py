"""The rows of an archive in a file: JSON Lines, or Parquet with a type for every column."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from calibration.files import replacing, still_there
from webapp.batch.job import Row, as_text, own_row

GROUP = 1000
"""Rows of a row group of a Parquet file."""
PAIRS = {"cells": "alternatives", "cards": "alternatives", "doubts": "options"}
"""Lists of a row, and in each the pairs of a label and a probability."""


class ResultsError(Exception):
    """The file cannot be written or gone on with; the message is one sentence for the person."""


class FormatError(ResultsError):
    """The ending of the file's name is of no format that can be written here."""


class Results:
    """A file of rows that grows by one row at a time, so that nothing is lost by an end.

    A Parquet file cannot grow: its rows are kept as JSON Lines beside it until all are there.
    """

    def __init__(
        self,
        path: Path,
        resume: bool,
        photos: Iterable[str] = (),
        lacks: Callable[[Row], bool] = lambda _: False,
    ) -> None:
        """*photos* are read now: rows of them go that were noted while they could not be opened, or
        that lack what is asked for.

        Raises ResultsError if the file is there and shall not be gone on with, or is another, and
        FormatError, which is one, by its name alone.
        """
        self.path = path
        self._photos = frozenset(map(as_text, photos))
        self._lacks = lacks
        self._is_parquet = path.suffix == ".parquet"
        if self._is_parquet:
            _pyarrow()
        elif path.suffix != ".jsonl":
            raise FormatError(f"expected a .jsonl or .parquet file, got {path.name}")
        self._lines = path.with_name(f"{path.name}.part") if self._is_parquet else path
        if not resume and (_holds_rows(path) or _holds_rows(self._lines)):
            raise ResultsError(
                f"{path} is there already: add --resume to go on with it, or name another file"
            )

    def done(self, about: Row | None = None) -> frozenset[str]:
        """What tells photos that have a row, see ``Job.done``: of the photos that are read now by
        their names, too, for another one may have the same content.

        Raises ResultsError, also for rows whose board, profile or model is not that of *about*.
        """
        return frozenset(self._done(about or {}))

    def _done(self, about: Row) -> Iterator[str]:
        for row in filter(self._stays, self.rows()):
            other = {name: row[name] for name in about if row.get(name, about[name]) != about[name]}
            if other:
                raise ResultsError(
                    f"{self.path} has rows of {_listed(other)}, but"
                    f" {_listed({name: about[name] for name in other})} is asked for now: name"
                    " another file"
                )
            sha256 = row.get("sha256")
            if isinstance(sha256, str):
                photo = row.get("photo", "")
                yield own_row(sha256, photo) if as_text(photo) in self._photos else sha256

    def rows(self) -> Iterator[Row]:
        """The rows that are there, of a finished file those whose photos are not tried again.

        Raises ResultsError.
        """
        if self._is_parquet and _holds_rows(self.path):
            yield from filter(self._stays, _rows_of(self.path))
        yield from _rows_in(self._lines)

    @contextmanager
    def growing(self) -> Iterator[Any]:
        """A function that adds a row. A Parquet file is written at the end. Raises ResultsError."""
        with self._told():
            self._take_away()
            file = self._lines.open("a", encoding="utf-8")
            is_there = still_there(self._lines)

        def refuse_gone() -> None:
            if not is_there():
                raise ResultsError(
                    f"{self._lines} is gone or was replaced: put it back and go on with --resume,"
                    " or start again"
                )

        def add(row: Row) -> None:
            line = json.dumps(row) + "\n"
            refuse_gone()
            with self._told():
                file.write(line)
                file.flush()

        try:
            yield add
        finally:
            with self._told():
                file.close()
        refuse_gone()
        if self._is_parquet:
            with self._told():
                self._finish()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raises ResultsError in place of what the disk says."""
        try:
            yield
        except OSError as error:
            what_to_do = (
                f"what was read so far is in {self._lines}; make room and go on with --resume"
                if _holds_rows(self._lines)
                else "name another file with --out"
            )
            raise ResultsError(
                f"{self.path} cannot be written ({error.strerror or error}): {what_to_do}"
            ) from None

    def _take_away(self) -> None:
        """Take away earlier rows of photos that are read again."""
        if all(map(self._stays, _rows_in(self._lines))):
            return
        with replacing(self._lines) as file:
            for row in filter(self._stays, _rows_in(self._lines)):
                file.write(json.dumps(row).encode() + b"\n")

    def _stays(self, row: Row) -> bool:
        is_whole = ("sha256" in row or row["found"]) and not self._lacks(row)
        return is_whole or as_text(row["photo"]) not in self._photos

    def _finish(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        part = self.path.with_name(f"{self.path.name}.new")
        with pq.ParquetWriter(part, schema()) as writer:
            group: list[Row] = []
            for row in self.rows():
                group.append(columns_of(row))
                if len(group) == GROUP:
                    writer.write_table(pa.Table.from_pylist(group, schema()))
                    group = []
            writer.write_table(pa.Table.from_pylist(group, schema()))
        os.replace(part, self.path)
        self._lines.unlink()


def _holds_rows(path: Path) -> bool:
    """Whether there is more than an empty file, as a run leaves that could not start."""
    return path.exists() and path.stat().st_size > 0


def _rows_in(lines: Path) -> Iterator[Row]:
    """The rows of JSON Lines; none if there is no such file. Raises ResultsError.

    A last line that was not finished is taken away.
    """
    if not lines.exists():
        return
    with lines.open("rb+") as file:
        for number, line in enumerate(file, 1):
            is_finished = line.endswith(b"\n")
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not _is_row(row) and (is_finished or row is not None):
                raise ResultsError(
                    f"{lines}: line {number} is no row that batch wrote: name another file"
                )
            if not is_finished:
                file.truncate(file.tell() - len(line))
                return
            yield row


def _is_row(row: Any) -> bool:
    """Whether a line has what every row has, of a photo that was opened or was not."""
    return isinstance(row, dict) and (
        "sha256" in row
        or (isinstance(row.get("photo"), str) and isinstance(row.get("found"), bool))
    )


def _listed(named: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in named.items())


def _pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401 (is it there?)
    except ImportError:
        raise FormatError(
            "Parquet needs pyarrow: pip install 'tallystone[cluster]', or write .jsonl"
        ) from None


def schema() -> Any:
    """The columns of a Parquet file: the document of ``tallystone read``, and the score as JSON."""
    import pyarrow as pa

    points = pa.list_(pa.list_(pa.float64()))
    guesses = pa.list_(pa.struct({"label": pa.string(), "p": pa.float64()}))
    seen = {
        "confidence": pa.float64(),
        "sure": pa.bool_(),
        "quad": points,
        "alternatives": guesses,
    }
    cells = {"row": pa.int16(), "col": pa.int16(), "label": pa.string(), **seen}
    cards = {"id": pa.int16(), "points": pa.int16(), "pattern": pa.string(), **seen}
    doubts = {
        "kind": pa.string(),
        "probability": pa.float64(),
        "question": pa.string(),
        "cells": pa.list_(pa.list_(pa.int16())),
        "options": guesses,
    }
    texts = ("photo", "sha256", "board", "text", "reason", "message", "profile", "model", "score")
    fields = {name: pa.string() for name in texts}
    fields |= {"found": pa.bool_(), "sure": pa.bool_(), "problems": pa.list_(pa.string())}
    fields |= {
        "cells": pa.list_(pa.struct(cells)),
        "cards": pa.list_(pa.struct(cards)),
        "doubts": pa.list_(pa.struct(doubts)),
        "outline": points,
        "ms": pa.map_(pa.string(), pa.float64()),
    }
    return pa.schema(fields)


def columns_of(row: Row) -> Row:
    """A row as the columns of ``schema``. Bytes of a name that are no text are written as such."""
    out = {name: row.get(name) for name in schema().names}
    out["photo"] = as_text(row["photo"])
    for many, pairs in PAIRS.items():
        if many in row:
            out[many] = [
                one | {pairs: [{"label": str(label), "p": p} for label, p in one.get(pairs, ())]}
                for one in row[many]
            ]
    out["ms"] = None if row.get("ms") is None else list(row["ms"].items())
    out["score"] = None if "score" not in row else json.dumps(row["score"])
    return out


def row_of(columns: Row) -> Row:
    """The row of the columns of ``schema``."""
    row = {name: value for name, value in columns.items() if value is not None}
    for many, pairs in PAIRS.items():
        for one in row.get(many, ()):
            one[pairs] = [
                [int(pair["label"]) if many == "cards" else pair["label"], pair["p"]]
                for pair in one[pairs]
            ]
    if "ms" in row:
        row["ms"] = dict(row["ms"])
    if "score" in row:
        row["score"] = json.loads(row["score"])
    return row


def _rows_of(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(schema()):
                raise ResultsError(
                    f"{path} has other columns than this version writes: name another file"
                )
            for batch in file.iter_batches(GROUP):
                yield from map(row_of, batch.to_pylist())
    except pa.ArrowInvalid as error:
        raise ResultsError(f"{path} is no Parquet file ({error}): name another file") from None

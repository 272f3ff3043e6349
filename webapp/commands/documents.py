"""Commands that answer JSON documents: ``score``, ``moves`` and ``audit``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

import click

from webapp.commands.common import json_option, print_json

if TYPE_CHECKING:
    from scorer.documents import Command

FILE = click.argument(
    "file",
    type=click.File("r", encoding="utf-8-sig", errors="replace"),
    default="-",
    metavar="[FILE|-]",
)


def _answer(ctx: click.Context, question: Command, lines: Iterable[str], as_json: bool) -> None:
    from scorer.documents import answer_lines
    from scorer.report import render

    refused = False
    for answer in answer_lines(question, lines):
        refused |= "error" in answer
        if as_json:
            print_json(answer)
        else:
            click.echo(render(answer))
    if refused:
        ctx.exit(1)


@click.command()
@FILE
@json_option
@click.pass_context
def score(ctx: click.Context, file: TextIO, as_json: bool) -> None:
    """Score the JSON documents in FILE, one a line; '-' or nothing is stdin.

    A document that cannot be read is answered with an error in its place, and the exit status is 1.
    """
    _answer(ctx, "score", file, as_json)


@click.command()
@FILE
@json_option
@click.pass_context
def moves(ctx: click.Context, file: TextIO, as_json: bool) -> None:
    """Find the legal or best moves for JSON documents in FILE; '-' or nothing is stdin.

    A document that cannot be read is answered with an error in its place, and the exit status is 1.
    """
    _answer(ctx, "moves", file, as_json)


@click.command()
@FILE
@json_option
@click.pass_context
def audit(ctx: click.Context, file: TextIO, as_json: bool) -> None:
    """Check claimed points against states, for JSON documents in FILE; '-' or nothing is stdin.

    A document that cannot be read is answered with an error in its place, and the exit status is 1.
    """
    _answer(ctx, "audit", file, as_json)

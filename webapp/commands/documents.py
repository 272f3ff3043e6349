"""Commands that answer JSON documents: ``score``, ``moves`` and ``audit``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

import click

from webapp.commands.common import file_argument, json_option, print_json

if TYPE_CHECKING:
    from scorer.documents import Command


def _command(question: Command, what: str) -> click.Command:
    """The command that answers a question about each document."""

    @click.command(
        question,
        help=f"""{what} JSON documents in FILE, one a line; '-' or nothing is stdin.

        A document that cannot be read is answered with an error in its place, and the exit status
        is 1.
        """,
    )
    @file_argument
    @json_option
    @click.pass_context
    def command(ctx: click.Context, file: TextIO, as_json: bool) -> None:
        from scorer.documents import answer_lines
        from scorer.report import render

        refused = False
        for answer in answer_lines(question, file):
            refused |= "error" in answer
            if as_json:
                print_json(answer)
            else:
                click.echo(render(answer))
        if refused:
            ctx.exit(1)

    return command


score = _command("score", "Score the")
moves = _command("moves", "Find the legal or best moves for")
audit = _command("audit", "Check claimed points against states, for")

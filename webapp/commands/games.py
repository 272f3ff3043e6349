"""Commands about the printed matter: ``cards`` and ``print``."""

from pathlib import Path

import click

from webapp.commands.common import folder_option, json_option, tell


@click.command()
@click.option(
    "--grid",
    metavar="TEXT",
    help="Only the cards that match this grid, such as 'sun fish ... / ... / ...'.",
)
@json_option
def cards(grid: str | None, as_json: bool) -> None:
    """List the 72 pattern cards of Shifting Stones, or those that match a grid."""
    from scorer.notation import in_words
    from scorer.stones.board import StoneGrid
    from webapp.cards import DECK_SIZE, all_cards, match_grid

    if grid is None:
        for card in all_cards():
            tell(card, f"{card['id']:>2}  {card['points']}  {card['pattern']}", as_json)
        return
    answer = match_grid(str(StoneGrid.parse(grid)))
    for card in answer["matches"]:
        places = ", ".join(in_words(cells[0]) for cells in card["places"])
        words = f"{card['id']:>2}  {card['points']}  {card['pattern']:<44}  at {places}"
        tell(card, words, as_json)
    if not as_json:
        click.echo(f"{len(answer['matches'])} of {DECK_SIZE} cards match")
    for problem in answer["problems"]:
        click.echo(problem["message"], err=True)


@click.command("print")
@folder_option(
    "--output",
    "output",
    default=Path("."),
    show_default="current folder",
    metavar="DIR",
    help="Where the sheets are written.",
)
@json_option
def print_sheets(output: Path, as_json: bool) -> None:
    """Write printable sheets: a stone set of our own to cut out, and the camera sheet."""
    from webapp.bundled import sheets

    found = sheets()
    if not found:
        raise click.ClickException("this installation holds no printable sheets")
    output.mkdir(parents=True, exist_ok=True)
    for name, data in found:
        target = output / name
        target.write_bytes(data)
        tell({"sheet": str(target), "bytes": len(data)}, f"wrote {target}", as_json)
    if not as_json:
        click.echo(
            "Print at 100 % (no scaling); glue the stones onto card and cut along the lines."
        )

"""What ``tallystone demo`` shows: the bundled photos, read, matched and explained."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from rich.columns import Columns
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from scorer.text import counted
from webapp.bundled import DemoPhoto, demo_photos
from webapp.cards import DECK_SIZE, match_grid
from webapp.commands.common import print_json
from webapp.commands.one_photo import read_photo, write_overlay

STONE_STYLES = {
    "sun": "black on #f0d24f",
    "moon": "white on #4a4149",
    "fish": "black on #ee8f4f",
    "bird": "black on #ee6f72",
    "horse": "white on #7d5a86",
    "boat": "black on #57c1b9",
    "seed": "black on #d9d4cb",
    "tree": "black on #86bd74",
}
"""Terminal colours of the stones, near the printed ones; the word is always there too."""


def run_demo(output: Path, data_dir: Path, as_json: bool) -> int:
    """Read every bundled photo and write its overlay. Returns how many were read."""
    from calibration.reader import open_reader
    from vision.boards import BOARDS

    photos = demo_photos()
    if not photos:
        raise click.ClickException("this installation holds no demo photos")
    console = Console(highlight=False)
    readers = {
        board: open_reader(BOARDS[board], None, data_dir)
        for board in dict.fromkeys(p.board for p in photos)
    }
    done = 0
    for photo in photos:
        document, reading = read_photo(readers[photo.board], photo.name, photo.data)
        overlay = output / f"{Path(photo.name).stem}.overlay.jpg"
        if reading is not None:
            write_overlay(photo.data, reading, overlay)
            done += 1
            if photo.board == "stones":
                document |= {"matches": match_grid(document["text"])["matches"]}
            document |= {"overlay": str(overlay), "truth": photo.text}
        if as_json:
            print_json(document)
        else:
            console.print(_panel(photo, document, overlay))
    if not as_json:
        console.print(
            f"The photos with what was read drawn on them are in [bold]{output}[/]{os.sep}"
        )
        console.print(
            "Now with your own photos: run [bold]tallystone serve[/] and open its address on "
            "your phone."
        )
    return done


def _panel(photo: DemoPhoto, document: dict[str, Any], overlay: Path) -> Panel:
    title = f"[bold]{photo.name}[/]"
    if not document["found"]:
        return Panel(document["message"], title=title, title_align="left", border_style="red")
    matches: list[dict[str, Any]] = document.get("matches", [])
    ms = document["ms"].get("total", 0)
    points = counted(sum(match["points"] for match in matches), "point")
    facts = [
        Text(
            f"read in {ms:.0f} ms, "
            + ("every cell sure" if document["sure"] else "please check the cells with ?")
        ),
        Text(_against_truth(photo, document)),
        Text(f"{len(matches)} of {DECK_SIZE} pattern cards match: {points} in all"),
    ]
    body = Columns([_grid(document["cells"]), Padding(Group(*facts), (1, 0, 0, 2))])
    return Panel(
        Group(body, _matches(matches)),
        title=title,
        subtitle=str(overlay),
        title_align="left",
        subtitle_align="right",
    )


def _grid(cells: Iterable[dict[str, Any]]) -> Table:
    by_place = {(cell["row"], cell["col"]): cell for cell in cells}
    table = Table.grid(padding=(0, 1, 1, 0))
    for row in sorted({row for row, _ in by_place}):
        table.add_row(
            *(
                Text(
                    f" {cell['label'] + ('' if cell['sure'] else '?'):^7}",
                    style=STONE_STYLES.get(cell["label"], "reverse"),
                )
                for (r, _), cell in sorted(by_place.items())
                if r == row
            )
        )
    return table


def _matches(matches: list[dict[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("card", justify="right")
    table.add_column("points", justify="right")
    table.add_column("pattern")
    table.add_column("where (row, column)")
    for card in sorted(matches, key=lambda card: (-card["points"], card["id"])):
        places = " or ".join(
            " ".join(f"{row + 1},{col + 1}" for row, col in cells) for cells in card["places"]
        )
        table.add_row(str(card["id"]), str(card["points"]), card["pattern"], places)
    return table


def _against_truth(photo: DemoPhoto, document: dict[str, Any]) -> str:
    if document["text"] == photo.text:
        return "all cells as they truly lie"
    read, true = (text.replace("/", " ").split() for text in (document["text"], photo.text))
    wrong = sum(a != b for a, b in zip(read, true, strict=False)) + abs(len(read) - len(true))
    return f"{wrong} of {len(true)} cells differ from what truly lies there: {photo.text}"

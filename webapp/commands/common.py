"""What several commands share: option types, the data folder, JSON lines."""

import difflib
import errno
import json
import os
import signal
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

BOARDS = ("stones", "seasons", "time", "cards")
"""The boards known by name; any other is a TOML file."""

GRIDS = tuple(board for board in BOARDS if board != "cards")
"""The boards known by name whose pieces lie in a grid: those that can be taught."""

AUTO = "auto"
"""Whatever known game lies there."""

DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
"""What the system says of a place that may not be written to."""

PHOTO_SUFFIXES = (".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".png", ".apng", ".webp")

F = TypeVar("F", bound=Callable[..., Any])


if TYPE_CHECKING:
    TextType = click.ParamType[str]
    AnyType = click.ParamType[Any]
else:  # older releases of click know no type arguments here
    TextType = AnyType = click.ParamType


class BoardType(TextType):
    """A board known by name, or the path of a TOML file that describes one; ``names`` are those
    that may be said."""

    name = "board"

    def __init__(self, names: tuple[str, ...] = BOARDS) -> None:
        self.names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if text in self.names or text in BOARDS:  # the reader says why it is not for this
            return text
        if not text.lower().endswith(".toml"):
            close = difflib.get_close_matches(text, self.names, 1)
            meant = f": did you mean {close[0]}?" if close else ""
            names = ", ".join(self.names)
            self.fail(f"expected {names} or a .toml file, got {text!r}{meant}", param, ctx)
        if not Path(text).is_file():
            self.fail(f"{text}: no such file", param, ctx)
        return text

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = [CompletionItem(name) for name in self.names if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]


class CornersType(AnyType):
    """``x,y x,y x,y x,y`` clockwise from the grid's top left, or ``photo``."""

    name = "corners"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from vision.find.corners import Corners

        if isinstance(value, Corners):
            return value
        try:
            return Corners.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def default_data_dir() -> Path:
    """The per-user data folder: profiles live here. It is created by whoever writes to it.

    Raises ValueError, with one sentence, for a user without a home.
    """
    import platformdirs

    try:
        return Path(platformdirs.user_data_dir("tallystone", appauthor=False))
    except RuntimeError:
        raise ValueError(
            "this user has no home folder: name a data folder with --data or TALLYSTONE_DATA"
        ) from None


def folder_option(option: str, name: str, **settings: Any) -> Callable[[F], F]:
    """An option for a folder that is written to; whoever may not write there is told its name."""

    def added(command: F) -> F:
        @wraps(command)
        def told(*args: Any, **values: Any) -> Any:
            try:
                return command(*args, **values)
            except OSError as error:
                if error.errno in DENIED and _is_about(error, values[name]):
                    raise click.ClickException(
                        f"{error.filename}: {error.strerror}: choose another folder with {option}"
                    ) from error
                raise

        kind = click.Path(file_okay=False, path_type=Path)
        return click.option(option, name, type=kind, **settings)(cast(F, told))

    return added


def _is_about(error: OSError, folder: Path | None) -> bool:
    """Whether it is *folder* or something in it that is refused, or a folder on the way there."""
    if folder is None or not isinstance(error.filename, str):
        return False
    folder, refused = folder.absolute(), Path(error.filename).absolute()
    return refused.is_relative_to(folder) or folder.is_relative_to(refused)


def _data_option(default: Callable[[], Path] | None) -> Callable[[F], F]:
    return folder_option(
        "--data",
        "data_dir",
        envvar="TALLYSTONE_DATA",
        show_envvar=True,
        default=default,
        show_default="per-user data folder",
        help="Folder that holds games, photos, taught profiles, cameras and keys.",
    )


data_option = _data_option(default_data_dir)
data_option_of_group = _data_option(None)
"""That of a group: its commands have their own, so that it needs none before them."""


def _with_dask(ctx: click.Context, _: click.Parameter, scheduler: str | None) -> str | None:
    from webapp.batch import cluster

    if scheduler and not cluster.is_installed():
        raise click.UsageError("--scheduler needs Dask: pip install 'tallystone[cluster]'", ctx)
    return scheduler


scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    envvar="TALLYSTONE_SCHEDULER",
    show_envvar=True,
    callback=_with_dask,
    help="Read photos on the Dask cluster at tcp://host:8786.",
)


def board_option(
    names: tuple[str, ...] = BOARDS, more: str = "", required: bool = True
) -> Callable[[F], F]:
    """``--board``: one of *names*, or a file."""
    return click.option(
        "--board",
        type=BoardType(names),
        metavar="|".join([*names, "FILE.toml"]),
        required=required,
        help=f"What lies on the table; a file describes any other set{more}.",
    )


def taught_board(board: str) -> str:
    """The name of the board whose profiles ``--board`` means: a file names it, and pattern cards
    are read with the profiles of the stones.

    Raises
    ------
    BoardSpecError
        If a file is there and describes no board.
    """
    from calibration.boards import open_board

    if board == "cards":
        return "stones"
    is_file = board.lower().endswith(".toml") and Path(board).is_file()
    return open_board(board).name if is_file else board


def complete_profiles(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The taught profiles of the board that was named, or of all."""
    from calibration.profiles import list_profiles

    known = list_profiles(ctx.params.get("data_dir") or default_data_dir())
    board = ctx.params.get("board")
    try:
        meant = None if board in (None, AUTO) else taught_board(board)
    except ValueError:  # the command itself says what is wrong with the file
        return []
    names = {one.name for one in known if meant in (None, one.board)}
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


profile_option = click.option(
    "--profile",
    metavar="NAME",
    shell_complete=complete_profiles,
    help="A taught profile of your copy of the game.  [default: the bundled one]",
)
corners_option = click.option(
    "--corners",
    type=CornersType(),
    metavar='"X,Y X,Y X,Y X,Y"|photo',
    help="Where the grid is: its outer corners in pixels, clockwise from its top left,"
    " or 'photo' when it fills the photo.",
)
camera_option = click.option(
    "--camera",
    metavar="NAME",
    help="A calibrated camera (see `tallystone camera`), to straighten a doubtful photo.",
)
overlay_option = folder_option(
    "--overlay",
    "overlay_dir",
    metavar="DIR",
    help="Write a copy of each photo with what was read drawn on it, as DIR/<photo>.overlay.jpg.",
)
file_argument = click.argument(
    "file",
    type=click.File("r", encoding="utf-8-sig", errors="replace"),
    default="-",
    metavar="[FILE|-]",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a line and nothing else."
)


def print_json(document: Any) -> None:
    """One JSON line on stdout. ASCII only, so that no terminal or pipe can spoil it."""
    click.echo(json.dumps(document))


_ESCAPED = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}


def plain(text: str) -> str:
    """A text that others wrote, as one line that steers no terminal: ``\\x1b`` is written out."""
    return text.translate(_ESCAPED)


def tell(document: Any, words: str, as_json: bool) -> None:
    """Print a document, or what it says in words."""
    if as_json:
        print_json(document)
    else:
        click.echo(words)


def lan_address() -> str | None:
    """The address by which the local network reaches this machine, if there is a network.

    A datagram socket that is "connected" picks the outgoing interface without sending anything.
    """
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.254.254.254", 1))
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if address.startswith("127.") or address == "0.0.0.0" else address


def address_for_network(host: str) -> str | None:
    """The address by which the local network reaches a server that listens on *host*, if any."""
    if host in ("0.0.0.0", "::"):
        return lan_address()
    return None if host in ("localhost", "::1") or host.startswith("127.") else host


def is_writable_folder(folder: Path) -> bool:
    """Whether *folder*, or the first parent that exists, can be written to."""
    for place in (folder, *folder.absolute().parents):
        if place.exists():
            return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    return False


def ending_signals() -> list[signal.Signals]:
    """What asks the program to end, without what is ignored, as SIGHUP is with nohup."""
    there = {getattr(signal, name, signal.SIGTERM) for name in ("SIGTERM", "SIGHUP")}
    return [number for number in there if signal.getsignal(number) != signal.SIG_IGN]

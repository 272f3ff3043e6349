"""Board descriptions by name or from a TOML file."""

from pathlib import Path

from scorer.custom.board import BoardSpecError
from scorer.text import NO_UTF8
from vision.boards import BOARDS, BoardSpec


def open_board(board: str | Path) -> BoardSpec:
    """The description of a board: one that comes with the program, or a TOML file's.

    Raises
    ------
    BoardSpecError
        With the file and field that is wrong.
    """
    board = str(board)
    if board in BOARDS:
        return BOARDS[board]
    if board == "cards":
        raise BoardSpecError(
            "pattern cards are no grid and are not taught: teach the stones, whose pictures they "
            "print"
        )
    if not board.lower().endswith(".toml"):
        raise BoardSpecError(
            "expected %(known)s or the path of a .toml file, got %(board)s",
            known=", ".join(BOARDS),
            board=repr(board),
        )
    path = Path(board)
    try:
        return BoardSpec.from_toml(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BoardSpecError(
            "%(name)s: cannot be read: %(strerror)s", name=path.name, strerror=error.strerror
        ) from None
    except UnicodeDecodeError:
        raise BoardSpecError("%(name)s: %(error)s", name=path.name, error=NO_UTF8) from None
    except BoardSpecError as error:
        raise BoardSpecError("%(name)s: %(error)s", name=path.name, error=error.message) from None


def described(name: str) -> BoardSpec:
    """What is known of a board by its name alone: a built-in one, or any grid."""
    return BOARDS.get(name) or BoardSpec(name, (1, 32), (1, 32), empty=True, aspect=None)

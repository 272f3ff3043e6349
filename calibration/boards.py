"""Board descriptions by name or from a TOML file."""

from pathlib import Path

from scorer.custom.board import BoardSpecError
from vision.boards import BOARDS, BoardSpec


def open_board(board: str) -> BoardSpec:
    """The description of a board: one that comes with the program, or a TOML file's.

    Raises
    ------
    BoardSpecError
        With the file and field that is wrong.
    """
    if board in BOARDS:
        return BOARDS[board]
    if board == "cards":
        raise BoardSpecError(
            "pattern cards are no grid and are not taught: teach the stones, whose pictures they "
            "print"
        )
    if not board.endswith(".toml"):
        raise BoardSpecError(
            f"expected {', '.join(BOARDS)} or the path of a .toml file, got {board!r}"
        )
    path = Path(board)
    try:
        return BoardSpec.from_toml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardSpecError(f"{path.name}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, BoardSpecError) as error:
        raise BoardSpecError(f"{path.name}: {error}") from None


def described(name: str) -> BoardSpec:
    """What is known of a board by its name alone: a built-in one, or any grid."""
    return BOARDS.get(name) or BoardSpec(name, (1, 32), (1, 32), empty=True, aspect=None)

"""What differs by kind of board: the one place that asks which game it is.

Kept out: what all boards share (``vision.find``, ``vision.name``, ``vision.decode``).
"""

from vision.boards import BoardSpec
from vision.kinds.kind import Kind
from vision.kinds.open_grids import OpenGrid, TimeGrid
from vision.kinds.seasons import SeasonBoard
from vision.kinds.stones import Stones, UntaughtStones

KINDS: dict[str, Kind] = {"stones": Stones(), "seasons": SeasonBoard(), "time": TimeGrid()}
FULL, OPEN, UNTAUGHT = Kind(), OpenGrid(), UntaughtStones()


def kind_of(spec: BoardSpec, published: bool = False) -> Kind:
    """The kind of a board; ``published`` where nothing was taught and the stones network reads."""
    if published:
        return UNTAUGHT
    return KINDS.get(spec.name, OPEN if spec.is_open else FULL)

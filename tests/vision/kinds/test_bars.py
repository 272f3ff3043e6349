"""From where on cells are sure, by kind of board."""

from vision.boards import SEASONS_BOARD, STONES
from vision.kinds import kind_of
from vision.kinds.kind import Bars


def bars_of(board: str, label: str, copies: int = 2) -> Bars:
    spec = {"stones": STONES, "published": STONES, "seasons": SEASONS_BOARD}[board]
    return kind_of(spec, board == "published").bars(label, copies)


def test_bars_are_higher_where_readers_err_with_certainty() -> None:
    """Hard season colours: orange and coral in warm light, glare, flat frames around numbers."""
    plain, orange = bars_of("published", "sun"), bars_of("published", "fish")
    assert orange.together > plain.together
    assert bars_of("published", "bird") == bars_of("published", "seed") == orange
    assert bars_of("stones", "fish") == bars_of("stones", "sun")
    assert bars_of("stones", "sun", copies=1).together > bars_of("stones", "sun").together
    tile, number = bars_of("seasons", "spring*"), bars_of("seasons", "1!")
    assert number.alone > tile.alone
    assert number.together > tile.together
    for bars in (plain, orange, tile, number):
        assert 0.5 < bars.together <= bars.alone < 1

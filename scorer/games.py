"""Every game that can be played."""

from collections.abc import Mapping

from scorer.custom.game import Custom
from scorer.game import Game, Json
from scorer.seasons.game import Seasons
from scorer.stones.game import Stones
from scorer.time.game import TurnOfTime
from scorer.villagers.game import Villagers

GAMES: Mapping[str, Game] = {
    game.code: game for game in (Stones(), Seasons(), TurnOfTime(), Villagers(), Custom())
}
"""Every game by its code, in the order of the start page; ``scorer.setup.started`` starts one."""


def title_of(kind: str, setup: Json) -> str:
    """The name of a game: of its board if that was described, else of its rules.

    The code of rules that are not known.
    """
    rules = GAMES.get(kind)
    board = setup.get("options", {}).get("board") or {} if kind == "custom" else {}
    return str(board.get("name") or (rules.setup_form().title if rules else kind))

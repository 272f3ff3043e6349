"""Every game that can be played."""

from collections.abc import Mapping

from scorer.custom.game import Custom
from scorer.game import Game
from scorer.seasons.game import Seasons
from scorer.stones.game import Stones
from scorer.time.game import TurnOfTime
from scorer.villagers.game import Villagers

GAMES: Mapping[str, Game] = {
    game.code: game for game in (Stones(), Seasons(), TurnOfTime(), Villagers(), Custom())
}
"""Every game by its code, in the order of the start page; ``scorer.setup.started`` starts one."""

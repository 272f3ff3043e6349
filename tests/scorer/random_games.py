"""Random games of every kind: a setup, and the actions and states of its log.

python tests/scorer/random_games.py [KIND]     prints the record of one
"""

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

from scorer.game import ActionError
from scorer.games import GAMES
from scorer.notation import join_rows
from scorer.setup import started
from scorer.stones.board import BOX, SIDE
from scorer.stones.cards import CARDS, placements
from scorer.stones.state import grid_of, turn_seat
from scorer.stones.turn import ACTIONS, Flip, Score, best_turn
from scorer.villagers.cards import published_deck

Json = dict[str, Any]

NAMES = ("Ann", "Ben O'Hara", "Chloé", "李明", '5: "x"; y', "table", "result Zoe", "Dora")
SEASONS = ("spring", "summer", "autumn", "winter")
MEADOW: Json = {"name": "meadow", "rows": [2, 3], "cols": [2, 4], "empty": True}
PIECES = ("cow", "pig", "a,b", "x;y", "p>q", ".")


class Log:
    """A game that is played; refused actions are left out."""

    def __init__(self, kind: str, setup: Json) -> None:
        self.game = GAMES[kind]
        self.kind = kind
        self.setup, start = started(self.game, setup)
        self.states: list[Json] = [start]
        self.actions: list[Json] = []

    @property
    def state(self) -> Json:
        return self.states[-1]

    def act(self, type: str, **fields: Any) -> bool:
        """Whether the action was allowed."""
        action = {"type": type, **fields}
        turn = self.game.turn_of(self.state)
        by = {"role": "host", "seat": fields.get("seat", turn[1] if turn else None), "held": []}
        try:
            self.states.append(self.game.act(self.state, action, by))
        except ActionError:
            return False
        self.actions.append(action)
        return True


def a_game(kind: str, rng: random.Random) -> Log:
    """A random game of that kind, finished."""
    log = PLAYERS[kind](rng)
    for column in log.game.pad(log.state):
        items = rng.sample(column.items, rng.randint(0, len(column.items)))
        log.act("claim", seat=column.seat, lines={item: rng.randint(-9, 90) for item in items})
    log.act("finish")
    if rng.random() < 0.1:
        log.act("resume")
        log.act("finish")
    return log


def people(rng: random.Random, least: int, most: int, colours: tuple[str, ...]) -> list[Json]:
    count = rng.randint(least, most)
    seats = rng.sample(colours, count) if colours else [None] * count
    return [
        {"name": name, "colour": seat}
        for name, seat in zip(rng.sample(NAMES, count), seats, strict=True)
    ]


def photo(rng: random.Random, words: list[str], columns: int) -> Json:
    """The fields of a board that came from a photo, now and then."""
    if rng.random() < 0.5:
        return {"photo": None, "corrections": []}
    cells = rng.sample(range(len(words)), rng.randint(0, min(3, len(words))))
    return {
        "photo": rng.randint(1, 5),
        "turns": rng.randint(0, 3),
        "corrections": [[*divmod(at, columns), rng.choice(words), words[at]] for at in cells],
        "answers": [{"question": "what", "answer": "sun"}],
    }


def stones(rng: random.Random) -> Log:
    """Hands are dealt from a real deck; some players tell theirs, some never."""
    log = Log(
        "stones",
        {
            "players": people(rng, 1, 5, ("yellow", "red", "purple", "turquoise", "green")),
            "options": {"advice": rng.random() < 0.5},
        },
    )
    faces = [rng.choice(kind.value).value for kind, count in BOX.items() for _ in range(count)]
    rng.shuffle(faces)
    text = join_rows(faces[at : at + SIDE] for at in range(0, SIDE * SIDE, SIDE))
    log.act("board", seat=None, text=text, **photo(rng, faces, SIDE))
    if rng.random() < 0.3:
        log.act("first", seat=rng.randrange(len(log.state["players"])))
    deck = [card.id for card in CARDS]
    rng.shuffle(deck)
    hands = [[deck.pop() for _ in range(4)] for _ in log.state["players"]]
    tells = [rng.random() < 0.7 for _ in hands]
    for _ in range(rng.randint(3, 40)):
        seat = turn_seat(log.state)
        hand = hands[seat]
        if tells[seat]:
            log.act(
                "hand", seat=seat, cards=rng.sample(hand, max(0, len(hand) - (rng.random() < 0.1)))
            )
        if rng.random() < 0.05:
            stray(rng, log)
        if not stones_turn(rng, log, hand, tells[seat]):
            break
        while len(hand) < log.state["seats"][seat]["count"] and deck:
            hand.append(deck.pop())
    return log


def stones_turn(rng: random.Random, log: Log, hand: list[int], tells: bool) -> bool:
    """A turn, best or at random. Whether the game goes on."""
    number = log.state["turn"]
    if rng.random() < 0.1 and log.act("skip", turn=number):
        return True
    grid = grid_of(log.state)
    assert grid is not None
    cards = [card for card in CARDS if card.id in hand]
    steps: list[Any] = []
    if rng.random() < 0.6:
        steps = list(best_turn(grid, cards).steps)
    else:
        steps = rng.sample(ACTIONS, rng.randint(0, 2))
        steps += [Score(card) for card in cards if placements(grid, card.pattern)][:1]
    kept = {step.card.id for step in steps if isinstance(step, Score)}
    for step in steps:
        if isinstance(step, Score):
            if log.act("score", turn=number, card=step.card.id):
                hand.remove(step.card.id)
            continue
        paid = next((card for card in hand if card not in kept), None)
        if paid is None:
            continue
        told = paid if tells and paid in log.state["seats"][turn_seat(log.state)]["hand"] else None
        move = (
            {"flip": list(step.cell)}
            if isinstance(step, Flip)
            else {"shift": [list(step.first), list(step.second)]}
        )
        if log.act("move", turn=number, discard=told, **move):
            hand.remove(paid)
    return log.act("end_turn", turn=number)


def stray(rng: random.Random, log: Log) -> None:
    """Something that is told beside the turns."""
    seat = rng.randrange(len(log.state["players"]))
    card = rng.choice(CARDS).id
    match rng.randrange(6):
        case 0:
            log.act("cell", row=rng.randrange(3), col=rng.randrange(3), label="sun")
        case 1:
            log.act("award", seat=seat, cards=[card])
        case 2:
            log.act("award", seat=seat, card=card)
        case 3:
            for taken in log.state["seats"][seat]["scored"][:1]:
                log.act("unscore", seat=seat, card=taken)
        case 4:
            log.act("turn", seat=seat)
        case _:
            log.act("hand", seat=seat, cards=[])


def seasons(rng: random.Random) -> Log:
    """Tiles are tapped in one by one where they may go, now and then a whole board."""
    names = [choice.value for choice in GAMES["seasons"].setup_form().options[0].choices]
    log = Log(
        "seasons",
        {
            "players": people(rng, 1, 4, SEASONS),
            "options": {
                "cards": rng.sample(names, rng.randint(1, 6)),
                "hand": rng.choice("AB"),
                "clockwise": rng.random() < 0.5,
            },
        },
    )
    for _ in range(rng.randint(5, 60)):
        seat = rng.randrange(len(log.state["players"]))
        view = log.game.view(log.state, {"role": "host"})["players"][seat]
        free = [cell for cells in view["legal"].values() for cell in cells]
        taken = [
            [row, col]
            for row, words in enumerate(view["cells"])
            for col, word in enumerate(words)
            if word[0] in "sw" or word[:2] == "au"
        ]
        label = rng.choice(SEASONS) + "*" * rng.randint(0, 1)
        match rng.randrange(20):
            case 0 if taken and free:
                log.act("move", seat=seat, origin=rng.choice(taken), target=rng.choice(free))
            case 1:
                words = [word for row in view["cells"] for word in row]
                log.act("board", seat=seat, text=view["text"], **photo(rng, words, 6))
            case 2:
                log.act("cards", cards=rng.sample(names, rng.randint(1, 5)))
            case 3:
                log.act("season", seat=seat, season=rng.choice(SEASONS))
            case 4:
                log.act("layout", hand=rng.choice("AB"), order=rng.sample(range(1, 5), 4))
            case 5:
                log.act("numbers", seat=seat)
            case 6:
                own = [[[0, 2], [1, 1], [2, 0]], [[0, 3], [1, 4], [2, 5]]]
                own += [[[3, 0], [4, 1], [5, 2]], [[3, 5], [4, 4], [5, 3]]]
                log.act("short_diagonals", diagonals=rng.choice([own, None]))
            case 7 if taken:
                row, col = rng.choice(taken)
                log.act("cell", seat=seat, row=row, col=col, label=".")
            case _ if free:
                row, col = rng.choice(free)
                log.act("cell", seat=seat, row=row, col=col, label=label)
    return log


def time(rng: random.Random) -> Log:
    """Cards of the box are played one after the other, in any order of meetings."""
    log = Log("time", {"players": people(rng, 1, 4, SEASONS)})
    if rng.random() < 0.3:
        log.act("first", seat=rng.randrange(len(log.state["players"])))
    if rng.random() < 0.3:
        seat = rng.randrange(len(log.state["players"]))
        log.act("seasons", seat=seat, seasons=rng.sample(SEASONS, rng.randint(1, 2)))
    for _ in range(rng.randint(4, 16)):
        view = log.game.view(log.state, {"role": "host"})
        if not view["legal"]:
            break
        card = rng.choice([kind["card"] for kind in view["kinds"] if kind["left"]])
        spot = rng.choice(view["legal"])
        row, col = spot["cell"]
        order = rng.sample(spot["near"], len(spot["near"]))
        log.act("place", card=card, row=row, col=col, order=order)
        if rng.random() < 0.1:
            words = log.state["grid"].replace(" / ", " ").split()
            columns = len(log.state["grid"].split(" / ")[0].split())
            log.act("board", seat=None, text=log.state["grid"], **photo(rng, words, columns))
        if rng.random() < 0.05:
            log.act("cell", row=0, col=0, label=rng.choice(("spring", "winter/summer", ".")))
    return log


def villagers(rng: random.Random) -> Log:
    """Cards come and go at random."""
    log = Log(
        "villagers",
        {
            "players": people(rng, 1, 4, ()),
            "options": {"monastery": False, "expansion": rng.random() < 0.5},
        },
    )
    names = [str(card) for card in published_deck().cards.values()]
    for _ in range(rng.randint(5, 50)):
        seat = rng.randrange(len(log.state["players"]))
        number = rng.randint(1, log.state["next_id"])
        name = rng.choice(names)
        match rng.randrange(16):
            case 0:
                log.act("coins", seat=seat, id=number, coins=rng.randint(0, 20))
            case 1:
                log.act("supply", seat=seat, gold=rng.randint(0, 60))
            case 2:
                log.act("remove", seat=seat, id=number, above=rng.random() < 0.5)
            case 3:
                log.act("shift", seat=seat, id=number, on=rng.choice([None, 1, 2]))
            case 4:
                log.act("replace", seat=seat, id=number, name=name)
            case 5 | 6:
                log.act("hand_add", seat=seat, name=name)
            case 7:
                for held in log.state["villages"][seat]["hand"][:1]:
                    if not log.act("take", seat=seat, what="envoys", name=held):
                        log.act("hand_drop", seat=seat, name=held)
            case 8:
                what = rng.choice(("market", "developments", "caravans", "travellers"))
                log.act("take", seat=seat, what=what)
            case 9:
                log.act("take", seat=seat, what=rng.choice(("bronze", "merchants")), id=number)
            case 10:
                holder = rng.choice([None, *range(len(log.state["players"]))])
                log.act("unlock", seat=seat, name=name, holder=holder)
            case 11 if rng.random() < 0.2:
                row = {"name": "Our card; x", "suit": "hay", "printed_gold": "3"}
                log.act("custom_card", row=row)
            case 12:
                between = rng.random() < 0.5
                log.act("add", seat=seat, name=name, on=number, between=between, from_hand=False)
            case _:
                log.act("add", seat=seat, name=name, on=None, alone=rng.random() < 0.3)
    return log


def custom(rng: random.Random) -> Log:
    shared = rng.random() < 0.5
    log = Log(
        "custom",
        {
            "players": people(rng, 1, 6, ("red", "blue", "yellow", "green", "white", "black")),
            "options": {"board": MEADOW, "shared": shared},
        },
    )
    for _ in range(rng.randint(2, 25)):
        seat = rng.randrange(len(log.state["players"]))
        at = None if shared else seat
        match rng.randrange(4):
            case 0:
                words = [rng.choice(PIECES) for _ in range(6)]
                text = f"{' '.join(words[:3])} / {' '.join(words[3:])}"
                log.act("board", seat=at, text=text, **photo(rng, words, 3))
            case 1:
                row, col = rng.randrange(3), rng.randrange(4)
                log.act("cell", seat=at, row=row, col=col, label=rng.choice(PIECES))
            case 2:
                log.act("worth", label=rng.choice(PIECES), points=rng.randint(-5, 9))
            case _:
                log.act("extra", seat=seat, points=rng.randint(-5, 9))
    return log


PLAYERS: dict[str, Callable[[random.Random], Log]] = {
    "stones": stones,
    "seasons": seasons,
    "time": time,
    "villagers": villagers,
    "custom": custom,
}


def some_games(kind: str, count: int) -> Iterator[Log]:
    """Games that are the same in every run."""
    for seed in range(count):
        yield a_game(kind, random.Random(f"{kind} {seed}"))


if __name__ == "__main__":
    from scorer.record import played, write

    for name in sys.argv[1:] or PLAYERS:
        log = a_game(name, random.Random())
        print(write(played(log.kind, log.setup, log.actions)))

"""A second, brute-force implementation of the rules, to compare `scorer` with.

It shares no code with `scorer`. It reads the text of a document, enumerates what a player could
choose, and compares the best with the answer of ``scorer.documents``. The tests run a small sample;
the full run is

    python tests/scorer/oracle.py seasons 100000
    python tests/scorer/oracle.py stones 20000
    python tests/scorer/oracle.py time 20000
    python tests/scorer/oracle.py milp 1000
    python tests/scorer/oracle.py mutations 10000

from the root of the repository. Each prints how many answers it compared and how many differ, and
exits with status 1 if any does.
"""

import argparse
import itertools
import json
import random
import sys
import time
from collections.abc import Iterator

import numpy as np

from scorer.documents import answer_lines

SEASONS = ("spring", "summer", "autumn", "winter")
HANDS = {"A": ((0, 1), (1, 5), (5, 4), (4, 0)), "B": ((1, 0), (0, 4), (4, 5), (5, 1))}
POSITION_CARDS = [
    "six-diagonals",
    "six-columns",
    "connections",
    "outer-edge",
    "number-neighbours",
    "short-diagonals",
]
COLOUR_CARDS = [
    "area-colour",
    "largest-group",
    "colour-diagonals",
    "colour-lines",
    "colour-squares",
    "colour-pairs",
]
CARDS = [*POSITION_CARDS, "centre", *COLOUR_CARDS, "colour-sets"]


def ask(command: str, document: dict) -> dict:
    """The answer of `scorer` to one document, through the same door as the command line."""
    (answer,) = answer_lines(command, [json.dumps(document)])
    return answer


# Seasons


def random_board(rng: random.Random) -> str:
    """A board with either hand and numbering, any number of tiles and groups of any size."""
    numbers = HANDS[rng.choice("AB")]
    order = numbers if rng.random() < 0.5 else (numbers[0], numbers[1], numbers[3], numbers[2])
    board = {cell: str(number) + rng.choice(["", "", "!"]) for number, cell in enumerate(order, 1)}
    spaces = [(r, c) for r in range(6) for c in range(6) if (r, c) not in board]
    rng.shuffle(spaces)
    few_seasons = rng.sample(SEASONS, rng.randint(1, 4))
    likeness = rng.random()
    for r, c in spaces[: rng.choice([24, 24, 24, 32, rng.randint(0, 32)])]:
        near = [
            board[cell].rstrip("*")
            for cell in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
            if cell in board
        ]
        near = [word for word in near if word in SEASONS]
        season = rng.choice(near) if near and rng.random() < likeness else rng.choice(few_seasons)
        board[r, c] = season + rng.choice(["", "*"])
    return " / ".join(" ".join(board.get((r, c), ".") for c in range(6)) for r in range(6))


def seasons_points(text: str, own: str) -> dict[str, int]:
    """The points of all 14 cards, by enumeration."""
    words = {
        (r, c): w for r, row in enumerate(text.split(" / ")) for c, w in enumerate(row.split())
    }
    numbers = {int(w[0]): cell for cell, w in words.items() if w[0].isdigit()}
    tile = {cell: w.rstrip("*") for cell, w in words.items() if w.rstrip("*") in SEASONS}
    worth = {cell: 1 + words[cell].endswith("*") + (tile[cell] == own) for cell in tile}
    half = {cell: (cell[0] // 3, cell[1] // 3) for cell in words}
    areas = {
        n: [cell for cell in words if half[cell] == half[at] and cell != at]
        for n, at in numbers.items()
    }

    def total(cells) -> int:
        return sum(worth[cell] for cell in set(cells))

    def filled(groups) -> int:
        return total(cell for group in groups if all(c in tile for c in group) for cell in group)

    def one_season(group) -> bool:
        return all(cell in tile for cell in group) and len({tile[cell] for cell in group}) == 1

    def once(groups) -> int:
        best = dict.fromkeys(SEASONS, 0)
        for group in groups:
            if one_season(group):
                best[tile[group[0]]] = max(best[tile[group[0]]], total(group))
        return sum(best.values())

    def lines(steps, length):
        for r, c in words:
            for down, right in steps:
                line = [(r + i * down, c + i * right) for i in range(length)]
                if line[-1] in words:
                    yield line

    def largest() -> int:
        best, seen = (0, 0), set()
        for start in tile:
            if start in seen:
                continue
            group, todo = set(), [start]
            while todo:
                r, c = todo.pop()
                if (r, c) in group or tile.get((r, c)) != tile[start]:
                    continue
                group.add((r, c))
                todo += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
            seen |= group
            best = max(best, (len(group), total(group)))
        return best[1]

    def pairs(edges, used) -> int:
        if not edges:
            return 0
        (a, b), rest = edges[0], edges[1:]
        skip = pairs(rest, used)
        return (
            skip
            if a in used or b in used
            else max(skip, worth[a] + worth[b] + pairs(rest, used | {a, b}))
        )

    def sets(area) -> int:
        best = 0
        for count in (1, 2):
            chosen = [
                itertools.combinations([c for c in area if tile.get(c) == season], count)
                for season in SEASONS
            ]
            best = max(
                [best, *(total(itertools.chain(*choice)) for choice in itertools.product(*chosen))]
            )
        return best

    ring = [[(1, i) for i in range(1, 5)], [(4, i) for i in range(1, 5)]]
    ring += [[(c, r) for r, c in line] for line in ring]
    border = [[(0, i) for i in range(6)], [(5, i) for i in range(6)]]
    border += [[(c, r) for r, c in line] for line in border]
    touching = [
        (a, b)
        for a, b in itertools.combinations(tile, 2)
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 and tile[a] == tile[b] and half[a] != half[b]
    ]
    return {
        "six-diagonals": filled([[(i, i) for i in range(6)], [(i, 5 - i) for i in range(6)]]),
        "six-columns": filled([[(i, 2) for i in range(6)], [(i, 3) for i in range(6)]]),
        "connections": filled(ring),
        "outer-edge": filled([[c for c in line if c not in numbers.values()] for line in border]),
        "number-neighbours": filled(
            [[c for c in words if abs(c[0] - r) + abs(c[1] - k) == 1] for r, k in numbers.values()]
        ),
        "short-diagonals": filled(
            [
                [(0, 2), (1, 1), (2, 0)],
                [(0, 3), (1, 4), (2, 5)],
                [(3, 0), (4, 1), (5, 2)],
                [(3, 5), (4, 4), (5, 3)],
            ]
        ),
        "centre": 2 * filled([[(2, 2), (2, 3), (3, 2), (3, 3)]]),
        "area-colour": total(
            cell
            for number, season in enumerate(("autumn", "summer", "spring", "winter"), 1)
            for cell in areas[number]
            if tile.get(cell) == season
        ),
        "largest-group": largest(),
        "colour-diagonals": once(lines([(1, 1), (1, -1)], 3)),
        "colour-lines": once(lines([(0, 1), (1, 0)], 4)),
        "colour-squares": once(
            [(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)] for r in range(5) for c in range(5)
        ),
        "colour-pairs": pairs(touching, frozenset()),
        "colour-sets": sum(sets(area) for area in areas.values()),
    }


def compare_seasons(count: int, rng: random.Random) -> Iterator[str]:
    """Differences on *count* boards: card points, sums and the value of each group."""
    for _ in range(count):
        board, own = random_board(rng), rng.choice(SEASONS)
        cards = rng.sample(CARDS, len(CARDS))
        players = [{"name": "Ann", "season": own, "board": board}]
        answer = ask("score", {"game": "seasons", "cards": cards, "players": players})
        expected = seasons_points(board, own)
        row = answer["players"][0]
        words = [line.split() for line in board.split(" / ")]
        if row["total"] != sum(expected.values()):
            yield f"{own}: {board}: expected {sum(expected.values())}, got {row['total']}"
        for card in row["cards"]:
            tiles = {tuple(cell) for group in card["groups"] for cell in group}
            precious = sum(words[r][c].endswith("*") for r, c in tiles)
            mine = sum(words[r][c].startswith(own) for r, c in tiles)
            counts = (len(tiles), precious, mine)
            if counts != (card["tiles"], card["precious"], card["own"]):
                yield f"{own}: {board}: {card['card']}: expected the counts {counts}, got {card}"
            points = expected[card["card"]]
            if not card["points"] == points == sum(counts) * (2 if card["card"] == "centre" else 1):
                yield f"{own}: {board}: {card['card']}: expected {points}, got {card['points']}"
            if bool(tiles) != bool(card["points"]) or not all(
                words[r][c].rstrip("*") in SEASONS for r, c in tiles
            ):
                yield (
                    f"{own}: {board}: {card['card']}: points without tiles or tiles without points"
                )


def compare_milp(count: int, rng: random.Random) -> Iterator[str]:
    """The same points by an integer program, the one that the speed comparison uses."""
    from milp import milp_points

    from scorer.season import Season
    from scorer.seasons.board import SeasonBoard

    for _ in range(count):
        board, own = random_board(rng), rng.choice(SEASONS)
        solved = milp_points(SeasonBoard.parse(board), Season(own))
        expected = seasons_points(board, own)
        for card in CARDS:
            if solved[card] != expected[card]:
                yield f"{own}: {board}: {card}: expected {expected[card]}, got {solved[card]}"


# Stones

FACES = ("sun moon", "fish bird", "horse boat", "seed tree")
SYMBOLS = " ".join(FACES).split()
DECK = {}
"""Points and pattern rows of each card, from the list of the transcription."""


def deck() -> dict[int, tuple[int, list[list[str]]]]:
    if not DECK:
        from importlib import resources

        for line in resources.files("scorer.stones").joinpath("cards.txt").read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                number, points, pattern = line.split(None, 2)
                DECK[int(number)] = (int(points), [row.split() for row in pattern.split(" / ")])
    return DECK


def random_grid(rng: random.Random) -> list[str]:
    kinds = [FACES[0]] + [FACES[1]] * 2 + [FACES[2]] * 3 + [FACES[3]] * 3
    rng.shuffle(kinds)
    return [rng.choice(kind.split()) for kind in kinds]


def grid_text(cells: list[str]) -> str:
    return " / ".join(" ".join(cells[i : i + 3]) for i in (0, 3, 6))


def fits(cells: list[str], pattern: list[list[str]]) -> bool:
    return any(
        all(
            word in (".", cells[3 * (top + r) + left + c])
            for r, row in enumerate(pattern)
            for c, word in enumerate(row)
        )
        for top in range(4 - len(pattern))
        for left in range(4 - len(pattern[0]))
    )


NEAR = [(at, at + 1) for at in range(9) if at % 3 < 2] + [(at, at + 3) for at in range(6)]
POWERS = 8 ** np.arange(9)
MATES = np.array(
    [SYMBOLS.index(next(f for f in face.split() if f != s)) for face in FACES for s in face.split()]
)


def matches(grids: np.ndarray, hand: list[int]) -> np.ndarray:
    """For many grids at once, the set of hand cards that they match, as bits."""
    found = np.zeros(len(grids), np.int64)
    for bit, card in enumerate(hand):
        pattern = deck()[card][1]
        hit = np.zeros(len(grids), bool)
        for top in range(4 - len(pattern)):
            for left in range(4 - len(pattern[0])):
                here = np.ones(len(grids), bool)
                for r, row in enumerate(pattern):
                    for c, word in enumerate(row):
                        if word != ".":
                            here &= grids[:, 3 * (top + r) + left + c] == SYMBOLS.index(word)
                hit |= here
        found |= hit.astype(np.int64) << bit
    return found


def brute_turn(cells: list[str], hand: list[int]) -> tuple[tuple[int, int], list[int | None]]:
    """Points and discards of the best turn, and the discards to each card, by walking every turn.

    A state is a grid and the set of cards that could be scored on the way to it.
    """
    points = [deck()[card][0] for card in hand]
    grids = np.array([[SYMBOLS.index(word) for word in cells]])
    states = grids @ POWERS * 64 + matches(grids, hand)
    seen = states
    best, away = (0, 0), [None] * len(hand)
    for discards in range(len(hand) + 1):
        for scored in np.unique(states % 64).tolist():
            values = sorted((points[i] for i in range(len(hand)) if scored >> i & 1), reverse=True)
            best = max(best, (sum(values[: len(hand) - discards]), -discards))
            for i in range(len(hand)):
                if scored >> i & 1 and away[i] is None:
                    away[i] = discards
        if discards >= len(hand) - 1:
            break
        codes, back = np.unique(states // 64, return_inverse=True)
        grids = codes[:, None] // POWERS % 8
        reached = []
        for a, b in NEAR:
            after = grids.copy()
            after[:, [a, b]] = after[:, [b, a]]
            reached.append(after @ POWERS)
        for at in range(9):
            after = grids.copy()
            after[:, at] = MATES[after[:, at]]
            reached.append(after @ POWERS)
        if discards == len(hand) - 2:
            # One card is left to score after the last discard, so how a grid was reached no longer
            # matters.
            states = np.unique(
                matches(np.unique(np.concatenate(reached))[:, None] // POWERS % 8, hand)
            )
            continue
        unique, place = np.unique(np.concatenate(reached), return_inverse=True)
        hits = matches(unique[:, None] // POWERS % 8, hand)
        following = [
            reached[i][back] * 64 + ((states % 64) | hits[place.reshape(len(reached), -1)[i][back]])
            for i in range(len(reached))
        ]
        states = np.setdiff1d(np.concatenate(following), seen)
        seen = np.union1d(seen, states)
    return best, away


def replay(cells: list[str], hand: list[int], best: dict) -> tuple[int, int]:
    """What an answer's steps really give; raises AssertionError for an illegal step."""
    cells, left, points, discards = list(cells), set(hand), 0, 0
    for step in best["steps"]:
        if "score" in step:
            assert step["score"] in left, step
            assert fits(cells, deck()[step["score"]][1]), step
            left.remove(step["score"])
            points += deck()[step["score"]][0]
        elif "flip" in step:
            r, c = step["flip"]
            cells[3 * r + c] = SYMBOLS[MATES[SYMBOLS.index(cells[3 * r + c])]]
            discards += 1
        else:
            (r, c), (s, d) = step["shift"]
            assert abs(r - s) + abs(c - d) == 1, step
            a, b = 3 * r + c, 3 * s + d
            cells[a], cells[b] = cells[b], cells[a]
            discards += 1
    assert discards <= len(left), best
    return points, discards


def compare_stones(count: int, rng: random.Random) -> Iterator[str]:
    """Differences on *count* turns with 4, 5 or 6 cards in hand."""
    for _ in range(count):
        cells, hand = random_grid(rng), rng.sample(sorted(deck()), rng.randint(4, 6))
        answer = ask("moves", {"game": "stones", "grid": grid_text(cells), "hand": hand})
        best = answer["best"]
        expected, away = brute_turn(cells, hand)
        where = f"{grid_text(cells)} with {hand}"
        if (best["points"], -best["discards"]) != expected:
            yield f"{where}: expected {expected}, got {best}"
        try:
            if replay(cells, hand, best) != (best["points"], best["discards"]):
                yield f"{where}: the steps do not give what is said: {best}"
        except AssertionError as error:
            yield f"{where}: a step is not allowed: {error}"
        for card, discards in zip(hand, away, strict=True):
            told = answer["distance"][str(card)]
            if told != discards if discards is not None else told < len(hand):
                yield f"{where}: card {card}: expected the distance {discards}, got {told}"
        if answer["matches"] != [card for card in hand if fits(cells, deck()[card][1])]:
            yield f"{where}: wrong matches {answer['matches']}"


# Turn of Time

BEATS = {("summer", "spring"), ("autumn", "summer"), ("winter", "autumn"), ("spring", "winter")}
OPPOSITES = {frozenset(("spring", "autumn")), frozenset(("summer", "winter"))}


def time_deck() -> list[tuple[str, str]]:
    return [(s, s) for s in SEASONS] + 2 * list(itertools.combinations(SEASONS, 2))


def random_table(rng: random.Random) -> tuple[dict, tuple[str, str]]:
    """Connected cards of the deck within 4x4, and one card more in hand."""
    cards = [rng.sample(card, 2) for card in rng.sample(time_deck(), 16)]
    table = {}
    for up, back in cards[: rng.randint(0, 15)]:
        free = [
            (r, c)
            for r in range(4)
            for c in range(4)
            if (r, c) not in table
            and (not table or {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & set(table))
        ]
        table[rng.choice(free)] = (up, back if rng.random() < 0.8 else "?")
    return table, tuple(cards[-1])


def table_text(table: dict) -> str:
    if not table:
        return "."
    rows, cols = [r for r, _ in table], [c for _, c in table]
    return " / ".join(
        " ".join(
            "/".join(table[r, c]) if (r, c) in table else "."
            for c in range(min(cols), max(cols) + 1)
        )
        for r in range(min(rows), max(rows) + 1)
    ).replace("/?", "")


def brute_outcomes(table: dict, cell: tuple[int, int], card: tuple[str, str]) -> set[str]:
    r, c = cell
    near = [at for at in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)) if at in table]
    found = set()
    for order in itertools.permutations(near):
        after = table | {cell: card}
        for other in order:
            mine, theirs = after[cell][0], after[other][0]
            both = frozenset((mine, theirs)) in OPPOSITES
            if both or (theirs, mine) in BEATS:
                after[cell] = after[cell][::-1]
            if both or (mine, theirs) in BEATS:
                after[other] = after[other][::-1]
        found.add(table_text(after))
    return found


def compare_time(count: int, rng: random.Random) -> Iterator[str]:
    """Differences on *count* placed cards: every legal cell, side and order of meetings."""
    for _ in range(count):
        table, card = random_table(rng)
        top, left = (min(r for r, _ in table), min(c for _, c in table)) if table else (0, 0)
        table = {(r - top, c - left): sides for (r, c), sides in table.items()}
        answer = ask("moves", {"game": "time", "grid": table_text(table), "card": "/".join(card)})
        expected = {}
        for cell in itertools.product(range(-1, 5), repeat=2):
            near = {(cell[0] + d, cell[1] + e) for d, e in ((1, 0), (-1, 0), (0, 1), (0, -1))}
            if cell in table or (near.isdisjoint(table) if table else cell != (0, 0)):
                continue
            rows, cols = zip(*table, cell, strict=True)
            if max(rows) - min(rows) > 3 or max(cols) - min(cols) > 3:
                continue
            for side in {card, card[::-1]}:
                expected[(*cell, side[0])] = brute_outcomes(table, cell, side)
        got = {(*p["cell"], p["up"]): set(p["grids"]) for p in answer["placements"]}
        if got != expected or len(got) != len(answer["placements"]):
            yield f"{table_text(table)} with {card}: expected {expected}, got {got}"
        if answer.get("problems"):
            yield (
                f"{table_text(table)} with {card}: a dealt table has problems: {answer['problems']}"
            )


# Mutated documents


def sample_documents() -> list[tuple[str, dict]]:
    """One good document of every kind."""
    rng = random.Random(3)
    board = random_board(rng)
    seasons = {
        "game": "seasons",
        "cards": ["six-diagonals", "short-diagonals", "colour-lines"],
        "players": [
            {"name": "Ann", "season": "spring", "board": board},
            {"name": "Bob", "season": "fall", "board": board},
        ],
        "short_diagonals": [
            [[0, 2], [1, 1], [2, 0]],
            [[0, 3], [1, 4], [2, 5]],
            [[3, 0], [4, 1], [5, 2]],
            [[3, 5], [4, 4], [5, 3]],
        ],
    }
    stones = {
        "game": "stones",
        "players": [{"name": "A", "cards": [1, 2, 72]}, {"name": "B", "cards": [3]}],
    }
    table = {
        "game": "time",
        "grid": "autumn/spring summer / spring winter/?",
        "order": ["spring", "fall"],
        "players": {"Ann": ["spring", "summer"], "Bob": ["autumn"]},
    }
    village = {
        "game": "villagers",
        "market": 2,
        "village": {
            "chains": [
                ["Hayer", ["Grazier", "Milk Maid"], ["Thatcher"]],
                ["Cooper"],
                ["Founders!"],
                ["Zoe"],
            ],
            "coins": {"Cooper": [4], "Hayer": 2},
        },
        "supply": 12,
        "hand": ["Grocer", "Cartwright"],
        "custom": [{"name": "Zoe", "suit": "clay", "gold": 3, "silver": "3 per 2 hay symbols"}],
    }
    without_market = {key: value for key, value in village.items() if key != "market"}
    return [
        ("score", seasons),
        ("audit", seasons | {"claimed": {"Ann": {"six-diagonals": 20, "total": 70}}}),
        ("moves", {"game": "seasons", "board": board, "number": 2}),
        ("score", stones),
        ("audit", stones | {"claimed": {"A": {"points": 7, "bonus": 3, "total": 9}}}),
        ("moves", {"game": "stones", "grid": grid_text(random_grid(rng)), "hand": [1, 2]}),
        ("score", table),
        ("audit", table | {"claimed": {"spring": 4, "fall": 1}}),
        (
            "moves",
            {"game": "time", "grid": "autumn/spring summer / spring .", "card": "autumn/spring"},
        ),
        ("score", village),
        ("audit", village | {"claimed": {"gold": 1, "total": 30}}),
        ("score", without_market | {"event": "merchants", "chain": 0}),
        ("score", without_market | {"event": "envoys", "villager": "Cartwright"}),
        ("score", without_market | {"inventor": {"chain": 0, "branch": 1}}),
        ("score", without_market | {"bronze": True}),
    ]


STRANGE = (
    None, True, False, 0, -1, 7, 10**12, 1.5, "", "x", "autumn", "Fall", "?", "!", ".", "spring*",
    "1!", "\ud800", "é", [], [[]], [0], {}, {"name": "Ann"}, {"a": []}, "Monk", "Engineer",
    "sun moon", "a / b", [1, 1], "Founders!",
)  # fmt: skip


def mutated(value, rng: random.Random):
    """The document with one thing in it changed."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        copy = dict(value)
        chance = rng.random()
        if chance < 0.1:
            del copy[key]
        elif chance < 0.15:
            copy[key.upper()] = copy.pop(key)
        elif chance < 0.2:
            copy[rng.choice(["x", "", "fall", "total", "Ann"])] = rng.choice(STRANGE)
        else:
            copy[key] = mutated(value[key], rng)
        return copy
    if isinstance(value, list) and value and rng.random() < 0.8:
        at, copy = rng.randrange(len(value)), list(value)
        chance = rng.random()
        if chance < 0.1:
            del copy[at]
        elif chance < 0.2:
            copy.insert(at, copy[rng.randrange(len(copy))])
        else:
            copy[at] = mutated(copy[at], rng)
        return copy
    if isinstance(value, str) and value and rng.random() < 0.6:
        at = rng.randrange(len(value))
        return (
            value[:at]
            + rng.choice(["", " ", "/", "*", "!", "1", ".", "a", "\n", "?", value[at] * 2])
            + value[at + 1 :]
        )
    return rng.choice(STRANGE)


def compare_mutations(count: int, rng: random.Random) -> Iterator[str]:
    """Mutated documents must be answered or refused, never crash, and every answer must print."""
    from scorer.report import render

    documents = sample_documents()
    for _ in range(count):
        command, document = rng.choice(documents)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            document = mutated(document, rng)
        line = json.dumps(document)
        if rng.random() < 0.1:
            at = rng.randrange(len(line))
            line = (
                line[:at]
                + rng.choice(["", '"', "{", "]", "9" * 5000, "NaN", "\\", "[" * 2000])
                + line[at + 1 :]
            )
        if not line.strip():
            continue
        try:
            answers = list(answer_lines(command, [line]))
            printed = [
                (json.dumps(answer, allow_nan=False), render(answer).encode()) for answer in answers
            ]
        except Exception as error:
            yield f"{command}: {line}: {error!r}"
            continue
        if len(printed) != 1:
            yield f"{command}: {line}: expected one answer, got {len(printed)}"
        error = answers[0].get("error")
        if error is not None and not (
            error["code"] and error["message"] and error["where"].startswith("line 1")
        ):
            yield f"{command}: {line}: an error lacks a part: {error}"


COMPARISONS = {
    "seasons": compare_seasons,
    "milp": compare_milp,
    "stones": compare_stones,
    "time": compare_time,
    "mutations": compare_mutations,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=COMPARISONS)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    start = time.perf_counter()
    differences = 0
    for difference in COMPARISONS[asked.what](asked.count, random.Random(asked.seed)):
        differences += 1
        if differences <= 10:
            print(difference)
    seconds = time.perf_counter() - start
    print(
        f"{asked.what}: {asked.count} compared, {differences} differences, {seconds:.0f} s, seed "
        f"{asked.seed}"
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

"""The three worked examples of docs/custom-games.md against scores counted in another way."""

import json
import random
import re
import tomllib
from pathlib import Path

import pytest

from scorer.custom.board import CustomBoard
from scorer.custom.score import score_board

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "fixtures" / "own_games"
LIES = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "custom-games.md").read_text(encoding="utf-8")
FACES = {
    name: sorted({word for word in LIES[f"{name}_lesson"].split() if word != "/"})
    for name in ("meadows", "ribbons", "harvest")
}

Board = list[list[str]]


def described(name: str) -> CustomBoard:
    return CustomBoard.from_table(tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8")))


def points(name: str, board: Board) -> dict[str, int]:
    return {item.name: item.points for item in score_board(board, described(name).score)}


def random_board(name: str, rng: random.Random) -> Board:
    spec = described(name)
    rows, cols = (rng.randint(*side) for side in (spec.rows, spec.cols))
    few = rng.sample(FACES[name], min(len(FACES[name]), rng.randint(2, 6)))
    bare = [".", "."] if spec.empty and rng.random() < 0.7 else []
    return [[rng.choice([*few, *bare]) for _ in range(cols)] for _ in range(rows)]


def lands(board: Board, of: list[list[str]]) -> list[list[tuple[int, int]]]:
    """Groups of equal names, found by giving every cell its least neighbour's number until none
    changes."""
    number = {
        (r, c): r * 100 + c for r, row in enumerate(of) for c, one in enumerate(row) if one != "."
    }
    changed = True
    while changed:
        changed = False
        for r, c in number:
            for other in ((r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)):
                same = other in number and of[r][c] == of[other[0]][other[1]]
                if same and number[other] < number[r, c]:
                    number[r, c] = number[other]
                    changed = True
    return [[at for at in number if number[at] == one] for one in sorted({*number.values()})]


def meadows_by_hand(board: Board) -> dict[str, int]:
    land = [[word.partition("+")[0] for word in row] for row in board]
    crowns = {
        (r, c): int("0" + w.partition("+")[2])
        for r, row in enumerate(board)
        for c, w in enumerate(row)
    }
    total = sum(len(group) * sum(crowns[at] for at in group) for group in lands(board, land))
    return {
        "lands": total,
        "middle": 10 * (board[2][2] == "castle"),
        "harmony": 5 * all("." not in row for row in board),
    }


def ribbons_by_hand(board: Board) -> dict[str, int]:
    lines = [" ".join(row) for row in [*board, *map(list, zip(*board, strict=True))]]
    lengths = [len(run.split()) for line in lines for run in re.split(r"(?:^|\s)\.(?=\s|$)", line)]
    colour = [[word.partition("+")[0] for word in row] for row in board]
    sizes = [len(group) for group in lands(board, colour)]
    return {
        "ribbons": sum(n + (4 if n >= 4 else 0) for n in lengths if n >= 2),
        "largest colour": max((n for n in sizes if n >= 3), default=0),
    }


def harvest_by_hand(board: Board) -> dict[str, int]:
    flat = [word for row in board for word in row]
    side = range(4)
    lines = [*board, *map(list, zip(*board, strict=True))]
    lines += [[board[n][n] for n in side], [board[n][3 - n] for n in side]]
    fruits = [flat.count(fruit) for fruit in ("apple", "plum", "lemon", "leaf")]
    baskets = [sum(count >= turn for count in fruits) for turn in range(1, 17)]
    orchards = 0
    for r in range(3):
        for c in range(3):
            a, b, d, e = board[r][c], board[r][c + 1], board[r + 1][c + 1], board[r + 1][c]
            around = [a, b, d, e]  # clockwise
            for turn in side:
                apple, coin, _, leaf = around[turn:] + around[:turn]
                orchards += (apple, coin, leaf) == ("apple", "coin", "leaf")
    return {
        "coins": flat.count("coin"),
        "full lines": 5 * sum(line == ["coin"] * 4 for line in lines),
        "corners": 3 * ({board[r][c] for r in (0, 3) for c in (0, 3)} == {"coin"}),
        "baskets": sum({0: 0, 1: 0, 2: 1, 3: 3, 4: 6}[n] for n in baskets),
        "orchards": 4 * orchards,
    }


BY_HAND = {"meadows": meadows_by_hand, "ribbons": ribbons_by_hand, "harvest": harvest_by_hand}


@pytest.mark.parametrize("name", BY_HAND)
def test_rules_of_a_file_give_what_another_count_gives(name: str) -> None:
    rng = random.Random(7)
    seen: set[str] = set()
    for _ in range(400):
        board = random_board(name, rng)
        found = points(name, board)
        assert found == BY_HAND[name](board), board
        seen |= {rule for rule, earned in found.items() if earned}
    assert seen >= {rule.name for rule in described(name).score} - {"corners", "full lines"}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_photographed_game_counts_the_same(name: str) -> None:
    board = [row.split() for row in LIES[f"{name}_game"].split(" / ")]
    assert points(name, board) == BY_HAND[name](board)


def test_all_coins_fill_every_line() -> None:
    board = [["coin"] * 4] * 4
    assert points("harvest", board) == harvest_by_hand(board)
    assert points("harvest", board)["full lines"] == 50


def test_the_page_prints_the_files_of_the_folder() -> None:
    printed = [tomllib.loads(text) for text in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)]
    for name in BY_HAND:
        written = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
        assert written in printed

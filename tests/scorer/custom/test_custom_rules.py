"""Score rules of a board's file: what each kind counts, and what a wrong one is told."""

from collections import Counter
from datetime import date
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.custom import board as boards
from scorer.custom.board import BoardSpecError, CustomBoard, parsed
from scorer.custom.rules import MOST_RULES
from scorer.custom.score import matches, score_board
from scorer.notation import NotationError

Json = dict[str, Any]
BOARD = {"name": "mine", "rows": [1, 32], "cols": [1, 32], "empty": True}


def described(*rules: Json) -> CustomBoard:
    return CustomBoard.from_table(BOARD | {"score": list(rules)})


def earned(text: str, **rule: Any) -> list[tuple[int, str]]:
    """Points and reason of each thing that a rule counts on a board."""
    grid = [row.split() for row in text.split(" / ")]
    (item,) = score_board(grid, described(rule).score)
    return [(one.points, str(one.why)) for one in item.earned]


def total(text: str, **rule: Any) -> int:
    return sum(points for points, _ in earned(text, **rule))


def test_a_piece_counts_by_its_label_or_a_part_of_it() -> None:
    board = "field field+2 lake / field+2 . lake+1"
    assert earned(board, rule="piece", pieces="field", points=3) == [
        (3, "1 × field at 3"),
        (6, "2 × field+2 at 3"),
    ]
    assert total(board, rule="piece", pieces="field+2") == 2
    assert total(board, rule="piece", pieces=["2", "lake"]) == 4
    assert total(board, rule="piece", points=-1) == -5
    farmer = "\N{WOMAN}\u200d\N{EAR OF RICE}"
    assert total(f"{farmer} sun", rule="piece", pieces=farmer) == 1


def test_lines_are_filled_from_edge_to_edge() -> None:
    board = "a a b / . a b / a a a"
    lines = {"lines": ["row", "column", "diagonal", "board"]}
    assert earned(board, rule="line", points=5, **lines) == [
        (5, "row 1"),
        (5, "row 3"),
        (5, "column 2"),
        (5, "column 3"),
        (5, "the diagonal from the upper left"),
        (5, "the diagonal from the upper right"),
    ]
    assert earned(board, rule="line", pieces="a", **lines) == [
        (1, "row 3"),
        (1, "column 2"),
        (1, "the diagonal from the upper left"),
    ]
    assert total("a b / a b", rule="line", points=7, lines=["board"]) == 7


def test_a_board_that_is_not_square_has_no_diagonal() -> None:
    assert total("a a a / a a a", rule="line", lines=["diagonal"]) == 0


def test_places_are_counted_from_one_and_may_lie_outside() -> None:
    assert total("a . / . a", rule="line", cells=[[1, 1], [2, 2]], points=4) == 4
    assert total("a . / . a", rule="line", cells=[[1, 1], [3, 3]], points=4) == 0


def test_runs_end_at_gaps_and_may_be_full() -> None:
    board = "a b . c d e / . b . . . ."
    assert earned(board, rule="run", full=3, bonus=6) == [
        (2, "row 1: 2 pieces"),
        (9, "row 1: 3 pieces, 6 for a full line"),
        (2, "column 2: 2 pieces"),
    ]
    assert total(board, rule="run", least=3) == 3


def test_sets_take_one_of_each_piece_that_is_left() -> None:
    board = "a b c / a b . / a . ."
    assert earned(board, rule="set", pieces=["a", "b", "c"], points=10) == [(10, "a, b, c")]
    assert earned(board, rule="set", pieces=["a", "b", "c"], points=[0, 2, 5]) == [
        (5, "a, b, c"),
        (2, "a, b"),
    ]
    assert total(board, rule="set", points=[1]) == 3


@pytest.mark.parametrize("pieces", [["red", "disc"], ["disc", "red"], ["red", "red+disc"]])
def test_the_order_of_the_pieces_of_a_set_does_not_matter(pieces: list[str]) -> None:
    assert total("red+star red+disc", rule="set", pieces=pieces, points=5) == 5


@given(
    st.lists(
        st.sampled_from(["a", "b", "c", "a+b", "a+c", "b+c", "a+b+c"]), min_size=1, max_size=7
    ),
    st.permutations(["a", "b", "c", "a+b"]).map(lambda words: words[:3]),
)
def test_a_piece_that_fits_several_words_goes_where_sets_need_it(
    labels: list[str], words: list[str]
) -> None:
    fitting = [[word for word in words if matches(word, label)] for label in labels]
    dealt = [Counter(choice) for choice in product(*filter(None, fitting))]
    most = max(min(count[word] for word in words) for count in dealt)
    assert total(" ".join(labels), rule="set", pieces=words, points=1) == most
    points = [0, 1, 10, 100]
    best = max(
        sum(points[sum(n > turn for n in count.values())] for turn in range(len(labels)))
        for count in dealt
    )
    assert total(" ".join(labels), rule="set", pieces=words, points=points[1:]) == best


def test_groups_touch_along_edges() -> None:
    board = "field+1 field . / lake+2 . field / lake lake field"
    assert earned(board, rule="groups", times="marks") == [
        (2, "field: 2 pieces with 1 mark"),
        (6, "lake: 3 pieces with 2 marks"),
    ]
    assert total(board, rule="groups", take="largest", points=2) == 6
    assert total(board, rule="groups", times="once", least=3, points=7) == 7
    assert total(board, rule="groups", alike=False, take="largest") == 7
    assert total(board, rule="groups", pieces="field", points=1) == 4


def test_a_pattern_counts_wherever_it_lies() -> None:
    board = "a b a / b a b / . . ."
    assert earned(board, rule="pattern", pattern="a b", points=3) == [
        (3, "row 1 column 1, row 1 column 2"),
        (3, "row 2 column 2, row 2 column 3"),
    ]
    ways = earned("a a / a a", rule="pattern", pattern="a a / . a", turned=True)
    assert len({why for _, why in ways}) == len(ways) == 4
    assert total(board, rule="pattern", pattern="a b", turned=True) == 7
    assert total(board, rule="pattern", pattern="a . / . .") == 2
    assert total("a", rule="pattern", pattern="a a") == 0


ROTATIONS = [
    {"rule": "piece", "pieces": "a"},
    {"rule": "line", "lines": ["row", "column", "diagonal", "board"]},
    {"rule": "run"},
    {"rule": "groups", "times": "marks"},
    {"rule": "groups", "take": "largest"},
    {"rule": "set", "points": [1, 3, 6]},
    {"rule": "pattern", "pattern": "a b / . a", "turned": True},
]


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from([".", "a", "b", "a+2"]), min_size=width, max_size=width),
            min_size=1,
            max_size=5,
        )
    )
)
def test_turning_the_board_keeps_its_score(grid: list[list[str]]) -> None:
    rules = described(*ROTATIONS).score
    turned = [list(column) for column in zip(*grid[::-1], strict=True)]
    before, after = score_board(grid, rules), score_board(turned, rules)
    assert [item.points for item in before] == [item.points for item in after]
    for item in before:
        assert all(grid[r][c] != "." for r, c in item.cells)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, "score: expected a list of rules, got a table"),
        ([3], "score: expected a list of rules, got [3]"),
        (
            [{"points": 3}],
            "score rule 1, rule: expected piece, line, run, set, groups, pattern, got nothing",
        ),
        (
            [{"rule": "lines"}],
            "score rule 1, rule: expected piece, line, run, set, groups, pattern, got 'lines'",
        ),
        (
            [{"rule": "piece"}, {"rule": "piece", "point": 3}],
            "score rule 2, point: unknown key, expected one of rule, name, pieces, points",
        ),
        (
            [{"rule": "piece", "points": "3"}],
            "score rule 1, points: expected a whole number from -10000 to 10000, got '3'",
        ),
        (
            [{"rule": "piece", "points": True}],
            "score rule 1, points: expected a whole number from -10000 to 10000, got true",
        ),
        (
            [{"rule": "piece", "pieces": [3]}],
            "score rule 1, pieces: expected a piece's label or a list of them, got [3]",
        ),
        (
            [{"rule": "piece", "pieces": "a b"}],
            "score rule 1, pieces: expected a piece's label or a list of them, got 'a b'",
        ),
        (
            [{"rule": "piece", "pieces": "a+"}],
            "score rule 1, pieces: expected a piece's label or a list of them, got 'a+'",
        ),
        (
            [{"rule": "piece", "pieces": ["a", "a"]}],
            "score rule 1, pieces: expected each piece once, got ['a', 'a']",
        ),
        (
            [{"rule": "line", "lines": ["rows"]}],
            "score rule 1, lines: expected a list of row, column, diagonal, board, got ['rows']",
        ),
        (
            [{"rule": "line", "lines": [["row"]]}],
            "score rule 1, lines: expected a list of row, column, diagonal, board, got [['row']]",
        ),
        (
            [{"rule": "line", "cells": [[0, 1]]}],
            "score rule 1, cells: expected a list of [row, column], counted from 1, got [[0, 1]]",
        ),
        (
            [{"rule": "line", "cells": [[1, 1]], "lines": ["row"]}],
            "score rule 1, cells: expected either lines or cells, got [[1, 1]]",
        ),
        (
            [{"rule": "run", "least": 0}],
            "score rule 1, least: expected a whole number from 1 to 32, got 0",
        ),
        (
            [{"rule": "set", "pieces": ["a", "b"]}],
            "score rule 1, points: expected the points of a whole set, or a list: for 1, 2, 3 "
            "different ones, got nothing",
        ),
        (
            [{"rule": "set", "points": 3}],
            "score rule 1, pieces: expected the pieces of a whole set, got nothing",
        ),
        (
            [{"rule": "groups", "times": "crowns"}],
            "score rule 1, times: expected pieces, marks, once, got 'crowns'",
        ),
        ([{"rule": "groups", "take": 1}], "score rule 1, take: expected every, largest, got 1"),
        ([{"rule": "groups", "alike": 1}], "score rule 1, alike: expected true or false, got 1"),
        (
            [{"rule": "pattern"}],
            "score rule 1, pattern: expected rows of labels such as 'sun moon / . sun', "
            "got nothing",
        ),
        (
            [{"rule": "pattern", "pattern": "a b / c"}],
            "score rule 1, pattern: expected rows of labels such as 'sun moon / . sun', "
            "got 'a b / c'",
        ),
        (
            [{"rule": "pattern", "pattern": ". ."}],
            "score rule 1, pattern: expected rows of labels such as 'sun moon / . sun', got '. .'",
        ),
        (
            [{"rule": "pattern", "pattern": "a", "turned": "yes"}],
            "score rule 1, turned: expected true or false, got 'yes'",
        ),
        (
            [{"rule": "piece", "name": "Total"}],
            "score rule 1, name: expected a name that no other line of the score has, got 'Total'",
        ),
        (
            [{"rule": "piece", "name": "x"}, {"rule": "run", "name": "X"}],
            "score rule 2, name: expected a name that no other line of the score has, got 'X'",
        ),
        ([{"rule": "piece", "name": ""}], "score rule 1, name: expected up to 40 letters, got ''"),
        (
            [{"rule": "piece", "name": "a\nb"}],
            "score rule 1, name: expected letters on one line, got 'a\\nb'",
        ),
        ([{"rule": "piece"}] * (MOST_RULES + 1), "score: expected at most 20 rules, got 21"),
    ],
)
def test_a_wrong_rule_is_named_with_its_key(rules: Any, message: str) -> None:
    with pytest.raises(BoardSpecError) as refused:
        CustomBoard.from_table(BOARD | {"score": rules})
    assert str(refused.value) == message


def test_rules_without_a_name_are_told_apart() -> None:
    rules = described({"rule": "run"}, {"rule": "run"}, {"rule": "run", "name": "run 4"})
    assert [rule.name for rule in rules.score] == ["run", "run 2", "run 4"]
    rules = described({"rule": "run", "name": "Run"}, {"rule": "run"})
    assert [rule.name for rule in rules.score] == ["Run", "run 2"]


def test_a_description_may_be_long_and_have_comments() -> None:
    half = [[row, col] for row in range(1, 9) for col in range(1, 9) if (row + col) % 2]
    rules = ", ".join(f'{{rule = "line", name = "{name}", cells = {half}}}' for name in "ab")
    text = f'# {"." * 30} [[\nname = "g"\nrows = 8\ncols = 8\nscore = [{rules}]\n'
    assert len(CustomBoard.from_table(parsed(text)).score) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rows = " + "[" * 61 + "]" * 61, "expected brackets at most 60 deep"),
        ("a." * 21 + "b = 1", "expected at most 20 dots in a line"),
    ],
)
def test_a_description_says_what_is_nested_too_deeply(text: str, says: str) -> None:
    with pytest.raises(BoardSpecError, match=says):
        parsed(text)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ('rule = "line", cells = [[5, 1]]', "cells: the board has at most 4 rows and 3 columns"),
        ('rule = "line", cells = [[1, 4]]', "cells: the board has at most 4 rows and 3 columns"),
        ('rule = "line", cells = [[4, 3]]', None),
        ('rule = "pattern", pattern = "a b c d"', "pattern: the board has at most 4 rows and 3"),
        ('rule = "pattern", pattern = "a b c d", turned = true', None),
        ('rule = "run", bonus = 4', "bonus: expected full, too"),
        ('rule = "run", bonus = 4, full = 3', None),
        ('rule = "run", bonus = 4, full = 5', "full: the board has at most 4 rows and 3 columns"),
        ('rule = "run", bonus = 4, full = 2, least = 3', "full: expected at least 3, as long"),
        ('rule = "run", least = 5', "least: the board has at most 4 rows and 3 columns"),
        ('rule = "run", least = 4', None),
        ('rule = "groups", least = 13', "least: the board has at most 4 rows and 3 columns"),
        ('rule = "groups", least = 12', None),
        ('rule = "line", cells = []', "cells: the list is empty"),
        ('rule = "piece", pieces = []', "pieces: the list is empty"),
    ],
)
def test_a_new_rule_that_can_never_pay_is_refused(rule: str, says: str | None) -> None:
    text = f'name = "mine"\nrows = [1, 4]\ncols = [1, 3]\nscore = [{{{rule}}}]'
    if says is None:
        assert boards.described(text) == parsed(text)
    else:
        with pytest.raises(BoardSpecError, match=f"score rule 1, {says}"):
            boards.described(text)
        CustomBoard.from_table(parsed(text))  # a game that is kept with it still opens


@pytest.mark.parametrize(
    ("rows", "cols", "may_be_square"),
    [("3", "4", False), ("4", "[1, 3]", False), ("4", "[1, 4]", True), ("[3, 5]", "3", True)],
)
def test_a_new_diagonal_is_refused_on_a_board_that_is_never_square(
    rows: str, cols: str, may_be_square: bool
) -> None:
    rule = '{rule = "line", lines = ["row", "diagonal"]}'
    text = f'name = "mine"\nrows = {rows}\ncols = {cols}\nscore = [{rule}]'
    if may_be_square:
        assert boards.described(text) == parsed(text)
    else:
        with pytest.raises(BoardSpecError, match="score rule 1, lines: the board is never square"):
            boards.described(text)
        CustomBoard.from_table(parsed(text))  # a game that is kept with it still opens


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ("score = [{rule = 'piece', pieces = ['a', 'a/b']}]", "score: .* got 'a/b'"),
        ("score = [{rule = 'pattern', pattern = 'a/b .'}]", "score: .* got 'a/b'"),
        ("counts = {a = 2, 'a b' = 3}", "counts: .* got 'a b'"),
    ],
)
def test_a_new_name_that_no_piece_can_have_is_refused(field: str, says: str) -> None:
    text = f'name = "mine"\nrows = 4\ncols = 3\n{field}'
    with pytest.raises(BoardSpecError, match=says):
        boards.described(text)
    CustomBoard.from_table(parsed(text))  # a game that is kept with it still opens


@pytest.mark.parametrize("name", ["..", ".", "../x", "/a", "a//b", "a/", "a/ /b", "a/. ./b"])
def test_a_new_name_that_no_address_can_hold_is_refused(name: str) -> None:
    text = f'name = "{name}"\nrows = 4\ncols = 3'
    with pytest.raises(BoardSpecError, match="name: expected letters on both sides of every /"):
        boards.described(text)
    CustomBoard.from_table(parsed(text))  # a game that is kept with it still opens
    boards.described('name = "a/b.c"\nrows = 4\ncols = 3')


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("name", 'name = "farm "\nrows = 4\ncols = 3'),
        ("score", 'name = "farm"\nrows = 4\ncols = 3\nscore = [{rule = "run", name = " total"}]'),
    ],
)
def test_a_new_name_with_spaces_at_its_ends_is_refused(key: str, text: str) -> None:
    with pytest.raises(BoardSpecError, match=f"^{key}: expected a name without spaces at its ends"):
        boards.described(text)
    CustomBoard.from_table(parsed(text))  # a game that is kept with it still opens


@pytest.mark.parametrize("line", ["käse = 2", "field+2=1", "counts = {moon = 1, 月 = 2}"])
def test_a_label_that_needs_quotes_is_told_so(line: str) -> None:
    word = next(word for word in ("käse", "field+2", "月") if word in line)
    with pytest.raises(BoardSpecError) as caught:
        parsed(f'name = "farm"\n{line}')
    assert f'put straight quotes around {word}, as in "{word}" =' in caught.value.message


@pytest.mark.parametrize("name", ["cards", "auto"])
def test_a_new_name_by_which_other_photos_are_read_is_refused(name: str) -> None:
    text = f'name = "{name}"\nrows = 4\ncols = 3'
    with pytest.raises(BoardSpecError, match=f"name: expected another name .* got '{name}'"):
        boards.described(text)
    CustomBoard.from_table(parsed(text))  # a game that is kept with it still opens


def test_rows_are_counted_from_one_in_sentences() -> None:
    board = CustomBoard.from_table(BOARD | {"cols": [3, 4]})
    for text, says in (
        ("a a a / a a", "3 to 4 cells in row 2, got 2"),
        ("a a a / a a a a", "3 cells in row 2 as in row 1, got 4"),
        (" / a a a", "at least one cell in row 1"),
    ):
        with pytest.raises(NotationError, match=says):
            board.rows_in(text)


@pytest.mark.parametrize(
    ("field", "value"), [("score", '[{rule = "run"}]'), ("rows", "[1, 3]"), ("empty", "true")]
)
def test_a_field_below_the_counts_is_told_where_it_belongs(field: str, value: str) -> None:
    text = 'name = "mine"\nrows = 4\ncols = 3\n[counts]\nmoon = 2\n'
    with pytest.raises(BoardSpecError, match=rf"^{field} stands below \[counts\]: write it above$"):
        boards.described(f"{text}{field} = {value}")
    assert boards.described(f"{text}{field} = 2")["counts"] == {"moon": 2, field: 2}
    assert boards.described(f'{text}[[score]]\nrule = "run"')["score"] == [{"rule": "run"}]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("name = “farm”", "farm"),
        ("name = „Bob’s farm“ # it’s “ours", "Bob’s farm"),
        ("name = ‘farm’", "farm"),
        ('name = "the “farm”"', "the “farm”"),
    ],
)
def test_quotes_that_phones_write_are_quotes(text: str, name: str) -> None:
    assert parsed(text) == {"name": name}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rows = 3\nname = farm", "the description cannot be read from line 2, column 8 on: write"),
        ("rows = 3\ncols = ", "the description cannot be read from line 2, column 8 on: write"),
        ("rows = [1, 5\n", "the description cannot be read from line 1, column 13 on: write"),
        ("rows = 3\nrows = 4", "line 2 of the description says again what stands"),
        ("a = {b = 1, b = 2}", "line 1 of the description says again what stands"),
        ("a = [\n{b = '}',\nc = 2}]", "line 2 of the description: write all from { to } in one"),
        ("a = {b = 1 # one\n}", "line 1 of the description: write all from { to } in one line"),
        ('a = {b = "c\n"}', "the description cannot be read from line 1, column 12 on: write"),
    ],
)
def test_a_text_that_is_no_toml_is_told_where(text: str, says: str) -> None:
    with pytest.raises(BoardSpecError, match=f"^{says}"):
        parsed(text)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"name": None}, "name: expected the name of the game, got nothing"),
        ({"turns": True}, "turns: expected 1, 2 or 4, got true"),
        ({"aspect": {"a": 1}}, "from 0.2 to 5, got a table"),
        ({"rows": [True, "2"]}, r"from 1 to 32, got \[true, '2'\]"),
        ({"counts": {"a": 1, "b": date(2020, 1, 1)}}, "label = most, got b = 2020-01-01"),
    ],
)
def test_a_wrong_value_is_told_as_a_file_writes_it(table: Json, says: str) -> None:
    with pytest.raises(BoardSpecError, match=says):
        CustomBoard.from_table(BOARD | table)

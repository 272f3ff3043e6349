"""A record of a game: short, read again, and played again to the same states and score."""

import os

import pytest
from random_games import some_games

from scorer.forms import AS_JSON
from scorer.games import GAMES
from scorer.record import RecordError, played, read, write

GAMES_A_KIND = int(os.environ.get("TALLYSTONE_RECORDS", "6"))
"""Random games of each kind."""

STONES = """\
tallystone record 1
game stones
played 2026-11-24T18:30:00+00:00
player Ann: red
player Ben: green
option advice: true
option skip_is_strike: true

table: board sun horse bird / tree seed seed / horse bird boat, photo 1, corrected r2c1 bird>tree
1 Ann: hand 1 28 41 72; flip r1c1 paying 72; end
2 Ben: skip
3 Ann: shift r1c1 r1c2; shift r1c1 r1c2; score 41; end
4 Ben: hand 3
table: finish

result Ann: 2, place 1, won
result Ben: 0, place 2
"""


@pytest.mark.parametrize("kind", GAMES)
def test_random_games_are_written_and_played_again_to_the_same_states(kind: str) -> None:
    for log in some_games(kind, GAMES_A_KIND):
        record = played(kind, log.setup, log.actions, "2026-11-24T18:30:00+00:00", "at  home")
        text = write(record)
        again = read(text)
        assert write(again) == text
        assert [step.after for step in again.steps] == log.states[1:]
        assert again.result == log.game.result(log.state)
        assert (again.setup, again.start) == (log.setup, log.states[0])


@pytest.mark.parametrize("kind", GAMES)
def test_what_people_do_is_written_in_words(kind: str) -> None:
    """JSON is only for labels that hold a sign of the notation."""
    steps = [
        step for log in some_games(kind, 4) for step in played(kind, log.setup, log.actions).steps
    ]
    odd = [step.words for step in steps if step.words.startswith(AS_JSON)]
    assert [
        words for words in odd if not any(sign in words for sign in ("a,b", "u003b", "p>q"))
    ] == []


def test_a_record_written_by_hand_is_played_and_written_alike() -> None:
    record = read(STONES.replace("\n", "\r\n").replace("2 Ben", "# a remark\n2 Ben"))
    assert write(record) == STONES
    assert record.state["board"]["text"] == "moon horse bird / tree seed seed / horse bird boat"
    assert record.state["board"]["photo"] == 1
    assert record.state["seats"][0]["hand"] == [1, 28]
    assert [(line[0].number, line[0].who, len(line)) for line in record.lines()] == [
        (None, "table", 1),
        (1, "Ann", 3),
        (2, "Ben", 1),
        (3, "Ann", 4),
        (4, "Ben", 1),
        (None, "table", 1),
    ]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("tallystone record 1", "something else", "line 1: expected 'tallystone record 1'"),
        ("tallystone record 1", "tallystone record 2", "line 1: the record was written by a newer"),
        ("option advice: true", "option advice", "line 6: expected an option and its value, such"),
        ("game stones", "game chess", "line 2: expected one of the games stones, seasons"),
        ("player Ben: green", "player Ann: green", "line 8: Two players are called Ann"),
        ("option advice: true", "option advice: perhaps", "line 6: expected JSON, got 'perhaps'"),
        ("2 Ben: skip", "2 Cat: skip", "line 11: nobody in this game is called 'Cat'"),
        ("2 Ben: skip", "2 Ann: skip", "line 11: it is the turn of Ben"),
        ("2 Ben: skip", "5 Ben: skip", "line 11: expected turn 2, got 5"),
        ("2 Ben: skip", "2 Ben: jump", "line 11: this game has no such action: 'jump'"),
        ("2 Ben: skip", "no line", "line 11: expected a player, a colon and what happened"),
        ("2 Ben: skip", "table: do [1]", "line 11: expected an action as a JSON object"),
        ("score 41", "score 1", "line 12: The stones do not show this card now."),
        ("Ann: 2, place 1", "Ann: 3, place 1", "line 16: the game comes to another result"),
        (
            "Ben: 0, place 2\n",
            "Ann: 2, place 1, won\n",
            "line 17: the game comes to another result",
        ),
        ("result Ben: 0, place 2\n", "", "the game comes to another result: result Ann: 2"),
        ("played 2026", "game time\nplayed 2026", "line 3: expected 'game' once"),
        (
            "option advice: true",
            "option skip_is_strike: false",
            "line 7: expected 'skip_is_strike'",
        ),
        ("option advice", "option advise", "line 8: expected the options advice, skip_is_strike"),
    ],
)
def test_a_wrong_line_is_named_with_the_reason(old: str, new: str, reason: str) -> None:
    with pytest.raises(RecordError) as caught:
        read(STONES.replace(old, new))
    assert caught.value.message.startswith(reason)


def test_a_record_of_an_earlier_version_need_not_say_who_won_without_points() -> None:
    head, _ = STONES.split("2 Ben: ")
    text = f"{head}\nresult Ann: 0, place 1\nresult Ben: 0, place 1\n"
    assert [row["winner"] for row in read(text).result] == [True, True]


def test_nothing_comes_after_the_result() -> None:
    """A result holds for the end of the game, not for where it happens to stand."""
    head, turns = STONES.split("1 Ann: ")
    text = f"{head}result Ann: 0, place 1\nresult Ben: 0, place 1\n1 Ann: {turns}"
    with pytest.raises(RecordError) as caught:
        read(text)
    assert caught.value.message.startswith("line 12: expected the result at the end, got '1 Ann: h")


def test_a_packed_file_is_no_text_of_another_encoding() -> None:
    with pytest.raises(RecordError, match="take the text that a finished game offers"):
        read("PK\3\4\0\0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "# nothing",
        "tallystone record 1",
        "tallystone record 1\ngame time\nplayer Ann: wint",
        "x" * 5_000_000,
    ],
)
def test_a_text_without_a_game_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        read(text)

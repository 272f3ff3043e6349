"""The review of a game: its figures are those of the rules, and it says what it does not know."""

import os
import random
from itertools import permutations

import pytest
from random_games import Log, a_game, some_games

from scorer.games import GAMES
from scorer.record import Record, played, read
from scorer.review.games import review
from scorer.review.moments import changed, first_moments
from scorer.season import Season
from scorer.seasons.board import SeasonBoard
from scorer.seasons.cards import CARDS
from scorer.seasons.review import alternatives
from scorer.seasons.score import Player, score_player
from scorer.seasons.turn import legal_cells
from scorer.stones.board import StoneGrid
from scorer.stones.cards import cards_by_id
from scorer.stones.documents import step_document
from scorer.stones.review import Played
from scorer.stones.review import played as played_turns
from scorer.stones.turn import Score, Turn, best_turn
from scorer.time.review import placed

TURNS = int(os.environ.get("TALLYSTONE_TURNS", "40"))
"""Turns of Shifting Stones that are compared with the best ones."""

GAME = """\
tallystone record 1
game stones
player Ann: red
player Ben: green

table: board sun horse bird / tree seed seed / horse bird boat
1 Ann: hand 1 28 41 72; flip r1c1 paying 72; end
2 Ben: skip
3 Ann: hand 1 28 41 50; shift r1c1 r1c2; shift r1c1 r1c2; score 41; end
4 Ben: flip r1c1; end
table: finish
"""


def a_record(log: Log) -> Record:
    return played(log.kind, log.setup, log.actions)


def turns_of(record: Record) -> list[Played]:
    return list(played_turns(first_moments(record)))


def test_the_best_turns_agree_with_the_rules() -> None:
    """They can be played, give the points they promise, and nobody did better with a known hand."""
    checked = known = 0
    for seed in range(10 * TURNS):
        for turn in turns_of(a_record(a_game("stones", random.Random(f"review {seed}")))):
            cards = [cards_by_id()[card] for card in turn.known]
            assert turn.best == best_turn(turn.grid, cards)
            if len(cards) <= 4:
                assert points_played(turn.grid, turn.best) == turn.best.points
            if turn.is_known:
                assert turn.points <= turn.best.points, (seed, turn)
            checked, known = checked + 1, known + turn.is_known
        if checked >= TURNS:
            break
    assert known > checked / 3


def points_played(grid: StoneGrid, turn: Turn) -> int:
    """What a turn gives if it is the first of a game; each of its steps is allowed."""
    players = [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "green"}]
    log = Log("stones", {"players": players})
    assert log.act("board", seat=None, text=str(grid))
    for step in turn.steps:
        if isinstance(step, Score):
            assert log.act("score", card=step.card.id)
        else:
            assert log.act("move", **step_document(step))
    return sum(cards_by_id()[card].points for card in log.state["seats"][0]["scored"])


def test_a_turn_is_compared_with_what_the_hand_allowed() -> None:
    first, skipped, third, fourth = turns_of(read(GAME))
    assert (first.points, first.best.points, first.left, first.is_known) == (0, 3, 3, True)
    assert skipped.skipped
    assert (third.points, third.discards, third.is_known) == (2, 2, True)
    assert (third.best.points, third.left) == (4, 2)
    assert not fourth.is_known
    assert fourth.left == 0


def test_a_hand_of_which_cards_went_without_a_word_is_not_taken_for_known() -> None:
    silent = GAME.replace(" paying 72", "").replace("hand 1 28 41 50; ", "")
    first, _, third, _ = turns_of(read(silent))
    assert first.is_known
    assert not third.is_known
    assert third.best.points == 2  # of the card that was scored, which is known by that
    part = GAME.replace("flip r1c1 paying 72;", "flip r1c1; flip r1c1;").replace("41 50", "41")
    assert turns_of(read(part))[2].known == (41,)


def test_a_turn_that_was_told_in_part_is_not_compared() -> None:
    told = GAME.replace("score 41; end", "score 41; add 30; end")
    turn = turns_of(read(told))[2]
    assert (turn.followed, turn.is_known, turn.left) == (False, False, 0)
    says = review(read(told)).chapter.insights[2].says
    assert says[-1] == "Not all of it was told, so it is not compared."


def test_turns_at_the_end_that_change_nothing_are_looked_back_on() -> None:
    lost = """\
tallystone record 1
game stones
player Ann: red

table: board sun horse bird / tree seed seed / horse bird boat
1 Ann: end
2 Ann: end
3 Ann: end
4 Ann: hand 1 28 41 72; end
table: finish
"""
    found = review(read(lost))
    assert [moment.turn for moment in found.moments] == [None, 4]
    assert found.moments[1].says[-1] == "The last turn is over."
    assert found.chapter.figures[0].rows[0][1][0] == "1 / 4"
    assert [insight.moment for insight in found.chapter.insights] == [1] * 4
    assert len(review(read(GAME)).moments) == 4
    skipped = GAME.replace("4 Ben: flip r1c1; end", "4 Ben: end")
    assert len(turns_of(read(skipped))) == 4


def test_what_is_not_known_is_said() -> None:
    chapter = review(read(GAME)).chapter
    assert chapter.notes[0].startswith("In 2 of 4 turns the hand or a move was not told in full")
    assert [row for _, row in chapter.figures[0].rows][1] == ("0 / 2", "?", "?")


def test_tiles_elsewhere_score_what_the_rules_say_and_could_have_been_laid() -> None:
    cards = list(CARDS.values())
    for log in some_games("seasons", 2):
        for seat, kept in enumerate(log.state["boards"]):
            board = SeasonBoard.parse(kept["text"])
            player = Player("Ann", Season(log.state["players"][seat]["season"]), board)
            found = alternatives(player, cards)
            texts = [str(one.board) for one in found]
            assert texts == list(dict.fromkeys(texts))
            for one in found:
                assert one.score == score_player(
                    Player("Ann", player.season, SeasonBoard.parse(str(one.board))), cards
                )
                assert sorted(str(one.board).split()) == sorted(str(board).split())
                assert can_be_laid(one.board) or not can_be_laid(board)


def can_be_laid(board: SeasonBoard) -> bool:
    """Whether the tiles can come one after the other, each where it may go."""
    laid, left = SeasonBoard.empty(board.layout), dict(board.items())
    while ready := [
        cell
        for number in range(1, 5)
        for cell in legal_cells(laid, number)
        if laid[cell] is None and board[cell] is not None
    ]:
        for cell in ready:
            laid = laid.with_tile(cell, left[cell])
    return laid.tiles == board.tiles


def test_the_best_place_of_a_card_is_that_of_all_that_can_be_done() -> None:
    game, rng = GAMES["time"], random.Random(4)
    seen = 0
    for log in some_games("time", 6):
        record = a_record(log)
        steps = {id(moment): steps for moment, steps in first_moments(record)}
        for one in placed(first_moments(record)):
            step = next(
                step
                for group in steps.values()
                for step in group
                if step.action["type"] == "place" and step.after["grid"] == str(one.done.grid)
            )
            if one.best is None or rng.random() < 0.7:
                continue
            leads = []
            for spot in game.view(step.before, {"role": "host"})["legal"]:
                for card in {str(one.card), str(one.card.flipped())}:
                    for order in permutations(spot["near"]):
                        row, col = spot["cell"]
                        action = {"type": "place", "card": card, "row": row, "col": col}
                        after = game.act(
                            step.before, action | {"order": list(order)}, {"role": "host"}
                        )
                        scores = [row["score"] for row in game.result(after)]
                        own = scores.pop(one.seat)
                        leads.append(own - max(scores))
            assert one.best.lead == max(leads)
            assert one.done.lead in leads
            seen += 1
    assert seen > 5


@pytest.mark.parametrize("kind", GAMES)
def test_every_game_is_looked_back_on(kind: str) -> None:
    for log in some_games(kind, 2):
        record = a_record(log)
        found = review(record)
        boards = [(seat, board["text"]) for seat, board in log.game.boards(record.state)]
        assert len(found.players) == len(record.state["players"])
        assert all(len(values) == len(found.moments) for _, values in found.points.rows)
        if found.moments:
            assert list(found.moments[-1].boards) == boards
            assert [values[-1] for _, values in found.points.rows] == [
                row["score"] for row in log.game.result(record.state)
            ]
        for insight in found.chapter.insights:
            assert insight.moment is None or insight.moment < len(found.moments)
            assert insight.cost >= 0


@pytest.mark.parametrize(
    ("before", "after", "cells"),
    [
        ("sun moon / fish bird", "sun bird / fish moon", ((0, 1), (1, 1))),
        (".", "spring", ((0, 0),)),
        ("spring", "winter spring", ((0, 0),)),
        ("spring .", "spring .", ()),
    ],
)
def test_the_cells_that_differ_are_found(before: str, after: str, cells: object) -> None:
    assert changed(before, after) == cells
    assert changed(None, after) == ()


def test_one_point_more_is_told_in_the_singular() -> None:
    game = """\
tallystone record 1
game seasons
player Ann: winter
player Ben: spring
option cards: ["largest-group"]

Ann: set r1c1 summer; set r2c2 summer
"""
    assert review(read(game)).chapter.insights[0].title == "Ann: 1 point more"

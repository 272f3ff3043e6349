"""``docs/rules.md`` says what the code does."""

from pathlib import Path

import oracle
import pytest

from scorer.seasons.cards import CARDS
from scorer.villagers.cards import COLUMNS, parse_formula

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
PHRASES = [
    phrase
    for line in PAGE.splitlines()
    if line.startswith("    ")
    for phrase in line.strip().split(" · ")
]


@pytest.mark.parametrize(
    "phrase", [phrase for phrase in PHRASES if not phrase.startswith("python")]
)
def test_every_phrase_of_the_card_table_is_read(phrase):
    parse_formula(phrase)


def test_the_page_names_the_columns_and_the_comparisons():
    assert ", ".join(COLUMNS) in " ".join(PAGE.split())
    for what in oracle.COMPARISONS:
        assert f"python tests/scorer/oracle.py {what} " in PAGE


def test_the_cards_named_on_the_page_exist():
    named = {
        word.strip("*:")
        for word in PAGE.split()
        if word.startswith(("*colour-", "*largest-", "*short-"))
    }
    assert named <= set(CARDS)

"""``tallystone read --board cards``: the contract of its JSON, its refusals, its overlay."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from scorer.stones.cards import cards_by_id
from webapp.__main__ import cli

PHOTO = Path(__file__).parents[3] / "fixtures" / "cards" / "carved_2.jpg"


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("TALLYSTONE_DATA", str(tmp_path / "data"))
    return CliRunner()


def test_cards_are_listed_with_id_points_pattern_and_corners(
    runner: CliRunner, tmp_path: Path
) -> None:
    overlays = tmp_path / "overlays"
    result = runner.invoke(
        cli, ["read", str(PHOTO), "--board", "cards", "--json", "--overlay", str(overlays)]
    )
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["found"] is True
    assert document["board"] == "cards"
    assert len(document["cards"]) >= 5
    for card in document["cards"]:
        known = cards_by_id()[card["id"]]
        assert (card["points"], card["pattern"]) == (known.points, str(known.pattern))
        assert 0 <= card["confidence"] <= 1
        assert isinstance(card["sure"], bool)
        assert np.shape(card["quad"]) == (4, 2)
    assert document["sure"] is all(card["sure"] for card in document["cards"])
    assert cv2.imread(str(overlays / "carved_2.overlay.jpg")) is not None


def test_a_photo_without_cards_is_refused_with_what_to_do(
    runner: CliRunner, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.png"
    table = np.random.default_rng(5).normal((70, 100, 120), 5, (400, 500, 3))
    cv2.imwrite(str(empty), np.clip(table, 0, 255).astype(np.uint8))
    result = runner.invoke(cli, ["read", str(empty), "--board", "cards", "--json"])
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["found"] is False
    assert document["reason"]
    assert document["message"].endswith(".")


def test_several_photos_are_not_fused(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["read", str(PHOTO), str(PHOTO), "--board", "cards", "--same"])
    assert result.exit_code == 2
    assert "each photo of cards by itself" in result.stderr


def test_an_unknown_profile_is_named(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["read", str(PHOTO), "--board", "cards", "--profile", "nobody"])
    assert result.exit_code == 1
    assert "nobody" in result.stderr


def test_teaching_cards_says_what_to_teach_instead(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["teach", "mine", "--board", "cards", f"{PHOTO}=sun"])
    assert result.exit_code != 0
    assert "teach the stones" in result.stderr

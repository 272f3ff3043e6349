"""The quick look at any game: which one it is, what it scores, and how a game is made of it."""

import io
from pathlib import Path
from typing import Any

import pytest
from browser.evening import PHOTO, SEASONS_BOARD, TIME_GRID
from browser.playing import PHONE, look
from fakes import STATE, FakeReader, TokenClient

from scorer.game import Game
from scorer.games import GAMES
from scorer.notation import NotationError
from webapp.openapi import OPERATIONS
from webapp.quick_look import score_of


def send(client: TokenClient, photo: bytes, **fields: str) -> Any:
    return client.post("/api/read", data={"photo": (io.BytesIO(photo), "x.jpg"), **fields})


def test_auto_tells_the_game_and_its_matches(client: TokenClient, photo: bytes) -> None:
    answer = send(client, photo, board="auto").get_json()
    assert answer["board"] == answer["game"] == "stones"
    assert answer["text"] == STATE
    assert answer["matches"]
    assert answer["spec"]["rows"] == [3, 3]


def test_a_refusal_says_which_games_were_looked_for(
    client: TokenClient, dark_photo: bytes, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vision.errors import BoardNotFound

    def refuse(*_: Any) -> None:
        error = BoardNotFound("no_board", "Nothing is there.")
        error.kinds = (("none", 0.9), ("stones", 0.1))
        raise error

    monkeypatch.setattr(reader, "read", refuse)
    answer = send(client, dark_photo, board="auto")
    assert answer.status_code == 422
    assert answer.get_json()["kinds"] == [["none", 0.9], ["stones", 0.1]]


def test_pattern_cards_can_be_asked_for(client: TokenClient, photo: bytes) -> None:
    answer = send(client, photo, board="cards").get_json()
    assert [card["id"] for card in answer["cards"]] == [36, 72, 41]
    assert answer["game"] == "stones"


@pytest.mark.parametrize("fields", [{"board": "chess"}, {"board": "auto", "corners": "photo"}])
def test_what_cannot_be_read_is_refused_with_a_sentence(
    client: TokenClient, photo: bytes, fields: dict[str, str]
) -> None:
    answer = send(client, photo, **fields)
    assert answer.status_code == 400
    assert answer.get_json()["error"]["code"] == "unknown_board"


def test_a_season_board_scores_each_card_without_the_own_season() -> None:
    lines = {line["item"]: line for line in score_of("seasons", SEASONS_BOARD)}
    assert len(lines) == 14
    assert lines["Six diagonals"]["points"] == 12 + 5  # the published example, without its own 3
    assert len(lines["Six diagonals"]["cells"]) == 12


def test_a_grid_of_time_ranks_the_seasons_with_their_cards() -> None:
    lines = score_of("time", TIME_GRID)
    assert [line["points"] for line in lines] == [4, 3, 2, 1]
    assert sum(len(line["cells"]) for line in lines) == 6


def test_a_game_of_ones_own_counts_its_pieces() -> None:
    lines = score_of("custom", "cow . / pig cow")
    assert [(line["item"], line["points"]) for line in lines] == [("cow", 2), ("pig", 1)]
    with pytest.raises(NotationError):
        score_of("time", "cow")


def test_the_score_follows_a_correction(client: TokenClient) -> None:
    answer = client.post("/api/score", json={"game": "time", "text": "spring summer"})
    assert [line["item"] for line in answer.get_json()["score"]][:2] == ["spring", "summer"]
    for bad in (
        {"game": "chess", "text": "x"},
        {"game": "time"},
        {"game": "time", "text": "x y"},
        {"game": ["time"], "text": "x"},
        {"game": {}, "text": "x"},
        {"game": "stones", "text": "sun moon sun / sun moon sun / sun moon sun"},
        {"game": "villagers", "text": "farm"},
    ):
        assert client.post("/api/score", json=bad).status_code == 400


@pytest.mark.parametrize(
    ("game", "text", "problems"),
    [
        ("time", "sp sp sp sp / sp sp sp sp / sp . . .", [("too_many_cards", 9)]),
        ("seasons", SEASONS_BOARD, []),
        ("custom", "cow . / pig cow", []),
    ],
)
def test_a_correction_that_cannot_lie_so_is_told(
    client: TokenClient, game: str, text: str, problems: list[tuple[str, int]]
) -> None:
    answer = client.post("/api/score", json={"game": game, "text": text}).get_json()
    found = [(problem["code"], len(problem["cells"])) for problem in answer["problems"]]
    assert found == problems


def test_the_description_names_the_games_whose_boards_have_points() -> None:
    body = OPERATIONS["POST /api/score"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["properties"]["game"]["enum"] == [
        code for code, game in GAMES.items() if type(game).glance is not Game.glance
    ]


def test_the_page_without_scripts_shows_what_was_read(client: TokenClient, photo: bytes) -> None:
    page = client.post("/read", data={"photo": (io.BytesIO(photo), "x.jpg"), "board": "auto"})
    assert page.status_code == 200
    assert "On the table" in page.get_data(as_text=True)


@pytest.fixture
def page(chromium: Any, base_url: str) -> Any:
    context = chromium.new_context(viewport=PHONE)
    tab = context.new_page()
    faults: list[str] = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.goto(base_url)
    tab.wait_for_selector("body[data-ready]")
    yield tab
    context.close()
    assert faults == []


@pytest.mark.browser
def test_a_photo_of_the_start_page_becomes_a_game(page: Any, tmp_path: Path) -> None:
    photo = tmp_path / "table.jpg"
    photo.write_bytes(PHOTO.read_bytes())
    look(page, "#snap-choose", photo)
    assert page.locator("h1:visible").all_inner_texts() == ["Shifting Stones"]
    page.locator('.square[data-cell="0,2"]').click()
    page.locator("[data-picker] [data-label=fish]").click()
    page.locator(".overlay .label-word", has_text="fish").wait_for()
    page.locator("#make-game").click()
    page.locator("[name=player]").first.fill("Ann")
    page.locator(".bottom-bar button").click()
    page.locator('.stones-tile[data-cell="0,2"][aria-label*="fish"]').wait_for()
    page.locator("#look-again").wait_for(state="attached")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.locator('.stones-tile[data-cell="0,2"][aria-label*="fish"]').wait_for()


@pytest.mark.browser
def test_a_photo_is_brought_into_no_game_that_this_tab_did_not_start(
    page: Any, tmp_path: Path, client: TokenClient
) -> None:
    photo = tmp_path / "table.jpg"
    photo.write_bytes(PHOTO.read_bytes())
    setup = {"players": [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "green"}]}
    body = {"kind": "stones", "setup": setup, "seat": 0}
    code = client.send_json("/api/games", body).get_json()["code"]
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    look(page, "#snap-choose", photo)
    page.locator("#make-game").click()
    page.wait_for_url("**/start/stones")
    page.goto(page.url.replace("/start/stones", f"/g/{code}"))
    page.get_by_role("button", name="Ben").click()
    page.wait_for_selector("body[data-ready]")
    assert page.evaluate("() => sessionStorage.getItem('tallystone.open.carried')") is None
    page.goto(page.url.replace(f"/g/{code}", "/start/stones"))
    page.locator("[name=player]").first.fill("Ben")
    page.locator(".bottom-bar button").click()
    page.wait_for_selector("body[data-ready]")
    page.locator('.stones-tile[data-cell="0,0"]').click()
    page.locator("#stone-picker [data-symbol=moon]").click()
    page.locator('.stones-tile[data-cell="0,0"][aria-label*="moon"]').wait_for()
    assert [one for one in sent if one.startswith("POST") and one.endswith("/photos")] == []


@pytest.mark.browser
def test_a_new_photo_in_a_game_says_what_changed(page: Any, tmp_path: Path) -> None:
    photo = tmp_path / "table.jpg"
    photo.write_bytes(PHOTO.read_bytes())
    page.goto(page.url.rstrip("/") + "/start/stones")
    page.locator("[name=player]").first.fill("Ann")
    page.locator("[name=player]").nth(1).fill("Ben")
    page.locator(".bottom-bar button").click()
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("Escape")  # the invitation

    def photograph() -> None:
        page.locator("#photo").click()
        page.set_input_files(".review [data-pick=choose]", photo)
        page.locator(".review[data-view=result]").wait_for()

    photograph()
    assert page.locator(".since").is_hidden()  # nothing lay there before
    page.locator("[data-use]").click()
    page.locator(".review").wait_for(state="detached")
    page.locator('.stones-tile[data-cell="0,0"][aria-label*="sun"]').click()
    page.locator("#stone-correct").click()
    page.locator("#stone-picker [data-symbol=moon]").click()
    page.locator('.stones-tile[data-cell="0,0"][aria-label*="moon"]').wait_for()

    photograph()
    says = page.locator("[data-says]")
    says.filter(has_text="1 stone has changed. One discard of Ann explains it.").wait_for()
    assert page.locator(".since li").all_inner_texts() == [
        "moon at row 1 column 1 is flipped to sun"
    ]
    assert page.locator(".square.changed").get_attribute("data-cell") == "0,0"
    assert page.locator("[data-note-moves]").is_checked()
    page.locator("[data-use]").click()
    page.locator(".review").wait_for(state="detached")
    page.locator('.stones-tile[data-cell="0,0"][aria-label*="sun"]').wait_for()
    code = page.url.rsplit("/", 1)[1][:6]
    log = page.request.get(f"{page.url.split('/g/')[0]}/api/games/{code}/log").json()["events"]
    assert log[-1]["action"]["moves"] == [
        {"type": "move", "turn": 0, "flip": [0, 0], "discard": None}
    ]

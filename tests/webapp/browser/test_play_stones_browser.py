"""Shifting Stones in real browsers: stones, own hand, advice, two devices, a photo, the end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.playing import LAPTOP, PHONE, Devices, act, devices_at, fits, send, small_targets
from fakes import FakeCardReader
from flask import Flask
from playwright.sync_api import Route

from vision.errors import BoardNotFound
from webapp.store import Photo

pytestmark = pytest.mark.browser

GRID = "sun horse bird / tree seed seed / horse bird boat"
BOARD: dict[str, Any] = {
    "type": "board",
    "seat": None,
    "text": GRID,
    "photo": None,
    "corrections": [],
}
PLAYERS = (("Ann", "red"), ("Bob", "green"))


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


def hand(*cards: int) -> dict[str, Any]:
    return {"type": "hand", "seat": 0, "cards": list(cards)}


def words(page: Any) -> list[str]:
    found: list[str] = page.locator("#board .stones-tile-word").all_text_contents()
    return found


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_a_turn_by_tapping(devices: Devices, size: dict[str, int]) -> None:
    page, code = devices.host("stones", *PLAYERS, size=size, actions=[BOARD, hand(41, 28)])
    page.locator('[data-key="cell-0-0"]').click()
    assert page.locator(".stones-tile.may-swap").count() == 2
    page.locator("#stone-flip").click()
    page.locator('[data-key="cell-0-0"][aria-label*="moon"]').wait_for()
    page.locator('[data-key="cell-0-0"]').click()
    page.locator('[data-key="cell-1-0"]').click()
    page.locator('[data-key="cell-0-0"][aria-label*="tree"]').wait_for()
    assert words(page)[:4] == ["tree", "horse", "bird", "moon"]
    page.locator('#pane-hand [data-card="41"]').click()
    page.locator('#pane-hand [data-key="score"]').click()
    page.locator("#tab-scores").click()
    page.locator(".stones-total").first.filter(has_text="2").wait_for()
    page.locator("#end-turn").click()
    page.locator("#turn-title").filter(has_text="Bob’s turn").wait_for()
    assert page.locator("#end-turn").text_content() == "End turn: Bob"
    log = page.request.get(f"{devices.base_url}/api/games/{code}/log").json()["events"]
    told = [(event["action"]["type"], event["action"].get("turn")) for event in log[-4:]]
    assert told == [("move", 0), ("move", 0), ("score", 0), ("end_turn", 0)]
    page.locator("#undo").click()
    page.locator("#turn-title").filter(has_text="Your turn").wait_for()
    assert fits(page)


def test_the_hand_is_picked_from_pictures_and_seen_by_nobody_else(devices: Devices) -> None:
    ann, code = devices.host("stones", *PLAYERS, actions=[BOARD])
    bob = devices.join(code, "Bob", LAPTOP)
    ann.locator('[data-key="choose-hand"]').click()
    ann.locator("[data-filter=fish]").click()
    ann.locator("[data-filter=boat]").click()
    assert set(
        ann.locator("[data-hand]").evaluate_all("all => all.map((b) => b.dataset.hand)")
    ) == {"72", "58", "36", "15"}
    for card in ("72", "36"):
        ann.locator(f'[data-hand="{card}"]').click()
    assert small_targets(ann) == []
    ann.locator("#hand-picker-done").click()
    ann.locator('#pane-hand [data-card="72"]').wait_for()

    ann.locator('[data-key="cell-0-0"]').click()
    ann.locator("#stone-flip").click()
    bob.locator('[data-key="cell-0-0"][aria-label*="moon"]').wait_for()
    bob.locator("#tab-scores").click()
    assert "3 cards in hand" in bob.locator(".stones-player").first.inner_text()
    game = bob.evaluate(f"async () => (await fetch('/api/games/{code}')).text()")
    log = bob.evaluate(f"async () => (await fetch('/api/games/{code}/log')).text()")
    for text in (game, log):
        assert "[36,72]" not in text.replace(" ", "").replace("\n", "")


def test_the_hand_is_photographed_and_the_photo_kept_nowhere(
    app: Flask, devices: Devices, tmp_path: Path, photo: bytes
) -> None:
    path = tmp_path / "hand.jpg"
    path.write_bytes(photo)
    page, _ = devices.host(
        "stones", *PLAYERS, actions=[BOARD, {"type": "award", "seat": 1, "card": 41}]
    )
    page.locator('[data-key="choose-hand"]').click()
    page.set_input_files("#hand-photo", path)
    page.locator(".stones-seen li.doubtful [data-seen]").first.wait_for()
    asked = page.locator(".stones-seen li.doubtful [data-seen]:enabled")
    assert asked.evaluate_all("all => all.map((one) => one.dataset.seen)") == [
        "72",
        "58",
    ]  # best two guesses
    assert (
        page.locator("#hand-picker-done").inner_text() == "Take this card"
    )  # what is in doubt is not taken
    assert "Bob has scored this card" in page.locator(".stones-seen").inner_text()
    page.locator('.stones-seen [data-seen="58"]').click()
    assert page.locator('.stones-seen [data-seen="58"]').get_attribute("aria-pressed") == "true"
    assert small_targets(page) == []
    assert fits(page)
    page.locator("#hand-picker-done").click()
    page.locator('#pane-hand [data-card="58"]').wait_for()
    held = page.locator("#pane-hand [data-card]").evaluate_all(
        "all => all.map((one) => one.dataset.card)"
    )
    assert sorted(held) == ["36", "58"]
    with app.extensions["tallystone_store"].reading() as session:
        assert session.query(Photo).count() == 0  # the others could look at it


def test_a_photo_without_cards_leaves_what_was_picked(
    devices: Devices, tmp_path: Path, photo: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise BoardNotFound("no_board", "No pattern card found.")

    monkeypatch.setattr(FakeCardReader, "read", refuse)
    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    page, _ = devices.host("stones", *PLAYERS, actions=[BOARD, hand(41, 28)])
    page.locator('[data-key="change-hand"]').click()
    page.set_input_files("#hand-photo", path)
    page.locator("#hand-picker .problem").wait_for()
    assert page.locator("#hand-picker-done").inner_text() == "Take these 2 cards"
    devices.complaints = [text for text in devices.complaints if "status of 422" not in text]


def test_a_card_lights_its_cells_and_shows_its_way(devices: Devices) -> None:
    page, _ = devices.host("stones", *PLAYERS, actions=[BOARD, hand(41, 28, 72, 55)])
    page.locator('#pane-hand [data-card="41"]').click()
    assert [
        tile.get_attribute("data-key")
        for tile in page.locator(".stones-tile.lit").element_handles()
    ] == ["cell-0-1", "cell-0-2"]
    page.locator('#pane-hand [data-card="28"]').click()
    assert "2 discards away" in page.locator(".stones-detail").inner_text()
    assert page.locator(".stones-detail .film li").count() == 3  # two moves and what is there then
    page.locator("#best-turn").click()
    assert "3 points" in page.locator(".stones-best").inner_text()
    assert page.locator(".stones-best .film-score").count() == 2
    page.locator("#tab-cards").click()
    first = page.locator("#pane-cards .group").first
    assert first.locator(".stones-tag.now").count() == first.locator("[data-card]").count()
    assert page.locator("#pane-cards [data-card]").count() == 72
    assert fits(page)


def test_a_table_may_play_without_advice(devices: Devices) -> None:
    page, _ = devices.host("stones", *PLAYERS, advice=False, actions=[BOARD, hand(41, 28)])
    assert page.locator("#pane-hand .stones-tag.now").count() == 1
    assert page.locator("#best-turn").count() == 0
    assert "away" not in page.locator(".stones").inner_text()


def test_photos_whose_answers_are_lost_are_sent_again_and_kept_once(
    app: Flask, devices: Devices, tmp_path: Path, photo: bytes
) -> None:
    sent_again: list[Route] = []

    def lost(route: Route) -> None:
        route.fetch()
        route.fulfill(status=502)

    def held(route: Route) -> None:
        sent_again.append(route)

    def let_through() -> None:
        while not sent_again:
            page.wait_for_timeout(20)
        sent_again.pop().continue_()

    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    page, _ = devices.host("stones", *PLAYERS, actions=[BOARD])
    for address in ("**/photos", "**/cards"):
        page.route(address, held, times=1)
        page.route(address, lost, times=1)  # the newest is asked first
    page.locator("#photo").click()
    page.set_input_files("[data-pick=choose]", path)
    page.locator(".busy p", has_text="The photo is sent as soon as it answers.").wait_for()
    let_through()
    page.wait_for_selector(".review[data-view=result]")
    with app.extensions["tallystone_store"].reading() as session:
        assert session.query(Photo).count() == 1
    page.locator(".review-head .icon-button").first.click()
    page.locator('[data-key="choose-hand"]').click()
    page.set_input_files("#hand-photo", path)
    page.locator("#hand-picker", has_text="The photo is sent as soon as it answers.").wait_for()
    let_through()
    page.locator(".stones-seen").wait_for()
    gone = [text for text in devices.complaints if "status of 502" in text]
    assert len(gone) == 2
    devices.complaints = [text for text in devices.complaints if text not in gone]


def test_a_photo_lays_out_the_stones_and_can_be_looked_at_again(
    devices: Devices, tmp_path: Path, photo: bytes
) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    page, _ = devices.host("stones", *PLAYERS)
    assert page.locator("#end-turn").is_hidden()
    page.locator("#photo").click()
    page.set_input_files("[data-pick=choose]", path)
    page.wait_for_selector(".review[data-view=result]")
    page.locator(".check-list [data-guess=boat]").click()
    page.locator("[data-use]").click()
    page.locator('[data-key="cell-1-0"][aria-label*="boat"]').wait_for()
    assert "box holds" in page.locator("#problems").inner_text()  # four horses or boats: impossible
    page.locator('[data-key="cell-1-0"]').click()
    page.locator("#stone-correct").click()
    page.locator("#stone-picker [data-symbol=tree]").click()
    page.locator("#problems .problem").first.wait_for(state="detached")
    page.locator("#look-again").click()
    page.wait_for_selector(".review[data-view=result]")
    stone = page.locator('.review .square[data-cell="1,0"]')
    assert stone.get_attribute("data-label") == "tree"  # as corrected on the table


def test_a_board_that_the_game_refuses_stays_in_the_review(
    devices: Devices, tmp_path: Path, photo: bytes
) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    ann, code = devices.host("stones", *PLAYERS, actions=[BOARD])
    page = devices.join(code, "Bob")
    page.locator("#photo").click()
    page.set_input_files("[data-pick=choose]", path)
    page.locator(".check-list [data-guess=boat]").click()
    send(ann, f"/api/games/{code}/actions", {"action": {"type": "finish"}})
    page.locator("[data-use]").click()
    page.locator(".review .problem", has_text="The game is finished").wait_for()
    assert page.locator('.review .square[data-cell="1,0"]').get_attribute("data-label") == "boat"
    send(ann, f"/api/games/{code}/actions", {"action": {"type": "resume"}})
    page.locator(".review-warnings .problem").wait_for(state="detached")
    page.locator("[data-use]").click()
    page.locator(".review").wait_for(state="detached")
    page.locator('[data-key="cell-1-0"][aria-label*="boat"]').wait_for()


def test_a_move_that_somebody_noted_during_the_review_is_paid_once(
    devices: Devices, tmp_path: Path, photo: bytes
) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    before = BOARD | {"text": GRID.replace("sun", "moon")}
    ann, code = devices.host("stones", *PLAYERS, actions=[before, hand(41, 28)])
    page = devices.join(code, "Bob")
    page.locator("#photo").click()
    page.set_input_files("[data-pick=choose]", path)
    says = page.locator(".since [data-says]")
    says.filter(has_text="One discard of Ann explains it.").wait_for()
    page.route("**/ask", lambda route: route.fulfill(status=409, json={}), times=1)
    move = {"type": "move", "flip": [0, 0], "discard": 28}
    send(ann, f"/api/games/{code}/actions", {"action": move})
    page.locator(".since").wait_for(state="hidden")  # what changed is not known for a moment
    page.locator("[data-use]").click()
    page.locator(".review .problem", has_text="Somebody changed the same place").wait_for()
    says.filter(has_text="Nothing has changed since the board before.").wait_for()
    back = {"type": "cell", "row": 0, "col": 0, "label": "moon"}
    send(ann, f"/api/games/{code}/actions", {"action": back})
    says.filter(has_text="One discard of Ann explains it.").wait_for()
    assert not page.locator("[data-note-moves]").is_checked()  # the photo is older than that
    page.locator("[data-use]").click()
    page.locator(".review").wait_for(state="detached")
    game = ann.request.get(f"{devices.base_url}/api/games/{code}").json()
    assert game["last"] == game["last"] | {"type": "board", "by": "Bob"}
    assert game["state"]["seats"][0]["hand"] == [41]


def test_the_stones_are_laid_out_with_the_keyboard_alone(devices: Devices) -> None:
    page, _ = devices.host("stones", *PLAYERS, size=LAPTOP)
    for at, word in enumerate(GRID.replace("/", "").split()):
        page.locator(f'[data-key="cell-{at // 3}-{at % 3}"]').focus()
        page.keyboard.press("Enter")
        page.locator(f"#stone-picker [data-symbol={word}]").focus()
        page.keyboard.press("Enter")
        page.locator(f'[data-key="cell-{at // 3}-{at % 3}"][aria-label*="{word}"]').wait_for()
    page.locator("#end-turn").wait_for()
    page.locator('[data-key="cell-1-1"]').focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.key") == "cell-1-1"


def test_the_last_round_the_winner_and_the_end(devices: Devices) -> None:
    page, code = devices.host("stones", *PLAYERS)
    awards = [{"type": "award", "seat": 0, "card": card} for card in range(1, 11)]
    act(page, code, BOARD, *awards, {"type": "end_turn"})
    assert "Last round: Bob still to play" in page.locator("#turn-hint").inner_text()
    page.locator("#end-turn").click()
    page.locator("#turn-title").filter(has_text="Ann wins with 13 points!").wait_for()
    page.locator("#tab-scores").click()
    ann = page.locator(".stones-player").first.inner_text()
    assert "wins" in ann
    assert "Bonus: most 1-point cards (10)" in ann
    assert "13" in ann
    assert page.locator("#end-turn").text_content() == "Finish the game"
    page.locator("#tab-hand").click()
    page.locator("#end-turn").click()
    page.locator("#sure-yes").click()
    page.locator("#stones-bar").wait_for(state="hidden")
    assert page.locator("#pane-scores").is_visible()
    page.locator("#tab-hand").click()
    assert page.locator("#pane-hand").inner_text() == "You chose no cards of your hand here."
    assert page.locator("#verdict").inner_text() == "Ann wins with 13 points!"
    page.locator("#finished").get_by_role("link", name="Result and report").click()
    page.wait_for_url("**/after")


def test_playing_alone_counts_strikes(devices: Devices) -> None:
    page, code = devices.host("stones", PLAYERS[0], actions=[BOARD])
    page.locator("#end-turn").click()
    page.locator("#strikes").filter(has_text="1 of 4 strikes").wait_for()
    act(page, code, {"type": "end_turn"}, {"type": "end_turn"})
    page.locator("#end-turn").click()
    page.locator("#strikes").filter(has_text="4 of 4 strikes").wait_for()
    assert "lost" in page.locator("#turn-title").inner_text()


def test_another_players_turn_is_ended_only_after_a_question(devices: Devices) -> None:
    ann, code = devices.host("stones", *PLAYERS, ("Cat", "purple"), actions=[BOARD])
    bob = devices.join(code, "Bob")
    own, other = ann.locator("#end-turn"), bob.locator("#end-turn")
    assert "primary" in own.get_attribute("class")
    assert other.inner_text() == "End Ann’s turn"
    assert other.bounding_box()["width"] < own.bounding_box()["width"]
    other.tap()
    assert "not yours" in bob.locator("#sure-hint").inner_text()
    bob.locator("#sure-sheet").get_by_role("button", name="Cancel").tap()
    assert ann.locator("#turn-title").inner_text() == "Your turn"
    bob.locator("#skip").tap()
    bob.locator("#sure-yes").tap()
    bob.locator("#turn-title").filter(has_text="Your turn").wait_for()
    ann.locator("#turn-title").filter(has_text="Bob’s turn").wait_for()


def test_two_taps_flip_one_stone_once(devices: Devices) -> None:
    page, _ = devices.host("stones", *PLAYERS, actions=[BOARD])
    page.locator('[data-key="cell-0-0"]').click()
    page.locator("#stone-flip").dblclick()
    page.locator('[data-key="cell-0-0"][aria-label*="moon"]').wait_for()


def test_two_taps_end_one_turn(devices: Devices) -> None:
    ann, _ = devices.host("stones", *PLAYERS, ("Cat", "purple"), actions=[BOARD])
    ann.locator("#end-turn").tap()
    ann.wait_for_timeout(180)
    ann.locator("#end-turn").tap()
    ann.locator("#turn-title").filter(has_text="Bob’s turn").wait_for()
    ann.wait_for_timeout(300)
    assert ann.locator("#turn-title").inner_text() == "Bob’s turn"


def test_cards_added_afterwards_leave_the_hand(devices: Devices) -> None:
    page, _ = devices.host("stones", *PLAYERS, actions=[BOARD])
    page.locator("#tab-scores").tap()
    page.locator('[data-key="award-0"]').tap()
    for card in (1, 2, 3, 4, 5):
        page.locator(f'[data-hand="{card}"]').tap()
    page.locator("#hand-picker-done").tap()
    page.locator(".stones-player").first.filter(has_text="5 of 10 cards").wait_for()
    assert "No card is left" not in page.locator("#board-hint").inner_text()
    page.locator("#undo").tap()  # one step
    page.locator(".stones-player").first.filter(has_text="0 of 10 cards").wait_for()


def test_an_open_sheet_follows_what_another_changes(devices: Devices) -> None:
    ann, code = devices.host("stones", *PLAYERS, actions=[BOARD])
    bob = devices.join(code, "Bob")
    ann.locator("#turn-change").tap()
    ann.locator("#turn-sheet-title").filter(has_text="Who begins?").wait_for()
    bob_acts = f"/api/games/{code}/actions"
    send(bob, bob_acts, {"action": {"type": "skip"}})
    ann.locator("#turn-sheet-title").filter(has_text="Whose turn is it?").wait_for()
    ann.locator("#turn-sheet-seats button").first.tap()
    ann.locator("#turn-title").filter(has_text="Your turn").wait_for()
    ann.locator("#tab-scores").tap()
    ann.locator('[data-key="award-0"]').tap()
    for card in (5, 6):
        ann.locator(f'[data-hand="{card}"]').tap()
    send(bob, bob_acts, {"action": {"type": "award", "seat": 1, "cards": [5]}})
    ann.locator("#hand-picker-done").filter(has_text="Take this card").wait_for()
    assert ann.locator('[data-hand="5"]').count() == 0
    ann.locator("#hand-picker-done").tap()
    ann.locator(".stones-player").first.filter(has_text="1 of ").wait_for()
    bob.locator("#tab-hand").tap()
    bob.locator('[data-key="choose-hand"]').tap()
    members = send(bob, bob_acts, {"action": {"type": "hand", "seat": 1, "cards": []}})["members"]
    number = next(one["id"] for one in members if one["name"] == "Bob")
    send(ann, f"/api/games/{code}/members/{number}", {"role": "viewer"})
    bob.locator("#watching").wait_for()
    assert not bob.locator("#hand-picker").is_visible()


def test_targets_are_large_enough(devices: Devices) -> None:
    page, _ = devices.host(
        "stones", *PLAYERS, actions=[BOARD, hand(41, 28), {"type": "award", "seat": 1, "card": 3}]
    )
    assert small_targets(page) == []
    for tab in ("cards", "scores"):
        page.locator(f"#tab-{tab}").click()
        assert small_targets(page) == []
        assert fits(page)


def test_who_watches_sees_the_scores_and_changes_nothing(devices: Devices) -> None:
    _, code = devices.host("stones", *PLAYERS, actions=[BOARD, hand(41, 28)])
    viewer = devices.open(f"/g/{code}")
    viewer.locator("#name").fill("Zoe")
    viewer.get_by_role("button", name="Watch").click()
    viewer.wait_for_selector("body[data-ready]")
    assert viewer.locator("#pane-scores").is_visible()
    assert viewer.locator("#stones-bar").is_hidden()
    assert viewer.locator("#board button:enabled").count() == 0
    viewer.locator("#tab-hand").click()
    assert "seen only by those who hold them" in viewer.locator("#pane-hand").inner_text()

"""Turn of Time in a real browser: placing, flipping, unknown sides, ranking, seats."""

from collections.abc import Iterator
from typing import Any

import pytest
from browser.playing import LAPTOP, PHONE, Devices, devices_at, fits, small_targets

pytestmark = pytest.mark.browser

GRID = (
    "spring/winter . summer/spring / autumn/summer spring/autumn winter/winter / "
    "summer/summer . autumn/spring"
)
PLAYERS = (("Ann", "spring"), ("Bob", "summer"), ("Cat", "autumn"), ("Dan", "winter"))


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


def board(text: str) -> dict[str, Any]:
    return {"type": "board", "seat": None, "text": text, "photo": None, "corrections": []}


def grid_now(page: Any, code: str) -> str:
    text: str = page.evaluate(
        f"async () => (await (await fetch('/api/games/{code}')).json()).view.grid.text"
    )
    return text


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_a_card_is_placed_and_the_order_of_its_meetings_chosen(
    devices: Devices, size: dict[str, int]
) -> None:
    page, code = devices.host("time", *PLAYERS, size=size, actions=[board(GRID)])
    assert page.locator("[data-free]").count() == 12
    assert page.locator("#turn-title").inner_text() == "Dan’s turn"
    page.locator('[data-key="kind-spring/winter"]').click()
    page.locator('[data-key="turn-over"]').click()
    page.locator('[data-key="cell-0,1"]').click()
    assert page.locator(".time-number").count() == 3
    assert page.locator(".time-end-head").count() == 3
    page.locator(".time-end-head").filter(has_text="Flips 1 card").click()
    assert page.locator(".time-cell.flips").count() == 1
    assert page.locator("#place").inner_text() == "Place it, flip 1"
    assert small_targets(page) == []
    assert fits(page)
    page.locator("#place").click()
    page.locator(".time-happened").filter(has_text="Dan placed winter").wait_for()
    assert grid_now(page, code).startswith(
        "spring/winter spring/winter spring/summer / autumn/summer"
    )
    assert page.locator("#turn-title").inner_text() == "Your turn"
    assert "both flip" in page.locator(".time-happened").inner_text()
    page.locator("#undo").click()
    page.locator("#turn-title").filter(has_text="Dan’s turn").wait_for()
    assert grid_now(page, code) == GRID


def test_the_cell_may_be_chosen_before_the_card(devices: Devices) -> None:
    page, code = devices.host("time", *PLAYERS)
    page.locator("[data-free]").click()
    assert "choose the card" in page.locator("#grid-hint").inner_text()
    page.locator('[data-key="kind-summer/winter"]').click()
    page.locator("#place").click()
    page.locator(".time-happened").wait_for()
    assert grid_now(page, code) == "summer/winter"


def test_free_cells_beside_the_cards_are_told_without_a_row_zero(devices: Devices) -> None:
    page, _ = devices.host("time", *PLAYERS, actions=[board("spring/winter")])
    free = page.locator("[data-free]")
    assert {one.get_attribute("aria-label") for one in free.all()} == {
        "Place a card above the cards, column 1",
        "Place a card left of the cards, row 1",
        "Place a card in row 1, column 2",
        "Place a card in row 2, column 1",
    }


def test_a_flipped_card_is_asked_for(devices: Devices) -> None:
    page, code = devices.host("time", *PLAYERS, actions=[board("spring")])
    page.locator('[data-key="kind-summer/winter"]').click()
    page.locator('[data-key="cell-0,1"]').click()
    page.locator("#place").click()
    page.locator('[data-key="settle-autumn"]').click()
    page.locator(".time-ask").wait_for(state="detached")
    assert grid_now(page, code) == "autumn/spring summer/winter"


def test_a_card_is_put_right_without_a_move(devices: Devices) -> None:
    page, code = devices.host("time", *PLAYERS, actions=[board(GRID)])
    page.locator('[data-key="cell-1,1"]').click()
    page.locator("#card-up [data-season=winter]").click()
    page.locator('#card-back [data-season="?"]').click()
    assert small_targets(page) == []
    page.locator("#card-set").click()
    page.locator('[data-key="cell-1,1"][aria-label*="winter"]').wait_for()
    assert grid_now(page, code).split(" / ")[1] == "autumn/summer winter winter/winter"


def test_a_season_of_the_ranking_lights_its_cards_and_says_what_decides(devices: Devices) -> None:
    page, _ = devices.host(
        "time", *PLAYERS, size=LAPTOP, actions=[board("spring . winter / spring summer winter")]
    )
    page.locator("[data-tab=ranking]").click()
    page.locator('[data-key="rank-spring"]').click()
    assert page.locator(".time-cell.lit").count() == 2
    assert page.locator(".time-cell.ringed").count() == 2
    assert "the turn order decides" in page.locator(".time-why").inner_text()
    assert [row[0] for row in page.locator(".time-rank .time-points").all_inner_texts()] == list(
        "4321"
    )
    page.locator('[data-key="rank-spring"]').click()
    assert page.locator(".time-cell.lit").count() == 0


def test_two_players_choose_two_seasons_each(devices: Devices) -> None:
    page, _ = devices.host(
        "time",
        *PLAYERS[:2],
        actions=[board("spring spring spring summer / summer autumn winter .")],
    )
    page.locator("#seats").click()
    page.locator('[data-key="seat-0-winter"]').click()
    page.locator('[data-key="seat-0-winter"][aria-pressed=true]').wait_for()
    assert page.locator('[data-key^="seat-1-"][aria-pressed=true]').count() == 2
    assert small_targets(page) == []
    page.locator("#seats-sheet .sheet-foot button").click()
    page.locator("[data-tab=ranking]").click()
    assert "winter" in page.locator(".time-players li").first.inner_text()


def test_playing_alone_shows_the_goals(devices: Devices) -> None:
    page, _ = devices.host(
        "time", PLAYERS[0], actions=[board(" / ".join(["spring summer autumn winter"] * 4))]
    )
    assert page.locator("#turn-title").inner_text() == "The goal is reached!"
    page.locator("[data-tab=ranking]").click()
    assert page.locator(".time-goals .reached").count() == 1
    assert "Reached!" in page.locator(".time-goals .reached").inner_text()


def test_finishing_says_how_many_cards_lie(devices: Devices) -> None:
    page, _ = devices.host("time", *PLAYERS, actions=[board(GRID)])
    page.locator("#menu").tap()
    page.locator("#finish").tap()
    assert page.locator("#sure-hint").inner_text().startswith("Only 7 of 16 cards lie on the table")
    page.locator("#sure-yes").tap()
    page.locator("#verdict").filter(has_text="wins with").wait_for()

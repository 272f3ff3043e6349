"""Villagers in a real browser: cards, an explained figure, coins, hand, supply, markets."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from browser.playing import LAPTOP, PHONE, Devices, devices_at, fits, send, small_targets

pytestmark = pytest.mark.browser

PLAYERS = (("Ann", ""), ("Ben", ""))


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


def lay(page: Any, name: str) -> None:
    """Find a card by its name in the open list, and lay it."""
    page.locator("#vil-query").fill(name)
    page.locator(f'.pick-card[data-name="{name}"]').click()
    page.locator("#vil-added").filter(has_text=f"{name} is there").wait_for()


def card(page: Any, name: str) -> Any:
    return page.locator(".vil-card").filter(has_text=name)


def total(page: Any) -> int:
    return int(page.locator('#vil-tabs [data-seat="0"] b').inner_text())


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_a_chain_is_laid_by_its_top_card_and_explained(
    devices: Devices, size: dict[str, int]
) -> None:
    page, code = devices.host("villagers", *PLAYERS, size=size)
    other = devices.join(code, "Ben")
    page.locator("#vil-add").click()
    lay(page, "Log Rafter")
    page.locator("#vil-deck [data-close]").first.click()
    assert page.locator(".vil-chain").count() == 1
    assert page.locator(".vil-card").all_text_contents()[0].startswith("Lumberjack")
    card(page, "Log Rafter").click()
    assert page.locator("#vil-why-title").inner_text().startswith("Log Rafter:")
    before = total(page)
    page.locator("#vil-why-coins").get_by_role("button", name="Coins: 5 more").click()
    page.locator(f'#vil-tabs [data-seat="0"] b:has-text("{before + 5}")').wait_for()
    other.locator(f'#vil-tabs [data-seat="0"] b:has-text("{before + 5}")').wait_for()
    assert small_targets(page) == []
    assert fits(page)
    page.keyboard.press("Escape")
    page.wait_for_selector("#vil-why", state="hidden")
    page.locator("#undo").click()
    page.locator(f'#vil-tabs [data-seat="0"] b:has-text("{before}")').wait_for()


def test_a_card_is_laid_on_another_swapped_and_removed(devices: Devices) -> None:
    page, _ = devices.host("villagers", *PLAYERS)
    page.get_by_role("button", name="Miner", exact=True).click()
    card(page, "Miner").click()
    page.get_by_role("button", name="Put a card on it").click()
    page.locator(".pick-card").first.click()
    page.locator(".vil-card").nth(1).wait_for()
    page.get_by_role("button", name="Remove with all on it").click()
    page.locator(".vil-none").wait_for()


def test_a_card_of_the_hand_is_hidden_from_others_and_built(devices: Devices) -> None:
    page, code = devices.host("villagers", *PLAYERS)
    other = devices.join(code, "Ben")
    page.get_by_role("button", name="Add to the hand").click()
    lay(page, "Hayer")
    page.locator("#vil-deck [data-close]").first.click()
    other.locator("#vil-tabs [data-seat='0']").click()
    other.locator("#vil-hand").filter(has_text="Hand: 1 card").wait_for()
    assert "Hayer" not in other.locator("#vil-hand").inner_text()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.locator("#vil-hand").get_by_role("button", name="Hayer").click()
    page.get_by_role("button", name="Build it").click()
    card(page, "Hayer").wait_for()
    card(other, "Hayer").wait_for()
    assert "Hand: 0 cards" in page.locator("#vil-hand").inner_text()
    send(page, f"/api/games/{code}/actions", {"action": {"type": "player", "name": "Zoe"}})
    other.locator("#vil-tabs [data-seat='2']").click()
    page.locator("#undo").click()  # and the village that is looked at is gone
    other.locator("#vil-title").filter(has_text="Ben").wait_for()
    send(page, f"/api/games/{code}/members/2", {"role": "player", "seat": 0})
    other.locator("#vil-title").filter(has_text="Ann").wait_for()


def test_the_first_market_goes_into_the_supply(devices: Devices) -> None:
    actions = (
        {"type": "add", "seat": 0, "name": "Miner", "on": None},
        {"type": "supply", "seat": 0, "gold": 7},
    )
    page, _ = devices.host("villagers", *PLAYERS, actions=actions)
    page.locator("#vil-supply-text").filter(has_text="Supply 7").wait_for()
    page.locator("[data-market='1']").click()
    page.emulate_media(forced_colors="active")  # which take its background and its shadow
    chosen = page.locator(".segmented [aria-pressed=true]").first
    assert chosen.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    market = page.locator("#vil-sums tr.total td").first.inner_text()
    page.locator("#vil-take-market").click()
    page.locator("#vil-supply-text").filter(has_text=f"Supply {7 + int(market)}").wait_for()
    page.locator("#vil-take-market").wait_for(state="hidden")  # it is paid once
    page.locator("#vil-supply").click()
    page.locator("#vil-supply-stepper").get_by_role("button", name="1 more").click()
    page.locator("#vil-supply-text").filter(has_text=f"Supply {8 + int(market)}").wait_for()


def test_coins_that_one_types_survive_the_change_of_another(devices: Devices) -> None:
    actions = [{"type": "add", "seat": 0, "name": "Hayer", "on": None}]
    page, code = devices.host("villagers", *PLAYERS, actions=actions)
    card(page, "Hayer").click()
    field = page.locator("#vil-why-coins input")
    field.select_text()
    page.keyboard.type("1")
    supply = {"type": "supply", "seat": 1, "gold": 30}
    send(page, f"/api/games/{code}/actions", {"action": supply})
    page.locator("#vil-tabs [data-seat='1'] b").filter(has_text="30").wait_for()
    page.keyboard.type("5")
    page.keyboard.press("Tab")
    page.locator(".vil-coins").filter(has_text="15").wait_for()
    page.route("**/actions", lambda route: (time.sleep(0.2), route.continue_()))
    more = page.locator("#vil-why-coins").get_by_role("button", name="Coins: 1 more")
    for _ in range(4):
        more.click()  # before the one before is answered
    assert field.input_value() == "19"
    page.locator(".vil-coins").filter(has_text="19").wait_for()
    field.fill("-3")
    page.keyboard.press("Tab")
    page.locator("#notice-text").filter(has_text="from 0").wait_for()
    page.wait_for_function("document.querySelector('#vil-why-coins input').value === '19'")


def test_a_card_that_the_list_lacks_is_typed_in(devices: Devices) -> None:
    """In German: a suit that is called as on the page is that suit, and a refusal is in sight."""
    page, _ = devices.host("villagers", *PLAYERS)
    page.context.set_extra_http_headers({"Accept-Language": "de"})
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.locator("#vil-add").click()
    page.locator("#vil-query").fill("Cheese maker")
    assert page.locator(".pick-card").count() == 0
    page.locator("#vil-own").click()
    page.locator("#vil-own-form [name=suit]").fill("Holz")
    page.locator("#vil-own-form [name=gold]").fill("3 je 2 Heu")
    page.locator("#vil-own-done").click()
    page.locator("#notice-text").filter(has_text="3 je 2 Heu").wait_for()
    assert page.locator("#vil-own-form [name=gold]:focus").count() == 1
    assert page.evaluate(
        """() => {
          const problem = document.getElementById('notice-text');
          const { x, y, width, height } = problem.getBoundingClientRect();
          return document.elementFromPoint(x + width / 2, y + height / 2) === problem;
        }"""
    )
    page.locator("#vil-own-form [name=gold]").fill("2")
    page.locator("#vil-own-done").click()
    page.locator('.pick-card[data-name="Cheese maker"] [href="#suit-wood"]').wait_for()

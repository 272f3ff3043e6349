"""Shifting Seasons and Villagers in a real browser: boards, chains and explained points."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import axe
from browser.playing import LAPTOP, PHONE, devices_at, fits, send, sent, small_targets
from flask import Flask
from taught_copies import of_faces

from calibration.profiles import save_taught
from calibration.taught import embedding_version
from scorer.seasons.board import SeasonBoard
from vision.boards import SEASONS_BOARD
from vision.find.corners import Corners
from vision.profile import Profile
from vision.reading import CellReading, Reading
from webapp import create_app

pytestmark = pytest.mark.browser

EXAMPLE = (
    "au 1 sp* sp* sp* su* / . su su su sp 2 / . au au* su* sp sp / "
    ". su* wi sp su . / 4 wi . . su* sp / wi . . sp 3 sp*"
)
SEASONS = {
    "players": [{"name": "Ann", "colour": "spring"}, {"name": "Ben", "colour": "winter"}],
    "options": {},
}
VILLAGERS = {"players": [{"name": "Ann"}, {"name": "Ben"}], "options": {}}

Opens = Callable[..., Any]


class SeasonsReader:
    """Reads each photo as the rulebook's example, with an unsure winter tile in the corner."""

    def read(self, data: bytes, corners: Corners | None = None) -> Reading:
        rows = [row.split() for row in str(SeasonBoard.parse(EXAMPLE)).split(" / ")]
        rows[0][0] = "winter"
        cells = []
        for row, words in enumerate(rows):
            for col, label in enumerate(words):
                left, top = 100 + 90 * col, 20 + 90 * row
                quad = np.array(
                    [[left, top], [left + 80, top], [left + 80, top + 80], [left, top + 80]],
                    np.float32,
                )
                sure = (row, col) != (0, 0)
                others = () if sure else (("autumn", 0.4), ("summer", 0.05))
                cells.append(
                    CellReading(row, col, label, 0.99 if sure else 0.5, sure, quad, others)
                )
        outline = np.array([[100, 20], [630, 20], [630, 550], [100, 550]], np.float32)
        ms = {"decode": 1.0, "locate": 2.0, "read": 3.0, "total": 6.0}
        text = " / ".join(map(" ".join, rows))
        return Reading("seasons", text, tuple(cells), outline, "mine", "fake-1", (), ms)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    """The application with a taught copy of Shifting Seasons, read by the fake reader."""
    faces = {label: np.ones((1, 4, 8), np.float32) for label in SEASONS_BOARD.labels}
    colours = {label: np.ones((1, 3), np.float32) for label in faces}
    save_taught(of_faces(Profile("mine", "seasons", faces, embedding_version(), colours)), tmp_path)
    app = create_app(
        {
            "TESTING": True,
            "DATA_DIR": tmp_path,
            "OPEN_READER": lambda *_: SeasonsReader(),
            "DATABASE_URL": None,
        }
    )
    yield app
    app.extensions["tallystone_store"].close()


@pytest.fixture
def play(chromium: Any, base_url: str) -> Iterator[Opens]:
    """Starts a game on a device and opens its table; fails on any browser complaint."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def started(
        kind: str, setup: dict[str, Any], size: dict[str, int] = PHONE, *actions: Any, **device: Any
    ) -> Any:
        context = chromium.new_context(
            viewport=size, has_touch=size is PHONE, reduced_motion="reduce", **device
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on(
            "console", lambda said: complaints.append(said.text) if said.type == "error" else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        begin = {"kind": kind, "setup": setup, "seat": 0}
        code = sent(context, base_url, "/api/games", begin)["code"]
        for action in actions:
            sent(context, base_url, f"/api/games/{code}/actions", {"action": action})
        page.goto(f"{base_url}/g/{code}")
        page.wait_for_selector("body[data-ready]")
        return page

    yield started
    for context in contexts:
        context.close()
    assert [
        text for text in complaints if "status of 4" not in text
    ] == []  # refusals are shown in words


def field(page: Any, seat: int, card: str) -> Any:
    return page.locator(f'.sea-field[data-seat="{seat}"][data-card="{card}"]')


def total(page: Any, seat: int) -> str:
    return str(page.locator(f'#sea-tabs [data-seat="{seat}"] b').inner_text())


def lay(page: Any, cell: str, label: str) -> None:
    page.locator(f'#sea-board [data-cell="{cell}"]').click()
    page.locator(f'#sea-picker [data-label="{label}"]').click()


def add_card(page: Any, name: str) -> None:
    page.locator("#vil-query").fill(name)
    page.locator(f'#vil-found [data-name="{name}"]').click()
    page.locator("#vil-added").filter(has_text=name).wait_for()


def test_the_score_cards_are_picked_by_picture_and_counted(chromium: Any, base_url: str) -> None:
    context = chromium.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(f"{base_url}/start/seasons")
    said = page.locator(".picked")
    said.filter(has_text="4 cards chosen").wait_for()
    page.locator(".pick").filter(has_text="Outer edge").click()
    assert said.inner_text() == "5 cards chosen, usually 4"
    page.locator(".pick").filter(has_text="Connections").click()
    page.locator(".pick").filter(has_text="1 below the top left corner").click()
    assert said.inner_text() == "4 cards chosen"
    for at, name in enumerate(("Ann", "Ben")):
        page.locator("[name=player]").nth(at).fill(name)
    assert fits(page)
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector("body[data-ready]")
    field(page, 0, "outer-edge").wait_for()
    assert field(page, 0, "connections").count() == 0
    page.locator('#sea-board [data-cell="1,0"][data-word="1"]').wait_for()  # the other print
    context.close()


def test_a_number_of_the_pad_lights_the_tiles_that_earn_it(play: Opens) -> None:
    page = play("seasons", SEASONS, PHONE, {"type": "board", "seat": 0, "text": EXAMPLE})
    assert total(page, 0) == "70"
    field(page, 0, "connections").click()
    assert page.locator(".sea-cell.lit").count() == 10
    badges = [int(text) for text in page.locator(".sea-value").all_inner_texts()]
    assert sum(badges) == 14
    assert (
        "10 tiles + 2 precious + 2 of spring = 14 points"
        in page.locator("#sea-why-sum").inner_text()
    )
    # One line of the explanation lights its own tiles; one that is not full shows what is missing.
    page.locator("#sea-why-lines button").filter(has_text="Column 2").click()
    assert page.locator(".sea-cell.lit").count() == 4
    page.locator("#sea-why-lines button").filter(has_text="2 spaces are empty").click()
    assert page.locator(".sea-cell.missing").count() == 2
    page.locator("#sea-why-close").click()
    assert page.locator(".sea-cell.lit").count() == 0
    assert field(page, 0, "connections").evaluate("(one) => one === document.activeElement")


def test_numbers_in_another_order_are_taken_and_chosen(play: Opens) -> None:
    moved = {"1": "2", "2": "3", "3": "4", "4": "1"}
    printed = "".join(moved.get(letter, letter) for letter in EXAMPLE)
    page = play("seasons", SEASONS, PHONE, {"type": "board", "seat": 0, "text": printed})
    assert page.locator("#sea-problems .problem").count() == 0
    page.locator("#sea-order").evaluate("(one) => { one.closest('details').open = true; }")
    assert page.locator("#sea-order").input_value() == "2 3 4 1"
    page.locator("#sea-order").select_option("1 2 3 4")
    page.locator('#sea-board [data-cell="0,1"][data-word="1"]').wait_for()


def test_numbers_that_were_added_are_confirmed_with_one_tap(play: Opens) -> None:
    covered = EXAMPLE.replace("/ 4 wi", "/ . wi")
    page = play("seasons", SEASONS, PHONE, {"type": "board", "seat": 0, "text": covered})
    page.locator("#sea-problems").filter(has_text="1 printed number").wait_for()
    page.locator("[data-numbers-right]").click()
    page.locator("#sea-problems .problem").wait_for(state="detached")


def test_a_board_is_tapped_in_and_undone(play: Opens) -> None:
    page = play("seasons", SEASONS)
    lay(page, "0,0", "autumn*")
    page.locator('[data-cell="0,0"][data-word="autumn*"]').wait_for()
    assert total(page, 0) == "4"  # the season of area 1, and the largest group: two points each
    page.locator("#sea-paint").click()
    page.locator('[data-brush="spring"]').click()
    for cell in ("3,3", "3,4"):
        page.locator(f'#sea-board [data-cell="{cell}"]').click()
        page.locator(f'[data-cell="{cell}"][data-word="spring"]').wait_for()
    page.locator("#undo").click()
    page.locator('[data-cell="3,4"][data-word="."]').wait_for()
    # With the keyboard: arrows walk over the board, Enter lays the chosen tile.
    page.locator('#sea-board [data-cell="3,3"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator('[data-cell="4,3"][data-word="spring"]').wait_for()


def test_what_if_shows_the_change_and_saves_only_when_asked(play: Opens) -> None:
    page = play("seasons", SEASONS, LAPTOP, {"type": "board", "seat": 0, "text": EXAMPLE})
    page.locator("#sea-try").click()
    lay(page, "0,0", "spring*")
    page.locator(".sea-cell.changed").wait_for()
    assert (
        "+1" in page.locator("#sea-whatif-text").inner_text()
    )  # 2 more on the diagonal, 1 less in area 1
    page.locator("#sea-whatif-end").click()
    assert total(page, 0) == "70"
    assert page.locator('[data-cell="0,0"]').get_attribute("data-word") == "autumn"
    page.locator("#sea-try").click()
    lay(page, "0,0", "spring*")
    page.locator(".sea-cell.changed").wait_for()
    page.locator("#sea-whatif-keep").click()
    page.locator('[data-cell="0,0"][data-word="spring*"]:not(.changed)').wait_for()
    assert total(page, 0) == "71"


def test_a_second_tap_in_a_trial_waits_for_no_answer(play: Opens) -> None:
    page = play("seasons", SEASONS, PHONE, {"type": "board", "seat": 0, "text": EXAMPLE})
    held: list[Any] = []
    page.route("**/ask", lambda route: held.append(route))

    def asked(cell: str, label: str) -> Any:
        with page.expect_request("**/ask"):
            lay(page, cell, label)
        return held.pop()

    page.locator("#sea-try").click()
    first, second = asked("0,0", "spring*"), asked("1,0", "winter")
    second.continue_()
    page.locator(".sea-cell.changed").nth(1).wait_for()
    first.continue_()  # the older answer comes last
    left = asked("5,2", "summer")
    page.locator('#sea-tabs [data-seat="1"]').click()
    page.locator("#sea-try").click()
    with page.expect_response("**/ask"):
        left.continue_()  # of a trial that is over
    busy = {"error": {"code": "busy", "message": "Please wait."}}
    asked("3,3", "summer").fulfill(status=429, json=busy)
    page.locator("#notice-text", has_text="Please wait.").wait_for()
    asked("0,0", "summer").continue_()
    page.locator(".sea-cell.changed").wait_for()
    assert page.locator(".sea-cell.changed").count() == 1


def test_what_another_changed_meanwhile_is_not_overwritten(chromium: Any, base_url: str) -> None:
    with devices_at(chromium, base_url) as devices:
        page, code = devices.host("seasons", ("Ann", "spring"), ("Ben", "winter"))
        ben = devices.join(code, "Ben")
        path = f"/api/games/{code}/actions"
        corner = page.locator('#sea-board [data-cell="0,0"]')
        refused = page.locator("#notice-text").filter(has_text="changed the same place")

        corner.click()
        cell = {"type": "cell", "seat": 0, "row": 0, "col": 0}
        send(ben, path, {"action": cell | {"label": "winter*"}})
        page.locator('[data-cell="0,0"][data-word="winter*"]').wait_for()
        page.locator('#sea-picker [data-label="summer"]').click()
        refused.wait_for()
        page.locator("#notice-close").click()
        assert corner.get_attribute("data-word") == "winter*"

        page.locator(".sea-settings summary").click()
        page.locator("#sea-cards-change").click()
        send(ben, path, {"action": {"type": "cards", "cards": ["connections", "outer-edge"]}})
        page.wait_for_function("document.querySelectorAll('#sea-cards li').length === 2")
        page.locator("#sea-deck-done").click()
        refused.wait_for()
        assert page.locator("#sea-cards li").count() == 2

        page.locator("#sea-try").click()
        lay(page, "0,0", "spring*")
        page.locator(".sea-cell.changed").wait_for()
        send(ben, path, {"action": cell | {"label": "autumn"}})
        page.locator("#sea-whatif-text").filter(has_text="has changed meanwhile").wait_for()
        assert page.locator("#sea-whatif-keep").is_disabled()
        page.locator("#sea-whatif-end").click()
        assert corner.get_attribute("data-word") == "autumn"


def test_a_photographed_board_keeps_its_photo_and_its_corrections(
    play: Opens, tmp_path: Path, photo: bytes
) -> None:
    picture = tmp_path / "board.jpg"
    picture.write_bytes(photo)
    page = play("seasons", SEASONS)
    page.locator("#sea-photo").click()
    page.locator(".review input[type=file]").first.set_input_files(picture)
    page.locator(".review .guess").filter(has_text="autumn").first.click()
    page.locator(".review-foot .primary").last.click()
    page.locator('[data-cell="0,0"][data-word="autumn"]').wait_for()
    assert total(page, 0) == "70"
    assert page.locator("#sea-evidence-text").inner_text() == "From a photo, 1 correction"
    page.locator("#sea-evidence").click()
    page.locator("#sea-photo-large").evaluate("(image) => image.decode()")


@pytest.mark.parametrize(
    ("size", "theme"), [(PHONE, "dark"), (LAPTOP, "light")], ids=["phone", "laptop"]
)
def test_axe_and_thumbs_find_nothing_while_playing(
    play: Opens, size: dict[str, int], theme: str
) -> None:
    found: list[str] = []

    def look(page: Any, at: str) -> None:
        found.extend(axe.violations(page, at))
        found.extend(f"{at}: small {one}" for one in small_targets(page))
        assert fits(page), at

    def opened(kind: str, setup: Any, *actions: Any) -> Any:
        page = play(kind, setup, size, *actions, color_scheme=theme, bypass_csp=True)
        page.evaluate(f"() => {{ {axe.SCRIPT} }}")
        return page

    page = opened("seasons", SEASONS, {"type": "board", "seat": 0, "text": EXAMPLE})
    field(page, 0, "connections").click()
    look(page, "why")
    page.locator("#sea-why-close").click()
    page.locator('[data-number="3"]').click()
    page.locator("#sea-try").click()
    page.locator('#sea-board [data-cell="4,2"]').click()
    look(page, "tiles")
    page.locator('#sea-picker [data-label="summer"]').click()
    page.locator(".sea-cell.changed").wait_for()
    page.locator("#sea-paint").click()
    look(page, "what if")

    added = [
        {"type": "add", "seat": 0, "name": name, "on": None} for name in ("Jeweler", "Arkwright")
    ]
    page = opened(
        "villagers", VILLAGERS, *added, {"type": "hand_add", "seat": 0, "name": "Cartwright"}
    )
    page.locator(".vil-card").last.click()
    look(page, "villager")
    page.locator("#vil-why-close").click()
    page.locator("#vil-add").click()
    look(page, "deck")
    assert found == []


def test_legal_places_cards_seasons_and_the_print(play: Opens) -> None:
    page = play("seasons", SEASONS)
    page.locator('[data-number="1"]').click()
    legal = [one.get_attribute("data-cell") for one in page.locator(".sea-cell.legal").all()]
    assert legal == ["0,0", "0,2", "1,1"]
    page.locator(".sea-settings summary").click()
    page.locator('input[name="sea-hand"][value="B"]').check(force=True)
    page.locator('[data-cell="1,0"][data-word="1"]').wait_for()
    page.locator("#sea-cards-change").click()
    page.locator('#sea-deck [data-card="centre"]').click()
    page.locator("#sea-deck-done").click()
    field(page, 0, "centre").wait_for()
    page.locator("#sea-seasons select").first.select_option("winter")
    page.locator("#sea-count").filter(has_text="winter").wait_for()


def test_a_chain_comes_with_its_lower_cards_and_shows_what_it_counts(play: Opens) -> None:
    page = play("villagers", VILLAGERS, LAPTOP)
    page.locator("#vil-add").click()
    add_card(page, "Jeweler")
    assert "Miner, Seeker, Spelunker" in page.locator("#vil-added").inner_text()
    add_card(page, "Locksmith")
    page.locator("#vil-deck [data-close]").last.click()
    assert page.locator(".vil-card").count() == 5
    page.locator(".vil-card").filter(has_text="Locksmith").click()
    lit = page.locator(".vil-card.lit .vil-name").all_inner_texts()
    assert [re.match(r"\w+", name)[0] for name in lit] == ["Spelunker", "Jeweler", "Locksmith"]  # type: ignore[index]
    assert "2 per padlock symbol: 3 counted" in page.locator("#vil-why-lines").inner_text()
    page.locator("#vil-why-coins button").last.click()
    page.locator(".vil-coins").filter(has_text="5").wait_for()
    page.locator("#vil-why-close").click()
    page.locator('[data-market="1"]').click()
    sums = page.locator("#vil-sums").inner_text().split()
    assert sums[-1] == "33"  # 8 in the supply, 20 gold, 5 coins; silver waits
    page.locator("#vil-take-market").click()
    page.locator("#vil-supply-text").filter(has_text="33").wait_for()


def test_hand_events_and_a_card_that_is_typed_in(play: Opens) -> None:
    page = play("villagers", VILLAGERS)
    page.locator("#vil-hand .chip").last.click()
    add_card(page, "Cartwright")
    page.locator("#vil-query").fill("Potter")
    page.locator("#vil-own").click()
    page.locator("#vil-own-form [name=gold]").fill("lots")
    page.locator("#vil-own-done").click()
    page.locator("#notice:not([hidden])").wait_for()
    page.locator("#vil-own-form [name=gold]").fill("6")
    page.locator("#vil-own-done").click()
    page.locator('#vil-found [data-name="Potter"]').wait_for()
    page.locator('[data-goal="village"]').click()
    add_card(page, "Potter")
    page.locator("#vil-deck [data-close]").last.click()
    page.locator("#vil-events-box summary").click()
    envoys = page.locator('[data-income="envoys-Cartwright"]')
    assert "5 gold" in envoys.inner_text()
    envoys.get_by_role("button", name="Take").click()
    page.locator("#vil-supply-text").filter(has_text="13").wait_for()
    assert page.locator("#vil-tabs b").first.inner_text().strip() == "19"


def test_the_monastery_follows_its_rounds(play: Opens) -> None:
    solo = {"players": [{"name": "Ann"}], "options": {"monastery": True}}
    page = play("villagers", solo, PHONE, {"type": "supply", "seat": 0, "gold": 149})
    assert page.locator("#vil-rank").inner_text() == "Village"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for done in range(1, 7):
        if done == 1:
            page.locator("#vil-next").dblclick()  # ends one round
            page.evaluate("{ let ms = 0; performance.now = () => (ms += 1e6); }")  # later, each tap
        else:
            page.locator("#vil-next").click()
        page.locator(".vil-rounds .done").nth(done - 1).wait_for()
        assert page.locator(".vil-rounds .done").count() == done
    assert page.locator("#vil-next").is_disabled()
    assert sum(url.endswith("/actions") for url in asked) == done  # no second one was refused

"""The whole way in a real browser of the size of a phone: photo, overlay, correction, matches."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.playing import LAPTOP, PHONE, look
from fakes import FakeReader

pytestmark = pytest.mark.browser


@pytest.fixture
def page(chromium: Any, base_url: str) -> Iterator[Any]:
    """The page on a phone; fails on any browser complaint."""
    context = chromium.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(30_000)
    complaints: list[str] = []
    hosts: set[str] = set()
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda asked: (
            hosts.add(asked.url) if not asked.url.startswith((base_url, "blob:")) else None
        ),
    )
    page.goto(f"{base_url}/look")
    page.wait_for_selector("body[data-ready]")
    yield page
    context.close()
    assert [text for text in complaints if "status of 4" not in text] == []
    assert hosts == set()


@pytest.fixture
def photo_file(tmp_path: Path, photo: bytes) -> Path:
    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    return path


def wait_for_first_label(page: Any, label: str) -> None:
    page.locator(".overlay .label-word").first.filter(has_text=label).wait_for()


def shown_cards(page: Any) -> set[str]:
    return set(
        page.locator("#cards [data-card]").evaluate_all(
            "all => all.map((card) => card.dataset.card)"
        )
    )


def test_photo_overlay_correction_matches(page: Any, photo_file: Path) -> None:
    look(page, "#choose", photo_file)
    assert page.locator(".overlay .cell").count() == 9
    assert page.locator(".overlay .label-word").all_text_contents()[:3] == ["sun", "horse", "bird"]
    assert page.locator(".overlay .cell.doubtful").count() == 1
    assert page.locator(".check-list li").count() == 1
    before = shown_cards(page)
    assert "41" in before  # ". horse bird"

    page.locator('.square[data-cell="0,2"]').click()  # tap one: the cell; two: what it is
    page.locator("[data-picker] [data-label=fish]").click()
    page.locator('#cards [data-card="41"]').wait_for(state="detached")
    assert shown_cards(page) != before
    assert page.locator(".overlay .label-word").nth(2).text_content() == "fish"

    page.locator("#undo").click()
    page.wait_for_selector('#cards [data-card="41"]')
    assert shown_cards(page) == before
    page.locator("#redo").click()
    page.locator('#cards [data-card="41"]').wait_for(state="detached")


def test_a_doubtful_cell_is_settled_with_one_tap(page: Any, photo_file: Path) -> None:
    look(page, "#choose", photo_file)
    assert page.locator(".verdict").inner_text() == "One stone to check"
    page.locator(".check-list [data-guess=tree]").click()
    page.wait_for_selector(".check", state="hidden")
    assert page.locator(".overlay .cell.doubtful").count() == 0
    assert page.locator(".verdict").inner_text() == "All nine stones are clear"
    caption, button = (
        page.locator("#result figcaption").bounding_box(),
        page.locator("[data-zoom]").bounding_box(),
    )
    assert button["x"] + button["width"] <= caption["x"] + caption["width"]


def test_a_cell_on_the_photo_opens_all_eight_symbols(page: Any, photo_file: Path) -> None:
    look(page, "#choose", photo_file)
    page.locator(".overlay .cell").nth(4).click()
    assert page.locator("[data-picker] [data-label]").count() == 8
    assert page.locator("[data-picker] [aria-pressed=true]").get_attribute("data-label") == "seed"
    page.keyboard.press("Escape")
    assert not page.locator("[data-picker]").is_visible()


def test_a_card_lights_up_its_cells(page: Any, photo_file: Path) -> None:
    look(page, "#choose", photo_file)
    page.locator('#cards [data-card="41"]').click()
    assert page.locator(".square.lit").count() == 2
    assert page.locator(".overlay .cell.lit").count() == 2
    assert page.locator("#peek").is_visible()
    page.locator("#peek-close").click()
    assert page.locator(".square.lit").count() == 0


def test_impossible_counts_are_shown(page: Any, photo_file: Path) -> None:
    look(page, "#choose", photo_file)
    page.locator('.square[data-cell="0,1"]').click()
    page.locator("[data-picker] [data-label=moon]").click()
    page.wait_for_selector("#problems .problem")
    assert "sun or moon" in page.locator("#problems").inner_text()
    assert page.locator(".square.impossible").count() == 2


def test_the_whole_way_by_keyboard(page: Any, photo_file: Path) -> None:
    page.set_viewport_size(LAPTOP)
    look(page, "#choose", photo_file)
    page.locator(".overlay .cell").nth(0).focus()
    page.keyboard.press("Enter")
    assert page.locator("[data-picker]").is_visible()
    page.locator("[data-picker] [data-label=moon]").focus()
    page.keyboard.press("Enter")
    wait_for_first_label(page, "moon")
    page.keyboard.press("Control+z")
    wait_for_first_label(page, "sun")


def test_a_refused_photo_says_why_and_lets_one_try_again(
    page: Any, tmp_path: Path, dark_photo: bytes
) -> None:
    path = tmp_path / "dark.jpg"
    path.write_bytes(dark_photo)
    page.set_input_files("#choose", path)
    page.wait_for_selector("#refused:not([hidden])")
    assert "switch a lamp on" in page.locator("#refused").inner_text()
    assert page.locator("#choose").is_enabled()


def test_a_person_shows_where_the_stones_are(
    page: Any, tmp_path: Path, dark_photo: bytes, reader: FakeReader
) -> None:
    path = tmp_path / "dark.jpg"
    path.write_bytes(dark_photo)
    page.set_input_files("#choose", path)
    page.locator("[data-aim]").click()
    handle = page.locator(".aim-view .aim-dot").nth(0).bounding_box()
    page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    page.mouse.down()
    corner = page.locator(".aim-view").bounding_box()
    page.mouse.move(corner["x"] + 2, corner["y"] + 2)
    page.mouse.up()
    page.locator(".aim-view .aim-handle").nth(1).focus()
    page.keyboard.press("ArrowUp")
    page.locator("[data-read-here]").click()
    page.wait_for_selector("#result:not([hidden])")
    assert reader.corners is not None
    assert reader.corners.points is not None
    (left, top), (right, above), *_ = reader.corners.points
    assert left < 3
    assert top < 3
    assert 60 < right < 70
    assert above < 10.5


def test_what_the_browser_cannot_shrink_is_sent_as_it_is(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "text.jpg"
    path.write_text("not a picture")
    page.set_input_files("#choose", path)
    page.wait_for_selector("#refused:not([hidden])")
    assert "text and not a photo" in page.locator("#refused").inner_text()


def test_nothing_is_wider_than_the_screen_and_targets_are_large(
    page: Any, photo_file: Path
) -> None:
    look(page, "#choose", photo_file)
    for size in (PHONE, LAPTOP):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        small = page.evaluate(
            """() => [...document.querySelectorAll('button, select, .button')].filter((one) => {
                const { width, height } = one.getBoundingClientRect();
                return width && (width < 44 || height < 44);
            }).map((one) => one.id || one.className)"""
        )
        assert small == []


def test_the_board_can_be_turned(page: Any, photo_file: Path) -> None:
    look(page, "#choose", photo_file)
    page.locator("#turn").click()
    assert page.locator(".square-word").all_text_contents() == [
        *("horse", "tree", "sun"),
        *("bird", "seed", "horse"),
        *("boat", "seed", "bird"),
    ]
    # the photo stays as it is: its top left still shows the sun, which is now top right on the
    # board
    corner = page.locator(".overlay .cell").nth(2)
    assert corner.get_attribute("aria-label") == "Row 1, column 3: sun"
    assert page.locator(".overlay .cell-line").nth(2).get_attribute("points").startswith("80.")
    page.locator("#undo").click()
    assert page.locator(".square-word").first.inner_text() == "sun"


def test_a_reload_keeps_photo_and_corrections(page: Any, photo_file: Path) -> None:
    look(page, "#choose", photo_file)
    page.locator('.square[data-cell="0,0"]').click()
    page.locator("[data-picker] [data-label=moon]").click()
    wait_for_first_label(page, "moon")
    page.route("**/api/matches", lambda route: route.fulfill(status=429, body="{}"), times=1)
    page.reload()
    page.locator("[data-back]").click()
    page.wait_for_selector("#result:not([hidden])")
    wait_for_first_label(page, "moon")
    page.locator("#undo").click()
    wait_for_first_label(page, "sun")
    page.locator("#again").click()
    assert page.locator("#refused").is_hidden()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.locator("#start").is_visible()


def test_undo_goes_back_to_what_was_read(page: Any, photo_file: Path) -> None:
    page.route("**/look.js*", lambda route: route.fulfill(status=404), times=1)  # the gap is over
    look(page, "#choose", photo_file)
    for symbol in ("moon", "fish", "tree"):
        page.locator('.square[data-cell="0,0"]').click()
        page.locator(f"[data-picker] [data-label={symbol}]").click()
    for _ in range(3):
        page.locator("#undo").click()
    wait_for_first_label(page, "sun")
    assert page.locator("#undo").is_disabled()


def test_other_tabs_games_and_photos_leave_what_was_read(
    page: Any, photo_file: Path, base_url: str
) -> None:
    look(page, "#choose", photo_file)
    page.locator('.square[data-cell="0,0"]').click()
    page.locator("[data-picker] [data-label=moon]").click()
    other = page.context.new_page()
    other.goto(f"{base_url}/look")
    look(other, "#choose", photo_file)
    other.close()
    page.reload()
    wait_for_first_label(page, "moon")
    # only what can be read is offered; a refusal leads back
    games = page.locator("[data-other-game]")
    assert games.locator("option").all_inner_texts() == ["It is another game", "Pattern cards"]
    busy = '{"error": {"code": "busy", "message": "Please try again."}}'
    page.route("**/api/read", lambda route: route.fulfill(status=429, body=busy), times=1)
    games.select_option("cards")
    page.locator("[data-back]").click()
    wait_for_first_label(page, "moon")
    page.route("**/api/read", lambda route: route.fulfill(status=429, body=busy), times=1)
    games.select_option("cards")
    page.locator(".refused", has_text="Please wait a little").wait_for()
    page.locator("[data-again]").click()
    page.locator("#score-title", has_text="3 cards").wait_for()
    page.reload()
    page.locator("#score-title", has_text="3 cards").wait_for()


def test_a_page_that_is_shown_again_keeps_its_photo_again(page: Any, photo_file: Path) -> None:
    look(page, "#choose", photo_file)
    loaded = "import('/static/keep.js').then"
    forget = loaded + "(({ forget }) => forget())"  # as a new game of it does
    empty = loaded + "(({ store }) => store('readwrite', (open) => open.clear()))"  # as another tab
    back = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
    seen = "document.dispatchEvent(new Event('visibilitychange'))"
    count = """async () => {
        const { store } = await import('/static/keep.js');
        return await store('readonly', (open) => open.count()) === 1;
    }"""
    for lost, again in ((forget, back), (empty, seen)):
        page.wait_for_function(count)
        page.evaluate(lost)
        page.evaluate(again)
        page.wait_for_function(count)
        page.reload()
        wait_for_first_label(page, "sun")


def test_a_new_game_says_that_its_photo_is_lost(page: Any, photo_file: Path, base_url: str) -> None:
    look(page, "#choose", photo_file)
    page.evaluate("() => sessionStorage.setItem('tallystone.open', 'lost')")
    page.locator("#make-game").click()
    page.locator("[name=player]").first.fill("Ann")
    page.locator("#lobby [type=submit]").click()
    page.locator("#status", has_text="photograph the board again").wait_for()
    for path in ("/", "/look"):  # a table or start page that one came back to starts no such game
        page.evaluate("() => { sessionStorage['tallystone.open.carried'] = 'stones'; }")
        page.goto(base_url + path)
        assert page.evaluate("sessionStorage['tallystone.open.carried']") is None

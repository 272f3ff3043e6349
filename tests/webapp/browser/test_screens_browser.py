"""Small, turned and enlarged screens, the keyboard and the ear: what stumbled at real tables."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser.playing import LAPTOP, PHONE, Devices, act, devices_at, fits, send

from scorer.seasons.board import SeasonBoard

pytestmark = pytest.mark.browser

SMALL = {"width": 320, "height": 640}
LANDSCAPE = {"width": 844, "height": 390}
NAMES = ("Annabelle", "Maximilian", "Bernadette", "Christopher")
LONG_NAMES = (
    "Donaudampfschifffahrtskapitän Maximilian",
    "Bartholomew-Alexander Featherstonehaugh",
    "alexandra.konstantinopoulou@example.org",
    "Wolfeschlegelsteinhausenbergerdorffhäuse",
)
SEASONS = ("spring", "summer", "autumn", "winter")
SEATS = {
    "stones": ("red", "green", "purple", "yellow"),
    "custom": ("red", "green", "blue", "yellow"),
    "villagers": ("", "", "", ""),
}
STONES = "sun horse bird / tree seed seed / horse bird boat"
CARDS = "spring . summer / autumn spring winter / summer winter autumn"
TILES = str(
    SeasonBoard.parse(
        "wi 1 sp* su* sp* . / . su sp* au* su 2 / au au wi . sp su / "
        "wi* . wi su* wi . / 4 sp . wi sp* au / au . . wi 3 sp"
    )
)
PASTURE = "cow pig . / cow cow pig / . . cow"
SHEETS = {"seasons": "#sea-board button", "time": "#grid .time-card", "villagers": "#vil-supply"}
SHEET_WORDS = "dialog[open] :is(.symbol span, .vil-stepper-label, .button)"
MEADOW = {"name": "meadow", "rows": [3, 4], "cols": [3, 4], "empty": True}
CUT_WORDS = """selector => [...document.querySelectorAll(selector)].flatMap((element) => {
    const cut = element.scrollWidth > element.clientWidth ? [element.textContent] : [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        for (const word of walker.currentNode.data.matchAll(/\\S+/g)) {
            const range = document.createRange();
            range.setStart(walker.currentNode, word.index);
            range.setEnd(walker.currentNode, word.index + word[0].length);
            if (range.getClientRects().length > 1) cut.push(word[0]);
        }
    }
    return cut;
})"""
SCROLLING = """[...document.querySelectorAll('.scroll')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((one) => one.ariaLabel)"""
CUT_BOARDS = """[...document.querySelectorAll('.review-board')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length"""
COVERED = """() => {
    const head = document.querySelector('.bar').getBoundingClientRect();
    const bar = document.querySelector('.bottom-bar, .teach-bar, .table-bar');
    const controls = document.querySelectorAll('main :is(a, button, input, select), footer button');
    return [...controls].filter((one) => {
        one.focus();
        if (document.activeElement !== one || bar.contains(one)) return false;
        const { top, bottom } = one.getBoundingClientRect();
        return top < head.bottom || bottom > bar.getBoundingClientRect().top;
    }).map((one) => one.outerHTML.slice(0, 80));
}"""
CHANGES = ", ".join(
    f"{one}:visible:enabled"
    for one in (
        "#photo",
        "#sea-photo",
        "#sea-cards-change",
        "[data-photograph]",
        "input[data-number]",
    )
)
"""What a finished game refuses."""
JUMPS = """() => new Promise((resolve) => {
    let sum = 0;
    const add = (list) => { for (const { value } of list.getEntries()) sum += value; };
    new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 100);
})"""
"""How far what was in sight moved while the page loaded: below 0.1 nobody minds."""
FOCUSED = "document.activeElement.matches(%r)"


@pytest.fixture
def devices(chromium: Any, base_url: str) -> Iterator[Devices]:
    with devices_at(chromium, base_url) as found:
        yield found


def board(text: str, seat: int | None = None) -> dict[str, Any]:
    return {"type": "board", "seat": seat, "text": text, "photo": None, "corrections": []}


def table(
    devices: Devices, kind: str, size: dict[str, int], names: tuple[str, ...] = NAMES
) -> tuple[Any, str]:
    """A table of four players with something on it."""
    seats = zip(names, SEATS.get(kind, SEASONS), strict=True)
    options = {"board": MEADOW} if kind == "custom" else {}
    actions = {
        "stones": [board(STONES)],
        "seasons": [board(TILES, 0)],
        "time": [board(CARDS)],
        "custom": [board(PASTURE, 0)],
        "villagers": [
            {"type": "add", "seat": 0, "name": name, "on": None, "between": False}
            for name in ("Hayer", "Miner")
        ],
    }
    return devices.host(kind, *seats, size=size, actions=actions[kind], **options)


@pytest.mark.parametrize("kind", ["stones", "seasons", "time", "villagers", "custom"])
def test_a_table_of_four_fits_the_smallest_phone_and_large_text(
    devices: Devices, kind: str
) -> None:
    page, _ = table(devices, kind, SMALL)
    assert page.evaluate(JUMPS) < 0.1
    assert fits(page)
    assert page.evaluate(CUT_WORDS, ".seat-tabs span, .sea-card-head span") == []
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert fits(page)
    assert page.evaluate(CUT_WORDS, ".table-bar .button, .custom-player strong") == []
    page.evaluate("document.documentElement.style.fontSize = ''")
    page.set_viewport_size(PHONE)
    assert page.evaluate(CUT_WORDS, ".seat-tabs span, .sea-card-head span") == []
    if kind in SHEETS:
        page.set_viewport_size(SMALL)
        page.locator(SHEETS[kind]).first.click()
        assert page.evaluate(CUT_WORDS, SHEET_WORDS) == []


def test_squares_of_a_wide_board_lie_beside_each_other(devices: Devices) -> None:
    wide = [board("cow sheep cow cow cow cow cow cow pig", 0)]
    meadow = MEADOW | {"rows": [1, 4], "cols": [3, 9]}
    page, _ = devices.host("custom", ("Ann", "red"), size=SMALL, actions=wide, board=meadow)
    ends = page.locator(".square").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map(({ x, right }) => [x, right])"
    )
    assert all(right < x for (_, right), (x, _) in pairwise(ends))
    assert fits(page)
    page.locator(".square").last.scroll_into_view_if_needed()
    assert within(page.locator(".square").last.bounding_box(), SMALL)
    assert page.evaluate(CUT_WORDS, ".square .piece-word") == []
    for size, room in ((LAPTOP, 800), (LANDSCAPE, 400)):
        page.set_viewport_size(size)
        assert page.evaluate(CUT_BOARDS) == 0
        assert page.locator(".custom-board.wide").bounding_box()["width"] > room


def test_a_tap_on_a_stone_shows_what_to_do_with_it_above_the_bar(devices: Devices) -> None:
    page, _ = table(devices, "stones", SMALL)
    for size in ("100%", "200%"):
        page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
        page.evaluate("scrollTo(0, 0)")
        page.locator("[data-cell='0,0']").press("Enter")
        leave, bar = (page.locator(one).bounding_box() for one in ("#stone-leave", ".table-bar"))
        assert leave["y"] + leave["height"] <= bar["y"]
        assert fits(page)
        page.locator("#stone-leave").click()


@pytest.mark.parametrize("kind", ["stones", "seasons", "time", "villagers", "custom"])
def test_long_names_push_nothing_off_the_phone(devices: Devices, kind: str) -> None:
    page, code = table(devices, kind, PHONE, LONG_NAMES)
    assert fits(page)
    if kind in ("seasons", "custom"):
        act(page, code, board(TILES if kind == "seasons" else PASTURE, 1))
    act(page, code, {"type": "finish"})
    page.locator("#finished:not([hidden])").wait_for()
    assert page.locator(CHANGES).count() == 0
    shown = ("", "/after", "/audit", "/screen", "/review", "/report.html")
    wide = []
    for path in (*(f"/g/{code}{end}" for end in shown), "/history", "/history/statistics"):
        page.goto(devices.base_url + path)
        wide += [] if fits(page) else [path]
    assert wide == []
    assert page.evaluate(
        "[...document.querySelectorAll('.chart-name')].every((one) => one.getBBox().x >= 0)"
    )
    page.get_by_role("button", name="Deutsch").click()
    page.locator("html[lang=de]").wait_for()
    for path in ("/history/statistics", f"/g/{code}/report.html"):
        page.goto(devices.base_url + path)
        assert page.evaluate(SCROLLING) == []


def test_a_file_of_games_that_is_too_large_is_not_sent(devices: Devices) -> None:
    page = devices.open("/history")
    page.evaluate("document.querySelector('meta[name=most-photo-bytes]').content = 1")
    file = page.locator("#import-file")
    file.set_input_files({"name": "all.zip", "mimeType": "application/zip", "buffer": b"PK"})
    assert "tallystone import FILE" in file.evaluate("(input) => input.validationMessage")


def test_the_table_of_a_described_game_lists_what_its_rules_give(devices: Devices) -> None:
    rules = MEADOW | {"score": [{"rule": "piece", "name": "herd", "pieces": "cow", "points": 3}]}
    action = {"type": "board", "seat": 0, "text": "cow cow . / pig . . / . . .", "photo": None}
    actions = [action | {"corrections": []}]
    page, _ = devices.host("custom", ("Ann", "red"), actions=actions, board=rules)
    page.locator(".custom-total", has_text="6 points").wait_for()
    assert page.locator("#custom-scores .hint").inner_text() == "herd: 6"


@pytest.mark.parametrize(("players", "is_over"), [(4, False), (6, True), (8, True)])
def test_a_television_shows_everything_without_scrolling(
    devices: Devices, players: int, is_over: bool
) -> None:
    names = (*LONG_NAMES, *(name[::-1] for name in LONG_NAMES))
    seats = [(name, "red") for name in names[:players]]
    boards = [board(PASTURE, seat) for seat in range(players)]
    page, code = devices.host("custom", *seats, actions=boards, board=MEADOW)
    if is_over:
        act(page, code, {"type": "extra", "seat": 0, "points": 5})
        act(page, code, {"type": "finish"})
    page.goto(f"{devices.base_url}/g/{code}/screen")
    page.wait_for_selector(".screen-scores li")
    for size in ({"width": 1366, "height": 768}, {"width": 1024, "height": 768}, LANDSCAPE, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_a_television_stays_where_a_proxy_answers_for_a_moment(devices: Devices) -> None:
    page, code = table(devices, "custom", PHONE)
    screen = page.context.new_page()
    screen.goto(f"{page.url}/screen")
    screen.wait_for_selector("body[data-ready]")
    screen.evaluate("window.isTheSame = true")
    screen.route("**/screen", lambda route: route.fulfill(status=502), times=1)
    act(page, code, {"type": "extra", "seat": 0, "points": 77})
    screen.locator(".screen-scores", has_text="77").wait_for()
    assert screen.evaluate("window.isTheSame")


def test_all_suits_and_cards_are_in_sight(devices: Devices) -> None:
    page, _ = table(devices, "villagers", PHONE)
    page.locator("#vil-add").click()
    for suit in page.locator("#vil-suits .vil-suit").all():
        box = suit.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    page.set_viewport_size(LANDSCAPE)
    assert page.locator("#vil-found").bounding_box()["height"] > LANDSCAPE["height"]


@pytest.mark.parametrize("path", ["/start/stones", "/start/time", "/teach/stones", "/teach/time"])
def test_no_bar_covers_what_has_the_focus(devices: Devices, path: str) -> None:
    for size in (PHONE, LAPTOP):
        page = devices.open(path, size)
        page.wait_for_selector(".language")
        assert page.evaluate(COVERED) == []


def test_no_word_of_a_teach_button_is_split(devices: Devices) -> None:
    page = devices.open("/teach/stones")
    page.get_by_role("button", name="Deutsch").click()
    page.locator(".teach-buttons").first.wait_for()
    assert page.evaluate(CUT_WORDS, ".teach-buttons .button") == []
    page.set_viewport_size(SMALL)
    page.evaluate("document.getElementById('aim').showModal()")
    assert page.evaluate(CUT_WORDS, "#aim .sheet-foot") == []


def test_a_change_of_the_language_keeps_what_was_typed(devices: Devices) -> None:
    page = devices.open("/start/stones?of=x")
    page.locator("#add-player").click()
    for at, name in enumerate(("Ann", "Ben", "Chloé")):
        page.locator("[name=player]").nth(at).fill(name)
    page.locator("[name=me]").nth(1).check()
    page.get_by_role("button", name="Deutsch").click()
    page.locator("html[lang=de] #add-player:not([hidden])").wait_for()
    assert page.url.endswith("/start/stones?of=x")
    shown = page.locator(".player-row:not([hidden])")
    assert [row.locator("[name=player]").input_value() for row in shown.all()] == [
        "Ann",
        "Ben",
        "Chloé",
    ]
    assert page.locator("[name=me]").nth(1).is_checked()


def test_the_players_of_a_new_game_stay_typed_until_it_starts(devices: Devices) -> None:
    page = devices.open("/start/stones")
    names = page.locator(".player-row:not([hidden]) [name=player]")
    page.locator("#add-player").click()
    for at, name in enumerate(("Ann", "Ben", "Chloé")):
        names.nth(at).fill(name)
    for path in ("/start/stones", "/", "/start/stones"):
        page.goto(devices.base_url + path)
    assert [one.input_value() for one in names.all()] == ["Ann", "Ben", "Chloé"]
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_url("**/g/*")
    page.wait_for_selector("body[data-ready]")  # its script has forgotten what was typed
    page.goto(f"{devices.base_url}/start/stones")
    assert [one.input_value() for one in names.all()] == ["", ""]


def test_pad_and_lessons_keep_what_was_typed_when_the_language_changes(devices: Devices) -> None:
    page, code = devices.host("stones", ("Ann", "red"), actions=[board(STONES)])
    typed = (
        (f"/g/{code}/audit", "[name='0-points']", "12"),
        ("/teach/custom?of=x", "[data-field=rows] >> nth=1", "5"),
        ("/teach/stones", ".teach-lesson textarea >> nth=1", "sun sun / fish fish"),
    )
    for path, field, value in typed:
        for language, tag in (("Deutsch", "de"), ("English", "en")):
            page.goto(devices.base_url + path)
            page.locator(field).evaluate("(one, value) => { one.value = value; }", value)
            page.locator(field).dispatch_event("change")
            page.get_by_role("button", name=language).click()
            page.locator(f"html[lang={tag}]").wait_for()
            page.wait_for_load_state("networkidle")
            assert page.url.endswith(path)
            assert page.locator(field).input_value() == value
    assert page.locator(".teach-board >> nth=1").locator("[data-cell]").count() == 4


def test_lessons_that_were_added_keep_their_layouts_and_untouched_fields_their_language(
    devices: Devices,
) -> None:
    page = devices.open("/teach/custom")
    page.locator("#more").click()
    texts = page.locator("#lessons textarea")
    for at, layout in ((0, "a a / b b"), (2, "c d")):
        texts.nth(at).evaluate("(one, value) => { one.value = value; }", layout)
        texts.nth(at).dispatch_event("change")
    page.get_by_role("button", name="Deutsch").click()
    page.locator("html[lang=de] body[data-ready]").wait_for()
    assert [texts.nth(at).input_value() for at in (0, 2)] == ["a a / b b", "c d"]
    assert page.locator("[data-field=name]").input_value() == "Mein Spiel"
    page.locator(".teach-lesson-head button").nth(1).click()
    page.get_by_role("button", name="English").click()
    page.locator("html[lang=en] body[data-ready]").wait_for()
    assert [texts.nth(at).input_value() for at in (0, 1)] == ["a a / b b", "c d"]
    assert page.locator("[data-field=name]").input_value() == "My game"


def test_no_bar_covers_a_card_of_the_hand(devices: Devices) -> None:
    page, code = table(devices, "stones", PHONE)
    act(page, code, {"type": "hand", "seat": 0, "cards": [1, 9, 33, 60]})
    assert page.evaluate(COVERED) == []


def within(box: dict[str, float], size: dict[str, int]) -> bool:
    """Whether all of a box is in sight."""
    ends = (box["x"] + box["width"], box["y"] + box["height"])
    return box["x"] >= 0 <= box["y"] and ends[0] <= size["width"] and ends[1] <= size["height"] + 1


@pytest.mark.parametrize(
    ("kind", "shown", "actions"),
    [
        ("stones", "#board", ("#end-turn", "#stone-flip", "#stone-correct")),
        ("seasons", "#sea-board", ("#sea-photo", "#sea-try")),
        ("time", "#grid", ("#photo",)),
        ("custom", ".review-board", ("[data-photograph='0']",)),
    ],
)
def test_a_phone_held_sideways_shows_the_whole_board_beside_its_actions(
    devices: Devices, kind: str, shown: str, actions: tuple[str, ...]
) -> None:
    page, _ = table(devices, kind, LANDSCAPE, LONG_NAMES if kind == "custom" else NAMES)
    if kind == "stones":
        page.locator("[data-key='cell-1-1']").click()
    holder = page.locator(shown).bounding_box()
    assert within(holder, LANDSCAPE)
    assert page.evaluate(CUT_BOARDS) == 0
    for action in actions:
        box = page.locator(action).bounding_box()
        assert within(box, LANDSCAPE), action
        assert holder["x"] + holder["width"] <= box["x"], action
    assert fits(page)


def test_stones_and_cards_are_large_where_they_fit(devices: Devices) -> None:
    """Twice the area that they have in a column as wide as a phone."""
    page, code = table(devices, "stones", LAPTOP)
    act(page, code, {"type": "hand", "seat": 0, "cards": [41, 28, 72, 55]})
    page.locator("[data-key='cell-1-1']").click()
    board, card = page.locator("#board"), page.locator(".stones-card").first
    assert board.bounding_box()["width"] > 500
    assert card.bounding_box()["width"] > 150
    for shown in (board, card, *(page.locator(one) for one in ("#stone-flip", "#end-turn"))):
        assert within(shown.bounding_box(), LAPTOP)


def test_names_lie_beside_the_stones_and_empty_cells_say_nothing(devices: Devices) -> None:
    page, code = devices.host("stones", ("Ann", "red"), ("Ben", "green"))
    assert page.locator("#board .stones-tile-word").count() == 0
    act(page, code, board(STONES))
    for tile in page.locator("#board .stones-tile").all():
        picture = tile.locator("svg").bounding_box()
        name = tile.locator(".stones-tile-word").bounding_box()
        assert name["y"] >= picture["y"] + picture["height"]


def test_a_season_has_one_picture_everywhere(devices: Devices) -> None:
    seasons, _ = table(devices, "seasons", PHONE)
    time, _ = table(devices, "time", PHONE)
    start = devices.open("/start")
    for season in SEASONS:
        drawn = seasons.locator(f"#season-{season}").inner_html().split()
        assert time.locator(f"#piece-time-{season}").inner_html().split() == drawn
        emblem = start.locator("#emblem-seasons").inner_html().split()
        assert " ".join(drawn) in " ".join(emblem)


@pytest.mark.parametrize(
    ("kind", "button", "cells"), [("stones", "#photo", 9), ("seasons", "#sea-photo", 36)]
)
def test_the_photo_sheet_draws_the_board_that_is_asked_for(
    devices: Devices, kind: str, button: str, cells: int
) -> None:
    page, _ = table(devices, kind, PHONE)
    page.locator(button).click()
    page.wait_for_selector(".review[data-view=take]")
    assert page.locator(".review-grid rect").count() == cells


@pytest.mark.parametrize(
    ("kind", "holder"), [("stones", "#board"), ("seasons", "#sea-board"), ("time", "#grid")]
)
def test_a_grid_is_one_tab_stop_with_arrow_keys(devices: Devices, kind: str, holder: str) -> None:
    page, _ = table(devices, kind, PHONE)
    assert page.locator(f"{holder} [tabindex='0']").count() == 1
    page.locator(f"{holder} [data-cell='1,1']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(FOCUSED % f"{holder} [data-cell='2,0'][tabindex='0']")
    assert page.locator(f"{holder} [tabindex='0']").count() == 1


def test_the_focus_stays_where_one_is_while_others_play(devices: Devices) -> None:
    page, code = devices.host("custom", ("Ann", "red"), ("Ben", "blue"), board=MEADOW)
    page.get_by_role("button", name="Photograph Ben’s board").focus()
    send(page, f"/api/games/{code}/actions", {"action": board(PASTURE, 0)})
    page.locator(".review-board").wait_for()
    assert page.evaluate(FOCUSED % "[data-photograph='1']")
    page.locator("#undo").press("Enter")
    page.locator("#undo:disabled").wait_for()
    assert page.evaluate(FOCUSED % "#redo")


def test_the_review_is_walked_by_arrow_keys(devices: Devices) -> None:
    page, _ = table(devices, "seasons", PHONE)
    page.locator("#sea-photo").click()
    page.locator("[data-type-in]").click()
    squares = page.locator(".review-board [data-cell]")
    assert squares.count() == 36
    assert page.locator(".review-board [tabindex='0']").count() == 1
    squares.first.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.locator("[data-picker] [data-label=summer]").press("Enter")
    assert page.evaluate(FOCUSED % ".review-board [data-cell='1,1'][data-label=summer]")


def test_after_a_guess_the_focus_is_where_one_goes_on(
    devices: Devices, tmp_path: Path, photo: bytes
) -> None:
    path = tmp_path / "table.jpg"
    path.write_bytes(photo)
    page = devices.open("/look")
    page.set_input_files("#choose", path)
    page.locator(".check-list [data-guess=tree]").press("Enter")
    assert page.evaluate(FOCUSED % "#cards-title")
    page, _ = devices.host("stones", ("Ann", "red"), ("Ben", "green"))
    page.locator("#photo").click()
    page.set_input_files("[data-pick=choose]", path)
    page.locator(".check-list [data-guess=tree]").press("Enter")
    assert page.evaluate(FOCUSED % "[data-use]")


def test_other_phones_hear_of_boards_and_points_once(devices: Devices) -> None:
    page, code = devices.host("stones", ("Ann", "red"), ("Ben", "green"))
    other = devices.join(code, "Ben")
    act(page, code, board(STONES))
    other.locator("#news").filter(has_text="There is a new board on the table.").wait_for()
    act(page, code, {"type": "score", "card": 41})
    other.locator("#news").filter(has_text="Ann scores a card. Ann: +").wait_for()
    assert "board" not in other.locator("#news").inner_text()

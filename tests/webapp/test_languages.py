"""Every text in every language: none missing, gaps the same, refusals and reasons included."""

import ast
import html
import io
import json
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from babel.messages.mofile import read_mo
from changes import CHANGES, begin
from fakes import TokenClient
from flask import Flask
from tallies import others, seasons

from calibration.lessons import parse_layout
from calibration.selfcheck import FaceCheck, warnings_of
from calibration.taught import unpack
from scorer.custom.board import CustomBoard
from scorer.documents import answer_lines
from scorer.games import GAMES
from scorer.season import Season
from scorer.seasons.board import SeasonBoard
from scorer.seasons.state import board_in
from scorer.setup import checked_setup
from scorer.stones.board import StoneGrid
from scorer.text import Term, Text, Told, listed
from scorer.time.board import TimeGrid
from scorer.time.cards import SeasonCard
from scorer.villagers.cards import VillagerCard, published_deck
from vision import headers
from vision.boards import STONES, BoardSpec
from vision.find.corners import Corners
from vision.quality import BoardQuality, advice, named
from webapp import i18n, messages
from webapp.i18n import LANGUAGES, board_words, gettext, ngettext, plate_of, sentence, signed
from webapp.tables.photos import kept, told

OTHERS = sorted(set(LANGUAGES) - {"en"})


def gaps(text: str) -> list[str]:
    return sorted(set(re.findall(r"%\(\w+\)s", text)))


def test_the_languages_are_those_of_the_catalogues() -> None:
    assert sorted(messages.LANGUAGES) == OTHERS


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_missing(language: str) -> None:
    assert messages.missing(language) == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_same_gaps(language: str) -> None:
    for message in messages.catalogue(language):
        if message.id and message.string:
            assert gaps(str(message.string)) == gaps(str(message.id)), message.id


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    with (messages.FOLDER / language / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        compiled = {str(one.id): one.string for one in read_mo(file) if one.id}
    assert compiled == {
        str(one.id): one.string for one in messages.catalogue(language) if one.id and one.string
    }


def test_german_speaks_to_one_person() -> None:
    several = re.compile(
        r"\b(euch|euer|eure[rnms]?)\b|\b(wählt|berichtigt) (das|es)\b|"
        r"\b(könnt|wollt|habt|spielt|kennt) ihr\b|, die ihr ",
        re.I,
    )
    formal = re.compile(r"\w+en Sie\b|\bund Sie\b|\bIhnen\b")
    told = [str(message.string) for message in messages.catalogue("de")]
    assert [text for text in told if several.search(text) or formal.search(text)] == []


def test_german_has_one_word_for_a_row_of_a_board() -> None:
    """Lines of a text are `Zeilen`, and rows of cells are `Reihen`."""
    rows = [one for one in messages.catalogue("de") if re.search(r"\brows?\b", str(one.id), re.I)]
    assert [one.string for one in rows if "Zeile" in str(one.string)] == []


def test_german_declines_no_text_that_is_inserted() -> None:
    """`3 Punkte` stays as it is in every sentence, so none may ask for `3 Punkten`."""
    dative = re.compile(r"\b(mit|von|bei|zu|aus|nach) %\((points|discards|tile)\)s(?! \w)")
    told = [str(message.string) for message in messages.catalogue("de")]
    assert [text for text in told if dative.search(text)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_the_page_and_its_scripts_speak_the_language(client: TokenClient, language: str) -> None:
    page = client.get("/", headers={"Accept-Language": language}).get_data(as_text=True)
    assert f'<html lang="{language}"' in page
    assert "Start a game" not in page
    texts = client.get(f"/i18n/{language}.json").get_json()
    assert texts["Start a game"] in page


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de-CH,en", "de"),
        ("zh-Hant-TW,de;q=0.9", "zh"),
        ("en-GB,de;q=0.9", "en"),
        ("fr,de;q=0.5,en;q=0.3", "de"),
        ("en;q=0.1,zh", "zh"),
        ("fr,*;q=0.5", "en"),
        ("de;q=0", "en"),
    ],
)
def test_a_page_speaks_the_first_language_of_the_browser_that_it_has(
    app: Flask, header: str, language: str
) -> None:
    with app.test_request_context(headers={"Accept-Language": header}):
        assert i18n.language() == language


def back_of(page: str) -> str:
    """Where a change of the language leads from a page."""
    return html.unescape(re.findall(r'name="back" value="([^"]*)"', page)[-1])


def test_a_change_of_the_language_leads_to_the_same_page(client: TokenClient, photo: bytes) -> None:
    for path in ("/board?text=sun+sun+sun", "/start/stones?again=ABC234&of=x", "/teach", "/no%23"):
        back = back_of(client.get(path).get_data(as_text=True))
        assert client.get(back).request.full_path == client.get(path).request.full_path
    token = {"csrf_token": client.token()}
    refused = client.post("/games", data={"kind": "stones"} | token)
    assert back_of(refused.get_data(as_text=True)) == "/start/stones"
    read = client.post("/read", data={"photo": (io.BytesIO(photo), "table.jpg")} | token)
    assert back_of(read.get_data(as_text=True)).startswith("/board?text=")
    refused = client.post("/pin", data={"pin": "0", "back": "/teach"} | token)
    assert back_of(refused.get_data(as_text=True)) == "/pin?back=/teach"
    refused = client.post("/history/import", data=token)
    assert back_of(refused.get_data(as_text=True)) == "/history"


@pytest.mark.parametrize(
    ("language", "one", "two"), [("de", "Eine Angabe", "2 Angaben"), ("zh", "有 1 处", "有 2 处")]
)
def test_numbers_are_told_in_the_language(app: Flask, language: str, one: str, two: str) -> None:
    with app.test_request_context(headers={"Accept-Language": language}):
        told = app.jinja_env.from_string(
            "{{ ngettext('One figure differs', '%(num)s figures differ', n) }}"
        ).render
        for number, start in ((1, one), (2, two)):
            assert told(n=number) == ngettext(
                "One figure differs", "%(num)s figures differ", number
            )
            assert told(n=number).startswith(start)
            assert "differ" not in told(n=number)


def test_no_space_stands_between_chinese_words_of_a_refusal(app: Flask) -> None:
    refused = Text(
        "score rule %(number)s, %(key)s: expected %(expected)s, got %(got)s",
        number=1,
        key="pieces",
        expected=Text("the pieces of a whole set"),
        got=Text("nothing"),
    )
    with app.test_request_context(headers={"Accept-Language": "zh"}):
        assert gettext(refused) == "第 1 条计分规则，pieces：应为：一整套的部件，现在却是：没有"


@pytest.mark.parametrize(
    ("language", "told"), [("de", "Gelesen. Gefragt."), ("zh", "读过。问过。")]
)
def test_no_space_stands_between_chinese_sentences(app: Flask, language: str, told: str) -> None:
    parts = re.findall(r"\w+[.。]", told)
    with app.test_request_context(headers={"Accept-Language": language}):
        assert i18n.sentences(parts) == gettext(listed(map(Text, parts), " ")) == told


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_name_from_right_to_left_is_set_apart_in_sentences_of_a_page(
    app: Flask, language: str
) -> None:
    text = Text("%(name)s wins with %(points)s!", name="محمد", points=Text("1 point"))
    assert (gettext(text), "\u2068" in str(text)) == (str(text), False)  # for programs
    with app.test_request_context(headers={"Accept-Language": language}):
        said = (
            gettext(text),
            i18n.in_language({"says": text})["says"],
            app.jinja_env.from_string("{{ _('%(name)s is the host.', name=name) }}").render(
                name="<i>محمد"
            ),
        )
        assert [one.split("\u2069")[0].split("\u2068")[1] for one in said] == [
            "محمد",
            "محمد",
            "&lt;i&gt;محمد",
        ]
        assert "\u2068" not in gettext("%(name)s wins with %(points)s!", name="Zoë", points=1)


def test_a_refusal_is_told_in_the_language_of_the_device(client: TokenClient) -> None:
    setup = {"players": [{"name": "Ann", "colour": "red"}, {"name": "ann", "colour": "green"}]}
    answer = client.post(
        "/api/games",
        json={"kind": "stones", "setup": setup},
        headers={"X-CSRF-Token": client.token(), "Accept-Language": "de"},
    )
    assert (
        answer.get_json()["error"]["message"]
        == "Zwei Spieler heißen ann: gib einem davon einen anderen Namen."
    )


def test_texts_are_literals() -> None:
    """What is put together is a template with values; a catalogue could not have it otherwise."""
    for template in messages.templates():
        for node in ast.walk(template):
            assert not isinstance(node, ast.JoinedStr | ast.BinOp), ast.unparse(template)
            assert getattr(node, "attr", "") not in ("join", "format"), ast.unparse(template)


def test_an_old_problem_of_a_kept_reading_is_told_as_far_as_it_is_known(app: Flask) -> None:
    reading = {
        "problems": [
            "The photo is dark: switch on a light.",
            "There is glare on row 1: tilt the phone a little, or move the lamp.",
        ]
    }
    with app.test_request_context(headers={"Accept-Language": "de"}):
        dark, glare = told(reading)["problems"]
    assert dark == "Das Foto ist dunkel: mach ein Licht an."
    assert glare == reading["problems"][1]


def test_the_problems_of_a_kept_reading_are_told_in_the_language_of_each_device(app: Flask) -> None:
    problem = Text(
        "There is glare on %(where)s: tilt the phone a little, or move the lamp.",
        where=named([(0, 1), (0, 2)]),
    )
    stored = json.loads(json.dumps(kept({"text": "...", "problems": [problem]})))
    with app.test_request_context(headers={"Accept-Language": "de"}):
        assert told(stored)["problems"] == [
            "Es spiegelt auf Reihe 1: kippe das Handy ein wenig oder rücke die Lampe."
        ]
    with app.test_request_context(headers={"Accept-Language": "en"}):
        assert told(stored) == {"text": "...", "problems": [problem]}


def message(call: Callable[..., object], *args: Any, **values: Any) -> Text:
    """With what a call is refused."""
    try:
        found = call(*args, **values)
    except Told as error:
        found = error
    assert isinstance(found, Told)
    return found.message


def reasons() -> Iterator[Text]:
    """Why a pad differs, for all mistakes."""
    for document in [*seasons(), *others()]:
        (answer,) = answer_lines("audit", [json.dumps(document)])
        yield from (line["why"] for line in answer["lines"])


def score_lines() -> Iterator[Text]:
    """Where points come from."""
    players = [
        {"name": name, "colour": colour} for name, colour in (("Ann", "red"), ("Ben", "blue"))
    ]
    of_seasons = [
        {"name": name, "colour": season} for name, season in (("Ann", "spring"), ("Ben", "autumn"))
    ]
    for kind, setup in (("stones", players), ("seasons", of_seasons), ("time", of_seasons[:1])):
        game = GAMES[kind]
        options = {option.name: option.default for option in game.setup_form().options}
        state = game.start({"players": setup, "options": options})
        if kind == "time":
            state["grid"] = "spring/summer autumn/winter / summer/spring winter/winter"
        yield from (line.why for line in game.score_lines(state))
    everybody = [[name] for name in (card.name for card in published_deck().cards.values())]
    village = {
        "chains": [["Hayer", "Grazier", "Engineer"], *everybody],
        "coins": {"Grazier": [3, 0]},
    }
    for market in (1, 2):
        document = {"game": "villagers", "market": market, "village": village}
        (answer,) = answer_lines("score", [json.dumps(document)])
        yield from (line["why"] for line in answer["villagers"])


def problems() -> Iterator[Text]:
    """What cannot lie on a table."""
    boards = [
        "sun sun sun / bird bird bird / horse boat seed",
        *(document["players"][0]["board"].replace(".", "sp*") for document in seasons()),
    ]
    for problem in StoneGrid.parse(boards[0]).problems():
        yield problem.message
    for board in boards[1:]:
        yield from (problem.message for problem in SeasonBoard.parse(board).problems())
    for grid in (
        "spring/spring spring/spring . autumn",
        " / ".join(["spring spring spring spring"] * 4),
    ):
        yield from (problem.message for problem in TimeGrid.parse(grid).problems())
    chains = [["Grazier"], ["Hayer", "Hayer"], ["Hayer", ["Grazier", "Milk Maid"], ["Grazier"]]]
    document = {"game": "villagers", "market": 1, "village": {"chains": chains}}
    (answer,) = answer_lines("score", [json.dumps(document)])
    yield from (problem["message"] for problem in answer["problems"])


def refusals() -> Iterator[Text]:
    """Why a photo, a board, a card or a layout is not taken."""
    files = [b"", b"text", b"\0" * 40, b"BM" + b"\0" * 12 + struct.pack("<I", 40), b"\xff\xd8\xff"]
    files += [b"\0" * 4 + b"ftyp" + brand for brand in (b"avif", b"heic", b"mp42")]
    files += [b"GIF89a", b"II*\0", b"\xff\x0a", b"\xff\x4f\xff\x51", b"8BPS", b"<svg"]
    files += [b"%PDF-", b"PK\3\4", b"ID3"]
    yield from (message(headers.examine, data) for data in files)
    for text in ("", "sun", "x y z / x y z / x y z", "sun moon / sun", "a b c / a b / a b c"):
        yield message(StoneGrid.parse, text)
    for words in (["."] * 36, ["1"] * 36, ["xx"] * 36):
        board = " / ".join(" ".join(words[at : at + 6]) for at in range(0, 36, 6))
        yield message(board_in, board)
    for text in ("summer/x", "?"):
        yield message(SeasonCard.parse, text)
    for table in (
        {"name": 3},
        {"name": "x"},
        {"name": "x", "rows": 3, "cols": [4, 2]},
        {"colour": 1},
    ):
        yield message(BoardSpec.from_table, table)
    for row in (
        {},
        {"name": "A", "gold": "all"},
        {"name": "A", "food": "x"},
        {"name": "A", "on": "("},
    ):
        yield message(VillagerCard.from_row, row)
    for layout in ("sun / sun sun", "sun .", "sun elephant", "x " * 40):
        yield message(parse_layout, layout, STONES)
    yield message(Corners.parse, "1,2")
    yield message(
        checked_setup, GAMES["stones"].setup_form(), {"players": [{"name": "A", "colour": "pink"}]}
    )
    yield message(
        checked_setup,
        GAMES["seasons"].setup_form(),
        {"players": [{"name": name, "colour": "spring"} for name in "AB"]},
    )
    yield message(
        checked_setup,
        GAMES["stones"].setup_form(),
        {"players": [{"name": name} for name in "ABCDEFGHI"]},
    )


def warnings() -> Iterator[Text]:
    """What hurt a photo, and what a set that was taught may lack."""
    burnt = np.array([1, 1, 0, 0, 1, 0, 0, 0, 0], np.float32)
    poor = BoardQuality(10, 1, 1, 80, (0, 1, 3), burnt, np.ones(9, np.float32))
    places = [(row, col) for row in range(3) for col in range(3)]
    for far in (True, False):
        yield from advice(replace(poor, side_px=9 if far else 99), places)
    for cells in (
        [(1, 0), (1, 2)],
        [(0, 2), (1, 2)],
        [(0, 0), (1, 1), (2, 0)],
        [(0, 0), (1, 1), (2, 2), (2, 0)],
    ):
        yield Text(
            "The photo cuts off %(where)s: step back until the whole board is in it.",
            where=named(cells),
        )
    checks = [
        FaceCheck("sun", 1, None, "moon", 0.99, ()),
        FaceCheck("fish", 1, 0.2, "bird", 0.9, (0,)),
        FaceCheck("horse", 3, 0.2, "boat", 0.9, (0,)),
        FaceCheck("seed", 3, 0.2, "tree", 0.9, (0, 1)),
    ]
    yield from warnings_of(checks, STONES)


KINDS = [reasons, score_lines, problems, refusals, warnings]


def untold(text: object, known: Mapping[str, str]) -> Iterator[str]:
    """The parts of a text that would stay English."""
    if isinstance(text, Text):
        if (
            re.search("[a-z]", re.sub(r"%\(\w+\)s", "", text.template))
            and text.template not in known
        ):
            yield text.template
        for value in text.values.values():
            yield from untold(value, known)
    elif isinstance(text, str) and text.islower() and text in known:
        yield text


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("kind", KINDS)
def test_sentences_are_told_whole(
    app: Flask, language: str, kind: Callable[[], Iterator[Text]]
) -> None:
    known = {str(one.id): str(one.string) for one in messages.catalogue(language) if one.id}
    texts = list(kind())
    assert len(texts) >= 10
    with app.test_request_context(headers={"Accept-Language": language}):
        for text in texts:
            assert isinstance(text, Text), text
            assert list(untold(text, known)) == [], text
            told = gettext(text)
            assert not text or told != text, text
            assert "%(" not in told
            if language == "zh" and kind is not refusals:  # which say what may be typed
                assert not re.search(r"\b[a-z]{3,}", told), told


def test_the_problems_of_a_board_are_told_in_the_language_of_the_device(
    client: TokenClient,
) -> None:
    setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
    sent = {"kind": "villagers", "setup": setup, "seat": 0}
    code = client.send_json("/api/games", sent).get_json()["code"]
    for name, on in (("Miner", None), ("Fromager", 1)):
        action = {"type": "add", "seat": 0, "name": name, "on": on}
        client.send_json(f"/api/games/{code}/actions", {"action": action, "key": name})
    told = {
        language: client.get(f"/api/games/{code}", headers={"Accept-Language": language}).get_json()
        for language in ("en", "de")
    }
    (english,), (german,) = (
        [one["message"] for one in told[language]["view"]["players"][0]["problems"]]
        for language in ("en", "de")
    )
    assert english == "Fromager must lie on Milk Maid, but lies on Miner, with nothing on it."
    assert german == "Fromager muss auf Milk Maid liegen, liegt aber auf Miner, und nichts darauf."


@pytest.mark.parametrize(("language", "end"), [("en", "."), ("de", "."), ("zh", "。")])
def test_a_clause_becomes_a_sentence(app: Flask, language: str, end: str) -> None:
    with app.test_request_context(headers={"Accept-Language": language}):
        told = sentence(message(Season.named, "rain"))
        assert told.endswith(f"'rain'{end}")
        assert told[0] == told[0].upper()
        assert sentence("There is nothing to undo.").rstrip(".。")[-1] not in ".。"


@pytest.mark.parametrize(("language", "point"), [("en", "."), ("de", ","), ("zh", ".")])
def test_a_figure_with_its_sign_has_the_point_of_the_language(
    app: Flask, language: str, point: str
) -> None:
    with app.test_request_context(headers={"Accept-Language": language}):
        assert (signed(0.62), signed(-0.25)) == (f"+0{point}6", f"−0{point}2")


def test_a_number_below_zero_has_the_sign_that_people_write(app: Flask) -> None:
    why = Text("%(points)s (%(why)s)", points=-2, why=Text("row %(number)s", number=1))
    shown = "{{ _('%(n)s points', n=-3) }} {{ -4 | decimalformat }}"
    assert gettext(why) == "-2 (row 1)"  # for programs
    with app.test_request_context():
        assert gettext(why) == "−2 (row 1)"
        assert app.jinja_env.from_string(shown).render() == "−3 points −4"


@pytest.mark.parametrize(
    ("language", "plate", "board"),
    [
        ("de", "Fruehling*", "Frühling, darunter Herbst; leer"),
        ("zh", "spring*", "春，背面是秋；空"),
    ],
)
def test_pieces_are_told_in_the_language(app: Flask, language: str, plate: str, board: str) -> None:
    """But a photo has no letters beyond those of ASCII."""
    with app.test_request_context(headers={"Accept-Language": language}):
        assert plate_of("spring*", "seasons") == plate
        assert board_words("spring/autumn / .", "time") == board


@pytest.mark.parametrize(
    ("language", "told"), [("de", "Frühling, A, B; Herbst"), ("zh", "春、A, B；秋")]
)
def test_lists_have_the_marks_of_the_language(app: Flask, language: str, told: str) -> None:
    """But not the names in them."""
    with app.test_request_context(headers={"Accept-Language": language}):
        seasons = listed([Term("spring"), "A, B"])
        assert gettext(listed([seasons, Term("autumn")], "; ")) == told


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_keep_their_first_letter_in_a_sentence(app: Flask, language: str) -> None:
    with app.test_request_context(headers={"Accept-Language": language}):
        refused = message(unpack, b"junk", "x.tallyprofile")
        assert sentence(refused).startswith("x.tallyprofile")
        assert sentence(Text("%(name)s has begun.", name="ann")).startswith("ann")
        field = message(CustomBoard.from_table, {"name": "x", "rows": 1, "cols": 1, "turns": 3})
        assert sentence(field).startswith("turns")


@pytest.mark.parametrize("kind", ["stones", "seasons", "time", "villagers"])
def test_the_sentences_of_a_game_are_told_in_the_language_of_the_device(
    client: TokenClient, kind: str
) -> None:
    """None of them is put together by a script, so each device is told them in its own language."""
    code = begin(client, kind)
    for action in CHANGES[kind]:
        client.send_json(f"/api/games/{code}/actions", {"action": action})
    path = f"/api/games/{code}"
    english, german = (
        list(spoken(client.get(path, headers={"Accept-Language": one}).get_json()["view"]))
        for one in ("en", "de")
    )
    assert len(english) == len(german) > 0
    same = {one for one, other in zip(english, german, strict=True) if one == other}
    assert not {text for text in same if " " in text and not text.startswith("on ")}


def spoken(value: Any) -> Iterator[str]:
    """The texts for people in a view."""
    if isinstance(value, list):
        for one in value:
            yield from spoken(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key in ("title", "says") and isinstance(one, str):
                yield one
            else:
                yield from spoken(one)


SENTENCES = re.compile(r"(.*_)?says?|title|message|unfinished|tie|free|later")
"""Keys of a view that hold what people read."""


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("kind", CHANGES)
def test_what_scripts_look_up_is_the_same_in_every_language(
    client: TokenClient, kind: str, language: str
) -> None:
    code = begin(client, kind)
    for action in CHANGES[kind]:
        client.send_json(f"/api/games/{code}/actions", {"action": action})
        english, other = (
            client.get(f"/api/games/{code}", headers={"Accept-Language": one}).get_json()["view"]
            for one in ("en", language)
        )
        assert looked_up(english) == looked_up(other)


def looked_up(value: Any) -> Any:
    """A view without its sentences."""
    if isinstance(value, list):
        return [looked_up(one) for one in value]
    if isinstance(value, dict):
        return {key: looked_up(one) for key, one in value.items() if not SENTENCES.fullmatch(key)}
    return value

"""On a phone, from printed pieces to a taught profile to a reading; and managing profiles."""

import html
import io
import json
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fakes import ALTERNATIVE, DOUBTFUL, STATE, TokenClient
from flask import Flask
from sqlalchemy import select
from taught_copies import GAME, LESSONS, PHOTOS, saved, sent

from vision.boards import BoardSpec
from webapp.store.models import Photo
from webapp.teach_pages import local_day, toml_of

OWN_GAMES = PHOTOS.parent / "own_games"
PHONE = {"width": 390, "height": 844}


SLOWLY_DECODED = """() => {
    const decode = createImageBitmap;
    window.createImageBitmap = (...all) => new Promise((done) => setTimeout(done, 500))
        .then(() => decode(...all));
}"""


@pytest.mark.browser
def test_a_phone_teaches_a_copy_and_reads_with_it(chromium: Any, base_url: str) -> None:
    context = chromium.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    complaints: list[str] = []
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{base_url}/")
    page.get_by_role("link", name="Teach your copy").click()
    page.get_by_text("No copy at hand?").click()
    assert page.get_by_role("link", name="Nine stones to print").is_visible()
    page.get_by_role("link", name="Shifting Stones").click()
    page.wait_for_selector("body[data-ready]")
    assert page.locator(".teach-board .piece").count() == 18
    assert page.locator("#look").is_disabled()
    chooser = page.locator(".teach-lesson input[type=file]:not([capture])")
    chooser.nth(0).set_input_files(
        LESSONS[1][0]
    )  # the wrong photo first: its layout shows other pairs
    page.locator(".teach-said.bad", has_text="the photo of the other faces").wait_for()
    chooser.nth(0).set_input_files(LESSONS[0][0])
    page.locator(".teach-lesson").nth(0).locator(".teach-said.good", has_text="9 pieces").wait_for()
    chooser.nth(1).set_input_files(LESSONS[1][0])
    page.locator(".teach-lesson").nth(1).locator(".teach-said.good", has_text="9 pieces").wait_for()
    # a piece that lies differently is tapped
    second = page.locator(".teach-lesson").nth(1)
    second.locator('[data-cell="0,0"]').click()
    page.locator("dialog[data-picker] [data-label=bird]").click()
    assert second.locator("textarea").input_value().startswith("bird bird bird")
    second.locator('[data-cell="0,0"]').click()
    page.locator("dialog[data-picker] [data-label=moon]").click()
    second.locator(".teach-said.good", has_text="9 pieces").wait_for()
    # photos and layouts stay over a reload, one that is replaced in vain does not count
    page.reload()
    page.locator("#status", has_text="2 photos are ready").wait_for()
    page.evaluate("document.querySelector('meta[name=most-photo-bytes]').content = 1")
    chooser.nth(1).set_input_files(LESSONS[1][0])
    page.locator("#status", has_text="1 photo is ready").wait_for()
    second.locator(".teach-said.bad", has_text="larger than").wait_for()
    page.evaluate("document.querySelector('meta[name=most-photo-bytes]').content = 1e9")
    page.evaluate(SLOWLY_DECODED)
    chooser.nth(1).set_input_files(LESSONS[1][0])
    page.locator("#look").click()  # while the photo is prepared, which counts
    page.wait_for_selector("#sheet:not([hidden])")
    page.locator("#status", has_text="2 photos are ready").wait_for(state="attached")
    # one screen: what is doubtful in words, then the name; the pictures are folded
    assert page.evaluate("document.documentElement.scrollHeight") <= PHONE["height"]
    assert page.locator("#save").is_visible()
    assert not page.locator(".teach-crop").first.is_visible()
    page.get_by_text("All pictures").click()
    assert page.locator(".teach-crop").count() == 18
    assert page.locator(".teach-face h3").all_text_contents()[0] == "sun"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.fill("#name", "mine")
    page.locator("#save").click()
    page.wait_for_url("**/teach/profiles/stones/**")
    page.set_input_files("#photo", PHOTOS / GAME["photo"])
    page.get_by_role("button", name="Read it").click()
    page.locator(".teach-text", has_text=GAME["text"]).wait_for()
    assert [text for text in complaints if "status of 4" not in text] == []
    context.close()


@pytest.mark.browser
def test_corners_can_be_shown_where_nothing_is_found(
    chromium: Any, base_url: str, tmp_path: Path
) -> None:
    grey = tmp_path / "grey.jpg"
    cv2.imwrite(str(grey), np.full((600, 800, 3), 120, np.uint8))
    context = chromium.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{base_url}/teach/seasons")
    page.wait_for_selector("body[data-ready]")
    assert (
        page.locator(".teach-board")
        .first.get_attribute("aria-label")
        .startswith("spring 1 spring*")
    )
    page.locator("#hand").select_option("B")
    assert " / 1 " in page.locator(".teach-board").first.get_attribute("aria-label")
    page.locator(".teach-lesson input[type=file]:not([capture])").first.set_input_files(grey)
    page.get_by_role("button", name="Show where the grid is").click()
    page.locator("#aim[open] .aim-handle").nth(3).wait_for()
    page.locator("#aim-done").click()
    page.locator(".teach-said").first.wait_for()
    # the photo is looked at again with other numbers, and they stay over a reload
    said = page.locator(".teach-lesson .teach-said.bad").first
    said.wait_for()
    with page.expect_response("**/look"):
        page.locator("#numbers select").first.select_option("4")
    page.reload()
    said.wait_for()
    assert page.locator("#hand").input_value() == "B"
    assert " / 4 " in page.locator(".teach-board").first.get_attribute("aria-label")
    context.close()


def test_a_wrong_photo_is_refused_and_nothing_is_kept(client: TokenClient, tmp_path: Path) -> None:
    wrong = (LESSONS[0][0], LESSONS[1][1])
    answer = client.post(
        "/teach/stones/look", data=sent(LESSONS[0], wrong), headers={"X-CSRF-Token": client.token()}
    )
    assert answer.status_code == 422
    assert "contradict the earlier photos" in answer.get_json()["error"]["message"]
    assert "None yet" in client.get("/teach").get_data(as_text=True)
    assert not (tmp_path / "profiles").exists()


def test_a_photo_that_is_sent_twice_is_refused(client: TokenClient) -> None:
    answer = client.post(
        "/teach/stones/look",
        data=sent(LESSONS[0], LESSONS[0]),
        headers={"X-CSRF-Token": client.token()},
    )
    assert answer.status_code == 422
    assert "same photo as the earlier" in answer.get_json()["error"]["message"]


def test_profiles_are_listed_renamed_exported_deleted_and_imported(
    client: TokenClient, tmp_path: Path
) -> None:
    assert saved(client).status_code == 200
    assert saved(client).status_code == 422  # the name is taken
    data = (tmp_path / "profiles" / "mine.stones.tallyprofile").read_bytes()
    assert saved(client, replace="1").status_code == 200
    former = tmp_path / "profiles" / "mine.stones.tallyprofile.before"
    assert former.read_bytes() == data
    page = client.get("/teach/profiles/stones/mine").get_data(as_text=True)
    assert page.count('class="teach-crop"') == 18
    token = {"csrf_token": client.token()}
    assert (
        client.post("/teach/rename/stones/mine", data={"name": "ours", **token}).status_code == 302
    )
    carried = client.get("/teach/file/stones/ours").data
    assert carried == (tmp_path / "profiles" / "ours.stones.tallyprofile").read_bytes()
    assert client.post("/teach/delete/stones/ours").status_code == 403  # without the token
    assert client.post("/teach/delete/stones/ours", data=token).status_code == 302
    assert "stones/ours" not in client.get("/teach").get_data(as_text=True)
    sending = {"file": (io.BytesIO(carried), "ours.stones.tallyprofile"), **token}
    assert client.post("/teach/profiles/import", data=sending).status_code == 302
    assert (tmp_path / "profiles" / "ours.stones.tallyprofile").read_bytes() == carried
    junk = {"file": (io.BytesIO(b"junk"), "x.tallyprofile"), **token}
    refused = client.post("/teach/profiles/import", data=junk)
    assert (refused.status_code, "not a tallystone profile" in refused.get_data(as_text=True)) == (
        422,
        True,
    )


@pytest.mark.parametrize("form", ["try", "learn", "rename", "delete"])
def test_an_answer_that_is_loaded_again_leads_to_the_copy(client: TokenClient, form: str) -> None:
    answer = client.get(f"/teach/{form}/a/b/mine")
    assert (answer.status_code, answer.location) == (303, "/teach/profiles/a/b/mine")


@pytest.mark.parametrize("name", ["try", "learn", "rename", "delete", "file"])
def test_a_copy_of_a_game_with_a_slash_may_have_any_name(app: Flask, name: str) -> None:
    found = app.url_map.bind("localhost").match(f"/teach/profiles/a/b/{name}")
    assert found == ("teach.profile", {"board": "a/b", "name": name})


def test_corrections_of_a_game_are_learnt_when_asked(
    client: TokenClient, photo: bytes, tmp_path: Path
) -> None:
    assert saved(client).status_code == 200
    before = (tmp_path / "profiles" / "mine.stones.tallyprofile").read_bytes()
    setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
    code = client.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0}).get_json()[
        "code"
    ]
    sending = {"photo": (io.BytesIO(photo), "photo"), "board": "stones", "profile": "mine"}
    read = client.post(
        f"/api/games/{code}/photos", data=sending, headers={"X-CSRF-Token": client.token()}
    ).get_json()
    used = {"type": "board", "text": STATE.replace("tree", "boat"), "photo": read["photo"]}
    corrections = {"corrections": [[*DOUBTFUL, "tree", ALTERNATIVE]]}
    answer = client.send_json(
        f"/api/games/{code}/actions", {"action": used | corrections, "key": "k"}
    )
    assert answer.status_code == 200, answer.get_data(as_text=True)
    address = "/teach/profiles/stones/mine"
    assert "Corrected at the table" in client.get(address).get_data(as_text=True)
    assert (
        tmp_path / "profiles" / "mine.stones.tallyprofile"
    ).read_bytes() == before  # nothing by itself
    for old, new in (("mine", "ours"), ("ours", "mine")):
        renaming = {"csrf_token": client.token(), "name": new}
        page = client.post(f"/teach/rename/stones/{old}", data=renaming, follow_redirects=True)
        assert "Corrected at the table" in page.get_data(as_text=True)
    learnt = client.post("/teach/learn/stones/mine", data={"csrf_token": client.token()}).get_data(
        as_text=True
    )
    assert "Learnt: 1 cell." in learnt
    assert learnt.count('<img class="teach-crop') == 19
    assert "Corrected at the table" not in client.get(address).get_data(
        as_text=True
    )  # once is enough
    with client.application.extensions["tallystone_store"].writing() as session:
        for kept in session.scalars(select(Photo)):
            kept.reading = kept.reading | {"cells": []}  # as archives could bring it in
    assert client.get(address).status_code == 200


def test_what_is_no_photo_is_refused_in_the_language_of_the_page(client: TokenClient) -> None:
    assert saved(client).status_code == 200
    client.post("/language", data={"csrf_token": client.token(), "language": "de"})
    photo = (io.BytesIO(b"nothing to see"), "notes.txt")
    data = {"csrf_token": client.token(), "photo": photo}
    page = client.post("/teach/try/stones/mine", data=data).get_data(as_text=True)
    assert "Das ist Text und kein Foto" in page


def test_a_copy_is_kept_with_warnings_in_the_language_of_the_request(client: TokenClient) -> None:
    heads = {"X-CSRF-Token": client.token(), "Accept-Language": "de"}
    looked, kept = (
        client.post(f"/teach/stones/{what}", data=sent(*LESSONS[:1], name="mine"), headers=heads)
        for what in ("look", "save")
    )
    warnings = kept.get_json()["warnings"]
    assert warnings == looked.get_json()["warnings"]
    assert "Noch nicht gelernt: Mond" in warnings[0]


def test_the_sheets_to_print_are_offered(client: TokenClient) -> None:
    assert "/teach/print/stones-sheet.pdf" in client.get("/teach").get_data(as_text=True)
    answer = client.get("/teach/print/stones-sheet.pdf")
    assert (answer.mimetype, answer.data[:5]) == ("application/pdf", b"%PDF-")
    assert client.get("/teach/print/demo.json").status_code == 404


def test_the_day_of_a_copy_is_written_as_the_language_writes_it(client: TokenClient) -> None:
    assert saved(client).status_code == 200
    for path in ("/teach", "/teach/profiles/stones/mine"):
        page = client.get(path, headers={"Accept-Language": "de"}).get_data(as_text=True)
        assert re.search(r"\b\d\d\.\d\d\.20\d\d\b", page), path


@pytest.mark.parametrize("text", ["soon", "0001-01-01T00:00:00+14:00"])
def test_a_day_that_is_none_is_told_as_it_stands(text: str) -> None:
    assert local_day(text) == text[:10]


def test_photos_are_added_to_a_profile(client: TokenClient) -> None:
    assert saved(client).status_code == 200
    assert client.get("/teach/stones?add=mine").status_code == 200
    more = sent((PHOTOS / GAME["photo"], GAME["text"]), name="mine", add="mine")
    answer = client.post("/teach/stones/save", data=more, headers={"X-CSRF-Token": client.token()})
    assert sum(answer.get_json()["labels"].values()) == 27


def test_a_copy_that_is_sent_again_is_kept_once(client: TokenClient) -> None:
    answers = [saved(client, key=key) for key in ("first", "first", "other")]
    assert [answer.status_code for answer in answers] == [200, 200, 422]
    assert answers[0].get_json()["page"] == answers[1].get_json()["page"]
    for _ in range(2):
        more = sent((PHOTOS / GAME["photo"], GAME["text"]), name="mine", add="mine", key="more")
        answer = client.post(
            "/teach/stones/save", data=more, headers={"X-CSRF-Token": client.token()}
        )
        assert sum(answer.get_json()["labels"].values()) == 27


@pytest.mark.parametrize("path", ["profiles/stones/nobody", "stones?add=nobody"])
def test_a_profile_that_is_gone_leads_to_those_there_are(client: TokenClient, path: str) -> None:
    answer = client.get(f"/teach/{path}")
    page = answer.get_data(as_text=True)
    assert answer.status_code == 404
    assert "This copy is not here any more" in page
    assert 'href="/teach"' in page
    assert "tallystone teach" not in page


@pytest.mark.parametrize("game", ["harvest", "meadows", "ribbons"])
def test_a_board_with_rules_for_scores_is_described_as_it_was(game: str) -> None:
    spec = BoardSpec.from_toml((OWN_GAMES / f"{game}.toml").read_text(encoding="utf-8"))
    shape = spec.to_table() | {"name": f"{game} \U0001f3b2", "counts": {"señal": 3, '"b"c': 2}}
    assert BoardSpec.from_toml(toml_of(shape)).to_table() == shape


def test_photos_are_added_to_a_game_with_rules_for_scores(
    client: TokenClient, tmp_path: Path
) -> None:
    layout = json.loads((OWN_GAMES / "answers.json").read_text(encoding="utf-8"))["ribbons_lesson"]
    photo, darker = OWN_GAMES / "ribbons_lesson.jpg", tmp_path / "darker.jpg"
    cv2.imwrite(str(darker), cv2.convertScaleAbs(cv2.imread(str(photo)), alpha=0.8))
    spec, token = (OWN_GAMES / "ribbons.toml").read_text(encoding="utf-8"), client.token()

    def taught(step: str, photo: Path, **more: str) -> Any:
        data = sent((photo, layout), name="mine", **more)
        return client.post(f"/teach/custom/{step}", data=data, headers={"X-CSRF-Token": token})

    assert taught("save", photo, spec=spec).status_code == 200
    page = client.get("/teach/custom?of=ribbons&add=mine").get_data(as_text=True)
    described = re.search(r'<textarea id="spec"[^>]*>([^<]*)</textarea>', page)
    assert described
    answer = taught("look", darker, spec=html.unescape(described[1]), add="mine")
    assert answer.status_code == 200, answer.get_json()


@pytest.mark.parametrize("game", ["Ann's game", "a/b", "\U0001f3b2 dice", "雨" * 60])
def test_a_game_of_any_name_is_taught(game: str, client: TokenClient) -> None:
    folder = PHOTOS.parent / "custom"
    known = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    lessons = [(folder / name, layout) for name, layout in known["teach"]]
    spec = (folder / "harbour.toml").read_text(encoding="utf-8").replace("harbour", game)
    answer = client.post(
        "/teach/custom/save",
        data=sent(*lessons, name="雨" * 60, spec=spec),
        headers={"X-CSRF-Token": client.token()},
    )
    assert answer.get_json()["board"] == game
    page = answer.get_json()["page"]
    assert game in html.unescape(client.get(page).get_data(as_text=True))
    assert client.get(page.replace("profiles", "file", 1)).status_code == 200
    token = {"csrf_token": client.token()}
    renamed = client.post(page.replace("profiles", "rename", 1), data={"name": "mine", **token})
    assert client.get(renamed.location).status_code == 200
    delete = renamed.location.replace("profiles", "delete", 1)
    assert client.post(delete, data=token).status_code == 302
    assert client.get(renamed.location).status_code in (404, 422)


def test_what_is_too_long_for_a_file_is_not_there(client: TokenClient) -> None:
    for name, board in (("\U00020000" * 60, "stones"), ("雨" * 60, "雨" * 60)):
        assert client.get(f"/teach/profiles/{board}/{name}").status_code in (404, 422)


def test_a_game_of_ones_own_is_taught(client: TokenClient) -> None:
    folder = PHOTOS.parent / "custom"
    known = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    lessons = [(folder / name, layout) for name, layout in known["teach"]]
    spec = (folder / "harbour.toml").read_text(encoding="utf-8")
    answer = client.post(
        "/teach/custom/save",
        data=sent(*lessons, name="tiles", spec=spec),
        headers={"X-CSRF-Token": client.token()},
    )
    assert answer.get_json()["board"] == "harbour"
    assert "rows = [2, 3]" in client.get(answer.get_json()["page"]).get_data(as_text=True)
    more = client.get("/teach/custom?of=harbour&add=tiles").get_data(as_text=True)
    assert "rows = [2, 3]" in more
    wrong = client.post(
        "/teach/custom/look",
        data=sent(*lessons, spec="rows = ["),
        headers={"X-CSRF-Token": client.token()},
    )
    assert (wrong.status_code, "description" in wrong.get_json()["error"]["message"]) == (422, True)
    assert client.get("/teach/nothing").status_code == 404

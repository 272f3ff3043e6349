"""The page and its API through Flask's client."""

import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeReader, TokenClient
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from scorer.text import Text
from vision.headers import MAX_BYTES
from webapp import MAX_UPLOAD_BYTES, bundled, create_app
from webapp.errors import SENTENCES, TITLES
from webapp.guard.security import HEADERS
from webapp.scripts import STATIC

STATE = "sun horse bird / tree seed seed / horse bird boat"


def send(client: FlaskClient, path: str, data: bytes | None, **fields: str) -> TestResponse:
    form: dict[str, Any] = dict(fields)
    if data is not None:
        form["photo"] = (io.BytesIO(data), "IMG_0001.jpg")
    return client.post(path, data=form, content_type="multipart/form-data")


def test_a_photo_is_answered_with_reading_and_matches(client: FlaskClient, photo: bytes) -> None:
    answer = send(client, "/api/read", photo).get_json()
    assert answer["found"] is True
    assert answer["text"] == STATE
    assert len(answer["cells"]) == 9
    assert answer["problems"] == []
    by_id = {card["id"]: card for card in answer["matches"]}
    assert by_id[41]["places"] == [
        [[0, 1], [0, 2]]
    ]  # ". horse bird" in the top row only (rulebook)
    assert all(len(cell["quad"]) == 4 for cell in answer["cells"])


def test_matches_of_a_corrected_grid(client: FlaskClient) -> None:
    answer = client.post("/api/matches", json={"text": "su ho bi / tr se se / ho bi bo"}).get_json()
    assert answer["text"] == STATE
    assert [problem["code"] for problem in answer["problems"]] == []


def test_impossible_counts_are_told_in_a_sentence(client: FlaskClient) -> None:
    answer = client.post(
        "/api/matches", json={"text": "sun moon bird / tree seed seed / horse bird boat"}
    ).get_json()
    sentences = [problem["message"] for problem in answer["problems"]]
    assert sentences == [
        "Please check: the box holds 1 with sun or moon, here are 2.",
        "Please check: the box holds 3 with horse or boat, here are 2.",
    ]
    assert answer["problems"][0]["cells"] == [[0, 0], [0, 1]]


def test_an_empty_cell_is_a_problem_not_an_error(client: FlaskClient) -> None:
    response = client.post(
        "/api/matches", json={"text": "sun . bird / tree seed seed / horse bird boat"}
    )
    assert response.status_code == 200
    assert response.get_json()["problems"][0]["cells"] == [[0, 1]]


def test_the_deck(client: FlaskClient) -> None:
    assert len(client.get("/api/cards").get_json()["cards"]) == 72


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b"", "application/json", "no_text"),
        (b"{", "application/json", "no_text"),
        (b"[1]", "application/json", "no_text"),
        (b'{"text": 3}', "application/json", "no_text"),
        (b'{"text": "sun"}', "application/json", "notation"),
        (b'{"text": "sun sun sun / a b c / d e f"}', "application/json", "notation"),
        (b"text=sun", "application/x-www-form-urlencoded", "no_text"),
    ],
)
def test_a_bad_grid_is_a_400(
    client: FlaskClient, body: bytes, content_type: str, code: str
) -> None:
    response = client.post("/api/matches", data=body, content_type=content_type)
    assert response.status_code == 400
    error = response.get_json()["error"]
    assert error["code"] == code
    assert error["message"][0].isupper()
    assert error["message"].endswith(".")


@pytest.mark.parametrize("path", ["/api/read", "/read"])
def test_a_refused_photo_is_a_4xx(
    client: FlaskClient, photo: bytes, dark_photo: bytes, path: str
) -> None:
    assert send(client, path, None).status_code == 400
    assert send(client, path, b"a text renamed to .jpg").status_code == 415
    assert send(client, path, dark_photo).status_code == 422
    assert send(client, path, photo, board="chess").status_code == 400
    assert send(client, path, photo, profile="nobody").status_code == 400
    assert send(client, path, photo, corners="1,2 3,4").status_code == 400
    assert (
        client.post(path, data=b"junk", content_type="multipart/form-data; boundary=x").status_code
        == 400
    )
    assert client.post(path, data=b"junk").status_code == 400
    head = b'--x\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
    body = head + bytes(MAX_UPLOAD_BYTES) + b"\r\n--x--\r\n"
    too_large = client.post(path, data=body, content_type="multipart/form-data; boundary=x")
    assert too_large.status_code == 413
    text = too_large.get_data(as_text=True)
    assert f"larger than {MAX_BYTES / 1e6:.0f} MB" in text
    assert text.startswith("{" if path.startswith("/api/") else "<!doctype html>")


def test_refusals_of_the_api_are_json(client: FlaskClient, dark_photo: bytes) -> None:
    assert send(client, "/api/read", dark_photo).get_json() == {
        "error": {
            "code": "too_dark",
            "message": "The photo is too dark: switch a lamp on and try again.",
        }
    }
    assert client.get("/api/nothing").get_json()["error"]["code"] == "not_found"
    assert client.get("/api/read").get_json()["error"]["code"] == "method_not_allowed"


def test_the_form_works_without_javascript(
    client: FlaskClient, photo: bytes, dark_photo: bytes
) -> None:
    page = send(client, "/read", photo).get_data(as_text=True)
    assert "data:image/jpeg;base64," in page
    assert page.count('<select name="cell">') == 9
    assert page.count("Please check</span>") == 1
    refused = send(client, "/read", dark_photo)
    assert refused.status_code == 422
    assert "switch a lamp on" in refused.get_data(as_text=True)


def test_what_is_wrong_with_the_photo_is_said_first(
    client: FlaskClient, reader: FakeReader, photo: bytes
) -> None:
    advice = "The photo is dark: switch on a light."
    reader.problems = (Text(advice),)
    problem = {"code": "photo", "message": advice, "cells": []}
    assert send(client, "/api/read", photo).get_json()["problems"] == [problem]
    page = send(client, "/read", photo).get_data(as_text=True)
    assert page.index(advice) < page.index("Please check</span>")
    start = client.get("/look").get_data(as_text=True)
    assert start.index('id="problems"') < start.index('id="check"')


def test_the_board_page_shows_matches_without_javascript(client: FlaskClient) -> None:
    words = STATE.replace(" / ", " ").split()
    page = client.get("/board", query_string=[("cell", word) for word in words]).get_data(
        as_text=True
    )
    assert " of 72 cards match" in page
    assert client.get("/board").status_code == 400
    assert client.get("/board?cell=sun").status_code == 400


def test_the_page(client: FlaskClient) -> None:
    page = client.get("/look").get_data(as_text=True)
    assert 'capture="environment"' in page
    assert page.count('accept="image/jpeg,image/png,image/webp"') == 2
    assert len(json.loads(re.search(r'id="facts">(.*?)</script>', page)[1])["cards"]) == 72  # type: ignore[index]
    assert "https://" not in page.replace("http://www.w3.org", "")


def test_nothing_is_inline(client: FlaskClient, photo: bytes) -> None:
    for path in ("/", "/look", "/nothing", f"/board?text={STATE.replace(' ', '+')}"):
        page = client.get(path).get_data(as_text=True)
        assert " style=" not in page
        assert "<style" not in page
        assert not re.search(r"\son[a-z]+=", page)
        assert not re.search(r"<script(?![^>]*(src=|application/json))", page)


@pytest.mark.parametrize(
    "path",
    ["/", "/look", "/nothing", "/static/style.css", "/static/app.js", "/api/cards", "/api/x"],
)
def test_every_answer_has_the_security_headers(client: FlaskClient, path: str) -> None:
    with client.get(path) as response:
        for name, value in HEADERS.items():
            assert response.headers[name] == value
    assert "default-src 'self'" in HEADERS["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in HEADERS["Content-Security-Policy"]
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


def test_scripts_come_with_a_type_that_browsers_run(client: FlaskClient) -> None:
    with client.get("/static/app.js") as response:
        assert response.mimetype in ("text/javascript", "application/javascript")


def test_the_first_load_is_light(client: FlaskClient) -> None:
    page = client.get("/look").get_data(as_text=True)
    loaded = set(re.findall(r'(?:src|href)="/static/([^"]+)"', page))
    assert {"app.js", "review/upload.js", "style.css", "look.css"} <= loaded
    weight = len(gzip.compress(page.encode()))
    weight += sum(len(gzip.compress((STATIC / name).read_bytes())) for name in loaded)
    assert weight < 30_000


@pytest.mark.parametrize("path", ["/", "/look", "/static/app.js", "/api/openapi.json"])
def test_texts_are_sent_compressed_to_who_can_unpack_them(client: FlaskClient, path: str) -> None:
    asking = {"Accept-Encoding": "gzip, br"}
    with client.get(path) as plain, client.get(path, headers=asking) as packed:
        assert "Content-Encoding" not in plain.headers
        assert packed.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in plain.headers["Vary"]
        assert len(packed.data) == packed.content_length < 0.6 * len(plain.data)
        assert gzip.decompress(packed.data) == plain.data
    if "ETag" in packed.headers:
        again = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
        with client.get(path, headers=again) as kept:
            assert (kept.status_code, kept.data) == (304, b"")


def test_pictures_and_parts_of_files_are_sent_as_they_are(client: FlaskClient) -> None:
    asking = {"Accept-Encoding": "gzip"}
    with client.get(f"/samples/{bundled.demo_names('stones')[0]}", headers=asking) as picture:
        assert "Content-Encoding" not in picture.headers
    with client.get("/static/app.js", headers=asking | {"Range": "bytes=0-99"}) as part:
        assert (part.status_code, len(part.data)) == (206, 100)
        assert "Content-Encoding" not in part.headers


def test_a_packed_page_has_a_length_by_chance(client: FlaskClient) -> None:
    asking = {"Accept-Encoding": "gzip"}
    lengths = {client.get("/look", headers=asking).content_length for _ in range(20)}
    assert len(lengths) > 5


def test_samples(client: FlaskClient) -> None:
    assert client.get("/samples/demo.json").status_code == 404
    assert client.get("/samples/..%2f__init__.py").status_code == 404
    for name in bundled.demo_names("stones"):
        with client.get(f"/samples/{name}") as response:
            assert response.mimetype.startswith("image/")


def test_a_reader_is_opened_once(tmp_path: Path, reader: FakeReader, photo: bytes) -> None:
    opened = []
    app = create_app(
        {"DATA_DIR": tmp_path, "OPEN_READER": lambda *args: opened.append(args) or reader}
    )
    for _ in range(3):
        assert send(app.test_client(), "/api/read", photo).status_code == 200
    assert len(opened) == 1
    app.extensions["tallystone_store"].close()


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/join", "/"),
        ("/games", "/start"),
        ("/read", "/look"),
        ("/history/import", "/history"),
        ("/g/ABCDEF/join", "/g/ABCDEF"),
        ("/teach/profiles/import", "/teach"),
        ("/teach/stones/save", "/teach/stones"),
        ("/teach/camera/new", "/teach/camera"),
        ("/teach/camera/mine/delete", "/teach/camera"),
        ("/people/forget", "/people"),
    ],
)
def test_the_address_of_a_refused_form_opens_its_page(
    client: TokenClient, address: str, page: str
) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Location"]) == (303, page)


def test_a_code_that_is_wrong_leaves_the_start_page_whole(client: TokenClient) -> None:
    def buttons(page: str) -> list[str]:
        return re.findall(r'<a class="[^"]*" href="([^"]+)"', page)

    start = client.get("/").get_data(as_text=True)
    failed = client.post("/join", data={"csrf_token": client.token(), "code": "ZZZZZZ"})
    assert failed.status_code == 404
    assert buttons(failed.get_data(as_text=True)) == buttons(start)
    assert buttons(start)


def test_every_error_page_has_a_title_of_its_own_status() -> None:
    assert [status for status in SENTENCES if status not in TITLES] == []

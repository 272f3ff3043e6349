"""The camera of a phone: calibrated on its page and used for its photos only."""

import io
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import pytest
from bent import POSES, bent, sheet_picture
from fakes import TokenClient
from flask import Flask

from calibration.camera import list_cameras
from calibration.profiles import default_profile
from calibration.reader import Reader
from vision.boards import STONES
from vision.lens import Lens
from webapp import MAX_UPLOAD_BYTES
from webapp.camera_pages import chosen_camera

LENS = Lens(0.75, -0.28, 0.06)


@cache
def sheets() -> list[bytes]:
    """Photos of the printed sheet."""
    return [
        bytes(cv2.imencode(".jpg", bent(sheet_picture(turn, at_mm, 0.75, (768, 1024)), LENS))[1])
        for turn, at_mm in POSES
    ]


def calibrate(client: TokenClient, count: int = 4, **more: str) -> Any:
    photos = [(io.BytesIO(data), "photo") for data in sheets()[:count]]
    return client.post(
        "/teach/camera/new",
        data={"photo": photos, "name": "wide", **more},
        headers={"X-CSRF-Token": client.token()},
    )


def test_a_camera_is_calibrated_chosen_and_forgotten(client: TokenClient, tmp_path: Path) -> None:
    refused = calibrate(client, 2)
    assert refused.status_code == 422
    assert "2 of 2 photos show the camera sheet" in refused.get_json()["error"]["message"]
    assert calibrate(client).get_json()["photos"] == 4
    assert 'value="wide" checked' in client.get("/teach/camera").get_data(as_text=True)
    assert calibrate(client).status_code == 422  # the name is taken
    assert calibrate(client, replace="1").status_code == 200
    token = {"csrf_token": client.token()}
    assert client.post("/teach/camera/choose", data={"name": "", **token}).status_code == 302
    assert 'value="" checked' in client.get("/teach/camera").get_data(as_text=True)
    assert client.post("/teach/camera/wide/delete", data=token).status_code == 302
    assert list_cameras(tmp_path) == []
    gone = client.post("/teach/camera/wide/delete", data=token)
    assert (gone.status_code, gone.mimetype) == (422, "text/html")


def test_the_page_names_photos_that_were_not_used(client: TokenClient) -> None:
    def sent(photos: list[bytes]) -> Any:
        return client.post(
            "/teach/camera/new",
            data={"photo": [(io.BytesIO(data), "photo") for data in photos], "name": "wide"},
            headers={"X-CSRF-Token": client.token()},
        ).get_json()

    same = "is the same photo as an earlier one."
    assert sent(sheets()[:1] * 2)["error"]["message"].endswith(f"Photo 2: {same}")
    left_out = sent([*sheets(), *[b"no photo"] * 9])["left_out"]
    assert left_out[1] == f"Photo 6: {same}"
    assert left_out[-1] == "Only the first 12 photos were looked at."


def test_scripts_hear_in_words_why_a_page_takes_nothing(client: TokenClient) -> None:
    """A page in place of JSON is no answer to them: they would say that nobody answers."""
    sent = {"data": bytes(MAX_UPLOAD_BYTES + 1), "content_type": "multipart/form-data; boundary=x"}
    fresh, stale = {"X-CSRF-Token": client.token()}, {"X-CSRF-Token": "stale"}
    many = client.post("/teach/camera/new", headers=fresh, **sent).get_json()["error"]
    assert many["message"] == "The photos are larger than 25 MB together: choose fewer of them."
    for address in ("/teach/camera/new", "/teach/stones/save"):
        old = client.post(address, headers=stale).get_json()["error"]
        assert old["message"] == "This page is too old: please reload it and try again."


def test_photos_are_read_with_the_camera_of_their_device(app: Flask, client: TokenClient) -> None:
    assert calibrate(client).status_code == 200
    table = app.extensions["tallystone"]
    reader = Reader(STONES, default_profile("stones"))
    with client:
        client.get("/teach/camera")
        assert table.through_camera(reader, chosen_camera()).camera.name == "wide"
    with app.test_client() as other:
        other.get("/teach/camera")
        assert table.through_camera(reader, chosen_camera()).camera is None
    client.post("/teach/camera/wide/delete", data={"csrf_token": client.token()})
    with client:
        client.get("/teach/camera")  # still chosen by the cookie, but gone
        assert table.through_camera(reader, chosen_camera()).camera is None


@pytest.mark.browser
def test_a_phone_calibrates_its_camera(chromium: Any, base_url: str, tmp_path: Path) -> None:
    paths = []
    for number, data in enumerate(sheets()):
        paths.append(tmp_path / f"{number}.jpg")
        paths[-1].write_bytes(data)
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{base_url}/teach")
    page.get_by_role("link", name="Calibrate the camera").click()
    page.wait_for_selector("body[data-ready]")
    page.set_input_files("#photos", paths)
    page.fill("#camera-name", "wide")
    page.get_by_role("button", name="Calibrate").click()
    page.locator("#use-title").wait_for()
    assert page.get_by_role("radio", name="wide").is_checked()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()

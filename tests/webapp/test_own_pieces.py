"""A taught game of one's own looks like itself: lesson crops stand for its pieces everywhere."""

import io
import re

import pytest
from fakes import TokenClient
from taught_copies import taught

MEADOW = {"name": "meadow", "rows": [1, 2], "cols": [1, 2], "empty": True}


@pytest.fixture
def code(client: TokenClient) -> str:
    """A game of a meadow with cows and pigs, of which a copy was taught."""
    file = (io.BytesIO(taught("cow")), "ours.tallyprofile")
    form = {"csrf_token": client.token(), "file": file}
    assert client.post("/teach/profiles/import", data=form).status_code == 302
    return started(client, "meadow")


def started(client: TokenClient, name: str) -> str:
    setup = {
        "players": [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "blue"}],
        "options": {"board": MEADOW | {"name": name}},
    }
    answer = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
    code = str(answer.get_json()["code"])
    board = {"type": "board", "seat": 0, "text": "cow sheep / pig .", "photo": None}
    for action in (board | {"corrections": []}, {"type": "worth", "label": "cow", "points": 3}):
        assert client.send_json(f"/api/games/{code}/actions", {"action": action}).status_code == 200
    return code


def test_the_table_and_the_big_screen_show_them(client: TokenClient, code: str) -> None:
    for path in ("", "/screen"):
        page = client.get(f"/g/{code}{path}").get_data(as_text=True)
        assert set(re.findall(r'<symbol id="piece-custom-([^"]+)"', page)) == {"cow", "pig"}
    assert 'href="#piece-custom-cow"' in page
    assert "sheep" in page  # which no lesson shows


def test_report_review_and_picture_show_them(client: TokenClient, code: str) -> None:
    client.send_json(f"/api/games/{code}/actions", {"action": {"type": "finish"}})
    report = client.get(f"/g/{code}/report.html").get_data(as_text=True)
    assert report.count('<image href="data:image/png;base64,') >= 2
    assert ">sheep<" in report
    assert 'id="piece-custom-cow"' in client.get(f"/g/{code}/review").get_data(as_text=True)
    shown = client.get(f"/g/{code}/result-square.png").data
    other = started(client, "prairie")
    client.send_json(f"/api/games/{other}/actions", {"action": {"type": "finish"}})
    assert '<symbol id="piece-custom' not in client.get(f"/g/{other}").get_data(as_text=True)
    assert client.get(f"/g/{other}/result-square.png").data != shown
    assert client.get(f"/g/{code}/report.pdf").data.startswith(b"%PDF-")

"""Questions to a game, which keep nothing of the answer."""

from fakes import TokenClient
from flask import Flask

EXAMPLE = (
    "au 1 sp* sp* sp* su* / . su su su sp 2 / . au au* su* sp sp / "
    ". su* wi sp su . / 4 wi . . su* sp / wi . . sp 3 sp*"
)
"""The board of the rulebook's example: 20 + 14 + 21 + 15 = 70 for spring."""


def test_a_game_is_asked_through_the_api_and_stays_as_it_is(
    app: Flask, client: TokenClient
) -> None:
    setup = {"players": [{"name": "Ann", "colour": "spring"}], "options": {}}
    code = client.send_json(
        "/api/games", {"kind": "seasons", "setup": setup, "seat": 0}
    ).get_json()["code"]
    question = {"type": "what_if", "seat": 0, "text": EXAMPLE}
    answer = client.send_json(f"/api/games/{code}/ask", {"question": question})
    assert answer.get_json()["answer"]["players"][0]["total"] == 70
    kept = client.get(f"/api/games/{code}").get_json()
    assert (kept["version"], kept["view"]["players"][0]["total"]) == (
        answer.get_json()["version"],
        0,
    )
    for bad in ({}, {"question": 3}, [], {"question": {"type": "what_if", "seat": 0, "text": "x"}}):
        assert 400 <= client.send_json(f"/api/games/{code}/ask", bad).status_code < 500
    stranger = app.test_client()
    assert isinstance(stranger, TokenClient)
    assert stranger.send_json(f"/api/games/{code}/ask", {"question": question}).status_code == 403


def test_a_question_that_a_game_does_not_know_is_refused(client: TokenClient) -> None:
    setup = {"players": [{"name": "Ann"}], "options": {}}
    code = client.send_json(
        "/api/games", {"kind": "villagers", "setup": setup, "seat": 0}
    ).get_json()["code"]
    answer = client.send_json(f"/api/games/{code}/ask", {"question": {"type": "what_if"}})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (422, "question")

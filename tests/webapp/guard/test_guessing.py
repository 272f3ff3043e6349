"""Guessing the codes of games: how many tries get through, and who is kept out meanwhile."""

from fakes import TokenClient
from flask import Flask
from seats import SETUP

from webapp.guard.tries import OwnTries, RateLimit


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def guesses(limit: RateLimit, clock: Clock, addresses: list[str], minutes: int) -> int:
    """How many guesses pass if every address tries once a second."""
    passed = 0
    for _ in range(minutes * 60):
        clock.now += 1.0
        for address in addresses:
            if not limit.exceeded(address):
                limit.count(address)
                passed += 1
    return passed


def test_one_address_gets_ten_guesses_a_minute() -> None:
    clock = Clock()
    assert (
        guesses(RateLimit(10, 60, 60.0, tries=OwnTries(clock)), clock, ["10.0.0.9"], 20) <= 20 * 10
    )


def test_many_addresses_get_hardly_more_than_one_guess_a_minute_each() -> None:
    clock = Clock()
    addresses = [f"10.0.0.{number}" for number in range(100)]
    assert guesses(RateLimit(10, 60, 60.0, tries=OwnTries(clock)), clock, addresses, 10) <= 10 * (
        100 + 60
    )


def test_the_addresses_of_one_network_count_as_one() -> None:
    clock = Clock()
    limit = RateLimit(10, 60, 60.0, tries=OwnTries(clock))
    assert guesses(limit, clock, [f"fe80::{number:x}" for number in range(200)], 5) <= 5 * 10
    assert limit.exceeded("fe80::abcd")
    assert not limit.exceeded("fe81::1")
    assert guesses(limit, clock, ["::ffff:10.0.0.7"], 1) <= 10
    assert limit.exceeded("10.0.0.7")


def test_who_guessed_nothing_wrong_is_never_kept_out() -> None:
    clock = Clock()
    limit = RateLimit(10, 60, 60.0, tries=OwnTries(clock))
    addresses = [f"10.0.0.{number}" for number in range(50)]
    for _ in range(1000):
        clock.now += 0.1
        for address in addresses:
            if not limit.exceeded(address):
                limit.count(address)
        assert not limit.exceeded("10.0.1.1")


def test_the_right_code_opens_while_others_guess(app: Flask, client: TokenClient) -> None:
    answer = client.send_json("/api/games", {"kind": "custom", "setup": SETUP, "seat": 0})
    code = answer.get_json()["code"]
    guesser = app.test_client()
    for number in range(80):
        address = {"REMOTE_ADDR": f"10.0.0.{number % 8}"}
        assert guesser.get(f"/g/ZZZZ{number:02d}", environ_overrides=address).status_code in (
            404,
            429,
        )
    assert (
        guesser.get(f"/g/{code}", environ_overrides={"REMOTE_ADDR": "10.0.0.3"}).status_code == 429
    )
    assert (
        guesser.get(f"/g/{code}", environ_overrides={"REMOTE_ADDR": "10.0.1.1"}).status_code == 200
    )

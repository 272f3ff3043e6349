"""Fuzzes the whole application: requests of every kind to every route, until the time is over.

    python tests/webapp/fuzzing.py --seconds 1800
    python tests/webapp/fuzzing.py --schema 5000

The first makes requests of its own, most of them right but for a field, a header or a part of the
address. What is answered by an error of the server is printed, with the seed that makes it again.
The second has schemathesis make cases from the description of the API and compare the
answers with it; it needs the extra ``fuzz``.
"""

import argparse
import io
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import cv2
import numpy as np
from attacks.fields import KINDS, OWN_BOARD, SEEDS, WORDS, names, value
from fakes import FakeCardReader, FakeReader
from flask import Flask
from werkzeug.datastructures import FileStorage
from werkzeug.routing import Rule

from webapp import create_app
from webapp.guard.quotas import GB, Limits

REQUESTS_EACH = 2000
"""Requests that go to one data folder, then a fresh one is begun."""

GAMES_EACH = 100
"""Requests after which fresh games are started: some leave them, delete them or shut their door."""

CALM_S = 2.0
"""Longest processor time of one answer."""

COLOURS: dict[str, list[Any]] = {
    "seasons": ["spring", "summer"],
    "time": ["spring", "summer"],
    "villagers": [None, None],
}
FORMS = ("photo", "board", "profile", "corners", "layout", "name", "code", "seat", "pin", "file")
PARTS = ("0", "1", "2", "stones", "custom", "Ann", "%00", "é", "x" * 300, "-1", "9" * 30)
HEADERS = (
    ("Accept-Language", "zh;q=x, de"),
    ("If-None-Match", '"x"'),
    ("Range", "bytes=5-1"),
    ("Origin", "null"),
    ("Content-Type", "application/json; charset=utf-99"),
    ("Content-Type", "multipart/form-data"),
    ("Cookie", "tallystone=x.y.z"),
    ("X-Forwarded-For", "::"),
    ("Last-Event-ID", "x"),
)


@dataclass
class Told:
    """How requests were answered."""

    statuses: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest_s: float = 0.0

    @property
    def cases(self) -> int:
        """How many there were."""
        return self.statuses.total()

    @property
    def errors(self) -> int:
        """How many were answered by an error of the server."""
        return sum(times for status, times in self.statuses.items() if status >= 500)


class Fuzzer:
    """A device with a game of every kind, and the requests that it makes."""

    def __init__(self, app: Flask, dice: random.Random) -> None:
        self._dice = dice
        self._client = app.test_client()
        self._rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint != "static"]
        page = self._client.get("/").get_data(as_text=True)
        cookie = self._client.get_cookie("tallystone")
        assert cookie
        self._token = page.split('name="csrf-token" content="')[1].split('"')[0]
        self.cookie = cookie.value
        self.headers = {"X-CSRF-Token": self._token, "Accept-Encoding": "identity"}
        self.start()
        self._words = sorted({word for kind in KINDS for word in names(kind)} | set(FORMS))
        self._photo = bytes(cv2.imencode(".jpg", np.full((60, 80, 3), 99, np.uint8))[1].tobytes())

    def start(self) -> None:
        """Begin a game of every kind."""
        self.codes = [self._start(kind) for kind in KINDS]

    def _start(self, kind: str) -> str:
        colours = COLOURS.get(kind, ["red", "green"])
        players = [
            {"name": name, "colour": one} for name, one in zip(("Ann", "Bo"), colours, strict=True)
        ]
        options: dict[str, Any] = {"board": OWN_BOARD} if kind == "custom" else {}
        if kind == "seasons":
            options["cards"] = []
        setup = {"players": players, "options": options}
        answer = self._client.post(
            "/api/games",
            json={"kind": kind, "setup": setup, "seat": 0},
            headers={"X-CSRF-Token": self._token},
        )
        return str(answer.get_json()["code"])

    def request(self) -> tuple[str, int]:
        """Send one; gives it in a line, and how it was answered."""
        dice = self._dice
        rule = dice.choice(self._rules)
        methods = sorted((rule.methods or set()) - {"OPTIONS", "HEAD"})
        method = dice.choice(methods if dice.random() < 0.9 else ["GET", "PUT", "DELETE", "HEAD"])
        path = self._path(rule)
        headers = [("X-CSRF-Token", self._token)] if dice.random() < 0.95 else []
        headers += [dice.choice(HEADERS)] if dice.random() < 0.2 else []
        body: dict[str, Any] = {}
        if method not in ("GET", "HEAD"):
            body = self._body(rule)
        answer = self._client.open(path, method=method, headers=headers, **body)
        status = answer.status_code
        if "event-stream" not in answer.headers.get("Content-Type", ""):
            answer.get_data()
        answer.close()
        return f"{method} {path!r} {str(body)[:300]} {headers[1:]}", status

    def _path(self, rule: Rule) -> str:
        """The address of a route, with the code of a game or anything else in it."""
        path = rule.rule
        for name in sorted(rule.arguments):
            if name == "code" and self._dice.random() < 0.9:
                word = self._dice.choice(self.codes)
            else:
                word = self._dice.choice(PARTS)
            before, _, rest = path.partition("<")
            inside, _, after = rest.partition(">")
            path = before + (word if inside.rpartition(":")[2] == name else "1") + after
        if self._dice.random() < 0.3:
            text = str(value(self._dice, self._words, 0))[:200].encode("utf-8", "replace")
            query = {self._dice.choice(("since", "board", "again", "back", "lang")): text}
            path += "?" + urlencode(query)
        return path

    def _body(self, rule: Rule) -> dict[str, Any]:
        dice = self._dice
        match dice.randrange(6):
            case 0:
                return {"data": dice.choice((b"", b"{", b"[]", b"\xff\xfe", b'{"a":' * 5000))}
            case 1 | 2:
                fields: dict[str, Any] = {
                    dice.choice(self._words if dice.random() < 0.2 else FORMS): str(
                        value(dice, self._words, 1)
                    )[:3000]
                    for _ in range(dice.randrange(5))
                }
                data = dice.choice((self._photo, self._photo[:90], b"", b"PK\3\4", b"{}"))
                stream = io.BytesIO(data)
                fields[dice.choice(("photo", "file"))] = FileStorage(stream, filename="a.jpg")
                return {"data": fields, "content_type": "multipart/form-data"}
            case _:
                action = {"seat": dice.choice((0, 0, 1))} | dice.choice(SEEDS)
                for _ in range(dice.randrange(3)):
                    action[dice.choice((*action, dice.choice(self._words)))] = value(
                        dice, self._words
                    )
                whole = {"action": action, "question": action, "base_version": dice.randrange(30)}
                whole |= {"role": "viewer", "text": dice.choice(WORDS), "open": True}
                if dice.random() < 0.5:
                    whole[dice.choice((*whole, *FORMS, "setup", "kind", "key"))] = value(
                        dice, self._words
                    )
                return {"data": json.dumps(whole), "content_type": "application/json"}


@contextmanager
def an_app() -> Iterator[Flask]:
    """The application without networks, which takes any number of games."""
    with tempfile.TemporaryDirectory() as folder:
        many = Limits(
            address_games=10**6,
            address_joins=10**6,
            address_bytes=20 * GB,
            device_bytes=20 * GB,
            device_games=10**6,
        )
        app = create_app(
            {
                "DATA_DIR": Path(folder),
                "OPEN_READER": lambda *_: FakeReader(),
                "OPEN_CARD_READER": lambda *_: FakeCardReader(),
                "QUOTAS": many,
            }
        )
        yield app
        app.extensions["tallystone_store"].close()


def fuzz(seconds: float, seed: int, most: int = sys.maxsize) -> Told:
    """Send requests until the time is over, or so many."""
    told = Told()
    end = time.monotonic() + seconds
    while time.monotonic() < end and told.cases < most:
        with an_app() as app:
            fuzzer = Fuzzer(app, random.Random(seed))
            for number in range(REQUESTS_EACH):
                if number % GAMES_EACH == GAMES_EACH - 1:
                    fuzzer.start()
                start = time.process_time()
                line, status = fuzzer.request()
                used = time.process_time() - start
                told.slowest_s = max(told.slowest_s, used)
                told.statuses[status] += 1
                if status >= 500 or used > CALM_S:
                    told.failures.append(f"seed {seed}, request {number}: {status} {line}")
                if time.monotonic() > end or told.cases >= most:
                    break
        seed += 1
    return told


def described(count: int) -> Told:
    """Have schemathesis make so many cases from the description, and check the answers."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.core.failures import FailureGroup
    from schemathesis.specs.openapi import checks

    asked = [
        not_a_server_error,
        checks.content_type_conformance,
        checks.response_schema_conformance,
        checks.status_code_conformance,
    ]
    told = Told()
    with an_app() as app:
        found = schemathesis.openapi.from_wsgi("/api/openapi.json", app)
        results: Any = found.get_all_operations()
        operations = [result.ok() for result in results]
        operations = [one for one in operations if not one.path.endswith("/events")]
        fuzzer = Fuzzer(app, random.Random(1))
        number = 0
        while told.cases < count:  # some operations have few cases
            number += 1
            each = -(-(count - told.cases) // len(operations))
            for operation in operations:
                fuzzer.start()

                def ask(case: Any) -> None:
                    if "code" in (case.path_parameters or {}):
                        case.path_parameters["code"] = fuzzer.codes[told.cases % len(KINDS)]
                    case.cookies = {"tallystone": fuzzer.cookie}
                    answer = case.call(headers=fuzzer.headers)
                    told.statuses[answer.status_code] += 1
                    try:
                        case.validate_response(answer, checks=asked, headers=fuzzer.headers)
                    except (FailureGroup, Exception) as error:
                        told.failures.append(f"{case.method} {case.formatted_path}: {error}")

                most = settings(
                    max_examples=each,
                    deadline=None,
                    database=None,
                    phases=(Phase.generate,),
                    suppress_health_check=list(HealthCheck),
                )
                seed(number)(most(given(case=operation.as_strategy())(ask)))()
    return told


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long to send requests")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first requests")
    parser.add_argument("--schema", type=int, default=0, help="cases of schemathesis")
    args = parser.parse_args()
    told = described(args.schema) if args.schema else fuzz(args.seconds, args.seed)
    of_each = ", ".join(f"{times} x {status}" for status, times in sorted(told.statuses.items()))
    print("\n".join(told.failures[:20]))
    print(
        f"{told.cases} requests: {of_each}; {len(told.failures)} answers that should not be, "
        f"slowest {told.slowest_s:.2f} s of the processor"
    )
    return 1 if told.failures else 0


if __name__ == "__main__":
    sys.exit(main())

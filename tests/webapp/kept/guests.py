"""What is promised against guests: guessed codes, tags of photos, broken requests."""

import io
import math
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from attacks.harness import Figure
from fakes import FakeReader, TokenClient
from flask import Flask
from PIL import Image, PngImagePlugin

from webapp import create_app
from webapp.guard.quotas import GB, Limits
from webapp.guard.tries import OwnTries, RateLimit
from webapp.store.models import CODE_LETTERS
from webapp.tables.devices import ALPHABET

SETUP = {"players": [{"name": "Ann", "colour": "red"}]}
STONES = {"kind": "stones", "setup": SETUP, "seat": 0}
ADDRESSES = 254
PHOTOS_EACH = 200
"""Photos that go to one game: none takes any number of them."""


@contextmanager
def an_app(**config: Any) -> Iterator[Flask]:
    """The application without networks: its reader sees the same nine stones on every photo."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(
            {"DATA_DIR": Path(folder), "OPEN_READER": lambda *_: FakeReader()} | config
        )
        app.test_client_class = TokenClient
        yield app
        app.extensions["tallystone_store"].close()


def guesses(count: int) -> Iterator[Figure]:
    """Guesses of a code, one a second: half from one address, half from a network of them."""
    now = 0.0
    dice = random.Random(1)
    with an_app() as app:
        limit = RateLimit(*app.config["CODE_TRIES"], tries=OwnTries(lambda: now))
        app.extensions["tallystone_code_limit"] = limit
        host = app.test_client()
        assert isinstance(host, TokenClient)
        code = host.send_json("/api/games", STONES).get_json()["code"]
        guesser = app.test_client()
        for name, addresses in (("one address", 1), (f"{ADDRESSES} addresses", ADDRESSES)):
            statuses: Counter[int] = Counter()
            start = now
            for number in range(count // 2):
                now += 1.0 / addresses
                guess = "".join(dice.choices(ALPHABET, k=CODE_LETTERS))
                asking = {"REMOTE_ADDR": f"10.0.{addresses % 2}.{1 + number % addresses}"}
                statuses[guesser.get(f"/g/{guess}", environ_overrides=asking).status_code] += 1
            tried = statuses[404]
            minutes = (now - start) / 60
            rate = tried / math.ceil(minutes)
            print(f"  {name}: {count // 2} guesses in {minutes:.0f} minutes, {tried} looked up")
            yield Figure(
                f"{name}: right guesses", sum(statuses.values()) - tried - statuses[429], 0
            )
            yield Figure(f"{name}: looked up a minute", rate, 10 if addresses == 1 else 330)
        newcomer = {"REMOTE_ADDR": "10.0.2.1"}
        kept_out = guesser.get(f"/g/{code}", environ_overrides=newcomer).status_code != 200
        yield Figure("newcomers kept out meanwhile", kept_out, 0)


def tagged(count: int) -> Iterator[Figure]:
    """Photos full of tags to a game; then every kept file and every served picture is searched."""
    found, kept = 0, 0
    limits = Limits(address_bytes=20 * GB, device_bytes=20 * GB)
    with an_app(QUOTAS=limits) as app:
        client = app.test_client()
        assert isinstance(client, TokenClient)
        headers = {"X-CSRF-Token": client.token()}
        for number in range(count):
            if number % PHOTOS_EACH == 0:
                code = client.post("/api/games", json=STONES, headers=headers).get_json()["code"]
            form = {"photo": (io.BytesIO(full_of_tags(number)), "GPS-Ann.jpg"), "board": "stones"}
            sent = client.post(f"/api/games/{code}/photos", data=form, headers=headers)
            assert sent.status_code == 201, sent.get_json()
            with client.get(f"/g/{code}/photo/{sent.get_json()['photo']}.jpg") as served:
                found += tells(served.get_data())
        folder: Path = app.config["DATA_DIR"] / "photos"
        for path in folder.rglob("*"):
            if path.is_file():
                kept += 1
                found += tells(path.read_bytes())
    yield Figure(f"of {count} tagged photos not kept", count - kept, 0)
    yield Figure("kept or served files with a tag", found, 0)


SECRET = b"Ann at home"
TAGS = (b"Exif", b"eXIf", b"ns.adobe.com", b"Photoshop", b"tEXt", b"iTXt", b"EXIF", b"XMP ", SECRET)


def tells(data: bytes) -> bool:
    """Whether a file holds a tag or what was in one."""
    return any(tag in data for tag in TAGS)


def full_of_tags(number: int) -> bytes:
    """A photo that says where and by whom it was taken, in every way of its kind."""
    picture = Image.fromarray(np.random.default_rng(number).integers(0, 256, (60, 80, 3), np.uint8))
    exif = Image.Exif()
    exif[0x013B] = exif[0x010E] = f"{SECRET.decode()} {number}"
    place = exif.get_ifd(0x8825)
    place[1], place[2], place[3], place[4] = "N", (52.0, 31.0, 12.0), "E", (13.0, 24.0, 17.0)
    packet = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>" + SECRET + b"</x:xmpmeta>"
    out = io.BytesIO()
    match number % 3:
        case 0:
            picture.save(out, "JPEG", exif=exif, comment=SECRET, xmp=packet)
        case 1:
            texts = PngImagePlugin.PngInfo()
            texts.add_text("Author", SECRET.decode())
            texts.add_itxt("XML:com.adobe.xmp", packet.decode())
            picture.save(out, "PNG", exif=exif, pnginfo=texts)
        case _:
            picture.save(out, "WEBP", exif=exif, xmp=packet)
    assert tells(out.getvalue())
    return out.getvalue()


def schema(count: int) -> Iterator[Figure]:
    """Cases that schemathesis makes of the description of the API, right ones and wrong ones."""
    from fuzzing import described

    told = described(count)
    yield Figure(f"of {told.cases} cases: answers of 5xx", told.errors, 0)
    yield Figure(f"of {told.cases} cases: answers not as described", len(told.failures), 0)

"""Taught copies: a stranger changes one, guesses the PIN, imports false and swollen ones."""

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import cv2
import numpy as np
from taught_copies import PHOTOS, exchanged, stones, taught, with_meta

from attacks.harness import Figure, Guest, Target

GUESSES = 2000
QUIET = "127.0.0.77"
"""Another address of this machine, which tried nothing yet."""


def attack(target: Target) -> Iterator[Figure]:
    owner, stranger = target.guest(), target.guest()
    imported(owner, taught("cow"))
    before = owner.ask("GET", "/teach/file/meadow/ours").body
    yield Figure("ways into another's copy", sum(status != 403 for status in ways_in(stranger)), 0)
    imported(stranger, taught("goat"))
    after = owner.ask("GET", "/teach/file/meadow/ours").body
    yield Figure("changes of another's copy", int(not before or before != after), 0)
    yield from guesses(target, stranger)
    honest = stones()
    kept = sum(imported(stranger, data) == 302 for data in false_ones(honest))
    yield Figure("false or swollen copies that were kept", kept, 0)
    yield Figure("honest copies that were refused", int(imported(owner, honest) != 302), 0)


def imported(guest: Guest, data: bytes) -> int:
    return guest.send_files("/teach/profiles/import", [("file", data)]).status


def ways_in(stranger: Guest) -> Iterator[int]:
    """The answers to every route that changes or downloads a copy."""
    yield stranger.ask("GET", "/teach/file/meadow/ours").status
    yield stranger.ask("GET", "/teach/custom?of=meadow&add=ours").status
    for way, fields in (("rename", {"name": "mine"}), ("learn", {}), ("delete", {})):
        yield stranger.send_form(f"/teach/{way}/meadow/ours", fields).status
    spec = 'name = "meadow"\nrows = [1, 2]\ncols = [1, 2]'
    photo = (PHOTOS / "easy_1.jpg").read_bytes()
    for way in ("look", "save"):
        fields = {"spec": spec, "layout": "cow pig", "add": "ours", "name": "ours", "replace": "1"}
        yield stranger.send_files(f"/teach/custom/{way}", [("photo", photo)], fields).status


def guesses(target: Target, stranger: Guest) -> Iterator[Figure]:
    pin = (target.folder / "data" / "pin").read_text(encoding="ascii")
    printed = target.log.read_text(encoding="utf-8").count(pin)
    yield Figure("starts that did not print the PIN", int(printed != 1), 0)
    tried = Counter(
        stranger.send_form("/pin", {"pin": f"{number:08}"}).status
        for number in range(GUESSES + 1)
        if f"{number:08}" != pin
    )
    yield Figure(f"of {GUESSES} guessed PINs that were right", tried[303], 0)
    yield Figure("guesses that were looked at", tried[403], 10)
    right = Guest(target, QUIET).greet().send_form("/pin", {"pin": pin}).status
    yield Figure("refusals of the right PIN from a quiet address", int(right != 303), 0)


def false_ones(honest: bytes) -> Iterator[bytes]:
    """Copies with labels exchanged, and files that unpack to far more than they hold."""
    once, thrice = ("sun", "moon"), ("horse", "seed", "boat", "tree")
    for one, other in (once, *combinations(thrice, 2), ("fish", "bird")):
        yield exchanged(honest, one, other)
    small = taught("cow")
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    yield with_meta(small, lambda meta: meta.update(shape=deep))
    yield with_meta(small, lambda meta: meta.update(name="../../../x"))
    yield with_meta(small, lambda meta: meta.update(created="\ud800"))
    yield with_meta(small, lambda meta: meta.update(labels=["a"] * 400_000))
    yield with_meta(small, lambda meta: None, more=np.zeros(2**27, np.uint8))
    large = cv2.imencode(".png", np.zeros((7600, 7600, 3), np.uint8))[1]
    yield with_meta(small, lambda meta: None, pictures_0=large.ravel())
    yield with_meta(small, lambda meta: None, prototypes_0=np.zeros((9000, 4, 128), np.float16))
    many = io.BytesIO(small)
    with zipfile.ZipFile(many, "a") as archive:
        for number in range(60_000):
            archive.writestr(str(number), b"")
    yield many.getvalue()

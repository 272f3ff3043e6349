"""Malformed requests: origins, hosts, deep JSON, huge numbers, stray surrogates."""

from collections.abc import Iterator

from attacks.harness import Figure, Target

NUMBERS = ("0", "-1", str(2**31), str(2**63), "9" * 400, "NaN", "1e999", "true", '"x"', "[]", "{}")
DEEP = (b"[" * 1000, b"[" * 100_000, b'{"a":' * 1000, b"[" * 1000 + b"]" * 1000)
HOSTS = (
    "[",
    "[::1",
    "a" * 8000,
    "127.0.0.1:99999",
    "127.0.0.1:x",
    "a b",
    "\x00",
    "evil.example",
    "..",
    "@",
)
ORIGINS = (
    "http://[",
    "http://]",
    "//",
    "http://evil.example",
    "null\x0b",
    "x" * 8000,
    "http://127.0.0.1:x",
)
BACKS = (
    "/\t/evil.example",
    "/\n",
    "//evil.example",
    "/\\evil.example",
    "http://evil.example",
    "\ud7ff",
    "%00",
)


def attack(target: Target) -> Iterator[Figure]:
    guest = target.guest()
    code = guest.start()
    game = f"/api/games/{code}"
    json = {"Content-Type": "application/json"}
    for origin in ORIGINS:
        guest.ask("POST", f"{game}/actions", b"{}", json | {"Origin": origin})
    foreign = 0
    for host in HOSTS:
        foreign += guest.ask("GET", "/", headers={"Host": host}).status == 200
    for deep in DEEP:
        for path in ("/api/games", f"{game}/actions", "/api/score", f"{game}/undo"):
            guest.ask("POST", path, deep, json)
        guest.send_form("/games", {"kind": "custom", "board": deep.decode()})
    for number in NUMBERS:
        act = '{"action": {"type": "extra", "seat": ?, "points": ?}, "base_version": ?, "key": ?}'
        guest.ask("POST", f"{game}/actions", act.replace("?", number).encode(), json)
        guest.ask("POST", f"{game}/undo", b'{"base_version": ' + number.encode() + b"}", json)
        guest.ask("GET", f"{game}/photos/{number.strip(chr(34))}")
        guest.ask("GET", f"{game}?since={number.strip(chr(34))}")
        guest.send_form(f"/g/{code}/join", {"seat": number})
    for name in ('"\\ud800"', '"\\u0000"', '"' + "x" * 100_000 + '"'):
        start = '{"kind": "stones", "setup": {"players": [{"name": ?, "colour": ?}]}}'
        act = '{"action": {"type": ?}, "key": ?}'
        guest.ask("POST", "/api/games", start.replace("?", name).encode(), json)
        guest.ask("POST", f"{game}/actions", act.replace("?", name).encode(), json)
    elsewhere = 0
    for back in BACKS:
        answer = guest.send_form("/language", {"language": "de", "back": back})
        elsewhere += not answer.headers.get("location", "/").replace("/\\", "//").startswith(
            "/"
        ) or (answer.headers.get("location", "/")[1:2] in ("/", "\\", "\t"))
    yield Figure("pages served under a foreign host", foreign, 0)
    yield Figure("redirections to another site", elsewhere, 0)

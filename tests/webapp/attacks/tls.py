"""Https: connections that are silent, that stop within the handshake, or that speak no TLS."""

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

from attacks.connections import LONGEST_SECONDS, SLACK_SECONDS, Slow, dripping
from attacks.harness import Figure, Target

EACH = 100
HELLO = bytes.fromhex("1603010200010001fc0303") + b"\0" * 32
"""The beginning of a client's first message."""

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    PORT = int(probe.getsockname()[1])
OPTIONS = ("--tls", "--tls-port", str(PORT))


def attack(target: Target) -> Iterator[Figure]:
    context = ssl.create_default_context(
        cafile=str(target.folder / "data" / "tls" / "authority.pem")
    )
    crowd = [
        *(Slow(PORT, "silent") for _ in range(EACH)),
        *(Slow(PORT, "half a handshake", HELLO, b"\0") for _ in range(EACH)),
        *(Slow(PORT, "no TLS", b"GET / HTTP/1.1\r\n\r\n") for _ in range(EACH)),
    ]
    shaken = [_shaken(context) for _ in range(EACH)]
    waits = []
    with dripping(crowd):
        end = time.monotonic() + LONGEST_SECONDS + SLACK_SECONDS
        while time.monotonic() < end:
            start = time.monotonic()
            answer = _page(context)
            waits.append(time.monotonic() - start if answer == 200 else float("inf"))
            time.sleep(0.2)
    waits.sort()
    yield Figure(
        f"p95 of {len(waits)} pages over https", waits[int(len(waits) * 0.95)] * 1000, 300, "ms"
    )
    for kind in ("silent", "half a handshake", "no TLS"):
        left = sum(one.is_open() for one in crowd if one.kind == kind)
        yield Figure(f"{kind}: still open", left, 0)
    yield Figure("idle after the handshake: still open", sum(map(_is_open, shaken)), 0)
    for one in [*crowd, *shaken]:
        one.close()
    flood = threading.Thread(target=lambda: [_shaken(context).close() for _ in range(200)])
    start = time.monotonic()
    flood.start()
    flood.join()
    yield Figure("200 handshakes", time.monotonic() - start, 20, "s")


def _shaken(context: ssl.SSLContext) -> ssl.SSLSocket:
    return context.wrap_socket(
        socket.create_connection(("127.0.0.1", PORT), timeout=10), server_hostname="127.0.0.1"
    )


def _is_open(one: ssl.SSLSocket) -> bool:
    one.setblocking(False)
    with suppress(ssl.SSLWantReadError):
        with suppress(OSError):
            return bool(one.recv(1))
        return False
    return True


def _page(context: ssl.SSLContext) -> int:
    asking = http.client.HTTPSConnection("127.0.0.1", PORT, context=context, timeout=20)
    try:
        asking.request("GET", "/")
        answer = asking.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        asking.close()

"""The names this computer answers to, and the address that its pages tell to other devices.

A page of the internet may make its own name lead to this computer (DNS rebinding) and so share our
origin. It is refused because that name is none of this computer's.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from flask import Flask, current_app, request

from webapp.commands import common
from webapp.tables.errors import TableError

HOST = re.compile(
    r"(?P<name>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::(?P<port>[0-9]{1,5}))?"
)
"""A Host header: an address or a name, and perhaps a port."""

LOCAL_ENDINGS = ("", ".local", ".lan", ".home.arpa", ".internal")
"""Endings of names in local networks; nobody can register such a name on the internet."""

_FOREIGN = "tallystone.foreign_host"

HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""Hosts that only this computer itself reaches."""


def own_names(more: Iterable[str] = ()) -> frozenset[str]:
    """The names of this computer in small letters: localhost, its own name, and *more*.

    Raises ValueError for what is no name.
    """
    own = socket.gethostname().lower()
    short = own.partition(".")[0]
    return frozenset(
        {"localhost", own, *(short + end for end in LOCAL_ENDINGS), *map(name_in, more)}
    )


def name_in(text: str) -> str:
    """The name of a computer that somebody typed, or that in an address of its pages.

    Raises ValueError if there is none that a Host header could have.

    >>> [name_in(text) for text in ("Club.example.org", "https://club.example.org:8443/look")]
    ['club.example.org', 'club.example.org']
    """
    found = HOST.fullmatch(re.sub("^https?://", "", text).partition("/")[0])
    if found is None:
        raise ValueError(f"expected a name such as club.example.org, got {text!r}")
    return found["name"].lower().removesuffix(".")


def is_own(host: str, names: Iterable[str]) -> bool:
    """Whether a Host header is an address, or one of *names*.

    >>> [is_own(host, {"box"}) for host in ("192.168.1.20:8080", "[::1]", "box")]
    [True, True, True]
    >>> [is_own(host, {"box"}) for host in ("evil.example", "[", "")]
    [False, False, False]
    """
    found = HOST.fullmatch(host)
    if found is None:
        return False
    name = found["name"].lower().removesuffix(".")
    if int(found["port"] or 0) > 65535:
        return False
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return name in names
    return True


def host_and_port() -> tuple[str, str | None]:
    """The host that the request named, and the port where it named one."""
    found = HOST.fullmatch(request.host)
    return (found["name"], found["port"]) if found else ("localhost", None)


def _host_for_others() -> str:
    """The host that the request named, or that of the network where only this computer knows it.

    Where a proxy is in front, others reach this computer whatever we listen on.
    """
    name, _ = host_and_port()
    config = current_app.config
    listens_on = "0.0.0.0" if config["BEHIND_PROXY"] else config["HOST"]
    return (common.address_for_network(listens_on) or name) if name in HERE else name


def address_for_others(path: str) -> str:
    """The address of a page of ours for other devices, also where this computer itself asks."""
    _, port = host_and_port()
    return f"{request.scheme}://{_host_for_others()}{f':{port}' if port else ''}{path}"


def is_only_here() -> bool:
    """Whether no other device can open what ``address_for_others`` says."""
    return _host_for_others() in HERE


def register(app: Flask) -> None:
    """Refuse requests whose Host header names another computer, or nothing at all."""
    names = own_names(app.config.get("HOST_NAMES", ()))
    inner = app.wsgi_app

    def checked(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not is_own(environ.get("HTTP_HOST", ""), names):
            # Flask cannot answer under a host that it cannot parse; it refuses this one under a
            # name of its own.
            environ = environ | {"HTTP_HOST": "localhost", _FOREIGN: True}
        return inner(environ, start_response)

    app.wsgi_app = checked  # type: ignore[method-assign]

    @app.before_request
    def refuse_foreign_hosts() -> None:
        if _FOREIGN in request.environ:
            raise TableError(
                400,
                "unknown_host",
                "Tallystone does not answer under this name: open it by its address, or start "
                "it with --name.",
            )

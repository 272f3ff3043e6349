"""Https with certificates of our own, and what it makes possible."""

import datetime as dt
import http.client
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from fakes import TokenClient
from flask import Flask
from serving.test_server import serving_on

from webapp.serving import tls


@pytest.fixture
def files(tmp_path: Path) -> tls.Certificates:
    return tls.certificates(tmp_path, ["192.168.1.20"])


def leaf(files: tls.Certificates) -> x509.Certificate:
    return x509.load_pem_x509_certificates(files.chain.read_bytes())[0]


def test_the_certificate_is_for_this_address_and_short_enough_for_phones(
    files: tls.Certificates,
) -> None:
    found = leaf(files)
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "192.168.1.20" in [str(one) for one in names.get_values_for_type(x509.IPAddress)]
    assert found.not_valid_after_utc - found.not_valid_before_utc <= dt.timedelta(days=398)


def test_the_authority_may_vouch_for_local_addresses_only(files: tls.Certificates) -> None:
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    constraints = authority.extensions.get_extension_for_class(x509.NameConstraints)
    assert constraints.critical
    permitted = constraints.value.permitted_subtrees or []
    assert {str(one.value) for one in permitted} == {*tls.PRIVATE_NETWORKS, "localhost", "local"}


def test_keys_are_for_their_owner_alone(files: tls.Certificates) -> None:
    folder = files.key.parent
    for key in folder.glob("*.key"):
        assert key.stat().st_mode & 0o077 == 0
    assert len(list(folder.glob("*.key"))) == 2


def test_certificates_are_kept_until_the_address_changes_or_their_end_is_near(
    tmp_path: Path, files: tls.Certificates
) -> None:
    before, authority = files.chain.read_bytes(), files.authority.read_bytes()
    tls.certificates(tmp_path, ["192.168.1.20"])
    assert files.chain.read_bytes() == before
    tls.certificates(tmp_path, ["192.168.1.21"])
    moved = files.chain.read_bytes()
    assert moved != before
    later = dt.datetime.now(dt.UTC) + dt.timedelta(days=tls.LEAF_DAYS - 10)
    tls.certificates(tmp_path, ["192.168.1.21"], later)
    assert files.chain.read_bytes() != moved
    assert files.authority.read_bytes() == authority


def test_an_authority_that_a_clock_ahead_has_made_is_made_anew(tmp_path: Path) -> None:
    ahead = dt.datetime.now(dt.UTC) + dt.timedelta(days=30)
    made = tls.certificates(tmp_path, ["192.168.1.20"], ahead).authority.read_bytes()
    again = tls.certificates(tmp_path, ["192.168.1.20"]).authority.read_bytes()
    assert again != made
    found = x509.load_pem_x509_certificate(again)
    assert found.not_valid_before_utc <= dt.datetime.now(dt.UTC)


@pytest.mark.parametrize("name", ["server.key", "server.pem"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.8])
def test_a_damaged_file_of_the_server_is_made_anew(
    tmp_path: Path, files: tls.Certificates, name: str, share: float
) -> None:
    damaged, authority = files.key.with_name(name), files.authority.read_bytes()
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[: int(share * len(whole))])
    tls.server_context(tls.certificates(tmp_path, ["192.168.1.20"]))
    assert len(x509.load_pem_x509_certificates(files.chain.read_bytes())) == 2
    assert files.authority.read_bytes() == authority


def test_a_certificate_is_made_anew_where_a_crash_left_the_key_of_another(
    tmp_path: Path, files: tls.Certificates
) -> None:
    files.key.write_bytes(tls.certificates(tmp_path / "other", []).key.read_bytes())
    tls.server_context(tls.certificates(tmp_path, ["192.168.1.20"]))


@pytest.mark.parametrize("name", ["authority.key", "authority.pem"])
@pytest.mark.parametrize("text", [b"", b"-----BEGIN CERTIFICATE-----\nMIIB"])
def test_a_damaged_file_of_the_authority_is_named(
    tmp_path: Path, files: tls.Certificates, name: str, text: bytes
) -> None:
    files.authority.with_name(name).write_bytes(text)
    with pytest.raises(
        tls.AuthorityError, match=rf"tls/{name} is damaged: delete the folder .*tls;"
    ):
        tls.certificates(tmp_path, ["192.168.1.20"])


def test_the_key_of_another_authority_signs_nothing(
    tmp_path: Path, files: tls.Certificates
) -> None:
    other = tls.certificates(tmp_path / "other", []).authority.with_name("authority.key")
    files.authority.with_name("authority.key").write_bytes(other.read_bytes())
    with pytest.raises(
        tls.AuthorityError, match=r"authority\.key does not belong to authority\.pem"
    ):
        tls.certificates(tmp_path, ["192.168.1.20"])


def test_a_public_address_of_this_computer_is_added_alone(
    tmp_path: Path, files: tls.Certificates
) -> None:
    before = files.authority.read_bytes()
    tls.certificates(tmp_path, ["203.0.113.7"])
    assert files.authority.read_bytes() != before
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    permitted = authority.extensions.get_extension_for_class(
        x509.NameConstraints
    ).value.permitted_subtrees
    assert {str(one.value) for one in permitted or []} - {
        *tls.PRIVATE_NETWORKS,
        "localhost",
        "local",
    } == {"203.0.113.7/32"}


@pytest.fixture
def port(app: Flask, tmp_path: Path) -> Iterator[int]:
    context = tls.server_context(tls.certificates(tmp_path, []))
    with serving_on(app, context) as port:
        app.config["TLS_PORT"] = port
        yield port


def connection(tmp_path: Path, port: int) -> http.client.HTTPSConnection:
    context = ssl.create_default_context(cafile=str(tmp_path / "tls" / "authority.pem"))
    return http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=10)


def test_whoever_trusts_the_authority_gets_the_page(tmp_path: Path, port: int) -> None:
    asking = connection(tmp_path, port)
    asking.request("GET", "/")
    answer = asking.getresponse()
    page = answer.read().decode()
    asking.close()
    assert answer.status == 200
    assert "manifest.webmanifest" in page
    assert "secure.js" in page


def test_events_arrive_at_once_over_https(
    app: Flask, client: TokenClient, tmp_path: Path, port: int
) -> None:
    setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
    code = client.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0}).get_json()[
        "code"
    ]
    cookie = client.get_cookie("tallystone")
    assert cookie
    asking = connection(tmp_path, port)
    asking.request(
        "GET", f"/api/games/{code}/events", headers={"Cookie": f"tallystone={cookie.value}"}
    )
    answer = asking.getresponse()
    lines: list[bytes] = []
    while not lines or not lines[-1].startswith(b"data:"):
        lines.append(answer.readline())
    assert b'"version":0,' in lines[-1]
    client.send_json(f"/api/games/{code}/actions", {"action": {"type": "finish"}})
    while b'"version":1,' not in lines[-1]:
        lines.append(answer.readline())
    asking.close()


def test_the_page_to_trust_explains_and_offers_the_certificate(
    client: TokenClient, tmp_path: Path, port: int
) -> None:
    page = client.get("/trust").get_data(as_text=True)
    assert tls.certificates(tmp_path, []).fingerprint() in page
    answer = client.get("/trust/tallystone.crt")
    assert answer.mimetype == "application/x-x509-ca-cert"
    x509.load_der_x509_certificate(answer.data)


def test_without_https_nothing_of_it_is_offered(client: TokenClient) -> None:
    assert client.get("/trust").status_code == 404
    assert client.get("/trust/tallystone.crt").status_code == 404
    page = client.get("/").get_data(as_text=True)
    assert "manifest.webmanifest" not in page
    assert "secure.js" not in page


def test_the_app_can_be_installed(client: TokenClient) -> None:
    manifest = client.get("/manifest.webmanifest").get_json()
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        assert client.get(icon["src"], buffered=True).mimetype == "image/png"
    worker = client.get("/service-worker.js")
    assert worker.mimetype == "text/javascript"
    kept = worker.get_data(as_text=True).split("const KEPT = [")[1].split("]")[0]
    for path in kept.replace("'", "").split(", "):
        assert client.get(path, buffered=True).status_code == 200, path

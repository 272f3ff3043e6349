"""Https in the local network by an own authority: for camera, installing and wake lock.

The authority and its key stay in the data folder. Phones that trust it trust this computer and
nothing else: its certificates are limited to local names and private addresses. The certificate of
the server is made anew whenever the address of this computer has changed or its end is near.
"""

import ipaddress
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from calibration.files import make_folder, write_whole

FOLDER = "tls"

AUTHORITY_DAYS = 3650
LEAF_DAYS = 397
"""Browsers of phones refuse certificates of servers that hold longer than 398 days."""

RENEW_DAYS = 30
BACKDATED = timedelta(hours=24)
"""Clocks of phones may be slow; a certificate of today must hold for them, too."""

PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "127.0.0.0/8",
    "100.64.0.0/10",
    "fc00::/7",
    "fe80::/10",
    "::1/128",
)
"""The addresses the authority may vouch for; the phones hold it to that."""


UNREADABLE = (ValueError, TypeError, UnsupportedAlgorithm, x509.ExtensionNotFound)
"""What damaged files raise; TypeError comes from a key that has a password."""


Loaded = TypeVar("Loaded")


class AuthorityError(ValueError):
    """The files of the authority cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """Files of the authority and of the server, all PEM."""

    authority: Path
    chain: Path
    key: Path

    def fingerprint(self) -> str:
        """SHA-256 of the authority, in pairs of digits, to compare with what the phone shows."""
        found = x509.load_pem_x509_certificate(self.authority.read_bytes())
        return found.fingerprint(hashes.SHA256()).hex(":").upper()


def certificates(
    data_dir: Path, addresses: Iterable[str], now: datetime | None = None
) -> Certificates:
    """Certificates for this computer's *addresses* and localhost, made or renewed as needed.

    Some networks hand out public addresses. The authority may then vouch for exactly that one, too;
    it is made anew for it, and phones have to be told again. Raises AuthorityError.
    """
    now = now or datetime.now(UTC)
    folder = data_dir / FOLDER
    make_folder(folder)
    found = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    names = sorted({*addresses, "127.0.0.1", "::1"})
    authority, authority_key = _authority(found.authority, folder / "authority.key", names, now)
    if not _holds(found, authority, names, now):
        key = ec.generate_private_key(ec.SECP256R1())
        leaf = _leaf(authority, authority_key, key.public_key(), names, now)
        write_whole(found.key, _key_pem(key))
        write_whole(
            found.chain,
            leaf.public_bytes(serialization.Encoding.PEM)
            + authority.public_bytes(serialization.Encoding.PEM),
        )
    return found


def authority_der(data_dir: Path) -> bytes | None:
    """The certificate of the authority as phones take it, if there is one."""
    path = data_dir / FOLDER / "authority.pem"
    if not path.is_file():
        return None
    found = x509.load_pem_x509_certificate(path.read_bytes())
    return found.public_bytes(serialization.Encoding.DER)


def server_context(of: Certificates) -> ssl.SSLContext:
    """What the server needs: TLS 1.2 and newer."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(of.chain, of.key)
    return context


def _authority(
    path: Path, key_path: Path, names: list[str], now: datetime
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    if path.is_file() and key_path.is_file():
        found = _read(path, x509.load_pem_x509_certificate)
        key = _read(key_path, _key_of)
        if key.public_key() != found.public_key():
            raise _unusable(key_path, f"does not belong to {path.name}")
        begun = found.not_valid_before_utc <= now  # not if a clock was ahead when it was made
        lasts = begun and found.not_valid_after_utc > now + timedelta(days=LEAF_DAYS)
        if isinstance(key, ec.EllipticCurvePrivateKey) and lasts and _may_vouch(found, names):
            return found, key
    return _new_authority(path, key_path, names, now)


def _read(path: Path, load: Callable[[bytes], Loaded]) -> Loaded:
    try:
        return load(path.read_bytes())
    except UNREADABLE:
        raise _unusable(path, "is damaged") from None


def _key_of(pem: bytes) -> PrivateKeyTypes:
    return serialization.load_pem_private_key(pem, None)


def _unusable(path: Path, problem: str) -> AuthorityError:
    return AuthorityError(
        f"{path} {problem}: delete the folder {path.parent}; phones then have to trust this "
        "computer anew"
    )


def _new_authority(
    path: Path, key_path: Path, names: list[str], now: datetime
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, f"Tallystone at this table {now:%Y-%m-%d}"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Tallystone (made on this computer)"),
        ]
    )
    networks = [ipaddress.ip_network(network) for network in PRIVATE_NETWORKS]
    networks += [ipaddress.ip_network(one) for one in names if not _within(one, networks)]
    permitted: list[x509.GeneralName] = [x509.IPAddress(network) for network in networks]
    permitted += [x509.DNSName("localhost"), x509.DNSName("local")]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + timedelta(days=AUTHORITY_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.NameConstraints(permitted, None), critical=True)
        .sign(key, hashes.SHA256())
    )
    write_whole(key_path, _key_pem(key))
    write_whole(path, made.public_bytes(serialization.Encoding.PEM))
    return made, key


def _may_vouch(authority: x509.Certificate, names: list[str]) -> bool:
    """Whether phones would believe this authority for all of *names*."""
    constraints = authority.extensions.get_extension_for_class(x509.NameConstraints).value
    networks = [
        one.value for one in constraints.permitted_subtrees or () if isinstance(one, x509.IPAddress)
    ]
    return all(_within(name, networks) for name in names)


def _within(address: str, networks: Iterable[Any]) -> bool:
    return any(ipaddress.ip_address(address) in network for network in networks)


def _leaf(
    authority: x509.Certificate,
    authority_key: ec.EllipticCurvePrivateKey,
    key: ec.EllipticCurvePublicKey,
    names: list[str],
    now: datetime,
) -> x509.Certificate:
    alternatives: list[x509.GeneralName] = [
        x509.IPAddress(ipaddress.ip_address(name)) for name in names
    ]
    alternatives.append(x509.DNSName("localhost"))
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tallystone")]))
        .issuer_name(authority.subject)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + timedelta(days=LEAF_DAYS) - BACKDATED)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()),
            critical=False,
        )
        .sign(authority_key, hashes.SHA256())
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _holds(
    found: Certificates, authority: x509.Certificate, names: list[str], now: datetime
) -> bool:
    """True if the server's certificate is of this authority, for all names, and still valid.

    Its key is written first, so after a crash it may be that of a later certificate.
    """
    if not found.chain.is_file() or not found.key.is_file():
        return False
    try:
        leaf, issuer = x509.load_pem_x509_certificates(found.chain.read_bytes())
        key = _key_of(found.key.read_bytes())
        alternatives = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except UNREADABLE:
        return False
    held = {str(address) for address in alternatives.get_values_for_type(x509.IPAddress)}
    return (
        issuer == authority
        and leaf.public_key() == key.public_key()
        and set(names) <= held
        and leaf.not_valid_before_utc <= now
        and leaf.not_valid_after_utc > now + timedelta(days=RENEW_DAYS)
    )


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )

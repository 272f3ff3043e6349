"""Files that are no photos or mean harm: refused at once in one sentence."""

import io
import json
import os
import struct
import sys
import time
import types
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from fakes import FakeReader, TokenClient, encode
from flask.testing import FlaskClient
from guard.mutating import upload_mutations

from webapp.__main__ import cli

PNG = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, data: bytes, length: int | None = None) -> bytes:
    body = kind + data
    return (
        struct.pack(">I", len(data) if length is None else length)
        + body
        + struct.pack(">I", zlib.crc32(body))
    )


def header(width: int, height: int) -> bytes:
    return PNG + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))


def flood() -> bytes:
    """900 megapixels in a few kilobytes."""
    packer = zlib.compressobj(9)
    packed = packer.compress(bytes(2_000_000)) + packer.flush()
    return header(30_000, 30_000) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def animated() -> bytes:
    still = bytes(cv2.imencode(".png", np.full((40, 40, 3), 90, np.uint8))[1].tobytes())
    at = still.index(b"IDAT") - 4
    return still[:at] + chunk(b"acTL", struct.pack(">II", 2, 0)) + still[at:]


def noise() -> bytes:
    return encode(np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8))


BAD: dict[str, tuple[Callable[[], bytes], int]] = {
    "empty": (lambda: b"", 400),
    "text": (lambda: b"Dear table, this is a text renamed to .jpg.\n" * 20, 415),
    "truncated jpeg": (lambda: noise()[:9_000], 400),
    "one pixel": (lambda: encode(np.zeros((1, 1, 3), np.uint8)), 422),
    "900 megapixels": (flood, 413),
    "chunk of 4 GB": (lambda: header(64, 64) + chunk(b"IDAT", b"x" * 60, length=0xFFFFFFFF), 400),
    "animated png": (animated, 415),
    "heic": (lambda: b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic" + bytes(500), 415),
    "gif": (lambda: b"GIF89a" + bytes(50), 415),
    "pdf": (lambda: b"%PDF-1.7\n" + bytes(50), 415),
}


def is_one_sentence(message: str) -> bool:
    return (
        message[0].isupper()
        and message.endswith(".")
        and "\n" not in message
        and len(message) < 250
    )


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("path", ["/api/read", "/read"])
def test_a_bad_upload_is_a_4xx(client: FlaskClient, kind: str, path: str) -> None:
    make, status = BAD[kind]
    data = make()
    start = time.process_time()
    form = {"photo": (io.BytesIO(data), "IMG_0001.jpg", "image/jpeg")}
    response = client.post(path, data=form, content_type="multipart/form-data")
    assert time.process_time() - start < 1
    assert response.status_code == status
    if path == "/read":
        assert '<p role="alert">' in response.get_data(as_text=True)
    else:
        assert is_one_sentence(response.get_json()["error"]["message"])


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_refused_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reader: FakeReader, kind: str
) -> None:
    fake = types.SimpleNamespace(open_reader=lambda *_: reader)
    monkeypatch.setitem(sys.modules, "calibration.reader", fake)  # type: ignore[arg-type]
    path = tmp_path / "photo.jpg"
    path.write_bytes(BAD[kind][0]())
    as_json = CliRunner().invoke(cli, ["read", str(path), "--board", "stones", "--json"])
    assert as_json.exit_code == 1
    document = json.loads(as_json.stdout)
    assert set(document) == {"photo", "found", "reason", "message"}
    assert is_one_sentence(document["message"])
    for_people = CliRunner().invoke(cli, ["read", str(path), "--board", "stones"])
    assert (for_people.exit_code, for_people.stdout) == (1, "")
    assert for_people.stderr == f"{path}: {document['message']}\n"


def test_mutated_uploads_to_a_game_are_read_or_refused(client: TokenClient, photo: bytes) -> None:
    """TALLYSTONE_MUTATIONS asks for more than the few of every day."""

    def refused(answer: Any) -> None:
        assert is_one_sentence(answer.get_json()["error"]["message"])

    count = int(os.environ.get("TALLYSTONE_MUTATIONS", "60"))
    statuses = upload_mutations(client, photo, count, refused)
    assert set(statuses) <= {201, 400, 413, 415, 422}
    assert statuses[201] > 0
    assert statuses[400] + statuses[415] > 0

"""Sends texts compressed to whoever can unpack them: a table has a quarter of its bytes then."""

import gzip
import io
import secrets
from functools import lru_cache

from flask import Flask, Response, request

KINDS = ("text/", "application/json", "application/javascript", "image/svg+xml")
LEAST_BYTES = 1000
"""Shorter texts fit one packet of the network as they are."""

LEVEL = 6
MOST_PADDING = 64
"""Bytes of chance in each packed page: its length tells nobody what it holds (BREACH)."""


def register(app: Flask) -> None:
    """Compress the texts that *app* answers with; streams and pictures stay as they are."""

    @app.after_request
    def compress(response: Response) -> Response:
        if not (response.mimetype or "").startswith(KINDS) or (
            response.is_streamed and not response.direct_passthrough
        ):
            return response
        response.vary.add("Accept-Encoding")
        if (
            response.status_code != 200
            or not request.accept_encodings["gzip"]
            or request.method == "HEAD"
        ):
            return response
        is_file = response.direct_passthrough
        response.direct_passthrough = False
        data = response.get_data()
        if len(data) >= LEAST_BYTES:
            response.set_data(_packed_file(data) if is_file else _packed(data))
            response.content_encoding = "gzip"
            etag, _ = response.get_etag()
            if etag is not None:
                response.set_etag(etag, weak=True)
        return response


@lru_cache(maxsize=256)
def _packed_file(data: bytes) -> bytes:
    """A file of the program, packed once."""
    return gzip.compress(data, 9, mtime=0)


def _packed(data: bytes) -> bytes:
    """A text, packed under a name of a length by chance."""
    out = io.BytesIO()
    name = "x" * secrets.randbelow(MOST_PADDING)
    with gzip.GzipFile(name, "wb", LEVEL, out, mtime=0) as file:
        file.write(data)
    return out.getvalue()

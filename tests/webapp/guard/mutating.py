"""Sends damaged photos to a game: each is read or refused, never a server error.

    python tests/webapp/guard/mutating.py 2000

reads them with the bundled reader of the stones and prints how often each status was answered.
"""

import io
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from flask.testing import FlaskClient

PHOTO = Path(__file__).parents[3] / "calibration" / "demo" / "easy_1.jpg"
LONG_SIDE_PX = 800
PHOTOS_EACH = 200
"""Photos that go to one game: none takes any number of them."""

GAME = {"kind": "stones", "setup": {"players": [{"name": "Ann", "colour": "red"}]}, "seat": 0}


def mutations(photo: bytes, count: int, seed: int) -> Iterator[bytes]:
    """JPEG, PNG and WebP of a photo: cut, with changed bytes, a doubled part or added junk."""
    dice = random.Random(seed)
    image = cv2.imdecode(np.frombuffer(photo, np.uint8), cv2.IMREAD_COLOR)
    originals = [
        bytes(cv2.imencode(kind, image)[1].tobytes()) for kind in (".jpg", ".png", ".webp")
    ]
    for number in range(count):
        data = bytearray(originals[number % 3])
        at = dice.randrange(len(data))
        match dice.randrange(4):
            case 0:
                del data[at:]
            case 1:
                for _ in range(dice.randint(1, 20)):
                    end = min(len(data), dice.choice((64, 1024, len(data))))
                    data[dice.randrange(end)] = dice.randrange(256)
            case 2:
                data[at:at] = data[max(0, at - dice.randint(1, 2000)) : at]
            case _:
                data[at:at] = dice.randbytes(dice.randint(1, 200))
        yield bytes(data)


def upload_mutations(
    client: FlaskClient, photo: bytes, count: int, refused: Callable[[Any], None]
) -> Counter[int]:
    """How often each status was answered; *refused* looks at every answer that is no reading."""
    page = client.get("/").get_data(as_text=True)
    headers = {"X-CSRF-Token": page.split('name="csrf-token" content="')[1].split('"')[0]}
    statuses: Counter[int] = Counter()
    for number, data in enumerate(mutations(photo, count, seed=1)):
        if number % PHOTOS_EACH == 0:
            code = client.post("/api/games", json=GAME, headers=headers).get_json()["code"]
        form = {"photo": (io.BytesIO(data), "IMG_0001.jpg"), "board": "stones"}
        answer = client.post(f"/api/games/{code}/photos", data=form, headers=headers)
        statuses[answer.status_code] += 1
        if answer.status_code != 201:
            refused(answer)
    return statuses


def main(count: int) -> int:
    """Send *count* of them to the real reader; gives the exit status."""
    from webapp import create_app
    from webapp.guard.quotas import GB, Limits

    image = cv2.imread(str(PHOTO))
    scale = LONG_SIDE_PX / max(image.shape)
    photo = bytes(cv2.imencode(".jpg", cv2.resize(image, None, fx=scale, fy=scale))[1].tobytes())
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(
            {
                "DATA_DIR": Path(folder),
                "QUOTAS": Limits(address_bytes=20 * GB, device_bytes=20 * GB),
            }
        )
        statuses = upload_mutations(app.test_client(), photo, count, lambda answer: None)
        app.extensions["tallystone_store"].close()
    of_each = ", ".join(f"{times} x {status}" for status, times in sorted(statuses.items()))
    errors = sum(times for status, times in statuses.items() if status >= 500)
    print(f"{count} damaged photos: {of_each}; {errors} errors of the server")
    return 1 if errors else 0


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "2000"
    if not re.fullmatch(r"\d{1,6}", asked):
        sys.exit("usage: mutating.py [PHOTOS]")
    sys.exit(main(int(asked)))

"""Draws the digits 1 to 4 in many openly licensed typefaces, for season boards.

The typefaces come as npm packages of the Fontsource project (``npm pack @fontsource/roboto`` and so
on, listed in ``packages.toml``); their licences are listed in ``NOTICE.md``. None of them is
shipped. Run ``python -m models.training.digits PACKAGES DIGITS.npz`` on a folder of such ``.tgz``
files.
"""

import io
import tarfile
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from models.training.arguments import parser_of

DIGIT_PX = 64
"""Side of a digit's square; its strokes reach from the top to the bottom."""
VALIDATION_FONTS = 6
"""Every so many-th typeface, by name, is held out."""

Masks = npt.NDArray[np.uint8]


def draw_digits(font_file: bytes) -> Masks:
    """Masks (4, DIGIT_PX, DIGIT_PX) of a typeface's digits at one scale, centred."""
    font = ImageFont.truetype(io.BytesIO(font_file), 160)
    drawn = []
    for digit in "1234":
        canvas = Image.new("L", (320, 320))
        ImageDraw.Draw(canvas).text((160, 160), digit, fill=255, font=font, anchor="mm")
        drawn.append(np.asarray(canvas))
    boxes = [cv2.boundingRect(picture) for picture in drawn]
    side = max(max(w, h) for _, _, w, h in boxes)
    if side < 20:
        raise ValueError("no digits")
    masks = []
    for picture, (x, y, w, h) in zip(drawn, boxes, strict=True):
        square = np.zeros((side, side), np.uint8)
        left, top = (side - w) // 2, (side - h) // 2
        square[top : top + h, left : left + w] = picture[y : y + h, x : x + w]
        masks.append(cv2.resize(square, (DIGIT_PX, DIGIT_PX), interpolation=cv2.INTER_AREA))
    return np.stack(masks).astype(np.uint8)


def font_files(package: Path) -> list[bytes]:
    """The lightest and the heaviest upright Latin face of a Fontsource package."""
    with tarfile.open(package) as archive:
        names = sorted(
            name
            for name in archive.getnames()
            if name.endswith("-normal.woff") and "-latin-" in name and "-latin-ext-" not in name
        )
        weight = {name: int(name.rsplit("-", 2)[1]) for name in names}
        chosen = (
            {min(names, key=weight.__getitem__), max(names, key=weight.__getitem__)}
            if names
            else set()
        )
        return [archive.extractfile(name).read() for name in sorted(chosen)]  # type: ignore[union-attr]


def load_digits(path: Path, split: str) -> Masks:
    """The typefaces of a split ("training" or "validation"), shape (n, 4, DIGIT_PX, DIGIT_PX)."""
    with np.load(path) as stored:
        return np.asarray(stored[split])


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("packages", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    splits: dict[str, list[Masks]] = {"training": [], "validation": []}
    for number, package in enumerate(sorted(args.packages.glob("*.tgz"))):
        split = "validation" if number % VALIDATION_FONTS == 0 else "training"
        splits[split] += [draw_digits(data) for data in font_files(package)]
    np.savez_compressed(
        args.out, training=np.stack(splits["training"]), validation=np.stack(splits["validation"])
    )
    print({split: len(found) for split, found in splits.items()})


if __name__ == "__main__":
    main()

"""Draw the pictures of the documentation anew, with the real application and browser.

    python tests/site/pictures.py

Writes ``docs/images/phone-<page>.webp``, each a page of the gallery as a phone shows it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
PAGES = (
    "start-new",
    "invite",
    "review",
    "table-stones",
    "table-seasons",
    "table-time",
    "table-villagers",
    "table-custom",
)
SIZE = (390, 844)


def main() -> None:
    """Draw every page of PAGES."""
    with tempfile.TemporaryDirectory() as folder:
        gallery = ROOT / "tests" / "webapp" / "gallery.py"
        subprocess.run([sys.executable, str(gallery), folder, *PAGES], cwd=ROOT, check=True)
        for page in PAGES:
            with Image.open(Path(folder) / f"{page}-phone-light.png") as picture:
                seen = picture.convert("RGB").crop((0, 0, SIZE[0], min(SIZE[1], picture.height)))
                seen.save(ROOT / "docs" / "images" / f"phone-{page}.webp", quality=80, method=6)


if __name__ == "__main__":
    main()

"""Rasterises openly licensed icon families into the bank of pictures for training faces.

The families come as npm packages of the Iconify project (``npm pack @iconify-json/tabler`` and so
on); their licences are listed in ``NOTICE.md``. None of them is shipped: only networks trained on
faces drawn with them are. Run ``python -m models.training.art PACKAGES BANK.npz`` on a folder of
such ``.tgz`` files.
"""

import json
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.training.arguments import parser_of

ICON_PX = 96
"""Side of a rasterised icon."""

VALIDATION_FAMILIES = frozenset({"solar", "carbon", "openmoji"})
"""Families that no training sees; validation figures are measured on them alone."""

_PREFIXES = "ios-|md-|weather-|directions-|wb-|last-"
_SUFFIXES = (
    "bold|fill|filled|outline|outlined|rounded|duotone|line|linear|variant|toy|face|with-face"
    "|symbol|simple|2|stars|star"
)
_LOOSE_PREFIXES = (
    f"{_PREFIXES}|emoji-|animal-|vehicle-|baseline-|outline-|round-|sharp-|twotone-|bxs-"
    "|nature-ecology-|baseline-directions-|round-directions-|warp-|allergens-|food-"
)
_LOOSE_SUFFIXES = (
    f"{_SUFFIXES}|solid|flat|regular|light|remix|alt|f|o|duo|sharp|twotone|fins|head|one|two"
    "|[13]|1[1256]|2[048]|32|48"
)
_NAMES = {
    "sun": "sun|sunny|brightness-high|white-balance-sunny",
    "moon": (
        "moon|crescent-moon|quarter-moon|waning-crescent-moon|waxing-crescent-moon|moon-clear"
        "|moon-sleep|night"
    ),
    "fish": "fish|tropical-fish|blowfish",
    "bird": (
        "bird|dove|crow|peacock|parrot|twitter|eagle|swan|rooster|duck|phoenix|phoenix-bird"
        "|black-bird|kiwi-bird"
    ),
    "horse": (
        "horse|horse-head|chess-knight|unicorn|carousel-horse|black-chess-knight|racetrack-horse"
    ),
    "boat": "boat|sailboat|sail-boat|ship|ferry|speedboat|motor-boat|passenger-ship|sailing|canoe",
    "seed": (
        "seed|seedling|sprout|acorn|chestnut|leaf|peanut|peanuts|nut|seeding|plant|grain|herb"
        "|potted-plant"
    ),
    "tree": (
        "tree|trees|deciduous-tree|evergreen-tree|pine-tree|christmas-tree|palm-tree|park"
        "|tree-palm|tree-deciduous|tree-pine"
    ),
}
_LOOSE_NAMES = {
    "sun": "sun-bright|sun-high|sun-max|sun-medium",
    "moon": "first-quarter-moon|moon-night",
    "fish": (
        "goldfish|shark|whale|spouting-whale|dolphin|fish-cooked|salmon|orca|wild-fish|spiky-fish"
        "|fish-food|fish-simple|fish-off|shark-off"
    ),
    "bird": (
        "owl|penguin|chicken|pigeon|goose|flamingo|hen|turkey|origami-paper-bird|hatching-chick"
        "|baby-chick|front-facing-baby-chick|dodo|bird-house|gull|toucan|raven|sparrow"
        "|java-sparrow|bird-flying|pelican|crane-bird|dove-and-laurel|rubber-duck|bird-sharp"
        "|hummingbird"
    ),
    "horse": (
        "white-chess-knight|donkey|zebra|rocking-horse|toy-horse|knight|pony|camel|deer|ox|cow|goat"
        "|ewe|ram|llama|horse-zodiac|horse-racing|cattle|sheep|bison|giraffe|moose|buffalo"
        "|water-buffalo|bull|reindeer|deer-head|deer-head-with-antlers|winged-horse"
        "|winged-horse-rearing|two-hump-camel|two-humped-camel|horse-variant|horse-variant-fast"
        "|sheep-zodiac|yak|elk"
    ),
    "boat": (
        "kayak|yacht|sail-ship|paper-ship|sailboat-offshore|sailboat-coastal|cruise|cargo-ship"
        "|steamship|boat-floating|rowing-boat"
    ),
    "seed": (
        "macadamia-nut|coffee-bean|beans|coconut|avocado|pear|wheat|sheaf-of-rice|olive|leaves"
        "|clover|shamrock"
    ),
    "tree": ("tree-evergreen|conifer|coconut-tree|cactus|potted-tree|forest|mushroom"),
}
SYMBOL_NAMES: dict[str, str] = {
    symbol: f"^(?:{_PREFIXES})?(?:{names})(?:-(?:{_SUFFIXES}))*$"
    for symbol, names in _NAMES.items()
}
"""Regular expressions of the names of icons that show a symbol of the stones."""
LOOSE_NAMES: dict[str, str] = {
    symbol: f"^(?:{_LOOSE_PREFIXES})?(?:{names}|{_LOOSE_NAMES[symbol]})(?:-(?:{_LOOSE_SUFFIXES}))*$"
    for symbol, names in _NAMES.items()
}
"""The same for pictures that may stand for a symbol, such as an owl for a bird."""

OTHER_THINGS = re.compile(
    "|".join(
        (
            "arcticons:(?!emoji-)",  # apps
            "(dinkie-icons|garden):twitter",  # a letter
            "(ep|icon-park.*|mingcute|mdi|tdesign|whh|streamline-kameleon-color)"
            ":.*(chicken|turkey)",  # meals
            "streamline-emojis:turkey",  # the country's
            "(bi|boxicons|mdi|pepicons-.*|tabler|whh):nut(-fill|-filled)?$",  # the screw's
            "[^:]*:(.*-)?grain$",  # of film
            "(fluent|ri|picon|whh):ram",  # memory
            "(icomoon-free|lsicon|picon):tree",  # of folders
            "(lsicon|mingcute|streamline-plump.*):park",  # cars, benches
            "line-md:(mushroom|sunny)|boxicons:night",  # hardly anything, settings
        )
    )
)
"""``family:name`` of icons that are called like a symbol and show something else."""

MOST_PER_FAMILY = 420
SKIPPED_NAMES = re.compile(
    r"flag|keycap|letter|regional|-(left|right)-|alpha-|button|skin-tone|-light$|-dark$"
)
"""Names of near duplicates and of bare typography, which teach nothing."""


@dataclass(frozen=True, slots=True)
class Icon:
    """One picture: ``rgba`` is uint8 of shape (96, 96, 4); ``mono`` icons are white with alpha."""

    family: str
    name: str
    mono: bool
    rgba: npt.NDArray[np.uint8]


def rasterise(
    body: str, width: float, height: float, left: float = 0, top: float = 0
) -> npt.NDArray[np.uint8] | None:
    """Draw one SVG body on a transparent square of ICON_PX; None if nothing shows."""
    import cairosvg  # only drawing a bank needs a renderer

    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'color="white" '
        f'viewBox="{left} {top} {width} {height}" width="{ICON_PX}" height="{ICON_PX}">{body}</svg>'
    ).replace("currentColor", "#ffffff")
    try:
        png = cairosvg.svg2png(bytestring=svg.encode(), output_width=ICON_PX, output_height=ICON_PX)
    except Exception:  # the renderer raises many unrelated types on SVG features it does not know
        return None
    bgra = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)
    if bgra is None or bgra.ndim != 3 or bgra.shape[2] != 4 or (bgra[..., 3] > 40).mean() < 0.02:
        return None
    return np.ascontiguousarray(bgra[..., [2, 1, 0, 3]])


def read_family(package: Path) -> dict[str, Any]:
    """The ``icons.json`` of an Iconify package (.tgz), and if it has colours (``palette``)."""
    found: list[dict[str, Any]] = []
    with tarfile.open(package) as archive:
        for name in ("info", "icons"):
            member = archive.extractfile(f"package/{name}.json")
            if member is None:
                raise ValueError(f"expected package/{name}.json in {package.name!r}")
            found.append(json.load(member))
    info, icons = found
    return {**icons, "palette": info.get("palette", False)}


def family_icons(package: Path, rng: np.random.Generator) -> list[Icon]:
    """Up to MOST_PER_FAMILY icons of one family, every picture of a stone among them."""
    family = read_family(package)
    names = sorted(family["icons"])
    symbols = [n for n in names if symbol_of_name(n, SYMBOL_NAMES) is not None]
    others = [n for n in names if n not in symbols and not SKIPPED_NAMES.search(n)]
    rng.shuffle(others)
    icons = []
    for name in [*symbols, *others][:MOST_PER_FAMILY]:
        rgba = rasterised(family, name)
        if rgba is not None:
            icons.append(Icon(family["prefix"], name, not family["palette"], rgba))
    return icons


def symbol_icons(package: Path) -> list[Icon]:
    """All pictures of one family that could stand for a symbol, one size of each."""
    family = read_family(package)
    icons, drawn = [], set()
    for name in sorted(family["icons"]):
        plain = re.sub(r"-(1[26]|2[048]|32|48)(?=-|$)", "", name)
        if plain in drawn or symbol_of_name(name, LOOSE_NAMES) is None:
            continue
        if OTHER_THINGS.match(f"{family['prefix']}:{name}"):
            continue
        rgba = rasterised(family, name)
        if rgba is not None:
            drawn.add(plain)
            icons.append(Icon(family["prefix"], name, not family["palette"], rgba))
    return icons


def rasterised(family: dict[str, Any], name: str) -> npt.NDArray[np.uint8] | None:
    """One icon of a family."""
    icon = family["icons"][name]
    width, height = (icon.get(side, family.get(side, 16)) for side in ("width", "height"))
    return rasterise(icon["body"], width, height, icon.get("left", 0), icon.get("top", 0))


def save_bank(icons: list[Icon], path: Path) -> None:
    """Write the icons as one compressed archive."""
    np.savez_compressed(
        path,
        rgba=np.stack([icon.rgba for icon in icons]),
        mono=np.array([icon.mono for icon in icons]),
        family=np.array([icon.family for icon in icons]),
        name=np.array([icon.name for icon in icons]),
    )


def load_bank(path: Path) -> list[Icon]:
    """Read the archive that ``save_bank`` wrote."""
    with np.load(path) as bank:
        rgba, mono, family, name = bank["rgba"], bank["mono"], bank["family"], bank["name"]
    return [
        Icon(str(f), str(n), bool(m), r)
        for f, n, m, r in zip(family, name, mono, rgba, strict=True)
    ]


def symbol_of_name(name: str, names: dict[str, str]) -> str | None:
    """The stone symbol that an icon shows, judged by its name; None if it shows none."""
    return next((symbol for symbol, pattern in names.items() if re.search(pattern, name)), None)


def symbol_of(icon: Icon) -> str | None:
    """The stone symbol that this icon shows; None if it shows none."""
    return symbol_of_name(icon.name, SYMBOL_NAMES)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("packages", type=Path, nargs="+", help="folders with the .tgz files")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--symbols",
        action="store_true",
        help="only pictures that could stand for a stone's symbol, all of them",
    )
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    packages = [package for folder in args.packages for package in folder.glob("*.tgz")]
    icons = [
        icon
        for package in sorted(packages, key=lambda package: package.name)
        for icon in (symbol_icons(package) if args.symbols else family_icons(package, rng))
    ]
    save_bank(icons, args.out)
    print(f"{len(icons)} icons of {len({i.family for i in icons})} families -> {args.out}")


if __name__ == "__main__":
    main()

"""Trains the stones reader: the crops of one photo in, the symbol and the turn of each stone out.

It knows thousands of invented editions in the published colours, with symbols of many icon
families, so no copy has to be taught. It starts from the features of the embedding::

    python -m models.training.stones BANK.npz EMBEDDING.pt OUT.pt --start-size 2 0 --minutes 80
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training.arguments import parser_of
from models.training.art import load_bank
from models.training.embedding import FEATURES, grow
from models.training.faces import ArtSource, SetPainter
from models.training.faces.sources import STONE_COLOURS
from models.training.schedule import Arrays, Batches, stacked
from models.training.together import (
    CONTEXT,
    UNKNOWN,
    TogetherNet,
    add_training_options,
    train,
    unlikelihood,
)
from models.training.views import Image, lesson_conditions, table_conditions, view

TURNS = 4
NONE = TURNS * len(STONE_COLOURS)
"""Class of what is no stone; class ``4 * symbol + turn`` is a symbol turned counterclockwise."""
STRANGERS = 0.1
"""Share of crops that show faces of other games."""
ALONE, OPINION, UPRIGHT = 0.5, 0.3, 0.3
"""Weights of the losses beside the joint one: each stone alone, the turn, any picture's turn."""
FOREIGN = 0.25
"""Share of photos of any pictures, which teach only which side of a picture is up."""
SIZE = (4, 1)
"""Width and depth of the blocks, see ``crop_features``."""
LIGHT = 1.0
"""Weight of the tint of the light in the loss."""
TINTED, STRONG = 0.4, (0.5, 1.2)
"""Share of photos in strong light, and the standard deviations of its log red and log blue: each
such photo takes one of them."""
STONES = 9
"""Most stones in a photo; batches of fewer are drawn, too."""

BENT = 0.6
"""Share of pictures that are bent; there are few hundred of each symbol."""
MIXED = 0.1
"""Share of editions whose fish and birds have any colours between the published two."""
DESCRIBED, MIRRORED = 0.4, 0.05
"""Share of editions drawn as the published game is described, and of their mirrored pictures."""
PRINTED = 0.4
"""Share of the described editions that have the colours of scans. The network learns no light from
them: the two scans differ as much as two lights do."""


class StonesNet(TogetherNet):
    """uint8 RGB crops of a photo's stones to log probabilities (2, n, NONE + 1) and tint (2,).

    The first are judged by all stones, which show alike faces in one light. The second are judged
    one by one, so what misleads one does not mislead all. The tint is the log of red and of blue in
    the light over green.
    """

    def __init__(self, size: tuple[int, int] = SIZE, start_size: tuple[int, int] = SIZE) -> None:
        super().__init__(NONE + 1, 0.3, size=size)
        self._start_size = start_size
        self.light, self.trust = nn.Linear(CONTEXT, 2), nn.Linear(CONTEXT, 1)
        self.upright = nn.Linear(FEATURES, TURNS)

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        seen = self.seen(crops)
        context = self.in_context(seen[None])
        log_p = torch.stack([self.named(seen[None], context)[0], self.judged(seen[:, None])[:, 0]])
        return log_p, self.tint(context)[0]

    def tint(self, context: Tensor) -> Tensor:
        """Tints (b, 2) of the light, by the stones that tell most of it."""
        weight = self.trust(context).softmax(1)
        return torch.as_tensor((weight * self.light(context)).sum(1))

    def loss(self, crops: Tensor, *truth: Tensor) -> Tensor:
        """Sum of the losses: all stones together, each alone, the turns, the tint."""
        classes, turns, tint = truth
        seen = self.seen(crops.flatten(0, 1))
        apart = seen.unflatten(0, crops.shape[:2])
        context = self.in_context(apart)
        named = unlikelihood(self.named(apart, context), classes)
        alone = self.judged(seen[:, None]).reshape(*classes.shape, -1)
        upright = unlikelihood(functional.log_softmax(self.upright(apart), 2), turns)
        return (
            named + ALONE * unlikelihood(alone, classes) + OPINION * opinion_loss(alone, classes)
            + UPRIGHT * upright + LIGHT * tint_loss(self.tint(context).float(), tint)
        )  # fmt: skip

    def start_from(self, checkpoint: Path, example: Tensor) -> None:
        """The same from a network of ``start_size``, whose answers it keeps."""
        smaller = StonesNet(self._start_size)
        super(StonesNet, smaller).start_from(checkpoint, example)
        grow(self, smaller)


def tint_loss(told: Tensor, tint: Tensor) -> Tensor:
    """Mean error of the tints (b, 2) that a network told, over photos whose tint is not nan."""
    known = tint.isfinite()
    return ((told - tint.nan_to_num()).abs() * known).sum() / known.sum().clamp(min=1)


def opinion_loss(alone: Tensor, classes: Tensor) -> Tensor:
    """Distance of the turns of photos from what their stones say together.

    Each stone is judged alone: log probabilities (b, n, NONE + 1). Stones with one symbol err alike
    and have one voice, as in ``vision.decode``.
    """
    known = (classes >= 0) & (classes < NONE)
    symbol = (
        functional.one_hot(torch.where(known, classes // TURNS, 0), len(STONE_COLOURS))
        * known[..., None]
    )
    by_turn = alone[..., :NONE].float().unflatten(2, (-1, TURNS))
    voices = functional.log_softmax((by_turn * symbol[..., None]).sum(2), 2)
    counts = symbol.sum(1).clamp(min=1)
    said = torch.einsum("bns,bnt->bst", symbol.float(), voices) / counts[..., None]
    # all stones of a photo are turned alike
    turn = torch.where(known, classes % TURNS, UNKNOWN).amax(1)
    return unlikelihood(functional.log_softmax(said.sum(1), 1)[None], turn[None])


class Board(NamedTuple):
    """Crops (n, 64, 64, 3) of a photo's stones, their classes and turns, and the tint (2,); nan
    where the network learns no light."""

    crops: np.ndarray
    classes: np.ndarray
    turns: np.ndarray
    tint: np.ndarray


def draw_board(
    rng: np.random.Generator,
    painter: SetPainter,
    stones: int,
    turned: bool = True,
    tinted: float = TINTED,
    foreign: bool = False,
) -> Board:
    """Stones of one edition in one photo; ``tinted`` is the share in coloured light.

    Any symbol may come any number of times; the decoder knows the box. In strong light and on
    ``foreign`` stones, which show any pictures, the classes count as unknown: colours must be
    believed in plain light.
    """
    photo = lesson_conditions(rng) if rng.random() < 0.25 else table_conditions(rng)
    strange_light = rng.random() < tinted
    if strange_light:
        red, blue = rng.normal(0, rng.choice(STRONG), 2)
        photo = replace(photo, gains=(photo.gains * np.exp([red, 0, blue])).astype(np.float32))
    pictures = []
    described = turned and not foreign and rng.random() < DESCRIBED
    printed = described and rng.random() < PRINTED
    paint = painter.stone_set
    if described:
        paint = painter.printed_set if printed else painter.described_set
    for face in paint(rng, tuple(STONE_COLOURS)):
        picture = np.clip(face, 0, 255).astype(np.uint8)
        # an icon may look either way, a picture of the game looks to the left
        mirrored = rng.random() < (MIRRORED if described else 0.5)
        pictures.append(picture[:, ::-1] if mirrored else picture)
    turn = int(rng.integers(TURNS)) if turned else 0
    crops, classes = [], []
    for _ in range(stones):
        symbol = int(rng.integers(len(STONE_COLOURS)))
        stranger = turned and rng.random() < STRANGERS
        shown: Image = (
            painter.draw(rng, 4).faces[0] if stranger else np.rot90(pictures[symbol], turn)
        )
        crops.append(view(rng, shown, photo))
        classes.append(NONE if stranger else TURNS * symbol + turn)
    shows = np.array(classes)
    return Board(
        np.stack(crops),
        np.full(stones, UNKNOWN) if strange_light or foreign else shows,
        np.where(shows == NONE, UNKNOWN, turn),
        np.full(2, np.nan, np.float32) if printed else photo.tint,
    )


def batches_of(art: ArtSource, boards: int, seed: int) -> Batches:
    """Batches of about so many photos of nine stones."""
    ours = SetPainter(art, BENT, mixed=MIXED)
    anything = replace(art, symbols=dict.fromkeys(art.symbols, (*art.mono, *art.colour)))
    others = SetPainter(anything, BENT)

    def draw(rng: np.random.Generator) -> Arrays:
        stones = STONES if rng.random() < 0.7 else int(rng.integers(1, STONES))
        drawn = []
        for _ in range(boards * STONES // stones):
            foreign = bool(rng.random() < FOREIGN)
            drawn.append(draw_board(rng, others if foreign else ours, stones, foreign=foreign))
        return stacked(drawn)

    return Batches(draw, seed)


def validate(net: StonesNet, painter: SetPainter, boards: int = 60) -> tuple[float, float, float]:
    """Shares of right symbols, and of right symbols and turns, on held-out icons.

    Also the mean error of the tint of red and blue in light of any colour.
    """
    net.eval()
    rng = np.random.default_rng(5)
    plain, coloured = (
        [draw_board(rng, painter, STONES, False, share) for _ in range(boards)]
        for share in (0.0, 1.0)
    )
    classes = np.stack([board.classes for board in plain])
    with torch.no_grad():
        log_p = net.boards(torch.from_numpy(np.stack([board.crops for board in plain])))
        tints = np.stack([net(torch.from_numpy(board.crops))[1].numpy() for board in coloured])
    best = log_p[..., :NONE].argmax(2).numpy()
    off = np.abs(tints - np.stack([board.tint for board in coloured])).mean()
    net.train()
    return (
        float((best // TURNS == classes // TURNS).mean()),
        float((best == classes).mean()),
        float(off),
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("bank", type=Path)
    add_training_options(parser, minutes=80.0, rate=1.5e-3, seed=11)
    parser.add_argument("--boards", type=int, default=26, help="photos of nine stones a batch")
    parser.add_argument(
        "--symbols", type=Path, help="bank of more pictures that could stand for the symbols"
    )
    parser.add_argument(
        "--start-size", type=int, nargs=2, default=SIZE, metavar=("EXPANSION", "FURTHER"),
        help="width and depth of the start's blocks",
    )  # fmt: skip
    args = parser.parse_args()
    icons = load_bank(args.bank)
    painter = SetPainter(ArtSource.of(icons, "validation"))
    art = ArtSource.of(icons, "training")
    if args.symbols:
        art = art.with_symbols(load_bank(args.symbols))
    net = train(
        partial(StonesNet, start_size=tuple(args.start_size)),
        batches_of(art, args.boards, args.seed),
        lambda net: validate(net, painter),
        250,
        args,
    )
    print("validation", validate(net, painter, 200))


if __name__ == "__main__":
    main()

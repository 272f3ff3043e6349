"""Runs the networks. The one module that imports onnxruntime: arrays in, arrays out."""

import math
import os
from functools import cache

import numpy as np
import numpy.typing as npt
import onnxruntime

from models.registry import graph

Floats = npt.NDArray[np.float32]
Images = npt.NDArray[np.uint8]

CROP_PX = 64
"""Side of a crop of one piece, place or cell, as the networks that see such crops were trained."""
MOST_AT_ONCE = 36
"""Crops that a network sees at once if it judges each alone, as many as a season board has cells.
The activations of more do not fit into the processor's cache: each crop then takes two to three
times as long."""
VECTOR_SIZE = 128
"""Numbers of a vector of the embedding network."""


def threads() -> int:
    """Threads of one network: OMP_NUM_THREADS, or two at most, for more gain nothing."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    return int(given) if given.isdigit() and int(given) else min(2, os.cpu_count() or 1)


class Network:
    """One loaded network.

    Parameters
    ----------
    name : str
        Its name in the manifest.
    head : str
        Which of its heads answers, if it has several.
    """

    def __init__(self, name: str, head: str = "") -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads()
        options.enable_cpu_mem_arena = False
        # phones share the processor
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(graph(name, head)), options, providers=["CPUExecutionProvider"]
        )
        self._input = self._session.get_inputs()[0].name

    def __call__(self, images_rgb: Images) -> Floats:
        """Run uint8 RGB images (n, h, w, 3); the network fixes the shape of the answer."""
        return self.answers(images_rgb)[0]

    def each_alone(self, images_rgb: Images) -> Floats:
        """What a call answers, for a network that judges each image alone: a few at a time."""
        parts = np.array_split(images_rgb, math.ceil(len(images_rgb) / MOST_AT_ONCE))
        return np.concatenate([self(part) for part in parts])

    def answers(self, images_rgb: Images) -> list[Floats]:
        """All answers of a network that has several."""
        answers = self._session.run(None, {self._input: images_rgb})
        return [np.asarray(answer, np.float32) for answer in answers]


@cache
def network(name: str, head: str = "") -> Network:
    """The network of that name with that head, loaded once a process."""
    return Network(name, head)


def detect(image_rgb: Images) -> Floats:
    """Piece centres and corners.

    Parameters
    ----------
    image_rgb : ndarray of shape (H, W, 3), dtype uint8
        H and W multiples of 32.

    Returns
    -------
    ndarray of shape (H/4, W/4, 9), dtype float32
        Probability that a piece's centre lies there, then the four corners (x, y) clockwise
        relative to that place, in units of 32 pixels.
    """
    return np.asarray(network("finder", "pieces_found")(image_rgb[None])[0], np.float32)


def find_cards(image_rgb: Images) -> tuple[Floats, Floats]:
    """The answer of ``detect``, and the same for pattern cards: (H/8, W/8, 9), in units of 64
    pixels."""
    pieces, cards = network("finder", "cards_found").answers(image_rgb[None])
    return pieces[0], cards[0]


def refine(crops_rgb: Images) -> tuple[Floats, Floats]:
    """Probability of a piece in crops (n, 48, 48, 3); its corners' offsets (n, 4, 2) in sides."""
    if not len(crops_rgb):
        return np.zeros(0, np.float32), np.zeros((0, 4, 2), np.float32)
    raw = network("refiner").each_alone(crops_rgb)
    return raw[:, 0], raw[:, 1:].reshape(-1, 4, 2)


def embed(crops_rgb: Images) -> Floats:
    """Unit vectors (n, VECTOR_SIZE) of crops (n, 64, 64, 3); alike faces have a scalar product near
    1."""
    if not len(crops_rgb):
        return np.zeros((0, VECTOR_SIZE), np.float32)
    return network("embedding").each_alone(crops_rgb)


def read_stones(crops_rgb: Images) -> tuple[Floats, Floats]:
    """What crops (n, 64, 64, 3) of stones in one photo show, and in which light.

    Returns
    -------
    ndarray of shape (2, n, 33)
        Log probabilities, judged all together and each alone. Class ``4 * symbol + turn`` is one of
        STONE_SYMBOLS turned counterclockwise by ``turn`` quarters, the last class is everything
        else.
    ndarray of shape (2,)
        By how much more of red and of blue than of green the light holds (natural logarithms).
    """
    if not len(crops_rgb):
        return np.zeros((2, 0, 4 * len(STONE_SYMBOLS) + 1), np.float32), np.zeros(2, np.float32)
    log_p, tint = network("stones").answers(crops_rgb)
    return log_p, tint


def read_season_cells(crops_rgb: Images) -> Floats:
    """Log probabilities (36, 34) of the cells (36, 64, 64, 3) of a season board, row by row.

    Class 0 is an empty cell, class 1 a tile, class ``2 + (2 * (digit - 1) + framed) * 4 + turn`` a
    number turned counterclockwise by quarters. The cells are judged together, each in its place.
    """
    return network("cells", "printed")(crops_rgb)


def read_places(crops_rgb: Images) -> Floats:
    """Log probabilities (n, 2) of table and piece on the places (n, 64, 64, 3) of one photo.

    Each is seen with 0.35 of its side around it; all are judged together.
    """
    if not len(crops_rgb):
        return np.zeros((0, 2), np.float32)
    return network("cells", "held")(crops_rgb)


STONE_SYMBOLS = ("sun", "moon", "fish", "bird", "horse", "boat", "seed", "tree")
"""Order of the symbols in the answer of ``read_stones``."""


def read_cards(crops_rgb: Images) -> tuple[Floats, Floats]:
    """Log probabilities of what flattened cards (n, 96, 96, 3) show.

    Returns
    -------
    ndarray of shape (n, CARD_SPOTS, CARD_SPOTS, classes)
        What each spot shows if the card is upright: a symbol of STONE_SYMBOLS, a grey cell, the
        ground, the digit of CARD_POINTS.
    ndarray of shape (n, 5)
        The card turned counterclockwise by 0 to 3 quarters, or no card that fills the crop.
    """
    classes = len(STONE_SYMBOLS) + 2 + len(CARD_POINTS)
    spots = CARD_SPOTS * CARD_SPOTS * classes
    if not len(crops_rgb):
        return np.zeros((0, CARD_SPOTS, CARD_SPOTS, classes), np.float32), np.zeros(
            (0, 5), np.float32
        )
    raw = network("card-reader").each_alone(crops_rgb)
    return raw[:, :spots].reshape(-1, CARD_SPOTS, CARD_SPOTS, classes), raw[:, spots:]


CARD_SPOTS = 24
"""Spots along each side of a card in the answer of ``read_cards``."""
CARD_POINTS = (1, 2, 3, 5)
"""Order of the printed values in the answer of ``read_cards``."""

"""How good a photo is for reading, and what to do about it in one sentence.

Everything is measured on a small picture of the located board, so that it costs a few
milliseconds at most; only a photo that was refused is looked at by the detector once more.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from scorer.notation import in_words
from scorer.text import Text, both, listed
from vision.boards import BoardSpec
from vision.errors import BoardNotFound
from vision.find.detect import CLOSER_PX, DETECTOR_PX, detect_pieces, resized
from vision.find.lattice import fit_lattices
from vision.geometry import Floats, Images, mean_edges, shares_in_photo, sides
from vision.photo import TOO_SMALL, Photo

BOARD_CELL_PX = 32.0
"""Side of a cell in the picture that is measured."""
WHOLE_PX = 384
"""Long side of the picture that is measured where no board was found; none is enlarged to it."""
DARK_LEVEL = 42.0
"""Grey level of the brightest tenth below which a board is too dark to be read well."""
NO_LIGHT_LEVEL = 28.0
"""The same for a whole photo that shows nothing."""
BLUR_LEVEL = 14.0
"""A board is blurred if its strongest edges are below this percentage of its bright tenth."""
NO_EDGES_LEVEL = 3.0
"""The same for a whole photo that shows nothing."""
FAR_SIDE_PX = 18.0
"""Side of a cell, in pixels of the photo as it is read, below which the camera was too far."""
OBLIQUE_DEGREES = 58.0
"""How far from straight above the camera may be; 90 is level with the table."""
OUTSIDE_SIDES = 0.12
"""How far a cell may lie outside the photo, in parts of its side."""
BURNT_LEVEL = 250
"""A pixel whose three channels all reach this shows no print."""
BURNT_SHARE = 0.4
"""Share of burnt pixels from which glare hides a cell."""
MOST_HIDDEN = 0.2
"""Share of hidden cells from which a photo is refused for glare."""
ABOVE_OTHERS = 0.25
"""A cell has glare if it is burnt by this much more than the median cell: paper is none."""
GLARE_SHARE = 0.06
"""Share of burnt pixels in a refused photo from which glare is the likeliest reason."""
LEAST_PIECES = 3
"""Fewest pieces in a line or group that tell something about a photo without a board."""
LEAST_SIDE_PX = LEAST_PIECES * FAR_SIDE_PX
"""Long side of a photo below which no row of pieces in it can be large enough."""
SAMPLES = 12
"""Points along each side of a cell at which burnt pixels are counted."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardQuality:
    """What the photo of a board is like.

    Attributes
    ----------
    brightness : grey level of the brightest tenth, 0 to 255.
    sharpness : strongest edges in percent of the brightness.
    side_px : median side of a cell, in pixels of the photo as it is read.
    slant_degrees : how far from straight above; 0 where the shape of a piece is not known.
    outside : numbers of the cells that are cut off.
    burnt : share of burnt pixels of each cell, shape (n,).
    in_photo : share of each cell that the photo shows, shape (n,).
    """

    brightness: float
    sharpness: float
    side_px: float
    slant_degrees: float
    outside: tuple[int, ...]
    burnt: Floats
    in_photo: Floats

    @property
    def glaring(self) -> tuple[int, ...]:
        """Numbers of the cells that are burnt out by glare."""
        limit = max(BURNT_SHARE, float(np.median(self.burnt)) + ABOVE_OTHERS)
        return tuple(int(i) for i in np.flatnonzero(self.burnt > limit))


def light_and_edges(image_bgr: Images) -> tuple[float, float]:
    """Grey level of the brightest tenth, and the strongest edges (99th percentile of the Laplacian)
    in percent of it."""
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    bright = float(np.percentile(grey, 90))
    strongest = float(np.percentile(np.abs(cv2.Laplacian(grey, cv2.CV_16S)), 99))
    return bright, strongest / max(bright, 1.0) * 100


def board_quality(image_bgr: Images, quads_xy: Floats, aspect: float | None) -> BoardQuality:
    """Measure the cells of a board.

    Parameters
    ----------
    quads_xy : ndarray of shape (n, 4, 2), clockwise from each piece's own top left, in pixels of
        the image.
    aspect : width over height of a piece; None if not known.
    """
    h, w = image_bgr.shape[:2]
    side = float(np.median(sides(quads_xy)))
    low = np.clip(np.floor(quads_xy.min((0, 1))), 0, (w - 2, h - 2)).astype(int)
    high = np.clip(np.ceil(quads_xy.max((0, 1))), low + 2, (w, h)).astype(int)
    # whole pixels to a pixel, which is several times as fast as parts of them
    shrink = max(1, min(round(side / BOARD_CELL_PX), *((high - low) // 2).tolist()))
    size = tuple(((high - low) // shrink).tolist())
    part = image_bgr[low[1] : low[1] + size[1] * shrink, low[0] : low[0] + size[0] * shrink]
    small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    # a tenth of the time that NumPy takes for the least of three
    blue, green, red = cv2.split(small)
    burnt = np.asarray(cv2.min(cv2.min(blue, green), red)) >= BURNT_LEVEL
    at = (_inner_points(quads_xy) - low + 0.5) / shrink
    cols = np.clip(at[..., 0], 0, size[0] - 1).astype(int)
    rows = np.clip(at[..., 1], 0, size[1] - 1).astype(int)
    reach = OUTSIDE_SIDES * side
    beyond = (quads_xy < -reach).any((1, 2)) | (quads_xy > np.array([w, h]) - 1 + reach).any((1, 2))
    return BoardQuality(
        *light_and_edges(small),
        side,
        slant(quads_xy, aspect),
        tuple(int(i) for i in np.flatnonzero(beyond)),
        burnt[rows, cols].mean(1).astype(np.float32),
        shares_in_photo(quads_xy, (h, w)),
    )


def _inner_points(quads_xy: Floats) -> Floats:
    """Points spread over the inner part of each quad, shape (n, SAMPLES ** 2, 2)."""
    along = np.linspace(0.08, 0.92, SAMPLES)
    u, v = (axis.ravel()[:, None] for axis in np.meshgrid(along, along))
    weights = np.concatenate([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], 1)
    return np.asarray(np.einsum("pk,nkd->npd", weights, quads_xy), np.float32)


def slant(quads_xy: Floats, aspect: float | None) -> float:
    """Degrees between the view and straight above, by how much the median piece is squeezed."""
    if aspect is None:
        return 0.0
    right, down = mean_edges(quads_xy)
    values = np.linalg.svd(np.stack([right / aspect, down], 2), compute_uv=False)
    ratio = values[:, 1] / np.maximum(values[:, 0], 1e-6)
    return float(np.degrees(np.arccos(np.clip(np.median(ratio), 0, 1))))


def advice(quality: BoardQuality, places: list[tuple[int, int]]) -> tuple[Text, ...]:
    """What is wrong with a photo of a board and what to do."""
    found = []
    if quality.glaring:
        where = named([places[i] for i in quality.glaring])
        found.append(
            Text(
                "There is glare on %(where)s: tilt the phone a little, or move the lamp.",
                where=where,
            )
        )
    if quality.outside:
        where = named([places[i] for i in quality.outside])
        found.append(
            Text(
                "The photo cuts off %(where)s: step back until the whole board is in it.",
                where=where,
            )
        )
    if quality.brightness < DARK_LEVEL:
        found.append(Text("The photo is dark: switch on a light."))
    if quality.side_px < FAR_SIDE_PX:
        found.append(Text("The pieces are very small in the photo: go nearer."))
    elif quality.sharpness < BLUR_LEVEL:
        found.append(Text("The photo is blurred: hold still and tap the board to focus."))
    if quality.slant_degrees > OBLIQUE_DEGREES:
        found.append(
            Text("The photo was taken from very low: hold the phone more above the board.")
        )
    return tuple(found)


def named(places: list[tuple[int, int]]) -> str:
    """Cells in words, whole rows or columns where that is shorter.

    >>> named([(1, 0), (1, 2)]), named([(0, 2), (1, 2)]), named([(0, 0)]), named([(0, 0), (1, 1)])
    ('row 2', 'column 3', 'row 1 column 1', 'row 1 column 1 and row 2 column 2')
    """
    rows, cols = {row for row, _ in places}, {col for _, col in places}
    if len(places) > 1 and len(rows) == 1:
        return Text("row %(row)s", row=rows.pop() + 1)
    if len(places) > 1 and len(cols) == 1:
        return Text("column %(col)s", col=cols.pop() + 1)
    if len(places) > 3:
        return Text("rows %(rows)s", rows=", ".join(str(row + 1) for row in sorted(rows)))
    words = [in_words(place) for place in places]
    return both([listed(words[:-1]), words[-1]] if len(words) > 1 else words)


def nothing_to_see(image_bgr: Images) -> BoardNotFound | None:
    """Why a photo shows nothing: too small, too dark or blurred; None if something can be seen."""
    h, w = image_bgr.shape[:2]
    if max(h, w) < LEAST_SIDE_PX:
        return BoardNotFound("too_small", TOO_SMALL, w=w, h=h)
    bright, edges = light_and_edges(resized(image_bgr, min(WHOLE_PX, max(h, w)))[0])
    if bright < NO_LIGHT_LEVEL:
        return BoardNotFound(
            "too_dark",
            "The photo is too dark to make out the board: switch on a light and try again.",
        )
    if edges < NO_EDGES_LEVEL:
        return BoardNotFound(
            "blurred", "The photo is blurred: hold still, tap the board to focus and try again."
        )
    return None


def too_far() -> BoardNotFound:
    """The refusal of a photo whose pieces are too small."""
    return BoardNotFound(
        "too_far", "The pieces are too small in the photo: go nearer and try again."
    )


def why_refused(photo: Photo, spec: BoardSpec, error: BoardNotFound) -> BoardNotFound:
    """The likeliest reason why no board was found or known; else the error itself."""
    if error.code not in ("no_board", "unknown_pieces", "too_dark", "blurred"):
        return error
    unseen = nothing_to_see(photo.image_bgr)
    if unseen is not None and unseen.code == "too_dark":
        return unseen
    if error.code == "no_board" and max(photo.full_hw) < DETECTOR_PX:
        h, w = photo.full_hw
        error = BoardNotFound("too_small", TOO_SMALL, w=w, h=h)
    pieces = _pieces(photo.image_bgr, spec)
    if pieces is None:
        if unseen is not None:
            return unseen
        small, _ = resized(photo.image_bgr, WHOLE_PX)
        if float((small.min(2) >= BURNT_LEVEL).mean()) > GLARE_SHARE:
            return BoardNotFound(
                "glare",
                "Glare hides the board: tilt the phone a little or move the lamp, and try again.",
            )
        return error
    quality = board_quality(photo.image_bgr, pieces, spec.aspect)
    if quality.brightness < DARK_LEVEL:
        return BoardNotFound(
            "too_dark", "The board is too dark to be read: switch on a light and try again."
        )
    if quality.side_px < FAR_SIDE_PX and error.code != "too_small":
        return too_far()
    if quality.sharpness < BLUR_LEVEL:
        return BoardNotFound(
            "blurred", "The photo is blurred: hold still, tap the board to focus and try again."
        )
    if quality.slant_degrees > OBLIQUE_DEGREES:
        return BoardNotFound(
            "too_oblique",
            "The photo was taken from too low: hold the phone above the board and try again.",
        )
    if float((quality.burnt > BURNT_SHARE).mean()) > MOST_HIDDEN:
        return BoardNotFound(
            "glare", "Glare hides pieces: tilt the phone a little or move the lamp, and try again."
        )
    side = _side_of_photo(pieces, photo.image_bgr.shape[:2])
    if error.code == "no_board" and side is not None:
        return BoardNotFound(
            "cut_off",
            "The board is cut off %(side)s of the photo: step back until all of it "
            "is in, and try again.",
            side=side,
        )
    return error


def _pieces(image_bgr: Images, spec: BoardSpec) -> Floats | None:
    """The largest group of pieces that lie like a grid, of whatever size; shape (n, 4, 2)."""
    small, shrink = resized(image_bgr, CLOSER_PX)
    quads, scores = detect_pieces(np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2RGB), np.uint8))
    loose = replace(
        spec, rows=(1, 32), cols=(1, 32), empty=True, printed_cells=False, connected=False
    )
    lattices = fit_lattices((quads * shrink).astype(np.float32), scores, loose)
    best = max(lattices, key=lambda lattice: len(lattice.cells), default=None)
    if best is None or len(best.cells) < LEAST_PIECES:
        return None
    return np.stack(list(best.cells.values()))


def _side_of_photo(quads_xy: Floats, hw: tuple[int, int]) -> Text | None:
    """The edge of the photo at which a group of pieces ends, if it does: within half a piece."""
    side = float(np.median(sides(quads_xy)))
    low, high = quads_xy.min((0, 1)), quads_xy.max((0, 1))
    room = {
        Text("at the left"): low[0],
        Text("at the top"): low[1],
        Text("at the right"): hw[1] - 1 - high[0],
        Text("at the bottom"): hw[0] - 1 - high[1],
    }
    edge = min(room, key=lambda name: room[name])
    return edge if room[edge] < 0.5 * side else None

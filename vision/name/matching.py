"""Template matching of fine detail by normalised cross correlation.

Light that falls evenly on a piece does not change a correlation. The product of two spectra gives
correlations for all shifts at once (Lewis 1995). Those of the lessons' pictures are made only once.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry import Floats, Images, Spectra
from vision.probability import Doubles

DETAIL_PX = 48
"""Side of a picture whose detail is compared."""
NOISE_PX, LIGHT_PX = 1.0, 4.0
"""Sigmas of the Gaussians between which detail lies, in pixels of such a picture: what is finer is
noise, what is coarser is mostly light."""
MARGIN, PRINTED_MARGIN = 1 / 8, 1 / 3
"""Share of the side that is left out along each edge: a crop shows what lies around a piece, too,
and a frame may hide all but the middle of a printed cell."""
MOST_SHIFT = 0.2
"""How far detail may be shifted within its margin, in shares of the side."""
MOST_ALIKE = 0.999
"""Greatest correlation that is believed."""
LEAST_DETAIL = 0.01
"""A picture that nowhere differs by so many grey levels from what lies around shows nothing: it may
be burnt out to white."""


def detail_of(crop_rgb: Images) -> Floats:
    """Fine detail (DETAIL_PX, DETAIL_PX, 3) of a crop (s, s, 3): by how many grey levels it differs
    from what lies around."""
    small = cv2.resize(crop_rgb, (DETAIL_PX, DETAIL_PX), interpolation=cv2.INTER_AREA)
    clean = cv2.GaussianBlur(small.astype(np.float32), (0, 0), NOISE_PX)
    return np.asarray(clean - cv2.GaussianBlur(clean, (0, 0), LIGHT_PX), np.float32)


def template_of(detail: Floats, printed: bool) -> Spectra:
    """Spectrum (3, w, w // 2 + 1) of detail (s, s, 3) without its margin, as a template of pieces
    or of what is ``printed``; all 0 if it shows nothing."""
    edge, shift = _margins(printed)
    inner = detail[edge : DETAIL_PX - edge, edge : DETAIL_PX - edge]
    template = inner - inner.mean((0, 1))
    if np.abs(inner).max() < LEAST_DETAIL:
        template[:] = 0
    template /= max(float(np.linalg.norm(template)), LEAST_DETAIL)
    size = len(inner) + 2 * shift
    spectrum = np.fft.rfft2(template.transpose(2, 0, 1), (size, size))
    return np.asarray(np.conj(spectrum), np.complex64)


def correlations(crops: Sequence[Floats], templates: Spectra, printed: bool) -> Doubles:
    """Greatest correlation, 0 to MOST_ALIKE, of the detail (s, s, 3) of one of the crops with each
    of the templates (k, 3, w, w // 2 + 1), shape (k,)."""
    edge, shift = _margins(printed)
    around = slice(edge - shift, DETAIL_PX - edge + shift)
    side, shifts = DETAIL_PX - 2 * edge, 2 * shift + 1
    found = np.zeros(len(templates))
    for crop in crops:
        part = np.ascontiguousarray(crop[around, around])
        spectrum = np.fft.rfft2(np.ascontiguousarray(part.transpose(2, 0, 1)))
        red, green, blue = (spectrum * templates).transpose(1, 0, 2, 3)
        alike = np.fft.irfft2(red + green + blue, part.shape[:2])
        alike = alike[:, :shifts, :shifts] / _lengths(part, side)
        found = np.maximum(found, alike.max((1, 2)))
    return np.minimum(found, MOST_ALIKE)


def _margins(printed: bool) -> tuple[int, int]:
    """Pixels along each edge of a template that are left out, and that it may be shifted by."""
    edge = round((PRINTED_MARGIN if printed else MARGIN) * DETAIL_PX)
    return edge, min(edge, round(MOST_SHIFT * DETAIL_PX))


def _lengths(part: Floats, side: int) -> Doubles:
    """Length of each square of a part (w, w, 3) without the means of its channels, by where it
    begins, shape (w - side + 1, w - side + 1); infinite if it shows nothing."""
    sums, squares = (np.asarray(table, np.float64) for table in cv2.integral2(part))

    def over(table: Doubles) -> Doubles:
        rows = table[side:] - table[:-side]
        return np.asarray(rows[:, side:] - rows[:, :-side], np.float64)

    energy = (over(squares) - over(sums) ** 2 / side**2).sum(2)
    least = (LEAST_DETAIL * side) ** 2
    return np.where(energy < least, np.inf, np.sqrt(np.maximum(energy, least)))

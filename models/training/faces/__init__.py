"""Draws the faces of invented tile and card sets, in as many art styles as games come in.

A *set* is what one box holds: faces that share a style and differ in picture, colour, count, fill
or turn. Near misses are drawn on purpose: one picture in two colours, one colour with two pictures,
one shape more, a face turned.
"""

from models.training.faces.drawing import FACE_PX, Image, fractal_noise
from models.training.faces.painter import SetPainter, held_out_painter, outlined
from models.training.faces.sources import ArtSource

__all__ = [
    "FACE_PX",
    "ArtSource",
    "Image",
    "SetPainter",
    "fractal_noise",
    "held_out_painter",
    "outlined",
]

"""Whether pieces of two photos look the same, as one that nobody has touched does."""

import numpy as np

from models.session import CROP_PX, embed
from vision.doubts import SAME_LOOK
from vision.geometry import Floats, Pyramid
from vision.photo import LEAST_LONG_SIDE, decode_photo


def look_the_same(one: bytes, one_xy: Floats, other: bytes, other_xy: Floats) -> list[bool]:
    """For each pair of quads (n, 4, 2), in pixels of two upright pictures, whether it is likely
    one piece. Raises ``vision.errors.PhotoRejected``."""
    vectors = []
    for data, quads in ((one, one_xy), (other, other_xy)):
        photo = decode_photo(data, LEAST_LONG_SIDE)
        crops = Pyramid(photo.image_rgb).crops(photo.from_full(quads), CROP_PX)
        vectors.append(embed(crops))
    return [bool(alike >= SAME_LOOK) for alike in np.einsum("nd,nd->n", *vectors)]

"""How the networks are run."""

import numpy as np
import pytest

from models import session
from models.session import CROP_PX, MOST_AT_ONCE, Floats, Images, Network


@pytest.mark.parametrize("count", [1, MOST_AT_ONCE, MOST_AT_ONCE + 1, 3 * MOST_AT_ONCE - 1])
def test_many_crops_are_seen_a_few_at_a_time(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their answers are in the order of the crops, and those of all at once."""
    crops = np.random.default_rng(0).integers(0, 256, (count, CROP_PX, CROP_PX, 3), np.uint8)
    at_once = session.network("embedding")(crops)
    sizes = []
    answers = Network.answers

    def counted(self: Network, images_rgb: Images) -> list[Floats]:
        sizes.append(len(images_rgb))
        return answers(self, images_rgb)

    monkeypatch.setattr(Network, "answers", counted)
    np.testing.assert_allclose(session.embed(crops), at_once, atol=1e-5)
    assert max(sizes) <= MOST_AT_ONCE
    assert min(sizes) >= MOST_AT_ONCE // 2 or count == 1
    assert sum(sizes) == count


def test_of_no_crops_nothing_is_asked() -> None:
    nothing = np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8)
    assert session.embed(nothing).shape == (0, session.VECTOR_SIZE)
    presence, offsets = session.refine(nothing)
    assert (presence.shape, offsets.shape) == ((0,), (0, 4, 2))

"""What stands in for a part of the pipeline can be called as that part is."""

import inspect

import pytest

from calibration.measuring.ablations import PARTS, as_guessed
from vision.find import detect


def test_what_stands_in_for_refinement_is_called_like_it() -> None:
    assert (
        inspect.signature(as_guessed).parameters.keys()
        == inspect.signature(detect.refine_quads).parameters.keys()
    )


@pytest.mark.parametrize("part", PARTS)
def test_every_part_that_is_taken_out_is_there_to_be_taken_out(part: str) -> None:
    for change in PARTS[part]():
        with change:
            pass

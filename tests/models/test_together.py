"""A network that judges a photo's crops together learns from batches that others draw."""

import argparse
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `training` is not installed")
pytest.importorskip("onnx", reason="the extra `training` is not installed")

from models.training.schedule import Arrays, Batches, keep, low_precision  # noqa: E402
from models.training.together import TogetherNet, add_training_options, train  # noqa: E402

CLASSES, PHOTOS, CROPS = 3, 2, 4


def draw(rng: np.random.Generator) -> Arrays:
    """Photos of crops in three colours."""
    classes = rng.integers(CLASSES, size=(PHOTOS, CROPS))
    crops = np.zeros((PHOTOS, CROPS, 64, 64, 3), np.uint8)
    crops[..., :] = 255 * np.eye(CLASSES, dtype=np.uint8)[classes][:, :, None, None]
    return crops, classes


def test_it_trains_from_a_checkpoint_and_saves_what_it_was_validated_as(tmp_path: Path) -> None:
    start, out = tmp_path / "start.pt", tmp_path / "out.pt"
    torch.save({"net": TogetherNet(CLASSES, 0.0).state_dict()}, start)
    parser = argparse.ArgumentParser()
    add_training_options(parser, minutes=1.0, rate=1e-3, seed=3)
    args = parser.parse_args([str(start), str(out), "--steps", "4", "--workers", "2"])
    validated = []

    def validate(net: TogetherNet) -> None:
        validated.append({name: value.clone() for name, value in net.state_dict().items()})

    net = train(lambda: TogetherNet(CLASSES, 0.0), Batches(draw, 5), validate, 4, args)
    saved = torch.load(out)["net"]
    assert len(validated) == 1
    for name, value in net.state_dict().items():
        assert value.device.type == "cpu"
        assert torch.equal(saved[name], value)
        assert torch.equal(validated[0][name], value)
    before = torch.load(start)["net"]
    assert not torch.equal(before["classify.weight"], saved["classify.weight"])


def test_a_checkpoint_stays_until_the_next_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer, out = torch.nn.Linear(2, 2), tmp_path / "out.pt"
    keep(layer, out)
    before = out.read_bytes()

    def half(_checkpoint: object, path: Path) -> None:
        path.write_bytes(before[: len(before) // 2])
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as full:
        full.setattr(torch, "save", half)
        with pytest.raises(RuntimeError):
            keep(layer, out)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]
    keep(layer, out)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(("able", "kind"), [(False, "float32"), (True, "bfloat16")])
def test_networks_compute_in_what_the_processor_has_instructions_for(
    able: bool, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": able})
    layer = torch.nn.Linear(2, 2)
    with low_precision("cpu"):
        assert layer(torch.zeros(1, 2)).dtype == getattr(torch, kind)

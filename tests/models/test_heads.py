"""Networks with several heads: none disturbs another."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from models.session import network

torch = pytest.importorskip("torch", reason="the extra `training` is not installed")
onnx = pytest.importorskip("onnx", reason="the extra `training` is not installed")
pytest.importorskip("cairosvg", reason="the extra `training` is not installed")

from models.training.cells import CELLS, CLASSES, CellsNet  # noqa: E402
from models.training.export import EXPORTED, store_once  # noqa: E402
from models.training.finder import FinderNet  # noqa: E402
from models.training.places import PlacesNet  # noqa: E402
from models.training.start import load_start  # noqa: E402

WEIGHTS = Path(__file__).parents[2] / "models" / "weights"
RANDOM = torch.Generator().manual_seed(7)


def pictures(*shape: int) -> torch.Tensor:
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=RANDOM)


def test_cards_are_learnt_and_pieces_found_as_before() -> None:
    net, photo = FinderNet().train(), pictures(2, 96, 64, 3)
    net.detector.requires_grad_(False)
    before, cards = net.pieces_found(photo), net.card_logits(photo)
    optimiser = torch.optim.AdamW(net.parameters(), lr=0.1)
    cards.square().mean().backward()
    optimiser.step()
    assert torch.equal(net.pieces_found(photo), before)
    assert not torch.equal(net.card_logits(photo), cards)


@pytest.mark.parametrize(
    ("name", "net", "count"), [("finder", FinderNet, 1), ("cells", PlacesNet, CELLS)]
)
def test_training_goes_on_from_what_is_shipped(name: str, net: type, count: int) -> None:
    """Every head answers as the exported one, and weights that heads share are in one file."""
    started, crops = net(), pictures(count, 64, 64, 3)
    (shipped,) = WEIGHTS.glob(f"{name}-*.weights")
    load_start(started, shipped, crops)
    started.eval()
    for head in EXPORTED[name].heads:
        with torch.no_grad():
            wanted = getattr(started, head)(crops)
        answers = network(name, head).answers(crops.numpy())
        for want, answer in zip(wanted if len(answers) > 1 else [wanted], answers, strict=True):
            np.testing.assert_allclose(answer, want.numpy(), atol=2e-3)


def test_a_network_starts_from_those_shipped_heads_that_it_has() -> None:
    (shipped,) = WEIGHTS.glob("cells-*.weights")
    started, crops = CellsNet(), pictures(CELLS, 64, 64, 3)
    load_start(started, shipped, crops)
    with torch.no_grad():
        read = started.eval()(crops)
    (answer,) = network("cells", "printed").answers(crops.numpy())
    np.testing.assert_allclose(answer, read.numpy(), atol=2e-3)
    with pytest.raises(ValueError, match=r"expected a FinderNet in 'cells-.*', found none"):
        load_start(FinderNet(), shipped, crops)


def test_what_graphs_share_is_kept_once(tmp_path: Path) -> None:
    weights = np.random.default_rng(4).normal(0, 1, (16, 8)).astype(np.float32)
    models = {str(k): layer(weights, bias) for k, bias in enumerate((0.5, -1.0))}
    kept = store_once(models.values(), "both.weights")
    assert len(kept) == weights.nbytes
    (tmp_path / "both.weights").write_bytes(kept)
    for k, bias in enumerate((0.5, -1.0)):
        (tmp_path / f"{k}.onnx").write_bytes(models[str(k)].SerializeToString())
        session = onnxruntime.InferenceSession(tmp_path / f"{k}.onnx")
        given = np.ones((3, 16), np.float32)
        (answer,) = session.run(None, {"x": given})
        np.testing.assert_allclose(answer, given @ weights + bias, rtol=1e-5)


def layer(weights: np.ndarray, bias: float) -> Any:
    """A model of one layer."""
    helper, (rows, cols) = onnx.helper, weights.shape
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"]),
        helper.make_node("Add", ["product", "b"], ["out"]),
    ]
    ends = [
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", size])]
        for name, size in (("x", rows), ("out", cols))
    ]
    stored = [
        onnx.numpy_helper.from_array(weights, "w"),
        onnx.numpy_helper.from_array(np.float32([bias]), "b"),
    ]
    graph = helper.make_graph(nodes, "one layer", *ends, stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_cells_and_places_learn_at_once_from_the_same_features() -> None:
    net = PlacesNet()
    cells, places = pictures(1, CELLS, 64, 64, 3), pictures(2, 5, 64, 64, 3)
    loss = net.loss(
        cells, torch.ones((1, CELLS), dtype=torch.long), places, torch.ones((2, 5)).long()
    )
    loss.backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    net.eval()
    printed, held = net(cells[0])
    assert printed.shape == (CELLS, CLASSES)
    assert held.shape == (CELLS, 2)
    assert torch.allclose(net.held(cells[0]), held, atol=1e-5)

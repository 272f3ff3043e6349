"""A larger network starts from a smaller one, and keeps its answers in eight bits."""

import numpy as np
import onnxruntime as ort
import pytest

torch = pytest.importorskip("torch", reason="the extra `training` is not installed")
onnx = pytest.importorskip("onnx", reason="the extra `training` is not installed")

from models.training.cards import START_SIZE, CardReaderNet  # noqa: E402
from models.training.embedding import crop_features, grow  # noqa: E402
from models.training.export import store_in_eight_bits  # noqa: E402
from models.training.faces.sources import CLOSE_COLOURS, stone_colours  # noqa: E402
from models.training.mean import mean_weights  # noqa: E402
from models.training.stones import NONE, opinion_loss  # noqa: E402

CROPS = torch.rand((12, 3, 64, 64), generator=torch.Generator().manual_seed(3)) * 2 - 1


def seen_once(features: torch.nn.Sequential) -> torch.nn.Sequential:
    """Features whose normalisations know some crops."""
    features.train()
    with torch.no_grad():
        features(CROPS)
    return features.eval()


@pytest.mark.parametrize("size", [(2, 0), (4, 0), (2, 1), (4, 2)])
def test_a_grown_network_answers_as_the_smaller_one(size: tuple[int, int]) -> None:
    torch.manual_seed(5)
    smaller, larger = seen_once(crop_features(2, 0)), seen_once(crop_features(*size))
    grow(larger, smaller)
    with torch.no_grad():
        assert torch.allclose(larger(CROPS), smaller(CROPS), atol=1e-5)


def test_a_grown_card_reader_answers_as_the_smaller_one() -> None:
    torch.manual_seed(5)
    crops = torch.randint(0, 256, (6, 96, 96, 3), dtype=torch.uint8)
    smaller, larger = CardReaderNet(START_SIZE).eval(), CardReaderNet().eval()
    assert sum(p.numel() for p in larger.parameters()) > 2 * sum(
        p.numel() for p in smaller.parameters()
    )
    grow(larger, smaller)
    with torch.no_grad():
        assert torch.allclose(larger(crops), smaller(crops), atol=1e-4)


def test_what_is_new_learns() -> None:
    larger = crop_features(4, 1)
    grow(larger, seen_once(crop_features(2, 0)))
    larger.train()
    larger(CROPS)[:, 0].sum().backward()
    for block in larger:
        for parameter in block.parameters():
            assert parameter.grad is not None
    new_block = larger[8]
    assert new_block.body[-1].weight.grad.abs().max() > 0


@pytest.mark.parametrize("layer_type", ["Gemm", "MatMul"])
def test_weights_in_eight_bits_give_nearly_the_same_vectors(layer_type: str) -> None:
    layer = np.random.default_rng(2).normal(0, 1, (8, 16)).astype(np.float32)
    layer[3] *= 0.01
    turned = layer_type == "Gemm"
    node = onnx.helper.make_node(
        layer_type, ["x", "w"], ["out"], **({"transB": 1} if turned else {})
    )
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            [node],
            "one layer",
            [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 16])],
            [onnx.helper.make_tensor_value_info("out", onnx.TensorProto.FLOAT, ["n", 8])],
            [onnx.numpy_helper.from_array(layer if turned else layer.T.copy(), "w")],
        ),
        opset_imports=[onnx.helper.make_opsetid("", 17)],
        ir_version=8,
    )
    store_in_eight_bits(model)
    assert {t.data_type for t in model.graph.initializer} == {
        onnx.TensorProto.INT8,
        onnx.TensorProto.FLOAT,
    }
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(None, {"x": np.eye(16, dtype=np.float32)})[0].T
    assert np.abs(found - layer).max(1) == pytest.approx(np.zeros(8), abs=0.02)
    assert np.abs(found - layer)[3].max() < 0.0002


def sure_of(*classes: int) -> torch.Tensor:
    """Log probabilities of one photo whose stones are each 90 % sure of a class."""
    p = torch.full((1, len(classes), NONE + 1), 0.1 / NONE)
    for n, shown in enumerate(classes):
        p[0, n, shown] = 0.9
    return p.log()


def test_stones_with_one_symbol_have_one_voice() -> None:
    # symbol 0 in turn 1 three times against symbols 1 and 2 in turn 0, each as sure
    classes = torch.tensor([[0, 0, 0, 4, 8]])
    said = opinion_loss(sure_of(1, 1, 1, 4, 8), classes)
    assert said == pytest.approx(
        opinion_loss(sure_of(1, 4, 8), classes[:, [0, 3, 4]]).item(), abs=1e-5
    )
    assert said < 0.05


def test_strangers_and_unknown_stones_have_no_voice() -> None:
    known = opinion_loss(sure_of(5, 9), torch.tensor([[5, 9]]))
    with_others = opinion_loss(sure_of(5, 9, 2, 3), torch.tensor([[5, 9, NONE, -1]]))
    assert with_others == pytest.approx(known.item(), abs=1e-6)


def test_the_mean_of_two_rounds_keeps_counts() -> None:
    one = {"weight": torch.tensor([1.0, 3.0]), "seen": torch.tensor(5)}
    other = {"weight": torch.tensor([3.0, 3.0]), "seen": torch.tensor(9)}
    mean = mean_weights(one, other)
    assert mean["weight"].tolist() == [2.0, 3.0]
    assert mean["seen"] == 9


def test_the_mean_of_two_different_networks_is_refused() -> None:
    with pytest.raises(ValueError, match="two checkpoints of one network"):
        mean_weights({"weight": torch.zeros(2)}, {"weight": torch.zeros(3)})


def test_close_colours_meet_halfway() -> None:
    plain = np.zeros(3, np.float32)
    fish, bird = (stone_colours(symbol, 1.0, plain, 0.5)[0] for symbol in CLOSE_COLOURS)
    assert fish == pytest.approx(bird, abs=1e-3)
    assert stone_colours("tree", 1.0, plain, 0.5)[0] == pytest.approx(
        stone_colours("tree", 1.0, plain)[0]
    )

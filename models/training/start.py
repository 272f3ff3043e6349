"""Loads what a training goes on from: a checkpoint, or the weights that ship with the package.

Exported networks have batch normalisation folded into each convolution. It is put back: the output
of a convolution on real crops is measured once, and scale and shift are chosen so that the network
answers as before.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

WEIGHTS = ".weights"
"""Suffix of the weights of a network whose heads have a graph each."""


def load_start(
    net: nn.Module, path: Path, example: Tensor, state: dict[str, Any] | None = None
) -> None:
    """Load a checkpoint (``.pt``) or an exported network (``.onnx``, ``.weights`` for all heads).

    Parameters
    ----------
    example : uint8 images as the network takes them; they fix the statistics of the normalisation
    state : where the other entries of a checkpoint go, such as the state of the loss

    Raises
    ------
    ValueError
        If the file holds another network.
    """
    if path.suffix == ".pt":
        found = torch.load(path)
        net.load_state_dict(found["net"])
        if state is not None:
            state.update({key: value for key, value in found.items() if key != "net"})
        return
    _unfold(net, path)
    _normalise_as_seen(net, example)


def _unfold(net: nn.Module, path: Path) -> None:
    """Fill convolutions and linear layers in the order in which the exported graphs run them.

    Heads that the network lacks are left out, but one it must have.
    """
    files = path.parent.glob(f"{path.stem}.*.onnx") if path.suffix == WEIGHTS else [path]
    graphs = {}
    for model in map(onnx.load, files):
        said = {entry.key: entry.value for entry in model.metadata_props}
        graphs[said.get("head", "forward")] = model.graph
    heads = [head for head in graphs if hasattr(net, head)]
    if not heads:
        raise ValueError(f"expected a {type(net).__name__} in {path.name!r}, found none")
    for head in heads:
        _fill(net, head, graphs[head], path)


def _fill(net: nn.Module, head: str, graph: Any, path: Path) -> None:
    """Fill the layers that the method ``head`` runs."""
    stored = {
        tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy())
        for tensor in graph.initializer
    }
    # weights may be stored in half precision or in steps, and once for two layers
    for node in graph.node:
        if node.op_type in ("Cast", "Identity") and node.input[0] in stored:
            stored[node.output[0]] = stored[node.input[0]].float()
        elif node.op_type == "Mul" and {*node.input} <= stored.keys():
            stored[node.output[0]] = stored[node.input[0]] * stored[node.input[1]]
    layers = [
        node
        for node in graph.node
        if node.op_type in ("Conv", "Gemm")
        or (node.op_type == "MatMul" and node.input[1] in stored)
    ]
    ran = _ran_by(net, head, torch.zeros(_input_shape(graph), dtype=torch.uint8))
    followers = _normalisations(net)
    if len(ran) != len(layers):
        raise ValueError(f"expected {len(ran)} layers in {path.name!r}, found {len(layers)}")
    with torch.no_grad():
        for module, node in zip(ran, layers, strict=True):
            weight = stored[node.input[1]]
            bias = stored[node.input[2]] if len(node.input) > 2 else None
            if node.op_type == "MatMul":
                weight = weight.T
            if weight.shape != module.weight.shape:
                raise ValueError(
                    f"expected {tuple(module.weight.shape)} in {path.name!r}, found "
                    f"{tuple(weight.shape)}"
                )
            module.weight.copy_(weight)
            norm = followers.get(module)
            if norm is None:
                if bias is not None:
                    module.bias.copy_(bias)
            else:
                norm.running_mean.zero_()
                norm.running_var.fill_(1 - norm.eps)
                norm.weight.fill_(1)
                norm.bias.copy_(bias)
        for name, parameter in net.named_parameters():
            # the graph keeps biases, scales of layers and places under their names
            if name in stored:
                parameter.copy_(stored[name])


def _ran_by(net: nn.Module, head: str, images: Tensor) -> list[nn.Module]:
    """The convolutions and linear layers that the method ``head`` runs, in that order."""
    ran: list[nn.Module] = []
    hooks = [
        module.register_forward_hook(lambda module, _in, _out: ran.append(module))
        for module in net.modules()
        if isinstance(module, nn.Conv2d | nn.Linear)
    ]
    net.eval()
    with torch.no_grad():
        getattr(net, head)(images)
    for hook in hooks:
        hook.remove()
    return ran


def _input_shape(graph: Any) -> tuple[int, ...]:
    """Shape of the graph's input, with 64 for what it leaves open and one image a batch."""
    dims = graph.input[0].type.tensor_type.shape.dim
    return (1, *(d.dim_value or 64 for d in list(dims)[1:]))


def _normalisations(net: nn.Module) -> dict[nn.Module, nn.BatchNorm2d]:
    """The batch normalisation that follows each convolution."""
    found: dict[nn.Module, nn.BatchNorm2d] = {}
    for parent in net.modules():
        children = list(parent.children())
        for first, second in pairwise(children):
            if isinstance(first, nn.Conv2d) and isinstance(second, nn.BatchNorm2d):
                found[first] = second
    return found


def _normalise_as_seen(net: nn.Module, example: Tensor) -> None:
    """Give each normalisation its input's statistics, and keep the answers."""
    seen: dict[nn.Module, tuple[Tensor, Tensor]] = {}

    def keep(module: nn.Module, _inputs: Any, out: Tensor) -> None:
        seen[module] = (out.mean((0, 2, 3)), out.var((0, 2, 3)))

    followers = _normalisations(net)
    hooks = [module.register_forward_hook(keep) for module in followers]
    net.eval()
    with torch.no_grad():
        net(example)
    for hook in hooks:
        hook.remove()
    with torch.no_grad():
        for module, norm in followers.items():
            mean, var = seen[module]
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(var)
            norm.weight.copy_((var + norm.eps).sqrt())
            norm.bias.add_(mean)
    net.train()

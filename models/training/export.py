"""Writes trained networks as ONNX and enters them in the manifest with version, hash and numbers.

``python -m models.training.export embedding CHECKPOINT.pt --version 1``
"""

import hashlib
import io
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from onnx.external_data_helper import set_external_data
from torch import nn

from models.training.arguments import parser_of
from models.training.card_crops import READER_PX
from models.training.cards import CardReaderNet
from models.training.cells import CELLS
from models.training.embedding import EmbeddingNet
from models.training.finder import FinderNet
from models.training.locator import REFINE_PX, RefinerNet
from models.training.places import PlacesNet
from models.training.stones import StonesNet
from models.training.views import CROP_PX

MODELS = Path(__file__).resolve().parents[1]
LEAST_SHARED_BYTES = 128
ALIGNED_BYTES = 64
"""Fewest bytes of weights that are kept apart from the graph, and of what their places in the file
are multiples."""


class Exported(NamedTuple):
    """A network, the size (h, w) of its pictures and how many it sees at once, and its purpose.

    ``free`` are the axes of its input that may be of any size, by their number. ``heads`` are the
    methods that answer; each has a graph of its own.
    """

    net: Callable[[], nn.Module]
    at_once: int
    size_hw: tuple[int, int]
    free: dict[int, str]
    purpose: str
    heads: tuple[str, ...] = ("forward",)


_CROP, _CROPS = (CROP_PX, CROP_PX), {0: "crops"}
EXPORTED = {
    "finder": Exported(
        FinderNet, 1, (384, 512), {1: "height", 2: "width"},
        "finds pieces and pattern cards on the reduced photo: centres and corners",
        ("pieces_found", "cards_found"),
    ),
    "refiner": Exported(
        RefinerNet, 2, (REFINE_PX, REFINE_PX), _CROPS,
        "says how far a guessed quad is off and whether a piece is there",
    ),
    "embedding": Exported(
        EmbeddingNet, 2, _CROP, _CROPS, "turns the crop of a piece into a unit vector"
    ),
    "stones": Exported(
        StonesNet, 2, _CROP, _CROPS, "names the published stones and their turn, nothing taught"
    ),
    "cells": Exported(
        PlacesNet, CELLS, _CROP, _CROPS,
        "tells empty cells, tiles and (framed) numbers of a printed season board, and places of "
        "any grid that hold a piece from bare ones",
        ("printed", "held"),
    ),
    "card-reader": Exported(
        CardReaderNet, 2, (READER_PX, READER_PX), _CROPS,
        "says what each spot of a flattened pattern card shows, and which way up it lies",
    ),
}  # fmt: skip
EIGHT_BITS = ("stones",)
"""Networks with weights in eight bits; those of the others are in half precision."""


def trained(name: str, checkpoint: Path) -> tuple[nn.Module, dict[str, float]]:
    """A network with the weights of a checkpoint, and its trained numbers.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is damaged or holds another network.
    """
    net, data = EXPORTED[name].net(), checkpoint.read_bytes()
    try:
        found = torch.load(io.BytesIO(data))
        net.load_state_dict(found["net"])
        if name != "embedding":
            return net, {}
        loss = found["loss"]
        return net, {
            "scale": round(float(loss["log_scale"].exp()), 4),
            "none_likeness": round(float(loss["none_likeness"]), 4),
        }
    except Exception as error:  # torch raises any kind of a damaged file
        raise ValueError(f"{checkpoint} is no whole checkpoint of the network {name}") from error


def export(name: str, net: nn.Module, version: str) -> dict[str, bytes]:
    """The files of a network by their names: its graph, or that of each head and the weights.

    Each graph has the network's name and version and its head in the metadata.
    """
    exported = EXPORTED[name]
    net.eval()
    example = torch.zeros((exported.at_once, *exported.size_hw, 3), dtype=torch.uint8)
    models = {}
    for head in exported.heads:
        buffer = io.BytesIO()
        net.forward = getattr(net, head)
        torch.onnx.export(
            net,
            (example,),
            buffer,
            input_names=["images"],
            dynamic_axes={"images": exported.free},
            opset_version=17,
            dynamo=False,
        )
        model = onnx.load_from_string(buffer.getvalue())
        if name in EIGHT_BITS:
            store_in_eight_bits(model)
        store_in_half(model)
        models[head] = model
    stem, said = f"{name}-{version}", {"name": name, "version": version}
    if len(models) == 1:
        onnx.helper.set_model_props(model, said)
        return {f"{stem}.onnx": model.SerializeToString()}
    for head, model in models.items():
        onnx.helper.set_model_props(model, {**said, "head": head})
    weights = store_once(models.values(), f"{stem}.weights")
    graphs = {f"{stem}.{head}.onnx": m.SerializeToString() for head, m in models.items()}
    return {f"{stem}.weights": weights, **graphs}


def store_once(models: Iterable[onnx.ModelProto], file: str) -> bytes:
    """Take the large weights out of the models, in place; the bytes of the file they refer to.

    What several models have in common is in it once.
    """
    kept, places = bytearray(), dict[bytes, int]()
    for model in models:
        for tensor in model.graph.initializer:
            data = numpy_helper.to_array(tensor).tobytes()
            if len(data) < LEAST_SHARED_BYTES:
                continue
            if data not in places:
                kept.extend(bytes(-len(kept) % ALIGNED_BYTES))
                places[data] = len(kept)
                kept.extend(data)
            tensor.raw_data = data
            set_external_data(tensor, file, places[data], len(data))
            tensor.ClearField("raw_data")
    return bytes(kept)


def store_in_half(model: onnx.ModelProto) -> None:
    """Keep the large weights of a model as float16, each cast back before it is used; in place."""
    for tensor in list(model.graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 64:
            continue
        half = numpy_helper.from_array(values.astype(np.float16), f"{tensor.name}_half")
        model.graph.initializer.remove(tensor)
        model.graph.initializer.append(half)
        cast = onnx.helper.make_node("Cast", [half.name], [tensor.name], to=onnx.TensorProto.FLOAT)
        model.graph.node.insert(0, cast)


def store_in_eight_bits(model: onnx.ModelProto) -> None:
    """Keep the weights of each layer as int8 with one scale for each output, in place."""
    graph = model.graph
    output_axis = {
        node.input[1]: -1 if node.op_type == "MatMul" else 0
        for node in graph.node
        if node.op_type in ("Conv", "Gemm", "MatMul")
    }
    for tensor in [tensor for tensor in graph.initializer if tensor.name in output_axis]:
        values = numpy_helper.to_array(tensor)
        others = tuple({*range(values.ndim)} - {output_axis[tensor.name] % values.ndim})
        scale = np.abs(values).max(others, keepdims=True) / 127
        steps = np.round(values / np.maximum(scale, 1e-12)).astype(np.int8)
        graph.initializer.remove(tensor)
        names = [f"{tensor.name}_{part}" for part in ("steps", "scale", "whole")]
        graph.initializer.extend(
            [
                numpy_helper.from_array(steps, names[0]),
                numpy_helper.from_array(scale.astype(np.float32), names[1]),
            ]
        )
        graph.node.insert(0, onnx.helper.make_node("Mul", [names[2], names[1]], [tensor.name]))
        graph.node.insert(
            0, onnx.helper.make_node("Cast", [names[0]], [names[2]], to=onnx.TensorProto.FLOAT)
        )


def write_manifest(entries: dict[str, Any]) -> None:
    """Write ``manifest.toml`` anew."""
    lines = ["# Written by models.training.export; the hashes are of the files in weights/.", ""]
    for name, entry in sorted(entries.items()):
        numbers = ", ".join(f"{k} = {v}" for k, v in entry["numbers"].items())
        lines += [
            f"[model.{name}]",
            f'version = "{entry["version"]}"',
            f'purpose = "{entry["purpose"]}"',
            f"numbers = {{ {numbers} }}" if numbers else "numbers = {}",
            f"[model.{name}.sha256]",
            *(f'"{file}" = "{sha256}"' for file, sha256 in sorted(entry["sha256"].items())),
            "",
        ]
    part = MODELS / "manifest.toml.part"
    part.write_text("\n".join(lines), encoding="utf-8")
    part.replace(MODELS / "manifest.toml")


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("name", choices=tuple(EXPORTED))
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--version", type=int, required=True)
    args = parser.parse_args()
    entries = tomllib.loads((MODELS / "manifest.toml").read_text(encoding="utf-8"))["model"]
    old = int(entries[args.name]["version"]) if args.name in entries else 0
    if args.version <= old:
        parser.error(f"{args.name} has version {old}: give --version {old + 1}")
    try:
        net, numbers = trained(args.name, args.checkpoint)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    files = export(args.name, net, str(args.version))
    # the files of before are there until the manifest names the new ones
    for file, data in files.items():
        (MODELS / "weights" / file).write_bytes(data)
        print(f"{file}: {len(data)} bytes")
    entries[args.name] = {
        "version": str(args.version),
        "purpose": EXPORTED[args.name].purpose,
        "numbers": numbers,
        "sha256": {file: hashlib.sha256(data).hexdigest() for file, data in files.items()},
    }
    write_manifest(entries)
    for path in (MODELS / "weights").glob(f"{args.name}-[0-9]*"):
        if path.name not in files:
            path.unlink()


if __name__ == "__main__":
    main()

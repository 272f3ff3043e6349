"""The manifest of trained networks: which files, which version, which hashes."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path


class ModelError(Exception):
    """A network is missing or is not the file that the manifest names."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One network of the manifest; ``sha256`` is of each of its files."""

    name: str
    version: str
    purpose: str
    numbers: Mapping[str, float]
    sha256: Mapping[str, str]


@cache
def manifest() -> dict[str, ModelEntry]:
    """Every network of ``manifest.toml`` by name."""
    text = resources.files("models").joinpath("manifest.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["model"]
    return {
        name: ModelEntry(
            name,
            e["version"],
            e["purpose"],
            {k: float(v) for k, v in e["numbers"].items()},
            e["sha256"],
        )
        for name, e in entries.items()
    }


def graph(name: str, head: str = "") -> Path:
    """The ONNX file of a network, or of one of its heads.

    Raises
    ------
    ModelError
        If it or the weights it refers to are not those that the manifest names.
    """
    entry = manifest()[name]
    stem = f"{name}-{entry.version}"
    file = f"{stem}.{head}.onnx" if head else f"{stem}.onnx"
    if head:
        _checked(f"{stem}.weights", entry.sha256[f"{stem}.weights"])
    return _checked(file, entry.sha256[file])


def check(name: str) -> None:
    """Raise ModelError unless every file of a network is that which the manifest names."""
    for file, sha256 in manifest()[name].sha256.items():
        _checked(file, sha256)


def _checked(file: str, sha256: str) -> Path:
    """The path of a file that has that hash."""
    path = Path(str(resources.files("models"))) / "weights" / file
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise ModelError(f"{file}: the weights are missing; install tallystone again") from None
    if found != sha256:
        raise ModelError(
            f"{file}: sha256 {found[:12]} does not match manifest {sha256[:12]}; install again"
        )
    return path


def model_version() -> str:
    """The versions of all networks in one word, kept with every reading."""
    return "+".join(f"{name}-{entry.version}" for name, entry in sorted(manifest().items()))

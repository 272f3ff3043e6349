"""The manifest of trained networks: which file, which version, which hash."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


class ModelError(Exception):
    """A network is missing or is not the file that the manifest names."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One network of the manifest; ``sha256`` is of the weights file."""

    name: str
    version: str
    file: str
    sha256: str
    purpose: str
    numbers: Mapping[str, float]


@cache
def manifest() -> dict[str, ModelEntry]:
    """Every network of ``manifest.toml`` by name."""
    text = resources.files("models").joinpath("manifest.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["model"]
    return {
        name: ModelEntry(
            name,
            e["version"],
            e["file"],
            e["sha256"],
            e["purpose"],
            {k: float(v) for k, v in e.get("numbers", {}).items()},
        )
        for name, e in entries.items()
    }


def weights(name: str) -> bytes:
    """The bytes of a network's weights, only if they are those that the manifest names."""
    entry = manifest()[name]
    path = resources.files("models").joinpath("weights", entry.file)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ModelError(
            f"{entry.file}: the weights are missing; install tallystone again"
        ) from None
    found = hashlib.sha256(data).hexdigest()
    if found != entry.sha256:
        raise ModelError(
            f"{entry.file}: sha256 {found[:12]} does not match manifest {entry.sha256[:12]}; "
            "install again"
        )
    return data


def model_version() -> str:
    """The versions of all networks in one word, kept with every reading."""
    return "+".join(f"{name}-{entry.version}" for name, entry in sorted(manifest().items()))

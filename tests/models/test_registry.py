"""The manifest, the weights it names and what the networks promise to give."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from models import registry, session
from models.registry import ModelError, check, graph, manifest, model_version

WEIGHTS = Path(registry.__file__).parent / "weights"
NAMES = ("card-reader", "cells", "embedding", "finder", "refiner", "stones")


FILES = [(name, file) for name in NAMES for file in manifest()[name].sha256]


@pytest.fixture
def altered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest in which the hash of the finder's weights is another, and the file of stones does
    not exist."""
    entries = dict(manifest())
    finder, stones = entries["finder"], entries["stones"]
    hashes = {**finder.sha256, f"finder-{finder.version}.weights": "0" * 64}
    entries["finder"] = replace(finder, sha256=hashes)
    entries["stones"] = replace(stones, version="none", sha256={"stones-none.onnx": "0" * 64})
    monkeypatch.setattr(registry, "manifest", lambda: entries)


def test_the_manifest_names_the_files_that_are_there() -> None:
    assert tuple(sorted(manifest())) == NAMES
    assert {file for _, file in FILES} == {path.name for path in WEIGHTS.iterdir()}


@pytest.mark.parametrize(("name", "file"), FILES)
def test_the_weights_are_those_of_the_manifest(name: str, file: str) -> None:
    entry = manifest()[name]
    assert entry.name == name
    assert file.startswith(f"{name}-{entry.version}.")
    assert entry.purpose
    assert hashlib.sha256((WEIGHTS / file).read_bytes()).hexdigest() == entry.sha256[file]


@pytest.mark.parametrize(("name", "file"), [(n, f) for n, f in FILES if f.endswith(".onnx")])
def test_a_network_knows_its_own_name_and_version_and_head(name: str, file: str) -> None:
    said = onnxruntime.InferenceSession(WEIGHTS / file).get_modelmeta().custom_metadata_map
    assert (said["name"], said["version"]) == (name, manifest()[name].version)
    head = file.removeprefix(f"{name}-{said['version']}").strip(".").removesuffix("onnx").strip(".")
    assert said.get("head", "") == head
    assert graph(name, head) == WEIGHTS / file


@pytest.mark.usefixtures("altered")
def test_other_weights_are_refused() -> None:
    with pytest.raises(
        ModelError,
        match=(
            r"^finder-.*\.weights: sha256 [0-9a-f]{12} does not match manifest 0{12}; install "
            r"again$"
        ),
    ):
        graph("finder", "pieces_found")
    with pytest.raises(ModelError, match=r"does not match manifest 0{12}"):
        check("finder")


@pytest.mark.usefixtures("altered")
def test_missing_weights_are_refused() -> None:
    with pytest.raises(
        ModelError, match=r"^stones-none\.onnx: the weights are missing; install tallystone again$"
    ):
        graph("stones")


def test_all_weights_are_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) < 8e6


def test_the_version_names_every_network() -> None:
    assert model_version().split("+") == [f"{name}-{manifest()[name].version}" for name in NAMES]


def test_running_a_network_leaves_nothing_to_be_sent(tmp_path: Path) -> None:
    """onnxruntime keeps what it sends to its makers in the home folder, except in CI."""
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    env = {name: value for name, value in os.environ.items() if name != "CI"} | home
    env.pop("ORT_DISABLE_TELEMETRY", None)
    script = "from models.session import network; network('stones')"
    subprocess.run([sys.executable, "-c", script], check=True, env=env)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_linear_algebra_leaves_the_processors_to_the_networks() -> None:
    env = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    script = (
        "import webapp, numpy, os\n"
        "numpy.ones((500, 500)) @ numpy.ones((500, 500))\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, check=True, env=env, capture_output=True, text=True)
    assert done.stdout == "1\n"


def noise(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize("size_hw", [(32, 32), (64, 96), (384, 512)])
def test_the_detector_answers_at_every_fourth_pixel(size_hw: tuple[int, int]) -> None:
    h, w = size_hw
    maps = session.detect(noise(0, h, w, 3))
    assert maps.shape == (h // 4, w // 4, 9)
    assert maps.dtype == np.float32
    assert np.isfinite(maps).all()
    assert ((maps[..., 0] >= 0) & (maps[..., 0] <= 1)).all()


@pytest.mark.parametrize("count", [0, 1, 5])
def test_the_refiner_answers_for_every_crop(count: int) -> None:
    presence, shifts = session.refine(noise(1, count, 48, 48, 3))
    assert presence.shape == (count,)
    assert shifts.shape == (count, 4, 2)
    assert presence.dtype == shifts.dtype == np.float32
    assert ((presence >= 0) & (presence <= 1)).all()
    assert np.isfinite(shifts).all()


@pytest.mark.parametrize("count", [0, 1, 5])
def test_embeddings_are_unit_vectors(count: int) -> None:
    vectors = session.embed(noise(2, count, 64, 64, 3))
    assert vectors.shape == (count, 128)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_the_stones_network_gives_log_probabilities_of_symbols_and_turns_and_the_light(
    count: int,
) -> None:
    log_p, light = session.read_stones(noise(4, count, 64, 64, 3))
    assert log_p.shape == (2, count, 4 * len(session.STONE_SYMBOLS) + 1)
    assert log_p.dtype == np.float32
    assert light.shape == (2,)
    assert np.isfinite(light).all()
    np.testing.assert_allclose(np.exp(log_p).sum(2), 1, atol=1e-4)


def test_a_crop_of_one_colour_has_a_unit_vector_too() -> None:
    crops = np.stack([np.full((64, 64, 3), value, np.uint8) for value in (0, 127, 255)])
    np.testing.assert_allclose(np.linalg.norm(session.embed(crops), axis=1), 1, atol=1e-4)


def test_crops_do_not_change_each_others_answers() -> None:
    crops = noise(3, 4, 64, 64, 3)
    alone = np.concatenate([session.embed(crop[None]) for crop in crops])
    np.testing.assert_allclose(session.embed(crops), alone, atol=1e-4)


def test_the_numbers_that_belong_to_the_embedding_are_in_the_manifest() -> None:
    numbers = manifest()["embedding"].numbers
    assert numbers["scale"] > 1
    assert -1 < numbers["none_likeness"] < 1

"""An export leaves a whole package: that of before, or that with the new weights."""

import shutil
import sys
import tomllib
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra `training` is not installed")
pytest.importorskip("onnx", reason="the extra `training` is not installed")

from models.registry import manifest  # noqa: E402
from models.training import export, mean  # noqa: E402
from models.training.embedding import EmbeddingNet, EpisodeLoss  # noqa: E402

FOLDER = Path(export.__file__).parents[1]
VERSION = int(manifest()["embedding"].version)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the manifest and the weights, into which networks are exported."""
    package = tmp_path / "models"
    shutil.copytree(FOLDER / "weights", package / "weights")
    shutil.copy(FOLDER / "manifest.toml", package)
    monkeypatch.setattr(export, "MODELS", package)
    return package


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "embedding.pt"
    torch.save({"net": EmbeddingNet().state_dict(), "loss": EpisodeLoss().state_dict()}, path)
    return path


def run(monkeypatch: pytest.MonkeyPatch, name: str, checkpoint: Path, version: int) -> None:
    words = ["export", name, str(checkpoint), "--version", str(version)]
    monkeypatch.setattr(sys, "argv", words)
    export.main()


def files(package: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in package.rglob("*") if path.is_file()}


@pytest.mark.parametrize("fault", ["damaged", "of another network", "without loss", "old version"])
def test_what_cannot_be_exported_changes_nothing(
    fault: str,
    package: Path,
    checkpoint: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = files(package)
    if fault == "damaged":
        checkpoint.write_bytes(checkpoint.read_bytes()[:50_000])
    elif fault == "without loss":
        torch.save({"net": EmbeddingNet().state_dict()}, checkpoint)
    name = "refiner" if fault == "of another network" else "embedding"
    with pytest.raises(SystemExit):
        run(monkeypatch, name, checkpoint, VERSION if fault == "old version" else 99)
    *_, told = capsys.readouterr().err.splitlines()
    assert ("give --version" if fault == "old version" else "no whole checkpoint") in told
    assert files(package) == before


def test_an_export_that_stops_leaves_what_the_manifest_names(
    package: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = f"embedding-{VERSION + 1}.onnx"
    monkeypatch.setattr(export, "export", lambda *_: {graph: b"graph"})
    before = files(package)

    def stop(_entries: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(export, "write_manifest", stop)
        with pytest.raises(KeyboardInterrupt):
            run(killed, "embedding", checkpoint, VERSION + 1)
    assert before.items() <= files(package).items()
    run(monkeypatch, "embedding", checkpoint, VERSION + 1)
    old = f"embedding-{VERSION}.onnx"
    assert files(package).keys() == before.keys() - {old} | {graph}
    entry = tomllib.loads((package / "manifest.toml").read_text(encoding="utf-8"))["model"]
    assert list(entry["embedding"]["sha256"]) == [graph]


def test_the_mean_of_two_embeddings_can_be_exported(
    tmp_path: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "mean.pt"
    monkeypatch.setattr(sys, "argv", ["mean", str(checkpoint), str(checkpoint), str(out)])
    mean.main()
    _, numbers = export.trained("embedding", out)
    assert numbers == export.trained("embedding", checkpoint)[1]

"""The built wheel in a clean environment, away from the checkout."""

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parents[1]
NOT_INSTALLED = ("models/training/", "calibration/measuring/")
PACKAGES = ("vision", "models", "scorer", "webapp", "calibration")
DEVELOPMENT = ("pytest", "hypothesis", "mypy", "ruff", "playwright", "scipy", "torch")
MOST_MB = 30


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), cwd=folder
    )  # sdist, then wheel from it
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def source_names(wheel: Path) -> set[str]:
    """The files of the source archive, without the folder that holds all of them."""
    (path,) = wheel.parent.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment that holds the wheel and its dependencies alone.

    These are linked from the environment of the tests, which has them already.
    """
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder)
    bin_folder = folder / ("Scripts" if os.name == "nt" else "bin")
    options = ("--quiet", "--no-compile", "--no-deps")
    run(*pip_of(bin_folder), "install", *options, str(wheel), cwd=folder)
    (site,) = folder.glob("[Ll]ib/**/site-packages")
    (installed,) = metadata.distributions(name="tallystone", path=[str(site)])
    for one in needed_by(installed):
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(one.locate_file(top)))
    return bin_folder


def needed_by(
    installed: metadata.Distribution, extras: frozenset[str] = frozenset()
) -> Iterator[metadata.Distribution]:
    """What pip would install with it."""
    for line in installed.requires or ():
        wanted = Requirement(line)
        if not wanted.marker or any(
            wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)
        ):
            found = metadata.distribution(wanted.name)
            yield found
            yield from needed_by(found, frozenset(wanted.extras))


def pip_of(bin_folder: Path) -> tuple[str, ...]:
    """Our pip for the other environment, which needs none of its own."""
    return (sys.executable, "-m", "pip", "--python", str(bin_folder / "python"))


def run(*command: str, cwd: Path) -> str:
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    done = subprocess.run(
        command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, (
        f"{' '.join(command)}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    )
    return done.stdout


def tallystone(bin_folder: Path, cwd: Path, *arguments: str) -> str:
    return run(str(bin_folder / "tallystone"), *arguments, cwd=cwd)


def tracked(*patterns: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, check=True
    )
    return {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).exists()}


def test_every_file_of_the_packages_is_inside(names: set[str]) -> None:
    installed = {name for name in tracked(*PACKAGES) if not name.startswith(NOT_INSTALLED)}
    assert installed - names == set()


def test_the_packages_say_that_they_have_types(names: set[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} - names == set()


def test_the_weights_of_the_manifest_are_inside(names: set[str]) -> None:
    manifest = tomllib.loads((ROOT / "models" / "manifest.toml").read_text(encoding="utf-8"))
    files = {file for model in manifest["model"].values() for file in model["sha256"]}
    assert files
    assert {f"models/weights/{file}" for file in files} - names == set()


def test_the_source_archive_holds_what_is_tracked_and_nothing_else(source_names: set[str]) -> None:
    """Whoever builds from it, such as a distribution, can run the tests, too."""
    assert source_names == tracked("-co", "--exclude-standard") | {"PKG-INFO"}


def test_nothing_else_is_inside(wheel: Path, names: set[str]) -> None:
    folders = {name.split("/")[0] for name in names}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == set(PACKAGES)
    assert not [name for name in names if name.startswith(NOT_INSTALLED)]
    assert not [
        name for name in names if "__pycache__" in name or name.endswith((".pt", ".npz.tmp"))
    ]
    assert wheel.stat().st_size < MOST_MB * 1e6


def test_licences_are_inside(names: set[str]) -> None:
    inside = {name.rsplit("/", 1)[1] for name in names if "/licenses/" in name}
    assert {"LICENSE", "NOTICE.md"} <= inside


def test_the_licences_of_the_fonts_lie_beside_them(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        folder = "webapp/after/fonts/"
        fonts = {name.removeprefix(folder) for name in archive.namelist() if name.endswith(".ttf")}
        open_font = archive.read(f"{folder}OFL.txt").decode()
        apache = archive.read(f"{folder}Apache-2.0.txt").decode()
    assert "SIL OPEN FONT LICENSE Version 1.1" in open_font
    assert "Apache License" in apache
    assert fonts
    assert fonts == {name for name in fonts if name in open_font or name in apache}


def test_no_development_tool_comes_with_it(bin_folder: Path, tmp_path: Path) -> None:
    code = (
        "import importlib.util as u, sys; print([name for name in sys.argv[1:] if "
        "u.find_spec(name)])"
    )
    assert run(str(bin_folder / "python"), "-c", code, *DEVELOPMENT, cwd=tmp_path).strip() == "[]"
    run(*pip_of(bin_folder), "check", cwd=tmp_path)


def test_the_command_runs_from_another_folder(bin_folder: Path, tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert tallystone(bin_folder, tmp_path, "--version").split()[-1] == project["version"]
    assert "serve" in tallystone(bin_folder, tmp_path, "--help")
    assert len(tallystone(bin_folder, tmp_path, "cards").splitlines()) >= 72


def test_the_database_is_made(bin_folder: Path, tmp_path: Path) -> None:
    """The migrations are files that the program finds beside itself, not imported modules."""
    code = (
        "from pathlib import Path; from webapp import create_app; create_app({'DATA_DIR': "
        "Path('data')})"
    )
    run(str(bin_folder / "python"), "-c", code, cwd=tmp_path)
    assert (tmp_path / "data" / "tallystone.sqlite3").stat().st_size > 0


def test_a_models_folder_beside_the_user_is_not_picked_up(bin_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "__init__.py").write_text("raise SystemExit('the wrong models')")
    tallystone(bin_folder, tmp_path, "cards")


def test_the_demo_reads_its_photos(bin_folder: Path, tmp_path: Path) -> None:
    listing = tallystone(bin_folder, tmp_path, "demo", "--json")
    readings = [json.loads(line) for line in listing.splitlines()]
    assert readings
    assert all(reading["found"] for reading in readings)
    listed = json.loads((ROOT / "calibration" / "demo" / "demo.json").read_text(encoding="utf-8"))[
        "photos"
    ]
    truth = {entry["photo"]: entry["text"] for entry in listed}
    exact = [reading["text"] == truth[Path(reading["photo"]).name] for reading in readings]
    assert any(exact)
    assert not any(
        reading["sure"] and not right for reading, right in zip(readings, exact, strict=True)
    )

#!/usr/bin/env python3
"""Set Tallystone up on a fresh machine and run it or its tests.

Needs Python 3.11 or newer; the tests also need Chromium and PostgreSQL. As root on Debian or Ubuntu
it installs these itself.

    python3 dev.py demo     Read the bundled photos.
    python3 dev.py test     Run every check and every test.
    python3 dev.py docs     Build the documentation in the folder site and check it.
    python3 dev.py scripts  Check the scripts of the pages. Needs npm.
    python3 dev.py gallery  Draw every page of the app in the folder gallery.
    python3 dev.py lock     Write the newest versions that fit to constraints.txt.

Each first installs what it needs in .venv, in the versions of constraints.txt. That is quick the
second time.
"""
# This file is parsed by any Python 3.8+, so that an old one gets a sentence and not a SyntaxError.

import glob
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time

LEAST_PYTHON = (3, 11)
ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
CONSTRAINTS = "constraints.txt"
EXTRAS = ("", "dev", "dev,docs")
"""What can be installed; each holds those before it."""
BIN = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(BIN, "python")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPENCV_LIBRARIES = ("libgl1", "libglib2.0-0")
CHECKS = (
    ("ruff check", ["-m", "ruff", "check"]),
    ("ruff format", ["-m", "ruff", "format", "--check"]),
    ("mypy", ["-m", "mypy"]),
    ("pip check", ["-m", "pip", "check"]),
)


class Stop(Exception):
    """Something is missing or failed; the text is one sentence about it."""


def main(arguments):
    """Run one of the jobs; the result is the exit status."""
    jobs = {
        "demo": demo,
        "test": test,
        "docs": docs,
        "scripts": scripts,
        "gallery": gallery,
        "lock": lock,
    }
    if len(arguments) != 1 or arguments[0] not in jobs:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        require_python()
        jobs[arguments[0]]()
    except Stop as stop:
        print("dev.py: " + str(stop), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def demo():
    """Install what running needs and read the bundled photos."""
    set_up("")
    require_opencv()
    tallystone = os.path.join(BIN, "tallystone")
    run([tallystone, "demo"], "the demo failed")
    print(
        "\nNow photograph your own table. This serves the page and shows a code for your phone "
        "to scan:\n"
    )
    print("    " + shlex.quote(os.path.relpath(tallystone)) + " serve\n")


def test():
    """Install the development tools too, then run every check and every test."""
    started = time.time()
    set_up("dev")
    require_opencv()
    require_browser()
    require_postgresql()
    timings = ["set up %.0f s" % (time.time() - started)]
    for name, command in CHECKS:
        started = time.time()
        say(name)
        run([PYTHON, *command], name + " failed")
        timings.append("%s %.0f s" % (name, time.time() - started))
    say("pytest (before it: " + ", ".join(timings) + ")")
    # CI: a test that would be skipped for a missing browser fails instead.
    shared = ["-n", "2"]  # see tests/conftest.py
    run([PYTHON, "-m", "pytest", *shared], "pytest failed", dict(os.environ, CI="1"))


def scripts():
    """Lint and test the pages' scripts; the linter stays, so later test runs include it."""
    if not works(["npm", "--version"]):
        raise Stop("the linter of the scripts needs npm: please install node.")
    install = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund"]
    run(install, "the linter could not be installed; is the network reachable?")
    run(["npm", "run", "--silent", "lint"], "the linter found something")
    run(["npm", "run", "--silent", "test"], "a unit test of the scripts failed")


def gallery():
    """Draw pictures of every page with the real application and browser."""
    set_up("dev")
    require_opencv()
    require_browser()
    run(
        [PYTHON, os.path.join("tests", "webapp", "gallery.py"), "gallery"],
        "the gallery could not be drawn",
    )


def docs():
    """Build the documentation site, then walk through it with a browser."""
    set_up("dev,docs")
    require_opencv()
    require_browser()
    say("building the folder site")
    quiet = dict(os.environ, NO_MKDOCS_2_WARNING="1")
    build = [PYTHON, "-m", "mkdocs", "build", "--strict", "--quiet"]
    run(build, "the documentation could not be built", quiet)
    say("walking through it")
    walk = [PYTHON, os.path.join("tests", "site", "browse.py"), "site"]
    run(walk, "the documentation has faults")


def lock():
    """Write the versions that pip would install today, for all extras of development."""
    set_up("dev,docs")
    what = "%s[%s]" % (ROOT, EXTRAS[-1])
    command = [PYTHON, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    try:
        report = subprocess.check_output([*command, "--report", "-", what], cwd=ROOT)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Stop("the versions could not be found (%s)." % error) from error
    found = [package["metadata"] for package in json.loads(report)["install"]]
    pins = ["%s==%s\n" % (one["name"], one["version"]) for one in found]
    pins = [pin for pin in pins if not pin.startswith("tallystone=")]
    with open(os.path.join(ROOT, CONSTRAINTS), "w") as file:
        file.write("# What dev.py installs, written by `python3 dev.py lock`.\n")
        file.writelines(sorted(pins, key=str.lower))
    say("%d versions are in %s; now run the tests with them" % (len(pins), CONSTRAINTS))


def require_python():
    """Stop on a Python that is too old."""
    if sys.version_info < LEAST_PYTHON:
        names = ("python3.%d" % minor for minor in range(15, LEAST_PYTHON[1] - 1, -1))
        newer = next((name for name in names if works([name, "--version"])), None)
        advice = "run %s dev.py instead" % newer if newer else "please install a newer one"
        raise Stop(
            "Tallystone needs Python %d.%d or newer and this is %d.%d: %s."
            % (LEAST_PYTHON + tuple(sys.version_info[:2]) + (advice,))
        )


def set_up(extra):
    """Make the virtual environment and install the project in it, unless that is done already.

    The versions are those of constraints.txt, or the newest that fit where these do not exist.
    """
    if not works([PYTHON, "-m", "pip", "--version"]):
        make_venv()
    fingerprint = hashlib.sha256(ROOT.encode())
    for name in ("pyproject.toml", CONSTRAINTS):
        with open(os.path.join(ROOT, name), "rb") as file:
            fingerprint.update(file.read())
    wanted = fingerprint.hexdigest()
    if any(read_stamp(done) == wanted for done in EXTRAS[EXTRAS.index(extra) :]):
        return
    say("installing the project" + (" and its development tools" if extra else "") + " in .venv")
    what = "%s[%s]" % (ROOT, extra) if extra else ROOT
    # Most modules are never imported. Python compiles the others when they are.
    options = ["--quiet", "--no-compile", "--disable-pip-version-check"]
    command = [PYTHON, "-m", "pip", "install", *options]
    try:
        run([*command, "--constraint", CONSTRAINTS, "--editable", what], "")
    except Stop:
        say("the tested versions could not be installed: taking the newest that fit")
        run(
            [*command, "--editable", what],
            "the packages could not be installed; is the network reachable?",
        )
    with open(stamp_path(extra), "w") as file:
        file.write(wanted)


def make_venv():
    """Make an empty virtual environment, replacing one that does not work."""
    say("making .venv with Python %d.%d" % sys.version_info[:2])
    if not works([sys.executable, "-c", "import ensurepip, venv"]):
        package = "python%d.%d-venv" % sys.version_info[:2]
        if not install([package]):
            raise Stop(
                "this Python cannot make virtual environments: apt-get install %s first." % package
            )
    run(
        [sys.executable, "-m", "venv", "--clear", VENV],
        "the virtual environment .venv could not be made",
    )


def stamp_path(extra):
    """Where the fingerprint of what was installed stands."""
    return os.path.join(VENV, "installed-" + (extra or "run"))


def read_stamp(extra):
    """The fingerprint of what was installed, if anything was."""
    try:
        with open(stamp_path(extra)) as file:
            return file.read()
    except OSError:
        return None


def require_opencv():
    """Stop unless OpenCV can be imported; slim images lack the libraries its windows would use."""
    command = [PYTHON, "-c", "import cv2"]
    if works(command):
        return
    for library in OPENCV_LIBRARIES:
        if install([library]) and works(command):
            return
    subprocess.call(command)
    raise Stop(
        "OpenCV cannot be imported: apt-get install %s, or their like." % " ".join(OPENCV_LIBRARIES)
    )


def require_browser():
    """Stop unless there is a Chromium for the browser tests."""
    if not find_browser():
        install(["chromium", "fonts-liberation"])
    if not find_browser():
        raise Stop(
            "the browser tests need Chromium: please install chromium or google-chrome, on the "
            "PATH."
        )


def require_postgresql():
    """Stop unless there is a PostgreSQL for the tests of the store."""
    if not find_postgresql():
        install(["postgresql"])
    if not find_postgresql():
        raise Stop(
            "the tests of the store need PostgreSQL: please install postgresql; no server has to "
            "run."
        )


def find_postgresql():
    """Whether initdb is on the PATH or where Debian puts it."""
    return shutil.which("initdb") or glob.glob("/usr/lib/postgresql/*/bin/initdb")


def find_browser():
    """The first browser on the PATH that starts; Ubuntu's chromium may only name a snap."""
    found = filter(None, map(shutil.which, BROWSERS))
    return next((browser for browser in found if works([browser, "--version"])), None)


def install(packages):
    """Install system packages if this is root on Debian or Ubuntu; false on failure."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    say("installing " + " ".join(packages))
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    apt = ["apt-get", "-qq", "-o=Dpkg::Use-Pty=0"]
    if subprocess.call([*apt, "update"], env=environment, cwd=ROOT) != 0:
        return False
    command = [*apt, "install", "-y", "--no-install-recommends", *packages]
    return subprocess.call(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL) == 0


def works(command):
    """Whether a command can be run and ends well; its output is not shown."""
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def run(command, failure, environment=None):
    """Run a command in the project's folder with its output shown.

    Stops with *failure* if it fails.
    """
    try:
        status = subprocess.call(command, cwd=ROOT, env=environment)
    except OSError as error:
        raise Stop("%s (%s)" % (failure, error)) from error
    if status != 0:
        raise Stop("%s (exit status %d)." % (failure.rstrip("."), status))


def say(text):
    """One line about what happens next."""
    print("dev.py: " + text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

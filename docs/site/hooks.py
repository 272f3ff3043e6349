"""What the documentation site shows beside the pages of docs: mkdocs calls these functions.

The documents of the root folder are pages too, and each package has a page made from its
docstrings. Nothing is copied: a page is the file as it stands, with its links turned to the site.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]

ROOT_DOCUMENTS = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "NOTICE.md": "notice.md",
    "ROADMAP.md": "roadmap.md",
    "SECURITY.md": "report-a-weakness.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "models/MODEL_CARD.md": "model-card.md",
}
"""Documents outside docs, by their place in the project, and the page that each becomes."""

LOGO = "webapp/static/icon.svg"

PACKAGES = ("scorer", "vision", "calibration", "models")
NOT_INSTALLED = ("models/training/", "calibration/measuring/", "calibration/demo/")

COMMANDS = """# All options

This page is made from the program: it says what `--help` says. [The commands](../commands.md) has
examples and the API of the page.

::: mkdocs-click
    :module: webapp.__main__
    :command: cli
    :prog_name: tallystone
    :depth: 1
    :style: table
"""

API = """# The API

These pages are made from the docstrings. Start with [the Python library](../library.md): five
examples that run. [Architecture](../architecture.md) says which folder does what.

The web app is one function:

::: webapp.create_app
"""

LINK = re.compile(r"(?<!`)(!?\[[^\]]*\])\(([^)\s#]*)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Put the pages of the packages into the navigation."""
    for section in config.nav:
        if "API" in section:
            section["API"] += [{title: page} for title, page in package_pages()]
    return config


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages that are no files of docs."""
    for source, page in ROOT_DOCUMENTS.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=turned(text, source, page)))
    files.append(File.generated(config, "site/logo.svg", abs_src_path=str(ROOT / LOGO)))
    files.append(File.generated(config, "reference/commands.md", content=COMMANDS))
    files.append(File.generated(config, "reference/index.md", content=API))
    for title, page in package_pages():
        files.append(File.generated(config, page, content=package_page(title)))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Turn the links of a page of docs that lead out of docs."""
    if page.file.generated_by:
        return markdown
    return turned(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)


def on_page_content(html: str, **_: Any) -> str:
    """An empty corner of a table is a cell and no heading."""
    return html.replace("<th></th>", "<td></td>")


def turned(text: str, source: str, page: str) -> str:
    """The text of the document *source* with its links as the page *page* of the site has them.

    A link to a file that is no page becomes its text.
    """

    def one(found: re.Match[str]) -> str:
        label, target, anchor = found[1], found[2], found[3] or ""
        if not target or ":" in target:
            return found[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        there = ROOT_DOCUMENTS.get(path)
        if there is None and path.startswith("docs/"):
            there = path.removeprefix("docs/")
        if there is None:
            return label[1:-1]
        return f"{label}({posixpath.relpath(there, posixpath.dirname(page) or '.')}{anchor})"

    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(one, part) for part in parts)


def package_pages() -> list[tuple[str, str]]:
    """Dotted name and page of each package that has modules worth reading."""
    packages = []
    for name in PACKAGES:
        for init in sorted((ROOT / name).rglob("__init__.py")):
            folder = init.parent.relative_to(ROOT).as_posix()
            if not f"{folder}/".startswith(NOT_INSTALLED):
                packages.append(folder.replace("/", "."))
    return [(package, f"reference/{package}.md") for package in packages]


def package_page(package: str) -> str:
    """The package's docstring, and the docstrings of all its modules."""
    folder = ROOT / package.replace(".", "/")
    modules = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    parts = [f"::: {package}\n    options:\n      heading_level: 1\n      members: false\n"]
    parts += [f"::: {package}.{module}\n" for module in modules]
    return "\n".join(parts)

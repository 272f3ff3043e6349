"""The scripts of the pages: a page asks for a script and everything it imports at once."""

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from flask import Flask, url_for
from markupsafe import Markup

from vision.headers import MAX_BYTES

STATIC = Path(__file__).parent / "static"
IMPORT = re.compile(r"^(?:import|export)[^;()]*? from '(\.[^']+)';", re.MULTILINE)
"""An import at the top of a script; its path is relative to the script's folder."""


@cache
def modules_of(script: str) -> tuple[str, ...]:
    """*script*, a path in ``static``, and every module that it imports, itself or through another.

    >>> modules_of("review/geometry.js")
    ('review/geometry.js',)
    >>> modules_of("lobby.js")
    ('lobby.js', 'draft.js', 'draw.js', 'i18n.js')
    """
    found = [script]
    for module in found:
        text = (STATIC / module).read_text(encoding="utf-8")
        imported = (normpath(join(dirname(module), path)) for path in IMPORT.findall(text))
        found += (path for path in dict.fromkeys(imported) if path not in found)
    return tuple(found)


def script_tags(script: str, *later: str | None) -> Markup:
    """Elements that run *script* and fetch all its modules, and those of *later*, at once."""
    modules = dict.fromkeys(module for one in (script, *later) if one for module in modules_of(one))
    tags = [
        Markup('<script type="module" src="{}"></script>').format(
            url_for("static", filename=script)
        )
    ]
    for module in list(modules)[1:]:
        address = url_for("static", filename=module)
        tags.append(Markup('<link rel="modulepreload" href="{}">').format(address))
    return Markup("\n").join(tags)


def register(app: Flask) -> None:
    """Let templates say ``{{ script_tags("lobby.js") }}``, and how large a photo may be."""
    app.jinja_env.globals |= {"script_tags": script_tags, "most_photo_bytes": MAX_BYTES}

"""Shows the examples in docstrings as code: an extension of griffe, which reads them."""

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*?(?=^[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
"""From a prompt to the next blank line."""


class Examples(Extension):
    """Fences every example that no heading announces."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring and not re.search(r"^Examples\n-+$", obj.docstring.value, re.MULTILINE):
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )

"""Sentences as values: a template and what stands in its gaps, until somebody is shown them."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from functools import reduce
from typing import Any, Self


class Text(str):
    """A sentence: in English to everything that takes a ``str``, in any language where it is shown.

    ``template`` has a gap ``%(name)s`` for each of ``values``. A value that is a text itself is
    told in the language of the whole.

    >>> points = Text("%(count)s points", count=3)
    >>> text = Text("the %(points)s of %(card)s were not added", points=points, card="Hayer")
    >>> text
    'the 3 points of Hayer were not added'
    >>> text.values["points"].template
    '%(count)s points'
    """

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:
        if type(template) is cls and not values:
            return template
        text = super().__new__(cls, template % values if values else template)
        text.template, text.values = str(template), values
        return text

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """A text that was kept; a mere string is one without gaps."""
        if isinstance(value, str):
            return cls(value)
        values = value["values"].items()
        return cls(
            value["template"],
            **{name: cls.from_json(one) if isinstance(one, dict) else one for name, one in values},
        )

    def to_json(self) -> Any:
        """The text as a JSON value that keeps its template and values.

        >>> Text.from_json(Text("%(where)s is dark", where=Text("row 1")).to_json())
        'row 1 is dark'
        """
        values = {
            name: one.to_json() if isinstance(one, Text) else one
            for name, one in self.values.items()
        }
        return {"template": self.template, "values": values}

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class Term(Text):
    """A word that programs know a thing by: alone it stays as it is, within a text it is told.

    >>> Text("all of %(season)s", season=Term("spring"))
    'all of spring'
    """


NOTHING = Text("")
"""No sentence."""

NO_UTF8 = Text("expected text in UTF-8: save the file again in that encoding")
"""What is said of a file in another encoding; one in UTF-16 is full of zeros."""


class Told(Exception):
    """An error whose ``message`` is for people: a template with its values, or a finished text."""

    def __init__(self, template: str, /, **values: Any) -> None:
        self.message = Text(template, **values)
        super().__init__(self.message)

    def __reduce__(self) -> Any:
        """What pickle needs: the arguments of an error are not those of its class."""
        return copyreg.__newobj__, (type(self), self.message), self.__dict__  # type: ignore[attr-defined]


class Refused(Told):
    """A ``Told`` for programs as well: ``code`` is a stable word."""

    def __init__(self, code: str, template: str, /, **values: Any) -> None:
        super().__init__(template, **values)
        self.code = code


def plural(one: str, many: str, /, **values: Any) -> Text:
    """A text about a number, the first of the values: *one* if that is 1, else *many*.

    >>> plural("1 tile", "%(n)s tiles", n=3)
    '3 tiles'
    """
    return Text(one if next(iter(values.values())) == 1 else many, **values)


def counted(number: float, thing: str) -> str:
    """A number of things in English, for what a terminal alone shows.

    >>> counted(1, "crop"), counted(2, "crop")
    ('1 crop', '2 crops')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def signed(number: int) -> str:
    """A number with its sign.

    >>> signed(3), signed(-2)
    ('+3', '−2')
    """
    return f"{number:+d}".replace("-", "−")


def listed(parts: Iterable[str], divider: str = ", ") -> Text:
    """Texts one after the other.

    >>> listed(["1", "2", "3"], " + ")
    '1 + 2 + 3'
    """
    values = {f"part{number}": part for number, part in enumerate(parts)}
    template = divider.join(f"%({name})s" for name in values)
    return Text(template, **values)


def both(parts: Iterable[str]) -> str:
    """Texts with "and" between them; at least one.

    >>> both(["sun", "moon", "fish"])
    'sun and moon and fish'
    """
    return reduce(lambda one, other: Text("%(one)s and %(other)s", one=one, other=other), parts)


def either(parts: Iterable[str]) -> str:
    """Texts with "or" between them; at least one."""
    return reduce(lambda one, other: Text("%(one)s or %(other)s", one=one, other=other), parts)

"""Docstrings as this project writes them, for the Python API: an extension of griffe.

A field of a class is described by the comment behind it, and examples are bare `>>>` lines.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Attribute, Docstring, Extension, Object

FIELD_COMMENT = re.compile(r"^[^#\"']*(?:(\"|').*\1)?[^#\"']*#\s*(?P<text>.+)$")
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Docstrings(Extension):
    """Comments behind fields become docstrings, examples become blocks of code."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called for each object once all are loaded."""
        if isinstance(obj, Attribute) and obj.docstring is None and obj.lines:
            if comment := FIELD_COMMENT.match(obj.lines[-1]):
                obj.docstring = Docstring(comment["text"], parent=obj)
        elif obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", text)

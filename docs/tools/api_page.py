"""Write `docs/api.md` from the signatures and docstrings of what is public, with an example each.

    python docs/tools/api_page.py

`tests/project/test_python_api.py` checks that the page is up to date and complete, and the examples
run with those of the other pages.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final

PAGE: Final = Path(__file__).parents[1] / "api.md"
# The sections of the page: an introduction, and below it an example for each name.
SECTIONS: Final = Path(__file__).with_name("api_examples.md")

_WIDTH: Final = 120
_FIELD_COMMENT: Final = re.compile(r"^    (?P<name>\w+): [^#\n]*#\s*(?P<text>.+)$", re.M)
_EXAMPLE: Final = re.compile(r"^>>> .*(?:\n.+)*\n*", re.M)
_HEADING: Final = re.compile(r"^### (masons\.[\w.]+)\n", re.M)


def page() -> str:
    """Return the text of the page."""
    return _HEADING.sub(lambda heading: f"{heading[0]}\n{entry(heading[1])}\n", sections())


def sections() -> str:
    """Return the introductions and the examples."""
    return SECTIONS.read_text(encoding="utf-8")


def names() -> list[str]:
    """Return the dotted names of everything on the page, in order."""
    return _HEADING.findall(sections())


def entry(name: str) -> str:
    """Return the signature and the docstring of an object, and for a class its members."""
    home, last = name.rpartition(".")[::2]
    value = getattr(import_module(home), last)
    if isinstance(value, tuple):  # a constant; the sections say what it is
        return f"```text\n{last}: tuple[{type(value[0]).__name__}, ...]\n```"
    parts = [f"```text\n{_signature(last, value)}\n```", *_paragraphs(value)]
    if isinstance(value, type) and not issubclass(value, Exception):
        parts += ["\n".join(_members(value))]
    return "\n\n".join(part for part in parts if part)


def _paragraphs(value: object) -> list[str]:
    """Return the paragraphs of a docstring without its example, wrapped unless it is a list."""
    text = _EXAMPLE.sub("", inspect.getdoc(value) or "").strip()
    return [
        part if re.match(r"[|\-*]", part) else textwrap.fill(" ".join(part.split()), _WIDTH)
        for part in re.split(r"\n\s*\n", text)
    ]


def _signature(name: str, value: Any) -> str:
    """Return how an object is called, on one line or with one argument a line."""
    if isinstance(value, type) and issubclass(value, Exception):
        return f"{name}({', '.join(base.__name__ for base in value.__bases__)})"
    if getattr(value, "_is_protocol", False) or (
        isinstance(value, type) and issubclass(value, int)
    ):
        return name
    signature = inspect.signature(value)
    words: list[str] = []
    is_keyword = False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
            is_keyword = True
            words.append("*")
        words.append(_parameter(parameter))
    result = "" if isinstance(value, type) else signature.return_annotation
    ending = f" -> {result}" if result not in ("", inspect.Signature.empty) else ""
    line = f"{name}({', '.join(words)}){ending}"
    if len(line) <= _WIDTH - 20:
        return line
    return f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){ending}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    kind = parameter.annotation
    text = stars + parameter.name
    if kind is not parameter.empty:
        text += f": {_annotation(kind)}"
    if parameter.default is parameter.empty:
        return text
    default = repr(parameter.default)
    return f"{text} = {'...' if default[0] == '<' or len(default) > 30 else default}"


def _annotation(kind: Any) -> str:
    """Return an annotation as it stands in the source."""
    return kind if isinstance(kind, str) else str(getattr(kind, "__forward_arg__", kind))


def _members(kind: type) -> Iterator[str]:
    """Yield an item of a list for each field, property and method of a class."""
    bases = [base for base in kind.__mro__[::-1] if base.__module__.startswith("masons.")]
    for base in bases:
        comments = dict(_FIELD_COMMENT.findall(inspect.getsource(base)))
        has_fields = is_dataclass(base) or issubclass(base, tuple)
        for name, annotation in inspect.get_annotations(base).items():
            if has_fields and name[0] != "_":
                said = f": {comments[name].strip()}" if name in comments else ""
                yield _item(f"`{name}: {_annotation(annotation)}`{said}")
    for base in bases:
        for name, value in vars(base).items():
            if name[0] == "_":
                continue
            if isinstance(value, property | cached_property):
                yield _item(f"`{name}`: {_line(value)}")
            elif getattr(value, "__name__", name) != name:
                yield f"- `{name}`: The same as `{value.__name__}`."
            elif inspect.isfunction(value) or isinstance(value, classmethod | staticmethod):
                called = " ".join(_signature(name, getattr(kind, name)).split())
                yield _item(f"`{called.replace('( ', '(').replace(', )', ')')}`: {_line(value)}")


def _line(value: Any) -> str:
    text = inspect.getdoc(getattr(value, "__func__", value)) or ""
    return " ".join(_EXAMPLE.sub("", text).split())


def _item(text: str) -> str:
    return textwrap.fill(
        f"- {text}", _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

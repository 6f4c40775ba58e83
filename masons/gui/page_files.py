"""The files of the page as the server sends them.

When the server starts, it joins the scripts and styles of `static/` in memory, without comments, so
that a page needs few requests. The addresses of the files contain a hash of their content, so
browsers can keep them for good. Only the page and its manifest, which name these addresses, are
sent anew each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from hashlib import sha256
from importlib.resources import files
from typing import Final

import brotli
from rcssmin import cssmin
from rjsmin import jsmin

from masons.gui.made_files import made
from masons.gui.page_fonts import FONTS, font

_KINDS: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
    "woff2": "font/woff2",
}
PAGE: Final = "index.html"
_NAMING: Final = (PAGE, "app.webmanifest")  # the files that name the addresses of others
_SCRIPT: Final = "main.js"
_STYLES: Final = {
    "style.css": (
        "page.css", "layout.css", "table.css", "cards.css", "board.css", "pieces.css", "study.css",
    ),
    "style-dark.css": ("board-dark.css", "dark.css"),
}  # fmt: skip
_ADDRESS: Final = re.compile(r'(?P<name>\b(?:href|src)=|"src": )"(?P<file>[\w.-]+)"')
_IMPORT: Final = re.compile(
    r'^import (?:\* as (?P<all>\w+)|(?P<names>\{[^}]*\})) from "\./(?P<file>[\w-]+\.js)";$', re.M
)
_EXPORTED: Final = re.compile(
    r"^export (?=(?:async )?(?:function|const|class) (?P<name>\w+))", re.M
)
_EXPORTS: Final = re.compile(r"^export \{(?P<names>[\w, ]+)\};$", re.M)


@dataclass(frozen=True)
class PageFiles:
    """The page and its manifest, and the files that these name."""

    naming: Mapping[str, bytes]  # by name
    version: str  # a hash of the other files, which is in their addresses
    loaded: Mapping[str, bytes]  # by name; fonts are made when they are asked for

    def file(self, version: str, name: str) -> bytes | None:
        """Return a file that the page loads, or None if there is no such file or version.

        The page and its manifest have the version "".
        """
        if not version:
            return self.naming.get(name)
        if version != self.version:
            return None
        return font(name) if name in FONTS else self.loaded.get(name)

    def prepare(self) -> None:
        """Make what takes a while, before the first page asks for it."""
        for name in (_SCRIPT, *_STYLES):
            compressed(name, self.loaded[name])
        for name in FONTS:
            font(name)


def kind_of(name: str) -> str:
    """Return the media type of a file."""
    return _KINDS[name.rpartition(".")[2]]


@cache
def compressed(name: str, content: bytes) -> bytes:
    """Return a text as Brotli, a seventh smaller than gzip."""
    return made(f"{name}.br", content, lambda: bytes(brotli.compress(content, brotli.MODE_TEXT)))


def page_files() -> PageFiles:
    """Return the files of the page. No other file is ever sent."""
    data = {
        path.name: path.read_bytes()
        for path in (files("masons.gui") / "static").iterdir()
        if path.name.rpartition(".")[2] in _KINDS
    }
    icons = {name: data.pop(name) for name in list(data) if name.endswith((".svg", ".png"))}
    static = {name: content.decode() for name, content in data.items()}
    texts = {
        _SCRIPT: joined_script(static, _SCRIPT),
        **{name: _joined_styles(static, parts) for name, parts in _STYLES.items()},
        **{name: text for name, text in static.items() if name.startswith("words-")},
    }
    encoded = {name: text.encode() for name, text in texts.items()}
    loaded = {**encoded, **icons}
    hashed = {**loaded, **FONTS}
    version = sha256(b"\0".join(hashed[name] for name in sorted(hashed))).hexdigest()[:16]

    def address(link: re.Match[str]) -> str:
        return f'{link["name"]}"{version}/{link["file"]}"' if link["file"] in hashed else link[0]

    naming = {name: _ADDRESS.sub(address, static[name]).encode() for name in _NAMING}
    return PageFiles(naming, version, loaded)


def _joined_styles(static: Mapping[str, str], parts: Iterable[str]) -> str:
    return str(cssmin("".join(static[part] for part in parts)))


def joined_script(static: Mapping[str, str], main: str) -> str:
    """Return a module and all modules that it imports as one script, without comments.

    Each module becomes a function that returns what the module exports. The script exports all of
    this as `modules`, by the names of the files, for tests and the browser's console. Modules must
    not import each other in a circle, and what they export must not change. Raises ValueError if a
    module has another form of `import` or `export`, and CycleError if there is a circle.
    """
    imported: dict[str, list[str]] = {}
    waiting = [main]
    while waiting:
        name = waiting.pop()
        if name not in imported:
            imported[name] = [match["file"] for match in _IMPORT.finditer(static[name])]
            waiting += imported[name]
    names = [*TopologicalSorter(imported).static_order()]
    modules = ", ".join(f'"{name}": {_variable(name)}' for name in names)
    functions = [_function(name, static[name]) for name in names]
    return str(jsmin("\n".join([*functions, f"export const modules = {{ {modules} }};\n"])))


def _function(name: str, text: str) -> str:
    """Return a module as a function that is called at once."""
    exported = [match["name"] for match in _EXPORTED.finditer(text)]
    exported += [match["names"].strip() for match in _EXPORTS.finditer(text)]

    def taken(match: re.Match[str]) -> str:
        return f"const {match['all'] or match['names']} = {_variable(match['file'])};"

    text = _IMPORT.sub(taken, _EXPORTS.sub("", _EXPORTED.sub("", text)))
    if re.search(r"^(?:import|export)\b(?!\()", text, re.M):
        raise ValueError(f"{name} has an import or export that cannot be joined")
    body = f"{text.strip()}\nreturn {{ {', '.join(exported)} }};"
    return f"const {_variable(name)} = await (async () => {{\n{body}\n}})();\n"


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_")

"""Imports run downwards only, between packages and between the folders inside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import masons
from tests.support.commands import run_python
from tests.support.paths import PACKAGE, ROOT

# From the bottom up: a module imports from its own layer and those below it.
LAYERS = (
    "masons.version",
    "masons.engine",
    "masons.words",
    "masons.ai",
    "masons.protocol",
    "masons.match",
    "masons.gui",
    "masons",
    "masons.env",
    "masons.cli",
)
# At the top level, these are links into `masons/`.
LINKED = ("engine", "ai", "cli")
# Not the names of anything that can be imported.
BARE = ("engine", "words", "ai", "protocol", "match", "gui", "env", "cli", "tests", "benchmarks")
# What else belongs to some packages only.
OWNERS = {
    "numba": ("engine", "ai"),
    "llvmlite": ("engine",),
    "cffi": ("engine",),
    "torch": (),
    "click": ("cli",),
    "distributed": ("ai",),
    "rich": ("cli",),
    "prompt_toolkit": ("cli",),
    "msgspec": ("gui",),
    "rjsmin": ("gui",),
    "starlette": ("gui",),
    "uvicorn": ("gui",),
    "resvg_py": ("gui",),
    "font_source_sans_pro": ("gui",),
}
# Loaded without numpy and the compiler, so that the command line starts fast.
LIGHT = (
    "masons.engine.board.board_svg",
    "masons.engine.board.components",
    "masons.engine.board.geometry",
    "masons.engine.errors",
    "masons.engine.formats.move_text",
    "masons.engine.kernels.c_module",
    "masons.engine.kernels.kernel_cache",
    "masons.engine.playouts.policies",
    "masons.ai.players.player_names",
    "masons.ai.search.limits",
    "masons.ai.search.search_options",
    "masons.cli.main",
    "masons.env",
    "masons.protocol.client",
)


def modules() -> dict[str, Path]:
    """Return the file of every module of the project by its name."""
    paths = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.parent.name != "native":  # of the build, not of the package
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            paths[name.removesuffix(".__init__")] = path
    return paths


MODULES = modules()


def layer_of(name: str) -> str:
    """Return the layer of one of the project's modules."""
    layer = ".".join(name.split(".")[:2])
    return layer if layer in LAYERS else "masons"


def folder_of(name: str) -> str:
    """Return the folder of one of the project's modules, as a dotted name."""
    return name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]


def imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, those inside functions and for types included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or "a relative import"
            for name in node.names:
                inner = f"{module}.{name.name}"
                yield inner if inner in MODULES else module


IMPORTS = {name: set(imports(path)) for name, path in MODULES.items()}


def is_allowed(layer: str, imported: str) -> bool:
    """Return whether a module of a layer may import a module."""
    top = imported.partition(".")[0]
    if top == "masons":
        return LAYERS.index(layer_of(imported)) <= LAYERS.index(layer)
    short = layer.removeprefix("masons.")
    return short in OWNERS.get(top, (short,)) and top not in BARE


def test_imports_run_downwards() -> None:
    assert "masons.engine.rules.transitions" in MODULES
    assert {".".join(name.split(".")[:2]) for name in MODULES} == set(LAYERS)
    assert [
        (name, imported)
        for name, names in IMPORTS.items()
        for imported in sorted(names)
        if not is_allowed(layer_of(name), imported)
    ] == []


def test_no_module_and_no_folder_imports_itself_by_a_detour() -> None:
    """A folder and one inside it are two."""
    graph = {name: names & set(MODULES) - {name} for name, names in IMPORTS.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(MODULES)
    folders: dict[str, set[str]] = {}
    for name, names in graph.items():
        used = {folder_of(used) for used in names if used not in ("masons", "masons.version")}
        if name not in ("masons", "masons.version"):
            folders.setdefault(folder_of(name), set()).update(used - {folder_of(name)})
    list(TopologicalSorter(folders).static_order())


def test_light_modules_load_no_compiler() -> None:
    code = (
        f"import importlib, sys; [importlib.import_module(n) for n in {LIGHT!r}]; "
        "print([m for m in ('numpy', 'numba', 'llvmlite') if m in sys.modules])"
    )
    assert run_python("-c", code).stdout == "[]\n"


@pytest.mark.parametrize("folder", LINKED)
def test_a_folder_imported_under_its_bare_name_is_refused(folder: str) -> None:
    done = run_python("-c", f"import {folder}", code=1, cwd=PACKAGE)
    assert f"import this package as masons.{folder}, not as {folder}" in done.stderr


def test_a_bare_checkout_is_enough(tmp_path: Path) -> None:
    """Without an install: the command runs, its version is known, files are where they are."""
    code = (
        "import importlib.metadata as m\n"
        "def none(name): raise m.PackageNotFoundError(name)\n"
        "real, m.version = m.version, lambda n: none(n) if 'masons' in n else real(n)\n"
        "import masons, masons.engine.errors as e\n"
        "from masons.cli.main import run\n"
        "print(e.__file__); run(['--version'])"
    )
    file, first, *_ = run_python("-c", code, cwd=tmp_path).stdout.splitlines()
    assert Path(file) == PACKAGE / "engine" / "errors.py"
    assert first.split() == ["masons-engine", masons.__version__]

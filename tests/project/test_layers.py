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

LAYERS = ("engine", "words", "ai", "env", "protocol", "match", "gui", "cli")
# At the top level, these are links into `masons/`.
LINKED = ("engine", "ai", "cli")
# What of the project a package may import: those below it. `masons` itself stands on all but cli.
BELOW = {
    **{name: tuple(f"masons.{low}" for low in LAYERS[: i + 1]) for i, name in enumerate(LAYERS)},
    "masons": tuple(f"masons.{low}" for low in LAYERS[:-1]),
}
# What else belongs to some packages only.
OWNERS = {
    "numba": ("engine", "ai"),
    "llvmlite": ("engine",),
    "cffi": ("engine",),
    "torch": (),
    "click": ("cli",),
    "distributed": ("match",),
    "rich": ("cli",),
    "prompt_toolkit": ("cli",),
    "msgspec": ("gui",),
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


def package_of(name: str) -> str:
    """Return the package of one of the project's modules: `masons.engine`, or `masons`."""
    return ".".join(name.split(".")[:2])


def folder_of(name: str) -> str:
    """Return the folder of one of the project's modules, as a dotted name."""
    return name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]


def imports(path: Path, *, top_only: bool = False) -> Iterator[str]:
    """Yield the modules that a file imports: `from a import b` gives a and a.b."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "a relative import"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def is_allowed(layer: str, imported: str) -> bool:
    """Return whether a package may import a module."""
    top = imported.partition(".")[0]
    if imported.startswith("masons."):
        return package_of(imported) in (*BELOW[layer], "masons.__version__")
    return layer in OWNERS.get(top, (layer,)) and top not in (*LAYERS, "tests", "benchmarks")


def test_imports_run_downwards() -> None:
    assert "masons.engine.rules.transitions" in MODULES
    assert [
        (name, imported)
        for name, path in MODULES.items()
        for imported in imports(path)
        if not is_allowed(package_of(name).removeprefix("masons."), imported)
    ] == []


@pytest.mark.slow
def test_no_module_and_no_folder_imports_itself_by_a_detour() -> None:
    """Between folders imports inside functions count; a folder and one inside it are two."""
    graph = {
        name: set(imports(path, top_only=True)) & set(MODULES) - {name, "masons"}
        for name, path in MODULES.items()
    }
    assert len(list(TopologicalSorter(graph).static_order())) == len(MODULES)
    folders: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        used = {folder_of(used) for used in imports(path) if used in MODULES and used != "masons"}
        if name != "masons":
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

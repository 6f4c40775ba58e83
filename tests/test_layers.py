"""Imports run downwards only: cli, screen, match, protocol, review, pictures, ai, engine.

api stands on all but cli.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = ("engine", "ai", "pictures", "review", "protocol", "match", "screen", "cli")
FOLDERS = {**{name: f"masons.{name}" for name in LAYERS}, "api": "masons"}
# What of the project a folder may import.
BELOW = {
    **{name: tuple(f"masons.{low}" for low in LAYERS[: i + 1]) for i, name in enumerate(LAYERS)},
    "api": tuple(f"masons.{low}" for low in LAYERS[:-1]),
}
# What else belongs to one layer.
OWNERS = {
    "numba": ("engine", "ai"),
    "llvmlite": ("engine",),
    "cffi": ("engine",),
    "click": ("cli",),
    "distributed": ("match",),
    "rich": ("screen", "cli"),
    "prompt_toolkit": ("screen", "cli"),
    "resvg_py": ("pictures",),
    "font_source_sans_pro": ("pictures",),
}
# Loaded without numpy and the compiler, so that the command line starts fast.
LIGHT = ("board", "cache", "components", "errors", "monotonic", "notation", "svg")


def modules() -> dict[str, tuple[str, Path]]:
    """Every module of the project: its folder and file, by its name."""
    found = {}
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join([package, *(part for part in parts if part != "__init__")])
            found[name] = (folder, path)
    return found


MODULES = modules()


def imports(path: Path, *, top_only: bool = False) -> Iterator[str]:
    """The modules that a file imports: `from a import b` gives a and a.b."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: imports inside the project are absolute"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def package_of(name: str) -> str:
    """The layer of one of the project's modules."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[1:] and parts[1] in FOLDERS else "masons"


def test_all_layers_are_found() -> None:
    assert {folder for folder, _ in MODULES.values()} == set(FOLDERS)
    assert "masons.engine.rules" in MODULES


@pytest.mark.parametrize("name", MODULES)
def test_imports_run_downwards(name: str) -> None:
    folder, path = MODULES[name]
    for imported in imports(path):
        top = imported.partition(".")[0]
        if top == "masons":
            assert package_of(imported) in BELOW[folder], f"{name} imports {imported}"
        elif top in OWNERS:
            assert folder in OWNERS[top], f"{name} imports {imported}"
        assert top not in (*FOLDERS, "tests", "benchmarks")


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {
        name: set(imports(path, top_only=True)) & set(MODULES) - {name}
        for name, (_, path) in MODULES.items()
    }
    assert len(list(TopologicalSorter(graph).static_order())) == len(MODULES)


def test_the_interface_is_lazy() -> None:
    """`import masons` must not load the engine."""
    found = imports(ROOT / "api" / "__init__.py", top_only=True)
    assert not [name for name in found if name.startswith("masons")]


def test_the_packages_are_mapped_to_their_folders() -> None:
    tree = ast.parse((ROOT / "setup.py").read_text())
    (folders,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FOLDERS"
    )
    assert folders == {package: folder for folder, package in FOLDERS.items()}


def test_light_modules_load_no_compiler() -> None:
    names = [f"masons.engine.{name}" for name in LIGHT]
    names += ["masons.cli.main", "masons.protocol.client"]
    code = (
        f"import importlib, sys; [importlib.import_module(n) for n in {names!r}]; "
        "print([m for m in ('numpy', 'numba', 'llvmlite') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_folder_imported_under_its_bare_name_is_refused() -> None:
    for folder in LAYERS:
        done = subprocess.run(
            [sys.executable, "-c", f"import {folder}"], capture_output=True, text=True, cwd=ROOT
        )
        assert f"import this package as masons.{folder}, not as {folder}" in done.stderr

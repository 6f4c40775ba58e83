"""The tools under docs/tools, which write pages and types from the code."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from tests.support.paths import DOCS


def doc_tool(name: str) -> Any:
    """Return the module of a tool."""
    spec = spec_from_file_location(name, DOCS / f"tools/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

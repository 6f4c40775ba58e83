"""Advice on how to install an extra, which works for an index, a checkout and a file."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from masons.engine.errors import READ_ERRORS

_NAME = "masons-engine"
_ROOT = Path(__file__).parents[2]


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation, wherever it came from."""
    if (_ROOT / "pyproject.toml").is_file():  # a checkout, installed or not
        return f"pip install -e {shlex.quote(f'{_ROOT}[{extra}]')}"
    origin = _origin()
    return f"pip install {shlex.quote(f'{_NAME}[{extra}]' + (f' @ {origin}' if origin else ''))}"


def _origin() -> str:
    """Return the URL from which pip installed the program, or "" if it came from an index."""
    from importlib.metadata import PackageNotFoundError, distribution  # 15 ms, seldom needed

    try:
        about = json.loads(distribution(_NAME).read_text("direct_url.json") or "{}")
        vcs = about.get("vcs_info", {}).get("vcs")
        return f"{vcs}+{about['url']}" if vcs else str(about.get("url", ""))
    except (PackageNotFoundError, *READ_ERRORS):
        return ""

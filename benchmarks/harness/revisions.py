"""Installing a revision, or the working tree, in a folder of its own."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from benchmarks.harness.measuring import ROOT


class RevisionError(Exception):
    """A revision that is not there or cannot be installed."""


def _git(*arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed"
        raise RevisionError(why.splitlines()[-1])
    return done.stdout


def commit_of(revision: str) -> str:
    """The short id of the commit that a revision names. Raises RevisionError."""
    line = ("rev-parse", "--verify", "--quiet", "--short=12", f"{revision}^{{commit}}")
    try:
        return _git(*line).decode().strip()
    except RevisionError:
        raise RevisionError(f"{revision!r} is no revision of {ROOT}") from None


def write_revision(revision: str, folder: Path) -> None:
    """The files of a commit."""
    with tarfile.open(fileobj=io.BytesIO(_git("archive", revision))) as archive:
        # There is no filter before Python 3.11.4.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)


def write_working_tree(folder: Path) -> None:
    """The files as they are now, without those that git ignores."""
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode()
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def install(source: Path, folder: Path) -> None:
    """Install a tree without its dependencies, C parts and all. Raises RevisionError."""
    line = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    line += ["--disable-pip-version-check", "--target", str(folder), str(source)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RevisionError(f"cannot install {source}: {done.stderr.strip() or done.returncode}")


def environment(cache: Path, *folders: Path) -> dict[str, str]:
    """What makes Python import from some folders, the first first, and keep kernels in `cache`."""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    path = os.pathsep.join(map(str, folders))
    return {**kept, "PYTHONPATH": path, "XDG_CACHE_HOME": str(cache)}

"""The paths of the project's folders that tests use."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "masons"
TESTS = ROOT / "tests"
SUPPORT = TESTS / "support"
BOARDS = SUPPORT / "boards"
DATA = SUPPORT / "data"
DRAWINGS = SUPPORT / "drawings"
TRANSCRIPTS = SUPPORT / "transcripts"
PERFT = TESTS / "perft"
EXAMPLES = ROOT / "examples"
DOCS = ROOT / "docs"

"""The forms of shards: plain Python, as the command line names them before numpy is loaded."""

from __future__ import annotations

from typing import Final

FORMS: Final = ("npz", "parquet")  # numpy's, and Parquet by pyarrow

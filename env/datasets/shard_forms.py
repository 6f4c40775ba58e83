"""The forms and sizes of datasets: plain Python, for the command line before numpy is loaded."""

from __future__ import annotations

from typing import Final

FORMS: Final = ("npz", "parquet")  # numpy's, and Parquet by pyarrow
MAX_GAMES: Final = 10**7
MAX_SHARD_GAMES: Final = 10_000

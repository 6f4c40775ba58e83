"""All that is measured, by name: `against` compares WORKS, `test_suite.py` times everything."""

from __future__ import annotations

from benchmarks.harness.measuring import Work
from benchmarks.workloads import kernel_works, play_works, start_works, text_works

WORKS: dict[str, Work] = {
    **kernel_works.WORKS, **text_works.WORKS, **play_works.WORKS, **start_works.WORKS,
}  # fmt: skip
EVERYTHING: dict[str, Work] = {**WORKS, **play_works.SCALES}

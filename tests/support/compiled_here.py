"""Tests that would compile many kernels for themselves alone run where kernels are compiled."""

from __future__ import annotations

import pytest

from masons.engine.kernels.library.kernel_sources import asked_for_jit

with_jit_only = pytest.mark.skipif(not asked_for_jit(), reason="compiles kernels: MASONS_JIT=1")

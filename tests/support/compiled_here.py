"""Tests that would compile many kernels for themselves alone run where kernels are compiled."""

from __future__ import annotations

import pytest

from masons.engine.kernels.c_module import jit_setting

with_jit_only = pytest.mark.skipif(not jit_setting(), reason="compiles kernels: MASONS_JIT=1")

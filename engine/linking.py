"""A shorter way to compile functions that are only ever linked into others.

numba makes every jitted function fit to run: it optimises the function with all that it calls and
makes machine code of it, though our inner functions run only as part of a kernel, which is
optimised as a whole anyway. Here they stop at LLVM's intermediate code, ready to be linked.

This leans on details of numba's compiler pipeline, so `jit` uses it only with versions that it was
tried with; with others inner functions are compiled the ordinary way, only slower.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


def _skip(library: Any) -> None:
    """Instead of optimising what the kernel will optimise again."""


def _mark_finished(library: Any) -> None:
    """Instead of making machine code that nobody calls."""
    library._finalize_dynamic_globals()
    library._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkOnlyLowering(NativeLowering):  # type: ignore[misc]
    """Lower a function to intermediate code for its callers to link."""

    _name = "link_only_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower, and let callers find the function."""
        state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        state.library._optimize_final_module = MethodType(_skip, state.library)
        state.library._finalize_final_module = MethodType(_mark_finished, state.library)
        state.flags.no_compile = True
        super().run_pass(state)
        # numba knows a compiled function by something that Python could call. This is a new one
        # each time, and raises a TypeError when it is called like an inner function.
        key = {}.update  # type: ignore[var-annotated]
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return True


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """The nopython pipeline with that lowering."""

    def define_pipelines(self) -> list[Any]:
        """The one pipeline."""
        builder = DefaultPassBuilder.define_nopython_pipeline(self.state)
        builder.passes = [
            (LinkOnlyLowering if step is NativeLowering else step, why)
            for step, why in builder.passes
        ]
        builder.finalize()
        return [builder]

"""A shorter way to compile functions that are only ever linked into others.

numba makes every jitted function fit to run: it rewrites array expressions and closures, keeps
account of references, optimises the function with all that it calls and makes machine code of it.
Our inner functions hold numbers and pointers only, and run only as part of a kernel. So here

- an inner function goes through the steps that such code needs (`INNER_STEPS`) and stops at LLVM's
  intermediate code, as written;
- what one call's types come to is remembered, because the same few operators on the same few
  types make up nearly all of a kernel;
- a kernel links each function that it reaches once, and is optimised once, as a whole.

This leans on details of numba's compiler pipeline, so `jit` uses it only with versions that it was
tried with; with others inner functions are compiled the ordinary way, only slower. In the checked
build they are too: use that one to print from an inner function.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any, Final

from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.lowering import Lower
from numba.core.ssa import reconstruct_ssa
from numba.core.typed_passes import (
    AnnotateTypes,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The intermediate code of one inner function, without that of the functions it calls."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave it to the kernel, which optimises everything as a whole."""
        ll_module.data_layout = self._codegen._data_layout

    def add_linking_library(self, library: Any) -> None:
        """Remember a function that this one calls; the kernel will link it."""
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Be ready to be linked; there is no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A kernel with all that it reaches."""

    _linking_libraries: list[Any]

    def _optimize_functions(self, ll_module: Any) -> None:
        """Not by itself, but with what it calls."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Link every function once, optimise, and make machine code."""
        self._linking_libraries = reached_from(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """LLVM's full suite, once: numba's cheap one before it serves reference counting."""
        suite = self._codegen._module_pass_manager()
        if isinstance(suite, tuple):
            manager, builder = suite
            manager.run(self._final_module, builder)
        else:  # LLVM's older pass manager, of numba 0.61
            super()._optimize_final_module()


class RememberingTypes:
    """A typing context that looks up what a call returns once for the same types."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self._known: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        key = func, args, tuple(kws.items())
        signature = self._known.get(key)
        if signature is None:
            signature = self.context.resolve_function_type(func, args, kws)
            if signature is not None:
                self._known[key] = signature
        return signature


_types: list[RememberingTypes] = []


def _remembering(context: Any) -> RememberingTypes:
    """The one that stands before a context; numba has one context for all."""
    if not (_types and _types[0].context is context):
        _types[:] = [RememberingTypes(context)]
    return _types[0]


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerSSA(ReconstructSSA):  # type: ignore[misc]
    """One assignment a variable, without working out again how long each one lives."""

    _name = "inner_ssa"

    def run_pass(self, state: Any) -> bool:
        """Give each assignment a variable of its own."""
        state.func_ir = reconstruct_ssa(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerStripPhis(PreLowerStripPhis):  # type: ignore[misc]
    """No more phi nodes; lifetimes as above."""

    _name = "inner_strip_phis"

    def run_pass(self, state: Any) -> bool:
        """Put their values where control comes from."""
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerTypes(NopythonTypeInference):  # type: ignore[misc]
    """Type inference with a memory."""

    _name = "inner_types"

    def run_pass(self, state: Any) -> bool:
        """Infer the types of a function, and compile those it calls."""
        plain = state.typingctx
        state.typingctx = _remembering(plain)
        try:
            return bool(super().run_pass(state))
        finally:
            state.typingctx = plain


class InnerLower(Lower):  # type: ignore[misc]
    """Lowering without references to count: a variable is stored, and that is all."""

    def lower_block(self, block: Any) -> None:
        """Lower a block; an error, which would be a bug, comes as it is."""
        self.pre_block(block)
        for statement in block.body:
            self.loc = statement.loc
            self.lower_inst(statement)
        self.post_block(block)

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:  # noqa: ARG002
        """Set a variable without a look at what it held."""
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:  # noqa: ARG002
        """Memory for a variable, of which no debugger needs to know."""
        return cgutils.alloca_once(self.builder, lltype, name=name)


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):  # type: ignore[misc]
    """Lower a function to intermediate code for its callers to link."""

    _name = "inner_lowering"

    @property
    def lowering_class(self) -> type[InnerLower]:
        """How single statements are lowered."""
        return InnerLower

    def run_pass(self, state: Any) -> bool:
        """Lower, and let callers find the function."""
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # numba knows a compiled function by something that Python could call. This is a new one
        # each time, and raises a TypeError when it is called like an inner function.
        key = {}.update  # type: ignore[var-annotated]
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class SharedLowering(InnerLowering):
    """Lower a function that stays one, however many call it."""

    _name = "shared_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower, and tell LLVM."""
        done = super().run_pass(state)
        state.library.get_function(state.cr.fndesc.llvm_func_name).add_function_attribute(
            "noinline"
        )
        return done


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):  # type: ignore[misc]
    """Lower an entry point into a library that links everything once."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower and compile."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


# Out of numba's own: no closures, array expressions or literal arguments are looked for, and
# nothing is deleted at the end of its life.
INNER_STEPS: Final = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    RewriteSemanticConstants,
    DeadBranchPrune,
    GenericRewrites,
    InnerSSA,
    InnerTypes,
    InnerStripPhis,
    AnnotateTypes,
    InnerLowering,
    NoPythonBackend,
)


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """How an inner function is compiled."""

    def define_pipelines(self) -> list[Any]:
        """The one pipeline."""
        manager = PassManager("inner")
        for step in INNER_STEPS:
            manager.add_pass(step, step.__name__)
        manager.finalize()
        return [manager]


class SharedCompiler(CompilerBase):  # type: ignore[misc]
    """How an inner function is compiled that no caller's body takes in."""

    def define_pipelines(self) -> list[Any]:
        """The one pipeline."""
        manager = PassManager("shared")
        for step in INNER_STEPS:
            manager.add_pass(SharedLowering if step is InnerLowering else step, step.__name__)
        manager.finalize()
        return [manager]


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """How an entry point is compiled: numba's nopython pipeline up to the linking."""

    def define_pipelines(self) -> list[Any]:
        """The one pipeline."""
        builder = DefaultPassBuilder.define_nopython_pipeline(self.state)
        builder.passes = [
            (KernelLowering if step is NativeLowering else step, why)
            for step, why in builder.passes
        ]
        builder.finalize()
        return [builder]

    def compile_extra(self, func: Any) -> Any:
        """Compile without collecting garbage: there is little, and it takes a tenth longer."""
        enabled = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if enabled:
                gc.enable()


class EntryCompiler(CompilerBase):  # type: ignore[misc]
    """How an entry point is compiled for a library: up to the intermediate code, as inner ones."""

    def define_pipelines(self) -> list[Any]:
        """The one pipeline."""
        builder = DefaultPassBuilder.define_nopython_pipeline(self.state)
        builder.passes = [
            (InnerLowering if step is NativeLowering else step, why) for step, why in builder.passes
        ]
        builder.finalize()
        return [builder]


def reached_from(libraries: Iterable[Any]) -> list[Any]:
    """All that some functions' code needs, each once: themselves and what they call."""
    reached: dict[Any, None] = {}
    todo = [*libraries][::-1]
    while todo:
        library = todo.pop()
        if library not in reached:
            reached[library] = None
            if isinstance(library, InnerLibrary):
                todo += library._linking_libraries[::-1]
    return list(reached)

"""The declaration, compilation and calls of kernels, and functions that all kernels use.

| file | content |
| --- | --- |
| `jit.py` | the decorators `kernel`, `inner`, `inlined`, `shared`, and pointers |
| `bits.py` | words of 64 bits as sets |
| `rng.py` | the random generator |
| `c_module.py` | the C module: kernels compiled ahead of time, and the clock |
| `kernel_calls.py` | the parameters of a kernel, and the function that calls it |
| `loading.py` | kernels that were not compiled ahead of time |
| `kernel_cache.py` | the cache of compiled machine code |
| `compiling.py` | numba and LLVM: from kernels to machine code |
| `intrinsics.py` | functions written in LLVM's intermediate code |
| `checked.py` | slower versions of the intrinsics, which check every access |
| `library_build.py` | builds the library when the package is built |
| `native/` | the C module's sources |
"""

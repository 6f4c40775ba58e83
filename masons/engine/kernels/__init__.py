"""Kernels, functions compiled to machine code: their declaration, compilation, calls and helpers.

| file | content |
| --- | --- |
| `jit.py` | the decorators `inner`, `inlined` and `shared`; pointers inside kernels; workspaces |
| `bits.py` | sets stored in words of 64 bits |
| `exact_math.py` | exponential function and logarithm, with the same bits on every machine |
| `rng.py` | the random generator |
| `c_module.py` | the C module: the library (kernels compiled ahead of time) and the clock |
| `kernel_calls.py` | the decorator `kernel`, and the Python function that calls the machine code |
| `parameters.py` | the parameters of a kernel, and the declaration of its C function |
| `loading.py` | the list of all kernels; loads kernels that are not in the library |
| `kernel_cache.py` | the cache of compiled machine code |
| `compiling.py` | compilation with numba and LLVM |
| `machine.py` | what LLVM needs to know of this machine |
| `intrinsics.py` | functions of `jit.py` and `bits.py` written in LLVM's intermediate code |
| `vector_intrinsics.py` | those of many numbers at once |
| `checked.py` | slower versions of the intrinsics, which check every access |
| `library_build.py` | compiles the library when the package is built |
| `native/` | the C sources of the C module |
"""

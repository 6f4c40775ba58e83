"""How kernels are compiled and kept, and the small things that all of them use.

| file | what it holds |
| --- | --- |
| `kernel_cache.py` | the cache folder and the key it is named by |
| `kernel_store.py` | compiled kernels on disk, one file each |
| `compiler_link.py` | a shorter way through numba for functions that only kernels call |
| `library/` | the kernels made ahead of time: parameters, calls, C header |
| `jit.py` | the decorators `kernel`, `inner`, `inlined`, `shared`, and pointers |
| `compiling.py` | what they do where kernels are compiled here |
| `intrinsics.py` | what kernels need of LLVM: pointers, single instructions |
| `bits.py` | words of 64 bits as sets |
| `rng.py` | the random generator |
| `clock_source.py` | which clock there is: C module, C library or Python |
| `clock_symbol.py` | the clock for kernels compiled here |
| `clock.py` | the time inside kernels |
| `library_build.py` | makes the library when the package is built |
| `native/` | the C module: the clock, and the library |
"""

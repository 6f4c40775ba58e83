"""How kernels are declared, compiled and called, and the small things that all of them use.

| file | what it holds |
| --- | --- |
| `jit.py` | the decorators `kernel`, `inner`, `inlined`, `shared`, and pointers |
| `bits.py` | words of 64 bits as sets |
| `rng.py` | the random generator |
| `c_module.py` | the C module: kernels made ahead of time, and the clock |
| `kernel_calls.py` | what a kernel takes, and how it is called |
| `loading.py` | kernels that were not made ahead of time |
| `kernel_cache.py` | where those are kept |
| `compiling.py` | numba and LLVM: from kernels to machine code |
| `intrinsics.py` | functions in LLVM's own code |
| `checked.py` | their forms that check every access |
| `library_build.py` | makes the library when the package is built |
| `native/` | the C module's sources |
"""

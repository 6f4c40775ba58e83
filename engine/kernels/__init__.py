"""How kernels are compiled and kept, and the small things that all of them use.

| file | what it holds |
| --- | --- |
| `kernel_cache.py` | the cache folder and the key it is named by |
| `kernel_store.py` | compiled kernels on disk, one file each |
| `compiler_link.py` | a shorter way through numba for functions that only kernels call |
| `jit.py` | the decorators `kernel`, `inner`, `inlined`, and pointers |
| `bits.py` | words of 64 bits as sets |
| `rng.py` | the random generator |
| `clock_source.py` | which clock there is: C module, C library or Python |
| `clock.py` | the time inside kernels |
| `native/` | the C module of the clock |
"""

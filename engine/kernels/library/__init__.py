"""The kernels as machine code made ahead of time: what stands in the C module, and calls of it.

The module `library_build` beside this folder makes it; `jit` uses it where it is there.

| file | what it holds |
| --- | --- |
| `kernel_sources.py` | the hash of the sources, which a library must have been made from |
| `parameters.py` | what a kernel takes and returns, read from its annotations |
| `native_library.py` | whether there is a library that can be used, and why not |
| `library_calls.py` | the Python functions that call it |
| `library_text.py` | the C header and the C code around the machine code |
"""

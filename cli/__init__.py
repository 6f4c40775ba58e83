"""The command line.

| folder or file | what it holds |
| --- | --- |
| `main.py` | the program `masons-engine`: its commands as a group, errors |
| `commands/` | one file a command |
| `options/` | arguments and options that several commands take |
| `reports/` | what commands print: tables, JSON, pages |
| `terminal/` | a game played at a terminal |
| `support/` | consoles, files, compiling ahead |
"""

if __name__ != "masons.cli":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.cli, not as {__name__}")

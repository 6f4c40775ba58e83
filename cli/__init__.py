"""The command line.

| folder or file | what it holds |
| --- | --- |
| `main.py` | the program `masons-engine`: its commands as a group, errors |
| `commands/` | the commands, in files named like them; small ones in `tools.py` |
| `options.py`, `sources.py` | options that several commands take; positions and records they name |
| `process.py`, `console.py` | exit codes, signals, streams; consoles, progress bars, tables |
| `reports/` | what commands print: tables, JSON, stories |
| `terminal/` | a game played at a terminal |
"""

if __name__ != "masons.cli":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.cli, not as {__name__}")

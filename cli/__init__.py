"""The command line.

| folder or file | what it holds |
| --- | --- |
| `main.py` | the program `masons-engine`: its group of commands, errors |
| `commands/` | the commands, in files of their names; small ones in `tools.py` |
| `options.py`, `sources.py` | options of several commands; arguments for positions and records |
| `process.py`, `console.py` | exit codes, signals, streams; consoles, progress bars, tables |
| `reports/` | the output of commands: tables, JSON, games retold in words |
| `terminal/` | a game played at a terminal |
"""

if __name__ != "masons.cli":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.cli, not as {__name__}")

"""The command line.

| folder or file | what it holds |
| --- | --- |
| `main.py` | the program `masons-engine`: its list of commands and its handling of errors |
| `commands/` | a file for each command; the commands for developers share `tools.py` |
| `options.py` | arguments and options that several commands share |
| `sources.py` | arguments that name positions and records |
| `search_query.py` | the search of a position that `analyze` and `show` are asked for |
| `process.py` | exit codes, signals and standard streams |
| `console.py` | consoles, progress bars and tables |
| `reports/` | the output of commands, as tables, as JSON and in words |
| `terminal/` | games played at a terminal |
"""

if __name__ != "masons.cli":
    # Importing a file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.cli, not as {__name__}")

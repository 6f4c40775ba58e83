"""The command line: click commands and what they draw."""

if __name__ != "masons.cli":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.cli, not as {__name__}")

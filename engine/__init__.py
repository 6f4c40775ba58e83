"""The engine: rules, packed state, kernels, notation and records of the board game Masons."""

if __name__ != "masons.engine":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.engine, not as {__name__}")

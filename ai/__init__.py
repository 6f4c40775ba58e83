"""The players: determinization, tree, playouts and search."""

if __name__ != "masons.ai":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.ai, not as {__name__}")

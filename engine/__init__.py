"""The engine: rules, packed states, kernels, texts and records of the board game Masons.

From the bottom up, each folder imports only those before it: `storage`, `kernels`, `board`,
`state`, `rules`, `playouts`, `formats`, `game`, `fair`.
"""

if __name__ != "masons.engine":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.engine, not as {__name__}")

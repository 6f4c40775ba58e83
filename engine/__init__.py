"""The engine of Masons: rules, packed states, kernels, text formats and game records.

The folders, from the bottom up, are `storage`, `kernels`, `board`, `state`, `rules`, `playouts`,
`formats`, `game`, `fair` and `lessons`. Each folder imports only from the folders listed before it.
"""

if __name__ != "masons.engine":
    # A module imported under two names would corrupt numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.engine, not as {__name__}")

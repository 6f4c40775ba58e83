"""The engine: rules, packed states, kernels, text formats and game records of Masons.

The folders from the bottom up: `storage`, `kernels`, `board`, `state`, `rules`, `playouts`,
`formats`, `game`, `fair`. Each imports only from folders listed before it.
"""

if __name__ != "masons.engine":
    # A module imported under two names would corrupt numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.engine, not as {__name__}")

"""The engine: rules, packed states, kernels, texts and records of the board game Masons.

From the bottom up, each folder knows only those before it:

| folder | what it holds |
| --- | --- |
| `errors.py` | the errors that are raised on purpose |
| `given.py` | what callers from Python give, looked at one by one |
| `files.py` | files written whole or not at all |
| `plain_words.py` | numbers and lists in English, for messages |
| `plain_text.py` | texts of others, fit to be shown |
| `strict_json.py` | JSON without NaN, and without a key twice |
| `storage/` | files that are written over time |
| `kernels/` | how kernels are compiled and kept, bit sets, random numbers, the clock |
| `board/` | boards: geometry, the packed table that kernels read, what is in the box, drawing |
| `state/` | the packed state: its layout, its start, positions out of it and into it |
| `rules/` | what is legal and what every move does |
| `playouts/` | random play at full speed |
| `formats/` | moves, positions and events as text |
| `game/` | a game from Python: what a seat sees, chance, records, perft |
| `fair/` | provably fair chance: commitment, nonces, records verified |
"""

if __name__ != "masons.engine":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.engine, not as {__name__}")

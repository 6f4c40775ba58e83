"""Files that one process extends over time, written so that a crash never leaves half a line.

| file | content |
| --- | --- |
| `held_file.py` | files that only one process can write at a time |
| `line_file.py` | files that grow by a line for each game |
"""

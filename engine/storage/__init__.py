"""Files that are written over time.

| file | what it holds |
| --- | --- |
| `uninterrupted.py` | signals that wait until something is done |
| `held_file.py` | files that one process writes at a time |
| `line_file.py` | files that grow line by line, none ever torn |
"""

"""What we are compared with, each beside the same work of ours.

| file | what it holds |
| --- | --- |
| `c_program.py` | a C program for the same rules |
| `openspiel.py` | other games in OpenSpiel |
"""

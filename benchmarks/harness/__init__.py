"""How things are measured: the clock, turns of two sides, statistics, tables.

| file | what it holds |
| --- | --- |
| `measuring.py` | CPU time, a piece of work, the machine and the revision, types of options |
| `markdown_table.py` | tables as Markdown |
| `paired_rounds.py` | two sides of one measurement in turn, and their ratios |
| `loss_verdict.py` | whether ratios say that one side is slower |
| `revisions.py` | installing a revision, or the working tree, in a folder |
| `side_process.py` | the two sides of `against`, and the names that old revisions give the work |
| `measuring_process.py` | the process of a side: measures what it is asked to |
"""

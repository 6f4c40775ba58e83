"""Positions and records to analyse: a line of positions, variations, what a search thinks.

| file | what it holds |
| --- | --- |
| `study_line.py` | the positions of a text, and variations from them |
| `study_desk.py` | one page's study: messages in, messages out |
| `live_search.py` | searches that tell how they stand |
"""

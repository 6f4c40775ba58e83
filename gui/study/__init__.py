"""Positions and records to analyse: a line of positions, variations, what a search thinks.

| file | what it holds |
| --- | --- |
| `study_line.py` | the positions of a text, and variations from them |
| `study_session.py` | one page's study: messages in, messages out |
| `study_page.py` | a position that is studied, as a page is told of it |
| `practice_session.py` | one page's puzzles |
| `watched_file.py` | the newest game of a file that grows |
| `live_search.py`, `live_review.py` | searches and reviews that tell how they stand |
"""

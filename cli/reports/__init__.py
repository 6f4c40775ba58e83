"""The output of commands: tables and words for people, JSON for programs.

| file | what it holds |
| --- | --- |
| `report_tables.py` | tables of figures, and of labels |
| `search_query.py` | what a search is asked, with its moves in words |
| `analysis_report.py`, `analysis_json.py` | an analysis |
| `why_report.py` | what is expected next, and why a move is better |
| `match_report.py`, `match_json.py` | a match, the ladder |
| `puzzle_report.py` | a puzzle of `practice`, and its answer |
| `review_report.py` | a review; several together |
| `game_story.py`, `record_page.py` | a game in words, and as a page |
"""

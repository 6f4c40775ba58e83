"""The output of commands, as tables and words for people and as JSON for programs.

| file | content |
| --- | --- |
| `analysis_report.py`, `analysis_json.py` | `analyze` |
| `match_report.py`, `match_json.py` | `match` |
| `review_report.py` | `review` |
| `game_story.py` | `replay`: a game in words |
"""

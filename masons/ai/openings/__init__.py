"""Openings: the first walls on a board, evaluated by playing games.

| file | content |
| --- | --- |
| `survey.py` | the games: which walls are played, and how often |
| `survey_file.py` | a survey in a file, and the surveys that come with the program |
| `first_walls.py` | the walls of a survey, best first, and the cards that change their values |
"""

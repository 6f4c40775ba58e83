"""Openings: the first walls on a board, evaluated by games that `benchmarks/openings.py` played.

| file | content |
| --- | --- |
| `survey.py` | the results of the games after each wall |
| `survey_file.py` | a survey in a file, and the surveys that come with the program |
| `first_walls.py` | the walls of a survey, best first, and the cards that change their values |
"""

"""Lessons that teach the game, each a file of `data/`: told, and done by the learner.

`lesson.py` reads them and plays them; `progress.py` keeps which ones are done.
"""

if __name__ != "masons.engine.lessons":
    raise ImportError(f"import this package as masons.engine.lessons, not as {__name__}")

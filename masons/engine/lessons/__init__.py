"""Lessons that teach the game; each lesson is a file of `data/`.

`lesson.py` reads lessons and plays them; `progress.py` records which lessons are done.
"""

if __name__ != "masons.engine.lessons":
    raise ImportError(f"import this package as masons.engine.lessons, not as {__name__}")

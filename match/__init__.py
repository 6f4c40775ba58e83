"""Matches: the referee, equal luck, seatings, and what the results say about the engines."""

if __name__ != "masons.match":
    raise ImportError(f"import this package as masons.match, not as {__name__}")

"""The game on a screen: the board as text, the panels, and a person's side of a game."""

if __name__ != "masons.screen":
    raise ImportError(f"import this package as masons.screen, not as {__name__}")

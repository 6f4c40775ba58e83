"""The rules: the legal moves, and the effects of moves and chance events."""

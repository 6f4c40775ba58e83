"""A game from Python: moves in, chance from anywhere, views and records out."""

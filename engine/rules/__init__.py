"""The rules: which moves are legal, and what every move and chance event does."""

"""Moves, positions and the events of records as text and data, and back."""

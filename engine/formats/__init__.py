"""Conversions of moves, positions and record events to text and data, and back."""

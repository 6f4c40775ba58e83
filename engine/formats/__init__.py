"""Text formats: moves, positions and record events as text and data, and back."""

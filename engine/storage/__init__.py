"""Files that one process writes over time, so that a crash never leaves half a line."""

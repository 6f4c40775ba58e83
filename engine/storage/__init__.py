"""Files that one process extends over time, written so that a crash never leaves half a line."""

"""Files that are written over time, by one process, and never torn."""

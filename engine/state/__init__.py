"""The packed state, an array of 1 KiB, and the position that says the same by name."""

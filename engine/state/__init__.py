"""The packed state of a game (1 KiB), and `Position`, the same content with named fields."""

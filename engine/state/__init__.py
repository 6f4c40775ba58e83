"""Packed game states (1 KiB), and `Position`, which holds the same content in named fields."""

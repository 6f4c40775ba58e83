"""Random play inside kernels: whole games, or games continued from any state."""

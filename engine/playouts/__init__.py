"""Random play inside kernels: whole games, or on from any state."""

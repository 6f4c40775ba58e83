"""Random play inside kernels, of whole games or from any state to the end."""

"""Random play inside kernels, either of whole games or from any state to the end."""

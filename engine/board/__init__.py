"""The board and the pieces in the box: data, drawings, and the packed table that kernels read."""

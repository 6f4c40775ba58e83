"""The board and the box: plain data, drawings, and the packed table that kernels read."""

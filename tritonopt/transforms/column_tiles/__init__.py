"""Kernels that hold a row in one tile, for rows that no tile holds: loops over its columns."""

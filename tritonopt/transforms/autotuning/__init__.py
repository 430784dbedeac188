"""Kernels that get a tuner: what it may choose, what it puts back, what launches leave to it."""

"""Merging a kernel that stores partial results with the one that takes them together."""

"""Loops that are asked to load ahead: which can, and what must be shown of memory for it."""

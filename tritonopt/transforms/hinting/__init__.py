"""Hints that tell the compiler how far offsets are contiguous.

Which offsets hide it, how wide a hint is true of them and why, how it is written, and whether those
that are there are true.
"""

"""Triton's interpreter, made to answer as a GPU does or not at all.

What it lacks is added, what it gets wrong is corrected, and the rest is refused.
"""

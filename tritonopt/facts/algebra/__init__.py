"""Integer forms of indices, sizes and counts.

Polynomials over atoms are the normal form of the facts. On them rest the canonical forms of
values, whether one divides another, how small one can be, and how many elements a sweep touches.
"""

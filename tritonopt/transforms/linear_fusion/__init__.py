"""A sweep that adds what is linear in the results of an earlier one becomes part of that one.

`linear_sums` shows that it may, and `linear_sweep` writes the one sweep.
"""

"""Are two versions the same algebra? Every float of a kernel, carried beside its residue.

A float that a kernel computes is a pair here: its ordinary value, which decides comparisons, masks
and addresses, and a residue, on which arithmetic is exact. A sum in another order has another value
and the same residue. Runs inside of a worker, on Triton's interpreter; the mathematics, and what is
taken to be a law, stand in docs/algebra.md.
"""

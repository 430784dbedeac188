"""The protocol between the rewriter and its passes.

What a pass is and what it says: sites, conditions, remarks. The pipeline runs passes over the
kernels of a file until nothing changes.
"""

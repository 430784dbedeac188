"""A load moves out of a loop: what reads the same elements in every iteration is read once, above.

`invariant_loads` finds them, `load_legality` says which may move, `load_masks` keeps them from
reading where the loop does not run, and `hoisted_code` writes them above the loop.
"""

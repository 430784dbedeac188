"""A branch moves out of a loop: one copy of the loop for each way that an `if` can go.

`invariant_branches` finds them, `branch_legality` says which may move and gives the plan that was
shown to hold, `decisions` is what a plan is made of, and `loop_copies` writes it.
"""

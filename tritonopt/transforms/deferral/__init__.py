"""A reduction in every iteration of a loop becomes one after it.

`combining` knows which operations may be regrouped, `updates` reads what a statement does to an
accumulator, `legality` shows that a whole loop may wait with its reductions, and `deferred_loop`
writes that loop.
"""

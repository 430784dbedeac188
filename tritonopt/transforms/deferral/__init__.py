"""A reduction in every iteration of a loop becomes one after it.

`combining` knows which operations may be regrouped, `updates` reads what a statement does to an
accumulator, `regrouping` shows that a whole loop may wait with its reductions, `deferred_loop`
writes that loop, and `accumulator_tile` the tile that it begins with.
"""

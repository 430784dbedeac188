"""A loop that reduces a long row, divided over several programs, and what they found combined.

`split_sums` shows that the turns of a loop may be divided, and reads what becomes of its
accumulators; `row_length` says at a launch how often the loop turns; `split_launches` writes the
launches, `split_kernel` the two kernels.
"""

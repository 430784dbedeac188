"""A loop that reduces a long row, divided over several programs, and what they found combined.

`split_loop` shows that the iterations may be divided, and reads what becomes of its accumulators;
`second_sweep` that those of a loop after it may be; `two_kernels` writes kernels and launches.
"""

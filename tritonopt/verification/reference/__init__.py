"""References without a kernel: functions of torch or numpy, and modules with `get_inputs`.

Such a reference is an original like any other, whose oracle is the same function in float64.
What is here makes two files that can be called alike, and says how; the rest is the machinery
that compares kernels.
"""

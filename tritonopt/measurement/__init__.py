"""Faster? Functions timed side by side on a GPU, and what their times say.

    from tritonopt.measurement.cuda import CudaDevice
    from tritonopt.measurement.timing import Effort, side_by_side
    times = side_by_side({"before": before, "after": after}, CudaDevice(), Effort())

It is given functions, and knows nothing of files, kernels or passes. What came out of it is in
`results`, which needs neither torch nor numpy.
"""

"""What is fastest on this GPU, for these shapes? `bench` times two versions of a file.

It stands above verification, which knows how to call a launcher, and above measurement, which
knows how to time a function; a worker process of its own brings the two together.
"""

from tritonopt.tuning.bench import bench

__all__ = ["bench"]

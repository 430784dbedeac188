"""`optimize`: a kernel function in, a kernel function made from better source out.

The only room that works on live functions. It reads the text that Triton compiles, has it
rewritten with what the function's names stand for at that moment, and makes a new function
of the same kind from the result.
"""

from tritonopt.runtime.live import SourceUnavailable
from tritonopt.runtime.optimizing import Optimization, optimize

__all__ = ["Optimization", "SourceUnavailable", "optimize"]

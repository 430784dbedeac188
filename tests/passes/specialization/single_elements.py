# expect: silent
"""One element has no width."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def first(X, Y, stride):
    tl.store(Y + tl.program_id(0), tl.load(X + tl.program_id(0) * stride))

"""How launches are seen: those of wrappers, too."""

from __future__ import annotations

from typing import Any

import triton
from triton.runtime import KernelInterface

from tritonopt.verification.worker.launch_hook import _uncached


@triton.jit
def kernel(x) -> None:  # type: ignore[no-untyped-def]  # as kernels are
    pass


class _Keeps(KernelInterface[Any]):
    """A wrapper of another library, which would launch what it compiled for an earlier call."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn


def test_the_float64_copy_is_launched_past_what_a_wrapper_keeps() -> None:
    tuned = triton.autotune([triton.Config({})], key=[])(kernel)
    assert _uncached(_Keeps(kernel)) is kernel
    assert _uncached(_Keeps(_Keeps(tuned))) is tuned
    assert _uncached(tuned) is tuned
    odd = _Keeps(print)
    assert _uncached(odd) is odd

"""What launchers ask of a GPU, on a machine without one, is no fault of the rewritten version."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt.verification import Verdict

_ORIGINAL = """
import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < n, other=0.0)
    tl.store(Y + at, x * 2, mask=at < n)


# tritonopt: x: f32[n]
def doubled(x):
    y = torch.empty_like(x)
    n = x.numel()
    double[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
"""
_LAUNCH = "    double[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)\n"
_HOST = """    side, done = torch.cuda.Stream(priority=-1), torch.cuda.Event(enable_timing=True)
    side.wait_stream(torch.cuda.current_stream())
    count = torch.tensor([n], pin_memory=True) + torch.zeros(1, dtype=torch.int64).pin_memory()
    room = torch.cuda.get_device_properties(x.device).shared_memory_per_block_optin
    assert room > 1000 and torch.cuda.get_device_capability()
    with torch.cuda.stream(side), torch.cuda.nvtx.range("double"):
        double[(triton.cdiv(n, 32),)](x, y, int(count.item()), BLOCK=32)
    y.record_stream(side)
    done.record(side)
    done.synchronize()
    torch.cuda.current_stream().wait_event(side.record_event())
"""
_STORE = "tl.store(Y + at, x * 2, mask=at < n)"


def _verified(of_texts: Callable[..., Verdict], old: str, new: str) -> Verdict:
    return of_texts(_ORIGINAL, _ORIGINAL.replace(old, new), backend="interpreter", max_examples=4)


@pytest.mark.parametrize(
    ("old", "new"),
    [(_LAUNCH, _HOST), (_STORE, _STORE.replace("store", "atomic_xchg"))],
    ids=["host", "atomic-xchg"],
)
def test_right_ones_are_accepted(of_texts: Callable[..., Verdict], old: str, new: str) -> None:
    assert _verified(of_texts, old, new).verdict == "identical"


def test_another_value_is_seen_for_all_that(of_texts: Callable[..., Verdict]) -> None:
    wrong = _STORE.replace("store", "atomic_xchg").replace("2", "3")
    assert _verified(of_texts, _STORE, wrong).verdict == "counterexample"
    wrong = _HOST.replace("int(count.item())", "int(count.item()) - 1")
    assert _verified(of_texts, _LAUNCH, wrong).verdict == "counterexample"


def test_what_only_a_gpu_does_is_no_counterexample(of_texts: Callable[..., Verdict]) -> None:
    verdict = _verified(of_texts, _LAUNCH, _LAUNCH + "    torch.cuda.CUDAGraph().replay()\n")
    assert verdict.verdict == "unsupported"
    assert "there is no GPU here" in str(verdict.reason)


def test_what_the_file_itself_raises_counts(of_texts: Callable[..., Verdict]) -> None:
    wrong = _LAUNCH + "    if n > 8:\n        raise RuntimeError('no CUDA for that')\n"
    assert _verified(of_texts, _LAUNCH, wrong).verdict == "counterexample"

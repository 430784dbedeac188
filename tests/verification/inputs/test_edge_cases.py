"""Calls that are made on purpose, and rewrites that only they show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tritonopt.verification import Verdict
from tritonopt.verification.inputs.examples import (
    EXPANDED,
    EXPANDED_COLUMN,
    NEGATIVE,
    ROWS,
    SPACED,
    ZEROS,
    Limits,
    PlainValue,
    Repeat,
    aliased,
    edge_cases,
    laid_out,
    strides_of,
    usual,
)
from tritonopt.verification.inputs.values import values_of
from tritonopt.verification.signature.argument_language import TensorArgument
from tritonopt.verification.signature.argument_parser import parse

LIMITS = Limits(512, 8, frozenset({"f32", "f16", "i64"}), (32,), (1, 32, 132, 4096))

KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, y, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + cols, mask=cols < n, other=0.0)
    total = tl.sum(v * v, axis=0)
    tl.store(y + row * n + cols, v * total, mask=cols < n)


# tritonopt: x: f32[m, n], y: f32[m, n]
def scale(x, y):
    m, n = x.shape
    scale_kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(max(n, 1)))
"""


def test_sizes_and_numbers_that_draws_seldom_hit() -> None:
    signature = parse("x: f32|f16[m, n], w: f32[n], eps: 1e-5, dim: 1")
    calls = list(edge_cases(signature, LIMITS))
    shapes = [c.tensors["x"].shape for c in calls]
    assert shapes[0] == (ROWS, 5)
    for wanted in ((0, 5), (5, 0), (1, 5), (5, 1), (2, 5), (5, 2), (5, 5), (133, 5)):
        assert wanted in shapes
    assert [dict(c.arguments)["eps"] for c in calls].count(PlainValue(0.0)) == 1
    assert all(dict(c.arguments)["dim"] == PlainValue(1) for c in calls)


def test_layouts_are_changed_one_tensor_at_a_time() -> None:
    calls = list(laid_out(parse("x: f32[m, n], w: f32[n], s: f32[]"), LIMITS))
    layouts = [tuple(t.layout for t in c.tensors.values()) for c in calls]
    assert [c.tensors["x"].strides for c in calls[:3]] == [(0, 1), (5, 0), (10, 2)]
    assert layouts == [
        (EXPANDED, "contiguous", "contiguous"),
        (EXPANDED_COLUMN, "contiguous", "contiguous"),
        (SPACED, "contiguous", "contiguous"),
        ("contiguous", SPACED, "contiguous"),
    ]


def test_only_tensors_of_one_form_are_made_one() -> None:
    example = usual(parse("x: f32[m, n], w: f32[n], y: f32[m, n], i: i64[m, n]"), LIMITS)
    ((apart, together),) = aliased(example)
    assert apart.tensors["x"] == apart.tensors["y"]
    assert dict(together.arguments)["y"] == Repeat("x")


def test_values_with_zeros_and_below() -> None:
    torch = pytest.importorskip("torch")
    found = values_of((4, 50), torch.float32, ZEROS, seed=3).numpy()
    assert not found[0].any() and 5 < (found[1] == 0).sum() < 45
    assert np.signbit(found[found == 0]).any() and not np.signbit(found[found == 0]).all()
    assert values_of((3,), torch.float32, NEGATIVE).max() < -9000
    assert strides_of((2, 3), SPACED) == (6, 2) and strides_of((2, 3), EXPANDED) == (0, 1)


def test_memory_of_an_expanded_tensor_is_guarded_too() -> None:
    pytest.importorskip("torch")
    from tritonopt.verification.worker.guarded_memory import Arena
    from tritonopt.verification.worker.one_call import build_arguments

    example = next(laid_out(parse("x: f32[m, n]"), LIMITS))
    arena = Arena("cpu", 0)
    (x,), _ = build_arguments(example, arena, perturbation=0)
    assert x.stride() == (0, 1) and bool((x[0] == x[4]).all()) and arena.corruption() == ()
    x.as_strided((1,), (1,), x.storage_offset() + 5).fill_(1.0)
    assert "1 elements past its end" in arena.corruption()[0]


WRONG = {
    # More programs than draws make: the rest of the rows is never written.
    "few programs": ("scale_kernel[(m,)]", "scale_kernel[(min(m, 20),)]"),
    # Right as long as x and y are two tensors.
    "one tensor for two": (
        "    total = tl.sum(v * v, axis=0)\n",
        "    tl.store(y + row * n + cols, v, mask=cols < n)\n"
        "    tl.store(y + row * n + cols, v + v, mask=cols < n)\n"
        "    w = tl.load(x + row * stride + cols, mask=cols < n, other=0.0)\n"
        "    total = tl.sum(w * w, axis=0)\n",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_only_a_deliberate_call_shows(name: str, of_texts: Callable[..., Verdict]) -> None:
    old, new = WRONG[name]
    assert old in KERNEL
    verdict = of_texts(KERNEL, KERNEL.replace(old, new), max_examples=20)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert ("y = the same tensor as x" in verdict.counterexample) == (name != "few programs")


def test_layouts_are_tried_with_flags_as_well() -> None:
    """What only a flag makes use of shows nothing without it."""
    signature = parse("x: f32[m, n], gate: f32[n], gated: int in 0..1, mode: 'a'|'b'")
    signature = replace(
        signature,
        arguments=tuple(
            replace(a, strided=True) if isinstance(a, TensorArgument) else a
            for a in signature.arguments
        ),
    )
    for flags, values in ((True, (1, "b")), (False, (0, "a"))):
        calls = list(laid_out(signature, LIMITS, flags=flags))
        assert [c.tensors["gate"].layout for c in calls] == ["contiguous"] * 3 + [SPACED]
        assert all(dict(c.arguments)["gated"] == PlainValue(values[0]) for c in calls)
        assert all(dict(c.arguments)["mode"] == PlainValue(values[1]) for c in calls)
    assert not list(laid_out(parse("x: f32[m, n]"), LIMITS, flags=True))

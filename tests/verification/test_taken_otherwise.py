"""Kernels that only another device, or more rows than can be run, leads to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import everything, few
from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.coverage.demands import demands
from tritonopt.verification.coverage.text_differences import Comparison
from tritonopt.verification.taken_otherwise import launched_otherwise

DEVICES = """
import torch
import triton
import triton.language as tl

TILE_FROM = 16384

def is_large(n):
    return torch.cuda.get_device_capability()[0] >= 10 and n >= TILE_FROM

@triton.jit
def row_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n)
    tl.store(y_ptr + row * n + cols, x + x, mask=cols < n)

@triton.jit
def tile_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n)
    tl.store(y_ptr + row * n + cols, x + x, mask=cols < n)

def twice(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    if is_large(
        n
    ):
        tile_kernel[(m, triton.cdiv(n, 16))](x, y, n, BLOCK=16)
        return y
    row_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
BOTH = DEVICES.replace("x + x", "2 * x")


def test_what_another_device_runs_is_compared(of_texts: Callable[..., Verdict]) -> None:
    verdict = of_texts(DEVICES, BOTH, backend="interpreter", max_examples=2)
    assert verdict.verdict == "identical", verdict.reason
    note = next(n for n in verdict.notes if "`tile_kernel`" in n)
    assert "both versions assume that `is_large(n)` (line 29) holds" in note


@pytest.mark.parametrize(
    ("old", "new"),
    few(
        [
            ("tl.program_id(1) * BLOCK +", "tl.program_id(1) * 15 +"),
            # It may rest on what was asked: a row of that many columns is tiles of 16.
            ("cols = tl.program_id(1)", "n = (n + 15) // 16 * 16\n    cols = tl.program_id(1)"),
        ],
        1,
    ),
)
def test_where_it_differs_there_is_no_answer(
    of_texts: Callable[..., Verdict], old: str, new: str
) -> None:
    changed = BOTH.replace(old, new)
    assert changed != BOTH
    verdict = of_texts(DEVICES, changed, backend="interpreter", max_examples=2)
    assert verdict.verdict == "unsupported" and "tile_kernel" in str(verdict.reason), verdict
    assert any("(line 29) holds; they differ there" in note for note in verdict.notes)


def _kernels_to_come_to(old: str, new: str) -> list[str]:
    modules = source.read(old, "old.py"), source.read(new, "new.py")
    unmet = [
        d
        for d in demands(*modules, ({"twice", "tile_kernel"}, {"twice", "tile_kernel"}))
        if "tile_kernel" in (d.text, *(k.name for k in modules[0].kernels if _within(d, k.node)))
    ]
    assert unmet
    found = launched_otherwise(Comparison.of(*modules), unmet)
    return [name for other in found for name in other.kernels]


def _within(demand: object, node: object) -> bool:
    return bool(node.lineno <= demand.line <= node.end_lineno)  # type: ignore[attr-defined]


def test_a_test_that_differs_is_not_taken_otherwise() -> None:
    assert _kernels_to_come_to(DEVICES, BOTH) == ["tile_kernel"]
    assert not _kernels_to_come_to(DEVICES, BOTH.replace("TILE_FROM = 16384", "TILE_FROM = 8192"))
    assert not _kernels_to_come_to(DEVICES, BOTH.replace("[0] >= 10", "[0] >= 9"))


def test_what_launches_something_else_and_returns_does_not() -> None:
    moved = (
        ("if is_large(\n        n\n    )", "if not is_large(n)"),
        ("tile_kernel[(m, triton.cdiv(n, 16))](x, y, n, BLOCK=16)", "THE_ROW"),
        ("row_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))", "THE_TILE"),
        ("THE_ROW", "row_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))"),
        ("THE_TILE", "tile_kernel[(m, triton.cdiv(n, 16))](x, y, n, BLOCK=16)"),
    )
    old, new = DEVICES, BOTH
    for one, other in moved:
        old, new = old.replace(one, other), new.replace(one, other)
    assert _kernels_to_come_to(old, new) == ["tile_kernel"]


@pytest.mark.parametrize(
    ("test", "taken"),
    [
        ("n >= 2**20", True),
        ("x.numel() > 2**30 or not flag", True),
        ("x.is_contiguous()", False),
        ("fits(x)", False),
        ("x.dtype == torch.int8", False),
        ("other is not None", False),
        ("dense", False),
        ("helper(x.is_contiguous(), n)", False),
        ("helper(n, m)", True),
    ],
)
def test_what_tensors_are_is_not_taken_otherwise(test: str, taken: bool) -> None:
    changes = (
        ("is_large(\n        n\n    )", test),
        ("(x: torch.Tensor)", "(x: torch.Tensor, flag=True, other=None)"),
        ("    x = x.contiguous()", "    dense = x.stride(1) == 1\n    x = x.contiguous()"),
    )
    old, new = DEVICES, BOTH
    for one, other in changes:
        old, new = old.replace(one, other), new.replace(one, other)
    assert _kernels_to_come_to(old, new) == (["tile_kernel"] if taken else [])


INNER = """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.many = MANY
        return twice(x, ctx.many)
"""


@pytest.mark.parametrize(("many", "taken"), [("x.shape[0] > 2**20", True), ("x.is_cuda", False)])
def test_what_a_function_is_passed_is_followed(many: str, taken: bool) -> None:
    changes = (
        ("is_large(\n        n\n    )", "many"),
        ("(x: torch.Tensor)", "(x: torch.Tensor, many)"),
    )
    old, new = DEVICES, BOTH
    for one, other in changes:
        old, new = old.replace(one, other), new.replace(one, other)
    inner = INNER.replace("MANY", many)
    assert _kernels_to_come_to(old + inner, new + inner) == (["tile_kernel"] if taken else [])


SCALED = DEVICES.replace("x_ptr, y_ptr, n, BLOCK", "x_ptr, y_ptr, n, scale, BLOCK").replace(
    "x + x", "x * scale").replace("(x, y, n, BLOCK", "(x, y, n, 2.0, BLOCK")  # fmt: skip
TWICE = SCALED.replace("x * scale", "x + x")


def _with_another(text: str) -> str:
    """With a launcher more, that asks for something else and multiplies by 3."""
    start = text.index("def twice")
    more = text[start:].replace("twice", "thrice").replace("2.0", "3.0").replace("large", "larger")
    larger = "\ndef is_larger(n):\n    return n >= 2**21\n"
    # What runs where nothing is asked for is the same for both.
    more = more.replace("row_kernel[(m,)](x, y, n, 3.0", "row_kernel[(m,)](x, y, n, 2.0")
    return text + larger + more


def test_what_one_launcher_shows_is_no_evidence_where_another_differs(
    of_texts: Callable[..., Verdict],
) -> None:
    verdict = of_texts(
        _with_another(SCALED), _with_another(TWICE), backend="interpreter", max_examples=2
    )
    assert verdict.verdict == "unsupported", verdict.notes
    assert any("they differ there" in note for note in verdict.notes)
    if everything():
        right = SCALED.replace("x * scale", "scale * x")
        verdict = of_texts(
            _with_another(SCALED), _with_another(right), backend="interpreter", max_examples=2
        )
        assert verdict.verdict == "identical", verdict.reason


ARMS = """
import torch
import triton
import triton.language as tl

@triton.jit
def scale_kernel(x_ptr, y_ptr, n, scale, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n)
    tl.store(y_ptr + cols, x * scale, mask=cols < n)

def scaled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    if n >= 2**20:
        scale_kernel[(triton.cdiv(n, 32),)](x, y, n, 3.0, BLOCK=32)
    else:
        scale_kernel[(triton.cdiv(n, 16),)](x, y, n, 2.0, BLOCK=16)
    return y
"""


@pytest.mark.thorough(instead="test_where_it_differs_there_is_no_answer")
@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("x * scale", "scale * x", "identical"),
        ("x * scale", "x + x", "unsupported"),
        ("tl.program_id(0) * BLOCK", "tl.program_id(0) * 16", "unsupported"),
    ],
)
def test_every_launch_of_a_kernel_that_differs_has_to_run(
    of_texts: Callable[..., Verdict], old: str, new: str, answer: str
) -> None:
    verdict = of_texts(ARMS, ARMS.replace(old, new), backend="interpreter", max_examples=2)
    assert verdict.verdict == answer, verdict.reason
    if answer == "identical":
        assert any("the launch of `scale_kernel` in line 17" in note for note in verdict.notes)
    else:
        assert "line 17 of the original version never ran" in str(verdict.reason)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(x, y, n, BLOCK=16)", "(x, y, n % 16384, BLOCK=16)"),
        ("(x, y, n, BLOCK=16)", "(x, y, n & 0x3FFF, BLOCK=16)"),
        ("(x, y, n, BLOCK=16)", "(x, y, n % TILE_FROM, BLOCK=16)"),
        ("x + x", "x * (2 - (n >> 14))"),
        ("x + x", "x * (2 + n // 128 // 128)"),
    ],
)
def test_a_number_beyond_all_small_calls_is_no_evidence(old: str, new: str) -> None:
    place = DEVICES.index("def tile_kernel")
    assert old in DEVICES[place:]
    changed = DEVICES[:place] + DEVICES[place:].replace(old, new)
    assert not _kernels_to_come_to(DEVICES, changed)
    for number, small in (("16384", "64"), ("0x3FFF", "63"), ("TILE_FROM", "64"), ("14", "4")):
        new = new.replace(number, small)
    changed = DEVICES[:place] + DEVICES[place:].replace(old, new.replace("128", "8"))
    assert _kernels_to_come_to(DEVICES, changed) == ["tile_kernel"]

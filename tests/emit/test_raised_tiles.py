"""one-tile{raise_block}: where launches may make the tile as long as the row, and where not."""

from __future__ import annotations

import pytest

from tritonopt.rewriting.model import Safety
from tritonopt.rewriting.pipeline import RewriteResult, rewrite_source

KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        y = x - mean
        tl.store(Y + cols, y, mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    out = torch.empty_like(x)
    kernel[(m,)](x, y, out, n, BLOCK=32)
    return y
"""
LAUNCH = "kernel[(m,)](x, y, out, n, BLOCK=32)"
RAISED = """    block = triton.next_power_of_2(max(n, 16)) if n <= 4096 else 32
    num_warps = min(max(block // 512, 4), 16)
    kernel[(m,)](x, y, out, n, BLOCK=block, num_warps=num_warps)
"""


def text_of(*changes: tuple[str, str]) -> str:
    text = KERNEL
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def rewritten(*changes: tuple[str, str]) -> RewriteResult:
    text = text_of(*changes)
    return rewrite_source(text, "one-tile{longer_rows=branch,raise_block=4096}", path="kernel.py")


def test_the_tile_follows_the_row() -> None:
    result = rewritten()
    assert RAISED in result.text
    assert "@triton.heuristics" in result.text
    (remark,) = result.remarks
    assert remark.message.endswith(", and raised the tile length for rows of up to 4096 elements")
    assert Safety.ROUNDING in remark.safety


def test_nothing_is_raised_unless_that_is_asked_for() -> None:
    result = rewrite_source(KERNEL, "one-tile", path="kernel.py")
    assert LAUNCH in result.text


@pytest.mark.parametrize(
    ("changes", "launch"),
    [
        ([("BLOCK=32)", "BLOCK=32, num_warps=2)")], RAISED),
        (
            [(LAUNCH, "size = 32\n    kernel[(m,)](x, y, out, n, BLOCK=size)")],
            RAISED.replace("block", "size"),
        ),
        (
            [
                (
                    LAUNCH,
                    "size = min(triton.next_power_of_2(n), 64)\n"
                    "    kernel[(m,)](x, y, out, n, BLOCK=size)",
                )
            ],
            RAISED.replace("block", "size").replace("max(n, 16)", "n").replace("32", "64"),
        ),
        # The name has other uses, which keep what they had.
        (
            [
                ("    y = torch", "    size = 32\n    z = torch.empty(size)\n    y = torch"),
                ("BLOCK=32)", "BLOCK=size)"),
            ],
            RAISED.replace("32", "size"),
        ),
        # The length has another value where the tile's is bound.
        (
            [
                ("    y = torch", "    size = 32\n    n = n - 1\n    y = torch"),
                ("BLOCK=32)", "BLOCK=size)"),
            ],
            RAISED.replace("32", "size"),
        ),
        ([("out, n, B", "out, x.shape[1], B")], "    length = x.shape[1]\n    block = triton."),
        # Each lane has an element of its own, wherever that is.
        ([("Y + cols, y", "Y + N - 1 - cols, y")], RAISED),
        ([("Y + cols, y", "X + cols, y")], RAISED),
        ([("total += x", "total += tl.where(cols < N, x + 1.0, 0.0)")], RAISED),
        ([("total += x", "total += tl.where(x > 0, cols < N, 0).to(tl.float32)")], RAISED),
        ([("total += x", "total += x * x"), ("/ N", "/ N + 1e-6")], RAISED),
    ],
)
def test_a_launch_is_written_as_a_person_would(changes: list[tuple[str, str]], launch: str) -> None:
    result = rewritten(*changes)
    assert launch in result.text, result.text


SCALAR = [
    ("total = tl.zeros([BLOCK], dtype=tl.float32)", "total = 0.0"),
    ("tl.sum(total, axis=0)", "total"),
]
IN_LOOP = "        total += x"


@pytest.mark.parametrize(
    "changes",
    [
        # A longer tile of fp16 is more than fp16 can add up, and int8 is lengthened by tl.sum.
        [*SCALAR, ("total += x", "total += tl.sum(x.to(tl.float16), axis=0)")],
        [("[BLOCK], dtype=tl.float32", "[BLOCK], dtype=tl.float16")],
        [("[BLOCK], dtype=tl.float32", "[BLOCK], dtype=tl.int8"), ("+= x", "+= x.to(tl.int8)")],
        # Lanes behind the end of the row count.
        [("total += x", "total += x + 1.0")],
        [("total += x", "total += tl.exp(x)")],
        [("total += x", "total += tl.where(cols < N + 1, x + 1.0, 0.0)")],
        [("other=0.0).to(tl.float32)\n        total", "other=1.0)\n        total")],
        [("cols < N, other", "cols < N + 1, other")],
        [(", mask=cols < N, other=0.0", "")],
        [("y, mask=cols < N", "y, mask=cols <= N")],
        [("y, mask=cols < N", "y, mask=cols < N or row < 1")],
        # 0 is the maximum of a row of negative numbers where a lane behind its end is 0.
        [
            *SCALAR,
            ("total = 0.0", 'total = float("-inf")'),
            ("total += x", "total = tl.maximum(total, tl.max(x, axis=0))"),
        ],
        # The tile's length, or the number of tiles, is a part of what is computed.
        [("axis=0) / N", "axis=0) / BLOCK")],
        [("axis=0) / N", "axis=0) / tl.cdiv(N, BLOCK)")],
        [("total = tl.zeros([BLOCK]", "total = 1.0 + tl.zeros([BLOCK]")],
        [("/ N", "/ tl.sum(tl.full([BLOCK], 1.0, tl.float32))")],
        [("x - mean", "x - mean\n        if BLOCK > 64:\n            y = y + 1.0")],
        # A lane does something else than another one.
        [("y = x - mean", "y = x * tl.arange(0, BLOCK)")],
        [("y = x - mean", "y = x - tl.max(x, axis=0)")],
        [("y = x - mean", "y = tl.cumsum(x, 0)")],
        [("y = x - mean", "y = x * x.shape[0]")],
        [("y = x - mean", "y = x * cols.numel")],
        [("y = x - mean", "y = tl.flip(x, 0)")],
        [("load(X + cols, m", "load(X + tl.flip(cols, 0), m")],
        [("y = x - mean", "y = tl.sort(x)")],
        [("y = x - mean", "y = tl.gather(x, cols - start, 0)")],
        [("tl.sum(total, axis=0)", "tl.max(total, axis=0)")],
        # Each tile stores to one element.
        [("y = x - mean", "tl.store(Out + row, mean)\n        y = x - mean")],
        [("Y + cols, y", "Y + cols // 2, y")],
        [(IN_LOOP, "        tl.atomic_add(Out + cols, x, mask=cols < N)\n" + IN_LOOP)],
        # What an earlier tile has stored is read.
        [("Y + cols, y", "X + cols + 1, y")],
        # Each value rests on the one before.
        [("total += x", "total = total * 0.5 + x")],
    ],
)
def test_a_tile_whose_length_matters_stays(changes: list[tuple[str, str]]) -> None:
    assert_stays("length-matters", changes)


@pytest.mark.parametrize(
    "change",
    [
        ("y = x - mean", "y = x + start"),
        (IN_LOOP, "        tl.store(Out + start // BLOCK, tl.sum(x))\n" + IN_LOOP),
    ],
)
def test_loops_whose_counter_is_used_as_a_tensor_stay(change: tuple[str, str]) -> None:
    result = rewritten(change)
    assert not result.changed
    assert "uses the induction variable as a tensor" in result.remarks[0].message


HEURISTIC = 'triton.heuristics({"EVEN": lambda args: args["N"] % args["BLOCK"] == 0})'
TUNER = 'triton.autotune([triton.Config({}, num_warps=w) for w in (4, 8)], key=["N"])'
PARAMETER = "BLOCK: tl.constexpr"


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("not-tunable", [("BLOCK=32)", "BLOCK=32, num_warps=m // 2)")]),
        ("arguments-are-not-seen", [(PARAMETER, PARAMETER + " = 32"), (", BLOCK=32)", ")")]),
        ("grid-depends-on-the-configuration", [("[(m,)]", '[lambda meta: (m, meta["BLOCK"])]')]),
        ("unseen-launches", [(LAUNCH, "again = " + LAUNCH)]),
        ("not-expressible", [("out, n, B", "out, n.pop(), B")]),
        ("not-expressible", [("BLOCK=32)", "BLOCK=x.pop())")]),
        ("not-expressible", [("    m, n = x.shape", "    m, n = x.shape\n    print(locals())")]),
        ("not-expressible", [("    m, n = x.shape", "    m, n = x.shape\n    max = m")]),
        ("unseen-launches", [(LAUNCH, "pass")]),
        (
            "tile-is-not-passed",
            [
                ("@triton.jit", f"@{HEURISTIC}\n@triton.jit"),
                (PARAMETER, f"{PARAMETER}, EVEN: tl.constexpr = False"),
            ],
        ),
        ("tile-is-not-passed", [("@triton.jit", f"@{TUNER}\n@triton.jit")]),
    ],
)
def test_a_tile_stays_where_a_launch_does_not_follow(
    reason: str, changes: list[tuple[str, str]]
) -> None:
    assert_stays(reason, changes)


def assert_stays(reason: str, changes: list[tuple[str, str]]) -> None:
    result = rewritten(*changes)
    assert "block =" not in result.text
    (remark,) = result.remarks
    assert f"; the tile length stays ({reason}): " in remark.message, remark.message
    held = rewrite_source(
        text_of(("    y = torch", BOUND + "    y = torch"), *changes), "one-tile{raise_block=4096}"
    )
    if "locals()" in held.text:
        return  # Where the length is passed as it is no name is new.
    assert not held.changed
    # Without a launch that is seen no bound is either.
    assert {r.reason for r in held.remarks} <= {reason, "row-may-be-longer"}


BOUND = "    if not 0 < n <= 2048:\n        raise ValueError(n)\n"
KERNEL_AFTER = """    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    y = x - mean
    tl.store(Y + cols, y, mask=cols < N)
"""


@pytest.mark.parametrize(
    ("change", "launch"),
    [
        (("BLOCK=32", "BLOCK=32"), "n, BLOCK=triton.next_power_of_2(n))\n"),
        (("BLOCK=32", "BLOCK=min(32, triton.next_power_of_2(n))"), "triton.next_power_of_2(n))\n"),
        (("BLOCK=32", "BLOCK=32, num_warps=2"), "BLOCK=triton.next_power_of_2(n), num_warps=2)\n"),
        (("0 < ", "0 <= "), "BLOCK=triton.next_power_of_2(max(n, 16)))\n"),
        (("not 0 < n <= 2048", "n > 2048"), "BLOCK=triton.next_power_of_2(max(n, 16)))\n"),
        (
            ("2048", "4096"),
            "    block = triton.next_power_of_2(n)\n"
            "    num_warps = min(max(block // 512, 4), 16)\n"
            "    kernel[(m,)](x, y, out, n, BLOCK=block, num_warps=num_warps)\n",
        ),
        (("    y = torch", "    n = n * 2\n    y = torch"), ""),
        (("not 0 < n <= 2048", "n > 2048 and m > 1"), ""),
        (("not 0 < n <= 2048", "2048 < n < 4096"), ""),
        (("2048", "4097"), ""),
    ],
)
def test_where_rows_are_bounded_every_one_is_held(change: tuple[str, str], launch: str) -> None:
    text = text_of(("    y = torch", BOUND + "    y = torch"), change)
    result = rewrite_source(text, "one-tile{raise_block=4096}", path="kernel.py")
    if launch:
        assert KERNEL_AFTER in result.text and launch in result.text, result.text
        assert "for " not in result.text and "heuristics" not in result.text
    else:
        assert not result.changed
        assert {remark.reason for remark in result.remarks} == {"row-may-be-longer"}


def test_what_the_user_says_of_the_rows_is_what_it_rests_on() -> None:
    for fact, options in (("N <= BLOCK", ""), ("N <= 64", "{raise_block=64}")):
        result = rewrite_source(KERNEL, f"one-tile{options}", path="kernel.py", assume=[fact])
        assert result.changed and result.facts_used == {fact}
        assert all(Safety.ASSUMPTION in remark.safety for remark in result.remarks)


def test_another_pass_names_what_the_user_said_too() -> None:
    text = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    tl.store(Y + row * N + cols, x - mean, mask=cols < N)


def run(x, block):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=block)
    return y
"""
    assert not rewrite_source(text, "split-columns").changed
    result = rewrite_source(text, "split-columns", assume=["N <= BLOCK"])
    assert result.changed and result.facts_used == {"N <= BLOCK"}

"""One launch: what the kernel takes in its words, and what its launcher has for it alone."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.launches.plan import PlannedLaunch

KERNEL = """\
import triton
import triton.language as tl


{decorators}@triton.jit
def kernel(x, n, BLOCK: tl.constexpr, WIDE: tl.constexpr = 4):
    tl.store(x + tl.program_id(0), n)


def run(x, n):
"""
HEURISTICS = '@triton.heuristics({"WIDE": lambda args: 8})\n'


def planned(*lines: str, decorators: str = "") -> PlannedLaunch:
    body = "".join(f"    {line}\n" for line in lines)
    module = source.read(KERNEL.format(decorators=decorators) + body)
    return PlannedLaunch(module.launches[0])


@pytest.mark.parametrize(
    ("launch", "decorators", "name", "code"),
    [
        ("kernel[(n,)](x, n, 64)", "", "n", "n"),
        ("kernel[(n,)](x, n, 64)", "", "WIDE", "4"),
        ("kernel[(n,)](x, n, 64)", HEURISTICS, "WIDE", None),
        ("kernel[(n,)](x, n, 64, WIDE=2)", HEURISTICS, "WIDE", None),
        ("kernel[(n,)](x, n, 64, 2)", HEURISTICS, "WIDE", "2"),
        ("kernel[(n,)](x, (n := n + 1), 64)", "", "n", None),
        ("kernel[(n,)](x, x.pop(), 64)", "", "n", None),
    ],
)
def test_what_the_kernel_takes(launch: str, decorators: str, name: str, code: str | None) -> None:
    passed = planned(launch, decorators=decorators).passed(name)
    assert (None if passed is None else ast.unparse(passed)) == code


@pytest.mark.parametrize(
    ("lines", "is_own"),
    [
        (["b = n", "kernel[(n,)](x, n, b)"], True),
        (["b = n", "kernel[(b,)](x, n, b)"], False),
        (["b = n", "kernel[(n,)](x, n, b)", "return b"], False),
        (["b = n", "b = 2", "kernel[(n,)](x, n, b)"], False),
        (["b, c = n, n", "kernel[(n,)](x, n, b)"], False),
    ],
)
def test_a_binding_for_one_launch_alone(lines: list[str], is_own: bool) -> None:
    at = planned(*lines)
    found = at.own_binding(at.launch.arguments["BLOCK"])
    assert (found is not None) == is_own
    assert found is None or found in at.before


def test_a_binding_that_the_grid_reads_too() -> None:
    at = planned("b = n", "kernel[(b,)](x, n, b)")
    assert at.own_binding(at.launch.arguments["BLOCK"], also=at.launch.grid) is not None


@pytest.mark.parametrize(
    ("test", "holds"), [("n > 4", True), ("n > 5", False), ("n>4", True), ("n", False)]
)
def test_a_launch_after_a_test_that_does_not_hold(test: str, holds: bool) -> None:
    at = planned("if n > 4:", "    pass", "else:", "    kernel[(n,)](x, n, 64)")
    assert at.is_after(test) == holds
    assert not planned("if n > 4:", "    kernel[(n,)](x, n, 64)").is_after(test)

"""A kernel whose name a function of the file takes, and functions that take any arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.coverage.demands import demands
from tritonopt.verification.signature.launcher_walk import findings
from tritonopt.verification.signature.launchers import (
    Launchers,
    changed_definitions,
    left_out,
    unpacked,
)

TEXT = """
import torch
import triton
import triton.language as tl


@triton.jit
def clip_(x, n, low, high, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    if n > 4000:
        value = value + 1
    tl.store(x + at, tl.minimum(tl.maximum(value, low), high), mask=at < n)


_clip_kernel = clip_


def clip_(*args, **kwargs):
    x = args[0] if len(args) > 0 else kwargs.get("self")
    low, high = args[1], args[2]
    if x.dtype != torch.float32:
        raise TypeError("float32 alone")
    _clip_kernel[(triton.cdiv(x.numel(), 2048),)](x, x.numel(), low, high, BLOCK=2048)
    return x
"""
BRANCH = "        value = value + 1\n", "        value = value + 2\n"


def test_the_function_is_the_launcher_and_reaches_the_kernel() -> None:
    launchers = Launchers(source.read(TEXT))
    (launcher,) = launchers.outermost()
    assert [p.arg for p in launcher.parameters] == ["x", "low", "high"]
    assert launcher.by_position
    assert launchers.reached("clip_") == {"clip_", "clip_#1"}


def test_a_change_of_the_kernel_is_seen_and_has_to_run() -> None:
    old, new = source.read(TEXT), source.read(TEXT.replace(*BRANCH))
    assert changed_definitions(old, new) == {"clip_#1"}
    assert left_out(Launchers(old), new, []) == ["clip_"]
    assert left_out(Launchers(old), new, ["clip_"]) == []
    reached = {"clip_", "clip_#1"}
    asked = {d.text for d in demands(old, new, (reached, reached))}
    assert "value = value + 1" in asked and "value = value + 2" in asked


def test_either_definition_may_be_meant_and_both_have_to_run() -> None:
    text = """
import triton
import triton.language as tl

if triton.__version__ > "1":
    @triton.jit
    def scale(x):
        tl.store(x, tl.load(x) * 2)
else:
    @triton.jit
    def scale(x):
        tl.store(x, tl.load(x) * 3)

def launch(x):
    scale[(1,)](x)
"""
    for factor in ("2", "3"):
        old, new = source.read(text), source.read(text.replace(f"* {factor}", f"* {factor}.0"))
        reached = Launchers(old).reached("launch")
        asked = {d.text for d in demands(old, new, (reached, reached))}
        assert f"tl.store(x, tl.load(x) * {factor})" in asked


def test_a_name_of_the_module_for_one_of_several_kernels_reaches_all() -> None:
    text = TEXT.replace("_clip_kernel = clip_", "_clip_kernel = clip_ if FAST else None")
    assert Launchers(source.read(text)).reached("clip_") == {"clip_", "clip_#1"}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("x, alpha = args", ["x", "alpha"]),
        ("x = args[0]\n    y = args[2] if len(args) > 2 else None", ["x", "args_1", "y"]),
        ("a = args[0]\n    b = args[0]", ["args_0"]),
        ("x = args[0]\n    out = args[1]", ["x", "args_1"]),
        ("x = args[0] if len(args) >= 1 else None\n    y = args[-1]", ["args_0"]),
        ("x = args[0]\n    if len(args) >= 2:\n        y = args[-1]", ["x", "y"]),
        ("for a in args:\n        x = a", ["args_0"]),
        ("return other(*args)", []),
    ],
)
def test_places_of_packed_arguments(body: str, names: list[str]) -> None:
    (function,) = ast.parse(f"def f(*args, out=None):\n    {body}\n").body
    assert isinstance(function, ast.FunctionDef)
    assert [a.arg for a in unpacked(function)] == names


def test_what_has_to_be_named_cannot_be_passed_by_position() -> None:
    (function,) = ast.parse("def f(*args, out):\n    x = args[0]\n").body
    assert isinstance(function, ast.FunctionDef)
    assert unpacked(function) == ()


def test_what_a_loop_finds_among_packed_arguments_is_a_tensor() -> None:
    body = "for a in args:\n        x = a\n        break\n    n = x.shape[-1]"
    text = f"{TEXT}\ndef f(*args):\n    {body}\n    kernel[(1,)](x, n, BLOCK=16)\n"
    launchers = Launchers(source.read(text.replace("kernel[", "_clip_kernel[")))
    assert findings(launchers, launchers.named("f")).evidence["args_0"].tensor


def test_packed_arguments_are_found_and_a_mistake_in_the_kernel_too(
    of_texts: Callable[..., Verdict],
) -> None:
    wrong = TEXT.replace("tl.maximum(value, low)", "tl.maximum(value, high)")
    verdict = of_texts(TEXT, wrong, max_examples=4)
    assert verdict.verdict == "counterexample", verdict
    assert "x = f32[" in str(verdict.counterexample)


def test_limits_of_a_plain_call_leave_room_for_what_differs(
    of_texts: Callable[..., Verdict],
) -> None:
    """Between two equal limits there is one number, and one call comes to the branch."""
    verdict = of_texts(TEXT, TEXT.replace(*BRANCH), max_examples=2)
    assert verdict.verdict == "counterexample", verdict


_NAMED = """
import triton


@wrapped
@triton.jit
def add(x, y):
    return x + y


@triton.jit
def add_complex(x, y):
    return x + y


add.register(kernel=add_complex)


@wrapped
@triton.jit
def limited_kernel(x, limit):
    return x


def total(x):
    return add(x, x)


def limit(x):
    return limited_kernel(x, 1)


def limit_backward(x, limit):
    return limited_kernel(x, limit)
"""


def test_what_is_registered_is_reached_and_a_parameter_is_no_function() -> None:
    launchers = Launchers(source.read(_NAMED))
    assert "add_complex" in launchers.reached("total")
    assert "limit" not in launchers.reached("limit_backward")
    assert {x.name for x in launchers.outermost()} == {"total", "limit", "limit_backward"}

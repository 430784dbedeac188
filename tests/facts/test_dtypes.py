"""Element types: what the kernel says, what the launches show, and what stays unknown."""

from __future__ import annotations

import textwrap

import pytest

from tests.facts.support import facts_of
from tritonopt.facts.dtypes import FLOATS, SOME_FLOAT, SOME_INTEGER, Types

KERNEL = """
@triton.jit
def kernel(X, W, Y, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    x = tl.load(X + cols, mask=cols < n, other=0.0)
    w = tl.load(W + cols)
    wide = x.to(tl.float32)
    half = w.to(tl.float16)
    acc = 0.0
    for i in range(n):
        acc += tl.sum(wide)
    value = {expression}
    tl.store(Y + cols, value)
"""


def types(expression: str, launcher: str = "") -> Types:
    text = KERNEL.format(expression=expression) + textwrap.dedent(launcher)
    facts = facts_of(text, "kernel")
    return facts.types.of(facts.interpretation.after["value"])


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("wide", "fp32"),
        ("wide * 2.0 + 1", "fp32"),
        ("acc", "fp32"),
        ("half * 2.0", "fp16"),
        ("half + wide", "fp32"),
        ("cols * 2", "int32"),
        ("cols * 0.5", "fp32"),
        ("wide[:, None]", "fp32"),
        ("x.to(tl.bfloat16) * cols", "bf16"),
        ("x > 0.0", "bool"),
        ("tl.where(cols < n, 1.0, 0.0)", "fp32"),
        ("tl.where(cols < n, half, 0.0)", "fp16"),
        ("tl.maximum(wide, 0.0)", "fp32"),
        ("tl.exp(wide)", "fp32"),
        ("tl.argmax(wide, 0)", "int32"),
        ("tl.minimum(wide, half)", "fp32"),
        ("tl.full([4], 1, tl.int8)", "int8"),
        ("tl.zeros_like(wide)", "fp32"),
        ("tl.sum(wide)", "fp32"),
        ("x.to(wide.dtype)", "fp32"),
        ("half.to(tl.float64) + wide", "fp64"),
        # In these the version of Triton decides, or the data's type.
        ("tl.maximum(half, 0.0)", SOME_FLOAT),
        ("tl.sum(half)", SOME_FLOAT),
        ("half / 3.0", SOME_FLOAT),
        ("x * 0.5", SOME_FLOAT),
        ("x * wide", SOME_FLOAT),
        ("tl.exp(x)", SOME_FLOAT),
        # What is no normal number of fp32 becomes fp64.
        ("tl.where(cols < n, 1e-300, 0.0)", SOME_FLOAT),
        ("w // 2", SOME_INTEGER),
    ],
)
def test_what_the_kernel_says(expression: str, dtype: str) -> None:
    found = types(expression)
    assert found.seen == {dtype}
    assert not found.by_launch or dtype == SOME_INTEGER


@pytest.mark.parametrize(
    "expression",
    ["x", "x * 2", "n", "x + w", "tl.where(x > 0, x, 0)", "x.to(n)", "wide.to(x.dtype)"]
    + ["tl.cast(n, X.dtype.element_ty)", "tl.full_like(wide, 1)"]
    # What is too large for int32 is a tensor of int64.
    + ["tl.where(cols < n, 10000000000, 0)", "cols + 10000000000"],
)
def test_what_is_not_known(expression: str) -> None:
    found = types(expression)
    assert not found.seen and not found.complete


@pytest.mark.parametrize(
    ("statements", "dtype"),
    [
        ("x = x.half()", "fp16"),
        ("x = x.to(torch.bfloat16).contiguous().view(-1, 2)", "bf16"),
        ("x = torch.empty_like(w, dtype=torch.float64)", "fp64"),
        ("x = torch.arange(4, dtype=torch.short)", "int16"),
        ("x = w.half().unfold(0, 2, 1)", "fp16"),
        ("assert x.dtype == torch.float32 and w.is_cuda", "fp32"),
        ("if x.dtype is not torch.float16:\n        raise TypeError", "fp16"),
        ("kind = torch.float16\n    x = torch.zeros(5, dtype=kind)", "fp16"),
        ("w = w.float()\n    x = torch.empty_like(w.T)", "fp32"),
        ("w = w.int()\n    x = x.to(w.dtype)", "int32"),
        ("x = x.half().to(w.device)", "fp16"),
        ("x = x.half()\n    prepare(w, x.device)", "fp16"),
        ("if w.ndim:\n        x = w.half()\n    else:\n        x = x.half()", "fp16"),
    ],
)
def test_what_the_launcher_shows(statements: str, dtype: str) -> None:
    launcher = f"""
def run(x, w):
    {statements}
    kernel[(1,)](x, w, w, 8, B=16)
"""
    found = types("x", launcher)
    assert found.seen == {dtype} and found.complete and found.by_launch


@pytest.mark.parametrize(
    "statements",
    [
        "x = torch.empty(5)",  # the default type, which anybody may set
        "x = x.half()\n    x = x.to(w)",
        "x = x.half()\n    x = x.view(kind)",
        "x = x.half()\n    if w.ndim:\n        x = x.float()",
        "x = x.half()\n    for i in w:\n        x = i",
        "x = x.half()\n    x.data = w",
        "x = x.half()\n    exchange(x)",
        "x = x.half()\n    y = x\n    y.exchange()",
        "x = x.half()\n    x, y = w, x",
        "x = x.half()\n    def exchange():\n        nonlocal x\n        x = w\n    exchange()",
        "x = torch.zeros(5, dtype=w.dtype)",
        "if x.dtype == torch.float16:\n        w = x",
        "assert x.dtype == torch.float16 or w.ndim",
        "x = x.half(*w)",
        "x = x.half()\n    x = x.type('torch.FloatTensor')",
        "global x\n    x = x.half()",
        "with suppress(TypeError):\n        assert x.dtype == torch.float16",
        "with suppress(TypeError):\n        x = x.half()",
    ],
)
def test_what_the_launcher_does_not_show(statements: str) -> None:
    launcher = f"""
def run(x, w, kind):
    {statements}
    kernel[(1,)](x, w, w, 8, B=16)
"""
    assert not types("x", launcher).seen


@pytest.mark.parametrize(
    "around",
    [
        "try:\n        x = x.half()\n    finally:\n        {launch}",
        "try:\n        x = x.half()\n    except TypeError:\n        {launch}",
        "for x in w:\n        x = x.half()\n    else:\n        {launch}",
        "match w:\n        case x:\n            {launch}",
        "x = x.half()\n    while w:\n        {launch}\n        x = w",
    ],
)
def test_what_is_around_a_launch(around: str) -> None:
    launch = "kernel[(1,)](x, w, w, 8, B=16)"
    assert not types("x", f"\ndef run(x, w):\n    {around.format(launch=launch)}\n").seen


def test_a_launch_in_a_branch_that_asks_for_the_type() -> None:
    launcher = """
    def run(x, w):
        if x.dtype == torch.float16:
            kernel[(1,)](x, w, w, 8, B=16)
        else:
            raise TypeError
    """
    assert types("x * 2.0", launcher).seen == {"fp16"}


def test_one_of_two_launches_refutes_and_does_not_prove() -> None:
    launcher = """
    def run(x, w):
        h = x.half()
        kernel[(1,)](h, w, w, 8, B=16)
        kernel[(1,)](x, w, w, 8, B=16)
    """
    found = types("x", launcher)
    assert found.some_in(frozenset({"fp16"})) and not found.all_in(FLOATS)
    # That it is a float, the kernel says by itself.
    assert types("x * 0.5", launcher).all_in(FLOATS)


def test_an_escape_leaves_the_launches_incomplete() -> None:
    launcher = """
    def run(x, w):
        x = x.float()
        kernel[(1,)](x, w, w, 8, B=16)
    TABLE = {"kernel": kernel}
    """
    found = types("x", launcher)
    assert found.seen == {"fp32"} and not found.complete


def test_the_type_of_another_pointer() -> None:
    launcher = """
    def run(x, w):
        y = torch.empty_like(x, dtype=torch.bfloat16)
        kernel[(1,)](x, w, y, 8, B=16)
    """
    assert types("x.to(Y.dtype.element_ty)", launcher).seen == {"bf16"}


@pytest.mark.parametrize(
    "around",
    [
        "",  # a helper of other files, or a kernel
        "\n@triton.jit\ndef caller(X):\n    value = kernel(tl.load(X + tl.arange(0, 16)))",
    ],
)
def test_nothing_enforces_the_annotations_of_a_helper(around: str) -> None:
    kernel = f"\n@triton.jit\ndef kernel(x: tl.float32):\n    value = x * 2.0\n{around}"
    facts = facts_of(kernel, "kernel")
    found = facts.types.of(facts.interpretation.after["value"])
    assert found.some_in(frozenset({"fp32"})) or found.seen == {SOME_FLOAT}
    assert not found.all_in(frozenset({"fp32"}))


def test_annotations() -> None:
    kernel = """
    from jaxtyping import Float16

    @triton.jit
    def kernel(X: "*bf16", W, scale: tl.float32, N):
        x = tl.load(X + tl.arange(0, 16))
        w = tl.load(W + tl.arange(0, 16))
        s = scale * 2.0

    def run(x, w: Float16[torch.Tensor, "n"]):
        kernel[(1,)](x, w, 0.5, 3)
    """
    facts = facts_of(kernel)
    after = facts.interpretation.after
    seen = {name: facts.types.of(after[name]).seen for name in "xws"}
    assert seen == {"x": {"bf16"}, "w": {"fp16"}, "s": {"fp32"}}


@pytest.mark.parametrize(
    ("above", "dtype"),
    [
        ("# tritonopt: x: i32[n]", "int32"),
        ("# tritonopt: y: f32[n], x: i32[n], n: 5", "int32"),
        # `verify` reads the nearest, and what tells passes to leave code alone says no type.
        ("# tritonopt: x: i32[n]\n# tritonopt: x: i64[n]", "int64"),
        ("# tritonopt: x: i32[n]\n# tritonopt: x: f16[n]", ""),
        ("# tritonopt: x: i64[n]\n# tritonopt: ignore[licm] -- x: i32[n] is short", "int64"),
        ("# tritonopt: ignore[licm] -- x: i32[n] is short", ""),
        ("# tritonopt: y: i64[n] where x: i32[n]", ""),
    ],
)
def test_the_comment_above_a_launcher(above: str, dtype: str) -> None:
    launcher = f"{above}\ndef run(x, y, w):\n    kernel[(1,)](x, w, y, 5, 64)\n"
    assert types("tl.where(cols < n, x, 0)", launcher).seen == set(dtype.split())

"""More parameters and arguments than a line has room for are laid out as a formatter would."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.source import (
    AddArgument,
    AddParameter,
    Change,
    EditConflict,
    ReplaceExpression,
    apply,
)
from tritonopt.source.editing.width import line_width

HEAD = "import triton\n@triton.jit\n"
FORTY = "a_parameter_with_a_name_of_40_characters"
EACH = f"def k(\n    {FORTY},\n    {FORTY},\n    "
"""The beginning of what has its parameters on a line each."""


def with_parameter(head: str, codes: tuple[str, ...] = ("N=4",), path: str = "<string>") -> str:
    module = source.read(f"{HEAD}{head}\n    pass\n", path)
    text = apply(module, [AddParameter(module.kernels[0], code) for code in codes])
    return text.removeprefix(HEAD).removesuffix("\n    pass\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # 88 characters, and one more.
        (f"def k({FORTY}, {FORTY[:33]}):", f"def k({FORTY}, {FORTY[:33]}, N=4):"),
        (f"def k({FORTY}, {FORTY[:34]}):", f"def k(\n    {FORTY}, {FORTY[:34]}, N=4\n):"),
        (f"def k({FORTY}, {FORTY[:34]},):", f"def k(\n    {FORTY}, {FORTY[:34]}, N=4\n):"),
        (f"def k({FORTY}, {FORTY}, b):", EACH + "b,\n    N=4,\n):"),
        (f"def k({FORTY}, {FORTY}, b=(1, 2)):", EACH + "b=(1, 2),\n    N=4,\n):"),
        (f"def k(\n    {FORTY}, {FORTY}\n):", EACH + "N=4,\n):"),
        (f"def k({FORTY}, {FORTY[:32]}, **b):", f"def k(\n    {FORTY}, {FORTY[:32]}, N=4, **b\n):"),
        (f"def k({FORTY}, {FORTY}, **b):", EACH + "N=4,\n    **b,\n):"),
        (f"def k(**{FORTY * 2}):", f"def k(\n    N=4,\n    **{FORTY * 2},\n):"),
        # A comment stays where it is.
        (f"def k({FORTY}, {FORTY}):  # why", f"def k({FORTY}, {FORTY}, N=4):  # why"),
    ],
)
def test_a_head_that_gets_too_long_is_broken(old: str, new: str) -> None:
    assert with_parameter(old) == new


def test_several_parameters_are_broken_together() -> None:
    head = f"def k({FORTY}, {FORTY}):"
    assert with_parameter(head, ("M", "N=4")) == EACH + "M,\n    N=4,\n):"


def test_no_line_is_too_long_that_is_no_longer_than_another() -> None:
    rest = f"\n    {FORTY * 3}"
    new = f"def k({FORTY}, {FORTY}, N=4):"
    assert with_parameter(f"def k({FORTY}, {FORTY}):{rest}") == new + rest


def test_a_launch_is_measured_as_it_will_be() -> None:
    head = HEAD + "def k(x, b):\n    pass\n\n\ndef run(x):\n"
    call = "    k[(triton.cdiv(x.numel(), 128),)](x, b=128)\n"
    module = source.read(head + call)
    (launch,) = module.launches
    assert launch.grid is not None
    grid: Change = ReplaceExpression(launch.grid, f"({FORTY},)")
    number: Change = ReplaceExpression(launch.call.keywords[0].value, "2")
    added = [AddArgument(launch.call, f"{name}={name}") for name in ("some", "more")]
    short = f"    k[({FORTY},)](x, b=2, some=some, more=more)\n"
    assert apply(module, [grid, number, *added]) == head + short
    added.append(AddArgument(launch.call, "num_warps=4"))
    long = f"    k[({FORTY},)](\n        x, b=2, some=some, more=more, num_warps=4\n    )\n"
    assert apply(module, [grid, number, *added]) == head + long


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"y = f({FORTY}, {FORTY[14:]}).to(c)", f"y = f({FORTY}, {FORTY[14:]}, b=2).to(c)"),
        (
            f"y = f({FORTY}, {FORTY}).to(tl)",
            f"y = f(\n    {FORTY}, {FORTY}, b=2\n).to(tl)",
        ),
        (f"y = g(f({FORTY}, {FORTY}))", f"y = g(f({FORTY}, {FORTY}, b=2))"),
    ],
)
def test_a_call_is_broken_before_a_method_of_its_result(old: str, new: str) -> None:
    module = source.read(f"import triton\n{old}\n")
    (call,) = (
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "f"
    )
    text = apply(module, [AddArgument(call, "b=2")])
    assert text == f"import triton\n{new}\n"


def test_the_project_says_how_long_a_line_may_be(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "inner" / "kernel.py"
    file.parent.mkdir()
    file.write_text("")
    module = source.read("a = 1\n", str(file))
    assert line_width(module) == 88
    (tmp_path / "pyproject.toml").write_text("[tool.black]\nline-length = 79\n")
    assert line_width(module) == 79
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n[tool.black]\n")
    assert line_width(module) == 120
    (file.parent / "pyproject.toml").write_text("[tool.ruff.lint]\n")
    (tmp_path / ".ruff.toml").write_text("line-length = 110\n")
    assert line_width(module) == 110
    (file.parent / "ruff.toml").write_text("line-length = ")
    assert line_width(module) == 110
    assert line_width(source.read("a = 1\n", "kernel.py")) == 88
    assert len(with_parameter(f"def k({FORTY}, {FORTY}, b):", path=str(file)).splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "before", "new"),
    [
        ("def k(a, b):", "b", "def k(a, N, M, b):"),
        ("def k(a, b):", "a", "def k(N, M, a, b):"),
        (
            f"def k({FORTY}, {FORTY[:34]}):",
            FORTY[:34],
            f"def k(\n    {FORTY}, N, M, {FORTY[:34]}\n):",
        ),
        (
            f"def k({FORTY}, {FORTY}1, b):",
            "b",
            f"def k(\n    {FORTY},\n    {FORTY}1,\n    N,\n    M,\n    b,\n):",
        ),
        (
            f"def k({FORTY}, {FORTY}1, **b):",
            "b",
            f"def k(\n    {FORTY},\n    {FORTY}1,\n    N,\n    M,\n    **b,\n):",
        ),
        ("def k(\n    a,\n    b,\n):", "b", "def k(\n    a,\n    N,\n    M,\n    b,\n):"),
        ("def k(\n    a,\n    b\n):", "b", "def k(\n    a,\n    N,\n    M,\n    b\n):"),
        ("def k(\n    a,\n    b,\n):", "a", "def k(\n    N,\n    M,\n    a,\n    b,\n):"),
        # What is said of one stays with it.
        (
            "def k(\n    a,  # one\n    # Two:\n    b,  # two\n):",
            "b",
            "def k(\n    a,  # one\n    N,\n    M,\n    # Two:\n    b,  # two\n):",
        ),
        ("def k(a,\n      b):", "b", "def k(a,\n      N,\n      M,\n      b):"),
        ("def k(\n    a, b,\n    c, d,\n):", "c", "def k(\n    a, b,\n    N, M, c, d,\n):"),
        ("def k(\n    a, b,\n    c, d,\n):", "d", "def k(\n    a, b,\n    c, N, M, d,\n):"),
    ],
)
def test_parameters_before_another_one(old: str, before: str, new: str) -> None:
    module = source.read(f"{HEAD}{old}\n    pass\n")
    added = [AddParameter(module.kernels[0], name, before) for name in ("N", "M")]
    text = apply(module, added)
    assert text == f"{HEAD}{new}\n    pass\n"
    with pytest.raises(EditConflict, match="exists already"):
        apply(module, [AddParameter(module.kernels[0], before, before), *added])


def test_arguments_before_others_and_last() -> None:
    head = HEAD + "def k(x, n, b):\n    pass\n\n\ndef run(x, y):\n"
    module = source.read(f"{head}    k[(1,)](x, y, b=128, num_warps=4)\n")
    (launch,) = module.launches
    _, y, block = launch.arguments.values()
    warps = launch.call.keywords[-1]
    added = [
        AddArgument(launch.call, "m == 1", y),
        AddArgument(launch.call, "c=7", warps),
        ReplaceExpression(block, "64"),
        AddArgument(launch.call, "d=8"),
    ]
    text = apply(module, added).removeprefix(head)
    assert text == "    k[(1,)](x, m == 1, y, b=64, c=7, num_warps=4, d=8)\n"
    with pytest.raises(EditConflict, match="is not one keyword argument"):
        apply(module, [AddArgument(launch.call, "m", warps)])
    assert "k[(1,)](x, y, m, b=128" in apply(
        module, [AddArgument(launch.call, "m", launch.call.keywords[0])]
    )

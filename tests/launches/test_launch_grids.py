"""Grids: what is read of them, in whose terms, and how they are capped."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.emit.writing import NotExpressible
from tritonopt.launches.launch_grids import (
    Extent,
    GridNotReadable,
    new_name,
    read_extent,
    statement_of,
)
from tritonopt.source import apply

HEAD = """\
import triton
import triton.language as tl

ROWS = 4


@triton.jit
def kernel(x, n, M, BLOCK: tl.constexpr):
    tl.store(x + tl.program_id(0), n)


"""


def extent(launcher: str, axis: int = 0) -> Extent:
    module = source.read(HEAD + launcher)
    return read_extent(module.launches[0], axis)


def function(*lines: str) -> str:
    return "def run(x, n, m, grid_of_caller):\n" + "".join(f"    {line}\n" for line in lines)


def capped(launcher: str, axis: int = 0) -> str:
    module = source.read(HEAD + launcher)
    changes = read_extent(module.launches[0], axis).capped("8")
    return apply(module, changes).removeprefix(HEAD)


LAUNCH = "kernel[grid](x, n, m, BLOCK=64)"


@pytest.mark.parametrize(
    ("lines", "kernel_terms", "at_launch"),
    [
        (["kernel[(m,)](x, n, m, 64)"], "M", "m"),
        (["kernel[m, 2](x, n, m, 64)"], "M", "m"),
        (["kernel[(x.shape[0],)](x, x.shape[0], m, 64)"], "n", "x.shape[0]"),
        (["kernel[(triton.cdiv(n, 64),)](x, n, m, 64)"], "tl.cdiv(n, 64)", "triton.cdiv(n, 64)"),
        (["kernel[(m * 3,)](x, n, m, 64)"], "M * 3", "m * 3"),
        (["kernel[(m + 1,)](x, n, m, 64)"], None, "m + 1"),
        (["kernel[(f(m),)](x, n, m, 64)"], None, "f(m)"),
        (["kernel[(n // 64,)](x, n, m, 64)"], None, "n // 64"),
        (["kernel[(0,)](x, n, m, 64)"], None, "0"),
        (["kernel[(f(m, 3),)](x, n, m, 64)"], None, "f(m, 3)"),
        (["kernel[lambda META: (META['n'],)](x, n, m, 64)"], "n", "n"),
        (["kernel[lambda META: (META['BLOCK'],)](x, n, m)"], "BLOCK", None),
        (["kernel[lambda META: (META['BLOCK'],)](x, n, m, f())"], "BLOCK", None),
        (["kernel[lambda META: (META['BLOCK'] * 2,)](x, n, m, n + 1)"], "BLOCK * 2", "(n + 1) * 2"),
        (["kernel[lambda META: (META['OTHER'],)](x, n, m, 64)"], None, None),
        (["grid = (m,)", "grid = (n,)", LAUNCH], "n", "grid[0]"),
        (["grid = (m,)", "if n:", "    grid = (n,)", f"    {LAUNCH}"], "n", "grid[0]"),
        (["grid = (m,)", "while n:", f"    {LAUNCH}", "    grid = (n, 1)"], None, "grid[0]"),
        (["grid = (m,)", LAUNCH], "M", "grid[0]"),
        # The tuple was made of another m.
        (["grid = (m,)", "m += 1", LAUNCH], None, "grid[0]"),
        (["if m:", "    grid = (m,)", "else:", "    grid = (1,)", LAUNCH], None, "grid[0]"),
        (
            ["grid = lambda META: (triton.cdiv(n, META['BLOCK']),)", LAUNCH],
            "tl.cdiv(n, BLOCK)",
            "triton.cdiv(n, 64)",
        ),
        # A lambda reads its names when it is called, which is at the launch.
        (["grid = lambda META: (m,)", "m += 1", LAUNCH], "M", "m"),
        (
            ["def grid(meta):", "    return (triton.cdiv(n, meta['BLOCK']), 1)", LAUNCH],
            "tl.cdiv(n, BLOCK)",
            "triton.cdiv(n, 64)",
        ),
        # Which block it is a tuner says.
        (
            ["kernel[lambda META: (triton.cdiv(n, META['BLOCK']),)](x, n, m)"],
            "tl.cdiv(n, BLOCK)",
            None,
        ),
        # What an object holds may have changed since the tuple was made.
        (["grid = (x.rows,)", "kernel[grid](x, n, x.rows, 64)"], None, "grid[0]"),
        # It may be a property, which is another number when it is asked again.
        (["kernel[(x.rows,)](x, n, x.rows, 64)"], None, "x.rows"),
        (["kernel[(m", "    + 1,)](x, n, m, 64)"], None, "m + 1"),
        (["kernel[((y := m),)](x, n, m, 64)"], None, "(y := m)"),
        (["kernel[lambda META: (META['OTHER'],)](x, n, m, 64)"], None, None),
        (["kernel[lambda META: (len(META),)](x, n, m, 64)"], None, None),
    ],
)
def test_how_many_programs(lines: list[str], kernel_terms: str | None, at_launch: str) -> None:
    found = extent(function(*lines))
    assert found.in_kernel_terms("tl.cdiv") == kernel_terms
    assert found.at_launch() == at_launch


@pytest.mark.parametrize(
    "lines",
    [
        ["kernel[grid_of_caller](x, n, m, 64)"],
        ["grid = make_grid(m)", LAUNCH],
        ["kernel[(1,) if m else (2,)](x, n, m, 64)"],
        ["sizes = (m,)", "kernel[(*sizes,)](x, n, m, 64)"],
        ["kernel[lambda META, more: (m,)](x, n, m, 64)"],
        ["def grid(META):", "    k = m", "    return (k,)", LAUNCH],
        ["grid = lambda META: (m,)", "if n:", "    grid = lambda META: (1,)", LAUNCH],
        ["grid = (m,)", "grid += (1,)", LAUNCH],
        ["grid = [m, 1]", LAUNCH],
        ["grid = (m,)", "grid = f()", LAUNCH],
        ["grid = (m,)", "for grid in x: pass", LAUNCH],
        ["grid = (m,)", "kernel[grid](x, grid := (n,), m, 64)"],
        [LAUNCH],
        # What decorates it may start others.
        ["@twice", "def grid(META):", "    return (m,)", LAUNCH],
    ],
)
def test_what_is_not_read(lines: list[str]) -> None:
    with pytest.raises(GridNotReadable):
        extent(function(*lines))


def test_an_axis_that_is_not_there() -> None:
    with pytest.raises(GridNotReadable, match="no axis 1"):
        extent(function("kernel[(m,)](x, n, m, 64)"), axis=1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["kernel[(m, n)](x)"], ["kernel[(min(m, 8), n)](x)"]),
        (
            ["grid = (m, n)", "kernel[grid](x)"],
            ["grid = (m, n)", "kernel[(min(grid[0], 8), *grid[1:])](x)"],
        ),
        (["grid = (m,)", "kernel[grid](x)"], ["grid = (m,)", "kernel[(min(grid[0], 8),)](x)"]),
        (["kernel[lambda A: (A['n'],)](x)"], ["kernel[lambda A: (min(A['n'], 8),)](x)"]),
        (
            ["g = lambda A: (m, 1)", "kernel[g](x)"],
            ["g = lambda A: (min(m, 8), 1)", "kernel[g](x)"],
        ),
        # The other launch keeps the grid that it has.
        (
            ["g = lambda A: (m, 1)", "kernel[g](x)", "other[g](x)"],
            [
                "g = lambda A: (m, 1)",
                "kernel[lambda A: (min(g(A)[0], 8), *g(A)[1:])](x)",
                "other[g](x)",
            ],
        ),
    ],
)
def test_a_cap(old: list[str], new: list[str]) -> None:
    assert capped(function(*old)) == function(*new)


def test_a_cap_on_a_later_axis() -> None:
    old = function("grid = (m, n, 1)", "kernel[grid](x)")
    new = function("grid = (m, n, 1)", "kernel[(grid[0], min(grid[1], 8), *grid[2:])](x)")
    assert capped(old, axis=1) == new


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("m", True),
        ("3", True),
        ("x.shape[-1]", True),
        ("x.stride(0)", True),
        ("self.weight.shape[0]", True),
        ("m + 1", True),
        ("triton.cdiv(m, 64)", True),
        ("f(m)", False),
        ("x.item()", False),
        # An attribute may be a property, and an element a method's result.
        ("self.rows", False),
        ("table[m]", False),
    ],
)
def test_what_may_be_evaluated_twice(code: str, expected: bool) -> None:
    assert extent(function(f"kernel[({code},)](x, n, 7, 64)")).is_repeatable is expected


@pytest.mark.parametrize(
    "arguments",
    [
        "x, alloc(), m, 64",
        "x, n, m := m + 5, 64",
        "x.unsqueeze_(0), n, m, 64",
        "x, n, m.add_(1), 64",
        "x, n, [m for m in n], 64",
        "x, (lambda: m)(), m, 64",
        "x, max(n), m, 64",
        "x, next(n), m, 64",
    ],
)
def test_what_the_launch_passes_may_change_the_number(arguments: str) -> None:
    found = extent(function(f"kernel[(m * x.shape[0],)]({arguments})"))
    assert not found.is_repeatable
    assert found.in_kernel_terms("tl.cdiv") is None
    assert found.comes_first, "evaluated once, where it was, it is what it was"


@pytest.mark.parametrize(
    "arguments",
    [
        "x.view(-1), torch.empty_like(x), m, 64",
        "x, triton.cdiv(n, 4), m, BLOCK=max(n, 64)",
        "x[0], n.item(), m, BLOCK=math.ceil(n)",
    ],
)
def test_what_the_launch_passes_changes_nothing(arguments: str) -> None:
    launcher = f"import math, torch\n{function(f'kernel[(m * x.shape[0],)]({arguments})')}"
    assert extent(launcher).is_repeatable


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["grid = (m,)", LAUNCH], True),
        (["grid = (x.shape[0],)", "kernel[grid](x, n, x.shape[0], BLOCK=64)"], True),
        (["grid = (m,)", "with torch.cuda.device(0):", "    " + LAUNCH], True),
        (["for i in range(3):", "    grid = (m,)", "    " + LAUNCH], True),
        (["k = x.shape[0]", "grid = (k,)", "prepare(x)", "kernel[grid](x, n, k, BLOCK=64)"], True),
        # What prepare() does with m or x is not known.
        (["grid = (m,)", "prepare(x)", LAUNCH], False),
        (["grid = (m,)", "with prepare(x):", "    " + LAUNCH], False),
        (["grid = (m,)", "m.add_(1)", LAUNCH], False),
        (["grid = (x.shape[0],)", "x.t_()", "kernel[grid](x, n, x.shape[0], 64)"], False),
        (["grid = (x.shape[0],)", "x.data = n", "kernel[grid](x, n, x.shape[0], 64)"], False),
        (["y = x", "grid = (x.shape[0],)", "y.t_()", "kernel[grid](x, n, x.shape[0], 64)"], False),
        (
            ["grid = (x.shape[0],)", "for i in range(2):", "    kernel[grid](x, n, x.shape[0], 64)"]
            + ["    prepare(x)"],
            False,
        ),
        (["grid = (m,)", "if n:", "    m = 3", LAUNCH], False),
        (["grid = (m,)", "if n:", "    " + LAUNCH], True),
        (["grid = (m,)", "if prepare(x):", "    " + LAUNCH], False),
        (["grid = (m,)", "match n:", "    case 1:", "        " + LAUNCH], False),
        (["grid = (m,)", "for i in range(3):", "    " + LAUNCH], True),
        (["grid = (m,)", "for i in range(3):", "    " + LAUNCH, "    prepare(x)"], False),
        (["if n:", "    grid = (m,)", "else:", "    " + LAUNCH], True),
        (["try:", "    grid = (m,)", "finally:", "    " + LAUNCH], True),
        (["try:", "    grid = (m,)", "    prepare(x)", "finally:", "    " + LAUNCH], False),
        (["for i in n:", "    " + LAUNCH, "    grid = (m,)"], False),
        (["if n:", "    grid = (m,)", LAUNCH], True),
        (["try:", "    grid = (m,)", "finally:", "    prepare(m)", LAUNCH], False),
        (["grid = (rows,)", "global rows", "kernel[grid](x, n, rows, 64)"], True),
        (["global rows", "grid = (rows,)", "prepare()", "kernel[grid](x, n, rows, 64)"], False),
    ],
)
def test_what_runs_between_a_grid_and_its_launch(lines: list[str], shown: bool) -> None:
    if "global rows" in lines:
        lines = ["global rows", *(line for line in lines if line != "global rows")]
    found = extent("import torch\nrows = 3\n" + function(*lines))
    assert (found.in_kernel_terms("tl.cdiv") is not None) is shown


@pytest.mark.parametrize("line", ["async with c():", "async for i in n:"])
def test_what_waits_may_run_anything(line: str) -> None:
    found = extent(f"async def run(x, n, m):\n    grid = (m,)\n    {line}\n        {LAUNCH}\n")
    assert found.in_kernel_terms("tl.cdiv") is None


@pytest.mark.parametrize(
    ("lines", "bound"),
    [
        (["grid = (m,)", LAUNCH], "grid = (m,)"),
        (["def grid(META):", "    return (m,)", LAUNCH], "def grid(META):\n    return (m,)"),
        (["grid = (m,)", "other[grid](x)", LAUNCH], ""),
        (["kernel[(m,)](x, n, m, 64)"], ""),
        (["grid = (m,)", "if n:", "    " + LAUNCH], ""),
        (["import torch", "grid = (m,)", LAUNCH], ""),
    ],
)
def test_the_statement_that_binds_the_grid_for_this_launch(lines: list[str], bound: str) -> None:
    found = extent(function(*lines)).own_statement
    assert (found and ast.unparse(found) or "") == bound


def test_a_function_of_this_file_is_looked_into() -> None:
    quiet = "def scale(n):\n    k = n * 2\n    return torch.empty(k)\n\n\n"
    loud = "def scale(n):\n    global ROWS\n    ROWS = n\n    return torch.empty(n)\n\n\n"
    launcher = function("kernel[(ROWS * m,)](x, scale(n), m, 64)")
    assert extent(f"import torch\n{quiet}{launcher}").is_repeatable
    assert not extent(f"import torch\n{loud}{launcher}").is_repeatable


def test_what_stands_before_the_axis_may_change_it() -> None:
    assert extent(function("kernel[(n, m)](x, n, m, 64)"), 1).comes_first
    assert not extent(function("kernel[(m := 3, m)](x, n, m, 64)"), 1).comes_first
    assert not extent(function("kernel[(next(n), next(n))](x, n, m, 64)"), 1).comes_first
    assert not extent(function("kernel[(m, next(n))](x, n, m, 64)"), 1).comes_first


def test_a_grid_with_a_name_and_one_that_is_a_function() -> None:
    named, called = ("grid = (m,)", LAUNCH), ("kernel[lambda META: (m, n)](x, n, m, 64)",)
    assert extent(function(*named)).is_repeatable and extent(function(*called)).is_repeatable
    assert not extent(function(*named)).comes_first
    assert not extent(function(*called)).comes_first
    twice = ["g = lambda A: (m, next(n))", "kernel[g](x)", "other[g](x)"]
    with pytest.raises(NotExpressible, match="would be computed more than once"):
        capped(function(*twice))


def test_a_name_that_the_launch_binds_again() -> None:
    with pytest.raises(GridNotReadable, match="may bind grid again"):
        rebind = ["grid = (m,)", "def alloc():", "    nonlocal grid", "    grid = (1,)"]
        extent(function(*rebind, "kernel[grid](x, alloc(), m, 64)"))


def test_a_function_is_asked_no_more_often() -> None:
    plain = ["grid = lambda META: (m, n)", "other[grid](x)", LAUNCH]
    loud = ["grid = lambda META: (m, next(n))", "other[grid](x)", LAUNCH]
    assert extent(function(*plain)).can_be_capped
    assert not extent(function(*loud)).can_be_capped
    assert extent(function(*loud[:1], LAUNCH)).can_be_capped
    assert not extent(function("grid = lambda grid: (m,)", "other[grid](x)", LAUNCH)).can_be_capped


@pytest.mark.parametrize(
    ("lines", "plain"),
    [
        (["kernel[(triton.cdiv(n, 64) * x.shape[0],)](x, n, m, 64)"], True),
        (["kernel[(min(n, max(m, 1)) - x.numel(),)](x, n, m, 64)"], True),
        (["k = x.size(0) // 2", "kernel[(k,)](x, n, m, 64)"], True),
        (["k = x.max().item()", "kernel[(k + 1,)](x, n, m, 64)"], True),
        (["k = reduce(lambda a, b: a * b, x.shape[:-1])", "kernel[(k,)](x, n, m, 64)"], True),
        (["k = reduce(operator.mul, x.shape)", "kernel[(k,)](x, n, m, 64)"], True),
        # numpy, tensors, and what counts on.
        (["kernel[(x.max().item(),)](x, n, m, 64)"], False),
        (["k = reduce(lambda a, b: a * x, x.shape)", "kernel[(k,)](x, n, m, 64)"], False),
        (["k = reduce(lambda a, b: a * b, x)", "kernel[(k,)](x, n, m, 64)"], False),
        (["k = reduce(torch.add, x.shape)", "kernel[(k,)](x, n, m, 64)"], False),
        (["kernel[(numpy.prod(x.shape),)](x, n, m, 64)"], False),
        (["k = x.sum()", "kernel[(k + 1,)](x, n, m, 64)"], False),
        (["kernel[(next(x),)](x, n, m, 64)"], False),
        (["kernel[(max(x),)](x, n, m, 64)"], False),
        (["kernel[(x.view(-1).numel(),)](x, n, m, 64)"], False),
        (["kernel[((y := m),)](x, n, m, 64)"], False),
    ],
)
def test_what_is_a_number_and_nothing_else(lines: list[str], plain: bool) -> None:
    imports = "import operator\nfrom functools import reduce\n"
    assert extent(imports + function(*lines)).is_plain is plain


@pytest.mark.parametrize(
    ("launch", "alone"),
    [
        (LAUNCH, True),
        ("kernel.run(x, n, m, 64, grid=grid)", True),
        (f"compiled = {LAUNCH}", False),
        (f"return {LAUNCH}", False),
        (f"x and {LAUNCH}", False),
        ("kernel.warmup(x, n, m, 64, grid=grid)", False),
    ],
)
def test_which_launches_are_statements(launch: str, alone: bool) -> None:
    module = source.read(HEAD + function("grid = (m,)", launch))
    assert (statement_of(module.launches[0]) is not None) is alone


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ([], "rows"),
        (["rows = 1"], "rows_2"),
        (["global rows"], "rows_2"),
        (["def inner():", "    nonlocal rows"], "rows_2"),
        (["def rows(): pass"], "rows_2"),
        (["import rows"], "rows_2"),
        (["from rows import m as k"], "rows_2"),
        (["try: pass", "except ValueError as rows: pass"], "rows_2"),
        (["match n:", "    case [*rows]: pass"], "rows_2"),
        (["print(rows_2, lambda rows: 1)"], "rows_3"),
        (["log('{rows}')"], "rows_2"),
    ],
)
def test_a_new_name(lines: list[str], name: str) -> None:
    module = source.read(HEAD + function(*lines, "kernel[(m,)](x, n, m, 64)"))
    assert new_name("rows", module.launches[0]) == name


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["if n:", "    rows = 1", "    f(rows)", "else:", "    @"], "rows"),
        (["if n:", "    @", "elif m:", "    rows = 1"], "rows"),
        (["if n:", "    if m:", "        @", "    else:", "        rows = 1"], "rows"),
        # Read after both, or bound by a call that comes to both.
        (["if n:", "    rows = 1", "else:", "    @", "f(rows)"], "rows_2"),
        (["if n:", "    rows = 1", "if m:", "    @"], "rows_2"),
        (["if n and (rows := m):", "    x", "else:", "    @"], "rows_2"),
        (["for k in m:", "    if k:", "        rows = 1", "    else:", "        @"], "rows_2"),
        (["if n:", "    global rows", "else:", "    @"], "rows_2"),
    ],
)
def test_a_new_name_of_another_branch(lines: list[str], name: str) -> None:
    lines = [line.replace("@", "kernel[(m,)](x, n, m, 64)") for line in lines]
    (launch,) = source.read(HEAD + function(*lines)).launches
    assert new_name("rows", launch, place=statement_of(launch)) == name


@pytest.mark.parametrize(
    "line", ["print(locals())", "k = vars()", "k = dir()", "exec('k = 1')", "sys._getframe(0)"]
)
def test_a_new_name_that_would_be_noticed(line: str) -> None:
    module = source.read(HEAD + "import sys\n" + function(line, "kernel[(m,)](x, n, m, 64)"))
    with pytest.raises(NotExpressible, match="sees every name"):
        new_name("rows", module.launches[0])


def test_a_new_name_in_a_class() -> None:
    launcher = function("class A:", "    kernel[(m,)](x, n, m, 64)")
    with pytest.raises(NotExpressible, match="visible outside"):
        new_name("rows", source.read(HEAD + launcher).launches[0])

"""The one-line language, and what is read from a launcher's code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.settling.candidates import choices
from tritonopt.verification.signature.argument_language import (
    ChoiceArgument,
    FormulaArgument,
    Origin,
    RangeArgument,
    SameArgument,
    SequenceArgument,
    Signature,
    SizeArgument,
    TensorArgument,
    TorchType,
    ValuesArgument,
)
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.signature.documented import entry_for, select_entry
from tritonopt.verification.signature.inference import read, with_layouts
from tritonopt.verification.signature.launchers import Comment, Launchers, comment_of


def test_every_form_of_the_language() -> None:
    text = (
        "x: f32|f16|bf16[m, n], w: float32[n], i: i64[m] in 0..n, eps: 1e-5, dim: int in 0..1, "
        "flag: bool, mode: 'mean'|'sum', k: n, shape: (m, n), y: =x, z: f32[..., 4], o: None, "
        "b: f32[n] | None, t: torch.float16, s: x.stride(0), g: 2 * cdiv(n, 16) - 1, "
        "l: [f32[m], f16[n], ...], p: (f32[m],), a: f32[m] | None | 0.5 | -2, c: sum(i), e: max(i)"
    )
    assert parse(text).arguments == (
        TensorArgument("x", ("f32", "f16", "bf16"), ("m", "n")),
        TensorArgument("w", ("f32",), ("n",)),
        TensorArgument("i", ("i64",), ("m",), low=0, high="n"),
        ChoiceArgument("eps", (1e-5,)),
        RangeArgument("dim", 0, 1),
        ChoiceArgument("flag", (False, True)),
        ChoiceArgument("mode", ("mean", "sum")),
        SizeArgument("k", ("n",)),
        SizeArgument("shape", ("m", "n"), as_tuple=True),
        SameArgument("y", "x"),
        TensorArgument("z", ("f32",), ("...", 4)),
        ChoiceArgument("o", (None,)),
        TensorArgument("b", ("f32",), ("n",), optional=True),
        ChoiceArgument("t", (TorchType("f16"),)),
        FormulaArgument("s", "x.stride(0)"),
        FormulaArgument("g", "2 * cdiv(n, 16) - 1"),
        SequenceArgument(
            "l",
            (TensorArgument("l[0]", ("f32",), ("m",)), TensorArgument("l[1]", ("f16",), ("n",))),
            more=True,
        ),
        SequenceArgument("p", (TensorArgument("p[0]", ("f32",), ("m",)),), as_tuple=True),
        TensorArgument("a", ("f32",), ("m",), optional=True, numbers=(0.5, -2)),
        ValuesArgument("c", "sum", "i"),
        ValuesArgument("e", "max", "i"),
    )


def test_what_is_printed_is_read_again() -> None:
    text = "x: f32|f16[m, 8], i: i64[m] in 0..9, e: 1e-05, d: int in -1..1, f: bool, y: =x, s: (m,)"
    text += ", b: f32[m] in 0..3 | None, t: torch.float32, q: m * x.stride(-1)"
    text += ", l: [f32|f16[m, k], f32[m], ...], p: (i64[m] in 0..m, f32[k]), u: (f32[m],)"
    text += ", a: i64[m] in 0..m | -1 | 3, c: f32[m] | None | -0.75"
    assert parse(str(parse(text))) == parse(text)


MISTAKES = {
    "": "column 1: expected the name of a parameter|at least one",
    "x": "column 2: expected `:` after `x`",
    "x f32[n]": "column 3: expected `:`",
    "x: f33[n]": "column 4: expected a type of tensor",
    "x: f32[n": "column 9",
    "x: f32[n] y: f32[n]": "column 11: expected `,`",
    "x: f32[n, ...]": "as the first dimension only",
    "x: f32[n], d: int": "expected `in LOW..HIGH`",
    "x: f32[n], d: int in 2..1": "at least 2",
    "x: f32[n], y: =z": "column 12: .*no tensor",
    "x: f32[n], x: f32[n]": "column 12: `x` is given twice",
    "x: f32[n], k: m": "column 12: .*no dimension of a tensor",
    "x: f32[n], k: open(n)": r"column 15: `open\(n\)` has no place in a formula",
    "x: f32[n], k: n +": "column 18: this is no expression",
    "x: f32[n] | y": "`None` or a number: a tensor has one form",
    "x: f32[n], t: torch.flaot16": "column 15: expected a type of torch",
    "x: ?": "expected a type with dimensions",
    "x: [f32[n], 3]": "column 13: expected a type of tensor",
    "x: [f32[n], ..., f32[n]]": "column 16: expected `]`: after `...` nothing",
    "x: (f32[n], f32[n] | None)": "column 13: .*all there",
    "x: [f32[n]": "column 11: expected `,` or `]`",
    "x: [i64[n] in 0..k]": "column 1: .*no dimension of a tensor",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_pointed_at(text: str) -> None:
    with pytest.raises(VerificationError, match=MISTAKES[text]):
        parse(text)


_KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x, w, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + cols, mask=cols < n)
    tl.store(y + row * n + cols, v * tl.load(w + cols, mask=cols < n), mask=cols < n)
"""
_LAUNCH = "kernel[(m,)](x, w, y, n, BLOCK=triton.next_power_of_2(n))"

LAUNCHERS = {
    "shapes are unpacked": (
        f"def f(x, w):\n    m, n = x.shape\n    y = torch.empty_like(x)\n    {_LAUNCH}",
        "x: f32|f16|bf16[m, n], w: f32|f16|bf16[n]",
    ),
    "shapes are unpacked with something after them": (
        "def f(x, w):\n    b, m, n, k = *x.shape, w.shape[-1]\n    y = torch.empty_like(x)\n"
        f"    {_LAUNCH}",
        "x: f32|f16|bf16[b, m, n], w: f32|f16|bf16[n]",
    ),
    "sizes are asked for one by one": (
        "def f(x: torch.Tensor, w: torch.Tensor, flag=False):\n"
        "    m, n = x.size(0), x.shape[1]\n    assert w.shape == (n,)\n"
        f"    y = torch.empty_like(x)\n    {_LAUNCH}",
        "x: f32|f16|bf16[m, n], w: f32|f16|bf16[n], flag: bool",
    ),
    "any number of leading dimensions": (
        "def f(x, w, eps: float):\n    n = x.shape[-1]\n    rows = x.view(-1, n)\n"
        f"    m = rows.shape[0]\n    y = torch.empty_like(rows)\n    {_LAUNCH}",
        "x: f32|f16|bf16[..., n], w: f32|f16|bf16[n], eps: 1e-05",
    ),
    "rows are counted, whatever dimensions they lie in": (
        "def f(x, w, dim=-1):\n    y = x.transpose(dim, -1) if dim != -1 else x\n"
        "    n = x.shape[-1]\n    m = x.numel() // n\n    y = torch.empty_like(x)\n"
        f"    {_LAUNCH}",
        "x: f32|f16|bf16[..., n], w: f32|f16|bf16[n], dim: -1",
    ),
    "a guard that raises": (
        "def f(x, w):\n    if x.dim() != 2:\n        raise ValueError\n"
        "    if x.dtype != torch.float32:\n        raise TypeError\n"
        "    if x.shape[1] != w.shape[0]:\n        raise ValueError\n    m = x.shape[0]\n"
        f"    n = x.shape[1]\n    y = torch.empty_like(x)\n    {_LAUNCH}",
        "x: f32[m, n], w: f32|f16|bf16[n]",
    ),
    "annotated in the jaxtyping habit": (
        "def f(x: Float32[Tensor, 'm n'], w: 'Float[Tensor, \"n\"]'):\n"
        f"    m, n = x.shape\n    y = torch.empty_like(x)\n    {_LAUNCH}",
        "x: f32[m, n], w: f32|f16|bf16[n]",
    ),
    "through another function": (
        f"def g(a, w, m, n):\n    x = a\n    y = torch.empty_like(x)\n    {_LAUNCH}\n"
        "def f(x, w):\n    m, n = x.shape\n    return g(x, w, m, n)",
        "x: f32|f16|bf16[m, n], w: f32|f16|bf16[n]",
    ),
    "a size is passed as well": (
        "def f(x, w, cols: int):\n    m, n = x.shape\n    assert cols == n\n"
        f"    y = torch.empty_like(x)\n    {_LAUNCH}",
        "x: f32|f16|bf16[m, n], w: f32|f16|bf16[n], cols: n",
    ),
    "one less of a size": (
        "def f(x, w, before):\n    m, n = x.shape\n    width = w.shape[1]\n"
        "    assert w.shape == (n, width) and before.shape == (m, width - 1)\n"
        f"    y = torch.empty_like(x)\n    {_LAUNCH}",
        "x: f32|f16|bf16[m, n], w: f32|f16|bf16[n, width], before: f32|f16|bf16[m, width - 1]",
    ),
    "sizes that differ by one in either order": (
        "def f(x, w):\n    m, n = x.shape\n    assert w.shape[0] == n + 1\n"
        "    assert n == w.shape[0] - 1\n"
        f"    y = torch.empty_like(x)\n    {_LAUNCH}",
        "x: f32|f16|bf16[m, n], w: f32|f16|bf16[n + 1]",
    ),
    "how many warps a program has is passed on": (
        "def f(x, w, warps):\n    m, n = x.shape\n    y = torch.empty_like(x)\n"
        f"    {_LAUNCH[:-1]}, num_warps=warps)",
        "x: f32|f16|bf16[m, n], w: f32|f16|bf16[n], warps: 4|8",
    ),
}


@pytest.mark.parametrize("name", LAUNCHERS)
def test_arguments_are_read_from_the_code(name: str) -> None:
    code, expected = LAUNCHERS[name]
    launchers = Launchers(source.read(_KERNEL + code + "\n", "kernel.py"))
    (launcher,) = launchers.outermost()
    assert launcher.name == "f"
    reading = read(launchers, launcher)
    assert not reading.unknown
    assert str(Signature(reading.known)) == expected


def test_what_cannot_be_read_is_asked_for() -> None:
    code = "def f(x, w, mode: int):\n    m, n = x.shape\n    y = x.new_empty(m, n)\n"
    code += f"    if mode:\n        {_LAUNCH}\n"
    launchers = Launchers(source.read(_KERNEL + code, "kernel.py"))
    message = read(launchers, launchers.named("f")).question()
    assert "`mode`" in message
    assert "--args 'x: f32|f16|bf16[m, n], w: f32|f16|bf16[n], mode: int in 1..8'" in message


def test_a_comment_says_it() -> None:
    code = (
        f"# tritonopt: x: f32[m, n], w: f32[n]\ndef f(x, w):\n    m, n = x.shape\n    {_LAUNCH}\n"
    )
    module = source.read(_KERNEL + code, "kernel.py")
    found = comment_of(module, Launchers(module).named("f"))
    line = _KERNEL.count("\n") + 1
    assert found == Comment("x: f32[m, n], w: f32[n]", line, len("# tritonopt: "))


def test_an_error_in_a_comment_names_its_place_in_the_file() -> None:
    with pytest.raises(VerificationError, match=r"^kernel.py:7:18: expected a type of tensor"):
        parse("x: f33[n]", Origin("kernel.py", line=7, column=14))


def test_layouts_follow_the_strides_that_the_code_asks_for() -> None:
    code = (
        "def f(x, w, y):\n    m, n = x.shape\n    assert w.shape == (n,)\n"
        "    y = y.contiguous()\n"
        "    kernel[(m,)](x, w, y, x.stride(0), BLOCK=triton.next_power_of_2(n))\n"
    )
    launchers = Launchers(source.read(_KERNEL + code, "kernel.py"))
    given = parse("x: f32[m, n], w: f32[n], y: f32[m, n]")
    found = with_layouts(launchers, launchers.named("f"), given).tensors
    assert [(t.strided, t.rows_only) for t in found] == [(True, True), (False, True), (True, False)]


def test_a_function_that_a_decorator_made_launches_by_itself() -> None:
    code = _KERNEL.replace("@triton.jit", "@pointwise\n@triton.jit") + "def f(x):\n    kernel(x)\n"
    assert [launcher.name for launcher in Launchers(source.read(code)).outermost()] == ["f"]


def test_what_is_open_gets_candidates() -> None:
    code = (
        "def f(x, target, w, mode, dim=None):\n    m, n = x.shape\n"
        "    if mode not in ('mean', 'sum'):\n        raise ValueError\n"
        f"    check(target)\n    y = torch.empty_like(x)\n    {_LAUNCH}\n"
    )
    launchers = Launchers(source.read(_KERNEL + code, "kernel.py"))
    reading = read(launchers, launchers.named("f"))
    table = {c.name: [str(a) for a in c.candidates] for c in choices(reading, ("m", "n"))}
    assert table["x"][0] == "x: f32|f16|bf16[m, n]"
    assert "target: i64[m, n] in 0..n" in table["target"]
    assert table["mode"][:3].count("mode: 'mean'|'sum'") == 1
    assert table["dim"][0] == "None" and "dim: -1" in table["dim"]


def test_pyproject_says_it(tmp_path: Path) -> None:
    table = {"args": {"kernels/*.py:f": "x: f32[m, n]", "kernels/a.py:f": "x: f32[n]"}}
    path = tmp_path / "pyproject.toml"
    file = tmp_path / "kernels" / "a.py"
    found = select_entry(table, path, file, {"f"})
    assert found is not None and found.args == "x: f32[n]"
    assert "kernels/a.py:f" in found.place
    assert select_entry(table, path, tmp_path / "other.py", {"f"}) is None
    assert select_entry(table, path, file, {"g"}) is None


@pytest.mark.parametrize(
    "table", [{"arg": {}}, {"args": "x: f32[n]"}, {"args": {"a.py": "x: f32[n]"}}]
)
def test_a_table_that_means_nothing(table: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match="pyproject.toml"):
        select_entry(table, tmp_path / "pyproject.toml", tmp_path / "a.py", {"f"})


def test_the_nearest_pyproject_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.tritonopt.verify.args]\n"kernels/a.py:f" = "x: f32[n]"\n'
    )
    inner = tmp_path / "kernels"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[tool.other]\n")
    found = entry_for(inner / "a.py", {"f"})
    assert found is not None and found.args == "x: f32[n]"


def test_lists_are_drawn_and_built() -> None:
    pytest.importorskip("torch")
    from tritonopt.verification.inputs.examples import Limits, Several
    from tritonopt.verification.inputs.strategies import drawn
    from tritonopt.verification.worker.guarded_memory import Arena
    from tritonopt.verification.worker.one_call import build_arguments

    signature = parse("x: f32[n], parts: [f32[m, n], f32[k, n], ...], pair: (i64[m] in 0..n,)")
    limits = Limits(64, 8, frozenset({"f32", "i64"}))
    calls = drawn(signature, limits, backward=False, count=20, seed=0)
    assert len({len(e.tensors) for e in calls}) > 1
    for example in calls:
        parts = dict(example.arguments)["parts"]
        assert isinstance(parts, Several) and len(parts.parts) >= 2
        assert {p.shape[1] for p in parts.parts} == set(example.tensors["x"].shape)
        arena = Arena("cpu", 0)
        (_, found, pair), tensors = build_arguments(example, arena, perturbation=False)
        assert type(found) is list and type(pair) is tuple
        assert [tuple(t.shape) for t in found] == [p.shape for p in parts.parts]
        assert found[-1] is tensors[f"parts[{len(found) - 1}]"]
        assert {b.label for b in arena.buffers} == {f"argument {name}" for name in tensors}

"""What an expression of a launcher makes: new memory, a view, a question about a shape."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.facts.host.tensor_expressions import allocation, same_shape, shape_of, viewed


def parsed(text: str) -> tuple[source.Module, ast.expr]:
    module = source.read(f"import torch\nfrom torch import empty\n\ndef run(x, m):\n    {text}\n")
    function = module.tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    statement = function.body[0]
    assert isinstance(statement, ast.Expr)
    return module, statement.value


def written(node: ast.expr | None) -> str:
    return "" if node is None else ast.unparse(node)


@pytest.mark.parametrize(
    ("text", "sizes", "like", "typed"),
    [
        ("torch.empty((m, 3), device=x.device)", ["m", "3"], "", ""),
        ("torch.zeros(m, 3)", ["m", "3"], "", ""),
        ("empty([m])", ["m"], "", ""),
        ("torch.full((m,), 0.0)", ["m"], "", ""),
        ("torch.full(m, 0.0)", None, "", ""),
        ("torch.empty(*m)", None, "", ""),
        ("torch.empty(x.shape)", None, "x", ""),
        ("torch.empty(x.size())", None, "x", ""),
        ("torch.randint_like(x, 9)", None, "x", "x"),
        ("torch.empty_strided((m,), (1,))", None, "", ""),
        ("x.new_zeros(m, 2)", ["m", "2"], "", "x"),
        ("x.new_full((m,), 1)", ["m"], "", "x"),
        ("x.new_tensor([1])", None, "", "x"),
        ("x.clone()", None, "x", "x"),
    ],
)
def test_new_memory(text: str, sizes: list[str] | None, like: str, typed: str) -> None:
    module, call = parsed(text)
    assert isinstance(call, ast.Call)
    made = allocation(module, call)
    assert made is not None
    assert (None if made.sizes is None else [written(s) for s in made.sizes]) == sizes
    assert (written(made.shaped_like), written(made.typed_like)) == (like, typed)


@pytest.mark.parametrize("text", ["x.view(m)", "torch.add(x, x)", "m(x)", "x.contiguous()"])
def test_no_new_memory_for_sure(text: str) -> None:
    module, call = parsed(text)
    assert isinstance(call, ast.Call)
    assert allocation(module, call) is None


@pytest.mark.parametrize(
    ("text", "reused"),
    [("torch.empty(m, out=x)", True), ("torch.empty(m, **x)", True), ("torch.empty(m)", False)],
)
def test_memory_of_another(text: str, reused: bool) -> None:
    module, call = parsed(text)
    assert isinstance(call, ast.Call)
    made = allocation(module, call)
    assert made is not None
    assert made.may_reuse == reused


@pytest.mark.parametrize(
    ("text", "tensor"),
    [("x.view(-1)", "x"), ("x.T", "x"), ("x.narrow(0, 1, m)", "x"), ("x.clone()", ""), ("x", "")],
)
def test_views(text: str, tensor: str) -> None:
    assert written(viewed(parsed(text)[1])) == tensor


def test_shapes() -> None:
    assert written(shape_of(parsed("x.shape")[1])) == "x"
    assert written(shape_of(parsed("x.t().size()")[1])) == "x.t()"
    assert shape_of(parsed("x.size(0)")[1]) is None
    module, call = parsed("x.half()")
    assert isinstance(call, ast.Call)
    assert written(same_shape(module, call)) == "x"

"""What host code may change, and which expressions come to the same before and after it."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.facts.host.side_effects import Changes, Evaluation, HostEffects, is_pure

HEAD = """\
import config
import math
import torch
import triton
from tools import alloc, check

ROWS = 3
state = 0

def quiet(n):
    out = torch.empty(triton.cdiv(n, 4))
    return out

def loud(n):
    global state
    state = n

def turns(t):
    t.t_()

def fills(t):
    t.zero_()

def again(n):
    return again(n - 1)

@check
def decorated(n):
    return n

class Box:
    @property
    def volume(self):
        return alloc()

    def view(self):
        return alloc()

def run(x, y, n, self):
"""


def function(body: str) -> tuple[source.Module, ast.FunctionDef]:
    module = source.read(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    last = module.tree.body[-1]
    assert isinstance(last, ast.FunctionDef)
    return module, last


def changes(body: str) -> Changes:
    module, run = function(body)
    return HostEffects(module).changes(run.body)


@pytest.mark.parametrize(
    "body",
    [
        "n + 1",
        "x.shape[0] * x.stride(0)",
        "torch.empty_like(x)",
        "x.contiguous().to(torch.float16)",
        "triton.cdiv(n, 4), math.ceil(n)",
        "quiet(n)",
        "int(n), len(x), max(n, 3), tuple(x.shape)",
        "self.eps, x[0]",
        "assert x.is_contiguous()",
        "lambda: alloc()",
        "torch.cuda.current_device()",
    ],
)
def test_nothing_is_changed(body: str) -> None:
    assert changes(body).nothing


@pytest.mark.parametrize(
    "body",
    [
        "alloc(n)",
        "self.prepare()",
        "decorated(n)",
        "again(n)",
        "self.volume",
        "x.view(4)",  # Box has one of its own
        "self.rows = n",
        "next(n)",
        "max(n)",
        "tuple(n)",
        "import other",
        "await n",
        "yield n",
        "with alloc(): pass",
        "for i in n: pass",
        "[i for i in n]",
        "torch.vmap(quiet)",
        "torch.nn.functional.relu(lambda: 1)",
        "torch.add(x, y, out=x)",
        "torch.nn.functional.relu(x, inplace=True)",
        "getattr(x, 't_')()",
        "(lambda: n)()",
        "class A: pass",
        "torch.ops.mine.op(x)",
        "match n:\n    case [*rest]: pass",
        "match n:\n    case {'rows': 1}: pass",
        "match n:\n    case Box(): pass",
        "for i in x.shape[:2]: pass",
        "list(x.size())",
        "@check\ndef f(): pass",
        "quiet(n).rows += 1",
        "quiet(n)[0] += 1",
    ],
)
def test_anything_may_be_changed(body: str) -> None:
    assert changes(body).anything


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("n = 3", Changes(bound=frozenset({"n"}))),
        ("(n := 3)", Changes(bound=frozenset({"n"}))),
        ("loud(n)", Changes(bound=frozenset({"state"}))),
        ("x.t_()", Changes(reshaped=True)),
        ("x.data = y", Changes(reshaped=True)),
        ("turns(x)", Changes(reshaped=True)),
        ("f = x.set_", Changes(bound=frozenset({"f"}), reshaped=True)),
        ("fills(x)", Changes(mutated=frozenset({"t"}))),
        ("x.zero_()", Changes(mutated=frozenset({"x"}))),
        ("x[0] = 1", Changes(mutated=frozenset({"x"}))),
        ("with torch.cuda.device(0): n = 1", Changes(bound=frozenset({"n"}))),
        ("x += 1", Changes(bound=frozenset({"x"}), mutated=frozenset({"x"}))),
        ("try: pass\nexcept ValueError as e: pass", Changes(bound=frozenset({"e"}))),
        ("match n:\n    case [a, 1 as b]: pass", Changes(bound=frozenset({"a", "b"}))),
        ("for i in enumerate(x.shape): pass", Changes(bound=frozenset({"i"}))),
        ("[i for i in range(n)]", Changes(bound=frozenset({"i"}))),
    ],
)
def test_what_is_changed(body: str, expected: Changes) -> None:
    assert changes(body) == expected


@pytest.mark.parametrize(
    ("expression", "between", "same"),
    [
        ("n", "alloc(x)", False),  # it may be a tensor
        ("n", "fills(x)", False),
        ("m", "fills(x)", True),
        ("int(n)", "torch.empty(3)", True),
        ("x.shape[0]", "x.zero_()", True),
        ("x.shape[0]", "alloc(3)", False),
        ("x.shape[0]", "y.t_()", False),
        ("x.numel()", "x = y", False),
        ("m", "alloc(x)", True),
        ("m", "m += 1", False),
        ("ROWS", "alloc(x)", True),
        ("state", "alloc(x)", False),
        ("state", "loud(n)", False),
        ("state", "quiet(n)", True),
        ("self.rows", "n + 1", False),
        ("alloc(n)", "n + 1", False),
        ("config.rows", "n + 1", True),
        ("config.rows", "config.grow()", False),
        ("config.rows", "config.rows = 3", False),
        ("math.pi", "alloc()", True),
        ("n.bit_length()", "n + 1", False),
        ("self.weight.shape[0]", "n + 1", True),
        ("self.weight.shape[0]", "self.weight = y", False),
        ("self.weight.shape[0]", "n = 3", True),
    ],
)
def test_it_is_the_same_before_and_after(expression: str, between: str, same: bool) -> None:
    module, run = function(f"m, _ = x.shape\n{expression}\n{between}")
    asked = run.body[1]
    assert isinstance(asked, ast.Expr)
    evaluation = Evaluation(module, module.names.scopes[run])
    assert evaluation.gives_the_same(asked.value, run.body[2:]) is same


@pytest.mark.parametrize(
    ("bound", "is_number"),
    [
        ("k = 3", True),
        ("k = 'text'", False),
        ("k = [1]", False),
        ("k = y", False),
        ("k = x.shape[0]", True),
        ("k = x.shape[:2]", False),
        ("k = x.dim()", True),
        ("k = x.max()", False),
        ("k = x.max(1)", False),
        ("k = x.stride(1)", True),
        ("k = x.numel()", True),
        ("k, j = x.size()", True),
        ("k, j = x", False),
        ("k = int(n)", True),
        ("k = triton.cdiv(x.shape[0], 4)", True),
        ("k = triton.cdiv(n, 4)", False),
        ("k = alloc(3)", False),
        ("k = -x.shape[0] * 4", True),
        ("k = x.shape[0] * n", False),
        ("k = 1 if n else 2", True),
        ("j = 3; k = j", True),
        ("j = 3; k = j; j = k", False),
    ],
)
def test_a_number_is_the_same_after_a_tensor_was_filled(bound: str, is_number: bool) -> None:
    module, run = function(f"{bound}\nfills(x)\nk")
    asked = run.body[-1]
    assert isinstance(asked, ast.Expr)
    evaluation = Evaluation(module, module.names.scopes[run])
    assert evaluation.gives_the_same(asked.value, run.body[-2:-1]) is is_number


@pytest.mark.parametrize(
    ("expression", "pure"),
    [
        ("x.shape[i]", True),
        ("x.shape[f()]", False),
        ("x.size()[1]", True),
        ("f().size()[0]", False),
        ("x.size(*a)", False),
        ("x.max()", False),
        ("self.w.size(0)", True),
        ("f(x).shape", False),
        ("max(n, m)", True),
        ("max(x)", False),
        ("n.other", False),
        ("n if m else -n + 3", True),
        ("n < m and n", True),
        ("[n]", False),
        ("n[0]", False),
        ("lambda: 1", False),
    ],
)
def test_evaluating_it_does_nothing_else(expression: str, pure: bool) -> None:
    assert is_pure(source.read(""), ast.parse(expression, mode="eval").body) is pure


def test_what_an_inner_function_may_bind() -> None:
    module, run = function("m = 3\nm\nalloc(x)\ndef inner():\n    nonlocal m\n    m = 4")
    asked = run.body[1]
    assert isinstance(asked, ast.Expr)
    assert not Evaluation(module, module.names.scopes[run]).gives_the_same(
        asked.value, run.body[2:3]
    )


def test_a_dictionary_that_is_given() -> None:
    expression = ast.parse("meta['BLOCK'] * 2", mode="eval").body
    module = source.read("")
    assert is_pure(module, expression, "meta")
    assert not is_pure(module, expression)

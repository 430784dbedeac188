"""Which values an expression of host code may have, where they are few and stand in the file."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.facts.host.few_values import values_of

HEAD = """\
LIMIT = 3
LIST = [1]


def one_or_two(a):
    if a:
        return 1
    return 2


def maybe(a):
    if a:
        return 1


def nothing(a):
    return


def raises(a):
    if a:
        return 1
    else:
        raise ValueError


def several():
    yield 1


def with_another():
    def other():
        return 5

    return 6


@decorator
def decorated():
    return 1


def itself():
    return itself()


def run(x, n, *rest):
"""


@pytest.mark.parametrize(
    ("lines", "values"),
    [
        ("3", {3}),
        ("-1.5", {-1.5}),
        ("-n", None),
        ("not n", {False, True}),
        ("isinstance(n, int)", {False, True}),
        ("n is None", {False, True}),
        ("n < 3", None),
        ("1 if n else 'a'", {1, "a"}),
        ("1 if n else n", None),
        ("k = 3; k", {3}),
        ("k = 3; k = n; k", None),
        ("import k; k", None),
        ("LIMIT", {3}),
        ("LIMIT = 4; LIMIT", {4}),
        ("LIST", None),
        ("rest", None),
        ("other", None),
        ("t = {1: 2, 3: 4}; t[n]", {2, 4}),
        ("{1: 2}[n]", {2}),
        ("n[0]", None),
        ("t = {1: 2}; t.get(n)", {2, None}),
        ("t = {1: 2}; t.get(n, 5)", {2, 5}),
        ("t = {1: 2}; t.get(*n)", None),
        ("t = {1: 2, **n}; t[n]", None),
        ("t = {1: 2}; n in t; t.keys(); t[n]", {2}),
        ("t = {1: 2}; t[3] = 5; t[n]", None),
        ("t = {1: 2}; x(t); t[n]", None),
        ("t = {1: 2}; t = {3: 4}; t[n]", None),
        ("one_or_two(n)", {1, 2}),
        ("maybe(n)", {1, None}),
        ("nothing(n)", {None}),
        ("raises(n)", {1}),
        ("several()", None),
        ("with_another()", {6}),
        ("decorated()", None),
        ("itself()", None),
        ("maybe = n; maybe(n)", None),
        ("x.f()", None),
        ("x(n)", None),
        ("(1, 2)", None),
    ],
)
def test_values(lines: str, values: set[object] | None) -> None:
    module = source.read(HEAD + "".join(f"    {line}\n" for line in lines.split("; ")))
    run = module.tree.body[-1]
    assert isinstance(run, ast.FunctionDef) and isinstance(run.body[-1], ast.Expr)
    assert values_of(module, run, run.body[-1].value) == values


def test_names_of_the_file_are_hidden_in_an_inner_function() -> None:
    lines = ["def outer(LIMIT, maybe):", "    def run(n):", "        LIMIT", "        maybe(n)"]
    module = source.read(HEAD.removesuffix("def run(x, n, *rest):\n") + "\n".join(lines) + "\n")
    run = next(n for n in ast.walk(module.tree) if getattr(n, "name", "") == "run")
    assert isinstance(run, ast.FunctionDef)
    for statement in run.body:
        assert isinstance(statement, ast.Expr)
        assert values_of(module, run, statement.value) is None

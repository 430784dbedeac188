"""One walk tells what the names of a launcher are bound to, and by whom."""

from __future__ import annotations

import ast

from tritonopt.facts.host.local_names import LocalNames, names_bound_in, names_reshaped_in

TEXT = """
def run(x, *rest, n=3, **options):
    global total
    y = x.view(-1)
    y: object = x
    a, b = x.shape
    for i in range(n):
        y.resize_(2)
    def inner(p):
        nonlocal b
        b = p
    z = [w for w in rest]
    match n:
        case [first, *others]:
            x.data = z
"""


def function() -> ast.FunctionDef:
    found = ast.parse(TEXT).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


def test_who_binds_a_name() -> None:
    names = LocalNames(function())
    assert (names.parameters, names.packed) == ({"x", "n"}, {"rest", "options"})
    assert [ast.unparse(value) for value in names.assigned["y"]] == ["x.view(-1)", "x"]
    assert set(names.assigned) == {"y", "b", "z"}
    assert names.bound_otherwise == {"a", "b", "i", "w"}
    assert names.declared == {"total", "b"}
    assert names.of_inner == {"p", "b"}
    assert names.stored_by_inner == {"b"}
    assert names.matched == {"w", "first", "others"}
    assert names.lines["b"] == [6, 11]
    assert names.has_loops
    assert names.replaces_memory
    assert names.reshapes


def test_where_a_statement_stands() -> None:
    run = function()
    names = LocalNames(run)
    loop = run.body[4]
    assert isinstance(loop, ast.For)
    assert names.home[loop] == (run, run.body, 4)
    assert names.home[loop.body[0]] == (loop, loop.body, 0)


def test_what_a_statement_binds() -> None:
    run = function()
    assert names_bound_in(run.body[3]) == {"a", "b"}
    assert names_bound_in(run.body[5]) == {"inner", "b"}
    assert names_bound_in(run.body[7]) == {"first", "others", "x"}
    assert names_reshaped_in(run.body[4]) == {"y"}

"""Code that goes over lines: put elsewhere, put on one line, and parameters with comments."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import combinations, product

import pytest

from tritonopt.source import read
from tritonopt.source.editing.excerpts import joined
from tritonopt.source.editing.parameters import exchanged, renamed

GAPS = ("", " ", "\n    ", "  # said\n    ", "\n    # above\n    ", "\r\n    ")


@pytest.mark.parametrize(
    "code", ["a\n    * b", "a\n    .b(c)", "a if b\n    else c", "a and\n\n b"]
)
def test_the_text_of_an_expression_stands_alone(code: str) -> None:
    module = read(f"f({code})\n")
    call = ast.parse(module.text).body[0]
    (statement,) = module.tree.body
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    text = module.text_of(statement.value.args[0])
    assert text == f"({code})"
    assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)
    again = ast.parse(text, mode="eval").body
    assert ast.dump(again) == ast.dump(call.value.args[0])


@pytest.mark.parametrize(
    "code", ["f(\n    a,\n)", "a + \\\n    b", "'''\n'''", "a[\n0]", "(\n    a,\n)"]
)
def test_it_has_no_parentheses_that_it_does_not_need(code: str) -> None:
    module = read(f"x = {code}\n")
    (statement,) = module.tree.body
    assert isinstance(statement, ast.Assign)
    assert module.text_of(statement.value) == code


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("(a\n    * b)", "a * b"),
        ("f(\n    a,\n    b,\n)", "f(a, b)"),
        ("(\n    a,\n)", "(a,)"),
        ("a + \\\n    b", "a + b"),
        ("(a)+(\nb)", "(a)+(b)"),
        ('x["k"\r\n    ]', 'x["k"]'),
        ("(a  # said\n    + b)", "(a  # said\n    + b)"),
        ("'''\n'''", "'''\n'''"),
        ("(a\n    .b)", "a.b"),
    ],
)
def test_joined(code: str, line: str) -> None:
    assert joined(code) == line


@pytest.mark.parametrize("before", GAPS)
@pytest.mark.parametrize("closing", ["", ",", "\n", "  # last\n", ",  # last\n"])
def test_parameters_go_wherever_commas_and_comments_stand(before: str, closing: str) -> None:
    """What is left is a function of the others, whatever the layout."""
    for behind, between in product(GAPS, GAPS):
        gap = f"{behind},{between}"
        text = f"def k({before}{gap.join(['a', 'b: t[0, 1]', 'c=(1, 2)'])}{closing}):\n    pass\n"
        for count in range(4):
            for gone in combinations("abc", count):
                (function,) = ast.parse(without(text, gone)).body
                assert isinstance(function, ast.FunctionDef)
                assert [p.arg for p in function.args.args] == [n for n in "abc" if n not in gone]


def without(text: str, names: Iterable[str]) -> str:
    """The text without some of the parameters a, b and c of its `def`."""
    gone = {"abc".index(name): () for name in names}
    for since, to, code in reversed(exchanged(text, 0, gone, 100)):
        text = text[:since] + code + text[to:]
    return text


def test_comments_go_with_their_parameters() -> None:
    text = "def k(\n    a,  # of a\n    # of b\n    b,  # of b too\n    c  # of c\n):\n"
    assert without(text, {"b"}) == "def k(\n    a,  # of a\n    c  # of c\n):\n"
    assert without(text, {"c"}).count("of c") == 0
    leading = "def k(\n    a  # of a\n    , b  # of b\n    , c\n):\n"
    assert without(leading, {"a"}) == "def k(\n    b  # of b\n    , c\n):\n"


@pytest.mark.parametrize("text", ["def e(e): e", "def  e(x): x", "def \\\n  e(x): x"])
def test_a_function_gets_another_name(text: str) -> None:
    assert (
        renamed(text, 0, "new")
        == text[: text.index("e", 3)] + "new" + text[text.index("e", 3) + 1 :]
    )

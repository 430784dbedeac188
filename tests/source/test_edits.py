"""Changes do what they say, and nothing else in the file moves."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.source import (
    AddArgument,
    AddParameter,
    Change,
    EditConflict,
    Enclose,
    InsertAfter,
    InsertBefore,
    Remove,
    Replace,
    ReplaceArgument,
    ReplaceExpression,
    ReplaceParameter,
    apply,
)

HEAD = "import triton\n\n\n"
TAIL = "\n\n# behind\nother = 1;  pass\n"


def statement(module: source.Module, line: str, last: bool = False) -> ast.stmt:
    """The first (or last) statement whose text starts so."""
    kernel = module.kernels[0].node
    found = [
        node
        for node in ast.walk(kernel)
        if isinstance(node, ast.stmt) and node is not kernel
        if module.text_of(node).startswith(line)
    ]
    return found[-1 if last else 0]


def expression(module: source.Module, text: str) -> ast.expr:
    found = [
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.expr) and module.text_of(node) == text
    ]
    return found[0]


def edited(body: str, *changes: Callable[[source.Module], Change], newline: str = "\n") -> str:
    """The body of a kernel after changes; all around it is checked to be as it was."""
    frame = f"{HEAD}@triton.jit\ndef k(x):\n"
    text = (frame + body + TAIL).replace("\n", newline)
    module = source.read(text)
    result = apply(module, [change(module) for change in changes])
    front, back = frame.replace("\n", newline), TAIL.replace("\n", newline)
    assert result.startswith(front)
    assert result.endswith(back)
    return result[len(front) : -len(back)].replace(newline, "\n")


def before(line: str, code: str) -> Callable[[source.Module], Change]:
    return lambda module: InsertBefore(statement(module, line), code)


def after(line: str, code: str) -> Callable[[source.Module], Change]:
    return lambda module: InsertAfter(statement(module, line), code)


def replace(line: str, code: str) -> Callable[[source.Module], Change]:
    return lambda module: Replace(statement(module, line), code)


def remove(line: str, keep_comments: bool = True) -> Callable[[source.Module], Change]:
    return lambda module: Remove(statement(module, line), keep_comments)


def exchange(old: str, new: str) -> Callable[[source.Module], Change]:
    return lambda module: ReplaceExpression(expression(module, old), new)


def test_no_change_is_the_text_itself() -> None:
    text = "\ufeffno python at all"
    module = source.Module("p", text, ast.Module([], []))
    assert apply(module, []) is text


# Insertions


def test_an_insertion_goes_above_the_comments_of_its_anchor() -> None:
    body = "    a = 1  # one\n\n    # of b\n    b = 2  # two\n    # end\n"
    assert edited(body, before("b", "n = 0")) == (
        "    a = 1  # one\n\n    n = 0\n    # of b\n    b = 2  # two\n    # end\n"
    )


def test_new_code_takes_the_place_below_a_blank_line() -> None:
    assert edited("    a\n\n    b\n", before("b", "n")) == "    a\n\n    n\n    b\n"
    assert edited("    a\n\n    b\n", before("b", "\nn\n\n")) == "    a\n\n    n\n\n    b\n"
    body = "    a\n\n    if x:\n        b\n"
    assert edited(body, before("if", "n")) == "    a\n\n    n\n    if x:\n        b\n"
    assert edited(body, before("if", "n"), after("b", "m")) == (
        "    a\n\n    n\n    if x:\n        b\n        m\n"
    )


def test_insertions_come_in_the_order_in_which_they_are_given() -> None:
    body = "    a\n    b\n"
    changes = [after("a", "p"), after("a", "q"), before("b", "r"), before("b", "s")]
    assert edited(body, *changes) == "    a\n    p\n    q\n    r\n    s\n    b\n"


def test_new_code_may_hold_comments_blocks_and_continuation_lines() -> None:
    code = (
        "# above\n"
        "v = f(  # open\n"
        "    1,\n"
        ")  # close\n"
        "\n"
        "for i in range(3):  # loop\n"
        "    # inside\n"
        "    if i:\n"
        "        v += '''\n  x'''\n"
        "    # foot of the loop\n"
        "# behind\n"
    )
    assert edited("    if x:\n        a\n        b\n", before("b", code)) == (
        "    if x:\n"
        "        a\n"
        "        # above\n"
        "        v = f(  # open\n"
        "            1,\n"
        "        )  # close\n"
        "\n"
        "        for i in range(3):  # loop\n"
        "            # inside\n"
        "            if i:\n"
        "                v += '''\n  x'''\n"
        "            # foot of the loop\n"
        "        # behind\n"
        "        b\n"
    )


def test_new_code_follows_tabs() -> None:
    body = "\tif x:\n\t\ta\n"
    code = "for i in y:\n    v = f(\n        1,\n    )"
    assert edited(body, after("a", code)) == (
        "\tif x:\n\t\ta\n\t\tfor i in y:\n\t\t\tv = f(\n\t\t\t\t1,\n\t\t\t)\n"
    )


def test_new_code_follows_two_spaces() -> None:
    body = "  if x:\n    a\n"
    assert edited(body, after("a", "if y:\n    b")) == "  if x:\n    a\n    if y:\n      b\n"


def test_odd_blocks_keep_their_odd_indentation() -> None:
    body = "    if x:\n     a\n     if y:\n            b\n"
    assert edited(body, before("b", "n"), before("a", "m")) == (
        "    if x:\n     m\n     a\n     if y:\n            n\n            b\n"
    )


def test_new_code_takes_the_newlines_of_the_kernel() -> None:
    body = "    a  # é\n    b = '''\n  '''\n"
    code = "if y:\n    n = f(\n        1)"
    expected = "    a  # é\n    if y:\n        n = f(\n            1)\n    b = '''\n  '''\n"
    assert edited(body, after("a", code), newline="\r\n") == expected


def test_new_code_follows_the_unit_of_a_kernel_that_stands_deep() -> None:
    frame = "import triton\nclass A:\n  def f():\n    @triton.jit\n    def k(x):\n"
    module = source.read(f"{frame}      a\n      if x: b\n")
    changes = [
        InsertAfter(
            statement(module, "a"), "for i in y:\n    if i:\n        c = (\n            1)"
        ),
        InsertAfter(statement(module, "b"), "d"),
    ]
    assert apply(module, changes) == (
        f"{frame}      a\n"
        "      for i in y:\n        if i:\n          c = (\n            1)\n"
        "      if x:\n        b\n        d\n"
    )


def test_newlines_that_are_mixed_stay_mixed() -> None:
    text = "import triton\r\n@triton.jit\ndef k(x):\r\n    a\n    b\r\n    c\r\nend = 1\n"
    module = source.read(text)
    assert apply(module, [after("b", "n")(module)]) == text.replace("b\r\n", "b\r\n    n\r\n")


def test_no_newline_at_the_end_stays_none() -> None:
    text = "import triton\n@triton.jit\ndef k(x):\n    b"
    module = source.read(text)
    assert apply(module, [before("b", "n")(module)]) == text.replace("    b", "    n\n    b")
    assert apply(module, [after("b", "n")(module)]) == f"{text}\n    n"


def test_statements_on_one_line_are_parted_only_where_something_comes_between() -> None:
    body = "    # lead\n    a; b; c  # tail\n"
    assert edited(body, before("b", "n")) == "    # lead\n    a\n    n\n    b; c  # tail\n"
    assert edited(body, after("c", "n")) == "    # lead\n    a; b; c  # tail\n    n\n"
    assert edited(body, before("a", "n")) == "    n\n    # lead\n    a; b; c  # tail\n"


def test_a_last_semicolon_stays() -> None:
    assert edited("    a; b;\n", before("b", "n")) == "    a\n    n\n    b;\n"
    assert edited("    a; b ;\n", after("b", "n")) == "    a; b ;\n    n\n"


def test_a_one_line_suite_becomes_a_block_when_it_must() -> None:
    body = "    if x: a; b  # tail\n    else: c\n"
    assert edited(body, before("b", "n")) == (
        "    if x:\n        a\n        n\n        b  # tail\n    else: c\n"
    )
    assert edited(body, after("c", "n")) == (
        "    if x: a; b  # tail\n    else:\n        c\n        n\n"
    )
    assert edited(body, replace("a", "n")) == "    if x: n; b  # tail\n    else: c\n"
    assert edited(body, remove("a")) == "    if x: b  # tail\n    else: c\n"


def test_a_kernel_on_one_line() -> None:
    text = "import triton\n@triton.jit\ndef k(x): a\n"
    module = source.read(text)
    assert apply(module, [before("a", "n")(module)]) == (
        "import triton\n@triton.jit\ndef k(x):\n    n\n    a\n"
    )


def test_an_elif_with_something_before_it_becomes_an_if_in_an_else() -> None:
    body = "    if x:\n        a\n    # why\n    elif y:  # y\n        b\n    else:\n        c\n"
    assert edited(body, before("elif", "n")) == (
        "    if x:\n"
        "        a\n"
        "    # why\n"
        "    else:\n"
        "        n\n"
        "        if y:  # y\n"
        "            b\n"
        "        else:\n"
        "            c\n"
    )


def test_changes_inside_an_elif_leave_it_one() -> None:
    body = "    if x:\n        a\n    elif y:\n        b\n    elif z:\n        c\n"
    assert edited(body, after("b", "n"), after("c", "m")) == (
        "    if x:\n        a\n    elif y:\n        b\n        n\n"
        "    elif z:\n        c\n        m\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        "    for i in x:\n        A\n    else:\n        B\n",
        "    while x:\n        A\n    else:\n        B\n",
        "    with x:\n        A\n        B\n",
        "    def f():\n        A\n    class C:\n        B\n",
        "    try:\n        A\n    except E:\n        pass\n    else:\n        B\n",
        "    try:\n        pass\n    except E:\n        A\n    finally:\n        B\n",
        "    match x:\n        case 1:\n            A\n        case _:\n            B\n",
    ],
)
def test_every_kind_of_block(body: str) -> None:
    result = edited(body, before("A", "n"), after("B", "m"))
    lines: list[str] = []
    for line in body.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        lines += [f"{indent}n"] * (line.strip() == "A") + [line]
        lines += [f"{indent}m"] * (line.strip() == "B")
    assert result.splitlines() == lines


@pytest.mark.skipif(sys.version_info < (3, 11), reason="except* is not Python yet")
def test_exception_groups() -> None:
    body = "    try:\n        a\n    except* E:\n        b\n"
    assert edited(body, after("b", "n")) == f"{body}        n\n"


# Replacements


def test_a_replacement_keeps_what_stands_above_and_behind() -> None:
    body = "    a\n\n    # of b\n    b = 1  # noqa\n    c\n"
    assert edited(body, replace("b", "n = 2")) == (
        "    a\n\n    # of b\n    n = 2  # noqa\n    c\n"
    )


def test_a_comment_behind_what_becomes_several_lines_stands_above_them() -> None:
    body = "    b = 1  # why\n    c\n"
    assert edited(body, replace("b", "for i in x:\n    n")) == (
        "    # why\n    for i in x:\n        n\n    c\n"
    )
    assert edited(body, replace("b", "n = 2  # new")) == "    # why\n    n = 2  # new\n    c\n"


def test_a_replacement_in_the_middle_of_a_line() -> None:
    body = "    a; b; c  # tail\n"
    assert edited(body, replace("b", "n; m")) == "    a; n; m; c  # tail\n"
    assert edited(body, replace("b", "if n:\n    m")) == (
        "    a\n    if n:\n        m\n    c  # tail\n"
    )


def test_a_block_is_replaced_whole() -> None:
    body = "    # of the loop\n    for i in x:  # header\n        a\n        # foot\n    b\n"
    assert edited(body, replace("for", "n")) == "    # of the loop\n    n\n    b\n"


def test_replacement_and_insertions_at_one_statement() -> None:
    body = "    # lead\n    a  # tail\n"
    changes = [after("a", "p"), replace("a", "n"), before("a", "m")]
    assert edited(body, *changes) == "    m\n    # lead\n    n  # tail\n    p\n"


# Removals


def test_what_explains_a_statement_goes_with_it() -> None:
    body = "    a\n    # of b,\n    # and long\n    b  # tail\n    c\n"
    assert edited(body, remove("b")) == "    a\n    c\n"
    assert edited(body, remove("b", keep_comments=False)) == "    a\n    c\n"


@pytest.mark.parametrize(
    "above",
    [
        "    # of all below\n\n",
        "    # fmt: off\n",
        "    # type: ignore\n",
        "    # noqa\n",
        "    # pylint: disable=invalid-name\n",
        "    # tool: skip\n",
        "    # ---- Part ----\n",
        "    # -------\n    # Part\n    # -------\n",
        "    ### Part\n",
        "    # SPDX-License-Identifier: MIT\n",
        "        # further in\n",
        "  # further out\n",
    ],
)
def test_what_is_about_more_stays(above: str) -> None:
    body = f"    a\n{above}    b = 1\n    return b\n"
    assert edited(body, remove("b")) == f"    a\n{above}    return b\n"
    explained = f"    a\n{above}    # of b\n    b = 1\n    return b\n"
    assert edited(explained, remove("b")) == f"    a\n{above}    return b\n"


def test_a_comment_above_what_controls_a_tool_goes() -> None:
    body = "    a\n    # of b\n    # fmt: off\n    b = 1\n    return b\n"
    assert edited(body, remove("b")) == "    a\n    # fmt: off\n    return b\n"


def test_a_suppression_goes_with_its_statement_however_far() -> None:
    body = "    a\n    # tritonopt: ignore[licm]\n\n    # Part\n\n    b = f(a)\n    c = f(x)\n"
    assert edited(body, remove("b")) == "    a\n\n    # Part\n\n    c = f(x)\n"


@pytest.mark.parametrize(
    ("group", "stays"),
    [
        ("    b = f(a)\n    c = f(x)\n", True),  # more of the same
        ("    b = a + 1\n    c = x + 1\n", True),
        ("    b = f(a)\n    c = f(b)\n", False),  # made from it
        ("    b = f(a)\n    c = g(x)\n", False),
        ("    b = f(a)\n    g(b)\n", False),
        ("    b = f(a)\n\n    c = f(x)\n", False),
        ("    b = f(a)\n    # of c\n    c = f(x)\n", False),
        ("    b = 0.0\n    for i in x:\n        b += i\n", True),  # goes on with it
        ("    b = 0.0\n    c = 1.0\n    for i in x:\n        b += i\n", True),
        ("    b = f(a)\n    for i in x:\n        g(b, i)\n", False),
        ("    b(a)\n    b(x)\n", True),
        ("    b(a)\n    c(x)\n", False),
    ],
)
def test_what_heads_a_group_stays_as_long_as_some_of_it_does(group: str, stays: bool) -> None:
    body = f"    a\n    # of b\n{group}"
    said = "    # of b\n" if stays else ""
    rest = group.partition("\n")[2]
    assert edited(body, remove("b")) == f"    a\n{said}{rest}"


def test_a_group_that_goes_takes_its_heading_along() -> None:
    body = "    a\n    # of both\n    b = f(a)\n    c = f(x)\n    return x\n"
    assert edited(body, remove("b"), remove("c")) == "    a\n    return x\n"
    assert edited(body, remove("c")) == "    a\n    # of both\n    b = f(a)\n    return x\n"
    moved = lambda m: Remove(statement(m, "b"), moved=True)  # noqa: E731
    assert edited(body, moved) == "    a\n    c = f(x)\n    return x\n"
    kept = lambda m: Remove(statement(m, "b"), headings=frozenset({"# of both"}))  # noqa: E731
    assert edited(body, kept, remove("c")) == "    a\n    # of both\n    return x\n"


def test_the_comments_below_the_last_statement_stay_in_its_block() -> None:
    body = "    if x:\n        a\n        # of b\n        b\n        # foot\n    c\n"
    assert edited(body, remove("b")) == "    if x:\n        a\n        # foot\n    c\n"


def test_blank_lines_neither_vanish_nor_double() -> None:
    assert edited("    a\n\n    b\n    c\n", remove("b")) == "    a\n\n    c\n"
    assert edited("    a\n\n    b\n\n    c\n", remove("b")) == "    a\n\n    c\n"
    assert edited("    a\n\n    # b\n    b\n    c\n", remove("b", keep_comments=False)) == (
        "    a\n\n    c\n"
    )
    assert edited("    a\n\n    b\n", remove("b")) == "    a\n"


def test_removal_from_a_line() -> None:
    body = "    # lead\n    a; b; c  # tail\n"
    assert edited(body, remove("a")) == "    # lead\n    b; c  # tail\n"
    assert edited(body, remove("b")) == "    # lead\n    a; c  # tail\n"
    assert edited(body, remove("c")) == "    # lead\n    a; b  # tail\n"
    assert edited(body + "    d\n", remove("a"), remove("b"), remove("c")) == "    d\n"


@pytest.mark.parametrize(
    "body", ["    a\n", "    if x:\n        a\n    b\n", "    if x: a\n    b\n", "    a;\n"]
)
def test_no_block_becomes_empty(body: str) -> None:
    with pytest.raises(EditConflict, match="empty"):
        edited(body, remove("a"))


def test_a_block_may_be_emptied_when_something_comes_in() -> None:
    assert edited("    if x:\n        a\n", remove("a"), before("a", "n")) == (
        "    if x:\n        n\n"
    )


# Expressions


@pytest.mark.parametrize(
    ("line", "old", "new", "expected"),
    [
        ("a = b * c", "b", "p + q", "a = (p + q) * c"),
        ("a = b + c", "b", "p + q", "a = p + q + c"),
        ("a = c + b", "b", "p + q", "a = c + (p + q)"),
        ("a = f(b)", "b", "p + q", "a = f(p + q)"),
        ("a = f(b)", "b", "p, q", "a = f((p, q))"),
        ("a = (b) * c", "b", "p + q", "a = (p + q) * c"),
        ("a = -b", "b", "p ** q", "a = -p ** q"),
        ("a = b ** c", "b", "-p", "a = (-p) ** c"),
        ("a = b.c", "b", "p + q", "a = (p + q).c"),
        ("a = b[c]", "c", ":, None", "a = b[:, None]"),
        ("a = b[c]", "c", "p + q", "a = b[p + q]"),
        ("a = b if c else d", "c", "p if q else r", "a = b if (p if q else r) else d"),
        ("a = b", "b", "p if q else r", "a = p if q else r"),
        ("a = not b", "b", "p == q", "a = not p == q"),
        ("a = b < c", "b", "p == q", "a = (p == q) < c"),
        ("return(b)", "b", "p", "return(p)"),
        ("return[b]", "[b]", "p", "return(p)"),
        ("a = b", "b", "lambda: p", "a = lambda: p"),
        ("a = b, c", "b, c", "p", "a = p"),
        ("a = (b, c)", "(b, c)", "p, q", "a = p, q"),
        ("a = b", "b", "p +\n    q", "a = (p +\n    q)"),
        ("a = f(x for x in y)", "y", "p or q", "a = f(x for x in p or q)"),
        ("'é'; a = b  # é", "b", "c", "'é'; a = c  # é"),
        ("a = f('é', b)", "b", "'ü'", "a = f('é', 'ü')"),
        ("a[b] += c", "b", "p + q", "a[p + q] += c"),
        ("a = b", "a", "n", "n = b"),
        ("for i in b: c", "b", "p, q", "for i in p, q: c"),
        ("a = b \\\n  + c", "b", "p", "a = p \\\n  + c"),
    ],
)
def test_an_expression_is_put_in_parentheses_by_need(
    line: str, old: str, new: str, expected: str
) -> None:
    assert edited(f"    {line}\n", exchange(old, new)) == f"    {expected}\n"


def test_several_expressions_of_one_statement() -> None:
    body = "    a = b + c * d  # tail\n"
    assert edited(body, exchange("d", "p + q"), exchange("b", "r")) == (
        "    a = r + c * (p + q)  # tail\n"
    )


def test_expressions_change_together_with_statements_around() -> None:
    body = "    for i in b:  # loop\n        c = d; e\n"
    changes = [
        exchange("b", "p"),
        exchange("d", "q"),
        before("for", "n"),
        after("c", "m"),
        remove("e"),
    ]
    assert edited(body, *changes) == "    n\n    for i in p:  # loop\n        c = q\n        m\n"


def test_expressions_of_decorators_defaults_and_parameters() -> None:
    text = "import triton\n@f(1 + 2)\n@triton.jit\ndef k(x: T, y=3):\n    a\n"
    module = source.read(text)
    changes: list[Change] = [
        ReplaceExpression(expression(module, old), new)
        for old, new in (("1", "7"), ("T", "U"), ("3", "8"))
    ]
    assert apply(module, changes) == (
        "import triton\n@f(7 + 2)\n@triton.jit\ndef k(x: U, y=8):\n    a\n"
    )


def test_an_expression_of_a_launch_may_change_with_its_kernel() -> None:
    text = "import triton\n\n@triton.jit\ndef k(x):\n    a\n\ndef run(x):\n    k[(1,)](x)  # é\n"
    module = source.read(text)
    (launch,) = module.launches
    changes: list[Change] = [
        ReplaceExpression(launch.grid, "(2,)"),
        InsertAfter(statement(module, "a"), "b"),
        AddParameter(module.kernels[0], "N = 4"),
    ]
    assert apply(module, changes) == (
        "import triton\n\n@triton.jit\ndef k(x, N = 4):\n    a\n    b\n\n"
        "def run(x):\n    k[(2,)](x)  # é\n"
    )


def test_what_surrounds_a_kernel_and_its_launcher_is_not_looked_at() -> None:
    """libcst would not keep a form feed, but only the two functions are rewritten."""
    head, tail = "import triton\n\f\n", "\n\f\nother = 1;  pass\n"
    kernel = "@triton.jit\ndef k(x):\n    a\n"
    launcher = "\n\nclass C:\n  def run(self, x):\n    # how\n    k[(1,)](x)\n"
    module = source.read(head + kernel + launcher + tail)
    (launch,) = module.launches
    anchor = module.names.parents[launch.call]
    assert isinstance(anchor, ast.stmt)
    changes: list[Change] = [
        InsertBefore(anchor, "n = 2"),
        AddArgument(launch.call, "N=n"),
        InsertAfter(statement(module, "a"), "b"),
        AddParameter(module.kernels[0], "N"),
    ]
    assert apply(module, changes) == (
        head
        + "@triton.jit\ndef k(x, N):\n    a\n    b\n"
        + "\n\nclass C:\n  def run(self, x):\n    n = 2\n    # how\n    k[(1,)](x, N=n)\n"
        + tail
    )


def test_statements_may_come_before_a_launch() -> None:
    text = "# top\nimport triton\n\n@triton.jit\ndef k(x):\n    a\n\n# call\nk[(1,)](1); b\n# end\n"
    module = source.read(text)
    anchor = module.tree.body[-2]
    assert apply(module, [InsertBefore(anchor, "n")]) == text.replace("# call", "n\n# call")


def test_statements_go_into_a_loop_with_their_comments() -> None:
    body = (
        "    a = 1\n\n    # what b is\n    b = (a +\n         2)  # behind\n"
        '    if b:\n        # deep\n        c = """x\n  y"""\n    # end of body\n'
    )
    result = edited(
        body,
        lambda m: Enclose(
            statement(m, "b ="), statement(m, "if b"), "for i in range(a):\n    d = i\n    ..."
        ),
        lambda m: InsertBefore(statement(m, "b ="), "before = 0"),
        lambda m: InsertAfter(statement(m, "if b"), "after = 0"),
        lambda m: ReplaceExpression(expression(m, "2"), "i"),
    )
    assert result == (
        "    a = 1\n\n    before = 0\n    for i in range(a):\n        d = i\n        # what b is\n"
        "        b = (a +\n             i)  # behind\n"
        '        if b:\n            # deep\n            c = """x\n  y"""\n'
        "    after = 0\n    # end of body\n"
    )


def test_what_encloses_may_lie_in_what_encloses() -> None:
    result = edited(
        "    a = 1\n    if a:\n        return\n    b = 2\n    c = 3\n",
        lambda m: Enclose(statement(m, "a ="), statement(m, "c ="), "for i in range(2):\n    ..."),
        lambda m: Remove(statement(m, "if a")),
        lambda m: Enclose(statement(m, "b ="), statement(m, "c ="), "if not a:\n    ..."),
    )
    assert result == (
        "    for i in range(2):\n        a = 1\n        if not a:\n"
        "            b = 2\n            c = 3\n"
    )


def test_what_follows_an_if_becomes_its_else() -> None:
    result = edited(
        "    if a:\n        b = 1\n        # leaves\n        return  # early\n\n"
        "    # the rest\n    c = 2\n\n    if c: d = 3; return\n    e = 4\n",
        lambda m: Remove(statement(m, "return")),
        lambda m: Enclose(
            statement(m, "c ="), statement(m, "e ="), "else:\n    first = 0\n    ..."
        ),
        lambda m: Remove(statement(m, "return", last=True)),
        lambda m: Enclose(statement(m, "e ="), statement(m, "e ="), "else:\n    ..."),
    )
    assert result == (
        "    if a:\n        b = 1\n    else:\n        first = 0\n"
        "        # the rest\n        c = 2\n\n        if c: d = 3\n        else:\n"
        "            e = 4\n"
    )


@pytest.mark.parametrize(
    ("first", "last", "code"),
    [
        ("a =", "a =", "else:\n    ..."),
        ("b =", "b =", "else:\n    ..."),
        ("d =", "d =", "else:\n    pass"),
        ("b =", "a =", "if x:\n    ..."),
        ("a =", "c =", "if x:\n    ..."),
        ("a =", "b =", "if x:\n    pass"),
        ("a =", "b =", "x = ..."),
    ],
)
def test_what_cannot_be_enclosed(first: str, last: str, code: str) -> None:
    body = "    a = 1\n    b = 2\n    if a:\n        c = 3\n    d = 4; e = 5\n    if b: f = 6\n"
    with pytest.raises(EditConflict):
        edited(body, lambda m: Enclose(statement(m, first), statement(m, last), code))


def test_what_shares_a_line_is_enclosed_alone() -> None:
    result = edited(
        "    # up\n    a = 1; b = 2; c = 3;  # behind\n    if b: d = 4; e = 5  # end\n    f = 6\n",
        lambda m: Enclose(statement(m, "b ="), statement(m, "b ="), "if x:\n    ..."),
        lambda m: Enclose(statement(m, "e ="), statement(m, "e ="), "if y:\n    ..."),
    )
    assert result == (
        "    # up\n    a = 1\n    if x:\n        b = 2\n    c = 3;  # behind\n"
        "    if b:\n        d = 4\n        if y:\n            e = 5  # end\n    f = 6\n"
    )


def launch(call: str, *codes: str) -> str:
    text = f"{HEAD}@triton.jit\ndef k(x):\n    pass\n\n\ndef f(x):\n    {call}\n"
    module = source.read(text)
    call_node = module.launches[0].call
    result = apply(module, [AddArgument(call_node, code) for code in codes])
    return result[result.index("def f(x):\n") + 14 : -1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k[(1,)](x)", "k[(1,)](x, N=2)"),
        ("(k[(1,)])(x)", "(k[(1,)])(x, N=2)"),
        ("k[(1,)]()", "k[(1,)](N=2)"),
        ("k[f(1)](x, b=1,)", "k[f(1)](x, b=1, N=2,)"),
        ("k[(1,)](x, **more)", "k[(1,)](x, N=2, **more)"),
        ("k[(1,)](x, a=1, b = (1))", "k[(1,)](x, a=1, b = (1), N = 2)"),
        ("k[(1,)](x, b = 1, **more)", "k[(1,)](x, b = 1, N = 2, **more)"),
        (
            "k[(1,)](  #\n        x, y,  #\n        z)",
            "k[(1,)](  #\n        x, y,  #\n        z,\n        N=2)",
        ),
        (
            "k[(1,)](\n        x,\n        y,  # why\n    )",
            "k[(1,)](\n        x,\n        y,  # why\n        N=2,\n    )",
        ),
    ],
)
def test_an_argument_comes_last_in_the_layout_of_the_others(old: str, new: str) -> None:
    assert launch(old, "N=2") == new


@pytest.mark.parametrize("code", ["2", "N", "**N", "N=1, M=2", "x=1); f(", "x=1"])
def test_an_argument_that_cannot_be_added_is_refused(code: str) -> None:
    with pytest.raises(EditConflict):
        launch("k[(1,)](x=x)", code)


def test_an_expression_in_an_f_string_is_refused() -> None:
    text = "import triton\n@triton.jit\ndef k(x):\n    f'{x}'\n"
    module = source.read(text)
    name = next(
        node
        for node in ast.walk(module.kernels[0].node)
        if isinstance(node, ast.Name) and node.id == "x"
    )
    with pytest.raises(EditConflict, match="string"):
        apply(module, [ReplaceExpression(name, "y")])


# Parameters


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k()", "k(N=4)"),
        ("k(a)", "k(a, N=4)"),
        ("k(a, b = (1))", "k(a, b = (1), N=4)"),
        ("k(a,)", "k(a, N=4,)"),
        ("k(a, **kw)", "k(a, N=4, **kw)"),
        ("k(a, *r)", "k(a, *r, N=4)"),
        ("k(a, *, b)", "k(a, *, b, N=4)"),
        ("k(a, /)", "k(a, /, N=4)"),
        ("k(\n    a,\n    b,\n)", "k(\n    a,\n    b,\n    N=4,\n)"),
        ("k(\n    a,\n    b\n)", "k(\n    a,\n    b,\n    N=4\n)"),
        ("k(\n    a,\n    b,  # why, (b\n)", "k(\n    a,\n    b,  # why, (b\n    N=4,\n)"),
        (
            "k(\n    a,\n    b  # why\n    # end\n)",
            "k(\n    a,\n    b,  # why\n    N=4\n    # end\n)",
        ),
        ("k(\n    a, b,\n    c, d\n)", "k(\n    a, b,\n    c, d,\n    N=4\n)"),
        ("k(a,\n      b: T = f(1, 2))", "k(a,\n      b: T = f(1, 2),\n      N=4)"),
        ("k(a,\n      b, c)", "k(a,\n      b, c, N=4)"),
        ("k(a, b,  # c\n)", "k(a, b,  # c\n    N=4,\n)"),
        ("k(\n    a,\n    **kw,\n)", "k(\n    a,\n    N=4,\n    **kw,\n)"),
        ("k(a='é', b='ü')", "k(a='é', b='ü', N=4)"),
        ("k(\r\n    a,\r\n)", "k(\r\n    a,\r\n    N=4,\r\n)"),
        ("k(a: 'x)' = {1: (2,)})", "k(a: 'x)' = {1: (2,)}, N=4)"),
    ],
)
def test_a_parameter_comes_last_in_the_layout_of_the_others(old: str, new: str) -> None:
    text = f"import triton\n@triton.jit\ndef {old}:  # header\n    pass\n"
    module = source.read(text)
    assert apply(module, [AddParameter(module.kernels[0], "N=4")]) == text.replace(old, new)


def test_several_parameters_come_in_order() -> None:
    for old, new in [
        ("k(\n    a,\n)", "k(\n    a,\n    M,\n    N=4,\n)"),
        ("k(a)", "k(a, M, N=4)"),
    ]:
        text = f"import triton\n@triton.jit\ndef {old}:\n    pass\n"
        module = source.read(text)
        changes = [AddParameter(module.kernels[0], code) for code in ("M", "N=4")]
        assert apply(module, changes) == text.replace(old, new)


def test_a_parameter_that_cannot_stand_last_is_refused() -> None:
    module = source.read("import triton\n@triton.jit\ndef k(a=1):\n    pass\n")
    for code in ("b", "b = ", "b): pass\ndef l(", "a = 2"):
        with pytest.raises(EditConflict):
            apply(module, [AddParameter(module.kernels[0], code)])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k(a, p)", "k(a, X, n)"),
        ("k(p, a)", "k(X, n, a)"),
        ("k(a, p=None, *, b)", "k(a, X, n, *, b)"),
        ("k(\n    a,\n    p,  # why\n    b\n)", "k(\n    a,\n    X,\n    n,  # why\n    b\n)"),
        ("k(\n    a, p,  #\n    b)", "k(\n    a, X, n,  #\n    b)"),
        (f"k(a, p, {'b' * 72})", f"k(a,\n      X, n,\n      {'b' * 72})"),
        (f"k(\n    a, p, {'b' * 76})", f"k(\n    a,\n    X, n,\n    {'b' * 76})"),
    ],
)
def test_parameters_take_the_place_of_one(old: str, new: str) -> None:
    text = f"import triton\n@triton.jit\ndef {old}:  # header\n    pass\n"
    module = source.read(text)
    change = ReplaceParameter(module.kernels[0], "p", ("X", "n"))
    assert apply(module, [change]) == text.replace(old, new)


def test_one_less_parameter_and_argument() -> None:
    text = "import triton\n@triton.jit\ndef k({}):\n    f({})\n"
    for old, new in [("a, p, b", "a, b"), ("p, b", "b"), ("a, p", "a")]:
        module = source.read(text.format(old, old))
        call = next(n for n in ast.walk(module.tree) if isinstance(n, ast.Call))
        argument = next(a for a in call.args if isinstance(a, ast.Name) and a.id == "p")
        changes = [
            ReplaceParameter(module.kernels[0], "p", ()),
            ReplaceArgument(call, argument, ()),
        ]
        assert apply(module, changes) == text.format(new, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = f(a, p)", "x = f(a, X, n)"),
        ("x = f(a, k=p, b=1)", "x = f(a, k=X, n=n, b=1)"),
        ("x = (f)(p)", "x = (f)(X, n)"),
        (
            "x = f(\n        p,\n        b,\n    )",
            "x = f(\n        X,\n        n,\n        b,\n    )",
        ),
        (f"x = f(p, {'b' * 74})", f"x = f(X, n,\n          {'b' * 74})"),
        (f"x = g(f(p, {'b' * 74}))", f"x = g(f(X, n, {'b' * 74}))"),
    ],
)
def test_arguments_take_the_place_of_one(old: str, new: str) -> None:
    text = f"import triton\n@triton.jit\ndef k(p):\n    {old}  # why\n"
    module = source.read(text)
    calls = [n for n in ast.walk(module.tree) if isinstance(n, ast.Call)]
    call = calls[-1]
    names = [*call.args, *call.keywords]
    given = next(n for n in names if module.text_of(n).split("=")[-1] == "p")
    codes = ("k=X", "n=n") if isinstance(given, ast.keyword) else ("X", "n")
    assert apply(module, [ReplaceArgument(call, given, codes)]) == text.replace(old, new)


def test_two_changes_to_one_argument_are_refused() -> None:
    module = source.read("import triton\n@triton.jit\ndef k(p):\n    f(p)\n")
    call = next(n for n in ast.walk(module.tree) if isinstance(n, ast.Call))
    with pytest.raises(EditConflict):
        apply(module, [ReplaceArgument(call, call.args[0], (code,)) for code in "ab"])


# What does not go together


@pytest.mark.parametrize(
    "changes",
    [
        [replace("for", "n"), replace("for", "m")],
        [replace("for", "n"), remove("for")],
        [remove("a"), remove("a")],
        [replace("for", "n"), exchange("c", "m")],
        [remove("for"), after("a", "m")],
        [remove("for"), remove("a")],
        [remove("a"), exchange("c", "m")],
        [exchange("b + c", "n"), exchange("c", "m")],
        [exchange("c", "n"), exchange("c", "m")],
        [exchange("c", "n"), exchange("b + c", "m")],
        [exchange("c", "n +")],
        [exchange("c", "n; m")],
        [exchange("c", "n = m")],
        [exchange("c", "")],
        [exchange("a", "f()")],
        [before("a", "n +")],
        [before("a", "")],
        [before("a", "  indented")],
        [before("a", "'''open")],
    ],
)
def test_conflicts(changes: list[Callable[[source.Module], Change]]) -> None:
    with pytest.raises(EditConflict):
        edited("    for i in x:\n        a = b + c\n        d\n", *changes)


def test_comments_alone_stand_above_those_of_the_statement() -> None:
    old = "    for i in x:\n\n        # why\n        a = b + c\n        d\n"
    new = "    for i in x:\n\n        # one\n        # two\n        # why\n        a = b + c\n"
    assert edited(old, before("a", "# one\n# two")) == f"{new}        d\n"


def test_anchors_of_another_module_are_refused() -> None:
    text = "import triton\n@triton.jit\ndef k(x):\n    a\n"
    module, other = source.read(text), source.read(text)
    for change in (
        InsertBefore(statement(other, "a"), "n"),
        ReplaceExpression(expression(other, "a"), "n"),
        AddParameter(other.kernels[0], "n"),
    ):
        with pytest.raises(EditConflict, match="not in this module"):
            apply(module, [change])


# The text around


NASTY = '''\
"""Doc — with ünïcode."""
import triton
import triton.language as tl
x = '\\N{BULLET} •'; y = 1  # é

\x0c
class Ops:
\tdef factory(self):
\t\t"""tabs"""

\t\t# lead é
\t\t@triton.autotune(
\t\t    configs=[  # odd   spaces
\t\t        triton.Config({'B': 1}),
\t\t    ],
\t\t  key=['n'],
\t\t)
\t\t@triton.jit
\t\tdef k(x,   n, # n
\t\t      B: tl.constexpr):   # header
\t\t\t# first
\t\t\ts = 'é'; first = tl.load(x)   # odd

\t\t\tfor i in range(0,n,B):
\t\t\t\t  tl.store( x+i , \\
  first )
\t\t\t\t  # foot
\t\t\t# low
\t\t\tlast = """
  raw \\
é"""   # end

\t\t# not in k
\t\treturn k


@triton.jit
def second(x): pass
'''


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_nothing_else_moves_in_nasty_text(newline: str) -> None:
    text = NASTY.replace("\n", newline)
    module = source.read(text)
    changes: list[Change] = [
        InsertBefore(statement(module, "first"), "n = (\n    1)"),
        ReplaceExpression(expression(module, "x+i"), "x - i"),
        InsertAfter(statement(module, "tl.store"), "m = 1"),
    ]
    expected = (
        NASTY.replace("\t\t\ts = 'é'; first", "\t\t\ts = 'é'\n\t\t\tn = (\n\t\t\t\t1)\n\t\t\tfirst")
        .replace("x+i", "x - i")
        .replace("  first )\n", "  first )\n\t\t\t\t  m = 1\n")
    )
    assert apply(module, changes) == expected.replace("\n", newline)


def test_two_kernels_change_in_one_go() -> None:
    module = source.read(NASTY)
    first, second = module.kernels
    changes: list[Change] = [
        Replace(second.node.body[0], "n = 1"),
        InsertBefore(first.node.body[0], "m = 2"),
    ]
    expected = NASTY.replace("# first", "m = 2\n\t\t\t# first", 1)
    expected = expected.replace("def second(x): pass", "def second(x): n = 1")
    assert apply(module, changes) == expected


def test_a_kernel_inside_a_kernel() -> None:
    text = (
        "import triton\n@triton.jit\ndef k(x):\n    @triton.jit\n    def l(y):\n        a\n    b\n"
    )
    module = source.read(text)
    changes = [before("a", "n")(module), before("b", "m")(module)]
    assert apply(module, changes) == text.replace("        a", "        n\n        a").replace(
        "    b", "    m\n    b"
    )


def test_a_form_feed_in_front_of_a_kernel() -> None:
    text = "import triton\n\x0c@triton.jit\ndef k(x):\n    a\n"
    module = source.read(text)
    assert apply(module, [after("a", "b")(module)]) == f"{text}    b\n"


def test_what_libcst_would_lose_is_refused() -> None:
    module = source.read("import triton\n@triton.jit\ndef k(x):\n    a\n\x0c    b\n")
    with pytest.raises(EditConflict, match="form feed"):
        apply(module, [after("a", "n")(module)])


def test_expressions_change_without_libcst(root: Path) -> None:
    program = (
        "import sys; from tritonopt import source; "
        "m = source.read('import triton\\n@triton.jit\\ndef k(x):\\n    a\\n');"
        "print(source.apply(m, [source.ReplaceExpression(m.kernels[0].node.body[0].value, 'b')]));"
        "assert 'libcst' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, check=True
    )
    assert done.stdout.decode().replace("\r\n", "\n").endswith("    b\n\n")

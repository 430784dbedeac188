"""Statements as code for another place: every comment comes along, and nothing is indented."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.source import EditConflict, Remove, Replace
from tritonopt.source.editing import excerpts

HEAD = "import triton\n\n\n@triton.jit\ndef k(x):\n"


def read(body: str) -> source.Module:
    return source.read(HEAD + body)


def find(module: source.Module, start: str) -> ast.stmt:
    """The first statement whose text starts so."""
    kernel = module.kernels[0].node
    return next(
        node
        for node in ast.walk(kernel)
        if isinstance(node, ast.stmt) and node is not kernel
        if module.text_of(node).startswith(start)
    )


BRANCHES = """\
    # above the loop
    for i in range(x):
        # above the branch
        if x > 0:  # why
            # inside

            a = 1  # one
            b = f(
                a,  # an argument
            )
            # at the end of the branch
        # above the else
        else:  # otherwise
            c = '''
  kept
'''
        # at the end of the loop
    # behind the loop
    y = 2
"""


def test_a_block_has_its_comments() -> None:
    module = read(BRANCHES)
    branch = find(module, "if")
    assert isinstance(branch, ast.If)
    assert excerpts.block_code(module, branch.body) == (
        "# inside\n\na = 1  # one\nb = f(\n    a,  # an argument\n)\n# at the end of the branch"
    )
    assert excerpts.block_code(module, branch.orelse) == "c = '''\n  kept\n'''"
    assert excerpts.header_comment(module, branch) == "  # why"
    assert excerpts.else_comments(module, branch) == ("# above the else\n", "  # otherwise")


def test_a_statement_has_what_belongs_to_it() -> None:
    module = read(BRANCHES)
    loop = excerpts.statement_code(module, find(module, "for"))
    assert loop.startswith("# above the loop\nfor i in range(x):\n    # above the branch\n")
    assert loop.endswith("\n  kept\n'''\n    # at the end of the loop")
    bare = excerpts.statement_code(module, find(module, "for"), comments_above=False)
    assert "# above the loop\n" + bare == loop
    assert excerpts.statement_code(module, find(module, "a =")) == "# inside\n\na = 1  # one"


def test_an_elif_becomes_an_if() -> None:
    module = read(
        "    if x:\n        a = 1\n    # or\n    elif y:\n        a = 2\n    else: a = 3\n"
    )
    branch = find(module, "if")
    assert isinstance(branch, ast.If)
    expected = "# or\nif y:\n    a = 2\nelse: a = 3"
    assert excerpts.block_code(module, branch.orelse) == expected


def test_a_block_on_the_line_of_its_header() -> None:
    module = read("    if x: a = 1; b = 2  # both\n")
    branch = find(module, "if")
    assert isinstance(branch, ast.If)
    assert excerpts.block_code(module, branch.body) == "a = 1\nb = 2  # both"
    assert excerpts.header_comment(module, branch) == ""


def test_a_statement_that_shares_its_line() -> None:
    module = read("    a = 1; b = 2\n")
    for start in ("a", "b"):
        with pytest.raises(EditConflict, match="shares its line"):
            excerpts.statement_code(module, find(module, start))


def test_a_statement_after_changes_inside_it() -> None:
    module = read(BRANCHES)
    loop, branch = find(module, "for"), find(module, "if")
    assert isinstance(branch, ast.If)
    with pytest.raises(EditConflict, match="would be empty"):
        excerpts.changed_code(module, loop, [Remove(branch)])
    taken = excerpts.block_code(module, branch.orelse)
    copy = excerpts.changed_code(module, loop, [Replace(branch, taken)])
    assert copy == (
        "for i in range(x):\n    # above the branch\n    c = '''\n  kept\n'''\n"
        "    # at the end of the loop"
    )


def test_what_is_said_below_a_kernel_stays_there() -> None:
    module = source.read(HEAD + "    for i in range(x):\n        a = 1\n        # end\n")
    loop = find(module, "for")
    assert excerpts.statement_code(module, loop) == "for i in range(x):\n    a = 1"


def test_windows_newlines_and_tabs() -> None:
    text = HEAD + "    if x:\n    \ta = 1\n    \t# end\n    b = 2\n"
    module = source.read(text.replace("\n", "\r\n"))
    branch = find(module, "if")
    assert isinstance(branch, ast.If)
    assert excerpts.block_code(module, branch.body) == "a = 1\n# end"


def test_indenting_leaves_strings_alone() -> None:
    code = "a = '''\nkept\n'''\n\nif a:\n    b = 1"
    assert excerpts.indented(code, "  ") == "  a = '''\nkept\n'''\n\n  if a:\n      b = 1"


def test_comments_are_not_in_strings() -> None:
    assert excerpts.comments("a = '# no'  # yes\n# and\n") == ["# yes", "# and"]


def test_a_statement_moves_with_what_explains_it() -> None:
    text = """\
import triton

@triton.jit
def k(x):
    # Part

    # fmt: off
    # of a
    a = (x +
         1)  # tail
"""
    module = source.read(text)
    (statement,) = module.kernels[0].node.body
    assert excerpts.moved_code(module, statement) == "# of a\na = (x +\n     1)  # tail"
    assert excerpts.said_of(module, statement) == ["# of a"]

"""Comment lines, and the statements that they explain.

A comment directly above a statement, in its column, explains it: it is removed with it and
moves with it. What controls a tool (`# fmt: off`), rules off a section, says whose code it is,
stands apart or in another column is about more than the statement, and stays where it is. A
suppression of ours is about the statement below it, however far below that is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from tritonopt.source.suppressions import is_suppression
from tritonopt.source.trees import walk

_TOOLS = re.compile(
    r"#\s*(?:!|%%|-\*-|(?:noqa|nosec|nolint|region|endregion)\b"
    r"|(?:fmt|yapf|isort|ruff|flake8|black|autopep8|pylint|mypy|pyright|pyre|pytype|type|pragma"
    r"|vim?|cspell|spell-?checker|codespell|doctest|tritonopt|lint)\s*[:\[]"
    r"|(?:clang-format|autopep8|sourcery|fmt)\s+(?:off|on|skip)\b"
    r"|[\w-]+:\s*(?:off|ignore|skip|disable|enable)\b)",
    re.IGNORECASE,
)
_SECTION = re.compile(r"#+\s*([-=#*~_+])\1{2,}|#{3,}|#.*\s([-=#*~_+])\2{2,}\s*#*$")
_OWNERS = re.compile(r"copyright|licen[sc]e|spdx", re.IGNORECASE)

_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_BLOCKS = (ast.For, ast.While, ast.If, ast.With)


def explaining(above: Sequence[tuple[str, bool]]) -> list[bool]:
    """Which lines above a statement explain it: of each its text ("" if blank), and whether it
    is in the statement's column."""
    found = [is_suppression(text) for text, _ in above]
    for index in reversed(range(len(above))):
        text, in_column = above[index]
        if not text or not in_column or _SECTION.match(text) or _OWNERS.search(text):
            break
        found[index] = found[index] or not _TOOLS.match(text)
    return found


def heads_more(
    statement: ast.stmt, below: Iterable[ast.stmt], gone: Iterable[ast.stmt] = ()
) -> bool:
    """Whether a comment above a statement heads others too, of which one is not gone.

    `below` follows without a blank line or comment: more statements of the same kind that do not
    read what it binds (`x = tl.load(X)`, `w = tl.load(W)`), or the loop that goes on with what it
    starts (`acc = 0.0`, `for ...: acc += x`).
    """
    bound = _names(statement, ast.Store)
    removed = set(gone)
    for other in below:
        if isinstance(other, _BLOCKS):
            return other not in removed and bool(bound & _names(other, ast.Store))
        if not _is_alike(statement, other) or bound & _names(other, ast.Load):
            return False
        if other not in removed:
            return True
        bound |= _names(other, ast.Store)
    return False


def _is_alike(one: ast.stmt, other: ast.stmt) -> bool:
    calls = [_called(one), _called(other)]
    if isinstance(one, _ASSIGNMENTS) and isinstance(other, _ASSIGNMENTS):
        return bool(calls[0] & calls[1]) or not any(calls)
    return isinstance(one, ast.Expr) and isinstance(other, ast.Expr) and bool(calls[0] & calls[1])


def _called(statement: ast.stmt) -> set[str]:
    return {ast.unparse(node.func) for node in walk(statement) if isinstance(node, ast.Call)}


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that stand there to be read, or to be bound; `x += 1` binds its target only."""
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}

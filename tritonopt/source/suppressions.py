"""`# tritonopt: ignore[pass, ...]`: where a file says that it wants to hear nothing.

    x = tl.load(...)  # tritonopt: ignore[licm]     the statement that the comment stands at
    # tritonopt: ignore[licm]                       the statement below the comment; above a kernel
    @triton.jit                                     or at its decorators or `def`, the kernel
    def kernel(...):

Above the first statement of a file (a docstring aside) it is about the whole file. Without names
it is about every pass. Behind it a reason may stand. `# tritonopt: x: f32[m, n]` is something
else: the arguments of a launcher, for `tritonopt verify`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.module import Module

_MARK = "tritonopt:"

# `ignore: f32[m]` is an argument of that name.
_COMMENT = re.compile(r"#\s*tritonopt:\s*ignore(?P<names>\[[^\]]*\])?(?!\w|\s*[:=\[])")


@dataclass(frozen=True)
class Suppression:
    """One such comment, and the lines of the file that it is about."""

    line: int
    column: int
    names: frozenset[str]
    """Of passes; all of them where it is empty."""
    first: int
    last: int

    @property
    def text(self) -> str:
        return "ignore" + (f"[{', '.join(sorted(self.names))}]" if self.names else "")

    def covers(self, name: str, line: int) -> bool:
        """Whether a pass shall say nothing of a line."""
        return self.first <= line <= self.last and (not self.names or name in self.names)


def is_suppression(comment: str) -> bool:
    """Whether a comment tells passes to leave a statement alone."""
    return _COMMENT.match(comment) is not None


def find_suppressions(module: Module) -> tuple[Suppression, ...]:
    """The suppressions of a file, in source order; one that is about no statement has no lines."""
    if _MARK not in module.text:
        return ()
    return tuple(_find(module))


def _find(module: Module) -> Iterator[Suppression]:
    tokens = tokenize.generate_tokens(io.StringIO(module.text, newline="").readline)
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        found = _COMMENT.match(token.string)
        if found is None:
            continue
        line, column = token.start
        names = frozenset(filter(None, map(str.strip, (found["names"] or "")[1:-1].split(","))))
        alone = not token.line[:column].strip()
        first, last = _about(module, line, alone)
        yield Suppression(line, column + 1, names, first, last)


def _about(module: Module, line: int, alone: bool) -> tuple[int, int]:
    """The lines that a comment is about; `alone` says that no code stands before it."""
    statements = [n for n in walk(module.tree) if isinstance(n, ast.stmt)]
    spans = {statement: _own_lines(statement) for statement in statements}
    around = [span for span in spans.values() if span[0] <= line <= span[1]]
    if alone and not around:
        below = [span for span in spans.values() if span[0] > line]
        around = [min(below)] if below else []
        body = module.tree.body
        start = body[1:] if ast.get_docstring(module.tree, clean=False) is not None else body
        above_all = bool(start) and line < spans[start[0]][0] and around == [spans[start[0]]]
        kernels = {_own_lines(kernel.node)[0] for kernel in module.kernels}
        if above_all and around[0][0] not in kernels:
            return 1, module.lines.count
    if not around:
        return 1, 0
    span = max(around)
    for kernel in module.kernels:
        if spans[kernel.node] == span:
            return span[0], kernel.node.end_lineno or span[1]
    return span


def _own_lines(statement: ast.stmt) -> tuple[int, int]:
    """From the first line of a statement to its last; of one with blocks, only its head."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    body: list[ast.stmt] = getattr(statement, "body", [])
    if not body or not isinstance(body[0], ast.stmt):
        return first, statement.end_lineno or statement.lineno
    # Comments between the head and the block belong to the block.
    parts = [n for n in ast.iter_child_nodes(statement) if not isinstance(n, ast.stmt)]
    ends = [getattr(part, "end_lineno", None) or 0 for node in parts for part in walk(node)]
    return first, max([statement.lineno, *ends])

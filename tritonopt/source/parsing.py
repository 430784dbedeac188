"""Python's parser, asked by one thread at a time.

Before 3.11.8 and 3.12.2 all threads count the depth of the trees that they make in one place. Where
the collection of garbage lets another thread in meanwhile, a sound text is "too deeply nested", or
fails with a SystemError.
"""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Iterator
from typing import Literal, overload

GAP = re.compile(r"\n{64,}")
"""So many empty lines as stand in for what was left out of an excerpt of a file."""
_ONE_AT_A_TIME = threading.RLock()
"""What the collection of garbage runs may parse something as well."""


@overload
def parsed(text: str, path: str = ..., *, mode: Literal["exec"] = ...) -> ast.Module: ...


@overload
def parsed(text: str, path: str = ..., *, mode: Literal["eval"]) -> ast.Expression: ...


def parsed(text: str, path: str = "<unknown>", *, mode: str = "exec") -> ast.AST:
    """As `ast.parse`, with its errors."""
    with _ONE_AT_A_TIME:
        if mode == "exec" and GAP.search(text):
            try:
                body = [statement for part in _between_gaps(text) for statement in part]
                return ast.Module(body, type_ignores=[])
            except SyntaxError:
                pass  # a gap inside of a string or of a statement is no place to begin anew
        return ast.parse(text, path, mode)


def _between_gaps(text: str) -> Iterator[list[ast.stmt]]:
    """The statements of each part of a text between two gaps.

    Each begins at the left margin, or does not parse: whatever the gap is in goes on behind it.
    """
    start = line = 0
    for gap in (*GAP.finditer(text), None):
        part = ast.parse(text[start : gap.start() if gap else len(text)])
        for node in ast.walk(part) if line else ():
            if isinstance(node, _PLACED):
                node.lineno += line
                if node.end_lineno is not None:
                    node.end_lineno += line
        yield part.body
        if gap is not None:
            line += text.count("\n", start, gap.end())
            start = gap.end()


_PLACED = (
    *(ast.stmt, ast.expr, ast.arg, ast.keyword, ast.alias, ast.excepthandler, ast.pattern),
    *((ast.type_param,) if hasattr(ast, "type_param") else ()),
)

"""Python's parser, asked by one thread at a time.

Before 3.11.8 and 3.12.2 all threads count the depth of the trees that they make in one place. Where
the collection of garbage lets another thread in meanwhile, a sound text is "too deeply nested", or
fails with a SystemError.
"""

from __future__ import annotations

import ast
import threading
from typing import Literal, overload

_ONE_AT_A_TIME = threading.RLock()
"""What the collection of garbage runs may parse something as well."""


@overload
def parsed(text: str, path: str = ..., *, mode: Literal["exec"] = ...) -> ast.Module: ...


@overload
def parsed(text: str, path: str = ..., *, mode: Literal["eval"]) -> ast.Expression: ...


def parsed(text: str, path: str = "<unknown>", *, mode: str = "exec") -> ast.AST:
    """As `ast.parse`, with its errors."""
    with _ONE_AT_A_TIME:
        return ast.parse(text, path, mode)

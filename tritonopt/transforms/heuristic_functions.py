"""What the heuristics above a kernel set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonopt.source import Kernel

HEURISTICS = "triton.heuristics"


def heuristic_functions(kernel: Kernel) -> Iterator[tuple[str, ast.expr | None]]:
    """What heuristics set: the parameter and the function; ("", None) for what is not seen."""
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name != HEURISTICS or not isinstance(decorator, ast.Call):
            continue
        for table in (*decorator.args, *(k.value for k in decorator.keywords)):
            if not isinstance(table, ast.Dict):
                yield "", None
                continue
            for key, function in zip(table.keys, table.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, function
                else:
                    yield "", None

"""How long a line of a file may be, and a statement on several lines where it is longer."""

from __future__ import annotations

import ast
import io
import os
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tritonopt.source import looked_up
from tritonopt.source.module import Module
from tritonopt.source.parsing import parsed

_DEFAULT = 88
"""What formatters take where nobody says."""
_LONG_STRING = 20
"""Characters from which on a string may be what made a line too long."""

_FORMATTERS: Mapping[str, Callable[[Any], Any]] = {
    "ruff.toml": lambda table: table["line-length"],
    ".ruff.toml": lambda table: table["line-length"],
    "pyproject.toml": lambda table: _of_a_project(table["tool"]),
}


def line_width(module: Module) -> int:
    """In characters: what the project's formatter is told, else what the lines of code keep to.

    One of a hundred lines may be longer. A text that is no file has no project.
    """
    path = Path(module.path)
    if os.path.isfile(path):
        for directory in path.resolve().parents:
            for name, width_of in _FORMATTERS.items():
                said = _read(directory / name, width_of)
                if said is not None:
                    return said
            if looked_up.is_there(directory / ".git"):
                break
    lengths = sorted(length for text in module.texts for length in _lengths(text))
    return max(_DEFAULT, *lengths[-1 - len(lengths) // 100 :][:1])


def _lengths(text: str) -> Iterable[int]:
    """Of the lines of code, without comments, and without lines that a string made long."""
    lengths: dict[int, int] = {}
    strings: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and len(token.string) > _LONG_STRING:
            strings.update(range(token.start[0], token.end[0] + 1))
        elif token.type != tokenize.COMMENT and token.string.strip():
            lengths[token.end[0]] = token.end[1]
    return [length for line, length in lengths.items() if line not in strings]


def call_on_lines(function: str, arguments: Sequence[str], width: int, margin: str = "") -> str:
    """The code of a call with its arguments on a line of their own, or each on one of its own.

    They have one each where together they are too long. `margin` is that of the line of the call.
    """
    inside = f"{margin}    {', '.join(arguments)}\n"
    if len(inside) > width:
        inside = "".join(f"{margin}    {argument},\n" for argument in arguments)
    return f"{function}(\n{inside}{margin})"


def _of_a_project(tools: Any) -> Any:
    said = (tools.get(name, {}).get("line-length") for name in ("ruff", "black"))
    return next(width for width in said if width is not None)


def _read(path: Path, width_of: Callable[[Any], Any]) -> int | None:
    # Imported here: most runs add no parameter.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    text = looked_up.text_of(path)
    try:
        width = width_of(tomllib.loads(text or ""))
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
        return None  # there is none, or what it says is not for us to judge
    return width if isinstance(width, int) else None


def on_lines(code: str, width: int) -> str:
    """A statement that is a call, or binds one to a name, on several lines where it is long.

    Only one call is broken: of `load(...).to(...)` the longer one. Its arguments get a line, or a
    line each.
    """
    if len(code) <= width:
        return code
    body = parsed(code).body
    value = body[0].value if body and isinstance(body[0], (ast.Expr, ast.Assign)) else None
    calls = list(_chained(value))
    if not calls:
        return code
    call = max(calls, key=lambda call: _end(call) - _end(call.func))
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    names = [*("" for _ in call.args), *(f"{keyword.arg}=" for keyword in call.keywords)]
    texts = [ast.get_source_segment(code, part) for part in parts]
    written = [f"{name}{text}" for name, text in zip(names, texts, strict=True)]
    inside = f"    {', '.join(written)}\n"
    if len(inside) > width:
        inside = "".join(f"    {part},\n" for part in written)
    before, after = (code.encode()[: _end(call.func)], code.encode()[_end(call) :])
    return f"{before.decode()}(\n{inside}){after.decode()}"


def _chained(value: ast.expr | None) -> Iterator[ast.Call]:
    """A call, and those whose results it is a method of."""
    while isinstance(value, ast.Call):
        yield value
        value = value.func.value if isinstance(value.func, ast.Attribute) else None


def _end(node: ast.expr) -> int:
    return node.end_col_offset or 0

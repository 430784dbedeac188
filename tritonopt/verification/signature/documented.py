"""What comments and docstrings say of the shapes of a launcher's tensors.

    x: torch.Tensor,  # [..., HC, C] bf16
    q size: (bsz, n_q_head, seq_len, head_dim)
    weight (torch.Tensor): of the projection, with shape (V, H)

What they say binds nobody. It is tried first, like every guess: the original is called with it, and
it is kept only if the original takes it.
"""

from __future__ import annotations

import ast
import fnmatch
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.source.parsing import parsed
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_language import (
    DTYPES,
    FLOATS,
    LONG_NAMES,
    Dimension,
    names_of,
)
from tritonopt.verification.signature.launchers import Launcher, method

_GROUP = re.compile(r"\[([^\[\]()]*)\]|\(([^\[\]()]*)\)")
_TYPE = re.compile(r"\b(?:u?int(?:8|16|32|64)|long|bool)\b", re.IGNORECASE)
_EQUATION = re.compile(r"\b([A-Za-z]\w*) = ([\w*+/ -]+)$", re.MULTILINE)
_NEAR = 40
"""So many characters behind a shape a type belongs to it."""
_NO_SIZES = (
    *("any", "bool", "default", "false", "float", "int", "list", "none", "optional", "scalar"),
    *("str", "tensor", "true", "tuple"),
)
"""Words that stand between brackets behind a parameter's name, and are no sizes."""
_MOST_RANK = 5


@dataclass(frozen=True)
class DocumentedShape:
    """A shape, with the type of what is no floats."""

    shape: tuple[Dimension, ...]
    dtypes: tuple[str, ...] | None = None


def documented_shapes(module: source.Module, launcher: Launcher) -> Mapping[str, DocumentedShape]:
    """By parameter: beside the parameter itself, then where the function is described.

    Then what other functions of the file say of a parameter that is called the same.
    """
    lines = module.lines.texts
    texts = list(_descriptions(module, launcher))
    found: dict[str, DocumentedShape] = {}
    for parameter in launcher.parameters:
        shape = _beside(lines, parameter) or next(
            (s for text in texts if (s := _in_text(text, parameter.arg)) is not None), None
        )
        if shape is not None:
            found[parameter.arg] = shape
    return _with_formulas(found, texts)


def _with_formulas(
    found: dict[str, DocumentedShape], texts: Iterable[str]
) -> dict[str, DocumentedShape]:
    """With what a size is computed from, where that is written: `M = HC*HC + 2*HC`."""
    names = {d for one in found.values() for d in one.shape if isinstance(d, str)}
    formulas: dict[Dimension, Dimension] = {}
    for left, right in _EQUATION.findall("\n".join(texts)):
        name, formula = left.lower(), _dimension(right.strip())
        made = names_of(formula) if isinstance(formula, str) else ()
        known = name in names and bool(made) and names.issuperset(made)
        if known and name not in made and not formulas.keys() & {*made, name}:
            formulas[name] = str(formula)
    return {
        name: replace(one, shape=tuple(formulas.get(d, d) for d in one.shape))
        for name, one in found.items()
    }


def _descriptions(module: source.Module, launcher: Launcher) -> Iterator[str]:
    definition = launcher.definition
    nodes: list[ast.AST] = [launcher.function, definition]
    if isinstance(definition, ast.ClassDef):
        nodes += filter(None, [method(definition, "backward")])
    nodes += [module.tree, *(n for n in module.tree.body if isinstance(n, ast.FunctionDef))]
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            yield ast.get_docstring(node) or ""


def _beside(lines: list[str], parameter: ast.arg) -> DocumentedShape | None:
    """What a comment on the parameter's line says."""
    number = getattr(parameter, "lineno", 0)  # what is packed in `*args` stands nowhere
    if not 0 < number <= len(lines):
        return None
    comment = lines[number - 1].encode()[parameter.end_col_offset or 0 :].decode().partition("#")[2]
    tensor = parameter.annotation is not None and "Tensor" in ast.unparse(parameter.annotation)
    if tensor and re.match(r"\s*scalar\b", comment):
        return DocumentedShape(())
    return _shape_in(comment)


def _in_text(text: str, name: str) -> DocumentedShape | None:
    """What a line says behind the name, which begins it, or follows on others' shapes."""
    begun = rf"(?:^[\s*-]*|[\])]\s*[,;.]\s+|\band\s+)`{{0,2}}{re.escape(name)}\b(.*)$"
    for line in re.findall(begun, text, re.MULTILINE):
        found = _shape_in(line)
        if found is not None:
            return found
    return None


def _shape_in(text: str) -> DocumentedShape | None:
    for group in _GROUP.finditer(text):
        in_brackets = group[1] is not None
        shape = _dimensions(group[1] if in_brackets else group[2], single=in_brackets)
        if shape is not None:
            word = _TYPE.search(text[group.end() : group.end() + _NEAR])
            name = "" if word is None else word[0].lower()
            dtype = {"long": "i64"}.get(name, LONG_NAMES.get(name, name))
            whole = dtype in DTYPES and dtype not in FLOATS
            return DocumentedShape(shape, (dtype,) if whole else None)
    return None


def _dimensions(text: str, *, single: bool) -> tuple[Dimension, ...] | None:
    """The sizes between two brackets, if that is what they are."""
    parts = [part.strip() for part in text.split(",")]
    if not single and len(parts) < 2:
        return None
    if len(parts) > 1 and not parts[-1]:
        parts.pop()
    found = [_dimension(part) for part in parts]
    if not 0 < len(found) <= _MOST_RANK or None in found or "..." in found[1:]:
        return None
    return tuple(d for d in found if d is not None)


def _dimension(text: str) -> Dimension | None:
    if text == "...":
        return text
    try:
        node = parsed(text.lower(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int and node.value > 0 else None
    for part in ast.walk(node):
        whole = isinstance(part, ast.Constant) and type(part.value) is int
        named = isinstance(part, ast.Name) and part.id not in _NO_SIZES
        made = isinstance(
            part, (ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.expr_context)
        )
        if not (whole or named or made):
            return None
    return ast.unparse(node)


# Arguments that are written in pyproject.toml, for launchers whose code does not say.
#
#     [tool.tritonopt.verify.args]
#     "kernels/softmax.py:softmax" = "x: f32[m, n]"
#     "kernels/norm/*.py:layer_norm" = "x: f32|f16[m, n], w: f32[n], eps: 1e-5"
#
# Paths are relative to the directory of the file, and may have `*`, `?` and `[...]`.

PYPROJECT = "pyproject.toml"
TABLE = "tool.tritonopt.verify"


@dataclass(frozen=True)
class Entry:
    """One line of the table."""

    args: str
    place: str
    """Where it is written, for errors."""


def entry_for(file: Path, launchers: Iterable[str]) -> Entry | None:
    """The entry of the nearest pyproject.toml with a table that fits a launcher of the file."""
    for directory in file.resolve().parents:
        path = directory / PYPROJECT
        if not path.is_file():
            continue
        table = read_pyproject(path)
        if table is not None:
            return select_entry(table, path, file, launchers)
    return None


def read_pyproject(path: Path) -> Mapping[str, Any] | None:
    """The table `tool.tritonopt.verify`; None where the file has none."""
    text = path.read_text(encoding="utf-8-sig")
    if "tritonopt" not in text:
        return None
    # Imported here: most projects write nothing about verification.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise VerificationError(f"{path}: {error}") from None
    table = document.get("tool", {}).get("tritonopt", {}).get("verify")
    if table is not None and not isinstance(table, dict):
        raise VerificationError(f"{path}: [{TABLE}] must be a table")
    return table


def select_entry(
    table: Mapping[str, Any], path: Path, file: Path, launchers: Iterable[str]
) -> Entry | None:
    """The last entry of the parsed table that fits; VerificationError for what means nothing."""
    for key in table:
        if key != "args":
            raise VerificationError(f"{path}: [{TABLE}] has no key `{key}`; there is `args`")
    entries = table.get("args", {})
    if not isinstance(entries, dict):
        raise VerificationError(f"{path}: write it as [{TABLE}.args], one entry for a launcher")
    try:
        inside = file.resolve().relative_to(path.resolve().parent).as_posix()
    except ValueError:
        return None
    found = None
    for key, args in entries.items():
        pattern, colon, launcher = key.rpartition(":")
        place = f'{path}: [{TABLE}.args], "{key}"'
        if not colon or not isinstance(args, str):
            raise VerificationError(
                f'{place}: write "path/to/kernel.py:launcher" = "x: f32[m, n], ..."'
            )
        if launcher in launchers and fnmatch.fnmatch(inside, pattern):
            found = Entry(args, place)
    return found

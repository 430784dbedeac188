"""The text of a file in which a launcher chooses between the original's code and new code."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from tritonopt import source
from tritonopt.source.decorators import unknown_at_launch
from tritonopt.source.editing.changes import Change, Enclose, InsertBefore, Remove
from tritonopt.source.editing.edits import Rewritten, replaced, rewritten
from tritonopt.source.errors import EditConflict
from tritonopt.tuning.dispatch.places import Difference, NoDispatch, Place

_INDENT = "    "


def dispatched(
    difference: Difference,
    conditions: Sequence[str],
    comment: Sequence[str],
    suffix: str,
) -> str:
    """The original, with new kernels beside those that differ, launched where a condition holds.

    There is one condition for every place, in their order; where it is "", new code runs always.
    `comment` are lines that stand above each choice. Raises NoDispatch.
    """
    names = _new_names(difference, suffix)
    changes: list[Change] = []
    for place, condition in zip(difference.places, conditions, strict=True):
        changes += _choice(difference, place, condition, comment, names)
    try:
        parts = [*rewritten(difference.old, changes), *_new_kernels(difference, names)]
        return replaced(difference.old, sorted(parts, key=lambda part: part.start)).text
    except EditConflict as error:
        raise NoDispatch(str(error)) from None


def _new_names(difference: Difference, suffix: str) -> dict[str, str]:
    """What the new kernels are called, by the names that they have in the variant."""
    taken = set(re.findall(r"\w+", difference.old.text + difference.new.text))
    there = {kernel.name for kernel in difference.old.kernels}
    found = {}
    for name in sorted(difference.kernels):
        chosen = name
        if name in there:
            chosen = f"{name}_{suffix}"
            number = 2
            while chosen in taken:
                chosen, number = f"{name}_{suffix}{number}", number + 1
        found[name] = chosen
    return found


def _new_kernels(difference: Difference, names: Mapping[str, str]) -> list[Rewritten]:
    """Each new kernel right behind the original; one that is only in the variant before all."""
    new, old = difference.new, difference.old
    originals = {kernel.name: kernel for kernel in old.kernels}
    gap = ("\r\n" if "\r\n" in old.text else "\n") * 3
    found: list[tuple[int, str]] = []
    for kernel in new.kernels:
        if kernel.name not in names:
            continue
        if kernel.qualname != kernel.name:
            raise NoDispatch(f"`{kernel.qualname}` is a function inside of another one")
        decorator = unknown_at_launch(kernel)
        if decorator is not None:
            what = new.text_of(decorator)
            raise NoDispatch(f"`@{what}` may keep the copy of `{kernel.name}` for it")
        text = _renamed(new, kernel.node, names)
        if kernel.name in originals:
            end = old.lines.span(originals[kernel.name].node)[1]
            found.append((end, f"{gap}{text}"))
        else:
            first = min(kernel.first_line for kernel in originals.values())
            found.append((old.lines.start(first), f"{text}{gap}"))
    return [Rewritten(at, at, text) for at, text in found]


def _choice(
    difference: Difference,
    place: Place,
    condition: str,
    comment: Sequence[str],
    names: Mapping[str, str],
) -> list[Change]:
    first, last = place.old[0], place.old[-1]
    for module, statements in ((difference.old, place.old), (difference.new, place.new)):
        if any(_is_long_text(n, module) for s in statements for n in ast.walk(s)):
            raise NoDispatch("a string of several lines is in the part that differs")
    new = _statements(difference.new, place.new, names)
    if not condition:
        return [InsertBefore(first, new), *(Remove(s, keep_comments=False) for s in place.old)]
    above = "".join(f"# {line}\n" for line in comment)
    body = textwrap.indent(new, _INDENT)
    return [
        InsertBefore(first, f"{above}if {condition}:\n{body}"),
        Enclose(first, last, f"else:\n{_INDENT}..."),
    ]


def _is_long_text(node: ast.AST, module: source.Module) -> bool:
    """Whether it is a text over several lines, which would be another one if it were indented.

    What indents ends a line at a form feed too, and at a few others.
    """
    return _is_text(node) and len(module.text_of(node).splitlines()) > 1


def _is_text(node: ast.AST) -> TypeGuard[ast.expr]:
    is_constant = isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    return is_constant or isinstance(node, ast.JoinedStr)


def _statements(
    module: source.Module, statements: Sequence[ast.stmt], names: Mapping[str, str]
) -> str:
    """The text of statements in a row, with the comments between and above them, unindented."""
    first, lines = statements[0].lineno, module.lines
    while first > 1 and _is_comment(module, first - 1):
        first -= 1
    start, end = lines.start(first), lines.span(statements[-1])[1]
    splices = [splice for s in statements for splice in _names_in(module, s, names)]
    text = _spliced(module.text[start:end], start, splices)
    return textwrap.dedent(text.replace("\r\n", "\n"))


def _is_comment(module: source.Module, number: int) -> bool:
    """Whether there is nothing but a comment in a line; the end of a text is none."""
    line = module.text[module.lines.start(number) : module.lines.start(number + 1)]
    return line.lstrip().startswith("#") and not any(
        _is_text(n) and n.lineno < number <= (n.end_lineno or 0) for n in ast.walk(module.tree)
    )


def _renamed(module: source.Module, node: ast.FunctionDef, names: Mapping[str, str]) -> str:
    """The text of a function with its decorators, under its new name."""
    start = module.lines.start(min([node.lineno, *(d.lineno for d in node.decorator_list)]))
    end = module.lines.span(node)[1]
    text = _spliced(module.text[start:end], start, _names_in(module, node, names))
    pattern = rf"(?m)^(\s*def\s+){re.escape(node.name)}\b"
    return re.sub(pattern, rf"\g<1>{names[node.name]}", text, count=1)


def _names_in(
    module: source.Module, node: ast.AST, names: Mapping[str, str]
) -> list[tuple[int, int, str]]:
    """Where names stand that are others now."""
    found = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and names.get(inner.id, inner.id) != inner.id:
            start, end = module.lines.span(inner)
            found.append((start, end, names[inner.id]))
    return found


def _spliced(text: str, offset: int, splices: Sequence[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[: start - offset] + new + text[end - offset :]
    return text

"""Around the `=` of an argument: as the call has it that gets one more, else as the file has it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable

from tritonopt.source.module import Module
from tritonopt.source.trees import walk

_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_KEYWORD = re.compile(r"\w+[ \t]*=(?!=)")


def spaced_as_in(module: Module, call: ast.Call, argument: str) -> str:
    """A keyword argument (`NAME=value`) with the spaces that the last one of a call has.

    In a call without keywords it has those of most others in the file. What is passed by its place
    stays as it is.
    """
    if not _KEYWORD.match(argument):
        return argument
    own = _habits(module, [call])[-1:] or _habits(module, walk(module.tree))
    ((habit, _),) = Counter(own or ["="]).most_common(1)
    return _EQUALS.sub(habit, argument, count=1)


def _habits(module: Module, nodes: Iterable[ast.AST]) -> list[str]:
    """What stands between the names of keyword arguments and their values."""
    found = []
    for call in nodes:
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg is not None:
                start, _ = module.lines.span(keyword)
                habit = _EQUALS.match(module.text, start + len(keyword.arg))
                found += [habit.group()] if habit else []
    return found

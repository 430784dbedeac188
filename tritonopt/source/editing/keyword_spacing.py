"""Around the `=` of an argument: as the call has it that gets one more."""

from __future__ import annotations

import ast
import re

from tritonopt.source.module import Module

_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_KEYWORD = re.compile(r"\w+[ \t]*=(?!=)")


def spaced_as_in(module: Module, call: ast.Call, argument: str) -> str:
    """A keyword argument (`NAME=value`) with the spaces that the last one of a call has.

    A call without keywords shows no habit: the argument stays as it is, and so does one that is
    passed by its place.
    """
    named = [keyword for keyword in call.keywords if keyword.arg is not None]
    if not named or not _KEYWORD.match(argument):
        return argument
    start, _ = module.lines.span(named[-1])
    habit = _EQUALS.match(module.text, start + len(named[-1].arg or ""))
    return _EQUALS.sub(habit.group(), argument, count=1) if habit else argument

"""Calls: of the language, of helpers, of methods, of what the compiler runs."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.facts import language
from tritonopt.facts.interpretation import is_made
from tritonopt.facts.interpreting.alternatives import Alternatives
from tritonopt.facts.interpreting.helpers import Helpers
from tritonopt.facts.interpreting.language_calls import LanguageCalls
from tritonopt.facts.interpreting.lookup import Lookup, float_of
from tritonopt.facts.interpreting.pure_functions import Arguments
from tritonopt.facts.interpreting.state import Evaluate, State
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value

_SHAPED_METHODS = frozenset({"reshape", "view", "permute", "trans", "broadcast_to"})
"""Methods of a tensor, not of a descriptor, that take a tuple."""

_HARMLESS_BUILTINS = frozenset({"bool", "float", "int", "isinstance", "len", "print", "str"})


@dataclass(frozen=True)
class Calls:
    """Finds out what is called, and has it interpreted."""

    state: State
    lookup: Lookup
    language_calls: LanguageCalls
    helpers: Helpers
    alternatives: Alternatives
    evaluate: Evaluate

    def call(self, node: ast.Call) -> Value:
        """What a call returns; its effects, and those of its arguments, are noted."""
        dotted = self.lookup.dotted(node.func)
        if not dotted and isinstance(node.func, ast.Attribute):
            root = self.evaluate(node.func.value)
            if root.op is not Op.GLOBAL:
                return self._method(node, root, node.func.attr)
        arguments = self._arguments(node)
        if arguments is None:
            return self.state.unknown_call(node, dotted)
        positional = arguments.positional
        if dotted in language.CEILING_DIVISIONS and len(positional) == 2:
            rounding = self.state.rounding(node.args, positional)
            return self.state.table.elementwise(Op.CDIV, positional, rounding, dtype="int32")
        name = language.function(dotted)
        if not name:
            return self._function(node, dotted, arguments)
        if language.is_compile_time(dotted) and not arguments.keywords:
            return self._compile_time_call(dotted, positional)
        return self.language_calls.call(node, name, arguments)

    def _arguments(self, node: ast.Call) -> Arguments | None:
        """What is passed; None where some of it is spread, `f(*values)`."""
        positional = [self.evaluate(a) for a in node.args if not isinstance(a, ast.Starred)]
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords if k.arg is not None}
        starred = [a.value for a in node.args if isinstance(a, ast.Starred)]
        if not starred and not any(k.arg is None for k in node.keywords):
            return Arguments(positional, keywords)
        for argument in starred:
            self.evaluate(argument)
        return None

    def _function(self, node: ast.Call, dotted: str, arguments: Arguments) -> Value:
        """A function of the program, or one of Python's."""
        helper = self.helpers.find(node.func)
        if helper is not None:
            return self.helpers.inline(node, helper, arguments)
        chosen = self.alternatives.call(node, arguments)
        if chosen is not None:
            return chosen
        if self.lookup.is_compile_time_function(node.func):
            attribute = (f"python.{ast.unparse(node.func)}", tuple(arguments.keywords))
            return self.state.table.make(Op.ELEMENTWISE, arguments.everything, attribute)
        return self._builtin(node, dotted, arguments)

    def _builtin(self, node: ast.Call, dotted: str, arguments: Arguments) -> Value:
        table, positional = self.state.table, arguments.positional
        if dotted in ("min", "max") and len(positional) == 2:
            return table.elementwise(Op.MINIMUM if dotted == "min" else Op.MAXIMUM, positional)
        if dotted == "float" and len(positional) == 1:
            number = float_of(positional[0].constant)
            if number is not None:
                return table.constant(number)
        if language.is_compile_time(dotted) and not arguments.keywords:
            return self._compile_time_call(dotted, positional)
        if dotted in _HARMLESS_BUILTINS:
            return table.opaque(f"{dotted}()", shape=())
        return self.state.unknown_call(node, dotted)

    def _compile_time_call(self, dotted: str, arguments: Sequence[Value]) -> Value:
        """What a function that only the compiler runs makes of what the compiler knows."""
        table = self.state.table
        (only,) = arguments if len(arguments) == 1 else (None,)
        if only is not None and dotted == "int" and type(only.constant) in (bool, int, float):
            number = only.constant
            if math.isfinite(number):  # type: ignore[arg-type]
                return table.constant(int(number))  # type: ignore[call-overload]
        if only is not None and dotted == "len" and only.op is Op.TUPLE:
            return table.constant(len(only.operands))
        return table.make(Op.ELEMENTWISE, arguments, f"python.{dotted}")

    def _method(self, node: ast.Call, receiver: Value, method: str) -> Value:
        """`x.to(tl.float32)` is `tl.cast(x, tl.float32)`, `x.sum(0)` is `tl.sum(x, 0)`, ..."""
        spread = any(isinstance(a, ast.Starred) for a in node.args)
        if spread or any(k.arg is None for k in node.keywords):
            return self.state.unknown_call(node, "")
        given = [self.evaluate(a) for a in node.args]
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords if k.arg is not None}
        if method == "advance" and any(map(is_made, self.state.record.origins(receiver))):
            return self.language_calls.call(node, method, Arguments([receiver, *given], keywords))
        if given and given[0].op is Op.TUPLE and method not in _SHAPED_METHODS:
            behind = Arguments(given[1:], keywords)
            return self.language_calls.descriptor_method(node, receiver, method, behind)
        if language.is_question_of_type(method) and not keywords:
            return self.state.table.make(Op.ATTRIBUTE, (receiver, *given), f"{method}()")
        if not language.is_method(method):
            return self.state.unknown_call(node, "")
        if method == "gather" and not receiver.rank:
            # Of a tile it is pure; a descriptor reads the rows that are asked for.
            return self.language_calls.descriptor_load(node, receiver, method)
        name = "cast" if method == "to" else method
        return self.language_calls.call(node, name, Arguments([receiver, *given], keywords))

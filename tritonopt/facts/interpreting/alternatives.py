"""Calls of a name that stands for one of several functions."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tritonopt.facts import language
from tritonopt.facts.interpreting.helpers import Helpers
from tritonopt.facts.interpreting.language_calls import LanguageCalls
from tritonopt.facts.interpreting.lookup import Lookup
from tritonopt.facts.interpreting.pure_functions import Arguments
from tritonopt.facts.interpreting.state import State
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.source import Kernel


@dataclass(frozen=True)
class Alternatives:
    """Tries each of the functions, to see that none does more than compute."""

    state: State
    lookup: Lookup
    helpers: Helpers
    language_calls: LanguageCalls

    def call(self, node: ast.Call, arguments: Arguments) -> Value | None:
        """What a call of one of several functions returns; None where any may do more than compute.

        It is the result of none of them: only what it is computed from is known of it.
        """
        function = node.func
        if not isinstance(function, (ast.Name, ast.Attribute)) or self.lookup.is_local(function):
            return None
        callees = self.state.frame.kernel.module.alternative_callees(function)
        results = [self._only_computed(node, callee, arguments) for callee in callees]
        if not results or any(result is None for result in results):
            return None
        shapes = {result.shape for result in results if result is not None}
        shape = shapes.pop() if len(shapes) == 1 else None
        # Like no other value, but one that shows which loads and loops it depends on.
        number = self.state.table.opaque("one of several functions").serial
        return self.state.table.make(Op.ONE_OF, arguments.everything, number, shape=shape)

    def _only_computed(
        self, node: ast.Call, callee: Kernel | str, arguments: Arguments
    ) -> Value | None:
        """What a function makes of its arguments; None where it has an effect or asks for more.

        The record is left as it was. Of the arguments it is given the shapes alone.
        """
        state = self.state
        given = Arguments(
            [self._of_shape(value) for value in arguments.positional],
            {name: self._of_shape(value) for name, value in arguments.keywords.items()},
        )
        before, questions = state.mark, state.questions
        if isinstance(callee, Kernel):
            if not self.helpers.may_inline(callee):
                return None
            result = self.helpers.inline(node, callee, given)
        else:
            name = language.function(callee)
            one = len(given.positional) == 1 and not given.keywords
            if not one or not language.is_lane_by_lane(name):
                return None
            result = self.language_calls.call(node, name, given)
        after = state.mark
        state.go_back(before)
        pure = (after.effects, after.loops) == (before.effects, before.loops)
        pure = pure and state.questions == questions
        plain = not result.is_none and result.op not in (Op.TUPLE, Op.DTYPE, Op.BLOCK_POINTER)
        return result if pure and plain else None

    def _of_shape(self, value: Value) -> Value:
        return self.state.table.opaque("an argument of one of several functions", shape=value.shape)

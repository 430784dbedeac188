"""Helper jit functions, interpreted where they are called."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from tritonopt.facts.interpretation import Environment
from tritonopt.facts.interpreting.bindings import Bindings
from tritonopt.facts.interpreting.lookup import Lookup
from tritonopt.facts.interpreting.pure_functions import Arguments
from tritonopt.facts.interpreting.state import Evaluate, Frame, Returned, Run, State
from tritonopt.facts.values import Value
from tritonopt.source import Kernel

MAX_INLINING = 6


@dataclass(frozen=True)
class Helpers:
    """Finds helpers, and runs their bodies in frames of their own."""

    state: State
    lookup: Lookup
    bindings: Bindings
    evaluate: Evaluate
    run: Run

    def find(self, function: ast.expr) -> Kernel | None:
        """The helper that an expression surely stands for, where it may be inlined."""
        helper = self.lookup.jit_function(function)
        return helper if helper is not None and self.may_inline(helper) else None

    def may_inline(self, helper: Kernel) -> bool:
        call_stack = self.state.call_stack
        if len(call_stack) >= MAX_INLINING or helper in call_stack:
            return False
        return helper is not self.state.record.kernel and helper.is_called_as_written

    def inline(self, node: ast.Call, helper: Kernel, arguments: Arguments) -> Value:
        """What a helper returns for these arguments; its effects are noted."""
        state = self.state
        if len(arguments.positional) > len(helper.parameters):
            return state.unknown_call(node, helper.name)
        names = [parameter.name for parameter in helper.parameters]
        given = {**dict(zip(names, arguments.positional, strict=False)), **arguments.keywords}
        caller = state.frame
        site = caller.inlined_at or node
        state.call_stack.append(helper)
        # Defaults are evaluated where the helper is defined: they do not see its parameters.
        state.frame = Frame(helper, {}, site)
        environment = self._with_defaults(helper, given)
        state.frame = frame = Frame(helper, environment, site)
        returned = len(state.returned)
        leaves = self.run(helper.node.body)
        del state.returned[returned:]
        state.call_stack.pop()
        state.frame = caller
        if any(way.in_loop for way in frame.returned):
            return state.table.opaque(f"{helper.name} returns from a loop")
        return self._result(frame.returned, leaves)

    def _with_defaults(self, helper: Kernel, given: Mapping[str, Value]) -> Environment:
        environment = dict(given)
        for parameter in helper.parameters:
            if parameter.name not in environment:
                if parameter.default is None:
                    environment[parameter.name] = self.state.table.opaque("missing argument")
                else:
                    environment[parameter.name] = self.evaluate(parameter.default)
        return environment

    def _result(self, returned: list[Returned], leaves: bool) -> Value:
        """The value of a call, from all the ways out of the helper."""
        ways = list(returned)
        # Who comes to the last `return` has passed all others by.
        result = ways.pop().value if leaves else self.state.table.constant(None)
        for way in reversed(ways):
            chosen = way.value
            for guard in reversed(way.guards):
                sides = (chosen, result) if guard.holds else (result, chosen)
                chosen = self.bindings.choice(guard.condition, *sides)
            result = chosen
        return result

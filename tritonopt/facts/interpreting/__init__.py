"""One forward abstract interpretation over a kernel's structured control flow.

The parts share one state and nothing else. Helper jit functions, of the same file or
of another one that was given with it, are interpreted where they are called.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tritonopt.facts.interpretation import Interpretation
from tritonopt.facts.interpreting.calls import Alternatives, Calls, Helpers, LanguageCalls
from tritonopt.facts.interpreting.lookup import Bindings, Lookup
from tritonopt.facts.interpreting.state import State
from tritonopt.facts.interpreting.statements import Expressions, Loops, Statements
from tritonopt.facts.values import Value
from tritonopt.source import Kernel

__all__ = ["interpret"]


def interpret(kernel: Kernel, shapes_of_blocks: bool = False) -> Interpretation:
    """The record of a kernel. Nothing is run, and nothing raises on code that is not understood.

    With `shapes_of_blocks`, what is loaded by a block pointer has the shape of the block.
    """
    state = State(kernel, shapes_of_blocks)
    Interpreter(state).run(kernel.node.body)
    state.record.after = state.frame.environment
    return state.record


class Interpreter:
    """Evaluates expressions and runs blocks.

    An expression may call a helper, whose statements hold expressions: so the parts that
    stand below both are given these two methods.
    """

    def __init__(self, state: State) -> None:
        lookup, bindings = Lookup(state), Bindings(state)
        language_calls = LanguageCalls(state)
        helpers = Helpers(state, lookup, bindings, self.evaluate, self.run)
        alternatives = Alternatives(state, lookup, helpers, language_calls)
        calls = Calls(state, lookup, language_calls, helpers, alternatives, self.evaluate)
        loops = Loops(state, lookup, bindings, self.evaluate, self.run)
        self._expressions = Expressions(state, lookup, bindings, calls)
        self._statements = Statements(state, bindings, loops, self._expressions)

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression, whose effects are noted."""
        return self._expressions.evaluate(node)

    def run(self, block: Sequence[ast.stmt]) -> bool:
        """Interpret in order; True when the block always leaves (return, break, continue)."""
        return self._statements.run(block)

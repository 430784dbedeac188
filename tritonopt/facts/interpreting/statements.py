"""Statements: what each binds, and whether it leaves its block."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.facts.effects import EffectKind, Guard
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.interpreting.bindings import Bindings
from tritonopt.facts.interpreting.expressions import Expressions
from tritonopt.facts.interpreting.loops import Loops
from tritonopt.facts.interpreting.state import Returned, State
from tritonopt.facts.values import Value


@dataclass(frozen=True)
class Statements:
    """Runs blocks of the function that is interpreted."""

    state: State
    bindings: Bindings
    loops: Loops
    expressions: Expressions

    def run(self, block: Sequence[ast.stmt]) -> bool:
        """Interpret in order; True when the block always leaves (return, break, continue)."""
        state = self.state
        for statement in block:
            if state.frame.inlined_at is None:
                state.record.before[statement] = dict(state.frame.environment)
            if isinstance(statement, ast.If):
                left = self._if(statement)
            else:
                left = self._leave(statement)
                if not left:
                    self._straight(statement)
            if left:
                return True
        return False

    def _straight(self, statement: ast.stmt) -> None:
        """A statement that the next one follows."""
        evaluate, assign = self.expressions.evaluate, self.bindings.assign
        match statement:
            case ast.Assign(targets=targets, value=value):
                result = evaluate(value)
                for target in targets:
                    assign(target, result)
            case ast.AugAssign(target=target, op=op, value=value):
                left, right = evaluate(target), evaluate(value)
                assign(target, self.expressions.binary(op, left, right, (target, value)))
            case ast.AnnAssign(target=target, value=given, annotation=kind):
                if given is not None:
                    constexpr = self.expressions.lookup.dotted(kind) == "triton.language.constexpr"
                    assign(target, evaluate(given), constexpr=constexpr)
            case ast.Expr(value=value):
                evaluate(value)
            case ast.For() | ast.While():
                self.loops.interpret(statement)
            case ast.Assert(test=test):
                evaluate(test)
                self.state.effect(EffectKind.PRINT, statement, "assert")
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    self.state.frame.environment.pop(name, None)
            case ast.Pass() | ast.Global() | ast.Nonlocal():
                pass
            case _:
                self.bindings.unknown_statement(statement)

    # Ways out

    def _leave(self, statement: ast.stmt) -> bool:
        """Interpret a statement that leaves its block; False where it is none."""
        state = self.state
        match statement:
            case ast.Return():
                self._return(statement)
            case ast.Break() | ast.Continue():
                name = "break" if isinstance(statement, ast.Break) else "continue"
                state.effect(EffectKind.EXIT, statement, name)
                state.leave_early(1)
            case ast.Raise():
                # Where it compiles, the condition above it is known to be false.
                state.effect(EffectKind.EXIT, statement, "raise")
                state.leave_early(len(state.nest))
            case _:
                return False
        return True

    def _return(self, statement: ast.Return) -> None:
        state, frame = self.state, self.state.frame
        value = statement.value
        result = self.expressions.evaluate(value) if value else state.table.constant(None)
        certain = frame.guard_depth == 0 and frame.loop_depth == 0
        guards = tuple(state.guards[len(state.guards) - frame.guard_depth :])
        frame.returned.append(Returned(result, guards, frame.loop_depth > 0))
        state.leave_early(frame.loop_depth)
        if frame.inlined_at is not None:
            if not certain:
                self._note_return(statement)
        elif not certain or statement is not frame.kernel.node.body[-1]:
            state.effect(EffectKind.EXIT, statement, "return")

    def _note_return(self, statement: ast.Return) -> None:
        """A helper may have returned: what it does afterwards, it does in some cases only."""
        state, frame = self.state, self.state.frame
        if not frame.guard_depth:
            state.effect(EffectKind.EXIT, statement, "return")
            return
        guard = state.guards[-1]
        if frame.guard_depth == 1 and frame.loop_depth == 0:
            state.returned.append(Guard(guard.condition, not guard.holds, guard.node))
        else:
            why = state.table.opaque("a helper may have returned", shape=())
            state.returned.append(Guard(why, False, guard.node))

    # Branches

    def _if(self, statement: ast.If) -> bool:
        condition = self.expressions.evaluate(statement.test)
        frame = self.state.frame
        before = frame.environment
        left_then = self._branch(condition, True, statement, before)
        then = frame.environment
        left_else = self._branch(condition, False, statement, before)
        other = frame.environment
        if left_then and left_else:
            return True
        if left_then:
            frame.environment = other
        elif left_else:
            frame.environment = then
        else:
            frame.environment = self.bindings.merge(condition, then, other)
        return False

    def _branch(self, condition: Value, holds: bool, node: ast.If, before: Environment) -> bool:
        """Interpret one branch, from the names that are bound before it."""
        state, frame = self.state, self.state.frame
        state.guards.append(Guard(condition, holds, node))
        frame.guard_depth += 1
        known = state.record.refined(before, state.guards)
        frame.environment = dict(known)
        left = self.run(node.body if holds else node.orelse)
        after = frame.environment
        for name, value in before.items():
            if after.get(name) is known[name]:
                after[name] = value
        frame.guard_depth -= 1
        state.guards.pop()
        return left

"""What the names of a function are bound to: on every way, on one way, on some."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts.effects import EffectKind
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.interpreting.lookup import replaces_elements
from tritonopt.facts.interpreting.pure_functions import Operations
from tritonopt.facts.interpreting.state import State
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.source.trees import walk


@dataclass
class Bindings:
    """Binds names, and says what they are bound to where two ways come together."""

    state: State

    def assign(self, target: ast.expr, value: Value, *, constexpr: bool = False) -> None:
        """`target = value`, which makes a tensor of a number, unless annotated."""
        self.bind(target, value)
        tensors = self.state.frame.tensors
        names = {n.id for n in walk(target) if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}
        tensors.difference_update(names) if constexpr else tensors.update(names)

    def bind(self, target: ast.expr, value: Value) -> None:
        """`target = value`"""
        state = self.state
        match target:
            case ast.Name(id=name):
                if value.op is Op.TUPLE and self.elements_change:
                    value = state.table.opaque("a tuple whose elements may be replaced")
                state.frame.environment[name] = value
                state.note_value(target, value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                known = value.op is Op.TUPLE and len(value.operands) == len(elements)
                for i, element in enumerate(elements):
                    part = value.operands[i] if known else self._part(value, i)
                    self.bind(element, part)
            case _:
                # To an attribute or an element: not something a kernel can do to a tensor.
                state.effect(EffectKind.CALL, target, "assignment")

    @cached_property
    def elements_change(self) -> bool:
        """Whether jit code of the file replaces elements, `t[0] = x`, maybe by another name."""
        return replaces_elements(self.state.record.kernel.module.kernels)

    def _part(self, value: Value, index: int) -> Value:
        table = self.state.table
        if value.op is Op.OPAQUE:
            return table.opaque("part of a value not understood")
        shape = Operations.shape_of_part(value)
        return table.make(Op.PART, (value,), index, shape=shape)

    # What is not understood

    def unknown_statement(self, statement: ast.stmt) -> None:
        """It may do anything, and bind its names to anything."""
        state = self.state
        state.effect(EffectKind.CALL, statement, type(statement).__name__.lower())
        for name in assigned_names([statement]):
            why = "bound by a statement not understood"
            state.frame.environment[name] = state.table.opaque(why)

    def unknown_expression(self, node: ast.expr) -> None:
        """It may do what its calls do, any number of times, and bind names to anything."""
        state = self.state
        if any(isinstance(inner, ast.Call) for inner in walk(node)):
            state.effect(EffectKind.CALL, node, type(node).__name__.lower())
        for inner in walk(node):
            if isinstance(inner, ast.NamedExpr):
                why = "bound in an expression not understood"
                state.frame.environment[inner.target.id] = state.table.opaque(why)

    # Where two ways come together

    def merge(self, condition: Value, then: Environment, other: Environment) -> Environment:
        """The names after an `if`, of those after either branch."""
        merged: Environment = {}
        for name in {**then, **other}:
            a, b = then.get(name), other.get(name)
            if a is None or b is None:
                bound, holds = (a, True) if a is not None else (b, False)
                assert bound is not None
                merged[name] = self._bound_in_branch(condition, holds, name, bound)
                self.state.record.bound_when[merged[name]] = (condition, holds, bound)
            elif a is b:
                merged[name] = a
            else:
                merged[name] = self.choice(condition, a, b)
        return merged

    def _bound_in_branch(self, condition: Value, holds: bool, name: str, value: Value) -> Value:
        """A name that one branch binds: who reads it afterwards came through that branch.

        Where the condition is not known to the compiler, or false, there is no such name.
        """
        table = self.state.table
        if self._is_bound_outside(name):
            return table.opaque(f"{name} is bound in one branch only")
        branch = (condition.serial, holds)
        return table.make(Op.IN_BRANCH, (value,), branch, shape=value.shape, dtype=value.dtype)

    def _is_bound_outside(self, name: str) -> bool:
        """Whether a name of the function is one of its module too: the compiler would read that."""
        function = self.state.frame.kernel
        scope = function.module.names.scopes[function.node].parent
        return scope is not None and scope.find(name) is not None

    def choice(self, condition: Value, a: Value, b: Value) -> Value:
        """`a` where the condition holds, else `b`."""
        if a is b:
            return a
        table = self.state.table
        if a.op == b.op is Op.TUPLE and len(a.operands) == len(b.operands):
            parts = zip(a.operands, b.operands, strict=True)
            chosen = [self.choice(condition, one, other) for one, other in parts]
            return table.make(Op.TUPLE, chosen, shape=None)
        shape = a.shape if a.shape == b.shape else None
        dtype = a.dtype if a.dtype == b.dtype else None
        return table.make(Op.PHI, (condition, a, b), shape=shape, dtype=dtype)

    def under_guards(self, value: Value) -> Value:
        """What a value is under the conditions that are known to hold here.

        `if FLAG: p = X` `else: p = Y`, and later `if FLAG: tl.load(p)`.
        """
        guards = self.state.guards
        while guards and value.op in (Op.PHI, Op.IN_BRANCH):
            condition = value.condition.serial if value.op is Op.PHI else _branch(value)[0]
            holds = next((g.holds for g in guards if g.condition.serial == condition), None)
            if holds is None:
                break
            if value.op is Op.PHI:
                value = value.then if holds else value.other
            elif holds == _branch(value)[1]:
                value = value.operand
            else:
                break
        return value


def _branch(value: Value) -> tuple[int, bool]:
    """Of an "in_branch" value: the condition's number, and whether it holds in the branch."""
    assert isinstance(value.attribute, tuple)
    condition, holds = value.attribute
    assert isinstance(condition, int) and isinstance(holds, bool)
    return condition, holds


def assigned_names(statements: Sequence[ast.stmt]) -> set[str]:
    """Every name that the statements may bind, however deep."""
    names: set[str] = set()
    for statement in statements:
        for node in walk(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    names.add(name)
                case (
                    ast.FunctionDef(name=str() as name)
                    | ast.ClassDef(name=str() as name)
                    | ast.MatchAs(name=str() as name)
                    | ast.MatchStar(name=str() as name)
                    | ast.ExceptHandler(name=str() as name)
                ):
                    names.add(name)
                case ast.alias(name=name, asname=local):
                    names.add(local or name.partition(".")[0])
    return names

"""Which branches ask in every iteration of a loop for what does not change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.loop_invariants import is_invariant
from tritonopt.emit.writing import is_elif
from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import Op
from tritonopt.source import Module
from tritonopt.source.trees import parents_of, walk

_RUNTIME = frozenset(
    {Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.LANE, Op.LOAD, Op.ITERATION, Op.CARRIED, Op.RESULT}
    | {Op.REDUCE, Op.RESHAPED, Op.BLOCK_POINTER, Op.FULL}
)
_STATIC = frozenset({Op.CONST, Op.CONSTEXPR, Op.GLOBAL, Op.DTYPE, Op.ATTRIBUTE, Op.IS, Op.IS_NOT})


@dataclass(frozen=True, eq=False)
class InvariantBranch:
    """An `if` of a kernel, and a loop around it in which its condition does not change."""

    facts: KernelFacts
    loop: Loop
    node: ast.If
    in_helper: bool = False
    """The kernel is one that jit code calls."""

    @property
    def module(self) -> Module:
        return self.facts.kernel.module

    @property
    def condition(self) -> Value:
        return self.facts.values[self.node.test]

    @property
    def where(self) -> str:
        """The loop, for a message."""
        return f"the loop in line {self.loop.line}"

    @property
    def parents(self) -> dict[ast.stmt, ast.stmt]:
        """Of every statement in the loop, the one that it stands in."""
        return parents_of(self.loop.node)

    @cached_property
    def around(self) -> list[ast.stmt]:
        """The statements between the loop and the `if`, innermost first."""
        found: list[ast.stmt] = []
        node = self.parents[self.node]
        while node is not self.loop.node:
            found.append(node)
            node = self.parents[node]
        return found

    @property
    def loops(self) -> list[Loop]:
        """The loop, and those inside it around the `if`."""
        inner = [loop for s in self.around if (loop := self.facts.loop_of(s)) is not None]
        return [self.loop, *inner[::-1]]

    @property
    def is_under_another(self) -> bool:
        """Whether an `if` around it stays in the loop."""
        return any(isinstance(around, ast.If) for around in self.around)

    def effects_in(self, node: ast.AST) -> list[Effect]:
        inside = set(walk(node))
        return [e for e in self.facts.effects if e.node in inside]

    def is_elif(self, statement: ast.stmt) -> bool:
        return is_elif(self.facts, statement)


def invariant_branches(facts: KernelFacts) -> Iterator[list[InvariantBranch]]:
    """Every runtime `if` whose condition does not change in a loop around it, with each such
    loop, the outermost first.

    A condition that the compiler knows is none of ours, nor is one that does change.
    """
    parents = parents_of(facts.kernel.node)
    sites: set[ast.stmt] = set()
    in_helper = _is_helper(facts)
    for branch in sorted(parents, key=lambda statement: statement.lineno):
        value = facts.values.get(branch.test) if isinstance(branch, ast.If) else None
        if not isinstance(branch, ast.If) or value is None:
            continue
        if when_known(facts, value) == "static" or _is_constexpr(facts, branch.test):
            continue
        if any(isinstance(node, ast.NamedExpr) for node in walk(branch.test)):
            continue
        outer = parents[branch]
        if isinstance(outer, ast.If) and is_elif(facts, branch) and outer in sites:
            continue  # it goes where its `if` goes
        loads = frozenset(part.number for part in value.walk() if part.op is Op.LOAD)
        found: list[InvariantBranch] = []
        node = parents.get(branch)
        while node is not None:
            loop = facts.loop_of(node)
            if loop is not None and is_invariant(facts, value, loop, loads):
                found.insert(0, InvariantBranch(facts, loop, branch, in_helper))
            node = parents.get(node)
        if found:
            sites.add(branch)
            yield found


def when_known(facts: KernelFacts, condition: Value, in_helper: bool = False) -> str:
    """When a condition is decided: "static" (by the compiler), "runtime" or "unknown".

    What is asked of a pointer is whether it was passed, and the compiler knows that. What jit
    code passes to a helper the compiler may know too.
    """
    found = set()
    todo = [condition]
    while todo:
        value = todo.pop()
        if value.op in _STATIC or (value.op is Op.PARAM and value.name in facts.pointers):
            continue
        unrolled = value.op in (Op.ITERATION, Op.CARRIED, Op.RESULT) and _is_unrolled(facts, value)
        if value.op in (Op.OPAQUE, Op.ONE_OF) or unrolled:
            found.add("unknown")
        elif value.op is Op.PARAM:
            found.add("unknown" if in_helper else "runtime")
        elif value.op in _RUNTIME:
            found.add("runtime")
        else:
            todo.extend(value.operands)
    return "runtime" if "runtime" in found else "unknown" if found else "static"


def is_one_question(one: Value, other: Value) -> bool:
    """Whether two conditions are the same, or always just one of them holds."""
    negated = {one.op, other.op} == {Op.EQ, Op.NE} and one.operands == other.operands
    for this, that in ((one, other), (other, one)):
        negated |= this.op is Op.NOT and this.operand is that
    return one is other or negated


def _is_helper(facts: KernelFacts) -> bool:
    """Whether jit code calls the kernel, or could make use of what it returns."""
    kernel = facts.kernel
    if any(isinstance(node, ast.Return) and node.value for node in kernel.nodes):
        return True
    return facts.launches.caller is not None


def _is_unrolled(facts: KernelFacts, value: Value) -> bool:
    identity = value.number if value.op is Op.ITERATION else value.carrier.loop
    return facts.loops[identity].kind == "tl.static_range"


def _is_constexpr(facts: KernelFacts, test: ast.expr) -> bool:
    """Whether the author says that the compiler knows it."""
    module = facts.kernel.module
    return isinstance(test, ast.Call) and module.resolve(test.func) == "triton.language.constexpr"

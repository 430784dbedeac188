"""Offsets that a `%` or a `tl.where` wraps, which hides from the compiler that they run on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Lane, Loaded
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import Divisibility, Proof
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.language import function
from tritonopt.facts.memory.offsets import Kind, NotConsecutive, read_offsets
from tritonopt.facts.operations import Op
from tritonopt.facts.values import is_float


@dataclass(frozen=True)
class Wrap:
    """A wrapped or selected value, and the places where the kernel computes it."""

    value: Value
    places: tuple[ast.expr, ...]
    """A `%` or a `tl.where`; for `offsets %= M`, the name that is bound."""


class WrappedOffsets:
    """The tiles of a kernel that are wrapped or selected, and what is asked of any of them."""

    def __init__(self, facts: KernelFacts) -> None:
        self.facts = facts
        self.divisibility = Divisibility(facts)
        self.bounds = Bounds(facts)

    def function(self, call: ast.Call) -> str:
        """The name below `triton.language` of what is called; "" for anything else."""
        return function(self.facts.kernel.module.resolve(call.func))

    @cached_property
    def wraps(self) -> list[Wrap]:
        """Tiles of offsets that are wrapped or selected, in source order."""
        places: dict[Value, list[ast.expr]] = {}
        for node, value in self.facts.values.items():
            if value.op in (Op.MOD, Op.WHERE) and value.rank and self._computes(node, value):
                places.setdefault(value, []).append(node)
        found = [Wrap(value, tuple(nodes)) for value, nodes in places.items()]
        return [wrap for wrap in found if _runs_along_lanes(self.facts, wrap.value)]

    def _computes(self, node: ast.expr, value: Value) -> bool:
        match node:
            case ast.BinOp(op=ast.Mod()):
                return value.op is Op.MOD
            case ast.Call():
                return value.op is Op.WHERE and self.function(node) == "where"
            case ast.Name(ctx=ast.Store()):
                return node in self._wrapped_in_place
        return False

    @cached_property
    def _wrapped_in_place(self) -> frozenset[ast.expr]:
        """The names that are bound by `offsets %= M`."""
        inside = self.facts.kernel.nodes
        statements = (node for node in inside if isinstance(node, ast.AugAssign))
        return frozenset(s.target for s in statements if isinstance(s.op, ast.Mod))

    @cached_property
    def _statements(self) -> dict[ast.AST, ast.stmt]:
        """Of every expression, the innermost statement it stands in."""
        found: dict[ast.AST, ast.stmt] = {}
        for statement in self.facts.kernel.nodes:
            if isinstance(statement, ast.stmt):
                found.update((inner, statement) for inner in _own_expressions(statement))
        return found

    def statement(self, node: ast.expr) -> ast.stmt:
        return self._statements[node]

    def is_nonnegative(self, form: Polynomial) -> tuple[bool, frozenset[str], Proof]:
        """(whether a form is at least 0, the sizes that are taken to be positive for it, proof)."""
        least = self.bounds.lower_bound(form)
        if least is None or least.number < 0:
            return False, frozenset(), Proof()
        return True, least.sizes, Proof(given=least.given)


def _own_expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, without those of the statements inside it."""
    todo: list[ast.AST] = list(ast.iter_child_nodes(statement))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            continue
        if isinstance(node, ast.expr):
            yield node
        todo.extend(ast.iter_child_nodes(node))


def _runs_along_lanes(facts: KernelFacts, value: Value) -> bool:
    """Whether what is wrapped or selected is an index that a reader may think contiguous."""
    sides = (value.left,) if value.op is Op.MOD else (value.then, value.other)
    if any(is_float(side.dtype) or side.dtype == "float" for side in (value, *sides)):
        return False
    if value.op is Op.WHERE:
        # Most selections are of data.
        try:
            return read_offsets(facts, value).kind is Kind.SELECTED
        except (NotConsecutive, TooLarge):
            return False
    return any(
        len(monomial) == 1 and isinstance(monomial[0][0], (Lane, Loaded))
        for side in sides
        for monomial in facts.forms.of(side).terms
    )

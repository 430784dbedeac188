"""Which loads, or stores, take turns: elements 2k and 2k + 1, or 4k to 4k + 3, for each lane k."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import Effect, EffectKind, KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Lane
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.language import ACCESSES, arguments_of, function
from tritonopt.source.trees import walk

_WIDTHS = (2, 4)


@dataclass(frozen=True, eq=False)
class Member:
    effect: Effect
    call: ast.Call
    statement: ast.stmt
    arguments: Mapping[str, ast.expr]

    @property
    def pointer(self) -> ast.expr:
        return self.arguments["pointer"]


@dataclass(frozen=True, eq=False)
class Group:
    """Loads, or stores, that stand in one block, one for each element between two lanes."""

    members: tuple[Member, ...]
    """In the order of the elements."""
    lane: Lane
    block: list[ast.stmt]
    """The statements that they stand among."""

    @property
    def width(self) -> int:
        """How many elements there are from one lane to the next."""
        return len(self.members)

    @property
    def is_load(self) -> bool:
        return self.members[0].effect.kind is EffectKind.LOAD

    @cached_property
    def in_order(self) -> tuple[Member, ...]:
        return tuple(sorted(self.members, key=lambda m: m.effect.order))

    @property
    def at(self) -> ast.stmt:
        """Where the whole is loaded or stored: with the first load, with the last store."""
        return self.in_order[0 if self.is_load else -1].statement

    @property
    def lines(self) -> str:
        """Where they are, in words."""
        lines = list(dict.fromkeys(str(member.call.lineno) for member in self.in_order))
        if len(lines) == 1:
            return f"line {lines[0]}"
        return f"lines {', '.join(lines[:-1])} and {lines[-1]}"


def groups(facts: KernelFacts) -> list[Group]:
    found: list[Group] = []
    begun: dict[tuple[object, ...], dict[int, Member]] = {}
    for effect in facts.effects:
        strided = _strided(facts, effect)
        if strided is None:
            continue
        member, lane, width, base, offset, block = strided
        first = offset.terms.get((), 0)
        if first != int(first):
            continue
        rest = offset - first
        key = (effect.kind, base, rest, id(block))
        taken = begun.setdefault(key, {})
        others = [*taken, int(first)]
        if int(first) in taken or max(others) - min(others) >= width:
            taken.clear()
        taken[int(first)] = member
        if len(taken) == width:
            members = tuple(member for _, member in sorted(taken.items()))
            found.append(Group(members, lane, block))
            taken.clear()
    return sorted(found, key=lambda group: group.in_order[0].effect.order)


def _strided(
    facts: KernelFacts, effect: Effect
) -> tuple[Member, Lane, int, str, Polynomial, list[ast.stmt]] | None:
    """An access whose last axis goes over a buffer with a step of 2 or 4."""
    if (
        effect.kind not in (EffectKind.LOAD, EffectKind.STORE)
        or effect.inlined
        or effect.pointer is None
    ):
        return None
    call = effect.node
    kind = effect.kind.value
    if not isinstance(call, ast.Call) or function(facts.kernel.module.resolve(call.func)) != kind:
        return None  # a method of something
    base, offset = facts.forms.address(effect.pointer)
    lane = _last_axis(offset)
    if base is None or lane is None:
        return None
    step = offset.terms.get(((lane, 1),))
    if step not in _WIDTHS or _last_axis(offset - Polynomial.of(lane) * step) is not None:
        return None
    arguments = arguments_of(call, ACCESSES[kind])
    place = _place(facts, call)
    if arguments is None or "pointer" not in arguments or place is None:
        return None
    statement, block = place
    member = Member(effect, call, statement, arguments)
    return member, lane, int(step), base, offset, block


def _last_axis(offset: Polynomial) -> Lane | None:
    """The lanes along the last axis that an offset depends on."""
    return next((a for a in offset.leaves() if isinstance(a, Lane) and a.axis == 0), None)


def _place(facts: KernelFacts, call: ast.Call) -> tuple[ast.stmt, list[ast.stmt]] | None:
    """The simple statement that a call stands in, and the block of that."""
    parents = facts.kernel.module.names.parents
    node: ast.AST = call
    while not isinstance(node, ast.stmt):
        if isinstance(node, (ast.IfExp, ast.BoolOp)):
            return None  # it may not be called
        node = parents[node]
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
        return None
    if any(isinstance(part, ast.NamedExpr) for part in walk(node)):
        return None
    return node, names_of(facts.kernel.node).home[node][1]

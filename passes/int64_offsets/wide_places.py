"""The fewest casts to 64 bits that are enough, where a name is bound rather than where it is read.

    row = tl.program_id(0).to(tl.int64)     where all that is computed from it are offsets
    row.to(tl.int64) * stride               where it is used for other things as well

What is computed from a wide number is wide, so the cast stands as early as it costs nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tritonopt.checks.condition import Declined, unknown
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.effects import is_loaded, parts_of
from tritonopt.facts.language import function
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.program_ids import reached_by
from tritonopt.facts.uses import users
from tritonopt.passes.int64_offsets.overflows import Overflow, Widths, bounds_of
from tritonopt.source import Kernel
from tritonopt.source.trees import walk

_PASSING_ON = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.INSERT_AXES, Op.BROADCAST_TO, Op.MINIMUM, Op.MAXIMUM}
    | {Op.FLOORDIV, Op.MOD, Op.NEG}
)
"""What gives the same number in 64 bits where an operand has them."""
_ENDING = COMPARISONS | {Op.LOAD, Op.CAST}
"""What gives the same type whatever the width of an operand."""
_UNSIGNED = frozenset({"uint8", "uint16", "uint32", "uint64"})
_TYPES = ("dtype", "type")
_DIVIDING = frozenset({Op.FLOORDIV, Op.MOD, Op.CDIV})
_TENSORS = frozenset({Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.LANE, Op.LOAD})
_LOOPED = frozenset({Op.ITERATION, Op.CARRIED, Op.RESULT})
"""What a loop makes a tensor; the interpreter keeps numbers of Python, and so does no iteration."""


@dataclass(frozen=True)
class WidePlace:
    """Expressions to be cast, all of one value, and the overflows that are fixed by that."""

    nodes: tuple[ast.expr, ...]
    fixed: tuple[Overflow, ...]
    slows: bool = False
    """Whether a loop computes with tiles of 64 bits then: of two axes, or products."""


class WidePlaces:
    """Those of one kernel."""

    def __init__(self, facts: KernelFacts, overflows: Sequence[Overflow]) -> None:
        self._facts = facts
        self._overflows = overflows

    def find(self) -> Iterator[WidePlace | tuple[Overflow, Declined]]:
        """Places that fix all that can be fixed; of the others, why they cannot."""
        left = list(self._overflows)
        found: list[WidePlace | tuple[Overflow, Declined]] = []
        places = list(self._definitions())
        while places:
            place = max(places, key=lambda each: len([o for o in each.fixed if o in left]))
            fixed = tuple(o for o in place.fixed if o in left)
            if not fixed:
                break
            places.remove(place)
            left = [o for o in left if o not in fixed]
            found.append(replace(place, fixed=fixed))
        why: dict[bool, Declined] = {}
        for overflow in left:
            try:
                nodes = tuple(self._factors(overflow))
                found.append(WidePlace(nodes, (overflow,), self._slows(overflow.value)))
            except Declined as declined:
                why[self._is_bound(overflow)] = declined
                found.append((overflow, declined))
        for one in found:
            fixed = one.fixed if isinstance(one, WidePlace) else ()
            # Wide offsets are of no use where what ends them wraps around; nor the other way.
            if fixed and True in why:
                yield from ((overflow, why[True]) for overflow in fixed)
            elif fixed and False in why and all(map(self._is_bound, fixed)):
                yield from ((overflow, why[False]) for overflow in fixed)
            else:
                yield one

    def _is_bound(self, overflow: Overflow) -> bool:
        """Whether it only decides where accesses end, and is a part of no address."""
        pointers = (effect.pointer for effect in self._facts.effects if effect.pointer is not None)
        return not any(
            overflow.value in parts_of(self._facts.loops, pointer, stop=is_loaded)
            for pointer in pointers
        )

    # Definitions

    def _definitions(self) -> Iterator[WidePlace]:
        """Where what offsets are computed from is computed itself, in the order of the text."""
        parents = self._facts.kernel.module.names.parents
        parts = {part for overflow in self._overflows for part in overflow.value.walk()}
        wanted = parts | {base for base, views in self._views.items() if parts & views}
        places: list[tuple[Value, list[ast.expr]]] = []
        for value in filter(self._is_tensor, wanted):
            nodes = [n for n in self._nodes_of(value) if not isinstance(n, ast.Name)]
            # A hint may be around it, which is the same value.
            nodes = [n for n in nodes if parents.get(n) not in nodes]
            places += [(value, nodes)] if nodes else []
        for value, nodes in sorted(places, key=lambda place: _position(place[1][0])):
            fixed = tuple(o for o in self._overflows if self._fixes(value, o))
            reads = sum(len(self._products(o)) or len(nodes) for o in fixed)
            if len(nodes) > reads or not all(self._is_definition(n, value) for n in nodes):
                continue
            if fixed and self._costs_nothing(value, fixed):
                yield WidePlace(tuple(nodes), fixed, self._slows(value))

    def _is_definition(self, node: ast.expr, value: Value) -> bool:
        match self._facts.kernel.module.names.parents.get(node):
            case ast.Assign(targets=[ast.Name()]):
                return node.lineno == node.end_lineno or isinstance(node, ast.Call)
        return value.op is Op.PROGRAM_ID

    def _costs_nothing(self, value: Value, fixed: Sequence[Overflow]) -> bool:
        """Whether wide numbers change no type elsewhere, and make nothing slower.

        A division of 64 bits is slow, a tile that changes with a loop takes registers twice, and
        a product that decides about no access may wrap around on purpose.
        """
        try:
            wide = self._check_uses(value)
            needed = {part for o in fixed for part in self._check_uses(o.value)}
        except Declined:
            return False
        on_the_way = {part for o in fixed for part in o.value.walk()}
        return not any(
            part.op in _DIVIDING
            or (part.op is Op.MUL and part not in self._of_accesses)
            or (part not in on_the_way and self._is_tile_of_a_loop(part))
            for part in wide - needed - self._same(value)
        )

    @staticmethod
    def _is_tile_of_a_loop(part: Value) -> bool:
        varying = (Op.ITERATION, Op.CARRIED)
        return part.shape != () and any(inner.op in varying for inner in part.walk())

    def _slows(self, wide: Value) -> bool:
        return any(
            self._is_tile_of_a_loop(part) and (part.op is Op.MUL or (part.rank or 0) > 1)
            for part in self._check_uses(wide)
        )

    def _fixes(self, wide: Value, overflow: Overflow) -> bool:
        given = frozenset(self._same(wide))
        widths = Widths(self._facts, overflow.binding, overflow.numbers, given, overflow.narrow)
        return not widths.is_beyond(overflow.value, overflow.number)

    # Factors

    def _products(self, overflow: Overflow) -> list[ast.BinOp]:
        return [node for node in self._nodes_of(overflow.value) if isinstance(node, ast.BinOp)]

    def _factors(self, overflow: Overflow) -> Iterator[ast.expr]:
        """One operand of each expression that computes it. Raises Declined."""
        nodes = self._products(overflow)
        if not nodes:
            detail = "it is computed in a function that the kernel calls, or by an assignment"
            raise unknown("is-expressible", "opaque-value", detail)
        self._check_uses(overflow.value)
        for node in nodes:
            yield self._factor(node)

    def _factor(self, node: ast.BinOp) -> ast.expr:
        """The operand to be cast: a position rather than a size, a number rather than a tile."""
        for operand in sorted((node.left, node.right), key=self._order):
            value = self._facts.values.get(operand)
            if value is not None and self._is_tensor(value):
                if isinstance(operand, ast.BinOp) and value.op in (Op.ADD, Op.SUB, Op.MUL):
                    return self._factor(operand)
                return operand
        # A number that is passed is cast by a function, for 1 may be a constant of the compiler.
        for operand in (node.right, node.left):
            value = self._facts.values.get(operand)
            if value is not None and value.op is Op.PARAM:
                return operand
        detail = "what it is computed from may be numbers of Python"
        raise unknown("is-expressible", "opaque-value", detail)

    def _order(self, node: ast.expr) -> tuple[bool, bool]:
        value = self._facts.values.get(node)
        parts = {part.op for part in value.walk()} if value is not None else set()
        return Op.LANE in parts, Op.PROGRAM_ID not in parts

    def _is_tensor(self, value: Value) -> bool:
        return any(part.op in _TENSORS or part.op in _LOOPED for part in value.walk())

    def _nodes_of(self, value: Value) -> list[ast.expr]:
        nodes = (n for n in self._facts.kernel.nodes if isinstance(n, ast.expr))
        return [node for node in nodes if self._facts.values.get(node) is value]

    # Where the wider number goes

    def _check_uses(self, value: Value) -> set[Value]:
        """What becomes wide with a number, itself included.

        Raises Declined where the type of one may matter for more than its address.
        """
        seen = self._same(value)
        todo = list(seen)
        while todo:
            part = todo.pop()
            if part in self._carried:
                raise _elsewhere("a loop carries it on")
            counted = self._counters.get(part, [])
            for user in (*self._users.get(part.serial, ()), *counted):
                if any(operand.dtype in _UNSIGNED for operand in user.operands):
                    raise _elsewhere("it meets a number without a sign")
                if user in seen or self._is_address(user) or user.op in _ENDING:
                    continue
                seen.add(user)
                passed_on = user.op in _PASSING_ON or user in counted
                if not passed_on or user.dtype in ("fp32", "fp64", "float"):
                    raise _elsewhere(f"it goes into {user.op}")
                todo.append(user)
        for effect in self._facts.effects:
            if effect.stored in seen or (effect.writes and effect.other in seen):
                raise _elsewhere("it is stored")
        self._check_calls(seen)
        self._check_branches(seen)
        return seen

    def _is_address(self, value: Value) -> bool:
        return self._facts.forms.address(value)[0] is not None

    def _check_branches(self, wide: set[Value]) -> None:
        """Triton asks for one type of a name in and before an `if`, read later or not."""
        values = self._facts.values
        for choice in self._facts.interpretation.table.made_by(Op.PHI):
            if (choice.then in wide) is not (choice.other in wide):
                raise _elsewhere("where two branches meet, a name has one type")
        for node in self._facts.kernel.nodes:
            if not isinstance(node, ast.If):
                continue
            # Names of a branch that returns meet those before it.
            arms = [list(_bound_in(block)) for block in (node.body, node.orelse)]
            before = self._facts.before.get(node, {})
            for name in {n.id for arm in arms for n in arm}:
                bound = [[values.get(n) for n in arm if n.id == name] for arm in arms]
                known = before.get(name)
                if known is not None and known.op not in (Op.OPAQUE, Op.IN_BRANCH):
                    bound.append([known])
                kinds = {value in wide for ways in bound for value in ways}
                if len(list(filter(None, bound))) > 1 and len(kinds) > 1:
                    raise _elsewhere(f"below line {node.lineno} {name} has one type")

    def _check_calls(self, wide: set[Value]) -> None:
        unknown_calls = {e.node for e in self._facts.effects if e.kind is EffectKind.CALL}
        for node in self._facts.kernel.nodes:
            if isinstance(node, ast.Attribute) and node.attr == "dtype":
                if self._facts.values.get(node.value) in wide:
                    raise _elsewhere("the kernel reads its dtype")
                continue
            if not isinstance(node, ast.Call):
                continue
            result = self._facts.values.get(node)
            given = (*node.args, *(keyword.value for keyword in node.keywords))
            if all(self._facts.values.get(argument) not in wide for argument in given):
                continue
            if any(map(_reads_types, reached_by(self._facts.kernel, node))):
                raise _elsewhere("a function that it is given to reads a dtype")
            if node in unknown_calls or (result is not None and result.op is Op.OPAQUE):
                raise _elsewhere("it is given to a function that is not known")

    @cached_property
    def _users(self) -> dict[int, list[Value]]:
        return users(self._facts.interpretation)

    def _same(self, value: Value) -> set[Value]:
        return {value, *self._views.get(value, ())}

    @cached_property
    def _views(self) -> dict[Value, set[Value]]:
        """`rows[:, None]`, by `rows`: what is computed from it has the axis in its parts."""
        values, found = self._facts.values, dict[Value, set[Value]]()
        resolve = self._facts.kernel.module.resolve
        for node in self._facts.kernel.nodes:
            match node:
                case ast.Subscript(value=base):
                    pass
                case ast.Call(args=[base, *_]) if function(resolve(node.func)) == "expand_dims":
                    pass
                case _:
                    continue
            if base in values and node in values:
                found.setdefault(values[base], set()).add(values[node])
        return found

    @cached_property
    def _of_accesses(self) -> set[Value]:
        """What decides which elements are read and written."""
        found: set[Value] = set()
        for effect in self._facts.effects:
            for root in (effect.pointer, *bounds_of(effect)):
                found.update(parts_of(self._facts.loops, root, stop=is_loaded) if root else ())
        return found

    @cached_property
    def _carried(self) -> frozenset[Value]:
        ends = (end for loop in self._facts.loops for end in (loop.initial, loop.following))
        return frozenset(value for end in ends for value in end.values())

    @cached_property
    def _counters(self) -> dict[Value, list[Value]]:
        """What loops count, by what they count with: it has the widest type of these."""
        found: dict[Value, list[Value]] = {}
        for loop in self._facts.loops:
            for bound in (loop.start, loop.stop, loop.step):
                if bound is not None and loop.iteration is not None:
                    found.setdefault(bound, []).append(loop.iteration)
        return found


def _position(node: ast.expr) -> tuple[int, bool]:
    """Of two in one line a call is the first: its cast needs no parentheses."""
    return node.lineno, not isinstance(node, ast.Call)


def _bound_in(block: Sequence[ast.stmt]) -> Iterator[ast.Name]:
    names = (n for s in block for n in walk(s) if isinstance(n, ast.Name))
    return (name for name in names if isinstance(name.ctx, ast.Store))


def _reads_types(helper: Kernel) -> bool:
    """Whether it may ask a number for its type; `element_ty` is asked of a pointer's."""
    parents = helper.module.names.parents
    asked = (n for n in helper.nodes if isinstance(n, ast.Attribute) and n.attr in _TYPES)
    return any(getattr(parents.get(node), "attr", "") != "element_ty" for node in asked)


def _elsewhere(how: str) -> Declined:
    detail = f"its type may matter elsewhere: {how}"
    return unknown("type-stays", "type-changes", detail)


def may_be_of_python(value: Value) -> bool:
    """Whether a number has no methods: that of an iteration interpreted, or an argument of 1."""
    if value.op in (Op.ADD, Op.SUB, Op.MUL):
        return all(map(may_be_of_python, value.operands))
    if value.op is Op.PHI:
        return may_be_of_python(value.then) or may_be_of_python(value.other)
    numbers = (Op.PARAM, Op.CONST, Op.CONSTEXPR)
    return value.op in numbers or any(p.op in _LOOPED and p.shape == () for p in value.walk())

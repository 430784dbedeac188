"""Reductions, and the operators that combine their results: which regroup, and from where on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import BY_REDUCTION, EXTREMES, Kind
from tritonopt.source import Kernel
from tritonopt.source.trees import is_text, walk

OPERATORS: Mapping[type[ast.operator], Kind] = {
    ast.Add: Kind.ADD,
    ast.Sub: Kind.ADD,
    ast.Mult: Kind.MUL,
    ast.BitAnd: Kind.AND,
    ast.BitOr: Kind.OR,
    ast.BitXor: Kind.XOR,
}


@dataclass(frozen=True)
class Reducing:
    """A call that reduces a tile."""

    call: ast.Call
    operand: ast.expr
    combining: Kind | None
    """None where the function that combines two lanes is not understood."""


def reducing(facts: KernelFacts, node: ast.expr) -> Reducing | None:
    """A call of `tl.sum`, `x.sum`, `tl.reduce` and their kin; None for all else.

    The call of a helper that returns what `tl.sum` gave it is none.
    """
    value = facts.values.get(node)
    if value is None or not isinstance(node, ast.Call):
        return None
    name, arguments = _called(facts, node)
    given = {k.arg: k.value for k in node.keywords if k.arg is not None}
    operand = arguments[0] if arguments else given.get("input")
    if operand is None:
        return None
    if name in BY_REDUCTION and value.op is Op.REDUCE:
        return Reducing(node, operand, BY_REDUCTION[name])
    if name == "reduce" and value.op is Op.RESHAPED:
        combine = arguments[2] if len(arguments) > 2 else given.get("combine_fn")
        return Reducing(node, operand, _combined_by(facts, combine))
    return None


def _called(facts: KernelFacts, call: ast.Call) -> tuple[str, list[ast.expr]]:
    """The function of the language, and what is passed by position, a method's receiver first."""
    dotted = facts.kernel.module.resolve(call.func)
    if not dotted and isinstance(call.func, ast.Attribute) and call.func.value in facts.values:
        return call.func.attr, [call.func.value, *call.args]
    return function(dotted), call.args


def combining_call(facts: KernelFacts, node: ast.expr) -> tuple[Kind, list[ast.expr]] | None:
    """What a call of `tl.maximum` or `tl.minimum` does, and its two operands."""
    if not isinstance(node, ast.Call):
        return None
    found = EXTREMES.get(function(facts.kernel.module.resolve(node.func)))
    given = {k.arg: k.value for k in node.keywords if k.arg in ("x", "y")}
    operands = [*node.args, *given.values()]
    return (found, operands[:2]) if found is not None and len(operands) >= 2 else None


def _combined_by(facts: KernelFacts, combine: ast.expr | None) -> Kind | None:
    """What the function does that a `tl.reduce` is given."""
    helper = _jit_function(facts, combine)
    if helper is None or len(helper.parameters) != 2:
        return None
    body = [s for s in helper.node.body if not is_text(s)]
    one, other = (parameter.name for parameter in helper.parameters)
    match body:
        case [ast.Return(value=ast.BinOp(left=left, op=op, right=right))]:
            found = None if isinstance(op, ast.Sub) else OPERATORS.get(type(op))
        case [ast.Return(value=ast.Call(func=called, args=[left, right], keywords=[]))]:
            found = EXTREMES.get(function(helper.module.resolve(called)))
        case _:
            return None
    names = [side.id for side in (left, right) if isinstance(side, ast.Name)]
    return found if sorted(names) == sorted((one, other)) else None


def _jit_function(facts: KernelFacts, name: ast.expr | None) -> Kernel | None:
    """The jit function of the program that a name surely stands for."""
    if not isinstance(name, ast.Name):
        return None
    module = facts.kernel.module
    home = module.names.scopes[facts.kernel.node].find(name.id)
    if home is None or home.node is facts.kernel.node or module.is_replaced(name.id):
        return None
    bindings = home.bindings[name.id]
    own = (k for k in module.kernels if len(bindings) == 1 and k.node is bindings[0])
    helper = next(own, None) or module.jit_function_elsewhere(name)
    return helper if helper is not None and helper.is_called_as_written else None


_CLAIM = "accumulators-are-sums"


@dataclass(frozen=True)
class Reduced:
    """A reduction of a tile, as it stands in an update."""

    whole: ast.expr
    """The expression, with the casts around the reduction."""
    calls: tuple[Reducing, ...]
    """The reductions, from the outermost to the one of the tile itself."""
    tile: ast.expr
    casts: tuple[ast.Call, ...] = ()
    """The casts of the result."""
    named: ast.Assign | None = None
    """The statement of its own that gives it a name, which only the update reads."""
    reader: ast.Name | None = None
    """That name, in the update."""
    alone: bool = True
    """Whether the accumulator takes it as it is, and not a sum of several."""


@dataclass(frozen=True)
class Update:
    """A statement that combines an accumulator with reductions, and does nothing else."""

    statement: ast.Assign | ast.AugAssign
    names: tuple[ast.Name, ...]
    """Where the accumulator stands in it."""
    combining: Kind
    reduced: tuple[Reduced, ...]
    inside: bool = False
    """Whether it is combined with the tile, in the reduction: `tl.max(tl.maximum(x, m))`."""


def update_of(facts: KernelFacts, name: str, statement: ast.stmt) -> Update:
    """Raises Declined where the statement does anything else with the name."""
    return _Reader(facts, name).update(statement)


def mentions(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """Where a name stands, bound or read."""
    return (n for n in walk(node) if isinstance(n, ast.Name) and n.id == name)


@dataclass(frozen=True)
class _Reader:
    facts: KernelFacts
    name: str

    def update(self, statement: ast.stmt) -> Update:
        match statement:
            case ast.AugAssign(target=ast.Name(id=self.name) as target, op=op, value=value):
                combining, names = OPERATORS.get(type(op)), (target,)
                if combining is None or any(mentions(value, self.name)):
                    raise self._is_read(statement)
                return Update(statement, names, combining, self._terms(combining, value))
            case ast.Assign(targets=[ast.Name(id=self.name) as target], value=value):
                return self._assignment(statement, target, value)
        raise self._is_read(statement)

    def _assignment(self, statement: ast.Assign, target: ast.Name, value: ast.expr) -> Update:
        call = reducing(self.facts, value)
        if call is not None:
            return self._inside(statement, target, call)
        if self._is_chosen(value):
            text = (
                f"line {statement.lineno} selects the new {self.name}, as an argmax does; "
                "that is not a sum, maximum or minimum"
            )
            raise refuted(_CLAIM, "not-a-recurrence", text)
        combining, own, terms = self._spine(value, None)
        return Update(statement, (target, own), combining, terms)

    def _inside(self, statement: ast.Assign, target: ast.Name, call: Reducing) -> Update:
        """`m = tl.max(tl.maximum(x, m))`, where m is in each lane that is reduced."""
        combined = combined_sides(self.facts, call.operand)
        if combined is None or combined[0] is not call.combining:
            raise self._is_read(statement)
        own = [side for side in combined[1] if _is_name(side, self.name)]
        others = [side for side in combined[1] if not any(mentions(side, self.name))]
        if len(own) != 1 or len(others) != 1:
            raise self._is_read(statement)
        if not call.combining.repeats:
            many = f"line {statement.lineno} adds {self.name} once for each lane of the tile"
            raise refuted(_CLAIM, "not-a-recurrence", many)
        check_modes(self.facts, call.operand)
        (name,) = own
        assert isinstance(name, ast.Name)
        reduced = Reduced(call.call, (call,), call.operand)
        return Update(statement, (target, name), call.combining, (reduced,), inside=True)

    def _is_chosen(self, value: ast.expr) -> bool:
        """`best = tl.where(top > m, place, best)`"""
        found = self.facts.values.get(value)
        sides = (
            [*value.args, *(k.value for k in value.keywords)] if isinstance(value, ast.Call) else []
        )
        own = any(_is_name(side, self.name) for side in sides)
        return found is not None and found.op is Op.WHERE and own

    def _spine(
        self, node: ast.expr, combining: Kind | None
    ) -> tuple[Kind, ast.Name, tuple[Reduced, ...]]:
        """`acc + a + b`: the operation, where the accumulator stands, and what comes to it."""
        found = combined_sides(self.facts, node)
        if found is None or combining not in (None, found[0]):
            raise self._is_read(node)
        combining, sides = found
        own = [side for side in sides if any(mentions(side, self.name))]
        rest = [side for side in sides if side not in own]
        subtracts = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        if len(own) != 1 or (subtracts and own[0] is not sides[0]):
            raise self._is_read(node)
        check_modes(self.facts, node)
        terms = self._terms(combining, rest[0])
        if _is_name(own[0], self.name):
            assert isinstance(own[0], ast.Name)
            return combining, own[0], terms
        _, name, more = self._spine(own[0], combining)
        return combining, name, (*more, *terms)

    def _terms(self, combining: Kind, node: ast.expr) -> tuple[Reduced, ...]:
        """The reductions that an expression adds up, or the one that it is."""
        if combining is Kind.ADD:
            match node:
                case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                    terms = (*self._terms(combining, left), *self._terms(combining, right))
                    return tuple(replace(term, alone=False) for term in terms)
                case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                    terms = self._terms(combining, operand)
                    return tuple(replace(term, alone=False) for term in terms)
        reduced = self._reduced(node)
        for call in reduced.calls:
            text = f"line {call.call.lineno}"
            if call.combining is None:
                what = f"what the function in {text} computes from two lanes is not understood"
                raise unknown("accumulators-are-sums", "no-such-reduction", what)
            if call.combining is not combining:
                what = f"{text} computes a {call.combining.noun}, but the loop a {combining.noun}"
                raise refuted("accumulators-are-sums", "not-a-recurrence", what)
        return (reduced,)

    def _reduced(self, node: ast.expr) -> Reduced:
        found = _reduction(self.facts, node)
        if found is not None:
            return found
        if isinstance(node, ast.Name):
            return self._named(node)
        text = f"line {node.lineno} combines {self.name} with a value that is not a reduction"
        raise refuted(_CLAIM, "not-a-recurrence", text)

    def _named(self, node: ast.Name) -> Reduced:
        """`part = tl.sum(x)`, and then `acc += part`."""
        places = list(mentions(self.facts.kernel.node, node.id))
        stores = [n for n in places if isinstance(n.ctx, ast.Store)]
        assignments = (n for n in self.facts.kernel.nodes if isinstance(n, ast.Assign))
        statement = next((a for a in assignments if a.targets == stores), None)
        if statement is not None:
            found = _reduction(self.facts, statement.value)
            same = self.facts.values.get(statement.value) is self.facts.values.get(node)
            if found is not None and same:
                if len(places) > 2:
                    used = f"{node.id}, the reduction of one tile, is also used elsewhere"
                    raise refuted(_CLAIM, "accumulator-is-read", used)
                return Reduced(found.whole, found.calls, found.tile, found.casts, statement, node)
        combines = f"line {node.lineno} combines {self.name} with {node.id}"
        value = self.facts.values.get(node)
        if value is not None and value.op is Op.PART and value.operand.op is not Op.TUPLE:
            comes = (
                f"{combines}, which comes with an index, and of equal elements the same "
                "index must be found"
            )
            raise refuted(_CLAIM, "no-such-reduction", comes)
        raise refuted(_CLAIM, "not-a-recurrence", f"{combines}, which is not a reduction")

    def _is_read(self, node: ast.AST) -> Declined:
        line = getattr(node, "lineno", 0)
        text = f"line {line} uses {self.name} for more than combining it with reductions"
        return refuted(_CLAIM, "accumulator-is-read", text)


def _reduction(facts: KernelFacts, node: ast.expr) -> Reduced | None:
    """A reduction, with what only gives its result another type around it."""
    casts: list[ast.Call] = []
    calls: list[Reducing] = []
    inner = node
    while True:
        call = reducing(facts, inner)
        if call is not None:
            if calls and call.combining is not calls[0].combining:
                break
            calls.append(call)
            inner = call.operand
            continue
        value = facts.values.get(inner)
        if calls or value is None:
            break
        match inner:
            case ast.Call(func=ast.Attribute(value=below, attr="to")) if (
                value.op is Op.CAST and value.operand is facts.values.get(below)
            ):
                casts.append(inner)
                inner = below
            case _:
                break
    return Reduced(node, tuple(calls), inner, tuple(casts)) if calls else None


def combined_sides(
    facts: KernelFacts, node: ast.expr | ast.AugAssign
) -> tuple[Kind, Sequence[ast.expr]] | None:
    """An operation of two operands, and these; None where it is none that regroups."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            pass
        case ast.AugAssign(target=left, op=op, value=right):
            pass
        case ast.expr():
            return combining_call(facts, node)
    found = OPERATORS.get(type(op))
    return (found, [left, right]) if found is not None else None


def check_modes(facts: KernelFacts, node: ast.expr) -> None:
    """`tl.maximum` must drop NaN, as the reduction does."""
    if isinstance(node, ast.Call) and facts.values[node].attribute is not None:
        text = f"line {node.lineno} propagates NaN, and the reduction of a tile ignores it"
        raise refuted("accumulators-are-sums", "nan-is-propagated", text)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name

"""Whether a sweep whose sum is linear in what an earlier one gives may become part of it.

The earlier sweep then adds up the coefficients, and behind it they are put together.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.sweep_legality import check_accumulator, common_indicators
from tritonopt.emit.trip_guards import runs_always
from tritonopt.emit.writing import Writer, names_bound, names_read, reads_of
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.algebra.atoms import ceiling_division
from tritonopt.facts.algebra.counting import Lanes, end_of_mask
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.language import function
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import Op
from tritonopt.facts.precision import check_pins
from tritonopt.facts.reductions import (
    Accumulation,
    accumulation,
    full_sum,
    number_of,
    takes_extremes,
)
from tritonopt.source.trees import walk

# What an iteration adds, split by numbers that are known only behind the loop.
#
# `(lse - x) * p` is `lse * p - x * p`: of each product of such numbers the coefficient is code that
# an earlier loop can compute. Where both are large and alike, digits would cancel, so something is
# taken from both that is known in time: `(lse - largest) * p + (largest - x) * p`.

Split = Mapping[tuple[str, ...], ast.expr]
"""Coefficients by the later numbers, as code, that they are multiplied by; `()` for none."""


class NotLinear(Exception):
    """What is added is no sum of products with later numbers, each of which goes in once."""


@dataclass
class LaterNumbers:
    """Splits the expressions of a loop's body."""

    facts: KernelFacts
    is_later: Callable[[ast.expr], bool]
    """Whether a name or an expression of the loop is a number that is known only later."""
    close_to: Callable[[ast.expr], str]
    """A name for something close to such a number, which is known in time; "" where there is
    none."""
    differences: list[ast.expr] = field(default_factory=list)
    """Such numbers from which a tile is taken, or to which it is added."""
    names: dict[str, Split] = field(default_factory=dict)
    """Names of the loop that stand for something with a later number in it."""
    conditions: list[ast.expr] = field(default_factory=list)
    """Of each `tl.where` that has a later number in what it chooses from."""
    made: set[ast.expr] = field(default_factory=set)
    """Calls in the coefficients that are not the kernel's own."""
    _numbers: list[ast.expr] = field(default_factory=list)

    def has_any(self, node: ast.AST) -> bool:
        """Whether a later number goes into what is computed in a statement or an expression."""
        if isinstance(node, ast.AugAssign) and names_bound(node) & self.names.keys():
            return True
        names = (n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        return any(name.id in self.names or self.is_later(name) for name in names)

    def of(self, node: ast.expr) -> Split:
        """Raises NotLinear."""
        if not self.has_any(node):
            return {(): node}
        if self.is_later(node):
            self._numbers.append(node)
            return {(Writer(self.facts).operand(node),): ast.Constant(1.0)}
        match node:
            case ast.Name(id=name):
                return self.names[name]
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                if self.is_later(left) and not self.has_any(right):
                    return self._difference(left, right, op)
                if self.is_later(right) and not self.has_any(left):
                    split = self._difference(right, left, op)
                    negated = isinstance(op, ast.Sub)
                    return {m: _negative(c) for m, c in split.items()} if negated else split
                return _sum(self.of(left), self.of(right), op)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return _product(self.of(left), self.of(right))
            case ast.BinOp(left=left, op=ast.Div(), right=right) if not self.has_any(right):
                return {m: ast.BinOp(c, ast.Div(), right) for m, c in self.of(left).items()}
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return {m: _negative(c) for m, c in self.of(operand).items()}
            case ast.Call():
                return self._call(node)
        raise NotLinear

    def _difference(self, number: ast.expr, tile: ast.expr, op: ast.operator) -> Split:
        """`number - tile` or `number + tile`, with what is close to the number in both."""
        self.differences.append(number)
        self._numbers.append(number)
        writer, close = Writer(self.facts), self.close_to(number)
        if not close:
            rest = _negative(tile) if isinstance(op, ast.Sub) else tile
            return {(writer.operand(number),): ast.Constant(1.0), (): rest}
        rest = ast.BinOp(ast.Name(close, ast.Load()), op, tile)
        is_sum = isinstance(number, ast.BinOp) and isinstance(number.op, (ast.Add, ast.Sub))
        code = writer.text(number) if is_sum else writer.operand(number)
        return {(f"({code} - {close})",): ast.Constant(1.0), (): rest}

    def _call(self, call: ast.Call) -> Split:
        called = function(self.facts.kernel.module.resolve(call.func))
        match called, call.args:
            case "sum", [tile, *axis] if not any(map(self.has_any, axis)):
                split = self.of(tile)
                if any(self.facts.values[number].shape != () for number in self._numbers):
                    raise NotLinear  # with other axes than those of the sum
                return {
                    m: self._called(call, [self._as_wide(c, tile), *axis], call.keywords)
                    for m, c in split.items()
                }
            case "where", [condition, chosen, zero] if (
                not call.keywords and not self.has_any(condition) and self._is_zero(zero)
            ):
                self.conditions.append(condition)
                split = self.of(chosen)
                return {m: self._called(call, [condition, c, zero], []) for m, c in split.items()}
        raise NotLinear

    def _called(
        self, call: ast.Call, arguments: list[ast.expr], keywords: list[ast.keyword]
    ) -> ast.Call:
        made = ast.Call(call.func, arguments, keywords)
        self.made.add(made)
        return made

    def _is_zero(self, node: ast.expr) -> bool:
        value = self.facts.values.get(node)
        return value is not None and value.constant == 0

    def _as_wide(self, coefficient: ast.expr, tile: ast.expr) -> ast.expr:
        """The coefficient, if it has the lanes of what is summed. Raises NotLinear."""
        shape = self._shape(coefficient)
        if shape is None or shape != self.facts.values[tile].shape:
            raise NotLinear
        return coefficient

    def _shape(self, node: ast.expr) -> tuple[Value, ...] | None:
        value = self.facts.values.get(node)
        if value is not None:
            return value.shape
        match node:
            case ast.BinOp(left=left, right=right):
                return _broadcast(self._shape(left), self._shape(right))
            case ast.UnaryOp(operand=operand):
                return self._shape(operand)
            case ast.Call(args=[condition, chosen, _]):  # one that `_call` made
                return _broadcast(self._shape(condition), self._shape(chosen))
        return ()


def _broadcast(
    one: tuple[Value, ...] | None, other: tuple[Value, ...] | None
) -> tuple[Value, ...] | None:
    if one is None or other is None:
        return None
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    lead = len(longer) - len(shorter)
    pairs = zip(longer[lead:], shorter, strict=True)
    return (*longer[:lead], *(b if a.constant == 1 else a for a, b in pairs))


def _sum(one: Split, other: Split, op: ast.operator) -> Split:
    found = dict(one)
    for monomial, coefficient in other.items():
        mine = found.get(monomial)
        if mine is not None:
            found[monomial] = ast.BinOp(mine, op, coefficient)
        else:
            found[monomial] = coefficient if isinstance(op, ast.Add) else _negative(coefficient)
    return found


def _product(one: Split, other: Split) -> Split:
    found: dict[tuple[str, ...], ast.expr] = {}
    for mine, left in one.items():
        for theirs, right in other.items():
            monomial = (*mine, *theirs)
            if len(set(monomial)) < len(monomial) or monomial in found:
                raise NotLinear
            found[monomial] = _times(left, right)
    return found


def _times(left: ast.expr, right: ast.expr) -> ast.expr:
    if _is_one(left):
        return right
    return left if _is_one(right) else ast.BinOp(left, ast.Mult(), right)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _negative(node: ast.expr) -> ast.expr:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return operand
    return ast.UnaryOp(ast.USub(), node)


# What is close to a number that is known only later, and is known in time.
#
# The logarithm of a sum of exponentials is close to the maximum, and a maximum is known so far in
# every iteration. Whatever it is, taking it from both sides of a difference changes nothing but how
# many digits cancel.


@dataclass(frozen=True)
class Reference:
    """A maximum that goes into a number."""

    name: str
    """What the kernel calls it."""
    shape: tuple[Value, ...]
    is_running: bool
    """The first loop carries it, and it changes there."""
    may_be_infinite: bool = False
    """It starts with -inf."""


def reference_for(sweeps: TwoSweeps, number: ast.expr) -> Reference | None:
    """A maximum that a number of the second loop is a sum with.

    Where it is infinite, so is the number, or NaN.
    """
    for part, is_whole in _addends(sweeps.facts.values[number]):
        found = _maximum(sweeps, part)
        if found is not None and (is_whole or found.is_running):
            return found
    return None


def _addends(value: Value, is_whole: bool = True) -> Iterator[tuple[Value, bool]]:
    """What is added up in a value; of a part of which the largest lane is added that is said."""
    match value.op:
        case Op.ADD:
            for side in value.operands:
                yield from _addends(side, is_whole)
        case Op.SUB:
            yield from _addends(value.left, is_whole)
        case Op.INSERT_AXES:
            yield from _addends(value.operand, is_whole)
        case Op.REDUCE if value.reduction.name == "max":
            yield from _addends(value.operand, False)
        case Op.RESULT:
            yield value, is_whole


def _maximum(sweeps: TwoSweeps, value: Value) -> Reference | None:
    facts, first = sweeps.facts, sweeps.first
    loop, name = facts.loops[value.carrier.loop], value.carrier.name
    wide = facts.precision.is_wide(value)
    if not wide or value.shape is None or not takes_extremes(facts, loop, name):
        return None
    if loop is first:
        if not value.shape and value.dtype not in (None, "fp32"):
            return None  # a number of 64 bits that is 0 cannot be written
        start = number_of(loop.initial[name])
        return Reference(name, value.shape, True, start is None or math.isinf(start))
    changed = names_bound(first.node)
    for known, held in facts.before[first.node].items():
        if held is value and known not in changed:
            return Reference(known, value.shape, False)
    return None


# Which sums are linear, and why they may be divided so

_LATER = "accumulators-are-sums"


@dataclass(frozen=True)
class LinearSum:
    """A sum of the second loop, split by the numbers of the first one that go into it."""

    sweeps: TwoSweeps
    added: Accumulation
    update: ast.stmt
    """The statement that adds to it."""
    split: Split
    used_up: tuple[ast.stmt, ...]
    """Statements of the second loop with those numbers in them, which only the update reads."""
    conditions: tuple[ast.expr, ...]
    """Of each `tl.where` that turns lanes off in which one of those numbers is."""
    made: frozenset[ast.expr]
    """Calls in the coefficients that are not the kernel's own."""
    differences: tuple[ast.expr, ...]
    """Later numbers from which a tile is taken, or to which it is added."""
    reference: Reference | None
    """What is taken from both sides of such a difference, ..."""
    close: str
    """... and what the first loop calls it; "" where nothing is."""

    @property
    def facts(self) -> KernelFacts:
        return self.sweeps.facts

    @property
    def name(self) -> str:
        return self.added.name

    @property
    def may_be_empty(self) -> bool:
        """Whether the sweeps may have no iteration."""
        return not runs_always(self.facts, self.sweeps.first)


def linear_sum(sweeps: TwoSweeps, name: str, *, plain: bool) -> LinearSum | None:
    """What a second sweep adds to a name, if it is linear in numbers of the first loop.

    `plain` says that digits may cancel, so that nothing is taken from both sides of a difference.
    """
    facts = sweeps.facts
    try:
        added = accumulation(facts, facts.forms, sweeps.second, name)
    except TooLarge:
        return None
    if added is None or added.loops != (sweeps.second,):
        return None
    try:
        return _Body(sweeps, added, plain).linear()
    except NotLinear:
        return None


@dataclass(frozen=True)
class _Body:
    """The second loop, statement by statement."""

    sweeps: TwoSweeps
    added: Accumulation
    plain: bool

    @cached_property
    def _bound(self) -> set[str]:
        """The names that the second loop binds."""
        return names_bound(self.sweeps.second.node)

    @cached_property
    def _later(self) -> frozenset[str]:
        """Names that the second loop reads, and that have no such value in the first one."""
        facts, first, second = self.sweeps.facts, self.sweeps.first.node, self.sweeps.second.node
        early, late, changed = facts.before[first], facts.before[second], names_bound(first)
        read = names_read(second) - self._bound
        return frozenset(n for n in read if late.get(n) is not early.get(n) or n in changed)

    def _is_later(self, node: ast.expr) -> bool:
        facts = self.sweeps.facts
        names = {n.id for n in walk(node) if isinstance(n, ast.Name)}
        alone = names.isdisjoint(self._bound) and facts.effect_nodes.isdisjoint(walk(node))
        return alone and not names.isdisjoint(self._later)

    def linear(self) -> LinearSum | None:
        """Raises NotLinear."""
        own = Writer(self.sweeps.facts).fresh("reference")
        references: dict[str, Reference | None] = {}

        def close_to(number: ast.expr) -> str:
            found = None if self.plain else reference_for(self.sweeps, number)
            references.setdefault(ast.dump(number), found)
            if found is None:
                return ""
            if len(references) > 1:
                raise NotLinear
            return own if found.is_running else found.name

        numbers = LaterNumbers(self.sweeps.facts, self._is_later, close_to)
        used_up: list[ast.stmt] = []
        name, found = self.added.name, None
        for statement in self.sweeps.second.node.body:
            if name in names_bound(statement):
                if found is not None:
                    raise NotLinear
                found = statement, self._split(numbers, statement)
            elif numbers.has_any(statement):
                numbers.names.update(self._named(numbers, statement))
                used_up.append(statement)
            else:
                for bound in names_bound(statement):
                    numbers.names.pop(bound, None)
        if found is None or not any(found[1]):
            return None
        update, split = found
        return LinearSum(
            self.sweeps,
            self.added,
            update,
            split,
            tuple(used_up),
            tuple(numbers.conditions),
            frozenset(numbers.made),
            tuple(numbers.differences),
            next(iter(references.values()), None),
            own,
        )

    def _split(self, numbers: LaterNumbers, update: ast.stmt) -> Split:
        name = self.added.name
        match update:
            case ast.AugAssign(op=ast.Add(), value=value):
                pass
            case ast.Assign(value=ast.BinOp(left=ast.Name(id=n), op=ast.Add(), right=value)):
                if n != name:
                    raise NotLinear
            case ast.AugAssign(op=ast.Sub(), value=value):
                value = ast.UnaryOp(ast.USub(), value)
            case _:
                raise NotLinear
        if reads_of(value, name):
            raise NotLinear
        return numbers.of(value)

    def _named(self, numbers: LaterNumbers, statement: ast.stmt) -> dict[str, Split]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return {name: numbers.of(value)}
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                own = ast.copy_location(ast.Name(name, ast.Load()), target)
                return {name: numbers.of(ast.BinOp(own, op, value))}
        raise NotLinear


def prove_linear(sum_: LinearSum, attempt: Attempt, *, plain: bool) -> None:
    """Goes through the conditions. Raises Declined at the first that does not hold."""
    sweeps, facts, name = sum_.sweeps, sum_.facts, sum_.name
    sweeps.check_path(attempt)
    sweeps.check_ranges(attempt, [sweeps.first], [sweeps.second], lambda loop: None)
    _check_counters(sweeps)
    check_accumulator(facts.forms, sum_.added)
    attempt.prove("accumulators-are-sums", f"{name} starts at 0, in fp32 or wider")
    _check_statements(sum_)
    later = ", ".join(sorted({number for monomial in sum_.split for number in monomial}))
    attempt.prove(_LATER, f"it is made of products with {later} and of a rest")
    _check_digits(sum_, attempt, plain=plain)
    detail = "what is added up is one product of several now, which may be larger than all of them"
    attempt.assume("rounding-is-free", detail)
    _check_rounding(sum_, attempt)
    _check_lanes(sum_, attempt)
    _check_full_sum(sum_, attempt)
    sweeps.check_memory(attempt)
    sweeps.check_rest(attempt, name)
    check_pins(attempt, facts)


def _check_counters(sweeps: TwoSweeps) -> None:
    """The two loops must count with the same numbers."""
    forms = sweeps.facts.forms
    for one, other in (
        (sweeps.first.start, sweeps.second.start),
        (sweeps.first.step, sweeps.second.step),
    ):
        if one is None or other is None or forms.of(one) != forms.of(other):
            where = f"the loops in lines {sweeps.first.line} and {sweeps.second.line}"
            raise refuted("same-range", "different-range", f"{where} run over different numbers")
    for loop in (sweeps.first, sweeps.second):
        node = loop.node
        target = node.target if isinstance(node, ast.For) else None
        bound = {n for s in node.body for n in names_bound(s)}
        if not isinstance(target, ast.Name) or target.id in bound:
            detail = f"the loop in line {loop.line} does not have one induction variable of its own"
            raise unknown("same-range", "loop-is-not-plain", detail)


def _check_statements(sum_: LinearSum) -> None:
    """Each iteration of the second loop must stand for itself, and be plain."""
    second = sum_.sweeps.second
    more = set(second.carried) - {sum_.name}
    if more:
        detail = f"the second loop carries {min(more)} from iteration to iteration too"
        raise refuted("nothing-else-is-lost", "loop-does-more", detail)
    for statement in second.node.body:
        nodes = list(walk(statement))
        plain = isinstance(statement, (ast.Assign, ast.AugAssign, ast.If)) and not any(
            isinstance(n, (ast.For, ast.While, ast.NamedExpr, ast.Break, ast.Continue))
            for n in nodes
        )
        known = all(is_constexpr(sum_.facts, n.test) for n in nodes if isinstance(n, ast.If))
        if not plain or not known:
            detail = f"line {statement.lineno} does more than compute the sum"
            raise unknown("nothing-else-is-lost", "loop-does-more", detail)


def _check_rounding(sum_: LinearSum, attempt: Attempt) -> None:
    """The coefficients must not be computed in a narrower type than what is added."""
    for leaf in _leaves(sum_):
        if not _is_wide(sum_.facts, sum_.facts.values[leaf]):
            text = Writer(sum_.facts).text(leaf)
            detail = f"{text} in line {leaf.lineno} may have 16 bits, or not be a float"
            raise unknown("rounding-is-free", "rounded-differently", detail)
    attempt.prove("rounding-is-free", "factors have 32 bits or more")


def _is_wide(facts: KernelFacts, value: Value) -> bool:
    """Whether a value is of floats of 32 bits or more, a flag or a number of the kernel's."""
    if value.op is Op.PHI:
        return _is_wide(facts, value.then) and _is_wide(facts, value.other)
    if value.op is Op.INSERT_AXES:
        return _is_wide(facts, value.operand)
    if facts.precision.is_wide(value) or value.dtype in ("bool", "int1"):
        return True
    return value.shape == () and value.dtype in ("int", "float", "int32", "int64", None)


def _leaves(sum_: LinearSum) -> Iterator[ast.expr]:
    """The kernel's own expressions that the coefficients are made of."""
    todo: list[ast.AST] = [*sum_.split.values()]
    while todo:
        node = todo.pop()
        match node:
            case ast.BinOp(left=left, right=right):
                todo += [left, right]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                todo.append(operand)
            case ast.Call(args=[first, *others]) if node in sum_.made:
                todo += others[:1] if len(others) == 2 else [first]
            case ast.expr() if node in sum_.facts.values:
                yield node


def _check_lanes(sum_: LinearSum, attempt: Attempt) -> None:
    """Where no lane is on nothing is added, whatever the later numbers are."""
    claim = "sizes-are-positive"
    for condition in sum_.conditions:
        if not _is_on_somewhere(sum_, condition):
            text = Writer(sum_.facts).text(condition)
            detail = (
                f"where `{text}` in line {condition.lineno} is false throughout, nothing is added "
                "even if what is subtracted is not a number"
            )
            raise unknown(claim, "masked-off-lanes-count", detail)
    attempt.prove(claim, "an empty row adds nothing, and every other row has an active lane")


def _check_full_sum(sum_: LinearSum, attempt: Attempt) -> None:
    """Where a number is infinite, more lanes may be than were: only their sum may be used."""
    axes = full_sum(sum_.sweeps, sum_.added).axes
    claim = "nothing-else-is-lost"
    if not axes:
        raise refuted(claim, "accumulator-is-read", f"{sum_.name} adds up no tile")
    attempt.prove(claim, f"the lanes of {sum_.name} are summed")


def _check_digits(sum_: LinearSum, attempt: Attempt, *, plain: bool) -> None:
    """What is multiplied out must not cancel, unless that is what was asked for."""
    claim = "rounding-is-free"
    if plain or not sum_.differences:
        said = "as the option says" if plain else "nothing is subtracted"
        attempt.prove(claim, said)
        return
    reference = sum_.reference
    if reference is None:
        text = Writer(sum_.facts).text(sum_.differences[0])
        detail = f"no value near {text} is known in the first loop"
        raise unknown(claim, "digits-may-cancel", detail)
    own = reference.shape == () or (reference.shape == sum_.added.shape and not sum_.added.axes)
    alone = all(len(monomial) < 2 for monomial in sum_.split)
    if not own or not alone:
        detail = f"{reference.name} has other axes than {sum_.name}, or is multiplied once more"
        raise unknown(claim, "digits-may-cancel", detail)
    attempt.prove(claim, f"{reference.name} is taken from both sides of each difference")


def _is_on_somewhere(sum_: LinearSum, condition: ast.expr) -> bool:
    """Whether a condition holds for some lane in every iteration: it masks the end of the row."""
    facts, loop = sum_.facts, sum_.sweeps.second
    value: Value = facts.values[condition]
    mask = common_indicators(facts.forms.condition(value))
    shape = value.shape or ()
    lanes = [Lanes(len(shape) - 1 - i, facts.forms.of(e)) for i, e in enumerate(shape)]
    end = end_of_mask(facts, mask, loop, lanes)
    count = facts.forms.trip_count(loop)
    return len(mask) == 1 and end is not None and count == ceiling_division(*end)

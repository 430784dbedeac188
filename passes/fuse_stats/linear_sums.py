"""Whether a sweep whose sum is linear in what an earlier one gives may become part of it.

The earlier sweep then adds up the coefficients, and behind it they are put together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
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
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import Op
from tritonopt.facts.precision import check_pins
from tritonopt.facts.reductions import Accumulation, accumulation, full_sum
from tritonopt.passes.fuse_stats.later_numbers import LaterNumbers, NotLinear, Split
from tritonopt.passes.fuse_stats.references import Reference, reference_for
from tritonopt.source.trees import walk

_LATER = "accumulators-are-sums"


@dataclass(frozen=True)
class LinearSum:
    """A sum of the second sweep, split by the numbers of the first one that go into it."""

    sweeps: TwoSweeps
    added: Accumulation
    update: ast.stmt
    """The statement that adds to it."""
    split: Split
    used_up: tuple[ast.stmt, ...]
    """Statements of the second sweep with those numbers in them, which only the update reads."""
    conditions: tuple[ast.expr, ...]
    """Of each `tl.where` that turns lanes off in which one of those numbers is."""
    made: frozenset[ast.expr]
    """Calls in the coefficients that are not the kernel's own."""
    differences: tuple[ast.expr, ...]
    """Later numbers from which a tile is taken, or to which it is added."""
    reference: Reference | None
    """What is taken from both sides of such a difference, ..."""
    close: str
    """... and what the first sweep calls it; "" where nothing is."""

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
    """What a second sweep adds to a name, if it is linear in numbers of the first sweep.

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
    """The second sweep, statement by statement."""

    sweeps: TwoSweeps
    added: Accumulation
    plain: bool

    @cached_property
    def _bound(self) -> set[str]:
        """The names that the second sweep binds."""
        return names_bound(self.sweeps.second.node)

    @cached_property
    def _later(self) -> frozenset[str]:
        """Names that the second sweep reads, and that have no such value in the first one."""
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
            raise refuted("same-range", "different-range", f"{where} count with other numbers")
    for loop in (sweeps.first, sweeps.second):
        node = loop.node
        target = node.target if isinstance(node, ast.For) else None
        bound = {n for s in node.body for n in names_bound(s)}
        if not isinstance(target, ast.Name) or target.id in bound:
            detail = f"the loop in line {loop.line} does not count with one name of its own"
            raise unknown("same-range", "loop-is-not-plain", detail)


def _check_statements(sum_: LinearSum) -> None:
    """Each iteration of the second sweep must stand for itself, and be plain."""
    second = sum_.sweeps.second
    more = set(second.carried) - {sum_.name}
    if more:
        detail = f"the second sweep carries {min(more)} from iteration to iteration too"
        raise refuted("nothing-else-is-lost", "loop-does-more", detail)
    for statement in second.node.body:
        nodes = list(walk(statement))
        plain = isinstance(statement, (ast.Assign, ast.AugAssign, ast.If)) and not any(
            isinstance(n, (ast.For, ast.While, ast.NamedExpr, ast.Break, ast.Continue))
            for n in nodes
        )
        known = all(is_constexpr(sum_.facts, n.test) for n in nodes if isinstance(n, ast.If))
        if not plain or not known:
            detail = f"line {statement.lineno} does more than to compute something for the sum"
            raise unknown("nothing-else-is-lost", "loop-does-more", detail)


def _check_rounding(sum_: LinearSum, attempt: Attempt) -> None:
    """The coefficients must not be computed in a narrower type than what is added."""
    for leaf in _leaves(sum_):
        if not _is_wide(sum_.facts, sum_.facts.values[leaf]):
            text = Writer(sum_.facts).text(leaf)
            detail = f"{text} in line {leaf.lineno} may be of 16 bits, or no float"
            raise unknown("rounding-is-free", "rounded-differently", detail)
    attempt.prove("rounding-is-free", "what is multiplied is in 32 bits or more")


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
                "even if what is subtracted is no number"
            )
            raise unknown(claim, "masked-off-lanes-count", detail)
    attempt.prove(claim, "a row of no elements adds nothing, and a lane is on in any other one")


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
        said = "as was asked for" if plain else "nothing is subtracted"
        attempt.prove(claim, said)
        return
    reference = sum_.reference
    if reference is None:
        text = Writer(sum_.facts).text(sum_.differences[0])
        detail = f"nothing that is close to {text} is known in the first sweep"
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

"""What one iteration computes, read as what one lane computes.

An operation on single elements means the same on tiles of them, lane by lane, if it is known to be
of that kind. What depends on the iteration and chooses a way, an `if`, becomes a mask.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import function, is_lane_by_lane
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reduction_calls import check_modes, combined_sides, mentions
from tritonopt.passes.scalar_loop.scalar_loops import ScalarLoop
from tritonopt.source.trees import walk

CLAIM = "iterations-are-independent"

_OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod),
    *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift),
)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_FUNCTIONS = frozenset({"where", "minimum", "maximum", "cast", "cdiv", "load"})


@dataclass(frozen=True)
class Branch:
    """One way through an `if` that each lane asks for itself."""

    node: ast.If
    holds: bool


@dataclass(frozen=True)
class Step:
    """A statement of the body that is no `if` of the lanes, and the ways that lead to it."""

    node: ast.stmt
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Body:
    """The body of a loop whose lanes all do the same."""

    loop: ScalarLoop
    steps: tuple[Step, ...]
    questions: tuple[ast.If, ...]
    """The `if`s that become masks, in source order."""


def read_body(loop: ScalarLoop) -> Body:
    """Raises Declined where something cannot be done lane by lane."""
    reader = _Reader(loop)
    steps = tuple(reader.steps(loop.node.body, ()))
    return Body(loop, steps, tuple(reader.questions))


def is_surely(facts: KernelFacts, value: Value, kinds: frozenset[str]) -> bool:
    """Whether a value is of one of these types whatever the kernel is launched with."""
    types = facts.types.of(value)
    return types.all_in(kinds) and not types.by_launch


class _Reader:
    def __init__(self, loop: ScalarLoop) -> None:
        self._loop = loop
        self._facts = loop.facts
        self._values = loop.facts.values
        self._effects = {effect.node: effect for effect in loop.effects}
        self.questions: list[ast.If] = []

    def steps(self, block: Sequence[ast.stmt], branches: tuple[Branch, ...]) -> Iterator[Step]:
        for statement in block:
            match statement:
                case ast.If():
                    yield from self._branches(statement, branches)
                    continue
                case ast.Assign(targets=[ast.Name()], value=value):
                    self._check(value, bool(branches))
                case ast.AugAssign(target=ast.Name(), value=value, op=op):
                    self._check_operator(op, value)
                    self._check(value, bool(branches))
                    self._check_divisor(op, value, bool(branches))
                case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
                    if self._loop.is_lane_at(value):
                        raise self._not_understood(statement)
                case ast.Expr(value=ast.Call() as call):
                    self._check_write(call, bool(branches))
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    raise self._not_understood(statement)
            yield Step(statement, branches)

    # Branches

    def _branches(self, statement: ast.If, branches: tuple[Branch, ...]) -> Iterator[Step]:
        if not self._loop.is_lane_at(statement.test):
            text = (
                f"line {statement.lineno} tests the same condition in every iteration: "
                "test it before the loop"
            )
            raise unknown(CLAIM, "shapes-differ", text)
        self._check_condition(statement.test, bool(branches))
        self.questions.append(statement)
        for block, holds in ((statement.body, True), (statement.orelse, False)):
            yield from self.steps(block, (*branches, Branch(statement, holds)))

    def _check_condition(self, node: ast.expr, masked: bool) -> None:
        """What a mask is made of: comparisons, `and`, `or`, `not`."""
        match node:
            case ast.BoolOp(values=values):
                for value in values:
                    self._check_condition(value, masked)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._check_condition(operand, masked)
            case _:
                self._check(node, masked)
                if self._values[node].dtype == "bool" or self._loop.is_lane_at(node):
                    return
                raise self._not_lane_by_lane(node)

    # Expressions

    def _check(self, node: ast.expr, masked: bool) -> None:
        """Whether an expression is computed lane by lane; `masked` is under a lane's own `if`."""
        value = self._values.get(node)
        if value is None:
            raise self._not_understood(node)
        if not self._loop.is_lane(value):
            if masked and any(n in self._effects for n in walk(node)):
                text = f"line {node.lineno} loads one element for all lanes, in some of them only"
                raise unknown(CLAIM, "not-lane-by-lane", text)
            if any(isinstance(n, ast.NamedExpr) for n in walk(node)):
                raise self._not_understood(node)
            if value.shape != () and not isinstance(node, ast.Attribute):
                self._check_not_a_tile(node, value)
            return
        if value.shape != () and not isinstance(node, (ast.Call, ast.Attribute)):
            self._check_not_a_tile(node, value)
        match node:
            case ast.Name() | ast.Constant():
                pass
            case ast.BinOp(left=left, op=op, right=right):
                self._check_operator(op, right)
                self._check(left, masked)
                self._check(right, masked)
                self._check_divisor(op, right, masked)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
                self._check(operand, masked)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(
                op, _COMPARISONS
            ):
                self._check(left, masked)
                self._check(right, masked)
            case ast.IfExp(test=test, body=then, orelse=other):
                self._check_choice(node)
                for part in (then, other):
                    self._check(part, masked)
                if self._loop.is_lane_at(test):
                    self._check_condition(test, masked)
            case ast.Call():
                self._check_call(node, value, masked)
            case ast.Attribute(value=ast.Name(), attr="dtype"):
                pass
            case _:
                raise self._not_lane_by_lane(node)

    def _check_not_a_tile(self, node: ast.expr, value: Value) -> None:
        if value.shape != () and value.op not in (Op.DTYPE, Op.ATTRIBUTE):
            text = f"line {node.lineno} computes a value of unknown shape"
            raise unknown(CLAIM, "not-lane-by-lane", text)

    def _check_operator(self, op: ast.operator, right: ast.expr) -> None:
        if not isinstance(op, _OPERATORS):
            raise self._not_lane_by_lane(right)

    def _check_divisor(self, op: ast.operator, divisor: ast.expr, masked: bool) -> None:
        """A lane that is masked off divides too."""
        if not isinstance(op, (ast.FloorDiv, ast.Mod)):
            return
        value, forms = self._values[divisor], self._facts.forms
        if not masked and not self._loop.is_lane(value):
            return
        form = forms.of(value)
        number = form.constant_value
        if number == 0 or (number is None and not forms.is_positive(form)):
            text = f"line {divisor.lineno} may divide by zero in an inactive lane"
            raise unknown(CLAIM, "may-divide-by-zero", text)

    def _check_choice(self, node: ast.IfExp) -> None:
        """`a if c else b` is computed on both sides, so that neither may load."""
        if is_constexpr(self._facts, node.test):
            return
        if any(n in self._effects for n in walk(node)):
            text = f"line {node.lineno} loads in one branch only"
            raise unknown(CLAIM, "not-lane-by-lane", text)
        for part in (node.body, node.orelse):
            self._check(part, True)

    def _check_call(self, node: ast.Call, value: Value, masked: bool) -> None:
        module = self._facts.kernel.module
        name = function(module.resolve(node.func))
        arguments = [*node.args, *(k.value for k in node.keywords)]
        if not name and isinstance(node.func, ast.Attribute) and value.op is Op.CAST:
            arguments.insert(0, node.func.value)
            name = "cast"
        if name == "cast" and value.op is not Op.CAST:
            raise self._not_lane_by_lane(node)
        if not (name in _FUNCTIONS or is_lane_by_lane(name)):
            raise self._not_lane_by_lane(node)
        if name == "load":
            self._check_load(node, self._effects.get(node))
        else:
            self._check_not_a_tile(node, value)
        if name == "cdiv":
            self._check_divisor(ast.FloorDiv(), node.args[1], masked)
        for argument in arguments:
            if isinstance(argument, ast.Starred):
                raise self._not_lane_by_lane(node)
            if self._values[argument].op is not Op.DTYPE:
                self._check(argument, masked)

    def _check_load(self, node: ast.Call, effect: Effect | None) -> None:
        if effect is None or effect.kind is not EffectKind.LOAD or effect.pointer is None:
            raise self._not_understood(node)
        if effect.volatile:
            raise refuted(CLAIM, "volatile-load", f"the load in line {node.lineno} is volatile")
        if not self._loop.is_lane(effect.pointer):
            text = f"line {node.lineno} loads one element repeatedly, under another mask"
            raise unknown(CLAIM, "not-lane-by-lane", text)
        if effect.pointer.shape != ():
            text = f"line {node.lineno} loads a value of unknown shape"
            raise unknown(CLAIM, "not-lane-by-lane", text)
        self._check_mask(effect)

    def _check_mask(self, effect: Effect) -> None:
        mask = effect.mask
        if mask is not None and not mask.is_none and mask.dtype != "bool":
            text = f"the mask in line {effect.line} may be None, or not boolean"
            raise unknown(CLAIM, "not-lane-by-lane", text)

    def _check_write(self, call: ast.Call, masked: bool) -> None:
        effect = self._effects.get(call)
        if effect is None or effect.pointer is None or effect.kind is not EffectKind.STORE:
            raise self._not_understood(call)
        if effect.pointer.shape != () or not self._loop.is_lane(effect.pointer):
            text = f"line {call.lineno} writes to one element in every iteration"
            raise refuted("iterations-are-independent", "dependence-between-iterations", text)
        self._check_mask(effect)
        for argument in (*call.args, *(k.value for k in call.keywords)):
            self._check(argument, masked)

    # What is said

    def _not_understood(self, node: ast.AST) -> Declined:
        text = f"line {getattr(node, 'lineno', 0)} is not understood"
        return unknown(CLAIM, "opaque-value", text)

    def _not_lane_by_lane(self, node: ast.expr) -> Declined:
        text = f"it is not known whether line {node.lineno} can be computed lane by lane"
        return unknown(CLAIM, "not-lane-by-lane", text)


# What a statement of an iteration does to a name that the loop carries

SUMS = "accumulators-are-sums"


@dataclass(frozen=True)
class LaneUpdate:
    """One statement, `total += x` or `best = x`, and when it is done."""

    step: Step
    own: tuple[ast.Name, ...]
    """Where the name stands in what it becomes, and where it is bound."""
    term: ast.expr
    """What the name is combined with, or bound to; of several, all that it becomes."""
    combining: Kind | None = None
    """None where the name is bound to the term."""
    plain: bool = False
    """Whether the term is all that it is combined with, under no condition of its own."""
    condition: ast.expr | None = None
    """Of `tl.where(c, term, name)` and `term if c else name`."""

    @property
    def tests(self) -> tuple[ast.expr, ...]:
        tests = tuple(branch.node.test for branch in self.step.branches)
        return tests if self.condition is None else (*tests, self.condition)


def updates_of_lanes(body: Body, name: str) -> tuple[LaneUpdate, ...]:
    """Every update of a name. Raises Declined where it is no combination and no choice."""
    reader = _UpdateReader(body.loop.facts, name)
    return tuple(
        reader.update(step)
        for step in body.steps
        if any(not isinstance(place.ctx, ast.Load) for place in mentions(step.node, name))
    )


def recurrence(name: str, node: ast.AST) -> Declined:
    line = getattr(node, "lineno", 0)
    text = f"line {line} needs {name} from the previous iteration"
    return refuted(SUMS, "not-a-recurrence", text)


@dataclass(frozen=True)
class _UpdateReader:
    facts: KernelFacts
    name: str

    def update(self, step: Step) -> LaneUpdate:
        match step.node:
            case ast.AugAssign(target=ast.Name() as target, value=value):
                found = combined_sides(self.facts, step.node)
                if found is None or any(mentions(value, self.name)):
                    raise recurrence(self.name, step.node)
                return LaneUpdate(step, (target,), value, found[0], plain=True)
            case ast.Assign(targets=[ast.Name() as target], value=value):
                found_update = self._assigned(step, value)
                return replace(found_update, own=(target, *found_update.own))
        raise recurrence(self.name, step.node)

    def _assigned(self, step: Step, value: ast.expr) -> LaneUpdate:
        if not any(mentions(value, self.name)):
            return LaneUpdate(step, (), value)
        choice = choice_of(self.facts, value)
        if choice is None:
            own, combining, terms = self._spine(step, value, None)
            alone = len(terms) == 1
            return LaneUpdate(step, (own,), terms[0] if alone else value, combining, alone)
        condition, then, other = choice
        kept = isinstance(other, ast.Name) and other.id == self.name
        if not kept or any(mentions(then, self.name)):
            raise recurrence(self.name, step.node)
        assert isinstance(other, ast.Name)
        return LaneUpdate(step, (other,), then, condition=condition)

    def _spine(
        self, step: Step, node: ast.expr, combining: Kind | None
    ) -> tuple[ast.Name, Kind, list[ast.expr]]:
        """`total + a + b`: where the name stands, the operation, and what comes to it."""
        found = combined_sides(self.facts, node)
        if found is None or combining not in (None, found[0]):
            raise recurrence(self.name, step.node)
        combining, sides = found
        own = [side for side in sides if any(mentions(side, self.name))]
        rest = [side for side in sides if side not in own]
        subtracts = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        if len(own) != 1 or (subtracts and own[0] is not sides[0]):
            raise recurrence(self.name, step.node)
        check_modes(self.facts, node)
        if isinstance(own[0], ast.Name):
            return own[0], combining, rest
        inner, _, more = self._spine(step, own[0], combining)
        return inner, combining, [*more, *rest]


def choice_of(facts: KernelFacts, node: ast.expr) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    """The condition and both sides of `tl.where(c, a, b)` and `a if c else b`."""
    value = facts.values.get(node)
    match node:
        case ast.IfExp(test=test, body=then, orelse=other):
            return test, then, other
        case ast.Call(args=[condition, then, other], keywords=[]) if (
            value is not None and value.op is Op.WHERE
        ):
            return condition, then, other
    return None

"""What each of several programs may find of what a loop accumulates, so that it can be combined.

Each of them goes through some of the iterations, from the start that the loop has.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Safety, refuted, unknown
from tritonopt.facts.dtypes import BOOLEANS, INTEGERS, SOME_FLOAT, SOME_INTEGER
from tritonopt.facts.effects import Loop
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import NUMERIC, Kind
from tritonopt.facts.recurrences.reading import Coupled, Recurrence, RecurrenceReader
from tritonopt.facts.recurrences.reduction_calls import reducing
from tritonopt.facts.values import FLOAT_BITS, Value
from tritonopt.source.trees import walk

TYPES: Mapping[str, str] = {
    "fp32": "float32",
    "fp64": "float64",
    "int32": "int32",
    "int64": "int64",
}
"""Of partial results, as torch calls them: what is stored and loaded again is what it was, and
there are atomics of all kinds."""
_SUMS, _COMBINED = "accumulators-are-sums", "accumulators-can-be-combined"


@dataclass(frozen=True)
class Partial:
    """What one program finds for a name to which the iterations bring something."""

    recurrence: Recurrence
    dtype: str
    reduction: ast.Call | None
    """How the name is reduced after the loop, where nothing else is done with it."""
    shape: tuple[Value, ...]
    """Of the name, or of its reduction."""
    axis: int
    """Along which the name is reduced; 0 where it is not."""

    @property
    def name(self) -> str:
        return self.recurrence.name

    @property
    def rounds(self) -> bool:
        """Whether the order matters: to a sum of floats, or to which of two zeros is largest."""
        sums = self.recurrence.kind.rounds and self.dtype in FLOAT_BITS
        return sums or self.recurrence.chosen


def partials_of(
    facts: KernelFacts,
    loop: Loop,
    read: Collection[str],
    advancing: Collection[str],
    attempt: Attempt,
) -> tuple[Partial, ...]:
    """Those of the names that are read after the loop, and of the extremes that these belong to.

    They come in the order in which the loop binds them; what is brought may rest on the names that
    are `advancing`. Raises Declined.
    """
    reader = RecurrenceReader(facts, loop, advancing, NUMERIC)
    return _Partials(facts, loop, attempt, reader).of_all(read)


@dataclass(frozen=True)
class _Partials:
    facts: KernelFacts
    loop: Loop
    attempt: Attempt
    reader: RecurrenceReader

    @cached_property
    def _extremes(self) -> Mapping[str, Coupled]:
        """The extreme that a name belongs to, where it is coupled with one."""
        loop = self.loop
        changed = [n for n, own in loop.carried.items() if loop.following[n] is not own]
        found = {name: self.reader.extreme_of(name) for name in changed}
        return {name: extreme for name, extreme in found.items() if extreme is not None}

    def of_all(self, read: Collection[str]) -> tuple[Partial, ...]:
        loop, extremes = self.loop, self._extremes
        found = {n for n in read if loop.following[n] is not loop.carried[n]}
        found |= {extremes[name].name for name in found & extremes.keys()}
        if not found:
            text = f"nothing that the loop in line {loop.line} carries is read after it"
            raise refuted(_SUMS, "no-such-reduction", text)
        names = [n for n in walk(loop.node) if isinstance(n, ast.Name) and n.id in found]
        bound = [n for n in names if isinstance(n.ctx, ast.Store)]
        bound.sort(key=lambda n: (n.lineno, n.col_offset))
        return tuple(map(self._of, dict.fromkeys(n.id for n in bound)))

    def _of(self, name: str) -> Partial:
        found = self.reader.recurrence(name)
        if found.extreme is not None or found.chosen:
            self._check_is_number(found.extreme.name if found.extreme is not None else name)
        dtype = self._dtype(name)
        is_index = found.extreme is not None and not found.extreme.exponential
        # An index is the same in all programs where nothing is found, and to take in the same
        # number several times changes no extreme.
        if not is_index and not found.kind.repeats and self._start(name) != 0:
            text = f"{name} does not start at 0, and would be added once for each program"
            raise refuted(_COMBINED, "accumulator-starts-elsewhere", text)
        shape, axis, reduction = self._shape(name), 0, None
        coupled = {*self._extremes, *(e.name for e in self._extremes.values())}
        if shape and name not in coupled:
            reduction = reduction_after(self.facts, self.loop, name, found.kind)
        if reduction is not None:
            axes = self.facts.values[reduction].reduction.axes
            shape, axis = tuple(e for n, e in enumerate(shape) if n not in axes), axes[0]
        if len(shape) > 1:
            text = f"{name} has two-axis tiles, which would be large to combine"
            raise refuted(_COMBINED, "shapes-differ", text)
        return Partial(found, dtype, reduction, shape, axis)

    def _start(self, name: str) -> object:
        """The number that it begins with; None where that is not seen."""
        initial = self.loop.initial[name]
        return (initial.operand if initial.op is Op.FULL else initial).constant

    def _check_is_number(self, name: str) -> None:
        """What is compared begins with a number: NaN would be no less than any element."""
        number = self._start(name)
        if not isinstance(number, (int, float)) or math.isnan(number):
            text = f"the first value of {name} may be NaN"
            raise unknown(_COMBINED, "accumulator-starts-elsewhere", text)
        sums = [e for e in self._extremes.values() if e.name == name and e.exponential]
        claim, said = "infinite-rows-are-the-same", self.attempt.conditions
        below = not all(e.guarded for e in sums) and math.isinf(number)
        if below and all(c.claim != claim for c in said):
            text = f"we assume that no tile has only -inf, where {name} would be NaN"
            self.attempt.assume(claim, text)
            self.attempt.need(Safety.ASSUMPTION)

    def _shape(self, name: str) -> tuple[Value, ...]:
        loop, extreme = self.loop, self._extremes.get(name)
        shape, first = loop.carried[name].shape, loop.initial[name].shape
        if shape is None and (extreme or any(e.name == name for e in self._extremes.values())):
            shape = first  # the compiler sees to it that it stays so
        if extreme is not None and self._shape(extreme.name) != shape:
            raise refuted(_COMBINED, "shapes-differ", f"{name} and {extreme.name} differ in shape")
        if shape is None or first != shape:
            raise unknown(_COMBINED, "shapes-differ", f"the shape of {name} is not known")
        if any(loop.identity in self.facts.interpretation.variant_loops(e) for e in shape):
            raise refuted(_COMBINED, "shapes-differ", f"{name} has another size in each iteration")
        return shape

    def _dtype(self, name: str) -> str:
        types = self.facts.types.of(self.loop.carried[name])
        dtype = next(iter(types.seen)) if len(types.seen) == 1 else SOME_FLOAT
        if not types.complete or types.by_launch or dtype in (SOME_FLOAT, SOME_INTEGER):
            raise unknown(_COMBINED, "type-is-unknown", f"the type of {name} is not known")
        if dtype not in TYPES:
            raise refuted(_COMBINED, "accumulator-is-narrow", f"{name} is {dtype}")
        brought = self.facts.types.of(self.loop.following[name])
        whole = name in self._extremes or brought.all_in(INTEGERS | BOOLEANS)
        if self.loop.initial[name].dtype == "int" and not whole:
            # A loop that begins with 0 and adds floats runs in the interpreter, and sums them.
            text = f"the addend of {name}, which is {dtype}, may be a float"
            raise unknown(_COMBINED, "type-is-unknown", text)
        return dtype


def statements_after(facts: KernelFacts, loop: Loop) -> list[ast.stmt]:
    """The statements after a loop of the kernel's own block."""
    body = facts.kernel.node.body
    return body[body.index(loop.node) + 1 :]


def reads_after(facts: KernelFacts, loop: Loop, name: str) -> list[ast.Name]:
    """Where a name is read as the loop left it, `name += ...` included."""
    return [
        node
        for statement in statements_after(facts, loop)
        for node in _reads(facts, loop, statement, {name})
    ]


def _reads(
    facts: KernelFacts, loop: Loop, part: ast.AST, names: Collection[str]
) -> Iterator[ast.Name]:
    nodes = walk(part)
    updated = {n.target for n in nodes if isinstance(n, ast.AugAssign)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names:
            value, result = facts.values.get(node), loop.result.get(node.id)
            left = value is None or result is None or _may_be(facts, value, result)
            if node in updated or (left and isinstance(node.ctx, ast.Load)):
                yield node


def _may_be(facts: KernelFacts, value: Value, result: Value) -> bool:
    """Whether it is what a loop left, on some way through the branches and loops after it."""
    todo, seen = [value], set[Value]()
    while todo:
        part = todo.pop()
        if part is result:
            return True
        if part in seen:
            continue
        seen.add(part)
        if part.op in (Op.PHI, Op.WHERE):
            todo += [part.then, part.other]
        elif part.op is Op.IN_BRANCH:
            todo += part.operands
        elif part.op in (Op.CARRIED, Op.RESULT):
            other, name = facts.loops[part.carrier.loop], part.carrier.name
            todo += [ends[name] for ends in (other.initial, other.following) if name in ends]
    return False


def check_last_values(facts: KernelFacts, loop: Loop, names: Set[str]) -> None:
    """None of the names is read after the last iteration. Raises Declined."""
    _check_block(facts, loop, statements_after(facts, loop), names)


def _check_block(
    facts: KernelFacts, loop: Loop, block: Sequence[ast.stmt], names: Set[str]
) -> None:
    for statement in block:
        part: ast.AST = statement.iter if isinstance(statement, ast.For) else statement
        for node in _reads(facts, loop, part, names):
            text = f"line {node.lineno} reads {node.id} after the last iteration"
            raise refuted("accumulators-are-sums", "last-value-is-used", text)
        if isinstance(statement, ast.For):
            inside = [*statement.body, *statement.orelse]
            _check_block(facts, loop, inside, names - _names(statement.target))
        elif isinstance(statement, ast.Assign):
            names = names - {name for target in statement.targets for name in _names(target)}


def _names(target: ast.AST) -> set[str]:
    return {n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def reduction_after(facts: KernelFacts, loop: Loop, name: str, kind: Kind) -> ast.Call | None:
    """The one reduction that is all that is done with a name after the loop.

    Along one axis or all of them, of the kind that is given.
    """
    parents = facts.kernel.module.names.parents
    found: list[ast.Call] = []
    for node in reads_after(facts, loop, name):
        around = parents.get(node)  # the target of an update has none
        call = parents.get(around) if isinstance(around, ast.Attribute) else around
        reduced = reducing(facts, call) if isinstance(call, ast.Call) else None
        if reduced is None or reduced.operand is not node or reduced.combining != kind:
            return None
        if facts.values.get(node) not in (None, loop.result[name]):
            return None  # something else, where a branch says so
        others = [n for n in walk(reduced.call) if isinstance(n, ast.Name) and n is not node]
        named = {k.arg for k in reduced.call.keywords}
        if not facts.values.keys().isdisjoint(others) or not named <= {"axis", "input"}:
            return None  # made in another type, or along an axis that has a name
        found.append(reduced.call)
    if len({ast.dump(call) for call in found}) != 1:
        return None
    _, axes, keep_dims = facts.values[found[0]].reduction
    alone = len(axes) in (1, loop.carried[name].rank)
    return found[0] if alone and not keep_dims else None

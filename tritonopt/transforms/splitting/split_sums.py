"""Whether the turns of a loop may be divided over several programs, and their results combined.

They may where a turn takes over from the one before only accumulators, to each of which it brings
something that does not depend on any of them: then it does not matter who brings what.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.dtypes import SOME_FLOAT, SOME_INTEGER
from tritonopt.facts.operations import Op
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.rewriting.checklist import Checklist, Declined, refuted, unknown
from tritonopt.source.trees import walk
from tritonopt.transforms.deferral.combining import MAXIMUM, MINIMUM, SUM, Combining, reducing
from tritonopt.transforms.writing import names_bound

_OPERATIONS: Mapping[Op, Combining] = {
    Op.ADD: SUM,
    Op.SUB: SUM,
    Op.MAXIMUM: MAXIMUM,
    Op.MINIMUM: MINIMUM,
}
_REDUCTIONS: Mapping[str, Combining] = {"max": MAXIMUM, "min": MINIMUM}
FUNCTIONS: Mapping[Combining, str] = {SUM: "sum", MAXIMUM: "max", MINIMUM: "min"}
"""What combines the results of several programs."""
_EXTREMES = (MAXIMUM, MINIMUM)
_TYPES = frozenset({"fp32", "fp64", "int32", "int64"})
"""Of accumulators: what is stored and loaded again is what it was."""


@dataclass(frozen=True)
class Accumulator:
    """A name to which the turns of the loop bring something."""

    name: str
    combining: Combining
    dtype: str
    shape: tuple[Value, ...]
    """Of the accumulator in the loop."""
    reduction: ast.Call | None
    """How it is reduced behind the loop, where nothing else is done with it."""
    left: tuple[Value, ...]
    """The shape of what one program has found: of the accumulator, or of its reduction."""
    axis: int
    """The axis of the accumulator along which it is reduced; 0 where it is not."""

    @property
    def rounds(self) -> bool:
        return self.combining.rounds and self.dtype in FLOAT_BITS


@dataclass(frozen=True)
class SplitLoop:
    """A loop of the kernel's own block that may be divided."""

    facts: KernelFacts
    loop: Loop
    accumulators: tuple[Accumulator, ...]

    @property
    def header(self) -> ast.Call:
        assert isinstance(self.loop.node, ast.For)
        assert isinstance(self.loop.node.iter, ast.Call)
        return self.loop.node.iter

    @cached_property
    def before(self) -> list[ast.stmt]:
        """The statements of the kernel up to the loop."""
        body = self.facts.kernel.node.body
        return body[: body.index(self.loop.node)]

    @cached_property
    def behind(self) -> list[ast.stmt]:
        body = self.facts.kernel.node.body
        return body[body.index(self.loop.node) + 1 :]


def candidates(facts: KernelFacts) -> Iterator[Loop]:
    """Loops that bring what they load to a name, and so may be reductions.

    Not those that programs share already: which of them it is decides where such a loop begins.
    """
    for loop in facts.loops:
        steers = [v for v in (loop.start, loop.step) if v is not None]
        own = loop.parent is None and not loop.inlined and loop.kind != "while"
        if own and not any(map(_asks_for_programs, steers)):
            ends = (loop.following.get(name) for name in loop.carried)
            if any(end is not None and _brings_loads(facts, end) for end in ends):
                yield loop


def _brings_loads(facts: KernelFacts, value: Value) -> bool:
    return any(part.op is Op.LOAD for part in _all_parts(facts, value))


def _all_parts(facts: KernelFacts, value: Value) -> Iterator[Value]:
    """All that a value is made of, by way of the loops inside as well."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        for part in todo.pop().walk():
            if part in seen:
                continue
            seen.add(part)
            yield part
            if part.op in (Op.CARRIED, Op.RESULT):
                inner, name = facts.loops[part.carrier.loop], part.carrier.name
                todo += [ends[name] for ends in (inner.initial, inner.following) if name in ends]
                todo += _bounds(inner)
            elif part.op is Op.ITERATION:
                todo += _bounds(facts.loops[part.number])


def _bounds(loop: Loop) -> list[Value]:
    """What decides how often a loop turns."""
    return [v for v in (loop.start, loop.stop, loop.step, loop.condition) if v is not None]


def prove_split(facts: KernelFacts, loop: Loop, checklist: Checklist) -> SplitLoop:
    """Goes through the conditions; raises Declined at the first one that does not hold."""
    return _Legality(facts, loop, checklist).check()


@dataclass(frozen=True)
class _Legality:
    facts: KernelFacts
    loop: Loop
    checklist: Checklist

    def check(self) -> SplitLoop:
        self._check_loop()
        self._check_effects()
        names = self._accumulated()
        found = SplitLoop(self.facts, self.loop, tuple(map(self._accumulator, names)))
        self._check_names(found, names)
        brought = f"each turn brings to {' and '.join(names)} what no other turn has a part in"
        self.checklist.prove("turns-are-independent", brought)
        self.checklist.prove("accumulators-can-be-combined", _combined_in_words(found))
        return found

    # The loop

    def _check_loop(self) -> None:
        facts, loop = self.facts, self.loop
        where, claim = f"the loop in line {loop.line}", "loops-are-plain"
        if facts.launches.caller is not None:
            called = f"{facts.launches.caller.name} calls this one"
            raise unknown("launches-are-seen", "called-from-a-kernel", called)
        if loop.node not in facts.kernel.node.body:
            raise refuted(claim, "under-a-condition", f"{where} is not in the kernel's own block")
        if loop.kind not in ("range", "tl.range"):
            raise unknown(claim, "loop-is-not-understood", f"{where} is no `range` or `tl.range`")
        if loop.node.orelse:
            raise refuted(claim, "loop-has-else", f"{where} has an `else`")
        if facts.exits_early(loop):
            raise refuted(claim, "early-exit", f"{where} may be left early")
        self._check_header()
        for other in facts.loops:
            if loop not in other.nest:
                text = f"the kernel has another loop in line {other.line}"
                raise refuted("one-program-has-the-row", "several-sweeps", text)
        self.checklist.prove(claim, f"{where} is counted and runs to its end")

    def _check_header(self) -> None:
        assert isinstance(self.loop.node, ast.For)
        header = self.loop.node.iter
        claim, where = "loops-are-plain", f"the loop in line {self.loop.line}"
        if not isinstance(header, ast.Call) or not isinstance(self.loop.node.target, ast.Name):
            raise unknown(claim, "loop-is-not-understood", f"{where} has a header of its own kind")
        if any(isinstance(a, ast.Starred) for a in header.args) or not 1 <= len(header.args) <= 3:
            raise unknown(claim, "loop-is-not-understood", f"{where} has a header of its own kind")
        for keyword in header.keywords:
            if keyword.arg in ("warp_specialize", "flatten"):
                raise refuted(claim, "warp-specialized-loop", f"{where} says {keyword.arg}")
            if keyword.arg in (None, "arg1", "arg2", "step"):
                raise unknown(claim, "loop-is-not-understood", f"{where} names its bounds")
        if any(isinstance(n, ast.NamedExpr) for n in walk(header)):
            raise refuted("nothing-else-goes", "effect-inside", f"the header of {where} binds")

    def _check_effects(self) -> None:
        """Up to the end of the loop there is nothing that may not be done several times."""
        claim = "is-not-seen-twice"
        for effect in self.facts.effects:
            if effect.order > self.loop.last:
                continue
            where = f"in line {effect.line}"
            if effect.kind is EffectKind.EXIT:
                raise refuted(claim, "early-exit", f"the kernel may be left {where}")
            if effect.kind is not EffectKind.LOAD:
                text = f"{effect.name} {where} would be done by each program that has a part"
                raise refuted(claim, "done-by-every-part", text)
            if effect.volatile:
                raise refuted(claim, "volatile-load", f"the load {where} is volatile")
        self.checklist.prove(claim, "up to the end of the loop nothing is done but loads")

    # What turns bring

    def _accumulated(self) -> list[str]:
        """The names that are read behind the loop, in the order in which it binds them."""
        loop = self.loop
        changed = (n for n, carried in loop.carried.items() if loop.following[n] is not carried)
        found = [name for name in changed if any(True for _ in self._reads(name))]
        if not found:
            text = f"nothing that the loop in line {loop.line} carries is read behind it"
            raise refuted("turns-are-independent", "no-such-reduction", text)
        stores = [n for n in walk(loop.node) if isinstance(n, ast.Name) and n.id in found]
        return sorted(found, key=lambda name: min(_place(n) for n in stores if n.id == name))

    def _reads(self, name: str) -> Iterator[ast.Name]:
        """Where the result of the loop is read, behind it, by its name."""
        body = self.facts.kernel.node.body
        result = self.loop.result.get(name)
        for statement in body[body.index(self.loop.node) + 1 :]:
            for node in walk(statement):
                if isinstance(node, ast.Name) and node.id == name:
                    updates = isinstance(node.ctx, ast.Store) and _is_updated(statement, node)
                    loaded = isinstance(node.ctx, ast.Load)
                    value = self.facts.values.get(node)
                    if updates or (loaded and (value is None or value is result)):
                        yield node

    def _accumulator(self, name: str) -> Accumulator:
        loop = self.loop
        end, own = loop.following[name], loop.carried[name]
        kinds = self._combinings(end, own, name)
        if len(kinds) != 1:
            text = f"the loop in line {loop.line} does several things with {name}"
            raise refuted("turns-are-independent", "operations-differ", text)
        (combining,) = kinds
        dtype = self._dtype(name)
        self._check_start(name, combining)
        shape = own.shape
        if shape is None or loop.initial[name].shape != shape:
            text = f"the shape of {name} is not known"
            raise unknown("accumulators-can-be-combined", "shape-is-not-known", text)
        if any(loop.identity in self.facts.interpretation.variant_loops(e) for e in shape):
            text = f"{name} has another size in each turn"
            raise refuted("accumulators-can-be-combined", "tiles-differ", text)
        reduction = self._reduction(name, combining) if shape else None
        if reduction is None:
            return Accumulator(name, combining, dtype, shape, None, shape, 0)
        value = self.facts.values[reduction]
        axes = value.reduction.axes
        left = tuple(e for axis, e in enumerate(shape) if axis not in axes)
        return Accumulator(name, combining, dtype, shape, reduction, left, axes[0])

    def _combinings(self, value: Value, own: Value, name: str) -> set[Combining]:
        """The operations that combine what an accumulator was with what a turn brings.

        Raises Declined where it is anything else that a turn makes of it.
        """
        if value is own:
            return set()
        where = f"the loop in line {self.loop.line}"
        if value.op in (Op.WHERE, Op.PHI):
            self._check_free(value.condition, name)
            ways = [self._combinings(side, own, name) for side in (value.then, value.other)]
            return ways[0] | ways[1]
        if value.op is Op.RESULT:
            inner = self.facts.loops[value.carrier.loop]
            if self.loop in inner.nest and value.carrier.name in inner.following:
                for bound in _bounds(inner):
                    self._check_free(bound, name)
                part = value.carrier.name
                before = self._combinings(inner.initial[part], own, name)
                return before | self._combinings(inner.following[part], inner.carried[part], name)
        if value.op is Op.REDUCE and not own.shape and value.reduction.name in _REDUCTIONS:
            # `m = tl.max(tl.maximum(x, m))`
            kind = _REDUCTIONS[value.reduction.name]
            if self._combinings(value.operand, own, name) == {kind}:
                return {kind}
        kind_of = _OPERATIONS.get(value.op)
        if kind_of is not None:
            if kind_of is not SUM and value.attribute is not None:
                text = f"{where} asks for NaN to be kept in {name}"
                raise refuted("accumulators-can-be-combined", "nan-is-propagated", text)
            mine = [side for side in (value.left, value.right) if self._holds(side, own)]
            if len(mine) == 1 and not (value.op is Op.SUB and mine[0] is value.right):
                other = value.right if mine[0] is value.left else value.left
                self._check_free(other, name)
                return {kind_of} | self._combinings(mine[0], own, name)
        raise self._no_accumulator(value, own, name)

    def _no_accumulator(self, value: Value, own: Value, name: str) -> Declined:
        """Why a turn does not combine a name with what it brings."""
        claim, where = "turns-are-independent", f"the loop in line {self.loop.line}"
        if not self._holds(value, own):
            text = f"{where} gives {name} another value in each turn, and the last one is read"
            return refuted(claim, "last-value-is-used", text)
        if value.op is Op.MUL and own in value.operands:
            text = f"{where} multiplies {name}, which is no sum and no extreme"
            return refuted(claim, "no-such-reduction", text)
        text = f"what {where} makes of {name} depends on what the turn before has left, but is no"
        return unknown(claim, "needs-the-iteration-before", f"{text} sum and no extreme")

    def _holds(self, value: Value, own: Value) -> bool:
        return any(part is own for part in _all_parts(self.facts, value))

    def _check_free(self, value: Value, name: str) -> None:
        """What a turn brings must not depend on what the turn before left."""
        identity = self.loop.identity
        claim, where = "turns-are-independent", f"in the loop in line {self.loop.line}"
        for part in _all_parts(self.facts, value):
            if part.op is Op.CARRIED and part.carrier.loop == identity:
                text = f"{where} what comes to {name} depends on {part.carrier.name}, which it"
                text += " carries from turn to turn"
                raise refuted(claim, "needs-the-iteration-before", text)
            if part.op is Op.OPAQUE and self._is_of_the_loop(part):
                text = f"{where} what comes to {name} is not understood: {part.reason}"
                raise unknown(claim, "opaque-value", text)

    def _is_of_the_loop(self, opaque: Value) -> bool:
        """Whether what is not understood is computed in the loop, and not before it."""
        assert isinstance(opaque.attribute, tuple)
        return self.loop.identity in opaque.attribute[2]

    # What it is

    def _dtype(self, name: str) -> str:
        claim = "accumulators-can-be-combined"
        types = self.facts.types.of(self.loop.carried[name])
        if not types.complete or len(types.seen) != 1 or types.by_launch:
            text = f"the type of {name} is not known"
            raise unknown(claim, "accumulator-type-unknown", text)
        (dtype,) = types.seen
        if dtype in (SOME_FLOAT, SOME_INTEGER):
            text = f"the type of {name} is not known"
            raise unknown(claim, "accumulator-type-unknown", text)
        if dtype not in _TYPES:
            raise refuted(claim, "accumulator-is-narrow", f"{name} is {dtype}")
        return dtype

    def _check_start(self, name: str, combining: Combining) -> None:
        if combining in _EXTREMES:
            return  # to take in the same number several times changes nothing
        initial = self.loop.initial[name]
        if initial.op is Op.FULL:
            initial = initial.operand
        if initial.constant != 0:
            text = f"{name} does not begin with 0, and would take that in once for each program"
            raise refuted("accumulators-can-be-combined", "accumulator-starts-elsewhere", text)

    def _reduction(self, name: str, combining: Combining) -> ast.Call | None:
        """The one reduction that is all that is done with an accumulator behind the loop."""
        parents = self.facts.kernel.module.names.parents
        found: list[ast.Call] = []
        for node in self._reads(name):
            around = parents[node]
            call = around if isinstance(around, ast.Call) else parents.get(around)
            reduced = reducing(self.facts, call) if isinstance(call, ast.Call) else None
            if reduced is None or reduced.operand is not node or reduced.combining != combining:
                return None
            if len(reduced.call.args) > 2 or any(k.arg != "axis" for k in reduced.call.keywords):
                return None  # it may be made in another type
            found.append(reduced.call)
        texts = {ast.dump(call) for call in found}
        if len(texts) != 1:
            return None
        value = self.facts.values[found[0]]
        axes, rank = value.reduction.axes, self.loop.carried[name].rank
        alone = len(axes) == 1 or len(axes) == rank
        return found[0] if alone and not value.reduction.keep_dims else None

    def _check_names(self, found: SplitLoop, names: Sequence[str]) -> None:
        """Behind the loop nothing else is read that the loop has bound."""
        bound = names_bound(self.loop.node)
        again: set[str] = set()
        for statement in found.behind:
            for node in walk(statement):
                if not isinstance(node, ast.Name) or node.id not in bound - again - set(names):
                    continue
                result = self.loop.result.get(node.id)
                value = self.facts.values.get(node)
                reads = isinstance(node.ctx, ast.Load) or _is_updated(statement, node)
                if reads and (value is None or result is None or value is result):
                    text = f"line {node.lineno} reads {node.id} as the last turn left it"
                    raise refuted("turns-are-independent", "last-value-is-used", text)
            if isinstance(statement, ast.Assign):
                again |= names_bound(statement)


def _place(node: ast.Name) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _is_updated(statement: ast.stmt, name: ast.Name) -> bool:
    """Whether it is the target of `x += ...`, which reads it too."""
    return any(isinstance(n, ast.AugAssign) and n.target is name for n in walk(statement))


def _asks_for_programs(value: Value) -> bool:
    """Whether a number is computed from program ids, and not just looked up by them."""
    todo, seen = [value], set()
    while todo:
        part = todo.pop()
        if part in seen or part.op is Op.LOAD:
            continue
        seen.add(part)
        if part.op in (Op.PROGRAM_ID, Op.NUM_PROGRAMS):
            return True
        todo += part.operands
    return False


def _combined_in_words(found: SplitLoop) -> str:
    return ", ".join(f"{a.name} is a {a.combining.noun} in {a.dtype}" for a in found.accumulators)

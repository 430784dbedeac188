"""Whether the turns of a loop may be divided over several programs, and their results combined.

They may where a turn takes over from the one before only accumulators, to each of which it brings
something that does not depend on any of them: then it does not matter who brings what.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.dtypes import BOOLEANS, INTEGERS, SOME_FLOAT, SOME_INTEGER
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.coupled import Coupled
from tritonopt.facts.recurrences.kinds import NUMERIC, Kind
from tritonopt.facts.recurrences.reading import RecurrenceReader
from tritonopt.facts.recurrences.reduction_calls import reducing
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.source.trees import walk
from tritonopt.transforms.splitting.moved_names import MovedName, moved_names
from tritonopt.transforms.splitting.second_sweep import SecondSweep
from tritonopt.transforms.splitting.shared_loops import LoopCheck
from tritonopt.transforms.writing import names_bound

_TYPES = frozenset({"fp32", "fp64", "int32", "int64"})
"""Of accumulators: what is stored and loaded again is what it was."""


@dataclass(frozen=True)
class Accumulator:
    """A name to which the turns of the loop bring something."""

    name: str
    combining: Kind
    dtype: str
    shape: tuple[Value, ...]
    """Of the accumulator in the loop."""
    reduction: ast.Call | None
    """How it is reduced behind the loop, where nothing else is done with it."""
    left: tuple[Value, ...]
    """The shape of what one program has found: of the accumulator, or of its reduction."""
    axis: int
    """The axis of the accumulator along which it is reduced; 0 where it is not."""
    partner: Coupled | None
    """The extreme that it is the index of, or a sum of exponentials below."""
    rounds: bool
    """Whether the order matters: to a sum of floats, or to which of two zeros is the largest."""


@dataclass(frozen=True)
class SplitLoop:
    """A loop of the kernel's own block that may be divided."""

    facts: KernelFacts
    loop: Loop
    accumulators: tuple[Accumulator, ...]
    moved: tuple[MovedName, ...]
    second: SecondSweep | None
    """The loop behind it that the second kernel divides too."""

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


def prove_split(facts: KernelFacts, loop: Loop, attempt: Attempt) -> SplitLoop:
    """Goes through the conditions; raises Declined at the first one that does not hold."""
    return _Legality(facts, loop, attempt).check()


@dataclass(frozen=True)
class _Legality:
    facts: KernelFacts
    loop: Loop
    attempt: Attempt
    _said_finite: list[str] = field(default_factory=list)

    def check(self) -> SplitLoop:
        second = LoopCheck(self.facts, self.loop, self.attempt).check()
        names = self._accumulated()
        accumulators = tuple(map(self._accumulator, names))
        found = SplitLoop(self.facts, self.loop, accumulators, tuple(self._moved.values()), second)
        self._check_names(found, names)
        brought = f"each iteration adds to {' and '.join(names)} what no other iteration affects"
        self.attempt.prove("accumulators-are-sums", brought)
        self.attempt.prove("accumulators-can-be-combined", _combined_in_words(found))
        return found

    # What turns bring

    def _accumulated(self) -> list[str]:
        """The names that are read behind the loop, in the order in which it binds them."""
        loop = self.loop
        changed = (n for n, carried in loop.carried.items() if loop.following[n] is not carried)
        found = [name for name in changed if any(True for _ in self._reads(name))]
        partners = (self._partners[name] for name in found)
        found += [p.name for p in partners if p is not None and p.name not in found]
        if not found:
            text = f"nothing that the loop in line {loop.line} carries is read after it"
            raise refuted("accumulators-are-sums", "no-such-reduction", text)
        stores = [n for n in walk(loop.node) if isinstance(n, ast.Name) and n.id in found]
        places = {n.id: _place(n) for n in reversed(stores)}
        return sorted(dict.fromkeys(found), key=lambda name: places[name])

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
        found = self._reader.recurrence(name)
        combining, partner = found.kind, found.extreme
        if partner is not None or found.chosen:
            self._check_is_number(partner.name if partner is not None else name)
        dtype = self._dtype(name)
        self._check_start(name, combining, partner)
        shape = self._shape(name)
        reduction = None
        if shape and name not in self._with_partner:
            reduction = self._reduction(name, combining)
        left, axis = shape, 0
        if reduction is not None:
            axes = self.facts.values[reduction].reduction.axes
            left, axis = tuple(e for n, e in enumerate(shape) if n not in axes), axes[0]
        if len(left) > 1:
            text = f"what is left in {name} are tiles of two axes, which would be large to combine"
            raise refuted("accumulators-can-be-combined", "shapes-differ", text)
        rounds = combining.rounds and dtype in FLOAT_BITS
        return Accumulator(
            name, combining, dtype, shape, reduction, left, axis, partner, rounds or found.chosen
        )

    @cached_property
    def _moved(self) -> Mapping[str, MovedName]:
        """The names that only go along with the loop."""
        found = moved_names(self.facts, self.loop)
        return {m.name: m for m in found if not any(True for _ in self._reads(m.name))}

    @cached_property
    def _partners(self) -> Mapping[str, Coupled | None]:
        """The extreme that each name that the loop carries belongs to."""
        changed = (n for n, own in self.loop.carried.items() if self.loop.following[n] is not own)
        return {n: self._reader.extreme_of(n) for n in changed}

    @cached_property
    def _reader(self) -> RecurrenceReader:
        return RecurrenceReader(self.facts, self.loop, self._moved, NUMERIC)

    @property
    def _with_partner(self) -> set[str]:
        """The names that have a partner, and the partners."""
        pairs = [(name, p.name) for name, p in self._partners.items() if p is not None]
        return {name for pair in pairs for name in pair}

    def _shape(self, name: str) -> tuple[Value, ...]:
        loop, claim = self.loop, "accumulators-can-be-combined"
        shape, partner = loop.carried[name].shape, self._partners[name]
        if name in self._with_partner and shape is None:
            shape = loop.initial[name].shape  # the compiler sees to it that it stays so
        if partner is not None and self._shape(partner.name) != shape:
            raise refuted(claim, "shapes-differ", f"{name} and {partner.name} differ in shape")
        if shape is None or loop.initial[name].shape != shape:
            raise unknown(claim, "shapes-differ", f"the shape of {name} is not known")
        if any(loop.identity in self.facts.interpretation.variant_loops(e) for e in shape):
            raise refuted(claim, "shapes-differ", f"{name} has another size in each iteration")
        return shape

    # What it is

    def _dtype(self, name: str) -> str:
        claim = "accumulators-can-be-combined"
        types = self.facts.types.of(self.loop.carried[name])
        if not types.complete or len(types.seen) != 1 or types.by_launch:
            text = f"the type of {name} is not known"
            raise unknown(claim, "type-is-unknown", text)
        (dtype,) = types.seen
        if dtype in (SOME_FLOAT, SOME_INTEGER):
            text = f"the type of {name} is not known"
            raise unknown(claim, "type-is-unknown", text)
        if dtype not in _TYPES:
            unsigned = dtype.startswith("uint")
            reason = "accumulator-is-narrow" if unsigned else "accumulator-is-narrow"
            raise refuted(claim, reason, f"{name} is {dtype}")
        if self.loop.initial[name].dtype == "int" and not self._brings_integers(name):
            # A loop that begins with 0 and adds floats runs in the interpreter, and sums them.
            text = f"what comes to {name}, which is {dtype}, may be a float"
            raise unknown(claim, "type-is-unknown", text)
        return dtype

    def _brings_integers(self, name: str) -> bool:
        """Whether an index or nothing but integers come to a name that begins as a number."""
        types = self.facts.types.of(self.loop.following[name])
        return self._partners.get(name) is not None or types.all_in(INTEGERS | BOOLEANS)

    def _check_start(self, name: str, combining: Kind, partner: Coupled | None) -> None:
        claim, initial = "accumulators-can-be-combined", self.loop.initial[name]
        if initial.op is Op.FULL:
            initial = initial.operand
        if partner is not None and not partner.exponential:
            return  # where nothing is found, it is the index in all programs
        if combining.repeats:
            return  # to take in the same number several times changes nothing
        if initial.constant != 0:
            text = f"{name} does not begin with 0, and would take that in once for each program"
            raise refuted(claim, "accumulator-starts-elsewhere", text)

    def _check_is_number(self, name: str) -> None:
        """What is compared begins with a number: NaN would be no less than any element."""
        initial = self.loop.initial[name]
        if initial.op is Op.FULL:
            initial = initial.operand
        number = initial.constant
        if not isinstance(number, (int, float)) or math.isnan(number):
            text = f"what {name} begins with may be NaN, as far as is seen"
            raise unknown("accumulators-can-be-combined", "accumulator-starts-elsewhere", text)
        pairs = [p for p in self._partners.values() if p is not None and p.name == name]
        below = any(p.exponential and not p.guarded for p in pairs)
        if below and math.isinf(number) and not self._said_finite:
            self._said_finite.append(name)
            text = f"we assume that no tile is all -inf, for which {name} would be NaN"
            self.attempt.assume("infinite-rows-are-the-same", text)

    def _reduction(self, name: str, combining: Kind) -> ast.Call | None:
        """The one reduction that is all that is done with an accumulator behind the loop."""
        parents = self.facts.kernel.module.names.parents
        found: list[ast.Call] = []
        for node in self._reads(name):
            around = parents.get(node)  # the target of an update has none
            call = parents.get(around) if isinstance(around, ast.Attribute) else around
            reduced = reducing(self.facts, call) if isinstance(call, ast.Call) else None
            if reduced is None or reduced.operand is not node or reduced.combining != combining:
                return None
            others = [n for n in walk(reduced.call) if isinstance(n, ast.Name) and n is not node]
            others = [n for n in others if n in self.facts.values]
            if others or any(k.arg not in ("axis", "input") for k in reduced.call.keywords):
                return None  # made in another type, or along an axis that has a name
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
        self._check_block(found.behind, names_bound(self.loop.node) - set(names))

    def _check_block(self, block: Sequence[ast.stmt], bound: set[str]) -> None:
        """Of these names none is read before it is bound again."""
        for statement in block:
            if isinstance(statement, ast.For):
                self._check_read(statement.iter, bound)
                targets = {n.id for n in walk(statement.target) if isinstance(n, ast.Name)}
                self._check_block([*statement.body, *statement.orelse], bound - targets)
                continue
            self._check_read(statement, bound)
            if isinstance(statement, ast.Assign):
                bound = bound - names_bound(statement)

    def _check_read(self, part: ast.AST, bound: set[str]) -> None:
        """None of the names is read there, as the loop has left it."""
        for node in walk(part):
            if not isinstance(node, ast.Name) or node.id not in bound:
                continue
            result = self.loop.result.get(node.id)
            value = self.facts.values.get(node)
            reads = isinstance(node.ctx, ast.Load) or _is_updated(part, node)
            if reads and (value is None or result is None or value is result):
                text = f"line {node.lineno} reads {node.id} as the last iteration left it"
                raise refuted("accumulators-are-sums", "last-value-is-used", text)


def _place(node: ast.Name) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _is_updated(statement: ast.AST, name: ast.Name) -> bool:
    """Whether it is the target of `x += ...`, which reads it too."""
    return any(isinstance(n, ast.AugAssign) and n.target is name for n in walk(statement))


def _combined_in_words(found: SplitLoop) -> str:
    return ", ".join(f"{a.name} is a {a.combining.noun} in {a.dtype}" for a in found.accumulators)

"""Whether a kernel computes the same whatever the length of its tiles is, but for rounding.

Of a sweep `for start in range(0, N, BLOCK)` that is so where each lane computes what depends on
its place in the row alone (`start + lane`, never one of them by itself), lanes behind the end of
the row store nothing and add what changes nothing, and of the tiles nothing else is left than
sums, maxima and minima over the whole row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from tritonopt.checks.condition import unknown
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.facts import EffectKind, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import (
    Compared,
    Constant,
    Converted,
    DType,
    Extremum,
    Global,
    Iteration,
    Lane,
    Loaded,
    Math,
    Negative,
    NumPrograms,
    Param,
    ProgramId,
    Quotient,
    Rounded,
    Zero,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Group, TooLarge
from tritonopt.facts.effects import Effect
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.masked_off_value import (
    FilledLanes,
    NotKnown,
    Padding,
    is_masked_off,
)
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.precision import is_as_wide
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reading import reduced_update
from tritonopt.facts.repetition import Axes
from tritonopt.facts.values import FLOAT_BITS, is_float, operands_first, reachable

_GIVEN = frozenset(
    {Op.CONST, Op.PARAM, Op.CONSTEXPR, Op.GLOBAL, Op.DTYPE, Op.PROGRAM_ID, Op.NUM_PROGRAMS}
)
_PASSED_ON = (
    ELEMENTWISE
    | {Op.FULL, Op.BROADCAST_TO, Op.BOTH, Op.EITHER, Op.IS, Op.IS_NOT}
    | {Op.PHI, Op.IN_BRANCH}
)
_LANE_BY_LANE = (
    *(Compared, Constant, Converted, DType, Extremum, Global, Group, Loaded, Math, Negative),
    *(NumPrograms, Param, ProgramId, Quotient, Rounded, Zero),
)
"""What an index may be made of."""
_PLACE = Param("(position in the row)")
"""What no parameter is called."""


class _Kind(Enum):
    SAME = 0
    """The same in all lanes and tiles."""
    PLACE = 1
    """What depends, of lanes and tiles, on the place in the row alone."""
    SUM, MAX, MIN = "sum", "max", "min"
    """A tile of which only that reduction is the same for all lengths of tiles."""


@dataclass(frozen=True)
class AnyLength:
    """A kernel that computes the same whatever the length of its tiles is."""

    is_exact: bool
    """Whether no floats are added up in another order."""
    kept: int
    """How many tiles a sweep has loaded that a later one may need: registers, in one tile."""


def prove_any_length(sweeps: RowSweeps, extent: Polynomial, tile: Polynomial) -> AnyLength:
    """Raises Declined."""
    try:
        return _Kernel(sweeps, extent, tile).check()
    except TooLarge:
        raise _matters("an index is too large to compare") from None


def _matters(detail: str) -> Exception:
    return unknown("length-is-known-at-the-launch", "length-matters", detail)


@dataclass(frozen=True)
class _Kernel:
    sweeps: RowSweeps
    extent: Polynomial
    tile: Polynomial

    @property
    def facts(self) -> KernelFacts:
        return self.sweeps.facts

    def check(self) -> AnyLength:
        for loop in self.facts.loops:
            alike = loop.is_counted and not loop.inlined and not loop.nest[:-1]
            count = self.facts.forms.trip_count(loop)
            if not alike or loop.left_early or count != self.sweeps.count:
                raise _matters(f"the loop in line {loop.line} is not a plain loop over the row")
        assert self._accumulated is not None  # in the order of the loops, before it is asked for
        for effect in self.facts.effects:
            self._check_effect(effect)
        for loop in self.facts.loops:
            self._check_order(loop)
        return AnyLength(self._is_exact, self._kept)

    @property
    def _kept(self) -> int:
        last = self.sweeps.loops[-1]
        loads = (e for e in self.sweeps.effects if e.kind is EffectKind.LOAD)
        early = (e.pointer for e in loads if e.loops and last not in e.loops)
        return len({self._place(pointer) for pointer in early if pointer is not None})

    # Effects

    def _check_effect(self, effect: Effect) -> None:
        where = f"line {effect.line}"
        if any(self._kind(guard.condition) is not _Kind.SAME for guard in effect.guards):
            raise _matters(f"whether {where} runs may depend on the tile length")
        known = (EffectKind.LOAD, EffectKind.STORE, EffectKind.EXIT)
        if effect.kind not in known or effect.volatile:
            raise _matters(f"{where} may depend on the tile length")
        if effect.pointer is None:
            return
        parts = (effect.pointer, effect.mask, effect.other, effect.stored)
        kinds = [self._kind(part) for part in parts if part is not None]
        if kinds[0] is _Kind.PLACE:
            if not self._is_off(effect.mask):
                raise _matters(f"{where} is not masked off past the end of the row")
        elif effect.loops and effect.kind is EffectKind.STORE:
            raise _matters(f"{where} stores to one element in each tile")
        if any(kind not in (_Kind.SAME, _Kind.PLACE) for kind in kinds):
            why = self._open_name(part for part in parts if part is not None)
            raise _matters(f"what {where} accesses may depend on the length of a tile{why}")
        if not effect.loops and _Kind.PLACE in kinds:
            raise _matters(f"{where} accesses a tile of no such loop")

    def _open_name(self, parts: Iterator[Value]) -> str:
        """What a loop carries of which that is not shown, for messages."""
        for value in reachable(parts):
            if value.op is Op.RESULT and value.carrier not in self._accumulated:
                loop = self.facts.loops[value.carrier.loop]
                return f", as {value.carrier.name} of the loop in line {loop.line} may"
        return ""

    def _check_order(self, loop: Loop) -> None:
        """Of two accesses to an element, one a write, the order may only be that of its lane."""
        accesses = [e for e in self.facts.effects if loop in e.loops and e.pointer is not None]
        for write in (e for e in accesses if e.writes):
            assert write.pointer is not None
            place = self._place(write.pointer)
            steps = place - self._without_place(place) if place is not None else None
            step = steps.divided_by(Polynomial.of(_PLACE)) if steps is not None else None
            if step is None or step.is_zero or _PLACE in set(step.leaves()):
                raise _matters(f"line {write.line} may store to one element from two lanes")
            for other in accesses:
                assert other.pointer is not None
                mine, theirs = map(self.facts.forms.of, (write.pointer, other.pointer))
                if other is not write and mine != theirs and self.facts.may_alias(write, other):
                    lines = f"lines {other.line} and {write.line}"
                    raise _matters(f"{lines} may access one element in different lanes")

    def _without_place(self, form: Polynomial) -> Polynomial:
        return Polynomial(
            {m: c for m, c in form.terms.items() if all(atom != _PLACE for atom, _ in m)}
        )

    # Values

    @cached_property
    def _kinds(self) -> dict[int, _Kind | None]:
        return {}

    def _kind(self, value: Value) -> _Kind | None:
        for part in operands_first(value, self._kinds):
            kind = self._by_parts(part)
            if kind is None and not is_float(part.dtype):
                place = self._place(part)
                if place is not None:
                    inside = _PLACE in set(place.leaves())
                    kind = _Kind.PLACE if inside else _Kind.SAME
            self._kinds[part.serial] = kind
        return self._kinds[value.serial]

    def _by_parts(self, value: Value) -> _Kind | None:
        if value.op in _GIVEN:
            leaves = self.facts.forms.of(value).leaves()
            return None if any(atom in self.tile.atoms for atom in leaves) else _Kind.SAME
        if value.op is Op.RESULT:
            return self._accumulated.get(value.carrier)
        kinds = {self._kinds[operand.serial] for operand in value.operands}
        if value.op is Op.REDUCE:
            return self._reduced(value, kinds)
        if value.op is Op.ATTRIBUTE and kinds <= {_Kind.SAME} and not value.operand.shape:
            return _Kind.SAME  # `Y.dtype`
        if value.op is Op.LOAD or value.op in _PASSED_ON:
            if kinds <= {_Kind.SAME}:
                return _Kind.SAME
            if kinds <= {_Kind.SAME, _Kind.PLACE} and (value.rank or 0) <= 1:
                return _Kind.PLACE
        return None

    def _reduced(self, value: Value, kinds: set[_Kind | None]) -> _Kind | None:
        (kind,) = kinds
        if kind is _Kind.SAME and not (value.operand.shape or value.operand.shape is None):
            return _Kind.SAME
        whole = value.rank == 0
        own = kind is not None and kind.value == value.reduction.name
        return _Kind.SAME if whole and own else None

    def _place(self, value: Value) -> Polynomial | None:
        """The form of an index, in terms of the place in the row; None where that is not all."""
        form = self.facts.forms.of(value)
        first = self._first(form)
        if first is None:
            return None
        launch, lane = self.facts.launches.launches[0], Lane(self.tile, 0)
        form = substitute(form, LaunchBinding(launch, {lane: Polynomial.of(_PLACE) - first}))
        plain = (isinstance(a, _LANE_BY_LANE) and a not in self.tile.atoms for a in form.leaves())
        return form if all(plain) else None

    def _first(self, form: Polynomial) -> Polynomial | None:
        """Where in the row the tile of a form begins; None where it is not of one sweep."""
        trips = {a for a in form.leaves() if isinstance(a, Iteration) and a.loop is not None}
        return self.tile * Polynomial.of(trips.pop()) if len(trips) == 1 else None

    # What loops carry

    @cached_property
    def _accumulated(self) -> dict[object, _Kind]:
        """By loop and name, what is left of accumulators behind their loops."""
        found: dict[object, _Kind] = {}
        self.__dict__["_accumulated"] = found  # what a later loop adds may rest on an earlier one
        for loop in self.facts.loops:
            for name in loop.carried:
                kind = self._accumulator(loop, name)
                if kind is not None:
                    found[loop.result[name].carrier] = kind
        return found

    def _accumulator(self, loop: Loop, name: str) -> _Kind | None:
        carried = loop.carried[name]
        update = reduced_update(loop, name)
        if update is None or loop.result[name].op is not Op.RESULT:
            return None
        combined, inner = update
        is_scalar = carried.rank == 0
        initial = loop.initial[name]
        off = self._off(inner)
        if self._kind(inner) is not _Kind.PLACE or inner.rank != 1 or off is None:
            return None
        if self._kind(initial) is not _Kind.SAME:
            return None
        start = _number(initial)
        if off != combined.identity and not (combined.repeats and off == start):
            return None
        if combined is Kind.ADD and not (is_scalar or start == 0):
            return None
        if combined is Kind.ADD and not self._is_wide(inner if is_scalar else carried):
            return None
        return _Kind.SAME if is_scalar else _Kind(combined.reduction)

    def _is_wide(self, value: Value) -> bool:
        """Whether more can be added up in its type, in whatever order: no fp16, which ends soon."""
        if value.dtype is None:
            return is_as_wide(value, "fp32")
        return FLOAT_BITS.get(value.dtype, 0) >= 32 or value.dtype.endswith(("int32", "int64"))

    @property
    def _is_exact(self) -> bool:
        sums = (
            loop.carried[name]
            for loop in self.facts.loops
            for name in loop.carried
            if loop.following[name].op is Op.ADD
        )
        return not any(is_float(value.dtype) or value.dtype is None for value in sums)

    # Lanes behind the end of the row

    def _is_off(self, mask: Value | None) -> bool:
        """Whether a mask is off in all lanes behind the end of the row."""
        return is_masked_off(self.facts, mask, self._is_behind)

    def _is_behind(self, atom: object) -> bool:
        """Whether this is an indicator that is 0 behind the end of the row."""
        first = self._first(atom.form) if isinstance(atom, Negative) else None
        if first is None or not isinstance(atom, Negative):
            return False
        place = first + Polynomial.of(Lane(self.tile, 0))
        return self.facts.forms.is_nonnegative(atom.form + self.extent - place)

    def _off(self, value: Value) -> float | None:
        """The number that a value is in all lanes behind the end of the row; None where open."""
        try:
            return self._outside.of(value)
        except NotKnown:
            return None

    @cached_property
    def _outside(self) -> _Outside:
        return _Outside(self)

    @cached_property
    def _filled(self) -> FilledLanes:
        def decided(condition: Value) -> int | None:
            return 0 if self._is_off(condition) else None

        def varies(value: Value) -> bool:
            return self._kind(value) is not _Kind.SAME

        return FilledLanes(self.facts, decided, varies)

    def _is_their_maximum(self, value: Value) -> bool:
        """Whether `x - m` is of the tiles of a row, and m their maximum.

        Where m is -inf then, so is all of the row, and the sum is NaN without these lanes too.
        """
        row = {form for form in map(self._address, _loads(value.left)) if form is not None}
        maximum = value.right
        if maximum.op is Op.REDUCE and maximum.reduction.name == "max":
            maximum = maximum.operand
        if maximum.op is not Op.RESULT or self._kind(value.right) is not _Kind.SAME:
            return False
        loop = self.facts.loops[maximum.carrier.loop]
        following = loop.following[maximum.carrier.name]
        seen = {self._address(load) for load in _loads(following)}
        return following.op is Op.MAXIMUM and len(row) == 1 and row <= seen

    def _address(self, load: Value) -> Polynomial | None:
        return self._place(load.pointer)


def _loads(value: Value) -> Iterator[Value]:
    return (part for part in value.walk() if part.op is Op.LOAD)


def _number(value: Value) -> float | None:
    """The one number of a constant tile."""
    while value.op in (Op.FULL, Op.BROADCAST_TO, Op.CAST):
        value = value.operands[0]
    number = value.constant
    return float(number) if isinstance(number, (int, float)) else None


class _Outside(Padding):
    """Values in the lanes behind the end of the row."""

    def __init__(self, kernel: _Kernel) -> None:
        super().__init__(kernel.facts)
        self._kernel = kernel

    def _is_off(self, mask: Value, axes: Axes) -> bool:
        return self._kernel._is_off(mask)

    def _number(self, value: Value, axes: Axes) -> float:
        kernel = self._kernel
        if value.dtype == "bool" and value.rank and kernel._is_off(value):
            return 0.0
        if (
            value.op is Op.SUB
            and kernel._is_their_maximum(value)
            and (kernel._off(value.left) == -math.inf)
        ):
            return -math.inf
        # What is multiplied by 0 adds nothing where it is finite.
        product = value.op is Op.MUL and 0.0 in map(kernel._off, value.operands)
        return 0.0 if product and kernel._filled.is_finite(value) else super()._number(value, axes)

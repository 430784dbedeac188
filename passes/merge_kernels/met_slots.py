"""Whether the second kernel takes in each partial result once, and where it leaves the sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Iteration,
    Lane,
    ProgramId,
    TensorSize,
    ceiling_division,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import ONE, Atom, Polynomial
from tritonopt.facts.coordinates import (
    CLAIM,
    Coordinate,
    Shared,
    not_understood,
    reaches,
    span,
)
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.launcher_code import forms_at
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.slot_reductions import SlotReduction
from tritonopt.launches.launch_pairs import Made, Pair
from tritonopt.passes.merge_kernels.partial_stores import PartialStore


@dataclass(frozen=True)
class Place:
    """One part of the place in the output that a partial result belongs to."""

    coordinate: Coordinate
    """Of the first kernel's store."""
    stride: Polynomial
    """In terms of the launcher."""


@dataclass(frozen=True)
class _Numbers:
    """A coordinate in terms of the launcher: how many numbers, and what they are multiplied by."""

    coordinate: Coordinate
    size: Polynomial
    stride: Polynomial


@dataclass(frozen=True)
class MetSlots:
    """The two launches of a pair, under one configuration each."""

    pair: Pair
    partial: PartialStore
    reduction: SlotReduction
    facts: KernelFacts
    """Of the second kernel."""
    bindings: tuple[LaunchBinding, LaunchBinding]
    buffer: Made
    output: Made

    def places(self) -> tuple[Place, ...]:
        """Where a partial result belongs in the output. Raises Declined."""
        first, second = self.bindings
        self._check_programs(first)
        mine = [self._numbers(c, first, None) for c in self.partial.coordinates]
        if not self._begins_with_nothing:
            for coordinate, numbers in zip(self.partial.coordinates, mine, strict=True):
                self._check_all_are_stored(coordinate, first, numbers.size)
        self._check_apart(mine)
        left = list(mine)
        found = []
        for coordinate, stride in zip(self.reduction.kept, self.reduction.strides, strict=True):
            theirs = self._numbers(coordinate, second, self.facts)
            same = [n for n in left if (n.size, n.stride) == (theirs.size, theirs.stride)]
            if len(same) != 1:
                text = (
                    "the second kernel does not go through the elements that the first one stores"
                )
                raise self._declined("partials-do-not-match", text)
            left.remove(same[0])
            found.append(Place(same[0].coordinate, self._dense(substitute(stride, second))))
        slots = [self._numbers(c, second, self.facts) for c in self.reduction.slots]
        for slot in slots:
            self._take(slot, left)
        if any(n.size != ONE for n in left):
            text = "the second kernel leaves out some of what the first one stores"
            raise self._declined("partials-do-not-match", text)
        kept = [place.coordinate for place in found]
        rest = [n.coordinate for n in mine if n.coordinate not in kept]
        if any(isinstance(p, Lane) for coordinate in rest for p in coordinate.positions):
            text = "a program stores several partial results for one element"
            raise self._declined("partials-do-not-match", text)
        return tuple(found)

    def _take(self, slot: _Numbers, left: list[_Numbers]) -> None:
        """Takes away what the numbers of the second kernel count in the first one's terms."""
        reached = ONE
        while reached != slot.size:
            same = [n for n in left if n.stride == slot.stride * reached and n.size != ONE]
            if len(same) != 1:
                text = "it is not shown that the first kernel stores what the second one takes in"
                raise self._declined("partials-do-not-match", text)
            left.remove(same[0])
            reached = reached * same[0].size

    def _numbers(
        self, coordinate: Coordinate, binding: LaunchBinding, loops: KernelFacts | None
    ) -> _Numbers:
        """Raises Declined where some number is taken twice, or left out."""
        factors = self._factors(coordinate, binding, loops)
        stride = self._dense(substitute(coordinate.stride, binding))
        if coordinate.bound is None:
            return _Numbers(coordinate, _product(factors), stride)
        bound = self._dense(substitute(coordinate.bound, binding))
        if loops is not None and not reaches(factors, bound):
            raise not_understood("it is not shown that the second kernel goes through all of it")
        return _Numbers(coordinate, bound, stride)

    def _factors(
        self, coordinate: Coordinate, binding: LaunchBinding, loops: KernelFacts | None
    ) -> list[Polynomial]:
        """How many values each position of a coordinate has. Raises Declined."""

        def size_of(atom: Atom) -> Polynomial | None:
            if isinstance(atom, Lane):
                return self._dense(atom.extent)
            if isinstance(atom, Shared):
                return self._dense(atom.count)
            if isinstance(atom, ProgramId):
                return self._dense(_programs(binding, atom))
            if isinstance(atom, Iteration) and loops is not None and atom.loop is not None:
                count = loops.forms.trip_count(loops.loops[atom.loop])
                return None if count is None else self._dense(substitute(count, binding))
            return None

        return span(self._dense(substitute(coordinate.form, binding)), size_of)

    @property
    def _begins_with_nothing(self) -> bool:
        """Whether what nobody has stored to the buffer adds nothing to the result.

        What nobody has stored to empty memory may be anything, and so may the result.
        """
        function = self.buffer.function
        if function in torch_api.ZEROED:
            return self.reduction.begins_with_zero
        return function in torch_api.EMPTY

    def _check_all_are_stored(
        self, coordinate: Coordinate, first: LaunchBinding, size: Polynomial
    ) -> None:
        """Whether the tiles and the grid of the first kernel go as far as its mask."""
        if coordinate.bound is not None and not reaches(
            self._factors(coordinate, first, None), size
        ):
            text = f"the first kernel may leave some of {self.buffer.name} as line"
            raise not_understood(f"{text} {self.buffer.call.lineno} has filled it")

    def _check_programs(self, binding: LaunchBinding) -> None:
        """Each program has partial results of its own, or takes turns with those it shares with."""
        if any(isinstance(p, Shared) for c in self.partial.coordinates for p in c.positions):
            return
        axes = {
            p.axis.constant_value
            for c in self.partial.coordinates
            for p in c.positions
            if isinstance(p, ProgramId)
        }
        if not binding.grid:
            raise self._declined("grid-is-not-readable", "the grid is not read")
        for axis, size in enumerate(binding.grid):
            if axis not in axes and size != ONE:
                text = f"several programs along axis {axis} store one partial result"
                raise self._declined("partials-do-not-match", text)

    def _check_apart(self, mine: Sequence[_Numbers]) -> None:
        """No two partial results go to one element."""
        left = [n for n in mine if n.size != ONE]
        reached = ONE
        while left:
            following = [n for n in left if n.stride == reached]
            if len(following) != 1:
                text = "it is not shown that each partial result has an element of its own"
                raise self._declined("partials-do-not-match", text)
            left.remove(following[0])
            reached = reached * following[0].size

    def _dense(self, form: Polynomial) -> Polynomial:
        """The form, with the sizes and strides that new tensors have."""
        found = Polynomial({})
        for monomial, coefficient in form.terms.items():
            term = Polynomial.constant(coefficient)
            for atom, power in monomial:
                known = self._size(atom) if power > 0 else None
                term = term * (Polynomial.of(atom, power) if known is None else known.power(power))
            found = found + term
        return found

    def _size(self, atom: Atom) -> Polynomial | None:
        """A size or a stride of a tensor that the launcher has made; a division of numbers."""
        if isinstance(atom, CeilDiv):
            return ceiling_division(self._dense(atom.dividend), self._dense(atom.divisor))
        if not isinstance(atom, TensorSize) or len(atom.which) != 1:
            return None
        at_launch = forms_at(self.pair.first)
        for tensor in (self.buffer, self.output):
            sizes = tensor.memory.sizes
            if sizes is None or at_launch(tensor.call) != atom.tensor:
                continue
            (which,) = atom.which
            if not -len(sizes) <= which < len(sizes):
                return None
            if atom.method == "size":
                return at_launch(sizes[which])
            if atom.method == "stride":
                product = ONE
                for size in sizes[which % len(sizes) + 1 :]:
                    product = product * at_launch(size)
                return product
        return None

    def _declined(self, reason: str, text: str) -> Declined:
        make = refuted if reason == "partials-do-not-match" else unknown
        return make(CLAIM, reason, f"{text} (launches in lines {self._lines})")

    @property
    def _lines(self) -> str:
        return f"{self.pair.first.call.lineno} and {self.pair.second.call.lineno}"


def _product(factors: Sequence[Polynomial]) -> Polynomial:
    product = ONE
    for factor in factors:
        product = product * factor
    return product


def _programs(binding: LaunchBinding, program: ProgramId) -> Polynomial:
    number = program.axis.constant_value
    if number is None:
        raise not_understood("the axis of a program id is not seen")
    if number >= len(binding.grid):
        return ONE
    size = binding.programs(program)
    if size is None:
        raise not_understood("the grid is not read")
    return size

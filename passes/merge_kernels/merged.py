"""Whether two kernels may be one, and all that changes then."""

from __future__ import annotations

import ast
import operator
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, Safety, refuted, unknown
from tritonopt.emit.trip_guards import is_positive_at
from tritonopt.facts import KernelFacts
from tritonopt.facts import of as facts_of
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Iteration,
    Lane,
    Param,
    ProgramId,
    TensorSize,
    ceiling_division,
)
from tritonopt.facts.algebra.divisibility import replaced, substitute
from tritonopt.facts.algebra.polynomial import ONE, Atom, Polynomial
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.launcher_code import forms_at
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.circumstances import inputs_of
from tritonopt.facts.precision import check_pins
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.launches.plan import LaunchPlan
from tritonopt.passes.merge_kernels.atomic_kernel import AtomicKernel, OneLaunch, Place, Result
from tritonopt.passes.merge_kernels.launch_pairs import (
    CLAIM,
    Candidate,
    Pair,
    check_output,
    check_unread,
    check_zeros,
    pairs_of,
)
from tritonopt.passes.merge_kernels.partial_stores import PartialStore, partial_store
from tritonopt.passes.merge_kernels.slot_reductions import CLAIM as REDUCED
from tritonopt.passes.merge_kernels.slot_reductions import COMBINED as MET
from tritonopt.passes.merge_kernels.slot_reductions import (
    Coordinate,
    Shared,
    SlotReduction,
    not_understood,
    reaches,
    slot_reductions,
    span,
)
from tritonopt.rewriting.promised_order import assume_free_order
from tritonopt.source import Launch, Remove
from tritonopt.source.launches import places
from tritonopt.source.trees import walk


class Merge:
    def __init__(self, facts: KernelFacts, candidate: Candidate, attempt: Attempt) -> None:
        self._facts, self._final = facts, facts_of(candidate.final)
        self._candidate, self._attempt, self._name = candidate, attempt, candidate.final.name
        self._found: list[tuple[PartialStore, SlotReduction]] = []
        """By buffer, what the first kernel stores there, and what the second one makes of it."""
        self._pairs: list[Pair] = []

    def write(self) -> None:
        """Raises Declined, or NotExpressible, where a kernel stays two."""
        attempt, facts = self._attempt, self._facts
        self._check_seen()
        reductions = self._reductions()
        partials = [partial_store(facts, buffer) for buffer in self._candidate.buffers]
        self._found = list(zip(partials, reductions, strict=True))
        attempt.prove(MET, f"each program of {facts.kernel.name} stores its partial result once")
        for partial, reduction in self._found:
            if reduction.is_least and not partial.is_not_negative:
                raise reduction.may_count_masked_off
        self._pairs = pairs_of(facts, self._candidate)
        where = places([launch for pair in self._pairs for launch in (pair.first, pair.second)])
        attempt.prove(CLAIM, f"there is nothing between the launches in {where}")
        self._check_locks()
        counts = {reduction.count for reduction in reductions} - {""}
        zeros = {count for count in counts if not self._is_positive(count)}
        results = [self._results(pair) for pair in self._pairs]
        attempt.prove(CLAIM, "the partial results have no other visible use")
        attempt.prove(CLAIM, "the results go to newly allocated memory")
        kernel = self._kernel(results)
        needs = self._check_numbers(zeros)
        if any(reduction.unnamed for reduction in reductions):
            attempt.assume("accumulators-are-wide", "torch allocates float32 if no type is given")
        changes = [*kernel.changes()]
        for pair, made in zip(self._pairs, results, strict=True):
            changes += OneLaunch(pair, self._final, made, kernel.unread).changes()
        changes += self._dropped([pair.second for pair in self._pairs])
        attempt.assume_no_other_launches()
        attempt.need(*needs)
        attempt.write(changes, "the kernel and its launches can be written")

    def _check_seen(self) -> None:
        LaunchPlan.of(self._facts, self._attempt)
        claim = "launches-are-seen"
        if self._candidate.final.module is not self._facts.kernel.module:
            raise unknown(claim, "launch-in-another-file", f"{self._name} is in another file")
        if self._final.launches.unknown:
            raise unknown(claim, "unseen-launches", self._final.launches.unknown)

    def _reductions(self) -> list[SlotReduction]:
        """Those of the second kernel, in the order of the buffers. Raises Declined."""
        name, found = self._name, slot_reductions(self._final)
        theirs = list(self._candidate.buffers.values())
        if sorted(r.buffer for r in found) != sorted(theirs):
            text = f"{name} reduces other buffers too, or one of them twice"
            raise refuted(REDUCED, "kernel-does-more", text)
        nouns = ", ".join(f"the {r.combining.noun} of {r.buffer}" for r in found)
        self._attempt.prove(REDUCED, f"{name} only stores {nouns}")
        return sorted(found, key=lambda r: theirs.index(r.buffer))

    def _check_locks(self) -> None:
        """Sums under a lock are added up, from 0 on, and all of them go. Raises Declined."""
        lock = next((p.lock for p, _ in self._found if p.lock is not None), None)
        if lock is None:
            return
        stored = {e.node for e in lock.stores} - {p.effect.node for p, _ in self._found}
        if stored or any(r.combining is not Kind.ADD for _, r in self._found):
            text = f"{lock.lock} guards more than the sums that {self._name} reads"
            raise refuted(MET, "lock-is-not-understood", text)
        for pair, name in product(self._pairs, (lock.lock, *self._candidate.buffers)):
            check_zeros(pair, name)

    def _results(self, pair: Pair) -> list[Result]:
        found = []
        for partial, reduction in self._found:
            made = check_unread(pair, partial.buffer)
            output = check_output(pair, reduction.output, from_zero=reduction.begins_with_zero)
            found.append(Result(partial.buffer, reduction, made, output))
        names = {result.output.name for result in found} | {r.buffer.name for r in found}
        if len(names) != 2 * len(found):
            text = f"the launch in {pair.second.where} passes one tensor twice"
            raise refuted(CLAIM, "output-may-hold-something", text)
        return found

    def _kernel(self, results: Sequence[Sequence[Result]]) -> AtomicKernel:
        """The first kernel as it is to be, the same for each pair of launches. Raises Declined."""
        kernels = []
        for pair, made in zip(self._pairs, results, strict=True):
            mine = self._bindings(self._facts, pair.first)
            for worlds in product(mine, self._bindings(self._final, pair.second)):
                parts = []
                for (partial, reduction), result in zip(self._found, made, strict=True):
                    met = MetSlots(pair, partial, self._final, worlds, result)
                    parts.append((partial, reduction, met.places()))
                kernels.append(AtomicKernel(parts, *worlds))
        if len({kernel.places for kernel in kernels}) != 1:
            text = "the launches store the results to different addresses"
            raise refuted(MET, "partials-do-not-match", text)
        self._attempt.prove(MET, f"{self._name} reads each partial result once")
        return kernels[0]

    def _bindings(self, facts: KernelFacts, launch: Launch) -> list[LaunchBinding]:
        found = [b for b in facts.launches.bindings if b.launch is launch]
        if not found:
            text = f"what the launch in {launch.where} passes is unknown"
            raise unknown(MET, "arguments-are-not-seen", text)
        return found

    def _check_numbers(self, zeros: Collection[str]) -> set[Safety]:
        """What sums of floats need, divided by what may be 0 or not, and extremes: atomics order
        NaN by its bits, and reductions drop it. Raises Declined."""
        needs = set[Safety]()
        for partial, reduction in self._found:
            if reduction.dtype not in FLOAT_BITS:
                continue
            if reduction.combining is Kind.ADD:
                needs.add(Safety.ROUNDING)
            elif not partial.is_of_numbers:
                text = f"no program has only NaN for {partial.buffer}"
                self._attempt.assume(MET, f"{text}, for which an atomic gives another number")
                needs.add(Safety.ASSUMPTION)
            if reduction.count in zeros:
                text = f"{reduction.count} is not 0, by which {self._name} divides"
                self._attempt.assume(MET, text)
                needs.add(Safety.ASSUMPTION)
        if Safety.ROUNDING in needs:
            for facts in (self._facts, self._final):
                assume_free_order(self._attempt, facts, [pair.first for pair in self._pairs])
                check_pins(self._attempt, facts)
        return needs

    def _is_positive(self, count: str) -> bool:
        """Whether a parameter is a number of elements, and not 0. Raises Declined."""
        bindings = [b for pair in self._pairs for b in self._bindings(self._final, pair.second)]
        passed = [binding.values.get(Param(count)) for binding in bindings]
        sizes = (
            p is not None and all(isinstance(a, TensorSize) for a in inputs_of(p)) for p in passed
        )
        if count not in self._final.integers.parameters and not all(sizes):
            text = f"{self._name} divides by {count}, which may not be an integer"
            raise refuted(REDUCED, "kernel-does-more", text)
        return all(is_positive_at(Polynomial.of(Param(count)), binding) for binding in bindings)

    def _dropped(self, launches: Sequence[Launch]) -> Iterator[Remove]:
        """The second kernel goes where nobody uses it any more, nor names it as `__all__` does."""
        final = self._candidate.final
        module, parents = final.module, final.module.names.parents
        inside = {launch.call.func for launch in launches}
        names = (n for n in module.names.scope_of if n.id == final.name)
        rest = any(parents.get(name) not in inside for name in names)
        others = set(self._final.launches.launches) - set(launches)
        texts = (n.value for n in walk(module.tree) if isinstance(n, ast.Constant))
        if not rest and not others and final.name not in texts and final.node in module.tree.body:
            yield Remove(final.node)


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
    facts: KernelFacts
    """Of the second kernel."""
    bindings: tuple[LaunchBinding, LaunchBinding]
    result: Result

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
        for coordinate, stride in zip(
            self.result.reduction.kept, self.result.reduction.strides, strict=True
        ):
            theirs = self._numbers(coordinate, second, self.facts)
            same = [n for n in left if (n.size, n.stride) == (theirs.size, theirs.stride)]
            if len(same) != 1:
                text = "the second kernel does not read the elements that the first one stores"
                raise self._declined("partials-do-not-match", text)
            left.remove(same[0])
            found.append(Place(same[0].coordinate, self._dense(substitute(stride, second))))
        slots = [self._numbers(c, second, self.facts) for c in self.result.reduction.slots]
        for slot in slots:
            self._take(slot, left)
        if any(n.size != ONE for n in left):
            text = "the second kernel does not read all elements that the first one stores"
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
                text = (
                    "it is not proved that the first kernel stores all elements that the "
                    "second one reads"
                )
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
            return _Numbers(coordinate, reduce(operator.mul, factors, ONE), stride)
        bound = self._dense(substitute(coordinate.bound, binding))
        if loops is not None and not reaches(factors, bound):
            raise not_understood("it is not proved that the second kernel reads all of it")
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
        function = self.result.buffer.function
        if function in torch_api.ZEROED:
            return self.result.reduction.begins_with_zero
        return function in torch_api.EMPTY

    def _check_all_are_stored(
        self, coordinate: Coordinate, first: LaunchBinding, size: Polynomial
    ) -> None:
        """Whether the tiles and the grid of the first kernel go as far as its mask."""
        if coordinate.bound is not None and not reaches(
            self._factors(coordinate, first, None), size
        ):
            text = f"the first kernel may leave some of {self.result.buffer.name} as line"
            raise not_understood(f"{text} {self.result.buffer.call.lineno} has filled it")

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
                text = "it is not proved that each partial result has an element of its own"
                raise self._declined("partials-do-not-match", text)
            left.remove(following[0])
            reached = reached * following[0].size

    def _dense(self, form: Polynomial) -> Polynomial:
        """The form, with the sizes and strides that new tensors have."""
        positive = (a for m in form.terms for a, power in m if power > 0)
        known = {atom: self._size(atom) for atom in positive}
        return replaced(form, {atom: size for atom, size in known.items() if size is not None})

    def _size(self, atom: Atom) -> Polynomial | None:
        """A size or a stride of a tensor that the launcher has made; a division of numbers."""
        if isinstance(atom, CeilDiv):
            return ceiling_division(self._dense(atom.dividend), self._dense(atom.divisor))
        if not isinstance(atom, TensorSize) or len(atom.which) != 1:
            return None
        at_launch = forms_at(self.pair.first)
        for tensor in (self.result.buffer, self.result.output):
            sizes = tensor.memory.sizes
            if sizes is None or at_launch(tensor.call) != atom.tensor:
                continue
            (which,) = atom.which
            if not -len(sizes) <= which < len(sizes):
                return None
            if atom.method == "size":
                return at_launch(sizes[which])
            if atom.method == "stride":
                return reduce(operator.mul, map(at_launch, sizes[which % len(sizes) + 1 :]), ONE)
        return None

    def _declined(self, reason: str, text: str) -> Declined:
        make = refuted if reason == "partials-do-not-match" else unknown
        return make(MET, reason, f"{text} (launches in lines {self._lines})")

    @property
    def _lines(self) -> str:
        return f"{self.pair.first.call.lineno} and {self.pair.second.call.lineno}"


def _programs(binding: LaunchBinding, program: ProgramId) -> Polynomial:
    number = program.axis.constant_value
    if number is None:
        raise not_understood("the axis of a program id is unknown")
    if number >= len(binding.grid):
        return ONE
    size = binding.programs(program)
    if size is None:
        raise not_understood("the grid is not read")
    return size

"""Whether two kernels may be one, and all that changes then."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Safety, refuted, unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts import of as facts_of
from tritonopt.facts.coordinates import CLAIM as MET
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.pinned_rounding import check_pins
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.slot_reductions import CLAIM as REDUCED
from tritonopt.facts.slot_reductions import SlotReduction, slot_reductions
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.launches.launch_pairs import (
    CLAIM,
    Candidate,
    Pair,
    check_output,
    check_unread,
    check_zeros,
    pairs_of,
)
from tritonopt.launches.plan import LaunchPlan
from tritonopt.passes.merge_kernels.atomic_kernel import AtomicKernel
from tritonopt.passes.merge_kernels.met_slots import MetSlots
from tritonopt.passes.merge_kernels.one_launch import OneLaunch, Result
from tritonopt.passes.merge_kernels.partial_stores import PartialStore, partial_store
from tritonopt.rewriting.promised_order import assume_free_order
from tritonopt.source import Change, Launch, Remove
from tritonopt.source.launches import places
from tritonopt.source.trees import walk


def prove_merge(facts: KernelFacts, candidate: Candidate, attempt: Attempt) -> tuple[Change, ...]:
    """The changes. Raises Declined, or NotExpressible, where a kernel stays two."""
    return _Merge(facts, candidate, attempt).changes()


class _Merge:
    def __init__(self, facts: KernelFacts, candidate: Candidate, attempt: Attempt) -> None:
        self._facts, self._final = facts, facts_of(candidate.final)
        self._candidate, self._attempt = candidate, attempt

    def changes(self) -> tuple[Change, ...]:
        attempt, name = self._attempt, self._facts.kernel.name
        self._check_seen()
        reductions = self._reductions()
        partials = [partial_store(self._facts, buffer) for buffer in self._candidate.buffers]
        attempt.prove(MET, f"each program of {name} stores what it has found once")
        pairs = pairs_of(self._facts, self._candidate)
        where = places([launch for pair in pairs for launch in (pair.first, pair.second)])
        attempt.prove(CLAIM, f"nothing comes between the launches in {where}")
        self._check_locks(partials, reductions, pairs)
        results = [self._results(pair, reductions) for pair in pairs]
        attempt.prove(CLAIM, "no other use of the partial results is seen")
        attempt.prove(CLAIM, "the results go to new memory, which nobody has used before")
        kernel = self._kernel(pairs, partials, reductions, results)
        needs = self._check_numbers(partials, reductions, pairs)
        if any(reduction.unnamed for reduction in reductions):
            attempt.assume("accumulators-are-wide", "torch makes float32 where no type is named")
        changes = [*kernel.changes()]
        for pair, made in zip(pairs, results, strict=True):
            changes += OneLaunch(pair, self._final, made, kernel.part).changes()
        changes += self._dropped([pair.second for pair in pairs])
        attempt.assume_no_other_launches()
        attempt.prove("is-expressible", "the kernel and its launches can be written")
        attempt.need(*needs)
        return tuple(changes)

    def _check_seen(self) -> None:
        LaunchPlan.of(self._facts, self._attempt)
        final, claim = self._candidate.final, "launches-are-seen"
        if final.module is not self._facts.kernel.module:
            text = f"{final.name} is in another file"
            raise unknown(claim, "launch-in-another-file", text)
        if self._final.launches.unknown:
            raise unknown(claim, "unseen-launches", self._final.launches.unknown)

    def _reductions(self) -> list[SlotReduction]:
        """Those of the second kernel, in the order of the buffers. Raises Declined."""
        name, found = self._candidate.final.name, slot_reductions(self._final)
        theirs = list(self._candidate.buffers.values())
        if sorted(r.buffer for r in found) != sorted(theirs):
            text = f"{name} reduces other buffers too, or one of them twice"
            raise refuted(REDUCED, "kernel-does-more", text)
        nouns = ", ".join(f"the {r.combining.noun} of {r.buffer}" for r in found)
        self._attempt.prove(REDUCED, f"all that {name} does is to store {nouns}")
        return sorted(found, key=lambda r: theirs.index(r.buffer))

    def _check_locks(
        self,
        partials: Sequence[PartialStore],
        reductions: Sequence[SlotReduction],
        pairs: Sequence[Pair],
    ) -> None:
        """Sums under a lock are added up, from 0 on, and all of them go. Raises Declined."""
        lock = next((partial.lock for partial in partials if partial.lock is not None), None)
        if lock is None:
            return
        stored = {e.node for e in lock.stores} - {p.effect.node for p in partials}
        if stored or any(r.combining is not Kind.ADD for r in reductions):
            text = f"{lock.lock} guards more than what {self._candidate.final.name} adds up"
            raise refuted(MET, "lock-is-not-understood", text)
        for pair, name in product(pairs, (lock.lock, *self._candidate.buffers)):
            check_zeros(pair, name)

    def _results(self, pair: Pair, reductions: Sequence[SlotReduction]) -> list[Result]:
        found = []
        for buffer, reduction in zip(self._candidate.buffers, reductions, strict=True):
            made = check_unread(pair, buffer)
            output = check_output(pair, reduction.output, from_zero=reduction.begins_with_zero)
            found.append(Result(buffer, reduction, made, output))
        names = {result.output.name for result in found} | {r.buffer.name for r in found}
        if len(names) != 2 * len(found):
            text = f"the launch in {pair.second.where} passes one tensor twice"
            raise refuted(CLAIM, "output-may-hold-something", text)
        return found

    def _kernel(
        self,
        pairs: Sequence[Pair],
        partials: Sequence[PartialStore],
        reductions: Sequence[SlotReduction],
        results: Sequence[Sequence[Result]],
    ) -> AtomicKernel:
        """The first kernel as it is to be, the same for each pair of launches. Raises Declined."""
        kernels = []
        for pair, made in zip(pairs, results, strict=True):
            mine, theirs = self._bindings(self._facts, pair.first), (self._final, pair.second)
            for worlds in product(mine, self._bindings(*theirs)):
                parts = []
                for partial, reduction, result in zip(partials, reductions, made, strict=True):
                    tensors = result.buffer, result.output
                    met = MetSlots(pair, partial, reduction, self._final, worlds, *tensors)
                    parts.append((partial, reduction.combining, met.places()))
                kernels.append(AtomicKernel(parts, worlds[:1]))
        if len({kernel.places for kernel in kernels}) != 1:
            text = "the results are to go to other places at one launch than at another"
            raise refuted(MET, "partials-do-not-match", text)
        name = self._candidate.final.name
        self._attempt.prove(MET, f"{name} takes in each partial result once")
        return kernels[0]

    def _bindings(self, facts: KernelFacts, launch: Launch) -> list[LaunchBinding]:
        found = [b for b in facts.launches.bindings if b.launch is launch]
        if not found:
            text = f"what the launch in {launch.where} passes is not seen"
            raise unknown(MET, "arguments-are-not-seen", text)
        return found

    def _check_numbers(
        self,
        partials: Sequence[PartialStore],
        reductions: Sequence[SlotReduction],
        pairs: Sequence[Pair],
    ) -> set[Safety]:
        """What sums of floats need, and extremes: atomics order NaN by its bits, and reductions
        drop it. Raises Declined."""
        needs = set[Safety]()
        for partial, reduction in zip(partials, reductions, strict=True):
            if reduction.dtype not in FLOAT_BITS:
                continue
            if reduction.combining is Kind.ADD:
                needs.add(Safety.ROUNDING)
            elif not partial.is_of_numbers:
                text = f"no program finds nothing but NaN for {partial.buffer}"
                self._attempt.assume(MET, f"{text}, of which an atomic makes another number")
                needs.add(Safety.ASSUMPTION)
        if Safety.ROUNDING in needs:
            for facts in (self._facts, self._final):
                assume_free_order(self._attempt, facts, [pair.first for pair in pairs])
                check_pins(self._attempt, facts)
        return needs

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

"""Whether two kernels may be one, and all that changes then."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts import of as facts_of
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.launches.plan import LaunchPlan
from tritonopt.rewriting.model import Safety
from tritonopt.source import Change, Launch, Remove
from tritonopt.source.launches import places
from tritonopt.source.trees import walk
from tritonopt.transforms.merging.atomic_kernel import AtomicKernel
from tritonopt.transforms.merging.launch_pairs import (
    NEW,
    PAIRED,
    UNREAD,
    Candidate,
    Pair,
    check_is_dropped,
    check_output,
    check_unread,
    check_zeros,
    pairs_of,
)
from tritonopt.transforms.merging.met_slots import MetSlots
from tritonopt.transforms.merging.one_launch import OneLaunch, Result
from tritonopt.transforms.merging.partial_stores import CLAIM as STORED
from tritonopt.transforms.merging.partial_stores import PartialStore, partial_store
from tritonopt.transforms.merging.slot_reductions import CLAIM as REDUCED
from tritonopt.transforms.merging.slot_reductions import SlotReduction, slot_reductions
from tritonopt.transforms.pinned_rounding import check_pins
from tritonopt.transforms.promised_order import assume_free_order


@dataclass(frozen=True)
class Merged:
    """Two kernels that may be one."""

    partials: Sequence[PartialStore]
    reductions: Sequence[SlotReduction]
    changes: tuple[Change, ...]
    safety: frozenset[Safety]

    @property
    def rounds(self) -> bool:
        """Whether sums of floats are added up in another order."""
        return any(r.combining is Kind.ADD and r.dtype in FLOAT_BITS for r in self.reductions)


def prove_merge(facts: KernelFacts, candidate: Candidate, attempt: Attempt) -> Merged:
    """Raises Declined, or NotExpressible, where a kernel stays two."""
    return _Merge(facts, candidate, attempt).proved()


class _Merge:
    def __init__(self, facts: KernelFacts, candidate: Candidate, attempt: Attempt) -> None:
        self._facts = facts
        self._candidate = candidate
        self._attempt = attempt
        self._final = facts_of(candidate.final)

    def proved(self) -> Merged:
        self._check_seen()
        mine = list(self._candidate.buffers)
        reductions = self._reductions()
        partials = [partial_store(self._facts, buffer) for buffer in mine]
        name = self._facts.kernel.name
        self._attempt.prove(STORED, f"each program of {name} stores what it has found once")
        pairs = pairs_of(self._facts, self._candidate)
        for pair in pairs:
            check_is_dropped(pair)
        where = places([launch for pair in pairs for launch in (pair.first, pair.second)])
        self._attempt.prove(PAIRED, f"nothing comes between the launches in {where}")
        self._check_locks(partials, reductions, pairs)
        results = [self._results(pair, reductions) for pair in pairs]
        self._attempt.prove(UNREAD, "no other use of the partial results is seen")
        self._attempt.prove(NEW, "the results go to new memory, which nobody has used before")
        kernel = self._kernel(pairs, partials, reductions, results)
        safety = {Safety.CONTRACT} | self._numbers(partials, reductions)
        merged = Merged(partials, reductions, (), frozenset(safety))
        if merged.rounds:
            safety |= {Safety.ROUNDING}
            launchers = [pair.first for pair in pairs]
            for facts in (self._facts, self._final):
                assume_free_order(self._attempt, facts, launchers)
                check_pins(self._attempt, facts)
        changes = [*kernel.changes()]
        for pair, made in zip(pairs, results, strict=True):
            changes += OneLaunch(pair, self._final, made, kernel.part).changes()
        changes += self._dropped([pair.second for pair in pairs])
        self._attempt.assume_no_other_launches()
        self._attempt.prove("is-expressible", "the kernel and its launches can be written")
        return Merged(partials, reductions, tuple(changes), frozenset(safety))

    def _check_seen(self) -> None:
        LaunchPlan.of(self._facts, self._attempt)
        final = self._candidate.final
        if final.module is not self._facts.kernel.module:
            text = f"{final.name} is in another file"
            raise unknown("launches-are-seen", "launch-in-another-file", text)
        if self._final.launches.unknown:
            raise unknown("launches-are-seen", "unseen-launches", self._final.launches.unknown)

    def _reductions(self) -> list[SlotReduction]:
        """Those of the second kernel, in the order of the buffers. Raises Declined."""
        name, found = self._candidate.final.name, slot_reductions(self._final)
        theirs = list(self._candidate.buffers.values())
        if sorted(r.buffer for r in found) != sorted(theirs):
            text = f"{name} also reduces other buffers, or one of them twice"
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
        locks = [partial.lock for partial in partials if partial.lock is not None]
        if not locks:
            return
        lock = locks[0]
        stored = {e.node for e in lock.stores} - {p.effect.node for p in partials}
        if stored or any(r.combining is not Kind.ADD for r in reductions):
            text = f"{lock.lock} guards more than what {self._candidate.final.name} adds up"
            raise refuted(STORED, "lock-is-not-understood", text)
        for pair in pairs:
            for name in (lock.lock, *self._candidate.buffers):
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
            raise refuted(NEW, "output-may-hold-something", text)
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
            for mine, theirs in product(
                self._bindings(self._facts, pair.first), self._bindings(self._final, pair.second)
            ):
                parts = []
                for partial, reduction, result in zip(partials, reductions, made, strict=True):
                    met = MetSlots(
                        pair,
                        partial,
                        reduction,
                        self._final,
                        (mine, theirs),
                        result.buffer,
                        result.output,
                    )
                    parts.append((partial, reduction.combining, met.places()))
                kernels.append(AtomicKernel(parts, (mine,)))
        if len({kernel.places for kernel in kernels}) != 1:
            text = "the results are to go to other places at one launch than at another"
            raise refuted("accumulators-can-be-combined", "partials-do-not-match", text)
        name = self._candidate.final.name
        self._attempt.prove(
            "accumulators-can-be-combined", f"{name} takes in each partial result once"
        )
        return kernels[0]

    def _bindings(self, facts: KernelFacts, launch: Launch) -> Iterator[LaunchBinding]:
        found = [b for b in facts.launches.bindings if b.launch is launch]
        if not found:
            text = f"what the launch in {launch.where} passes is not seen"
            raise unknown("accumulators-can-be-combined", "arguments-are-not-seen", text)
        yield from found

    def _numbers(
        self, partials: Sequence[PartialStore], reductions: Sequence[SlotReduction]
    ) -> set[Safety]:
        """What is needed for extremes: atomics order NaN by its bits, and reductions drop it."""
        claim, safety = "accumulators-can-be-combined", set()
        for partial, reduction in zip(partials, reductions, strict=True):
            if reduction.combining is Kind.ADD or reduction.dtype not in FLOAT_BITS:
                continue
            if not partial.is_of_numbers:
                text = f"no program finds nothing but NaN for {partial.buffer}"
                self._attempt.assume(claim, f"{text}, of which an atomic makes another number")
                safety.add(Safety.ASSUMPTION)
        return safety

    def _dropped(self, launches: Sequence[Launch]) -> Iterator[Remove]:
        """The second kernel goes where nobody uses it any more, nor names it as `__all__` does."""
        final = self._candidate.final
        module = final.module
        inside = {id(launch.call.func) for launch in launches}
        parents = module.names.parents
        rest: list[ast.expr] = [
            name
            for name in module.names.scope_of
            if name.id == final.name and id(parents.get(name)) not in inside
        ]
        texts = (n.value for n in walk(module.tree) if isinstance(n, ast.Constant))
        others = set(self._final.launches.launches) - set(launches)
        used = rest or others or final.name in texts
        if not used and final.node in module.tree.body:
            yield Remove(final.node)

"""The search: all variants with little effort, and the better half of them with more, again and
again.

What a variant is worth is what it gains where it is faster: where it is not, the original can
stay. So a variant that is by far the best for one call is not dropped for what it loses on others.

Nothing is verified here, which takes ten times as long as timing does: most variants are no faster,
and need no proof. So what comes out has to be verified before anything is made of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest

from tritonopt.measurement.timing import Effort
from tritonopt.measurement.tuned import Evidence, Fate, Progress, Tried
from tritonopt.tuning.calls import Call
from tritonopt.tuning.trials import Found, Trials
from tritonopt.tuning.variation.variants import Variant, Variation

_EFFORTS = (
    Effort(precision=0.02, least=10, most=40, seconds=0.1),
    Effort(precision=0.01, least=20, most=200, seconds=0.3),
    Effort(precision=0.005, least=20, most=400, seconds=0.6),
)
"""Of the rungs: the first is on a few calls, the others on all."""
_PROBES = 4
"""Calls of the first rung."""
_GENERATIONS = 3
"""What is made of the best is looked at so often: passes after passes, other launch parameters."""
_PARENTS = 3
_SETS, _PARAMETERS = 2, 4
"""Variants of sets of passes and of launch parameters that come before those of single passes."""
_KEPT = 8
"""Variants that reach the second rung, at most."""
_LEADING = 3
"""Finalists that are worth a verification, where there are the processors for it."""
_LIKELY = math.log(1.05)
"""Of a gain that is worth a verification before all is known of it."""
_AT_ONCE = 4
"""Variants that are timed before it is asked whether the time is over."""


@dataclass
class Standing:
    """A variant, and what is known of it by now."""

    variant: Variant
    fate: Fate = Fate.WAITING
    reason: str = ""
    evidence: Evidence | None = None
    """Once it was chosen, and verified."""
    found: dict[str, Found] = field(default_factory=dict)
    """By the label of the call."""

    @property
    def gain(self) -> float:
        """Logarithms of the ratios, summed over the calls where it is faster."""
        ratios = [found.ratio for found in self.found.values() if found.ratio is not None]
        return sum(max(math.log(ratio.value), 0.0) for ratio in ratios)

    def is_simpler_for_the_same(self, other: Standing) -> bool:
        """Whether all calls launch the same machine code as in another variant that does more.

        What it does beside this one was then run by no call.
        """
        is_less = set(self.variant.steps) < set(other.variant.steps)
        if not is_less or self.found.keys() != other.found.keys():
            return False
        pairs = [(found.code, other.found[label].code) for label, found in self.found.items()]
        return bool(pairs) and all(code and code == also for code, also in pairs)

    def refuse(self, evidence: Evidence) -> None:
        """It is not known to be the same function."""
        self.evidence, self.fate, self.reason = evidence, Fate.REFUSED, evidence.reason

    def take(self, found: dict[str, Found]) -> None:
        self.found |= found
        every = self.found.values()
        refuted = next((f.failure for f in every if f.refuted), "")
        if refuted:
            self.fate, self.reason = Fate.REFUSED, f"on a call that was to be timed {refuted}"
        elif every and all(f.same_code for f in every):
            self.fate = Fate.SAME_CODE
        elif every and not any(f.ratio for f in every):
            self.fate, self.reason = Fate.FAILED, next(f.failure for f in every)
        elif every:
            self.fate = Fate.DROPPED  # until it is seen to be among the best

    def tried(self) -> Tried:
        """It, as it is told."""
        return Tried(
            self.variant.name,
            self.variant.text,
            self.fate,
            self.reason,
            self.evidence,
            {label: found.ratio for label, found in self.found.items() if found.ratio is not None},
            self.variant.remarks,
        )


@dataclass
class Search:
    """One search, for one launcher."""

    variation: Variation
    calls: Sequence[Call]
    trials: Trials
    over: Callable[[], bool]
    report: Callable[[Progress], None]
    standings: list[Standing] = field(default_factory=list)
    leading: Callable[[str, bool], Evidence | None] = lambda text, instead: None
    """Called with a text that is likely to win, while others are still to be timed; what is known
    against it by then. Also whether it takes the place of the one before."""
    leader: Standing | None = None
    is_cut_short: bool = False
    """Whether the time was over before everything was made that could be."""

    def run(self) -> list[Standing]:
        """Time variants as long as there are any and the time is not over; the finalists."""
        variants = self._first()
        for generation in range(_GENERATIONS):
            begun = [Standing(variant) for variant in variants]
            self.standings += begun
            for start in range(0, len(begun), _AT_ONCE):
                if not self.over():
                    self._time(begun[start : start + _AT_ONCE], self._probes(), 0, _EFFORTS[0])
                    self._lead_alone()
            self.is_cut_short = self.over()
            if self.is_cut_short or generation == _GENERATIONS - 1:
                break
            variants = self._made_of(self.best(_PARENTS))
        return self.finalists()

    def _first(self) -> list[Variant]:
        """Passes; and a few launch parameters early, which cost nothing to read and often pay."""
        passed = self.variation.first()
        tuned = self.variation.tuned(self.variation.original)
        early = chain(islice(passed, _SETS), islice(tuned, _PARAMETERS))
        return self._in_time(chain(early, passed))

    def _in_time(self, variants: Iterable[Variant]) -> list[Variant]:
        """Those that can be made before the time is over; one at least, to be told of."""
        found: list[Variant] = []
        for variant in variants:
            found.append(variant)
            if self.over():
                break
        return found

    def finalists(self) -> list[Standing]:
        """Of those that were no finalists before, what gains most on all calls; the best first."""
        finalists = self.best(min(_KEPT, max(len(self.timed) // 2, 2)))
        for rung, effort in enumerate(_EFFORTS[1:], start=1):
            self._time(finalists, self.calls, rung, effort)
            self._lead(self.best(_LEADING, finalists))
            finalists = self.best(max(len(finalists) // 2, 2), finalists)
        for standing in finalists:
            standing.fate = Fate.FINALIST
        return finalists

    def _lead_alone(self) -> None:
        """The best so far is verified in place of the one before, if it gains a good deal more."""
        before = self.leader.gain if self.leader in self.timed else 0.0
        if (best := next(iter(self.best(1)), None)) and best.gain > before + _LIKELY:
            self.leader = best
        if self.leader in self.timed:
            self._lead([self.leader], instead=True)

    def _lead(self, first: Sequence[Standing], *, instead: bool = False) -> None:
        for likely in first:
            if likely.gain >= _LIKELY and (against := self.leading(likely.variant.text, instead)):
                likely.refuse(against)

    @property
    def timed(self) -> list[Standing]:
        return [s for s in self.standings if s.fate is Fate.DROPPED]

    def best(self, count: int, among: Sequence[Standing] | None = None) -> list[Standing]:
        """Those that gain most; of two that gain the same, the simpler one first."""
        faster = [s for s in among or self.timed if s.gain > 0 and s.fate is Fate.DROPPED]
        faster = [s for s in faster if not any(o.is_simpler_for_the_same(s) for o in self.timed)]
        return sorted(faster, key=lambda s: (-round(s.gain, 2), s.variant.effort))[:count]

    def _time(
        self, standings: Sequence[Standing], calls: Sequence[Call], rung: int, effort: Effort
    ) -> None:
        self._report("timing")
        texts = [standing.variant.text for standing in standings]
        # On the first rung no tuner searches: that takes minutes, mostly for what is no gain.
        stage = f"rung {rung}"
        found = self.trials.timed(texts, calls, effort, stage, choosing=rung > 0)
        for standing in standings:
            standing.take(found[standing.variant.text])

    def _probes(self) -> list[Call]:
        """Some calls, from the smallest to the largest."""
        ordered = sorted(self.calls, key=lambda call: call.bytes)
        if len(ordered) <= _PROBES:
            return ordered
        step = (len(ordered) - 1) / (_PROBES - 1)
        return [ordered[round(number * step)] for number in range(_PROBES)]

    def _made_of(self, parents: Sequence[Standing]) -> list[Variant]:
        """Passes of one parent after those of another; other launch parameters."""
        found: list[Variant] = []
        paying = [p.variant for p in parents if p.variant.passes]
        for one in paying:
            for other in paying:
                if other is not one:
                    found += self.variation.pairs(one, other)
        # The original with other parameters is a variant as well, after those of what paid.
        tuned = [self.variation.tuned(p.variant) for p in parents]
        tuned.append(self.variation.tuned(self.variation.original))
        for row in zip_longest(*tuned):
            found += [variant for variant in row if variant is not None]
        return found

    def _report(self, phase: str) -> None:
        done = sum(s.fate is not Fate.WAITING for s in self.standings)
        leader = next(iter(self.best(1)), None)
        best = ""
        if leader is not None:
            ratios = [f.ratio.value for f in leader.found.values() if f.ratio is not None]
            best = f"{max(ratios):.2f}x with {leader.variant.name}"
        launcher = self.trials.request.launcher
        self.report(Progress(launcher, phase, done, len(self.standings), 0.0, best))

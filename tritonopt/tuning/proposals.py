"""From the finalists of a search to a text that is accepted: as it is, or behind a condition."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from tritonopt import source
from tritonopt.measurement.results import Ratio, Row
from tritonopt.measurement.timing import Effort
from tritonopt.measurement.tuned import ORIGINAL, TUNED, Evidence, Fate
from tritonopt.tuning.acceptance import failing, is_accepted, is_claim, is_harmless
from tritonopt.tuning.calls import Call
from tritonopt.tuning.dispatch.callers import kernels_used_elsewhere, other_callers
from tritonopt.tuning.dispatch.conditions import best, conditions, lowered
from tritonopt.tuning.dispatch.places import Difference, NoDispatch, Place, difference, shared
from tritonopt.tuning.dispatch.state import kept_state
from tritonopt.tuning.dispatch.texts import dispatched
from tritonopt.tuning.halving import Standing
from tritonopt.tuning.session import OVER
from tritonopt.tuning.shapes import odd_call
from tritonopt.tuning.trials import Trials, same_code
from tritonopt.verification.process.client import Died, Refusal
from tritonopt.verification.signature.argument_parser import parse

NOT_AFRESH = "there was no time to measure it again"
_ONCE = Effort(least=1, most=1, seconds=0.0)
"""Of a call that is made to compare its results."""
_ATTEMPTS = 3
"""Proposals that a fresh measurement may go against: each one more is a chance for noise."""


_WIDTH = 88
"""Of a comment."""


@dataclass(frozen=True)
class Proposal:
    """A text that may be accepted."""

    standing: Standing
    text: str
    condition: str
    uses_new: frozenset[str]
    """Labels of the calls that run new code."""
    claimed: Mapping[str, Ratio]
    """Of these, the ones that the search saw to be faster."""
    choice: Callable[[Mapping[str, Ratio], bool], str] | None = None
    """Of a choice: the text with other figures in its comment; or with small bounds."""

    @property
    def gain(self) -> float:
        """Logarithms of the ratios, summed over the calls."""
        return sum(math.log(ratio.value) for ratio in self.claimed.values())


@dataclass
class Choosing:
    """The choice for one launcher."""

    trials: Trials
    calls: Sequence[Call]
    verify: Callable[[str], Evidence]
    over: Callable[[], bool]
    """Whether the time is over."""
    may_verify: Callable[[], bool] = lambda: True
    """Whether there is time for a verification."""
    begin: Callable[[str], Evidence | None] = lambda text: None
    """Has a text verified while it is measured; what is known against it by then."""
    notes: list[str] = field(default_factory=list)
    fresh: dict[str, Row] = field(default_factory=dict)
    """Of the last proposal that was measured."""
    evidence: Evidence | None = None
    forbidden: dict[str, set[str]] = field(default_factory=dict)
    """By the text of a variant, the calls on which a fresh measurement went against it."""
    refuted: list[Standing] = field(default_factory=list)
    """Variants that are shown to be other functions."""
    looked_at: set[str] = field(default_factory=set)
    """Texts of proposals."""
    against: int = 0
    """Proposals that a fresh measurement went against."""

    @cached_property
    def program(self) -> source.Program | None:
        """The files that were given with the one that is tuned."""
        request = self.trials.request
        given = map(Path, (request.path, *request.beside))
        return source.Program(given, keep=True) if request.beside else None

    @property
    def is_done(self) -> bool:
        """Whether nothing more may be proposed: one is always looked at to its end, and what was
        refused does not count as long as the next one can be verified."""
        if self.against >= _ATTEMPTS:
            return True
        if not self.looked_at:
            return False
        return not self.may_verify() or (self.over() and self.against > 0)

    def accepted(self, finalists: Sequence[Standing]) -> Proposal | None:
        """The best proposal that a fresh measurement bears out, and that is verified then.

        What is not verified is refused, whatever it gains.
        """
        while not self.is_done:
            for standing in finalists:
                self._refuse_what_goes_on_from_refuted(standing)
            left = (s for s in finalists if s.fate is not Fate.REFUSED)
            every = [p for s in left for p in self._proposals(s)]
            proposals = [p for p in every if p.text not in self.looked_at]
            if not proposals:
                return None
            proposal = max(proposals, key=_worth)
            self.looked_at.add(proposal.text)
            evidence = self.begin(proposal.text)
            if evidence is None or (proposal.choice and evidence.verdict == "unsupported"):
                if not self._is_borne_out(proposal):
                    self.against += 1
                    continue
                evidence = self._verified(proposal)
                evidence = self._with_gpu(evidence, proposal.text) if evidence.is_yes else evidence
            if not evidence.is_yes:
                proposal.standing.refuse(evidence)
                if evidence.verdict == "counterexample":
                    self.refuted.append(proposal.standing)
                continue
            proposal.standing.fate = Fate.ACCEPTED
            described = self.trials.session.described
            self.fresh = {label: described(row) for label, row in self.fresh.items()}
            self.evidence = proposal.standing.evidence = evidence
            if proposal.choice is None:
                return proposal
            ratios = {label: r.ratio for label, r in self.fresh.items() if r.ratio is not None}
            return replace(proposal, text=proposal.choice(ratios, False))
        return None

    def _refuse_what_goes_on_from_refuted(self, standing: Standing) -> None:
        """Nobody waits for the verification of a wrong variant with something more."""
        steps = set(standing.variant.steps)
        for wrong in self.refuted:
            evidence, name = wrong.evidence, wrong.variant.name
            if standing is not wrong and evidence and set(wrong.variant.steps) <= steps:
                standing.refuse(replace(evidence, reason=f"as {name}: {evidence.reason}"))

    def _with_gpu(self, evidence: Evidence, text: str) -> Evidence:
        """The evidence, with what the GPU gives for the calls that were timed, larger than any that
        is drawn, and for one of odd sizes: no tile is whole there."""
        compared = self.trials.session.compared
        same = len(compared & self.fresh.keys())
        if not same:
            reason = "its results for the timed calls could not be compared: they take much memory"
            return replace(evidence, verdict="unsupported", reason=reason)
        call = min(self.calls, key=lambda call: call.bytes)
        odd = odd_call(parse(evidence.args), call) if evidence.args else None
        row = self.trials.fresh(TUNED, text, odd, _ONCE) if odd else Row("", "")
        why = row.doubts.get(TUNED) or row.failures.get(TUNED, "")
        if odd and why and (why == OVER or ORIGINAL not in row.failures):
            verdict = "unsupported" if why == OVER else "counterexample"
            return replace(evidence, verdict=verdict, reason=f"on the GPU, {odd.label}: {why}")
        and_odd = "; so does one of odd sizes" if odd and odd.label in compared else ""
        of = f"{same} of {len(self.fresh)} timed calls agree on one random input each{and_odd}"
        return replace(evidence, backend=f"{evidence.backend}; {of}")

    def _verified(self, proposal: Proposal) -> Evidence:
        """Evidence for a text; where no example gets beyond its bounds, for smaller ones.

        Both sides of a choice have to be the same function wherever it stands.
        """
        evidence = self.verify(proposal.text)
        if evidence.verdict != "unsupported" or proposal.choice is None:
            return evidence
        small = self.verify(proposal.choice({}, True))
        if not small.is_yes:
            return evidence
        note = "verified with smaller bounds in the choice, so that both sides of it were run"
        return replace(small, notes=(*small.notes, note))

    def _is_borne_out(self, proposal: Proposal) -> bool:
        """Measured afresh, on all calls."""
        self.fresh = {}
        self.trials.session.compared.clear()
        for call in self.calls:
            row = self.fresh[call.label] = self.trials.fresh(TUNED, proposal.text, call)
            if OVER in row.failures.values():
                proposal.standing.refuse(Evidence("unsupported", reason=NOT_AFRESH))
                return False
        new = {
            label: row.ratio if TUNED not in row.doubts else None
            for label, row in self.fresh.items()
            if label in proposal.uses_new
        }
        # What runs the original's code on the other calls must be no slower for the choice.
        for label, row in self.fresh.items():
            if label not in new and not same_code(row, ORIGINAL, TUNED):
                new[label] = row.ratio if TUNED not in row.doubts else None
        if is_accepted(new, proposal.claimed):
            return True
        against = failing(new, proposal.claimed)
        for label, why in against.items():
            failed = "".join(f": {each}" for each in self.fresh[label].failures.values())
            self._note(proposal, f"not for {label}: {why}{failed}")
        known = self.forbidden.setdefault(proposal.standing.variant.text, set())
        known |= against.keys() & proposal.uses_new
        return False

    def _proposals(self, standing: Standing) -> Iterator[Proposal]:
        """The variant as it is, where it loses nowhere; else behind a condition."""
        against = self.forbidden.get(standing.variant.text, set())
        ratios = {
            call.label: found.ratio
            for call in self.calls
            if (found := standing.found.get(call.label)) is not None
            and found.ratio is not None
            and call.label not in against
        }
        claimed = {label: ratio for label, ratio in ratios.items() if is_claim(ratio)}
        if not claimed:
            return
        path = self.trials.request.path
        variant = standing.variant
        old, new = source.read(self.trials.request.text, path), source.read(variant.text, path)
        safe = {label for label, ratio in ratios.items() if is_harmless(ratio)}
        safe |= {label for label, found in standing.found.items() if found.same_code}
        every = frozenset(call.label for call in self.calls)
        launcher = self.trials.request.launcher
        reason = self._beyond(old, new, launcher)
        if reason:
            standing.refuse(Evidence("unsupported", reason=reason))
            return
        # What else launches a kernel that differs was not measured, and keeps the original's.
        others = shared(old, new, launcher)
        others |= kernels_used_elsewhere(old, new, launcher, self.program)
        if every <= safe and not others:
            yield Proposal(standing, variant.text, "", every, claimed)
            return
        why = "it is faster for some calls only"
        try:
            parts = difference(old, new, launcher)
            if every <= safe:
                why = f"other code runs {', '.join(sorted(others))} as well"
                text = dispatched(parts, [""] * len(parts.places), (), suffix_of(standing))
                yield Proposal(standing, text, "", every, claimed)
            else:
                yield self._somewhere(standing, parts, claimed, every - safe)
        except (NoDispatch, Died, Refusal) as reason:
            self.notes.append(
                f"{variant.name}: {why}, and the launcher cannot choose it for them: {reason}"
            )

    def _beyond(self, old: source.Module, new: source.Module, launcher: str) -> str:
        """What a variant changes that no verification of the launcher sees; "" for nothing."""
        for name, caller in other_callers(old, new, launcher, self.program):
            return f"it changes `{name}`, which {caller} runs as well: that is not verified"
        for name, held in kept_state(old, new, launcher):
            return (
                f"it changes `{name}`, which keeps something in `{held}` of the module: that is "
                "not compared"
            )
        return ""

    def _somewhere(
        self,
        standing: Standing,
        parts: Difference,
        claimed: Mapping[str, Ratio],
        forbidden: frozenset[str],
    ) -> Proposal:
        """The variant behind a condition in the launcher. Raises NoDispatch, Died and Refusal."""
        labels = [call.label for call in self.calls]
        never = frozenset(at for at, label in enumerate(labels) if label in forbidden)

        def gain(at: int) -> float:
            ratio = claimed.get(labels[at])
            return 0.0 if ratio is None else math.log(ratio.value)

        written: list[str] = []
        holds: frozenset[int] | None = None
        for place in parts.places:
            numbers = [self._numbers(place, call) for call in self.calls]
            found = conditions(numbers, _sizes(self.calls, numbers))
            if holds is not None:
                found = [c for c in found if c.holds == holds]
            chosen = best(found, gain, never)
            if chosen is None:
                raise NoDispatch("no number in the launcher separates them from the others")
            written.append(chosen.text)
            holds = chosen.holds
        if holds is None:
            raise NoDispatch("no code that the launcher runs differs")
        uses_new = frozenset(labels[at] for at in holds)
        inside = {label: ratio for label, ratio in claimed.items() if label in uses_new}

        def in_launcher(ratios: Mapping[str, Ratio], small: bool) -> str:
            bounds = list(map(lowered, written)) if small else written
            return dispatched(parts, bounds, self._comment(ratios, uses_new), suffix_of(standing))

        searched = {n: f.ratio for n, f in standing.found.items() if f.ratio is not None}
        text = in_launcher(searched, False)
        return Proposal(standing, text, written[0], uses_new, inside, in_launcher)

    def _numbers(self, place: Place, call: Call) -> dict[str, int]:
        """What surely bound names stand for there."""
        found = self.trials.numbers_at(place.lines, call)
        return {name: number for name, number in found.items() if name in place.names}

    def _comment(self, ratios: Mapping[str, Ratio], uses_new: frozenset[str]) -> list[str]:
        """The figures that the choice rests on."""
        machine = self.trials.machine
        where = "" if machine is None else f" ({machine.gpu}, Triton {machine.triton})"
        inside = [ratio.value for label, ratio in ratios.items() if label in uses_new]
        text = (
            f"Measured{where}: {_range(inside)} as fast as the code below where this holds; "
            "elsewhere it was not faster. `tritonopt tune --check` measures it again."
        )
        return textwrap.wrap(text, _WIDTH)

    def _note(self, proposal: Proposal, text: str) -> None:
        where = f" ({proposal.condition})" if proposal.condition else ""
        self.notes.append(f"{proposal.standing.variant.name}{where}: {text}")


def suffix_of(standing: Standing) -> str:
    """What is put behind the name of a kernel for the new one: the passes that made it."""
    passed = [r.pass_name for r in standing.variant.remarks if r.kind == "passed"]
    names = list(dict.fromkeys(passed))
    return re.sub(r"\W+", "_", names[0]) if len(names) == 1 else "tuned"


def _worth(proposal: Proposal) -> tuple[float, int, tuple[int, int]]:
    """More is better: what it gains; then no choice before a choice, and less to read."""
    length, size = proposal.standing.variant.effort
    return round(proposal.gain, 2), not proposal.condition, (-length, -size)


def _range(values: Sequence[float]) -> str:
    if not values:
        return "nothing"
    low, high = f"{min(values):.2f}x", f"{max(values):.2f}x"
    return low if low == high else f"{low} to {high}"


def _sizes(calls: Sequence[Call], numbers: Sequence[Mapping[str, int]]) -> list[str]:
    """The names that are sizes of the tensors that are passed: what a reader understands best."""
    found = []
    for name in numbers[0] if numbers else ():
        column = [each.get(name) for each in numbers]
        for size in calls[0].sizes:
            if column == [call.sizes.get(size) for call in calls]:
                found.append(name)
    return list(dict.fromkeys(found))

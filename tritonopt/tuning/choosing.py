"""From the finalists of a search to a text that is accepted: as it is, or behind a condition."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tritonopt import source
from tritonopt.measurement.results import Ratio, Row
from tritonopt.measurement.tuned import ORIGINAL, TUNED, Evidence, Fate
from tritonopt.tuning.acceptance import failing, is_accepted, is_claim, is_harmless
from tritonopt.tuning.calls import Call
from tritonopt.tuning.dispatch.conditions import best, conditions
from tritonopt.tuning.dispatch.places import Difference, NoDispatch, difference
from tritonopt.tuning.dispatch.texts import dispatched
from tritonopt.tuning.halving import Standing
from tritonopt.tuning.trials import Trials, same_code
from tritonopt.verification.process.client import Died, Refusal

_ATTEMPTS = 3
"""Proposals that are measured afresh, at most: each is one more chance for noise."""


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
    written: Callable[[Mapping[str, Ratio]], str] | None = None
    """Of a choice: the text with other figures in its comment."""

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
    notes: list[str] = field(default_factory=list)
    fresh: dict[str, Row] = field(default_factory=dict)
    """Of the last proposal that was measured."""
    evidence: Evidence | None = None
    forbidden: dict[str, set[str]] = field(default_factory=dict)
    """By the text of a variant, the calls on which a fresh measurement went against it."""

    def accepted(self, finalists: Sequence[Standing]) -> Proposal | None:
        """The best proposal that a fresh measurement bears out, if there is one."""
        refused: set[str] = set()
        for _ in range(_ATTEMPTS):
            proposals = [p for s in finalists for p in self._proposals(s) if p.text not in refused]
            if not proposals:
                return None
            proposal = max(proposals, key=_worth)
            refused.add(proposal.text)
            evidence = self.verify(proposal.text)
            if not evidence.is_yes:
                self._note(proposal, f"the whole text was not verified: {evidence.reason}")
                continue
            if self.over():
                self._note(proposal, "the time was over before it could be measured afresh")
                return None
            self.evidence = evidence
            if self._is_borne_out(proposal):
                proposal.standing.fate = Fate.ACCEPTED
                if proposal.written is None:
                    return proposal
                ratios = {label: r.ratio for label, r in self.fresh.items() if r.ratio is not None}
                return replace(proposal, text=proposal.written(ratios))
        return None

    def _is_borne_out(self, proposal: Proposal) -> bool:
        """Measured afresh, on all calls."""
        self.fresh = {}
        for call in self.calls:
            self.fresh[call.label] = self.trials.fresh(TUNED, proposal.text, call)
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
            self._note(proposal, f"not for {label}: {why}")
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
        try:
            parts = difference(
                source.read(self.trials.request.text, path),
                source.read(variant.text, path),
                self.trials.request.launcher,
            )
        except NoDispatch as reason:
            parts = None
            why = str(reason)
        safe = {label for label, ratio in ratios.items() if is_harmless(ratio)}
        safe |= {label for label, found in standing.found.items() if found.same_code}
        every = frozenset(call.label for call in self.calls)
        if every <= safe:
            yield from self._everywhere(standing, parts, every, claimed)
        elif parts is None or self.trials.request.launch is not None:
            text = "a kernel that is launched by itself" if parts is not None else why
            self.notes.append(f"{variant.name}: it wins for some calls only; no choice: {text}")
        else:
            yield from self._somewhere(standing, parts, claimed, every - safe)

    def _everywhere(
        self,
        standing: Standing,
        parts: Difference | None,
        every: frozenset[str],
        claimed: Mapping[str, Ratio],
    ) -> Iterator[Proposal]:
        text = standing.variant.text
        if parts is not None and parts.shared:
            # What else launches these kernels was not measured, and keeps the original's.
            try:
                text = dispatched(parts, [""] * len(parts.places), (), suffix_of(standing))
            except NoDispatch as reason:
                names = ", ".join(sorted(parts.shared))
                self.notes.append(
                    f"{standing.variant.name}: others run {names} as well, and a copy for this "
                    f"launcher alone cannot be made: {reason}"
                )
                return
        yield Proposal(standing, text, "", every, claimed)

    def _somewhere(
        self,
        standing: Standing,
        parts: Difference,
        claimed: Mapping[str, Ratio],
        forbidden: frozenset[str],
    ) -> Iterator[Proposal]:
        labels = [call.label for call in self.calls]
        never = frozenset(at for at, label in enumerate(labels) if label in forbidden)

        def gain(at: int) -> float:
            ratio = claimed.get(labels[at])
            return 0.0 if ratio is None else math.log(ratio.value)

        written: list[str] = []
        holds: frozenset[int] | None = None
        try:
            for place in parts.places:
                numbers = [self._numbers(place.lines, place.names, call) for call in self.calls]
                found = conditions(numbers, _sizes(self.calls, numbers))
                if holds is not None:
                    found = [c for c in found if c.holds == holds]
                chosen = best(found, gain, never)
                if chosen is None:
                    raise NoDispatch("no number of the launcher tells where it wins")
                written.append(chosen.text)
                holds = chosen.holds
            if holds is None:
                raise NoDispatch("nothing that the launcher runs differs")
            uses_new = frozenset(labels[at] for at in holds)
            inside = {label: ratio for label, ratio in claimed.items() if label in uses_new}

            def write(ratios: Mapping[str, Ratio]) -> str:
                comment = self._comment(ratios, uses_new)
                return dispatched(parts, written, comment, suffix_of(standing))

            searched = {n: f.ratio for n, f in standing.found.items() if f.ratio is not None}
            text = write(searched)
        except (NoDispatch, Died, Refusal) as reason:
            self.notes.append(
                f"{standing.variant.name}: it wins for some calls only; no choice: {reason}"
            )
            return
        yield Proposal(standing, text, written[0], uses_new, inside, write)

    def _numbers(self, lines: tuple[int, int], names: frozenset[str], call: Call) -> dict[str, int]:
        found = self.trials.numbers_at(lines, call)
        return {name: number for name, number in found.items() if name in names}

    def _comment(self, ratios: Mapping[str, Ratio], uses_new: frozenset[str]) -> list[str]:
        """The figures that the choice rests on."""
        machine = self.trials.machine
        where = "" if machine is None else f" on an {machine.gpu} with Triton {machine.triton}"
        inside = [ratio.value for label, ratio in ratios.items() if label in uses_new]
        return [
            f"{_range(inside)} as fast as below, as measured{where}; elsewhere it was not faster.",
            "`tritonopt tune --check` measures it again.",
        ]

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

"""Whether two versions are the same algebra: draws of residues, compared without tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce

from tritonopt.verification.algebra.field import by_chance
from tritonopt.verification.algebra.following import decided_otherwise, limits_differ
from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import Difference, residues_differ, shared
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.inputs.examples import ORDINARY, Example, PlainValue, Repeat
from tritonopt.verification.process.messages import (
    Both,
    Coverage,
    Outcome,
    RunOptions,
    all_ran,
    both_merged,
    same_bits,
)
from tritonopt.verification.verdict import Algebra, AlgebraAnswer

LEAST, MOST = 4, 12
"""How many draws are made, on calls that run together what all of them do, if they can."""
_SMALLER = 3
"""So many smaller calls are tried where two versions differ."""
_UNFIT = 3
"""So many draws without an answer are one."""
_MOST_WORK = 20_000
"""Statements of kernels beyond which a call is not drawn: residues take some ten times as long."""


@dataclass
class SameAlgebra:
    """Draws of residues on calls that both versions have taken."""

    checker: Checker
    seed: int
    demands: Sequence[Demand] = ()
    """What has to run in the draws, as it has to for a yes."""
    tried: int = 0
    draws: int = 0
    bound: float = 1.0
    """How likely it is that two different functions agreed in all draws."""
    lost: list[str] = field(default_factory=list)
    differing: tuple[Example, Difference] | None = None
    differing_options: RunOptions = RunOptions()
    """With which both versions were run there."""
    ran: Both = (Coverage(), Coverage())
    """What ran in the draws that count."""
    limits: tuple[frozenset[float], frozenset[float]] = (frozenset(), frozenset())
    """The numbers of the programs that floats were compared with there."""
    saw_rounding: bool = False
    """Whether the numbers of both versions differed in a draw."""
    decided: str = ""
    """Where one version decides by floats that the other does not compute, in words."""

    def run(self) -> Algebra:
        """Draw until there is a difference, or enough."""
        for example in self._examples():
            self._draw(example)
            if self._is_over:
                self._try_smaller_ones()
                return self._answer()
        for example in self._further_ones():
            if self._is_over or not self._missing(self.ran):
                break
            if self._adds(example):
                self._draw(_ordinary(example))
        hidden = [e for e in self._differing if self._work(e) <= _MOST_WORK][:LEAST]
        for example in (*map(_ordinary, hidden), *hidden):
            if self._is_over or self.saw_rounding:
                break
            self._draw(example)
        return self._answer()

    def _try_smaller_ones(self) -> None:
        """Of the calls with a difference, a small one is easier to read."""
        found = self.differing
        if found is None or found[0].main_tensor is None:
            return
        smaller = [e for e in self.checker.taken(found[0].main_size - 1) if _is_fit(e)]
        for example in sorted(smaller, key=lambda e: e.main_size)[:_SMALLER]:
            self._draw(example)
            if self.differing is not found:
                return

    @property
    def _is_over(self) -> bool:
        return self.differing is not None or len(self.lost) >= _UNFIT

    @cached_property
    def _differing(self) -> list[Example]:
        """Calls in which the numbers of both versions differ, the wide types first."""
        examined = self.checker.examinations.items()
        found = [e for e, x in examined if x.measures and not e.is_far]
        return sorted(found, key=lambda e: (self.checker.observed.is_heavy(e), _is_narrow(e)))

    def _adds(self, example: Example) -> bool:
        """Whether a call ran what no draw has."""
        added = both_merged(self.ran, self.checker.observed.seen[example])
        return len(self._missing(added)) < len(self._missing(self.ran))

    def _further_ones(self) -> list[Example]:
        """Other calls, for what no draw has run: those that take longer come last."""
        seen = self.checker.observed.seen
        heavy = self.checker.observed.is_heavy
        return sorted(
            (e for e in seen if not e.is_far and self._work(e) <= _MOST_WORK),
            key=lambda e: (heavy(e), not _is_fit(e), self._work(e)),
        )

    def _work(self, example: Example) -> int:
        """Statements that both versions executed; told by that and not by the clock."""
        return sum(c.work for c in self.checker.observed.seen.get(example, ()))

    def _missing(self, ran: Both) -> list[Demand]:
        """What was seen to run, and did not in the draws."""
        return [d for d in self._met if not d.met_by(ran[d.side])]

    @cached_property
    def _met(self) -> list[Demand]:
        """What ran in calls in which something was written; there is nothing to compare else."""
        both = reduce(both_merged, self.checker.observed.seen.values(), (Coverage(), Coverage()))
        return [d for d in self.demands if d.met_by(both[d.side])]

    def _answer(self) -> Algebra:
        different = self.differing is not None
        missing = self._missing(self.ran)
        limit = limits_differ(*self.limits) or self.decided or self._unseen
        if different or (self.draws and not self.lost and not missing and not limit):
            bound = None if different else self.bound
            answer = AlgebraAnswer.DIFFERENT if different else AlgebraAnswer.SAME
            text = "" if self.differing is None else _told(*self.differing)
            return Algebra(answer.value, self.draws, bound, text)
        reason = self.lost[0] if self.lost else "no call returns ordinary floats"
        if self.draws and not self.lost:
            reason = f"where residues could be compared, {missing[0]}" if missing else limit
        return Algebra(AlgebraAnswer.NOT_APPLICABLE.value, self.draws, None, reason)

    def _draw(self, example: Example) -> None:
        seed = 1 + self.seed * 1009 + self.tried
        self.tried += 1
        versions, options = self.checker.versions, (RunOptions(algebra=seed),)
        with versions.waiting():
            versions.original.send_or_die(example, options)
            versions.rewritten.send_or_die(example, options)
            (ours,) = versions.original.receive(1)
            (theirs,) = versions.rewritten.receive(1)
        found = [*_troubles(ours, "original"), *_troubles(theirs, "rewritten version")]
        if found:
            self.lost.append(found[0])
            return
        if ours.retyped:
            # The compiler takes no loop that leaves a name with another type than it found it.
            return
        difference, compared = residues_differ(ours, theirs)
        if difference is not None:
            assert ours.followed is not None
            known = ours.followed.computed
            self.differing_options = RunOptions(algebra=seed)
            self.differing = example, self._placed(example, seed, difference, known)
            return
        if not compared:
            return
        assert ours.followed is not None and theirs.followed is not None
        degree = ours.followed.degree + theirs.followed.degree
        self.draws += 1
        self.ran = both_merged(self.ran, (ours.coverage, theirs.coverage))
        self.bound *= by_chance(degree)
        self.limits = (
            self.limits[0] | ours.followed.limits,
            self.limits[1] | theirs.followed.limits,
        )
        self.saw_rounding |= any(
            not same_bits(output, other).all() for output, other in shared(ours, theirs)
        )
        self.decided = self.decided or decided_otherwise(ours.followed, theirs.followed)

    @property
    def _unseen(self) -> str:
        """Where the numbers differ in calls alone that no draw was made of, in words."""
        if self.saw_rounding or not self._differing:
            return ""
        return "the numbers differ, but not in a call whose residues could be compared"

    def _placed(
        self, example: Example, seed: int, difference: Difference, known: bytes
    ) -> Difference:
        """The difference, with the operation of the rewritten version at which it begins."""
        asked = difference.label, difference.at
        options = RunOptions(algebra=seed, known=known, asked=asked)
        (theirs,) = self.checker.versions.rewritten.run(example, options)
        if theirs.followed is None or not theirs.followed.parting:
            return difference
        text = f"{difference.message}\nwhere they differ first: {theirs.followed.parting}"
        return replace(difference, message=text)

    def _examples(self) -> list[Example]:
        """Calls with ordinary values: those that run more than the ones before, and some more.

        Those with wide types first: a constant that is a little off is none in 16 bits. Of the
        calls whose numbers differ there is one of each form: what tolerance hides is there.
        """
        seen = self.checker.observed.seen
        light = [e for e in seen if self._work(e) <= _MOST_WORK]
        fit = [e for e in light if _is_fit(e) and not self.checker.observed.is_heavy(e)]
        differing = set(self._differing)
        covered: set[object] = set()
        chosen: list[Example] = []
        for example in sorted(
            fit,
            key=lambda e: (
                _is_narrow(e),
                -len(all_ran(seen[e])),
                e not in differing,
                self._work(e),
            ),
        ):
            new = all_ran(seen[example])
            if example in differing:
                new.add(_form(example))
            if new - covered:
                covered |= {*new, _form(example)}
                chosen.append(example)
        rest = [e for e in fit if e not in chosen]
        rest = [e for e in rest if not _is_narrow(e)] or rest
        step = max(1, len(rest) // LEAST)
        return [*chosen, *rest[::step][: max(0, LEAST - len(chosen))]][:MOST]


def _is_fit(example: Example) -> bool:
    """Whether what a call is given has no values that are chosen to be hard for floats."""
    floats = [r for r in example.tensors.values() if r.is_float]
    plain = all(r.values == ORDINARY for r in floats) and not example.is_far
    return bool(floats) and plain and not example.gradient_nan


def _ordinary(example: Example) -> Example:
    """The same call with values that are not chosen to be hard for floats."""
    return replace(
        example.with_tensors(lambda _, r: replace(r, values=ORDINARY) if r.is_float else r),
        gradient_nan=False,
    )


def _form(example: Example) -> tuple[object, ...]:
    """What a call looks like, but for the sizes and values of its tensors."""
    dtypes = tuple((name, recipe.dtype) for name, recipe in example.tensors.items())
    plain = [(n, repr(r)) for n, r in example.arguments if isinstance(r, (PlainValue, Repeat))]
    return "form", dtypes, *plain


def _is_narrow(example: Example) -> bool:
    """Whether a call is given floats of less than 32 bits."""
    floats = [r for r in example.tensors.values() if r.is_float]
    return any(r.dtype not in ("f32", "f64") for r in floats)


def _troubles(outcome: Outcome, title: str) -> Iterator[str]:
    if outcome.failure is not None:
        yield f"the {title} fails with residues: {outcome.failure}"
    elif outcome.followed is None:
        yield f"the {title} has no residues"
    else:
        yield from (f"in the {title}: {why}" for why in outcome.followed.lost)


def _told(example: Example, difference: Difference) -> str:
    call = "\n".join(f"  {line}" for line in str(example).splitlines())
    return f"{difference}\non a call with\n{call}"

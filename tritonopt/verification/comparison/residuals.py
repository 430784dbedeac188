"""Errors against the oracle, judged by what the original itself shows over all examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tritonopt.verification.comparison.compare import (
    FACTOR,
    NUMBER_FOR_NAN,
    TOLERANCE,
    UNITS,
    Difference,
    Measure,
    Pair,
    beyond_rounding,
    furthest,
    measure,
    rounding_only,
)
from tritonopt.verification.comparison.versions import Versions
from tritonopt.verification.inputs.examples import (
    AWAY,
    MANY_NANS,
    NAN,
    NONFINITE,
    ORDINARY,
    Example,
)
from tritonopt.verification.process.messages import Outcome, RunOptions

# What the original would compute in float64, as far as it can be run in that.


@dataclass
class Oracle:
    """The original's kernels widened to float64, asked about one example at a time."""

    versions: Versions
    obstacles: Mapping[str, str]
    """Why a kernel, by its name, cannot be widened."""
    missing: str = ""
    """Why there is no oracle, once that is known."""
    latest: tuple[Example, Outcome | None, Outcome | None] | None = None
    """The most recent answer: it is asked several times about one example."""

    def ask(self, example: Example, plain: Outcome) -> tuple[Outcome | None, Outcome | None]:
        """The widened run and the same with its inputs perturbed, or None where there is none.

        `plain` is the original's plain run.
        """
        if self.latest is None or self.latest[0] != example:
            self.latest = example, *self._run(example, plain)
        return self.latest[1:]

    def _run(self, example: Example, plain: Outcome) -> tuple[Outcome | None, Outcome | None]:
        original = self.versions.original
        for name in dict.fromkeys(plain.launches):
            if not self.missing and name in self.obstacles:
                self.missing = self.obstacles[name]
        if not self.missing:
            with self.versions.waiting():
                exact, perturbed = original.run(
                    example, RunOptions(widened=True), RunOptions(widened=True, perturbation=1)
                )
            failure = exact.failure or perturbed.failure
            if failure is None:
                return exact, perturbed
            self.missing = f"the float64 copy of the kernel failed ({failure})"
        (perturbed,) = original.run(example, RunOptions(perturbation=1))
        return None, perturbed if perturbed.failure is None else None

    def absolute(self, example: Example) -> Outcome | None:
        """How large the original's sums are where no terms cancel; None if it cannot be told."""
        options = RunOptions(widened=not self.missing, absolute=True)
        (found,) = self.versions.original.run(example, options)
        return found if found.failure is None else None

    def rounding_only(self, example: Example, plain: Outcome, pair: Pair) -> bool:
        """Whether a version's two runs differ as sums in no fixed order do, and not more."""
        if not (pair.first.atomics and pair.second.atomics):
            return False
        exact, perturbed = self.ask(example, plain)
        if exact is None and self.versions.interpreted:
            # In the one order of the plain run, the original is a function like any other.
            exact = plain
        if rounding_only(pair.first, pair.second, exact, perturbed):
            return True
        absolute = self.absolute(example)
        return rounding_only(pair.first, pair.second, exact, perturbed, absolute)


_WITH_NAN = (NAN, MANY_NANS, NONFINITE)
_WORTHLESS = 0.5
"""With such an error of its own, as a share of the row, the original's result means nothing."""
_MOST_MOVES = 8
"""So many runs, with what is rounded rounded otherwise, before a tie counts as exact: one that
rounding makes stays where it is in half of them."""
_MOST_EXCUSES = 60
"""So often it is asked: where rounding explained that many, it will explain the others."""


@dataclass
class Residuals:
    """The largest errors so far, of both versions."""

    oracle: Oracle
    in_float32: bool
    """Whether the original's text names float32: it may compute in that, whatever it is given."""
    own: dict[tuple[str, str, frozenset[str]], float] = field(default_factory=dict)
    """The original's largest, by output, its type, and the types and difficulty of the inputs."""
    worst: float | None = None
    """The rewritten version's largest error."""
    oracle_error: float | None = None
    """The original's largest error against the float64 oracle."""
    excuses: int = 0
    """So often it was asked whether rounding explains a difference."""
    near_zero: int = 0
    """In so many examples a result near 0 has digits of rounding only."""
    of_zero: tuple[float, float] = (0.0, 0.0)
    """The rewritten version's and the original's, in rows whose true value is 0."""

    @property
    def notes(self) -> list[str]:
        if not self.near_zero:
            return []
        text = "results near 0 have no right digits, since the kernel adds or subtracts larger "
        return [f"{text}numbers: not counted, in {self.near_zero} examples"]

    def measured(
        self, example: Example, ours: Pair, theirs: Pair
    ) -> tuple[Difference | None, list[Measure]]:
        """What is no matter of rounding, and the errors."""
        difference, found = self._measured(example, ours, theirs)
        if self.oracle.missing and difference is None:
            found = [self._of_narrow_inputs(example, ours, theirs, m) for m in found]
        elif self.oracle.versions.has_reference and difference is None:
            found = [self._of_small_results(example, ours, theirs, m) for m in found]
        return difference, found

    def _measured(
        self, example: Example, ours: Pair, theirs: Pair
    ) -> tuple[Difference | None, list[Measure]]:
        """The errors; before one counts as too large, the inputs are perturbed once more.

        A row may keep its place when its inputs are moved, by chance, but hardly so twice. Where
        terms cancel, moving all of them away from 0 shows their size in the result. And sums in
        no fixed order may err by as much as their terms allow, however these cancel.
        """
        exact, perturbed = self.oracle.ask(example, ours.first)
        given = _holds_nan(example)
        found = measure(ours, theirs, exact, perturbed, nan_given=given)
        if given and found[0] is not None and found[0].message == NUMBER_FOR_NAN:
            given = not self._makes_nan_itself(example, ours, theirs, found[0].label)
            found = measure(ours, theirs, exact, perturbed, nan_given=given)
        if perturbed is None or not any(self._beyond(m, m.original_residual) for m in found[1]):
            return found
        atomics = ours.first.atomics or theirs.first.atomics
        absolute = self.oracle.absolute(example) if atomics else None
        truth, moved = exact or ours.first, perturbed
        # What torch computes costs little, so that chance is given less.
        seeds = range(2, _MOST_MOVES) if self.oracle.versions.has_reference else (2,)
        for perturbation in (AWAY, *seeds):
            options = RunOptions(widened=exact is not None, perturbation=perturbation)
            (again,) = self.oracle.versions.original.run(example, options)
            if again.failure is not None:
                break
            moved = furthest(truth, moved, again)
            found = measure(ours, theirs, exact, moved, absolute, nan_given=given)
            if perturbation != AWAY and not any(
                self._beyond(m, m.original_residual) for m in found[1]
            ):
                break
        return found

    def _makes_nan_itself(self, example: Example, ours: Pair, theirs: Pair, label: str) -> bool:
        """Whether the original has NaN where the rewritten version has a number without any in the
        inputs as well: of a tile that is masked off altogether, say."""
        plain = replace(
            example.with_tensors(
                lambda n, r: replace(r, values=ORDINARY) if r.values in _WITH_NAN else r
            ),
            gradient_nan=False,
        )
        (outcome,) = self.oracle.versions.original.run(plain, RunOptions())
        one, other, own = (o.output(label) for o in (ours.first, theirs.first, outcome))
        if one is None or other is None or own is None or own.shape != one.shape == other.shape:
            return False
        lost = np.isnan(one.reals()) & ~np.isnan(other.reals())
        return bool(np.isnan(own.reals())[lost].all())

    def _of_narrow_inputs(
        self, example: Example, ours: Pair, theirs: Pair, found: Measure
    ) -> Measure:
        """Without an oracle: what is computed in a narrower type than is stored errs as that does,
        where rounding makes such a difference at all."""
        types = {r.dtype for r in example.tensors.values() if r.is_float}
        room = max((TOLERANCE[t] for t in types if t in TOLERANCE), default=0.0)
        accused = self._beyond(found, found.original_residual)
        if not (accused and self.oracle.versions.interpreted) or room <= TOLERANCE[found.dtype]:
            return found
        moved = [self.oracle.versions.rounded_otherwise(example, seed) for seed in (1, 2)]
        explained = beyond_rounding(ours, theirs, moved) is None
        return replace(found, allowance=max(found.allowance, room)) if explained else found

    def _of_small_results(
        self, example: Example, ours: Pair, theirs: Pair, found: Measure
    ) -> Measure:
        """A kernel that subtracts from 1 what torch need not, `1 - 2 / (exp(2 * x) + 1)`, has no
        digit of a result near 0: that is the same function, where rounding makes the difference
        and it is one of units of 1."""
        accused = self._beyond(found, found.original_residual)
        if not (accused and self.oracle.versions.interpreted):
            return found
        exact, _ = self.oracle.ask(example, ours.first)
        truth = None if exact is None else exact.output(found.label)
        other = theirs.first.output(found.label)
        if truth is None or other is None:
            return found
        away = np.abs(truth.reals() - other.reals())
        if not np.nanmax(away, initial=0.0) <= UNITS[found.dtype]:
            return found
        moved: list[tuple[Outcome, Outcome]] = []
        while beyond_rounding(ours, theirs, moved) is not None:
            if len(moved) == _MOST_MOVES:
                return found
            moved.append(self.oracle.versions.rounded_otherwise(example, len(moved) + 1))
        self.near_zero += 1
        return replace(found, allowance=np.inf)

    def unexplained(
        self, example: Example, ours: Pair, theirs: Pair, measures: Iterable[Measure]
    ) -> Difference | None:
        """A difference that may be excused, and is none of rounding; see `beyond_rounding`.

        Inputs that are moved by a unit leave a tie (`x > 1` where x is 1), and everything that
        comes of it jumps. That is no excuse where what meets there is not rounded.
        """
        if not self.oracle.versions.interpreted or self.excuses > _MOST_EXCUSES:
            return None
        moved: list[tuple[Outcome, Outcome]] = []
        exact, _ = self.oracle.ask(example, ours.first)
        found = beyond_rounding(ours, theirs, moved, exact)
        self.excuses += found is not None
        while found is not None and len(moved) < _MOST_MOVES:
            moved.append(self.oracle.versions.rounded_otherwise(example, len(moved) + 1))
            found = beyond_rounding(ours, theirs, moved, exact)
        if found is None:
            return None
        known = (self.excess(example, measure, 1.0) for measure in measures)
        return next((difference for difference in known if difference is not None), found)

    def remember(self, example: Example, found: Measure) -> bool:
        """Whether the errors are evidence: not where the original's own result means nothing."""
        if found.original_error > _WORTHLESS:
            return False
        group = _group(example, found)
        self.own[group] = max(self.own.get(group, 0.0), found.original_residual)
        self.worst = max(self.worst or 0.0, found.error)
        if not self.oracle.missing:
            self.oracle_error = max(self.oracle_error or 0.0, found.original_error)
        before, own = self.of_zero
        self.of_zero = max(before, found.error_of_zero), max(own, found.original_error_of_zero)
        return True

    def excess(self, example: Example, found: Measure, times: float) -> Difference | None:
        """An error more than so many times beyond what the original shows so far."""
        if found.original_error > _WORTHLESS:
            return None
        own = self.own.get(_group(example, found), 0.0)
        if not self._beyond(found, own, times):
            return None
        against = "the original itself" if self.oracle.missing else "the float64 oracle"
        text = f"{found.difference.message} (against {against})"
        return replace(found.difference, message=text)

    def _beyond(self, found: Measure, own: float, times: float = 1.0) -> bool:
        """Whether an error is too large where the original's is `own`."""
        limit = FACTOR * own + self._least(found, own)
        return found.residual > times * (limit + found.allowance)

    def _least(self, found: Measure, own: float) -> float:
        """What an error may be in any case; of float64 that is kept, but computed in float32,
        as much as of float32."""
        if self.oracle.missing:
            single = found.dtype == "f64" and self.in_float32
            return TOLERANCE["f32" if single else found.dtype]
        single = found.dtype == "f64" and max(own, found.original_residual) > UNITS["f64"]
        return UNITS["f32" if single else found.dtype]


def _group(example: Example, found: Measure) -> tuple[str, str, frozenset[str]]:
    """What is computed in float16 errs by more than what is not, also where float32 comes out."""
    types = {f"{name}: {r.dtype}" for name, r in example.tensors.items() if r.is_float}
    return found.label, found.dtype, example.difficulty | types


def _holds_nan(example: Example) -> bool:
    kinds = {r.values for r in example.tensors.values() if r.is_float}
    return example.gradient_nan or not kinds.isdisjoint(_WITH_NAN)

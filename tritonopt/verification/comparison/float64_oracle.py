"""What the original would compute in float64, as far as it can be run in that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tritonopt.verification.comparison.compare import Pair, rounding_only
from tritonopt.verification.comparison.versions import Versions
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.messages import Outcome, RunOptions


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

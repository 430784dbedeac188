"""What the draws happened to miss: configurations of an autotuner, and classes of values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.tally import Counterexample
from tritonopt.verification.inputs.examples import FLOAT_VALUES, NEGATIVE, ZEROS, Example
from tritonopt.verification.inputs.strategies import Calls

PLAIN_ELEMENTS = 600
"""What the interpreter can run in no time, and still takes several tiles."""
LAST_VALUES = (ZEROS, NEGATIVE)
"""Classes of values that plain rewrites seldom get wrong: not at any cost."""


@dataclass(frozen=True)
class Gaps:
    """Examples are made for them from those that were accepted."""

    checker: Checker
    calls: Calls
    report: Callable[[str], None]

    def configurations(self) -> Counterexample | None:
        """Every configuration that no accepted example took, on the smallest that teaches."""
        accepted = [e for e, x in self.checker.examinations.items() if x.accepted]
        drawn = {e.configuration for e in accepted}
        several = (e for e in accepted if e.main_size > 1)
        plain = min(several, key=lambda e: e.main_size, default=None)
        if plain is None:
            return None
        for number in (n for n in range(self.calls.configurations) if n not in drawn):
            example = replace(plain, configuration=number, first_call=False)
            found = self._shown(example, "configurations")
            if found is not None:
                return found
        return None

    def values(self) -> Counterexample | None:
        """A plain example of every class of values that no draw gave to the widest type.

        A few draws may well miss the one class, in the one type, on which a variance cancels.
        Only gross errors count here: on one example the original may be exact by luck.
        """
        room = PLAIN_ELEMENTS if self.checker.versions.interpreted else self.calls.limits.elements
        largest = self.checker.rich(room)
        if largest is None:
            return None
        accepted = self.checker.taken(max(room, largest.main_size))
        dtypes = self.calls.widest_types(largest)
        mains = [e.tensors[e.main_tensor or ""] for e in accepted]
        main = largest.main_tensor or ""
        drawn = {m.values for m in mains if m.dtype == dtypes[main] and m.elements > 16}
        for values in (v for v in FLOAT_VALUES if v not in drawn and v not in LAST_VALUES):
            found = self._shown(largest.plain(values, dtypes), "examples")
            if found is not None:
                return found
        return None

    def _shown(self, example: Example, phase: str) -> Counterexample | None:
        if self.checker.stopped:
            return None
        self.checker.examine(example)
        self.report(phase)
        difference = self.checker.certain(example)
        return None if difference is None else (example, difference)

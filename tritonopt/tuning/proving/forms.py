"""Forms of calls that a verification draws from, one after the other until one is answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.verifying_server import LATE

_SHARE = 1.5
"""Into which the time is divided for all forms but the last."""
_Asked = tuple[str, str | None]
"""A backend and a form."""


@dataclass
class Forms:
    """What is known of the forms for one launcher.

    Where calls of another form could be compared, one of which not a single call could is one whose
    calls the original does not take. It may take half a minute to find that out, and is the same
    for every text: it is asked once.
    """

    _not_taken: set[_Asked] = field(default_factory=set)
    _doubted: set[_Asked] = field(default_factory=set)
    """Of the text that is verified: as long as no call is compared, that may be what it is."""

    def asked(
        self, backend: str, forms: Sequence[str | None]
    ) -> Iterator[tuple[str | None, float]]:
        """Those to ask, and into how many parts to divide the time there is for each."""
        self._doubted.clear()
        left = [form for form in forms if (backend, form) not in self._not_taken]
        for form in left[:-1]:
            yield form, _SHARE
        yield (left or forms)[-1], 1

    def is_answered(self, backend: str, form: str | None, evidence: Evidence) -> bool:
        """Whether this is an answer; else it is kept in mind."""
        if evidence.examples:
            self._not_taken |= self._doubted
        elif evidence.verdict == "unsupported" and evidence.backend:
            self._doubted.add((backend, form))
        # What was not answered in time is not answered sooner in another form.
        return evidence.verdict != "unsupported" or LATE in evidence.reason

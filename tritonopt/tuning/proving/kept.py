"""The evidence for a text, kept in the store: what is known is not asked again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import metadata

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.verifying_server import Question
from tritonopt.tuning.store import Key
from tritonopt.tuning.trials import Trials


@dataclass(frozen=True)
class Kept:
    """By all that is asked, what is timed on, and the versions."""

    trials: Trials
    """With the store."""

    def known(self, question: Question) -> Evidence | None:
        found = self.trials.stored(self._key(question))
        return None if found is None else Evidence(**{**found, "notes": tuple(found["notes"])})

    def keep(self, question: Question, evidence: Evidence) -> None:
        if not evidence.backend:
            return  # it came to no verdict, and may another time
        self.trials.keep(self._key(question), {**vars(evidence), "notes": list(evidence.notes)})

    def _key(self, question: Question) -> Key:
        words = (
            *(question.backend, question.examples, question.args, question.assume),
            *(question.kernel, question.grid, question.algebra, question.covered_elsewhere),
        )
        key = self.trials.key(question.text, f"verified: {words}")
        versions = f"{key.versions} tritonopt {metadata.version('tritonopt')}"
        return replace(key, versions=versions)

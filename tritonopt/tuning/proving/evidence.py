"""Evidence for texts of one launcher: asked of the workers once, within the time, and kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from importlib import metadata

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.forms import Forms
from tritonopt.tuning.proving.verifying import Verifying, on_both, on_gpu
from tritonopt.tuning.proving.verifying_server import Question
from tritonopt.tuning.requests import Request
from tritonopt.tuning.store import Key
from tritonopt.tuning.trials import Trials

LEAST = 90.0
"""Seconds that verifications have together once the budget is used up."""
_SCREENING = 4
"""Where nothing is timed, variants are verified on so many times fewer examples."""
_NO_TIME = 5.0
"""With fewer seconds none is begun."""
_SHARE = 2
"""Into which what is left of the budget is divided: what takes longer leaves time for another."""


@dataclass
class Proving:
    """The verifications of one launcher."""

    request: Request
    trials: Trials
    """With the store."""
    verifying: Verifying
    left: Callable[[], float]
    """Seconds of the budget."""
    phase: Callable[[str], AbstractContextManager[None]]
    """Takes down how long it took what is done within it."""
    overtime: float = LEAST
    """Seconds that verifications may still take beyond the budget."""
    forms: Forms = field(default_factory=Forms)

    def screened(self, texts: Sequence[str]) -> Iterator[Evidence]:
        """Evidence for variants that are not timed; what is known is not asked again."""
        examples = max(self.request.examples // _SCREENING, 1)
        asked = [self._question(text, examples) for text in texts]
        known = {a.text: e for a in asked if (e := self._known(a)) is not None}
        missing = [a for a in asked if a.text not in known]
        answers = self.verifying.answers(missing, max(self.left(), LEAST))
        for question, evidence in zip(missing, answers, strict=True):
            self._keep(question, evidence)
            known[question.text] = evidence
        return iter([known[text] for text in texts])

    def evidence(self, text: str) -> Evidence:
        """Evidence for what may be accepted: on all examples, with residues.

        Of the backend that was asked for; else of the interpreter and of the GPU. A kernel is
        compiled anew for most sizes, in a second, and does not tell what it ran. So the interpreter
        has all of the examples, and the GPU as many as show that it does the same there.
        """
        question = replace(self._question(text, self.request.examples), algebra=True)
        if question.backend != "auto":
            return self._first_answer(question)
        interpreted = self._first_answer(replace(question, backend="interpreter"))
        if interpreted.is_yes:
            return on_both(interpreted, self._on_gpu(question, interpreted))
        if interpreted.compared_nothing:
            # It has what the interpreter cannot run.
            return self._first_answer(replace(question, backend="cuda"))
        return interpreted

    def _on_gpu(self, question: Question, interpreted: Evidence) -> Evidence:
        """What the GPU says of calls as they were seen, where there are such; else, and where the
        original does not take these, of those that the interpreter had."""
        evidence = Evidence("unsupported")
        drawn: list[str | None] = [f for f in (self.request.as_seen, interpreted.args) if f]
        for args in drawn or [self.request.args]:
            evidence = self._answered(on_gpu(replace(question, args=args)), 1)
            # Where the time was over, the next one would take more of it.
            if evidence.verdict != "unsupported" or not evidence.backend:
                break
        return evidence

    def _first_answer(self, question: Question) -> Evidence:
        """The answer for the first form of the calls that comes to one; else that for the last."""
        forms = (self.request.args, *self.request.otherwise)
        evidence = Evidence("unsupported")
        for args, share in self.forms.asked(question.backend, forms):
            evidence = self._answered(replace(question, args=args), share)
            if self.forms.is_answered(question.backend, args, evidence):
                break
        return evidence

    def _answered(self, question: Question, share: int) -> Evidence:
        """The answer; it may take the time that there is, divided by `share`."""
        known = self._known(question)
        if known is not None:
            return known
        begun, left = time.monotonic(), max(self.left(), 0.0)
        seconds = max(left / _SHARE, self.overtime) / share
        if seconds < _NO_TIME:
            return Evidence("unsupported", reason="no time was left to verify it")
        with self.phase("verifying"):
            (evidence,) = self.verifying.answers([question], seconds)
        self.overtime -= max(time.monotonic() - begun - left, 0.0)
        self._keep(question, evidence)
        return evidence

    def _question(self, text: str, examples: int) -> Question:
        request = self.request
        return Question(
            request.path,
            request.launcher,
            text,
            request.args,
            request.assume,
            backend=request.backend,
            examples=examples,
        )

    def _key(self, question: Question) -> Key:
        words = (question.backend, question.examples, question.args, question.assume)
        key = self.trials.key(
            question.text,
            f"verified: {words}, algebra: {question.algebra}, "
            f"covered elsewhere: {question.covered_elsewhere}",
        )
        versions = f"{key.versions} tritonopt {metadata.version('tritonopt')}"
        return replace(key, versions=versions)

    def _known(self, question: Question) -> Evidence | None:
        found = self.trials.stored(self._key(question))
        return None if found is None else Evidence(**{**found, "notes": tuple(found["notes"])})

    def _keep(self, question: Question, evidence: Evidence) -> None:
        if not evidence.backend:
            return  # it came to no verdict, and may another time
        self.trials.keep(self._key(question), {**vars(evidence), "notes": list(evidence.notes)})

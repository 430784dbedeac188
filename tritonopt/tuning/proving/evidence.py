"""Evidence for texts of one launcher: asked of the workers once, within the time, and kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.forms import Forms
from tritonopt.tuning.proving.kept import Kept
from tritonopt.tuning.proving.verifying import Verifying, on_gpu, shown_by_both
from tritonopt.tuning.proving.verifying_server import Question
from tritonopt.tuning.requests import Request
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

    @cached_property
    def kept(self) -> Kept:
        return Kept(self.trials)

    @property
    def has_time(self) -> bool:
        """Whether a verification may begin, within the budget or beyond it."""
        return max(self.left(), self.overtime) >= _NO_TIME

    def screened(self, texts: Sequence[str]) -> Iterator[Evidence]:
        """Evidence for variants that are not timed; what is known is not asked again."""
        examples = max(self.request.examples // _SCREENING, 1)
        asked = [self._question(text, examples) for text in texts]
        known = {a.text: e for a in asked if (e := self.kept.known(a)) is not None}
        missing = [a for a in asked if a.text not in known]
        answers = self.verifying.answers(missing, max(self.left(), LEAST))
        for question, evidence in zip(missing, answers, strict=True):
            self.kept.keep(question, evidence)
            known[question.text] = evidence
        return iter([known[text] for text in texts])

    def evidence(self, text: str) -> Evidence:
        """Evidence for what may be accepted: on all examples, with residues.

        Of the backend that was asked for; else of the interpreter and of the GPU.
        """
        question = replace(self._question(text, self.request.examples), algebra=True)
        if question.backend != "auto":
            return self._first_answer(question)
        return shown_by_both(question, self._first_answer, lambda yes: self._on_gpu(question, yes))

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
        known = self.kept.known(question)
        if known is not None:
            return known
        begun, left = time.monotonic(), max(self.left(), 0.0)
        seconds = max(left / _SHARE, self.overtime) / share
        if seconds < _NO_TIME:
            return Evidence("unsupported", reason="no time was left to verify it")
        with self.phase("verifying"):
            (evidence,) = self.verifying.answers([question], seconds)
        self.overtime -= max(time.monotonic() - begun - left, 0.0)
        self.kept.keep(question, evidence)
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

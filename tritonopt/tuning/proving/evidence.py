"""Evidence for texts of one launcher: asked of the workers once, within the time, and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.forms import Forms
from tritonopt.tuning.proving.kept import Kept
from tritonopt.tuning.proving.verifying import Verifying, on_gpu, shown_by_both
from tritonopt.tuning.proving.verifying_server import LATE, Question
from tritonopt.tuning.requests import Request
from tritonopt.tuning.trials import Trials

LEAST = 60.0
"""Seconds that a verification may take of what is left, though it leaves none for another."""
NO_TIME = "no time was left to verify it"
_SCREENING = 4
"""Where nothing is timed, variants are verified on so many times fewer examples."""
_NO_TIME = 5.0
"""With fewer seconds none is begun."""
_FIRST, _LAST = 0.4, 0.7
"""The parts of that time in which calls are made: by the interpreter, whose yes the GPU follows,
and where nothing follows. A call that has begun then ends."""
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
    forms: Forms = field(default_factory=Forms)
    ahead: dict[Question, Evidence] = field(default_factory=dict)
    """What was answered while others were timed."""

    @cached_property
    def kept(self) -> Kept:
        return Kept(self.trials)

    @property
    def has_time(self) -> bool:
        """Whether a verification may begin within the budget."""
        return self.left() >= _NO_TIME

    def begin(self, text: str) -> None:
        """Have the interpreter look at a text while others are timed: the likely winner."""
        self.collect()
        if self.request.backend not in ("auto", "interpreter") or not self.has_time:
            return
        forms = (self.request.args, *self.request.otherwise)
        question = self._question(text, self.request.examples)
        question = replace(question, backend="interpreter", args=forms[0], algebra=True)
        if self.kept.known(question) is None:
            self.verifying.begin_with(replace(question, seconds=_FIRST * self.left()))

    def collect(self, seconds: float = 0.0) -> None:
        """Keep what was asked ahead, once it is answered."""
        found = self.verifying.begun_with(seconds)
        if found is not None:
            if LATE not in found[1].reason:  # else it is asked again, in the time that is left
                self.ahead[found[0]] = found[1]
            self.kept.keep(*found)

    def screened(self, texts: Sequence[str]) -> Iterator[Evidence]:
        """Evidence for variants that are not timed; what is known is not asked again."""
        examples = max(self.request.examples // _SCREENING, 1)
        asked = [self._question(text, examples) for text in texts]
        known = {a.text: e for a in asked if (e := self.kept.known(a)) is not None}
        missing = [a for a in asked if a.text not in known]
        answers = self.verifying.answers(missing, max(self.left(), 0.0))
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
        left = self.left()
        seconds = max(left / _SHARE, min(left, LEAST)) / share
        with self.phase("verifying"):
            self.collect(max(seconds, 0.0) if self.verifying.is_begun_with(question) else 0.0)
        known = self.ahead.get(question) or self.kept.known(question)
        if known is not None:
            return known
        if seconds < _NO_TIME or self.verifying.is_begun_with(question):
            return Evidence("unsupported", reason=NO_TIME)
        follows = self.request.backend == "auto" and question.backend == "interpreter"
        judged_after = seconds * (_FIRST if follows else _LAST)
        with self.phase("verifying"):
            (evidence,) = self.verifying.answers([replace(question, seconds=judged_after)], seconds)
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

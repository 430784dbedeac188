"""Evidence for texts of one launcher: asked of the workers once, within the time, and kept."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property

from tritonopt import source
from tritonopt.measurement.tuned import Evidence
from tritonopt.source.parsing import parsed
from tritonopt.tuning.proving.kept import Kept
from tritonopt.tuning.proving.verifying import Verifying
from tritonopt.tuning.proving.verifying_server import LATE, Question
from tritonopt.tuning.requests import Request
from tritonopt.tuning.trials import Trials

LEAST = 60.0
"""Seconds that a verification may take of what is left, though it leaves none for another."""
NO_TIME = "there was no time to verify it"
_SCREENING = 4
"""Where nothing is timed, variants are verified on so many times fewer examples."""
_NO_TIME = 5.0
"""With fewer seconds none is begun."""
_CALLS = 0.75
"""The part of that time in which calls are made. A call that has begun then ends."""
_FEW_ROWS, _FEW_ELEMENTS, _MANY_ELEMENTS = 6, 2**17, 2**21
_SHARE = 2
"""Into which what is left of the budget is divided: what takes longer leaves time for another."""

_Asked = tuple[str, str | None]
"""A backend and a form of the calls."""
_FOR_ANOTHER = 1.5
"""Into which the time is divided for all forms of calls but the last."""


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
    not_taken: set[_Asked] = field(default_factory=set)
    """Forms whose calls the original does not take."""
    ahead: dict[Question, Evidence] = field(default_factory=dict)
    """What was answered."""
    leading: Question | None = None
    """What was asked last while others are timed."""
    texts: dict[str, str] = field(default_factory=dict)
    """By what the interpreter looks at, the text that it is asked about."""

    @cached_property
    def kept(self) -> Kept:
        return Kept(self.trials)

    @cached_property
    def most_elements(self) -> int:
        """Of a call that is made to run what differs: a few rows of those that are timed."""
        rows = (
            sum(recipe.shape[-1] for recipe in call.example.tensors.values() if recipe.shape)
            for call in self.request.calls
        )
        return min(max(_FEW_ELEMENTS, _FEW_ROWS * max(rows, default=0)), _MANY_ELEMENTS)

    @property
    def has_time(self) -> bool:
        """Whether a verification may begin within the budget."""
        return self.left() >= _NO_TIME

    def begin(self, text: str, instead: bool = True) -> Evidence | None:
        """Have the interpreter look at a text while others are timed: the likely winner, in place
        of the one before, or beside it.

        What it has found against that by now, where no other calls can be drawn.
        """
        self.collect()
        if self.request.backend not in ("auto", "interpreter") or not self.has_time:
            return None
        forms, known = self._forms_for("interpreter"), None
        for args in forms:
            question = replace(self._whole(text), backend="interpreter", args=args)
            question = self._as_asked(question, 1.0)
            known = self._known(question)
            if known is None:
                if instead and self.leading not in (None, question):
                    self.verifying.forget(self.leading)
                self.leading = question
                # One worker is better than none, but two need one each.
                self.verifying.begin_with(question, min(1, self.verifying.workers - 1))
                return None
            if known.verdict != "unsupported":
                return None if known.is_yes else known
        return known if len(forms) == 1 and known and not known.compared_nothing else None

    def collect(self) -> None:
        """Keep what was asked ahead and is answered."""
        for question, evidence in self.verifying.answered():
            self._keep(question, evidence)

    def _keep(self, question: Question, evidence: Evidence) -> None:
        if evidence.backend:  # else it is asked again, in the time that is left
            self.ahead[question] = evidence
        self.kept.keep(question, evidence)

    def _known(self, question: Question) -> Evidence | None:
        return self.ahead.get(question) or self.kept.known(question)

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

        Of the backend that was asked for; else of the interpreter, or of the GPU where that cannot
        run it. What a yes of the interpreter does not see is compared where it is timed.
        """
        question = self._whole(text)
        if question.backend != "auto":
            return self._first_answer(question)
        interpreted = self._first_answer(replace(question, backend="interpreter"))
        if interpreted.compared_nothing:
            return self._first_answer(replace(question, backend="cuda"))
        return interpreted

    def _whole(self, text: str) -> Question:
        return replace(self._question(text, self.request.examples), algebra=True)

    def _first_answer(self, question: Question) -> Evidence:
        """The answer for the first form of the calls that comes to one; else that for the last.

        Where calls of another form could be compared, one of which not a single call could is one
        whose calls the original does not take. It may take half a minute to find that out, and is
        the same for every text: it is asked once.
        """
        backend, doubted, evidence = question.backend, set[_Asked](), Evidence("unsupported")
        forms = self._forms_for(backend)
        for args in forms:
            share = 1 if args is forms[-1] else _FOR_ANOTHER
            evidence = self._answered(replace(question, args=args), share)
            if evidence.examples:
                self.not_taken |= doubted
            elif evidence.verdict == "unsupported" and evidence.backend:
                doubted.add((backend, args))
            # What was not answered in time is not answered sooner in another form.
            if evidence.verdict != "unsupported" or LATE in evidence.reason:
                return replace(evidence, args=args or evidence.args)
        return evidence

    def _forms_for(self, backend: str) -> list[str | None]:
        """Of the calls: what they are drawn from, one after the other until one is answered."""
        forms = [self.request.args, *self.request.otherwise]
        return [f for f in forms if (backend, f) not in self.not_taken] or forms[-1:]

    def _answered(self, question: Question, share: float) -> Evidence:
        """The answer; it may take the time that there is, divided by `share`."""
        self.collect()
        left = self.left()
        seconds = max(left / _SHARE, min(left, LEAST)) / share
        question = self._as_asked(question, seconds / max(left, 1.0))
        known = self._known(question)
        if known is not None:
            return known
        if seconds < _NO_TIME and not self.verifying.is_asked(question):
            return Evidence("unsupported", reason=NO_TIME)
        with self.phase("verifying" if question.backend == "interpreter" else "on the GPU"):
            (evidence,) = self.verifying.answers([question], max(seconds, 0.0))
        self._keep(question, evidence)
        return evidence

    def _as_asked(self, question: Question, part: float) -> Question:
        """The question, with the time that there is for it: that part of what is left.

        Two texts that are one to the interpreter are one question for it.
        """
        text = question.text
        if question.backend == "interpreter":
            text = self.texts.setdefault(as_interpreted(text, self.request.path), text)
        return replace(question, text=text, seconds=part * self.left() * _CALLS)

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
            most_elements=self.most_elements,
        )


def as_interpreted(text: str, path: str) -> str:
    """What the interpreter looks at: not at options of a launch that are for the compiler alone.

    Unless a kernel, a heuristic or anything else of the file asks for them.
    """
    tree = parsed(text, path)
    every = [*ast.walk(tree)]
    asked = {node.arg for node in every if isinstance(node, ast.arg)}
    asked |= {str(node.value) for node in every if isinstance(node, ast.Constant)}
    asked |= {node.attr for node in every if isinstance(node, ast.Attribute)}
    options = {"num_warps", "num_stages", "num_ctas"} - asked
    launches = {_place(launch.call) for launch in source.read(text, path).launches}
    for call in every:
        if isinstance(call, ast.Call) and _place(call) in launches:
            call.keywords = [
                keyword
                for keyword in call.keywords
                if keyword.arg not in options or not isinstance(keyword.value, ast.Constant)
            ]
    return ast.dump(tree)


def _place(node: ast.expr) -> tuple[int, int, int | None, int | None]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset

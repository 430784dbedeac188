"""One launch of a kernel as a program makes it, and texts that may run in its place.

No launcher is called and none is changed: the kernel is launched by itself, with tensors like
those of the launch. Which texts may be tried is the caller's to say; which of them is verified,
and faster in a fresh measurement, is found as for `tune`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tritonopt import source
from tritonopt.measurement.results import Ratio
from tritonopt.measurement.timing import Effort
from tritonopt.measurement.tuned import TUNED, Evidence, Fate, Progress
from tritonopt.tuning import session
from tritonopt.tuning.acceptance import is_accepted, is_claim
from tritonopt.tuning.calls import Call
from tritonopt.tuning.halving import Search, Standing
from tritonopt.tuning.proving.kept import Kept
from tritonopt.tuning.proving.verifying import SERVER, Verifying, on_gpu, shown_by_both
from tritonopt.tuning.proving.verifying_server import Question
from tritonopt.tuning.requests import Request
from tritonopt.tuning.store import Store, StoreError
from tritonopt.tuning.subjects import Subject, subjects_of_launches
from tritonopt.tuning.trials import Trials
from tritonopt.tuning.variation.variants import Variant
from tritonopt.verification.capture.generalize import (
    Generalized,
    NotGeneral,
    forms_of,
    generalize,
)
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.process.client import Died, Refusal
from tritonopt.verification.tasks import kernel_alone, tiles_of

_FOR_THE_SEARCH = 0.7
"""Of the budget, as for `tune`."""
_LEAST = 30.0
"""Seconds that a verification has, though the budget is used up."""
_ATTEMPTS = 3
"""Texts that are measured again, at most: each is one more chance for noise."""


@dataclass(frozen=True)
class LiveLaunch:
    """What is asked; it can be sent to another process that sees the file and the GPU."""

    path: str
    """Of the kernel's file, absolute."""
    text: str = field(repr=False)
    kernel: str
    texts: Mapping[str, str] = field(repr=False)
    """By what they are: the whole file with another definition of the kernel."""
    launch: Mapping[str, Any]
    """As a captured launch is described."""
    budget: float = 120.0
    """Seconds for everything."""
    effort: Effort = Effort()
    examples: int = 100
    store: str = ""
    """The path of the store; "" for none."""
    server: str = session.SERVER
    verifier: str = SERVER


@dataclass(frozen=True)
class Chosen:
    """What is to run."""

    name: str = ""
    """Of one of the texts; "" for the original."""
    ratio: Ratio | None = None
    """original / chosen, as it was measured again."""
    evidence: Evidence | None = None
    notes: tuple[str, ...] = ()
    failure: str = ""
    """Why nothing was found out; another time it may be."""
    late: bool = False
    """Whether it is the original because a faster text was not verified in time."""


def choose(asked: LiveLaunch) -> Chosen:
    """The text that is verified and faster for this launch, or the original.

    What stands in the way is the answer's `failure`; nothing is raised for it.
    """
    with ExitStack() as stack:
        try:
            return _Choice(asked, stack).chosen()
        except NotGeneral as reason:
            return Chosen(failure=f"a launch like this one cannot be repeated: {reason}")
        except (StoreError, VerificationError, source.SourceError, Died, Refusal) as error:
            return Chosen(failure=str(error))


@dataclass(frozen=True)
class _Given:
    """The texts, as the search takes its variants."""

    variants: Sequence[Variant]
    original: Variant

    def first(self) -> Iterator[Variant]:
        return iter(self.variants)

    def pairs(self, one: Variant, other: Variant) -> Iterator[Variant]:
        return iter(())

    def tuned(self, variant: Variant) -> Iterator[Variant]:
        return iter(())


class _Choice:
    def __init__(self, asked: LiveLaunch, stack: ExitStack) -> None:
        self.asked = asked
        self.end = time.monotonic() + asked.budget
        self.notes: list[str] = []
        self.late = False
        self.form = generalize([asked.launch])
        self.old = source.read(asked.text, asked.path)
        self.forms = forms_of([asked.launch], tiles_of(self.old, asked.kernel))
        """What launches are drawn from, one after the other until there is an answer."""
        self.subject = self._subject()
        self.texts = {self._with_launcher(text): text for text in asked.texts.values()}
        """By the text that is timed, which has a launcher, the one that is asked about."""
        self.verifying = Verifying(server=asked.verifier)
        stack.callback(self.verifying.close)
        self.trials = Trials(self._request(), self._store(), lambda: self.left, self.notes)
        stack.callback(self.trials.close)

    @property
    def left(self) -> float:
        return self.end - time.monotonic()

    def chosen(self) -> Chosen:
        if not self.trials.session.has_gpu():
            return Chosen(failure="torch finds no GPU here, and timing needs one")
        calls = self.subject.calls
        (row,) = self.trials.original(Effort(precision=0.02, least=10, most=40, seconds=0.2))
        if not row.times:
            why = "; ".join(row.failures.values())
            return Chosen(failure=f"the original could not be timed: {why}")
        search = Search(self._variation(), calls, self.trials, self._is_search_over, _silent)
        chosen = self._accepted(search.run(), calls[0])
        unseen = [s.variant.name for s in search.standings if s.fate is Fate.WAITING]
        if not chosen.name and unseen:
            names = ", ".join(unseen)
            return Chosen(failure=f"the time was over before these were looked at: {names}")
        said = [f"{s.variant.name}: {s.reason}" for s in search.standings if s.reason]
        return replace(chosen, notes=tuple(dict.fromkeys([*said, *self.notes])))

    def _accepted(self, finalists: Sequence[Standing], call: Call) -> Chosen:
        """The best that a fresh measurement bears out, and that is verified then."""
        for standing in finalists[:_ATTEMPTS]:
            name, text = standing.variant.name, standing.variant.text
            claimed = standing.found[call.label].ratio
            if claimed is None or not is_claim(claimed):
                continue
            row = self.trials.fresh(TUNED, text, call)
            ratio = row.ratios.get(TUNED) if TUNED not in row.doubts else None
            if not is_accepted({call.label: ratio}, {call.label: claimed}):
                seen = "not at all" if ratio is None else f"{ratio.value:.3f}x"
                self.notes.append(f"{name}: {claimed.value:.3f}x, and {seen} when measured again")
                continue
            evidence = self._verified(text)
            if evidence.is_yes:
                return Chosen(name, ratio, evidence)
            self.late = self.late or not evidence.backend
            self.notes.append(f"{name}: {evidence.reason}")
        return Chosen(late=self.late)

    def _is_search_over(self) -> bool:
        return self.left <= (1 - _FOR_THE_SEARCH) * self.asked.budget

    def _subject(self) -> Subject:
        old, kernel = self.old, self.asked.kernel
        found = list(subjects_of_launches(old, old, kernel, [self.asked.launch], self.notes))
        if not found:
            raise VerificationError("; ".join(self.notes))
        return found[0]

    def _with_launcher(self, text: str) -> str:
        new = source.read(text, self.asked.path)
        form = self.form
        _, after, _ = kernel_alone(self.old, new, self.asked.kernel, form.grid, form.args)
        return after.text

    def _variation(self) -> Any:
        named = {text: name for name, text in self.asked.texts.items()}
        variants = [Variant((named[plain],), text) for text, plain in self.texts.items()]
        return _Given(variants, Variant((), self.subject.before.text))

    def _request(self) -> Request:
        asked = self.asked
        return Request(
            asked.path,
            self.subject.before.text,
            self.subject.launcher,
            self.subject.calls,
            budget=asked.budget,
            effort=asked.effort,
            examples=asked.examples,
            server=asked.server,
            verifier=asked.verifier,
        )

    def _store(self) -> Store | None:
        return Store(Path(self.asked.store)) if self.asked.store else None

    def _verified(self, text: str) -> Evidence:
        """As `tune` verifies, on the interpreter and then on the GPU: launches of the first form
        that comes to an answer."""
        evidence = Evidence("unsupported")
        for form in self.forms:
            question = self._question(text, form)
            asked = partial(self._on_gpu, question)
            evidence = shown_by_both(question, self._answered, asked)
            # Where the time was over, the next one would take more of it.
            if evidence.verdict != "unsupported" or not evidence.backend:
                break
        return evidence

    def _on_gpu(self, question: Question, interpreted: Evidence) -> Evidence:
        """What the GPU says where the interpreter has said yes."""
        return self._answered(on_gpu(question))

    def _answered(self, question: Question) -> Evidence:
        """What is known is not asked again, so that another process goes on where this one ends."""
        kept = Kept(self.trials)
        if (known := kept.known(question)) is not None:
            return known
        (found,) = self.verifying.answers([question], max(self.left, _LEAST))
        kept.keep(question, found)
        return found

    def _question(self, text: str, form: Generalized) -> Question:
        asked = self.asked
        return Question(
            asked.path,
            None,
            self.texts[text],
            form.args,
            (),
            kernel=asked.kernel,
            grid=form.grid,
            examples=asked.examples,
            algebra=True,
        )


def _silent(where: Progress) -> None:
    """Whoever launches a kernel waits, and is told nothing meanwhile."""

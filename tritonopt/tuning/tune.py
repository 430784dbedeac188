"""`tune_subject`: from one launcher and its calls to text that is faster for them, or none."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from tritonopt import source
from tritonopt.measurement.results import Row
from tritonopt.measurement.timing import Effort
from tritonopt.measurement.tuned import ORIGINAL, Answer, Evidence, Fate, Progress, TunedRow
from tritonopt.tuning.calls import Call
from tritonopt.tuning.compiling.ahead import Ahead
from tritonopt.tuning.compiling.without_gpu import compiled_variants
from tritonopt.tuning.halving import Search, Standing
from tritonopt.tuning.proposals import NOT_AFRESH, Choosing, Proposal
from tritonopt.tuning.proving.evidence import NO_TIME, Proving
from tritonopt.tuning.proving.verifying import Verifying
from tritonopt.tuning.proving.verifying_server import LATE
from tritonopt.tuning.requests import Request
from tritonopt.tuning.session import OVER
from tritonopt.tuning.store import Store, StoreError
from tritonopt.tuning.trials import Trials
from tritonopt.tuning.variation.variants import Variation
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.process.client import Died, Refusal
from tritonopt.verification.signature.launchers import Launchers

_FOR_VARIANTS, _FOR_THE_SEARCH = 0.35, 0.45
"""Of what the original leaves of the budget: then no new variant is looked at; then none is timed.
What is left is for measuring what the search chose afresh, and for verifying it, which takes as
long as all else."""
_ORIGINAL = Effort(precision=0.02, least=10, most=40, seconds=0.2)
"""Of the original alone, which nothing is compared with."""


def tune_subject(request: Request, progress: Callable[[Progress], None] | None = None) -> Answer:
    """Tune one launcher.

    What is wrong with the request, the file or the GPU is the answer's `failure`; nothing is
    raised for it. Nothing but the store is written.
    """
    begin = time.monotonic()
    try:
        with ExitStack() as stack:
            tuning = _Tuning(request, progress or (lambda where: None), begin)
            stack.callback(tuning.close)
            answer = tuning.answer()
    except (StoreError, VerificationError, source.SourceError, Died, Refusal) as error:
        is_late = isinstance(error, Died) and error.failure.message == OVER
        answer = _late(request) if is_late else _nothing(request, str(error))
    return replace(answer, seconds=time.monotonic() - begin)


def _nothing(request: Request, failure: str) -> Answer:
    text = request.text
    return Answer(request.path, request.launcher, text, text, failure=failure)


def _late(request: Request, rows: Sequence[Row] = ()) -> Answer:
    """The original stays: what it takes on one of the calls is not known."""
    note = (
        f"the budget of {request.budget:.0f} s was over before the original was timed on every "
        "call, so it stays: give more time (--budget), or fewer sizes"
    )
    told = tuple(TunedRow(row.label, row.sizes, original=row) for row in rows)
    return replace(_nothing(request, ""), rows=told, notes=(note,))


def _on_no_call(rows: Sequence[Row]) -> str:
    why = next((f"; {why}" for row in rows for why in row.failures.values()), "")
    return f"the original could be timed on no call{why}"


def _launch_bound(rows: Sequence[Row]) -> list[str]:
    """Of which calls the kernels take the GPU less than it takes the host to launch them."""
    bound = [(row, t) for row in rows for t in row.times.values() if t.median < (t.host or 0.0)]
    if not bound:
        return []
    row, times = max(bound, key=lambda pair: (pair[1].host or 0.0) / pair[1].median)
    which = row.label if len(rows) == 1 else f"{len(bound)} of {len(rows)} calls, as {row.label}"
    return [
        f"launch-bound ({which}): the host takes {times.host:.0f} us to launch what the GPU runs "
        f"in {times.median:.0f} us: one after the other, such calls gain from fewer launches or a "
        "CUDA graph, not from faster kernels"
    ]


@dataclass
class _Tuning:
    """The tuning of one launcher, and the processes that it needs."""

    request: Request
    progress: Callable[[Progress], None]
    begin: float
    notes: list[str] = field(default_factory=list)
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds, by phase."""
    room: float = 0.0
    """What was left of the budget when the search began."""

    @cached_property
    def store(self) -> Store | None:
        return Store(Path(self.request.store)) if self.request.store else None

    @cached_property
    def trials(self) -> Trials:
        ahead = Ahead(self.request.server)
        left, ends = self.left_for_search, lambda: self.left
        return Trials(self.request, self.store, left, self.notes, ends=ends, ahead=ahead)

    @cached_property
    def verifying(self) -> Verifying:
        return Verifying(server=self.request.verifier)

    @cached_property
    def proving(self) -> Proving:
        return Proving(self.request, self.trials, self.verifying, lambda: self.left, self._phase)

    def close(self) -> None:
        if "trials" in vars(self):
            self.trials.close()
        if "verifying" in vars(self):
            self.verifying.close()

    @property
    def left(self) -> float:
        """Seconds of the budget."""
        return self.request.budget - (time.monotonic() - self.begin)

    def is_over(self) -> bool:
        return self.left <= 0

    def no_more_variants(self) -> bool:
        return self.left <= (1 - _FOR_VARIANTS) * self.room

    def left_for_search(self) -> float:
        return self.left - (1 - _FOR_THE_SEARCH) * self.room

    def is_search_over(self) -> bool:
        return self.left_for_search() <= 0

    def answer(self) -> Answer:
        """Raises what `tune_subject` makes a failure of."""
        if self.request.gpu:
            self.verifying.begin()
        self._check()
        if not self.request.gpu:
            return self._compiled()
        if self.trials.ahead is not None:
            self.trials.ahead.begin(self.trials.version(ORIGINAL, self.request.text))
        with self._phase("original"):
            rows = self.trials.original(_ORIGINAL)
        if any(why == OVER for row in rows for why in row.failures.values()):
            return _late(self.request, rows)
        calls = [c for c, row in zip(self.request.calls, rows, strict=True) if row.times]
        for row in rows:
            self.notes += [f"{row.label}: {why}; left out" for why in row.failures.values()]
        if not calls:
            return replace(
                _nothing(self.request, _on_no_call(rows)),
                rows=tuple(TunedRow(row.label, row.sizes, original=row) for row in rows),
                notes=tuple(dict.fromkeys(self.notes)),
            )
        self.notes += _launch_bound(rows)
        self.room = max(self.left, 0.0)
        search = self._search(rows, calls)
        choosing = Choosing(
            *(self.trials, calls, self._verified, self.is_over),
            may_verify=lambda: self.proving.has_time,
            begin=self.proving.begin,
            notes=self.notes,
        )
        with self._phase("timing"):
            finalists = search.run()
        while True:
            before = len(choosing.looked_at)
            with self._phase("afresh"):
                accepted = choosing.accepted(finalists)
            refused = any(standing.fate is Fate.REFUSED for standing in finalists)
            came_to_nothing = len(choosing.looked_at) == before and not refused
            if accepted is not None or choosing.is_done or came_to_nothing:
                return self._told(rows, search, choosing, accepted)
            # None of them came through: now those that gain most after them.
            with self._phase("timing"):
                finalists = search.finalists()

    @contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        """Seconds of the clock for a phase; those of a phase within it are not counted twice."""
        begin, others = time.monotonic(), sum(self.spent.values())
        try:
            yield
        finally:
            inner = sum(self.spent.values()) - others
            taken = time.monotonic() - begin - inner
            self.spent[name] = self.spent.get(name, 0.0) + taken

    def _compiled(self) -> Answer:
        """Where nothing is timed: what the variants need as machine code."""
        self.room, request = self.left, self.request
        original, tried = compiled_variants(
            request,
            self._variation(self._kernels()),
            self.proving.screened,
            self.trials,
            self.is_search_over,
            self.verifying.workers,
            lambda done, of: self._report("compiling", done, of),
        )
        first = request.calls[0]
        row = Row(request.launcher, first.label, first.sizes, compiled=original)
        self.notes.append(f"nothing was timed; compiled for {first.label}")
        if waiting := sum(each.fate is Fate.WAITING for each in tried):
            self.notes.append(
                f"the budget of {request.budget:.0f} s was over, with {waiting} of {len(tried)} "
                "variants not tried: run it again to continue"
            )
        return replace(
            _nothing(request, ""),
            rows=(TunedRow(first.label, first.sizes, original=row),),
            tried=tuple(tried),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _variation(self, kernels: frozenset[str]) -> Variation:
        request = self.request
        return Variation(request.path, request.text, kernels, request.passes, request.parameters)

    def _check(self) -> None:
        request = self.request
        there = source.read_file(Path(request.path)).text
        if there != request.text:
            raise VerificationError(f"{request.path}: has changed meanwhile: tune it again")
        if request.gpu and not self.trials.session.has_gpu():
            raise VerificationError("torch finds no GPU here, and timing needs one")
        assert self.store is None or self.store.path  # opened here, so that it fails here

    def _search(self, rows: Sequence[Row], calls: Sequence[Call]) -> Search:
        launched = frozenset(c.kernel for row in rows for c in row.compiled)
        reached = self._kernels()
        kernels = frozenset(k for k in reached if k in launched) or reached

        def report(where: Progress) -> None:
            self.progress(replace(where, left=max(self.left, 0.0)))

        variation, over = self._variation(kernels), self.no_more_variants
        leading = self.proving.begin
        return Search(variation, calls, self.trials, over, report, leading=leading)

    def _kernels(self) -> frozenset[str]:
        """Those that the launcher may run; helpers included."""
        module = source.read(self.request.text, self.request.path)
        launchers = Launchers.of(module)
        found = launchers.named(self.request.launcher)
        reached = launchers.reached(launchers.definition_of(found))
        return frozenset(k.name for k in module.kernels if k.name in reached)

    def _verified(self, text: str) -> Evidence:
        self._report("verifying")
        return self.proving.evidence(text)

    def _report(self, phase: str, done: int = 0, of: int = 1) -> None:
        self.progress(Progress(self.request.launcher, phase, done, of, max(self.left, 0.0)))

    def _told(
        self,
        rows: Sequence[Row],
        search: Search,
        choosing: Choosing,
        accepted: Proposal | None,
    ) -> Answer:
        request = self.request
        waiting = sum(s.fate is Fate.WAITING for s in search.standings)
        if waiting or search.is_cut_short:
            left = f", with {waiting} of {len(search.standings)} not tried" if waiting else ""
            self.notes.append(
                f"the budget of {request.budget:.0f} s was over before all variants were made"
                f"{left}: run it again to continue"
            )
        self.proving.collect()
        unverified = (
            s for s in search.standings if any(w in s.reason for w in (LATE, NO_TIME, NOT_AFRESH))
        )
        if accepted is None and (first := next(unverified, None)) is not None:
            self.notes.append(
                f"{first.variant.name} was faster, and the budget of {request.budget:.0f} s was "
                "over before it was verified, so the original stays: give more time (--budget)"
            )
        return Answer(
            request.path,
            request.launcher,
            request.text,
            request.text if accepted is None else accepted.text,
            "" if accepted is None else accepted.standing.variant.name,
            "" if accepted is None else accepted.condition,
            tuple(_row(row, search.standings, choosing, accepted) for row in rows),
            tuple(standing.tried() for standing in search.standings),
            None if accepted is None else choosing.evidence,
            self.trials.machine,
            tuple(dict.fromkeys(self.notes)),
            spent=self.spent,
        )


def _row(
    original: Row,
    standings: Sequence[Standing],
    choosing: Choosing,
    accepted: Proposal | None,
) -> TunedRow:
    label = original.label
    found = [
        (ratio.value, standing.variant.name, ratio)
        for standing in standings
        if (trial := standing.found.get(label)) is not None
        and (ratio := trial.ratio) is not None
        and ratio.is_gain
    ]
    _, best, ratio = max(found, default=(0.0, "", None), key=lambda each: each[0])
    return TunedRow(
        label,
        original.sizes,
        choosing.fresh.get(label) if accepted is not None else None,
        original,
        best,
        ratio,
        accepted is not None and label in accepted.uses_new,
    )


__all__ = ["tune_subject"]

"""The run: one launcher of two versions, verified on one backend."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import source
from tritonopt.verification.comparison.script import script
from tritonopt.verification.comparison.tally import now
from tritonopt.verification.comparison.versions import Drawable
from tritonopt.verification.comparison.widening import Widened, widen
from tritonopt.verification.coverage.demands import Demand, demands, watched
from tritonopt.verification.coverage.requirements import NeverRan, Requirements, Scouts, kept_guards
from tritonopt.verification.coverage.surroundings import asked_elsewhere, notes_on_refusals
from tritonopt.verification.coverage.text_differences import (
    Comparison,
    Numbers,
    limits_on,
)
from tritonopt.verification.errors import NothingRunsError, VerificationError
from tritonopt.verification.inputs.examples import (
    Example,
    Limits,
    left_out_types,
    plain_calls,
    untried,
)
from tritonopt.verification.process.client import Died, Refusal, VersionWorker, Worker
from tritonopt.verification.process.containment import Contained
from tritonopt.verification.process.messages import LATE, RunOptions, VersionSpec
from tritonopt.verification.questions import Options, Progress
from tritonopt.verification.reference.given import Both, Remembering, usual, with_defaults
from tritonopt.verification.reference.subjects import of_candidate
from tritonopt.verification.runs_on_import import left_out, notes_on
from tritonopt.verification.settling.trial import NothingWorks, Trial
from tritonopt.verification.signature.argument_language import Signature
from tritonopt.verification.signature.argument_parser import assumed
from tritonopt.verification.signature.inference import InferredSignature
from tritonopt.verification.signature.kernel_launcher import LAUNCH, results_of
from tritonopt.verification.signature.launchers import Launchers
from tritonopt.verification.tasks import Task
from tritonopt.verification.verdict import (
    YES,
    Algebra,
    AlgebraAnswer,
    Answer,
    Fault,
    Timing,
    Verdict,
)

if TYPE_CHECKING:
    from tritonopt.verification.comparison.checker import Checker
    from tritonopt.verification.comparison.drawing import FirstDifference
    from tritonopt.verification.comparison.tally import Counterexample
    from tritonopt.verification.comparison.versions import Versions
    from tritonopt.verification.inputs.strategies import Calls

_LEAST_SECONDS = 5.0
_AS_INFINITY = 1e20
UNTRUSTED_SECONDS = 300.0
"""The budget of what is not trusted, where none is given."""
_FAILED = "cannot be imported", "only the rewritten version fails"
"""Of counterexamples for which the machine may be to blame."""
_PLAIN = """\
import torch
import triton
import triton.language as tl


@triton.jit
def store(x_ptr):
    tl.store(x_ptr, 1.0)


def launch():
    x = torch.empty(1, device="cuda")
    store[(1,)](x)
    return x
"""
_TIMEOUT = {"interpreter": 60.0, "cuda": 180.0, "compile": 600.0}


@dataclass(frozen=True)
class Finding:
    """A verdict, and what has to be known to tell whether its yes can stand."""

    verdict: Verdict
    signature: Signature | None = None
    """What was drawn from."""
    never_ran: NeverRan = NeverRan()
    trial_failure: str = ""
    """Why no plain call of the original was taken, where that was tried."""

    @property
    def is_yes(self) -> bool:
        """Whether nothing was found, on calls that the original takes."""
        return self.verdict.verdict in YES and not self.trial_failure


@dataclass(frozen=True)
class _Loaded:
    """Both versions in their workers, and what they are called with."""

    original: VersionWorker
    rewritten: VersionWorker
    backend: str
    """By its full name."""
    signature: Signature
    limits: Limits
    notes: list[str]


def _typed(reading: InferredSignature, worker: VersionWorker) -> InferredSignature:
    """With the types of torch's operator, if the launcher is called like one."""
    launcher = reading.launcher
    if launcher.autograd:
        return reading
    names = tuple(p.arg for p in launcher.parameters)
    try:
        worker.ask("operator", launcher.name, names)
        kinds: tuple[str, ...] = worker.answer()
    except Refusal:
        return reading  # a torch that keeps its schemas elsewhere
    return replace(reading, kinds=dict(zip(names, kinds, strict=False)))


def contained(settings: Options, paths: tuple[Path, Path]) -> Options:
    """The options with what the rewritten version's processes have of the machine, and no more.

    Raises VerificationError where that cannot be had.
    """
    found = Contained.around(paths, gpu=settings.backend == "cuda")
    worker = Worker(timeout=120.0, forked=not found.gpu, contained=found)
    try:
        reached = worker.ask("probe")["cuda"] or not found.gpu
    except (Died, Refusal) as error:
        raise VerificationError(
            f"--untrusted: no process can be contained on this machine ({error}): it needs "
            "namespaces of users, processes, networks and mounts (`unshare -Urpnm true`), and "
            "Linux 5.12. Run it there; or, for code that you trust, leave --untrusted out"
        ) from None
    finally:
        worker.close()
    if not reached:
        raise NothingRunsError(
            "--untrusted: a contained process does not reach the GPU of this machine. Add "
            "--backend interpreter; or, for code that you trust, leave --untrusted out"
        )
    budget = settings.budget or UNTRUSTED_SECONDS
    found = replace(found, ends_at=time.monotonic() + budget)
    return replace(settings, contained=found, budget=budget)


def choose_backend(backend: str) -> str:
    if backend in ("interpreter", "compile"):
        return backend
    worker = Worker(timeout=120.0, forked=True)
    try:
        has_gpu = worker.ask("probe")["cuda"]
    except (Died, Refusal) as error:
        raise VerificationError(f"torch cannot be used here: {error}") from None
    finally:
        worker.close()
    if backend == "cuda" and not has_gpu:
        raise VerificationError(
            "--backend cuda: torch finds no GPU here. Write --backend interpreter to run on "
            "Triton's interpreter (a verdict then says so)."
        )
    return "cuda" if has_gpu else "interpreter"


@dataclass(frozen=True)
class OtherLaunchers:
    """What verifications of other launchers of the file have shown."""

    taken: tuple[tuple[str, Signature], ...] = ()
    """What they were found to take, by their names: a backward pass has arguments of the forward
    one."""
    met: frozenset[Demand] = frozenset()
    """What has to run, and has from them: it need not from the next one, and is not aimed at."""


@dataclass
class Verification:
    """One launcher, verified."""

    old: source.Module
    new: source.Module
    original_path: Path
    rewritten_path: Path
    task: Task
    settings: Options
    wanted: frozenset[Demand] | None = None
    """All that has to run of what differs, if the rest ran in another verification."""
    others: OtherLaunchers = OtherLaunchers()
    started: float = field(default_factory=lambda: now())
    guesses_left: bool = False
    """Whether what it is called with may hold guesses that no call has undone."""

    def run(self) -> Finding:
        return _unless_nothing_runs(self, self._run())

    def _run(self) -> Finding:
        backend = self.settings.backend
        limits = _limits(self)
        widened = widen(self.old)
        with contextlib.ExitStack() as stack:
            original = _worker(self._spec("original", self.old, widened), self.settings)
            stack.callback(original.close)
            rewritten = _worker(self._spec("rewritten", self.new, None), self.settings)
            stack.callback(rewritten.close)
            original.start_loading()
            rewritten.start_loading()
            self._report(0, "starting", backend)
            try:
                name = original.finish_loading()
            except (Died, Refusal) as error:
                return _unsupported(backend, f"the original cannot be imported: {error}")
            self._report(0, "starting", name)
            if self.task.reference and (failed := _not_imported(rewritten, name)):
                return failed  # it is asked what it takes as well
            settled, failure = self._settled(original, rewritten)
            if self.task.reference:
                settled = usual(settled, layouts=self.settings.require == "layouts")
            signature = assumed(settled, self.settings.assume)
            notes = list(signature.notes)
            notes += [
                (f"only calls for which `{fact}` holds were generated") for fact in signature.facts
            ]
            notes += notes_on(left_out(self.old, self.new))
            reason = left_out_types(signature, limits, notes)
            if reason:
                return _unsupported(name, reason)
            if failed := _not_imported(rewritten, name):
                return failed
            loaded = _Loaded(original, rewritten, name, signature, limits, notes)
            if backend == "compile":
                return Finding(self._compile(loaded), trial_failure=failure)
            return replace(self._search(loaded, widened), trial_failure=failure)

    def _compile(self, loaded: _Loaded) -> Verdict:
        from tritonopt.verification.comparison.compile_backend import MOST_EXAMPLES, Compilation
        from tritonopt.verification.inputs.strategies import drawn

        calls = drawn(
            loaded.signature,
            loaded.limits,
            backward=self.task.launcher.backward,
            count=min(self.settings.max_examples, MOST_EXAMPLES),
            seed=self.settings.seed,
        )
        compilation = Compilation(loaded.original, loaded.rewritten, self.old, self.new)
        name = loaded.backend
        return compilation.verdict(
            calls, name, progress=lambda count: self._report(count, "examples", name)
        )

    def _settled(self, original: VersionWorker, rewritten: VersionWorker) -> tuple[Signature, str]:
        """What is drawn from; where the code leaves it open, found by trying the original.

        Where no plain call was taken, with the reason.
        """
        reading = self.task.arguments
        if self.task.settled is not None:
            return self.task.settled, ""
        if self.task.given is not None:
            return self.task.given.drawn(original, rewritten, self.task.launcher), ""
        if isinstance(reading, Signature) and self.task.reference:
            return with_defaults(reading, self.task.launcher, original, rewritten), ""
        if isinstance(reading, Signature):
            return reading, ""
        trier: VersionWorker = original
        if self.task.reference:
            trier = Both(original, rewritten)
        elif self.settings.backend != "interpreter":
            # Only the interpreter sees an access outside of a tensor without dying of it.
            spec = replace(original.spec, backend="interpreter")
            trier = VersionWorker(spec, _TIMEOUT["interpreter"])
        name = self.task.launcher.name
        try:
            typed = _typed(reading, trier)
            trial = Trial(trier, typed, self.task.launcher.backward, self.others.taken)
            found = trial.find_signature()
        except (NothingWorks, Died, Refusal) as failure:
            if reading.unknown:
                raise VerificationError(f"{reading.question()}\n({failure})") from None
            # The drawn examples will show what the original makes of this.
            note = f"{name} is called as its code suggests: {failure}"
            return Signature(reading.known, notes=(note,)), str(failure)
        finally:
            if trier is not original and not isinstance(trier, Both):
                trier.close()
        how = "found by calling the original" if reading.unknown else "as its code says"
        self.guesses_left = trial._spent()
        return replace(found, notes=(f"{name} was called with ({how}): {found}",)), ""

    def _search(self, loaded: _Loaded, widened: Widened) -> Finding:
        from tritonopt.verification.comparison.search import Search
        from tritonopt.verification.inputs.strategies import Calls

        signature, checker = loaded.signature, _checker(self, loaded, widened)
        compared = Comparison.of(self.old, self.new)
        calls = Calls(signature, loaded.limits, backward=False, seen=self.task.seen)
        calls = calls if calls.seen else _calls(loaded, self.task, compared)
        given = isinstance(self.task.arguments, Signature) or self.task.reference
        with contextlib.ExitStack() as stack:
            scouts = None
            if self.demands and not checker.versions.interpreted:
                scouts = Scouts(loaded.original.spec, loaded.rewritten.spec)
                stack.callback(scouts.close)
            search = Search(
                checker,
                calls,
                _required(self, compared, checker, scouts),
                max_examples=self.settings.max_examples,
                seed=self.settings.seed,
                numbers=_numbers(self, compared, loaded.notes),
                given=given,
                subject=f"{self.original_path.resolve()}:{self.task.launcher.name}",
                progress=lambda examples, phase: self._report(examples, phase, loaded.backend),
            )
            begin = now()
            found = search.run()
            if self.guesses_left:
                checker.tally.skips("for sizes that may be equal by chance")
        never_ran = NeverRan.after(search, given=given)
        compared_ones = [e for e, x in checker.examinations.items() if x.accepted]
        notes = [*loaded.notes, *checker.all_notes(), *never_ran.notes]
        notes += notes_on_refusals(compared, (self._reached(self.old), self._reached(self.new)))
        asked = self.settings.max_examples
        if not (found or calls.seen):
            notes += untried(signature, loaded.limits, compared_ones, asked)
        result = Verdict(
            Answer.IDENTICAL.value,
            loaded.backend,
            checker.tally.accepted,
            checker.tally.discarded,
            notes=tuple(dict.fromkeys(notes)),
            args=str(signature),
            timing=_timing(self.started, begin, search.first, checker.versions),
            written=checker.tally.written,
            compared=checker.tally.compared,
        )
        answer = self._with_algebra(self._answered(result, checker, signature, found), checker)
        differs = answer.algebra is not None and answer.algebra.is_different
        if answer.verdict in YES and (differs or search.counts_in_bytes):
            found = search.long_sums()
            if found is not None or checker.tally.unmade:
                answer = self._answered(result, checker, signature, found)
        answer = _told(self, _on_a_gpu(self, answer, checker), checker, never_ran)
        return Finding(replace(answer, layouts=tuple(search.layouts)), signature, never_ran)

    def _with_algebra(self, verdict: Verdict, checker: Checker) -> Verdict:
        """A yes of the interpreter, with what residues say of it; or none, if it must be both."""
        from tritonopt.verification.comparison.same_algebra import SameAlgebra

        required, drawn = self.settings.require == "algebra", None
        if verdict.verdict not in YES or not (self.settings.algebra or required):
            return verdict
        if not checker.versions.interpreted:
            text = "residues are followed by the interpreter: --backend interpreter"
            algebra = Algebra(AlgebraAnswer.NOT_APPLICABLE.value, text=text)
        else:
            drawn = SameAlgebra(checker, self.settings.seed, self.demands)
            algebra = drawn.run()
        verdict = replace(verdict, algebra=algebra)
        if not required or algebra.is_same:
            return verdict
        if drawn is not None and drawn.differing is not None:
            example, difference = drawn.differing
            answer, text = Answer.COUNTEREXAMPLE.value, str(difference)
            return replace(
                verdict,
                verdict=answer,
                counterexample=self.described(example, text),
                script=_script(self, checker, example, (drawn.differing_options,), text),
            )
        reason = f"the same algebra was not checked: {algebra.text}"
        return replace(verdict, verdict=Answer.UNSUPPORTED.value, reason=reason)

    def _answered(
        self,
        result: Verdict,
        checker: Checker,
        signature: Signature,
        found: Counterexample | None,
    ) -> Verdict:
        errors = replace(
            result, worst_error=checker.residuals.worst, oracle_error=checker.residuals.oracle_error
        )
        if found is not None:
            example, difference = found
            return replace(
                errors,
                verdict=Answer.COUNTEREXAMPLE.value,
                counterexample=self.described(example, str(difference)),
                values=difference.values,
                script=_script(
                    self, checker, example, checker.versions.options(example), str(difference)
                ),
            )
        reason = checker.tally.why_unsupported()
        if reason:
            if not signature.notes:
                reason += f"\n{self.task.launcher.name} was called with: {signature}"
            return replace(result, verdict=Answer.UNSUPPORTED.value, reason=reason)
        if checker.tally.any_bits_differ:
            return replace(errors, verdict=Answer.EQUIVALENT.value)
        return result

    @property
    def _home(self) -> tuple[source.Module, ...]:
        """The launcher's file, if it is another one."""
        return () if self.task.home is None else (self.task.home,)

    @cached_property
    def demands(self) -> list[Demand]:
        """What must run for a yes."""
        if self.settings.covered_elsewhere:
            return []
        every = demands(self.old, self.new, (self._reached(self.old), self._reached(self.new)))
        if self.task.reference:
            every = of_candidate(every, self.new, self.task.written)
        return [d for d in every if self.wanted is None or d in self.wanted]

    @cached_property
    def asked_elsewhere(self) -> list[tuple[int, str]]:
        """Lines of the rewritten version that ask where they run, and what they ask."""
        return asked_elsewhere(Comparison.of(self.old, self.new), self._reached(self.new))

    def _reached(self, module: source.Module) -> set[str]:
        """The definitions that run when the launcher does."""
        launchers = Launchers.of(module)
        names = (launchers.aliases.get(name, name) for name in self.task.reaches)
        return set().union(*(launchers.reached(n) for n in names if n in launchers.definitions))

    def why_not(self, finding: Finding, unmet: Sequence[Demand]) -> str:
        """What has not run, and what to write so that it does."""
        assert finding.signature is not None, "there is no positive verdict without calls"
        modules = self.old, self.new
        return finding.never_ran.explained(unmet, self.task.launcher, finding.signature, modules)

    def _report(self, examples: int, phase: str, backend: str) -> None:
        if self.settings.progress is not None:
            self.settings.progress(
                Progress(
                    self.task.launcher.name,
                    examples,
                    self.settings.max_examples,
                    phase,
                    backend,
                    now() - self.started,
                )
            )

    def described(self, example: Example, difference: str) -> str:
        arguments = "\n".join(f"  {line}" for line in str(example).splitlines())
        name, seed = self.task.launcher.name, f"(seed of the search: {self.settings.seed})"
        if self.task.seen:
            return f"{name.removeprefix(LAUNCH)} was launched with\n{arguments}\n{difference}"
        return f"{name} is called with\n{arguments}\n{difference}\n{seed}"

    def _spec(self, title: str, module: source.Module, widened: Widened | None) -> VersionSpec:
        path = self.original_path if widened is not None else self.rewritten_path
        return VersionSpec(
            title,
            str(self.original_path.resolve()),
            module.text,
            str(path.resolve()),
            self.settings.backend,
            self.task.launcher.name,
            self.task.launcher.by_position,
            "" if widened is None else widened.source,
            () if widened is None else widened.names,
            # A backward pass takes up what the forward one left behind.
            () if self.task.launcher.backward else results_of(self.old, self.new),
            "" if self.task.home is None else str(Path(self.task.home.path).resolve()),
            tuple(left_out(self.old, self.new)),
            tuple(self.task.launcher.options),
            tuple(watched(self.demands, title).items()),
            self.task.reference and title == "original",
            self.settings.contained if title == "rewritten" else None,
        )


def _script(
    of: Verification,
    checker: Checker,
    example: Example,
    runs: tuple[RunOptions, ...],
    difference: str,
) -> str:
    return script(
        checker.versions.original.spec,
        checker.versions.rewritten.spec,
        example,
        runs,
        difference,
        embedded=of.settings.embedded,
    )


def _unless_nothing_runs(of: Verification, finding: Finding) -> Finding:
    """The finding, but no version's fault where no kernel at all runs as they do."""
    verdict, settings = finding.verdict, of.settings
    told = verdict.counterexample or ""
    failed = not told or any(words in told for words in _FAILED)
    doubtful = settings.backend == "cuda" or settings.contained is not None
    if verdict.examples or not (failed and doubtful):
        return finding
    plain = replace(of._spec("original", of.old, None), contained=settings.contained)
    ends = of.started + (settings.budget or math.inf)
    reason = why_nothing_runs(plain, settings) if now() < ends else ""
    if not reason:
        return finding
    answer, blamed = Answer.UNSUPPORTED.value, Fault.ENVIRONMENT.value
    text = f"not even a kernel of one line runs here as these do: {reason}"
    return Finding(Verdict(answer, verdict.backend, 0, reason=text, blamed=blamed))


def why_nothing_runs(like: VersionSpec, settings: Options) -> str:
    """Why a plain kernel does not run in a process like that of this version; "" if it does."""
    plain = VersionSpec(
        "original", like.path, _PLAIN, like.text_path, like.backend, "launch", False
    )
    worker = _worker(replace(plain, contained=like.contained), settings)
    try:
        (found,) = worker.run(Example(()), RunOptions())
    except Refusal as error:
        return str(error)
    finally:
        worker.close()
    is_late = found.failure is not None and found.failure.kind == LATE
    return "" if is_late else found.trouble


def _worker(spec: VersionSpec, settings: Options) -> VersionWorker:
    seconds = _TIMEOUT[settings.backend]
    if settings.budget is not None:
        seconds = min(seconds, max(settings.budget, _LEAST_SECONDS))
    if spec.reference and settings.remembered is not None:
        return Remembering(spec, seconds, settings.remembered)
    return VersionWorker(spec, seconds)


def _not_imported(rewritten: VersionWorker, backend: str) -> Finding | None:
    """What is found where the rewritten version cannot be loaded."""
    try:
        rewritten.load() if rewritten.loaded else rewritten.finish_loading()
    except (Died, Refusal) as error:
        from tritonopt.verification.reference.cheats import in_difference

        text = f"the rewritten file cannot be imported: {error}"
        if error.failure.kind == LATE:
            return _unsupported(backend, text)
        answer, found = Answer.COUNTEREXAMPLE.value, tuple(in_difference(text))
        return Finding(Verdict(answer, backend, 0, counterexample=text, cheats=found))
    return None


def _told(of: Verification, verdict: Verdict, checker: Checker, never_ran: NeverRan) -> Verdict:
    """The verdict with what had to run, and what is done in place of the work."""
    from tritonopt.verification.reference import cheats

    paths = of.original_path, of.rewritten_path
    found = [*cheats.in_text(of.old, of.new, paths, of._reached(of.new))]
    found += cheats.in_difference(verdict.counterexample or "")
    if verdict.verdict in YES:
        found += cheats.in_runs(checker)
    required = len(never_ran.met) + len(never_ran.unmet)
    unmet = tuple(map(str, never_ran.unmet))
    return replace(verdict, required=required, uncovered=unmet, cheats=tuple(found))


def _on_a_gpu(of: Verification, verdict: Verdict, checker: Checker) -> Verdict:
    """A yes of the interpreter, unless a GPU does not take what was launched."""
    from tritonopt.verification.comparison.compile_backend import refused_by_gpus

    same = of.old.text == of.new.text
    if verdict.verdict not in YES or same or not checker.versions.interpreted:
        return verdict
    found = refused_by_gpus(checker)
    if isinstance(found, str):
        return replace(verdict, notes=(*verdict.notes, found)) if found else verdict
    example, text = found
    described = of.described(example, text)
    answer = Answer.COUNTEREXAMPLE.value
    return replace(verdict, verdict=answer, counterexample=described, algebra=None)


def _limits(of: Verification) -> Limits:
    limits = limits_on(of.settings.backend, (of.old, of.new, *of._home))
    return replace(limits, aimed=of.settings.most_elements or limits.aimed)


def _checker(of: Verification, loaded: _Loaded, widened: Widened) -> Checker:
    from tritonopt.verification.comparison.checker import Checker

    backward = of.task.launcher.backward
    checker = Checker(
        loaded.original,
        loaded.rewritten,
        widened.obstacles,
        identical=of.settings.require == "identical",
        interpreted=of.settings.backend == "interpreter",
        plain=plain_calls(loaded.signature, loaded.limits, backward=backward),
        in_float32="float32" in of.old.text,
    )
    checker.versions.most_work = of.settings.most_work or checker.versions.most_work
    checker.tally.ends_at = of.started + (of.settings.budget or math.inf)
    checker.tally.made_elsewhere = of.settings.covered_elsewhere
    return checker


def _numbers(of: Verification, compared: Comparison, notes: list[str]) -> Numbers:
    """What both versions mention; of a kernel for a reference no number that stands for inf, for
    `-1e30` in a mask is no mistake where nobody passes such values."""
    found = Numbers.of(compared, of._home)
    if not of.task.reference:
        return found
    near = [n for n in found.large if n < _AS_INFINITY]
    if len(near) < len(found.large):
        notes.append(f"values beyond {min(set(found.large) - set(near)):g} were not tried")
    return replace(found, large=near)


def _required(
    of: Verification, compared: Comparison, checker: Checker, scouts: Scouts | None
) -> Requirements:
    guards, seen = kept_guards(compared), checker.observed
    return Requirements(of.demands, guards, seen, scouts, of.others.met)


def _calls(loaded: _Loaded, task: Task, compared: Comparison) -> Calls:
    """What is drawn for both versions of a launcher."""
    backward = task.launcher.backward
    versions = loaded.original, loaded.rewritten
    drawable = Drawable(*versions, loaded.signature, backward, loaded.notes)
    tuned = any("tune" in v.module.text for v in (compared.old, compared.new))
    calls = drawable.calls(loaded.limits, tuned=tuned)
    if task.launcher.by_position:
        return calls
    return replace(calls, other_defaults=compared.other_defaults(task.launcher.name))


def _timing(started: float, begin: float, first: FirstDifference, versions: Versions) -> Timing:
    end = now()
    found = first.at or end
    waited = versions.waited if first.at is None else first.waited
    return Timing(
        start=begin - started,
        run=waited,
        judge=max(found - begin - waited, 0.0),
        shrink=end - found,
        compile=versions.original.compile_seconds,
        compilations=versions.original.compilations,
    )


def _unsupported(backend: str, reason: str) -> Finding:
    return Finding(Verdict(Answer.UNSUPPORTED.value, backend, 0, reason=reason))

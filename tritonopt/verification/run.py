"""The run: one launcher of two versions, verified on one backend."""

from __future__ import annotations

import ast
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import source
from tritonopt.verification.comparison.compare import Difference, Pair, unstable
from tritonopt.verification.comparison.script import script
from tritonopt.verification.comparison.widening import Widened, widen
from tritonopt.verification.coverage.demands import Demand, demands
from tritonopt.verification.coverage.guards import kept_guards
from tritonopt.verification.coverage.requirements import Requirements
from tritonopt.verification.coverage.scouts import Scouts
from tritonopt.verification.coverage.text_differences import Comparison
from tritonopt.verification.coverage.text_sizes import (
    block_sizes,
    limits_of,
    singled_out,
    whole_numbers,
)
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.inputs.edge_cases import plain_calls
from tritonopt.verification.inputs.examples import Example, Limits
from tritonopt.verification.inputs.plain_examples import small_example
from tritonopt.verification.process.client import Died, Refusal, VersionWorker, Worker
from tritonopt.verification.process.messages import RunOptions, VersionSpec
from tritonopt.verification.settling.trial import Trial, Unsettled
from tritonopt.verification.signature.argument_language import Signature, assumed
from tritonopt.verification.signature.inference import Reading
from tritonopt.verification.signature.launchers import Launchers
from tritonopt.verification.signature.results import results_of
from tritonopt.verification.tasks import Task
from tritonopt.verification.verdict import Answer, Timing, Verdict

if TYPE_CHECKING:
    from tritonopt.verification.comparison.checker import Checker
    from tritonopt.verification.comparison.search import Search


_DTYPES = frozenset({"f32", "f16", "bf16", "f64", "i64", "i32", "i16", "i8", "u8", "bool"})


_TIMEOUT = {"interpreter": 60.0, "cuda": 180.0, "compile": 600.0}


@dataclass(frozen=True)
class Progress:
    """Where a verification is; given to the `progress` callback after every example."""

    launcher: str
    examples: int
    of: int
    phase: str
    """`starting`, `examples`, or `shrinking` once a difference was found."""
    backend: str
    seconds: float


def listed(unmet: Sequence[Demand]) -> str:
    lines = [f"line {d.line} of the {d.title} version" for d in unmet]
    return ", ".join(dict.fromkeys(lines))


@dataclass(frozen=True)
class Settings:
    backend: str
    require: str
    max_examples: int
    seed: int
    embedded: tuple[str, ...]
    """Which versions stand in no file as they are: `original` has a launcher of ours, too."""
    progress: Callable[[Progress], None] | None
    assume: tuple[str, ...] = ()
    """Facts about sizes that every drawn call keeps to."""
    assume_covered: bool = False
    """Whether all that differs is taken to have run, where that cannot be seen."""


@dataclass(frozen=True)
class _Tuning:
    """From how many configurations autotuners choose, and what of that is drawn."""

    configurations: int = 1
    first_calls: bool = False
    expanded_gradients: bool = False


def _typed(reading: Reading, worker: VersionWorker) -> Reading:
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
            "--backend cuda: torch sees no GPU here. Write --backend interpreter to run on "
            "Triton's interpreter (a verdict then says so)."
        )
    return "cuda" if has_gpu else "interpreter"


@dataclass
class Verification:
    """One launcher, verified."""

    old: source.Module
    new: source.Module
    original_path: Path
    rewritten_path: Path
    task: Task
    settings: Settings
    started: float = field(default_factory=time.monotonic)
    signature: Signature | None = None
    """What was drawn from, once that is known."""
    unmet: list[Demand] = field(default_factory=list)
    """What has to run for a yes, and has not."""
    single: dict[Demand, int] = field(default_factory=dict)
    """Of loops that never took a second turn, the largest size that was tried for them."""
    blind: str = ""
    """Why nothing is known of what ran inside of kernels."""
    trial_failure: str = ""
    """Why no plain call of the original was taken, where that was tried."""

    def verdict(self) -> Verdict:
        from tritonopt.verification.comparison.checker import Checker

        name = self.settings.backend
        limits = self._limits()
        widened = widen(self.old)
        timeout = _TIMEOUT[self.settings.backend]
        original = VersionWorker(self._spec("original", self.old, widened), timeout)
        rewritten = VersionWorker(self._spec("rewritten", self.new, None), timeout)
        try:
            original.start_loading()
            rewritten.start_loading()
            self._report(0, "starting", name)
            try:
                name = original.finish_loading()
            except (Died, Refusal) as error:
                return self._unsupported(name, f"the original cannot be imported: {error}")
            self._report(0, "starting", name)
            signature = assumed(self._settled(original), self.settings.assume)
            notes = list(signature.notes)
            notes += [f"only calls were drawn of which `{fact}` holds" for fact in signature.facts]
            narrowed = _narrow(signature, limits, notes)
            if isinstance(narrowed, str):
                return self._unsupported(name, narrowed)
            try:
                rewritten.finish_loading()
            except (Died, Refusal) as error:
                text = f"the rewritten file cannot be imported: {error}"
                return Verdict(Answer.COUNTEREXAMPLE.value, name, 0, counterexample=text)
            if self.settings.backend == "compile":
                return self._compile(original, rewritten, narrowed, limits, name)
            checker = Checker(
                original,
                rewritten,
                widened.obstacles,
                identical=self.settings.require == "identical",
                interpreted=self.settings.backend == "interpreter",
                plain=plain_calls(narrowed, limits, backward=self.task.launcher.backward),
                in_float32="float32" in self.old.text,
            )
            tuning = self._tuning(original, rewritten, narrowed, notes)
            if self.task.launcher.backward:
                expanded = self._copes_with_expanded(original, narrowed, notes)
                tuning = replace(tuning, expanded_gradients=expanded)
            return self._search(checker, narrowed, limits, name, notes, tuning)
        finally:
            original.close()
            rewritten.close()

    def _compile(
        self,
        original: VersionWorker,
        rewritten: VersionWorker,
        signature: Signature,
        limits: Limits,
        name: str,
    ) -> Verdict:
        from tritonopt.verification.comparison.compile_backend import MOST_EXAMPLES, Compilation
        from tritonopt.verification.inputs.strategies import drawn

        calls = drawn(
            signature,
            limits,
            backward=self.task.launcher.backward,
            count=min(self.settings.max_examples, MOST_EXAMPLES),
            seed=self.settings.seed,
        )
        compilation = Compilation(original, rewritten, self.old, self.new)
        return compilation.verdict(
            calls, name, progress=lambda count: self._report(count, "examples", name)
        )

    def _settled(self, original: VersionWorker) -> Signature:
        """What is drawn from; where the code leaves it open, found by trying the original."""
        reading = self.task.arguments
        if isinstance(reading, Signature):
            return reading
        trier = original
        if self.settings.backend != "interpreter":
            # Only the interpreter sees an access outside of a tensor without dying of it.
            spec = replace(original.spec, backend="interpreter")
            trier = VersionWorker(spec, _TIMEOUT["interpreter"])
        name = self.task.launcher.name
        try:
            trial = Trial(trier, _typed(reading, trier), self.task.launcher.backward)
            found = trial.settle()
        except (Unsettled, Died, Refusal) as failure:
            if reading.unknown:
                raise VerificationError(f"{reading.question()}\n({failure})") from None
            # The drawn examples will show what the original makes of this.
            self.trial_failure = str(failure)
            note = f"{name} is called as far as its code says how: {failure}"
            return Signature(reading.known, notes=(note,))
        finally:
            if trier is not original:
                trier.close()
        how = "found by calling the original" if reading.unknown else "as its code says"
        return replace(found, notes=(f"{name} was called with ({how}): {found}",))

    def _tuning(
        self,
        original: VersionWorker,
        rewritten: VersionWorker,
        signature: Signature,
        notes: list[str],
    ) -> _Tuning:
        """How many configurations there are, and whether first calls can be compared."""
        if not any("tune" in m.text for m in (self.old, self.new)):
            return _Tuning()
        example = small_example(signature, backward=self.task.launcher.backward)
        try:
            counts = [w.attempt(example).configurations for w in (original, rewritten)]
            if max(counts) == 1:
                return _Tuning()
            usual, first = (
                original.run(e, RunOptions())[0]
                for e in (example, replace(example, first_call=True))
            )
        except (Died, Refusal):
            return _Tuning()
        notes.append(f"autotuned: each of {max(counts)} configurations was a case of its own")
        if first.failure is None and unstable(Pair(usual, first)) is None:
            return _Tuning(max(counts), first_calls=True)
        notes.append(
            "the original's first call, in which the autotuner measures, has another result than "
            "later ones (restore_value or reset_to_zero is missing): first calls were not compared"
        )
        return _Tuning(max(counts))

    def _copes_with_expanded(
        self, original: VersionWorker, signature: Signature, notes: list[str]
    ) -> bool:
        """Whether the original's backward takes the gradient that `y.sum()` gives."""
        example = small_example(signature, backward=True)
        example = replace(example, gradient_expanded=True)
        both = original.run(example, RunOptions(), RunOptions(poison=1))
        trouble = any(o.failure or o.damage or o.strays for o in both)
        if trouble or unstable(Pair(*both)) is not None:
            notes.append(
                "the original's backward takes incoming gradients to be contiguous: expanded "
                "ones, as `y.sum().backward()` gives them, were not drawn"
            )
            return False
        return True

    def _search(
        self,
        checker: object,
        signature: Signature,
        limits: Limits,
        name: str,
        notes: list[str],
        tuning: _Tuning,
    ) -> Verdict:
        from tritonopt.verification.comparison.checker import Checker
        from tritonopt.verification.comparison.search import Search
        from tritonopt.verification.inputs.strategies import Calls

        assert isinstance(checker, Checker)
        compared = Comparison.of(self.old, self.new)
        with contextlib.ExitStack() as stack:
            scouts = None
            if not checker.versions.interpreted:
                scouts = Scouts(checker.versions.original.spec, checker.versions.rewritten.spec)
                stack.callback(scouts.close)
            calls = Calls(
                signature,
                limits,
                self.task.launcher.backward,
                tuning.configurations,
                tuning.first_calls,
                tuning.expanded_gradients,
            )
            guards = kept_guards(compared)
            search = Search(
                checker,
                calls,
                Requirements(self.demands, guards, checker.evidence, scouts),
                max_examples=self.settings.max_examples,
                seed=self.settings.seed,
                singled_out=singled_out(compared),
                limits_named=limits_of((self.old, self.new)),
                subject=f"{self.original_path.resolve()}:{self.task.launcher.name}",
                progress=lambda examples, phase: self._report(examples, phase, name),
            )
            begin = time.monotonic()
            found = search.run()
        self.signature = signature
        notes += [*checker.all_notes(), *self._unseen(search)]
        result = Verdict(
            Answer.IDENTICAL.value,
            name,
            checker.tally.accepted,
            checker.tally.discarded,
            notes=tuple(dict.fromkeys(notes)),
            timing=self._timing(begin, search, checker),
            written=checker.tally.written,
            compared=checker.tally.compared,
        )
        return self._answered(result, checker, found)

    def _unseen(self, search: Search) -> list[str]:
        """Note what had to run and did not; what could not, or is not known, in words."""
        required = search.requirements
        scouts, excused = required.scouts, required.excused(search.aiming)
        dead = required.never_left()
        self.unmet = [d for d in required.unmet() if d not in (*excused, *dead)]
        self.single = {d: n for d in self.unmet if (n := search.aiming.largest_single(d))}
        found = [f"{d}; from the text it follows that none can" for d in required.impossible()]
        found += [f"{demand}; no size was found for which it would" for demand in excused]
        found += [f"{demand}; the other version has the same guard, and all that either writes "
                  "stands behind it" for demand in dead]  # fmt: skip
        if scouts is not None and required.blind:
            self.blind = scouts.trouble or "no call was fit for it"
        return found

    def _answered(
        self, result: Verdict, checker: Checker, found: tuple[Example, Difference] | None
    ) -> Verdict:
        errors = replace(
            result, worst_error=checker.residuals.worst, oracle_error=checker.residuals.oracle_error
        )
        if found is not None:
            example, difference = found
            return replace(
                errors,
                verdict=Answer.COUNTEREXAMPLE.value,
                counterexample=self._describe(example, str(difference)),
                script=script(
                    checker.versions.original.spec,
                    checker.versions.rewritten.spec,
                    example,
                    checker.versions.options(example),
                    str(difference),
                    embedded=self.settings.embedded,
                ),
            )
        reason = checker.tally.why_unsupported()
        if reason:
            if self.signature is not None and not self.signature.notes:
                reason += f"\n{self.task.launcher.name} was called with: {self.signature}"
            return replace(result, verdict=Answer.UNSUPPORTED.value, reason=reason)
        if checker.tally.any_bits_differ:
            return replace(errors, verdict=Answer.EQUIVALENT.value)
        return result

    @cached_property
    def demands(self) -> list[Demand]:
        """What must run for a yes."""
        return demands(self.old, self.new, (self._reached(self.old), self._reached(self.new)))

    def _reached(self, module: source.Module) -> set[str]:
        """The definitions that run when the launcher does."""
        launchers, name = Launchers(module), self.task.launcher.name
        definition = launchers.aliases.get(name, name)
        return launchers.reached(definition) if definition in launchers.definitions else set()

    def never_ran(self, unmet: Sequence[Demand]) -> str:
        """What has not run, and what to write so that it does."""
        assert self.signature is not None
        if self.blind:
            return (
                "which lines ran is not known: compiled kernels do not tell, and the interpreter "
                f"cannot run these ({self.blind}). Not known to have run: {listed(unmet)}. Where "
                "you know that the calls run all of it, add --assume-covered"
            )
        more = f" (and {len(unmet) - 1} more such)" if len(unmet) > 1 else ""
        launcher = self.task.launcher
        left = [p.arg for p in launcher.parameters if self.signature.get(p.arg) is None]
        rest = f"; left at their defaults were {', '.join(left)}" if left else ""
        module = self.old if unmet[0].title == "original" else self.new
        inside = next((k for k in module.kernels if _holds(k.node, unmet[0].line)), None)
        alone = "" if inside is None else (
            f"; or run the kernel by itself: --kernel {inside.name} --grid ... --args ..."
        )  # fmt: skip
        largest = self.single.get(unmet[0])
        single = "" if largest is None else (
            f", although sizes up to {largest} were tried: its tile may grow with them, which the "
            "file does not show for all"
        )  # fmt: skip
        return (
            f"{unmet[0]}{single}{more}. Say what reaches it: --launcher {launcher.name} "
            f"--args '{self.signature}'{rest}{alone}"
        )

    def _timing(self, begin: float, search: Search, checker: Checker) -> Timing:
        now = time.monotonic()
        found = search.first.at or now
        waited = checker.versions.waited if search.first.at is None else search.first.waited
        return Timing(
            start=begin - self.started,
            run=waited,
            judge=max(found - begin - waited, 0.0),
            shrink=now - found,
            compile=checker.versions.original.compile_seconds,
            compilations=checker.versions.original.compilations,
        )

    def _report(self, examples: int, phase: str, backend: str) -> None:
        if self.settings.progress is not None:
            self.settings.progress(
                Progress(
                    self.task.launcher.name,
                    examples,
                    self.settings.max_examples,
                    phase,
                    backend,
                    time.monotonic() - self.started,
                )
            )

    def _describe(self, example: Example, difference: str) -> str:
        arguments = "\n".join(f"  {line}" for line in str(example).splitlines())
        return (
            f"{self.task.launcher.name} is called with\n{arguments}\n{difference}\n"
            f"(seed of the search: {self.settings.seed})"
        )

    def _unsupported(self, backend: str, reason: str) -> Verdict:
        return Verdict(Answer.UNSUPPORTED.value, backend, 0, reason=reason)

    def _spec(self, title: str, module: source.Module, widened: Widened | None) -> VersionSpec:
        path = self.original_path if widened is not None else self.rewritten_path
        return VersionSpec(
            title,
            str(self.original_path.resolve()),
            module.text,
            str(path.resolve()),
            self.settings.backend,
            self.task.launcher.name,
            self.task.launcher.autograd,
            "" if widened is None else widened.source,
            () if widened is None else widened.names,
            self._results(),
        )

    def _results(self) -> tuple[tuple[str, str], ...]:
        """The kernels' results, as both versions have them."""
        if self.task.launcher.backward:
            # A backward pass takes up what the forward one left behind.
            return ()
        return results_of(self.old, self.new)

    def _limits(self) -> Limits:
        numbers = whole_numbers(self.old) | whole_numbers(self.new)
        blocks, counts = block_sizes(numbers), tuple(sorted(numbers))
        if self.settings.backend == "interpreter":
            few = tuple(sorted(b for b in blocks if b <= 2**12))
            return Limits(_interpreted_elements(few), 8, _DTYPES, few, counts)
        # Nothing is run by `compile`: sizes matter only as far as the compiler is told of them.
        elements, rows = (2**14, 8) if self.settings.backend == "compile" else (2**22, 2**12)
        return Limits(elements, rows, _DTYPES, tuple(sorted(blocks)), counts)


def _interpreted_elements(blocks: tuple[int, ...]) -> int:
    """How large a tensor may be on the interpreter, where every operation takes 0.1 ms.

    Enough for two tiles of the largest block, and not too many tiles of the smallest.
    """
    if not blocks:
        return 2**10
    return min(2**13, max(2**9, 12 * blocks[0], 2 * blocks[-1] + 64))


def _narrow(signature: Signature, limits: Limits, notes: list[str]) -> Signature | str:
    """The signature with the types that the backend can tell about, or why there are none."""
    for tensor in signature.tensors:
        usable = tuple(d for d in tensor.dtypes if d in limits.dtypes)
        if not usable:
            return (
                f"`{tensor}`: this backend has none of these types; verify on a GPU "
                "(--backend cuda) or give another type"
            )
        if usable != tensor.dtypes:
            left = ", ".join(d for d in tensor.dtypes if d not in usable)
            notes.append(f"{left} was left out: this backend does not have it")
    return signature


def _holds(node: ast.FunctionDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)

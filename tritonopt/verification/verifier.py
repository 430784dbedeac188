"""`verify`: two versions of a file, one question, and the answer with what it rests on."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import time
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import source

from .arguments import FormulaArgument, Origin, Signature, assumed, parse
from .capturing import Captured, capture
from .configuration import entry_for
from .counterparts import check_counterpart, left_out
from .deliberate import plain_calls
from .demands import LOOPS, Demand, demands
from .differing import Comparison
from .errors import VerificationError
from .examples import Example, Limits
from .generalising import Launch, NotGeneral, generalise
from .guards import kept_guards
from .inference import Reading, read, with_layouts
from .judging import Difference, Pair, unstable
from .kernels import with_launcher, write_launcher
from .launchers import Launcher, Launchers, changed_definitions, comment_of
from .outcomes import RunOptions, VersionSpec
from .results import results_of
from .scouting import Scouts
from .script import script
from .sizes import block_sizes, limits_of, singled_out, whole_numbers
from .template import template
from .trying import Trial, Unsettled, small_example
from .verdict import Answer, Timing, Verdict
from .widening import Widened, widen
from .workers import Died, Refusal, VersionWorker, Worker

if TYPE_CHECKING:
    from .checking import Checker
    from .searching import Search

BACKENDS = ("auto", "interpreter", "cuda", "compile")
REQUIREMENTS = ("equivalent", "identical")

_ORDER = [
    Answer.IDENTICAL.value,
    Answer.EQUIVALENT.value,
    Answer.UNSUPPORTED.value,
    Answer.COUNTEREXAMPLE.value,
]
"""From the best answer to the worst."""
_DTYPES = frozenset({"f32", "f16", "bf16", "f64", "i64", "i32", "i16", "i8", "u8", "bool"})
_FOR_A_SCRIPT = 10
"""So many launches are drawn to show again what a command has shown."""
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


def verify(
    original: Path | str,
    rewritten: Path | str,
    *,
    launcher: str | None = None,
    about: str | None = None,
    kernel: str | None = None,
    grid: str | None = None,
    args: str | None = None,
    assume: Sequence[str] = (),
    backend: str = "auto",
    require: str = "equivalent",
    max_examples: int = 100,
    seed: int | None = None,
    command: Sequence[str] = (),
    text: str | None = None,
    assume_covered: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Verdict:
    """Whether two versions of a kernel file compute the same, on inputs that nobody chose.

    Of the files one `launcher` is called, or all that come to the kernel that they are asked
    `about`; or, where there is none, one `kernel` is launched with a `grid` (`cdiv(n, BLOCK)`)
    and `args`. With a `command` all launches that it makes
    are compared, then others like them. `assume` gives facts about sizes that both versions
    rest on (`n % 16 == 0`, `m <= n`): only such calls are drawn. `assume_covered` takes it that
    these calls run all that differs, where a GPU and the interpreter cannot tell. With `text`
    that is the rewritten version, which is in no file yet, and `rewritten` only says where it
    would stand.
    Raises VerificationError for what the caller did wrong; what the kernels do wrong is a verdict.
    """
    _check_options(backend, require, max_examples)
    _check_installed()
    if backend in ("auto", "interpreter"):
        template()  # it imports torch meanwhile
    old = _read(Path(original))
    new = _read(Path(rewritten)) if text is None else _parse(text, Path(rewritten))
    if command:
        if launcher or about or kernel or grid or args or assume:
            raise VerificationError(
                "with `-- COMMAND` the command chooses the launches, not --args or --assume"
            )
        return _captured(old, new, command, backend, require, max_examples, seed or 0, progress)
    embedded: tuple[str, ...] = ("rewritten",) if text is not None else ()
    if kernel is not None:
        old, new, tasks = _kernel_alone(old, new, kernel, grid, args)
        embedded = ("original", "rewritten")
    elif grid is not None:
        raise VerificationError("--grid is the grid of a kernel: add --kernel NAME")
    else:
        tasks = _tasks(Launchers(old), new, launcher, args, about)
    chosen = _choose_backend(backend)
    settings = _Settings(
        chosen, require, max_examples, seed or 0, embedded, progress, tuple(assume), assume_covered
    )
    verdict = _verdict_of(old, new, Path(original), Path(rewritten), tasks, settings)
    rest = left_out(Launchers(old), new, [task.launcher.name for task in tasks])
    return _with_rest(verdict, rest, chosen=bool(launcher or about or kernel))


def _with_rest(verdict: Verdict, rest: list[str], *, chosen: bool) -> Verdict:
    """The verdict with a word about what differs as well and was not run: no yes covers it."""
    if not rest:
        return verdict
    names = ", ".join(f"`{name}`" for name in rest)
    text = f"what differs as well, and nothing that was verified runs: {names}"
    if chosen or verdict.verdict not in (Answer.IDENTICAL.value, Answer.EQUIVALENT.value):
        return replace(verdict, notes=(*verdict.notes, text))
    return replace(
        verdict,
        verdict=Answer.UNSUPPORTED.value,
        reason=f"{text}. A kernel can be verified by itself: --kernel NAME --grid ... --args ...",
        notes=(*verdict.notes, f"what was run is {verdict.verdict}"),
    )


def _verdict_of(
    old: source.Module,
    new: source.Module,
    original: Path,
    rewritten: Path,
    tasks: list[_Task],
    settings: _Settings,
) -> Verdict:
    verdicts, made = [], []
    for task in tasks:
        verification = _Verification(old, new, original, rewritten, task, settings)
        made.append(verification)
        try:
            verdicts.append(verification.verdict())
        except VerificationError as error:
            if len(tasks) == 1:
                raise
            reason = str(error)
            verdicts.append(Verdict(Answer.UNSUPPORTED.value, settings.backend, 0, reason=reason))
    verdicts = [_unless_unseen(*pair, made) for pair in zip(verdicts, made, strict=True)]
    return verdicts[0] if len(verdicts) == 1 else _combined(tasks, verdicts)


def _unless_unseen(
    verdict: Verdict, verification: _Verification, every: Sequence[_Verification]
) -> Verdict:
    """The verdict, but no yes where something had to run and did so from no launcher."""
    if verdict.verdict not in (Answer.IDENTICAL.value, Answer.EQUIVALENT.value):
        return verdict
    if verification.trial_failure:
        reason = f"no plain call of the original succeeds: {verification.trial_failure}"
        return replace(verdict, verdict=Answer.UNSUPPORTED.value, reason=reason)
    unmet = [
        demand
        for demand in verification.unmet
        if all(demand in v.unmet for v in every if demand in v.demands)
    ]
    if not unmet:
        return verdict
    # What never ran took no second turn either.
    unmet.sort(key=lambda demand: demand.kind in LOOPS)
    if verification.blind and verification.settings.assume_covered:
        text = f"taken to have run, because --assume-covered says so: {_listed(unmet)}"
        return replace(verdict, notes=(*verdict.notes, text))
    return replace(
        verdict,
        verdict=Answer.UNSUPPORTED.value,
        reason=verification.never_ran(unmet),
        notes=(*verdict.notes, f"what was run is {verdict.verdict}"),
    )


def _listed(unmet: Sequence[Demand]) -> str:
    lines = [f"line {d.line} of the {d.title} version" for d in unmet]
    return ", ".join(dict.fromkeys(lines))


@dataclass(frozen=True)
class _Settings:
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
class _Task:
    """A launcher, and what it is called with: as it was given, or as its code says."""

    launcher: Launcher
    arguments: Signature | Reading


@dataclass(frozen=True)
class _Tuning:
    """From how many configurations autotuners choose, and what of that is drawn."""

    configurations: int = 1
    first_calls: bool = False
    expanded_gradients: bool = False


def _check_options(backend: str, require: str, max_examples: int) -> None:
    if backend not in BACKENDS:
        raise VerificationError(f"backend `{backend}`: write one of {', '.join(BACKENDS)}")
    if require not in REQUIREMENTS:
        raise VerificationError(f"require `{require}`: write one of {', '.join(REQUIREMENTS)}")
    if max_examples < 1:
        raise VerificationError(f"max_examples is {max_examples}: at least 1 is needed")


def _check_installed() -> None:
    missing = [
        name
        for name in ("torch", "triton", "hypothesis", "numpy")
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise VerificationError(
            f"verification runs the kernels, and needs {', '.join(missing)}: "
            "pip install 'tritonopt[verify]'"
        )


def _read(path: Path) -> source.Module:
    try:
        # In the encoding that it declares, as Python would.
        with tokenize.open(path) as stream:
            text = stream.read()
    except FileNotFoundError:
        raise VerificationError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise VerificationError(f"{path}: is a directory; give a file") from None
    except OSError as error:
        raise VerificationError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise VerificationError(
            f"{path}: byte {error.start} is not {error.encoding}: save the file as UTF-8"
        ) from None
    except SyntaxError as error:
        raise VerificationError(f"{path}: {error.msg}: save the file as UTF-8") from None
    return _parse(text, path)


def _parse(text: str, path: Path) -> source.Module:
    try:
        return source.read(text, str(path))
    except source.SourceError as error:
        raise VerificationError(str(error)) from None


def _tasks(
    launchers: Launchers,
    new: source.Module,
    launcher: str | None,
    args: str | None,
    about: str | None = None,
) -> list[_Task]:
    """What has to be verified."""
    given = None if args is None else parse(args)
    path = launchers.module.path
    if launcher is not None:
        chosen = [launchers.named(launcher)]
    else:
        chosen = (
            _changed(launchers, new) or launchers.outermost()
            if about is None
            else launchers.reaching(about)
        )
        if given is not None and len(chosen) > 1:
            wanted = {a.name for a in given.arguments}
            chosen = [c for c in chosen if wanted <= {p.arg for p in c.parameters}] or chosen
            if len(chosen) > 1:
                names = ", ".join(c.name for c in chosen)
                raise VerificationError(
                    f"--args can belong to any of {names}: add --launcher {chosen[0].name}"
                )
    if not chosen:
        kernels = about or ", ".join(k.name for k in launchers.module.kernels)
        if not kernels:
            raise VerificationError(f"{path}: no Triton kernel in this file")
        raise VerificationError(
            f"{path}: no function launches {kernels}. Launch it from here with "
            f"--kernel {about or launchers.module.kernels[-1].name} --grid 'cdiv(n, BLOCK)' "
            "--args 'x: f32[n], ...'; or add a function to both files that takes tensors, "
            "launches the kernel and returns what it wrote."
        )
    for found in chosen:
        check_counterpart(found, new)
    return [_Task(found, _signature(launchers, found, given)) for found in chosen]


def _kernel_alone(
    old: source.Module, new: source.Module, kernel: str, grid: str | None, args: str | None
) -> tuple[source.Module, source.Module, list[_Task]]:
    """Both files with a launcher for the kernel, and that to be verified."""
    if new.kernel(kernel) is None and old.kernel(kernel) is not None:
        raise VerificationError(f"--kernel: {new.path} has no kernel `{kernel}`")
    call = write_launcher(old, kernel, grid, args or "")
    old, new = with_launcher(old, call), with_launcher(new, call)
    launchers = Launchers(old)
    found = launchers.named(call.launcher)
    return old, new, [_Task(found, with_layouts(launchers, found, call.signature))]


def _captured(
    old: source.Module,
    new: source.Module,
    command: Sequence[str],
    backend: str,
    require: str,
    max_examples: int,
    seed: int,
    progress: Callable[[Progress], None] | None,
) -> Verdict:
    """What the command showed; where that is no difference, what launches like its own show."""
    seen = capture(old, new, command, identical=require == "identical")
    counts = ", ".join(f"{name} {count}x" for name, count in seen.launches.items())
    notes = [f"launches seen and compared: {counts or 'none'}"]
    notes += [f"not compared: {text}" for text in dict.fromkeys(seen.skipped)]
    notes += seen.without_oracle()
    if seen.status:
        notes.append(f"the command ended with exit status {seen.status}")
    embedded = ("original", "rewritten")
    chosen = _choose_backend(backend)
    settings = _Settings(chosen, require, max_examples, seed, embedded, progress)
    result = Verdict(
        Answer.IDENTICAL.value,
        seen.backend,
        seen.count,
        notes=tuple(notes),
        worst_error=seen.worst_error,
        oracle_error=seen.oracle_error,
    )
    if seen.difference or (require == "identical" and not seen.identical):
        text = seen.difference or "launches agree up to rounding only"
        result = replace(result, verdict=Answer.COUNTEREXAMPLE.value, counterexample=text)
        return _with_script(result, old, new, seen, settings, notes)
    if not seen.count:
        reason = "no launch could be compared"
        return replace(result, verdict=Answer.UNSUPPORTED.value, reason=reason)
    if not seen.identical:
        result = replace(result, verdict=Answer.EQUIVALENT.value)
    for name, launches in seen.records.items():
        drawn = _generalised(old, new, name, launches, settings, notes)
        if drawn is not None:
            result = _worse_of(result, drawn)
    result = replace(result, notes=tuple(dict.fromkeys([*notes, *result.notes])))
    return _with_rest(result, left_out(Launchers(old), new, seen.launches), chosen=False)


def _with_script(
    result: Verdict,
    old: source.Module,
    new: source.Module,
    seen: Captured,
    settings: _Settings,
    notes: list[str],
) -> Verdict:
    """A script needs no run of the user's: it shows a drawn launch, where one differs as well."""
    launches = seen.records.get(seen.differing)
    settings = replace(settings, max_examples=min(settings.max_examples, _FOR_A_SCRIPT))
    drawn = _generalised(old, new, seen.differing, launches, settings, notes) if launches else None
    if drawn is not None and drawn.script is not None:
        notes.append("the script shows a drawn launch, like the one that was seen")
    else:
        notes.append("there is no script: the launch is seen again by making the same run")
    script = None if drawn is None else drawn.script
    return replace(result, script=script, notes=tuple(dict.fromkeys(notes)))


def _generalised(
    old: source.Module,
    new: source.Module,
    kernel: str,
    launches: Sequence[Launch],
    settings: _Settings,
    notes: list[str],
) -> Verdict | None:
    """Launches like those that were seen, drawn; None, with a note, where none can be told."""
    try:
        form = generalise(launches)
        both = _kernel_alone(old, new, kernel, form.grid, form.args)
    except (NotGeneral, VerificationError) as error:
        notes.append(f"{kernel}: not generalised: {error}")
        return None
    text = f"--kernel {kernel} --grid '{form.grid}' --args '{form.args}'"
    verdict = _verdict_of(both[0], both[1], Path(old.path), Path(new.path), both[2], settings)
    if verdict.verdict == Answer.UNSUPPORTED.value:
        notes.append(f"{kernel}: not generalised to {text}: {verdict.reason}")
        return None
    notes.append(f"{kernel}: {verdict.examples} launches drawn like the seen ones: {text}")
    return verdict


def _worse_of(seen: Verdict, drawn: Verdict) -> Verdict:
    """Both together: the worse answer, and every example of the two."""
    worse = max(seen, drawn, key=lambda v: _ORDER.index(v.verdict))
    return replace(
        worse,
        backend=seen.backend or drawn.backend,
        examples=seen.examples + drawn.examples,
        discarded=seen.discarded + drawn.discarded,
        written=seen.written + drawn.written,
        compared=seen.compared + drawn.compared,
        notes=(*seen.notes, *drawn.notes),
    )


def _changed(launchers: Launchers, new: source.Module) -> list[Launcher]:
    """The outermost launchers that reach something the rewrite touched."""
    changed = changed_definitions(launchers.module, new)
    if changed is None:
        return []
    found = []
    for launcher in launchers.outermost():
        if launchers.reached(launchers.definition_of(launcher)) & changed:
            found.append(launcher)
    return found


def _signature(
    launchers: Launchers, launcher: Launcher, given: Signature | None
) -> Signature | Reading:
    given = given or _written(launchers.module, launcher)
    if given is None:
        return read(launchers, launcher)
    return _ordered(launcher, with_layouts(launchers, launcher, given))


def _written(module: source.Module, launcher: Launcher) -> Signature | None:
    """What a comment at the launcher says, or pyproject.toml."""
    comment = comment_of(module, launcher)
    if comment is not None:
        origin = Origin(module.path, line=comment.line, column=comment.column)
        return parse(comment.text, origin)
    entry = entry_for(Path(module.path), {launcher.name, launcher.definition_name})
    return None if entry is None else parse(entry.args, Origin(entry.place))


def _ordered(launcher: Launcher, given: Signature) -> Signature:
    """The arguments that were given, in the launcher's order; all that are needed must be there."""
    parameters = [p.arg for p in launcher.parameters]
    for argument in given.arguments:
        if argument.name not in parameters:
            raise given.error(
                argument.name,
                f"`{launcher.name}` has no parameter `{argument.name}`; "
                f"it has {', '.join(parameters)}",
            )
        if isinstance(argument, FormulaArgument):
            raise given.error(
                argument.name,
                "a formula can only be passed to a kernel (--kernel); to a launcher pass values, "
                "sizes (`n`, `(m, n)`) and tensors",
            )
    missing = [p for p in parameters if given.get(p) is None and p not in launcher.defaults]
    if missing:
        rest = ", ".join(f"{name}: f32[n]" for name in missing)
        raise given.origin.error(
            len(given.origin.text),
            f"`{launcher.name}` also needs {', '.join(missing)}. Write for example: "
            f"'{given}, {rest}'",
        )
    order = sorted(given.arguments, key=lambda a: parameters.index(a.name))
    if launcher.autograd and [a.name for a in order] != parameters[: len(order)]:
        raise given.error(
            order[-1].name,
            f"`{launcher.name}` is called by position; give all of "
            f"{', '.join(parameters[: parameters.index(order[-1].name) + 1])}",
        )
    return replace(given, arguments=tuple(order))


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


def _choose_backend(backend: str) -> str:
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
class _Verification:
    """One launcher, verified."""

    old: source.Module
    new: source.Module
    original_path: Path
    rewritten_path: Path
    task: _Task
    settings: _Settings
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
        from .checking import Checker

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
        from .compiled import MOST_EXAMPLES, Compilation
        from .searching import drawn

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
        from .checking import Checker
        from .searching import Search

        assert isinstance(checker, Checker)
        compared = Comparison.of(self.old, self.new)
        with contextlib.ExitStack() as stack:
            scouts = None
            if not checker.interpreted:
                scouts = Scouts(checker.original.spec, checker.rewritten.spec)
                stack.callback(scouts.close)
            search = Search(
                checker,
                signature,
                limits,
                backward=self.task.launcher.backward,
                configurations=tuning.configurations,
                first_calls=tuning.first_calls,
                expanded_gradients=tuning.expanded_gradients,
                max_examples=self.settings.max_examples,
                seed=self.settings.seed,
                demands=self.demands,
                singled_out=singled_out(compared),
                limits_named=limits_of((self.old, self.new)),
                guards=kept_guards(compared),
                scouts=scouts,
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
            checker.accepted,
            checker.discarded,
            notes=tuple(dict.fromkeys(notes)),
            timing=self._timing(begin, search, checker),
            written=checker.written,
            compared=checker.compared,
        )
        return self._answered(result, checker, found)

    def _unseen(self, search: Search) -> list[str]:
        """Note what had to run and did not; what could not, or is not known, in words."""
        scouts, excused = search.scouts, search.excused()
        dead = search.never_left()
        # Who gives the arguments says as well how many programs there are.
        given = isinstance(self.task.arguments, Signature)
        alone = [d for d in search.unmet() if d.kind == "programs" and given]
        self.unmet = [d for d in search.unmet() if d not in (*excused, *dead, *alone)]
        self.single = {d: n for d in self.unmet if (n := search.aiming.largest_single(d))}
        found = [f"{d}; from the text it follows that none can" for d in search.impossible()]
        found += [f"{demand}; no size was found for which it would" for demand in excused]
        found += [f"{demand}, as the given arguments ask for" for demand in alone]
        found += [f"{demand}; the other version has the same guard, and all that either writes "
                  "stands behind it" for demand in dead]  # fmt: skip
        if scouts is not None and search.blind:
            self.blind = scouts.trouble or "no call was fit for it"
        return found

    def _answered(
        self, result: Verdict, checker: Checker, found: tuple[Example, Difference] | None
    ) -> Verdict:
        errors = replace(result, worst_error=checker.worst_error, oracle_error=checker.oracle_error)
        if found is not None:
            example, difference = found
            return replace(
                errors,
                verdict=Answer.COUNTEREXAMPLE.value,
                counterexample=self._describe(example, str(difference)),
                script=script(
                    checker.original.spec,
                    checker.rewritten.spec,
                    example,
                    checker.options(example),
                    str(difference),
                    embedded=self.settings.embedded,
                ),
            )
        reason = checker.why_unsupported()
        if reason:
            if self.signature is not None and not self.signature.notes:
                reason += f"\n{self.task.launcher.name} was called with: {self.signature}"
            return replace(result, verdict=Answer.UNSUPPORTED.value, reason=reason)
        if checker.any_bits_differ:
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
                f"cannot run these ({self.blind}). Not known to have run: {_listed(unmet)}. Where "
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
        found = search.found_at or now
        waited = checker.waited if search.found_at is None else search.waited_before
        return Timing(
            start=begin - self.started,
            run=waited,
            judge=max(found - begin - waited, 0.0),
            shrink=now - found,
            compile=checker.original.compile_seconds,
            compilations=checker.original.compilations,
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


def _combined(tasks: list[_Task], verdicts: list[Verdict]) -> Verdict:
    """The worst answer of several launchers: a file is as good as the worst of it."""
    at = max(range(len(verdicts)), key=lambda i: _ORDER.index(verdicts[i].verdict))
    worst = verdicts[at]
    notes = [
        f"{task.launcher.name}: {verdict.verdict} ({verdict.examples} examples)"
        for task, verdict in zip(tasks, verdicts, strict=True)
    ]
    notes += [note for verdict in verdicts for note in verdict.notes]
    reason = worst.reason
    if reason is not None:
        reason = f"{tasks[at].launcher.name}: {reason}"
    errors = [v.worst_error for v in verdicts if v.worst_error is not None]
    own = [v.oracle_error for v in verdicts if v.oracle_error is not None]
    return replace(
        worst,
        examples=sum(v.examples for v in verdicts),
        discarded=sum(v.discarded for v in verdicts),
        written=sum(v.written for v in verdicts),
        compared=sum(v.compared for v in verdicts),
        worst_error=max(errors, default=None),
        oracle_error=max(own, default=None),
        reason=reason,
        notes=tuple(dict.fromkeys(notes)),
    )


__all__ = ["Progress", "verify"]
